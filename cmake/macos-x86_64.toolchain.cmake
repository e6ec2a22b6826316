# The toolchain of the preset `macos-x86_64`: zig compiles the library for macOS on Intel processors.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(leat_zig_target x86_64-macos)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_INSTALL_NAME_TOOL /bin/false) # CMake requires this tool, but only an installation would use it
# Nothing is linked: linking is the same as for ARM, and zig would build its C++ library a second time.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
