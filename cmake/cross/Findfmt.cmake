# {fmt} for another system than this one. Its headers are the same everywhere, so this machine's
# package will do; they get a folder of their own, as beside them lie this machine's C headers.
find_file(LEAT_HOST_FMT fmt/core.h PATHS /usr/local/include /usr/include NO_DEFAULT_PATH
          NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(LEAT_HOST_FMT)
if(LEAT_HOST_FMT)
  file(STRINGS "${LEAT_HOST_FMT}" fmt_VERSION REGEX "define FMT_VERSION ")
  string(REGEX REPLACE ".* ([0-9]+)([0-9][0-9])([0-9][0-9])$" "\\1.\\2.\\3" fmt_VERSION
                       "${fmt_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(fmt REQUIRED_VARS LEAT_HOST_FMT VERSION_VAR fmt_VERSION)

if(fmt_FOUND AND NOT TARGET fmt::fmt)
  cmake_path(GET LEAT_HOST_FMT PARENT_PATH fmt_folder)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/headers/fmt")
  file(CREATE_LINK "${fmt_folder}" "${CMAKE_BINARY_DIR}/headers/fmt/fmt" SYMBOLIC)
  add_library(fmt::fmt-header-only INTERFACE IMPORTED GLOBAL)
  target_include_directories(fmt::fmt-header-only INTERFACE "${CMAKE_BINARY_DIR}/headers/fmt")
  # Its files are not in its headers.
  target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY FMT_USE_FCNTL=0)
  add_library(fmt::fmt ALIAS fmt::fmt-header-only)
  set(leat_fmt_target fmt::fmt-header-only) # for leatFmt.cmake
endif()
