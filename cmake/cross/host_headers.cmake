# Finds a header-only library for a target system. FindCLI11.cmake, Findfmt.cmake and Findnlohmann_json.cmake call the
# macro. The headers do not depend on the system, so the build machine's package is used. A separate folder gets a
# symbolic link to the headers, because the headers' own folder also has the build machine's C headers. Sets
# ${package}_FOUND. If the package is found, makes ${target} with the separate folder as the target's include directory.
# Further arguments go to find_package_handle_standard_args().
macro(leat_host_headers package target header)
  find_file(LEAT_HOST_${package} ${header} PATHS /usr/local/include /usr/include NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(LEAT_HOST_${package})
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(${package} REQUIRED_VARS LEAT_HOST_${package} ${ARGN})

  if(${package}_FOUND AND NOT TARGET ${target})
    cmake_path(GET LEAT_HOST_${package} PARENT_PATH leat_host_folder)
    cmake_path(GET leat_host_folder FILENAME leat_host_name)
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/headers/${package}")
    file(CREATE_LINK "${leat_host_folder}"
         "${CMAKE_BINARY_DIR}/headers/${package}/${leat_host_name}" SYMBOLIC)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE "${CMAKE_BINARY_DIR}/headers/${package}")
  endif()
endmacro()
