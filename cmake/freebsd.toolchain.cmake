# FreeBSD on x86-64. Nothing runs here: there is no such machine.
set(CMAKE_SYSTEM_NAME FreeBSD)
set(CMAKE_SYSTEM_PROCESSOR amd64)
set(leat_zig_target x86_64-freebsd)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
