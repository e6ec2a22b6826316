# The toolchain of the preset `macos-aarch64`: zig compiles for macOS on Apple silicon. Programs are only built, because
# programs for macOS can't run on the machine that builds them.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(leat_zig_target aarch64-macos)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_INSTALL_NAME_TOOL /bin/false) # CMake requires this tool, but only an installation would use it
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
