/* Version, symbol visibility and compiler differences, for C (also of 1989) and C++. */
#ifndef LEAT_CONFIG_H
#define LEAT_CONFIG_H

#define LEAT_VERSION_MAJOR 0
#define LEAT_VERSION_MINOR 2
#define LEAT_VERSION_PATCH 0

/** One number to compare: 10000 * major + 100 * minor + patch. */
#define LEAT_VERSION (10000 * LEAT_VERSION_MAJOR + 100 * LEAT_VERSION_MINOR + LEAT_VERSION_PATCH)

/* Before a class, GCC accepts no GNU attributes next to C++ attributes. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#  define LEAT_ATTRIBUTE(name) [[gnu::name]]
#else
#  define LEAT_ATTRIBUTE(name) __attribute__((name))
#endif

#if defined(LEAT_STATIC)
#  define LEAT_API
#elif defined(_WIN32) && defined(LEAT_BUILDING)
#  define LEAT_API LEAT_ATTRIBUTE(dllexport)
#elif defined(_WIN32)
#  define LEAT_API LEAT_ATTRIBUTE(dllimport)
#else
#  define LEAT_API LEAT_ATTRIBUTE(visibility("default"))
#endif

/* A deleted function with a reason. Compilers before C++26 show the source line instead. */
#if defined(__cpp_deleted_function) && __cplusplus > 202302L
#  define LEAT_DELETED(why) = delete (why)
#else
#  define LEAT_DELETED(why) = delete
#endif

/* MinGW's printf differs from C's and leat's. With this macro GCC checks formats by C's rules. */
#if defined(_WIN32) && !defined(__clang__)
#  define LEAT_FORMAT_KIND(kind) __gnu_##kind##__
#else
#  define LEAT_FORMAT_KIND(kind) __##kind##__
#endif

#endif
