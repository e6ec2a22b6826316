# Fills in leat.pc, and leat-c.pc for C programs, which do not see {fmt}.

# A relative directory hangs below the prefix, which pkg-config derives from where the file itself
# lies: the installed tree can be moved, and `cmake --install --prefix` needs no new configure run.
# With an absolute library directory the file's place says nothing about the prefix.
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

# What the C++ compiler adds to a link and the C compiler does not: the standard library, whichever
# it is, and what it needs.
set(leat_pc_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM leat_pc_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(FILTER leat_pc_runtime INCLUDE REGEX "^[a-z+]+$")
list(REMOVE_DUPLICATES leat_pc_runtime)
list(TRANSFORM leat_pc_runtime PREPEND "-l")
if(NOT WIN32)
  # Where the C library has threads inside it does no harm.
  list(APPEND leat_pc_runtime -pthread)
endif()
list(JOIN leat_pc_runtime " " leat_pc_runtime)

# A C program is linked by the C compiler, and nobody who links the only library there is says
# --static. So a static leat names the C++ runtime openly; a shared one brings it along by itself.
get_target_property(leat_pc_type leat TYPE)
if(leat_pc_type STREQUAL "STATIC_LIBRARY")
  set(leat_pc_libs " ${leat_pc_runtime}")
  set(leat_pc_libs_private "")
  set(leat_pc_cflags " -DLEAT_STATIC")
else()
  set(leat_pc_libs "")
  set(leat_pc_libs_private " ${leat_pc_runtime}")
  set(leat_pc_cflags "")
endif()

# The same goes for liburing, in the form that its own file names.
set(leat_pc_requires "fmt >= 9.1")
set(leat_pc_c_requires "")
if(leat_needs_uring)
  string(APPEND leat_pc_requires ", liburing")
  set(leat_pc_c_requires "liburing")
endif()

set(leat_pc_c_flags "${leat_pc_cflags}")
# pkg-config cannot ask the user's compiler, so it repeats what leat was built with.
if(leat_fmt_target STREQUAL "fmt::fmt-header-only")
  string(APPEND leat_pc_cflags " -DFMT_HEADER_ONLY")
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/leat.pc.in" leat.pc @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/leat-c.pc.in" leat-c.pc @ONLY)
