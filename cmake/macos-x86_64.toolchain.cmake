# macOS on an Intel processor. Nothing runs here: there is no such machine.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(leat_zig_target x86_64-macos)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_INSTALL_NAME_TOOL /bin/false) # CMake wants one; only installing uses it
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
