# Makes the target leat::uring: liburing, where it is found. Without pkg-config, so that whoever links
# a static leat, which needs it too, needs nothing else.
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
