# What `cmake --install` places: the library, its headers, the CMake package (find_package(tileglu)) and the pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(tileglu PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(tileglu_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tileglu)

install(TARGETS tileglu EXPORT tileglu_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tileglu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tileglu_targets NAMESPACE tileglu:: FILE tileglu_targets.cmake DESTINATION ${tileglu_package_dir})

# A static library's users link what it links: the package looks for each target that the export names, and pkg-config gets its flags.
# A room that links another package adds a line here.
set(tileglu_find_dependencies "")
set(tileglu_pc_libs_private "-lstdc++ -lm -lpthread")
if(tileglu_library_type STREQUAL "STATIC_LIBRARY")
  get_target_property(tileglu_links tileglu LINK_LIBRARIES)
  foreach(link IN LISTS tileglu_links)
    if(link STREQUAL "OpenMP::OpenMP_CXX")
      string(APPEND tileglu_find_dependencies "find_dependency(OpenMP COMPONENTS CXX)\n")
      string(APPEND tileglu_pc_libs_private " -lgomp")
    elseif(link STREQUAL "dnnl")
      string(APPEND tileglu_pc_libs_private " -ldnnl")
    elseif(link STREQUAL "${TILEGLU_ONEDNN_LIBRARY}")
      string(APPEND tileglu_pc_libs_private " ${link}")
    elseif(link STREQUAL "Threads::Threads")
      string(APPEND tileglu_find_dependencies "find_dependency(Threads)\n")
    elseif(link MATCHES "^CUDA::(.*)$")
      string(APPEND tileglu_find_dependencies "find_dependency(CUDAToolkit)\n")
      string(APPEND tileglu_pc_libs_private " -l${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if(TILEGLU_HAS_CUDA)
    string(APPEND tileglu_pc_libs_private " -ldl -lrt -L${CUDAToolkit_LIBRARY_DIR}")
  endif()
  set(tileglu_pc_cflags "-DTILEGLU_STATIC")
  # pkg-config has no way to know that the library is static, so what it needs is public.
  set(tileglu_pc_libs " ${tileglu_pc_libs_private}")
  set(tileglu_pc_libs_private "")
else()
  set(tileglu_pc_cflags "")
  set(tileglu_pc_libs "")
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tileglu-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tileglu-config.cmake
  INSTALL_DESTINATION ${tileglu_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tileglu-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tileglu-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/tileglu-config-version.cmake DESTINATION ${tileglu_package_dir})

# From the folder of tileglu.pc up to the prefix: LIBDIR may be lib/x86_64-linux-gnu.
file(RELATIVE_PATH tileglu_pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" tileglu_pc_up "${tileglu_pc_up}")
set(tileglu_pc_prefix "\${pcfiledir}/${tileglu_pc_up}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/tileglu.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tileglu.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tileglu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
