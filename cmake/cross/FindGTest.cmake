# Finds the sources of GoogleTest, for example in Debian's package googletest, and adds targets that build the sources
# for the target system.
find_path(LEAT_HOST_GTEST googlemock/CMakeLists.txt PATHS /usr/local/src/googletest
          /usr/src/googletest NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(LEAT_HOST_GTEST)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GTest REQUIRED_VARS LEAT_HOST_GTEST)

if(GTest_FOUND AND NOT TARGET GTest::gtest)
  set(INSTALL_GTEST OFF)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  add_subdirectory("${LEAT_HOST_GTEST}" "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
  foreach(target IN ITEMS gtest gmock gtest_main gmock_main)
    target_compile_options(${target} PRIVATE -w) # GoogleTest's warnings are not leat's
  endforeach()
endif()
