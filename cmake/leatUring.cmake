# Makes the target leat::uring if liburing is found. CMakeLists.txt includes this file. If leat is static and uses
# io_uring, the installed leatConfig.cmake includes this file too. The file does not use pkg-config, so that programs
# that link leat do not need pkg-config.
if(TARGET leat::uring)
  return()
endif()

find_path(LEAT_URING_INCLUDE_DIR liburing.h)
find_library(LEAT_URING_LIBRARY uring)
mark_as_advanced(LEAT_URING_INCLUDE_DIR LEAT_URING_LIBRARY)
if(LEAT_URING_INCLUDE_DIR AND LEAT_URING_LIBRARY)
  add_library(leat::uring UNKNOWN IMPORTED GLOBAL)
  set_target_properties(
    leat::uring PROPERTIES IMPORTED_LOCATION "${LEAT_URING_LIBRARY}"
                           INTERFACE_INCLUDE_DIRECTORIES "${LEAT_URING_INCLUDE_DIR}")
endif()
