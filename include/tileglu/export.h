/* TILEGLU_API marks what a shared libtileglu exports; everything else in it is hidden.
 * A static build defines TILEGLU_STATIC (the CMake target and the pkg-config file do it for its users), so that a plug-in which
 * links tileglu into itself does not export it again. */
#ifndef TILEGLU_EXPORT_H
#define TILEGLU_EXPORT_H

#if defined(TILEGLU_STATIC)
#define TILEGLU_API
#elif defined(__GNUC__)
#define TILEGLU_API __attribute__((visibility("default")))
#else
#define TILEGLU_API
#endif

#endif /* TILEGLU_EXPORT_H */
