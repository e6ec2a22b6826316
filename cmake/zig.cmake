# Sets zig's Clang as the compiler. The toolchain files of musl and macOS include this file. zig contains the headers
# and libraries of its targets. scripts/setup installs zig. Set CMAKE_SYSTEM_NAME and leat_zig_target before including
# this file.
set(leat_zig "${CMAKE_CURRENT_LIST_DIR}/../build/ziglang")
foreach(tool IN ITEMS cc c++ ar ranlib)
  if(NOT EXISTS "${leat_zig}/bin/zig-${tool}")
    file(WRITE "${leat_zig}/bin/zig-${tool}"
         "#!/bin/sh\nexec '${leat_zig}/bin/python3' -m ziglang ${tool} \"$@\"\n")
    file(CHMOD "${leat_zig}/bin/zig-${tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER "${leat_zig}/bin/zig-cc")
set(CMAKE_CXX_COMPILER "${leat_zig}/bin/zig-c++")
set(CMAKE_C_COMPILER_TARGET ${leat_zig_target})
set(CMAKE_CXX_COMPILER_TARGET ${leat_zig_target})
set(CMAKE_AR "${leat_zig}/bin/zig-ar")
set(CMAKE_RANLIB "${leat_zig}/bin/zig-ranlib")
set(LEAT_CCACHE OFF CACHE STRING "zig has a cache of its own")
# Only packages in cmake/cross are found.
set(CMAKE_FIND_ROOT_PATH "${leat_zig}/nothing")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/cross")
