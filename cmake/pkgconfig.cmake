# Makes the files for pkg-config: leat.pc, and leat-c.pc for C programs (without {fmt}). If the components are built,
# makes leat-remote.pc and leat-codecs.pc too. CMakeLists.txt includes this file.

# A relative directory is below the prefix, and pkg-config derives the prefix from the path of the .pc file. So the
# installed tree can be moved, and `cmake --install --prefix` needs no new configuration. With an absolute library
# directory, the prefix can't be derived.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(leat_pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(leat_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH leat_pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" leat_pc_up "${leat_pc_up}")
  set(leat_pc_prefix "\${pcfiledir}/${leat_pc_up}")
  set(leat_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(leat_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(leat_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

# Libraries that the C++ compiler links and the C compiler does not: the standard library and its dependencies.
set(leat_pc_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM leat_pc_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(FILTER leat_pc_runtime INCLUDE REGEX "^[a-z+]+$")
list(REMOVE_DUPLICATES leat_pc_runtime)
list(TRANSFORM leat_pc_runtime PREPEND "-l")
if(NOT WIN32)
  # If the C library contains the thread functions, -pthread has no effect.
  list(APPEND leat_pc_runtime -pthread)
endif()
list(JOIN leat_pc_runtime " " leat_pc_runtime)

# A C program is linked by the C compiler, usually without pkg-config's --static. So leat-c.pc of a static leat lists
# the C++ runtime as a normal library. A shared leat links the runtime itself.
get_target_property(leat_pc_type leat TYPE)
if(leat_pc_type STREQUAL "STATIC_LIBRARY")
  set(leat_pc_libs " ${leat_pc_runtime}")
  if(UNIX AND NOT APPLE)
    string(PREPEND leat_pc_libs " -Wl,--exclude-libs,libleat.a")  # as in CMakeLists.txt
  endif()
  set(leat_pc_libs_private "")
  set(leat_pc_cflags " -DLEAT_STATIC")
else()
  set(leat_pc_libs "")
  set(leat_pc_libs_private " ${leat_pc_runtime}")
  set(leat_pc_cflags "")
endif()

# A static leat that uses io_uring also needs liburing, which has its own .pc file.
set(leat_pc_c_requires "")
if(leat_needs_uring)
  set(leat_pc_c_requires "liburing")
endif()
set(leat_pc_requires ${leat_pc_c_requires})
if(leat_format STREQUAL "fmt")
  list(PREPEND leat_pc_requires "fmt >= 9.1")
endif()
list(JOIN leat_pc_requires ", " leat_pc_requires)

set(leat_pc_c_flags "${leat_pc_cflags}")
# pkg-config can't check the user's compiler, so leat.pc records whether leat was built with {fmt} as headers only.
if(leat_fmt_target STREQUAL "fmt::fmt-header-only")
  string(APPEND leat_pc_cflags " -DFMT_HEADER_ONLY")
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/leat.pc.in" leat.pc @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/leat-c.pc.in" leat-c.pc @ONLY)

# Makes leat-NAME.pc for a component that requires the modules in ARGN. Programs that link a static component must also
# link these modules, so Requires lists the modules: plain --libs leaves out the modules in Requires.private.
function(leat_component_pc name)
  list(JOIN ARGN ", " needs)
  set(leat_pc_requires "leat = ${PROJECT_VERSION}")
  set(leat_pc_requires_private "")
  if(leat_pc_type STREQUAL "STATIC_LIBRARY")
    string(APPEND leat_pc_requires ", ${needs}")
  else()
    set(leat_pc_requires_private "${needs}")
  endif()
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/leat-${name}.pc.in" leat-${name}.pc @ONLY)
endfunction()
if(LEAT_REMOTE)
  leat_component_pc(remote libcurl libcrypto expat)
endif()
if(LEAT_CODECS)
  set(leat_codecs_needs)
  foreach(library IN ITEMS zlib/zlib isal/libisal zstd/libzstd lz4/liblz4 lzma/liblzma)
    cmake_path(GET library PARENT_PATH name)
    if(name IN_LIST leat_codec_libraries)
      cmake_path(GET library FILENAME name)
      list(APPEND leat_codecs_needs ${name})
    endif()
  endforeach()
  leat_component_pc(codecs ${leat_codecs_needs})
endif()
