# CLI11 for another system than this one: this machine's headers, as with {fmt}.
find_file(LEAT_HOST_CLI11 CLI/CLI.hpp PATHS /usr/local/include /usr/include NO_DEFAULT_PATH
          NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(LEAT_HOST_CLI11)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CLI11 REQUIRED_VARS LEAT_HOST_CLI11)

if(CLI11_FOUND AND NOT TARGET CLI11::CLI11)
  cmake_path(GET LEAT_HOST_CLI11 PARENT_PATH CLI11_folder)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/headers/CLI11")
  file(CREATE_LINK "${CLI11_folder}" "${CMAKE_BINARY_DIR}/headers/CLI11/CLI" SYMBOLIC)
  add_library(CLI11::CLI11 INTERFACE IMPORTED GLOBAL)
  target_include_directories(CLI11::CLI11 INTERFACE "${CMAKE_BINARY_DIR}/headers/CLI11")
endif()
