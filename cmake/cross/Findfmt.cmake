# Finds {fmt} for a target system: the header-only library, from the headers of the build machine.
include("${CMAKE_CURRENT_LIST_DIR}/host_headers.cmake")
find_file(LEAT_HOST_fmt fmt/core.h PATHS /usr/local/include /usr/include NO_DEFAULT_PATH
          NO_CMAKE_FIND_ROOT_PATH)
if(LEAT_HOST_fmt)
  file(STRINGS "${LEAT_HOST_fmt}" fmt_VERSION REGEX "define FMT_VERSION ")
  string(REGEX REPLACE ".* ([0-9]+)([0-9][0-9])([0-9][0-9])$" "\\1.\\2.\\3" fmt_VERSION
                       "${fmt_VERSION}")
endif()
leat_host_headers(fmt fmt::fmt-header-only fmt/core.h VERSION_VAR fmt_VERSION)

if(fmt_FOUND AND NOT TARGET fmt::fmt)
  # FMT_USE_FCNTL=0 leaves out {fmt}'s classes for files: some of their functions are not in the headers.
  target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY FMT_USE_FCNTL=0)
  add_library(fmt::fmt ALIAS fmt::fmt-header-only)
  set(leat_fmt_target fmt::fmt-header-only) # for leatFmt.cmake
endif()
