# LEAT_FORMAT: the library that formats the types that leat does not format itself. CMakeLists.txt includes this file.
# Sets leat_format to fmt, std or none, and makes the header that records the choice. So all programs that link this leat
# use the same choice.
set(LEAT_FORMAT auto CACHE STRING
                           "Formatter of types that leat does not format: fmt, std (std::format), none; auto: the first that works")
set_property(CACHE LEAT_FORMAT PROPERTY STRINGS auto fmt std none)
if(NOT LEAT_FORMAT MATCHES "^(auto|fmt|std|none)$")
  message(FATAL_ERROR "LEAT_FORMAT is '${LEAT_FORMAT}', but must be auto, fmt, std or none")
endif()

set(leat_format "${LEAT_FORMAT}")
# A project that includes leat may have its own {fmt}.
if(leat_format MATCHES "^(auto|fmt)$" AND NOT TARGET fmt::fmt)
  find_package(fmt 9.1 QUIET)
endif()
if(leat_format STREQUAL "auto" AND TARGET fmt::fmt)
  set(leat_format fmt)
elseif(leat_format STREQUAL "fmt" AND NOT TARGET fmt::fmt)
  find_package(fmt 9.1 REQUIRED)
endif()

if(leat_format MATCHES "^(auto|std)$")
  include(CMakePushCheckState)
  cmake_push_check_state(RESET)
  string(APPEND CMAKE_REQUIRED_FLAGS " ${CMAKE_CXX20_STANDARD_COMPILE_OPTION}")
  check_cxx_source_compiles(
    "#include <chrono>
     #include <format>
     int main() {
       const std::chrono::sys_seconds time{};
       return static_cast<int>(std::vformat(\"{:%F}\", std::make_format_args(time)).size()) - 10;
     }"
    LEAT_HAS_STD_FORMAT)
  cmake_pop_check_state()
  if(LEAT_HAS_STD_FORMAT)
    set(leat_format std)
  elseif(leat_format STREQUAL "std")
    message(FATAL_ERROR "LEAT_FORMAT is std, but this standard library has no std::format for times "
                        "(GCC has it since 13, libc++ since 19)")
  else()
    set(leat_format none)
  endif()
endif()
if(LEAT_FORMAT STREQUAL "auto" AND NOT leat_format STREQUAL "fmt")
  message(STATUS "leat is built without {fmt} 9.1, which is not found (Debian: libfmt-dev): LEAT_FORMAT=${leat_format}")
endif()

if(leat_format STREQUAL "fmt")
  include("${CMAKE_CURRENT_LIST_DIR}/leatFmt.cmake")
endif()

# leat_write_format_choice(CHOICE FOLDER): writes FOLDER/leat/detail/format_choice.h. CHOICE is fmt, std or none.
# tests/CMakeLists.txt also calls this function.
function(leat_write_format_choice choice folder)
  set(leat_format_fmt 0)
  set(leat_format_std 0)
  set(leat_format_${choice} 1)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/format_choice.h.in"
                 "${folder}/leat/detail/format_choice.h" @ONLY)
endfunction()
set(leat_generated_include "${PROJECT_BINARY_DIR}/include")
leat_write_format_choice(${leat_format} "${leat_generated_include}")
