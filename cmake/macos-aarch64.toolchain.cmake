# macOS on Apple silicon. Programs are only built: they can't run on this machine.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(leat_zig_target aarch64-macos)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_INSTALL_NAME_TOOL /bin/false) # CMake requires one; only an installation uses it
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
