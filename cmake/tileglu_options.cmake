# Warnings and sanitizers of tileglu's own code; never exported.
add_library(tileglu_build_options INTERFACE)
target_compile_options(tileglu_build_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>)
# GCC 12 sees overlapping copies in `"literal" + std::string` (its bug 105329).
target_compile_options(tileglu_build_options INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>)
if(TILEGLU_SANITIZE)
  target_compile_options(tileglu_build_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=undefined;-fno-omit-frame-pointer>)
  target_link_options(tileglu_build_options INTERFACE -fsanitize=address,undefined)
endif()
