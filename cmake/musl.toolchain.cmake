# The toolchain of the preset `musl`: zig compiles for x86-64 Linux with musl. Programs are linked statically.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(leat_zig_target x86_64-linux-musl)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
