# Makes the target leat::fmt: {fmt} in a form that this compiler can link. leatFormat.cmake and the installed
# leatConfig.cmake include this file.
#
# Clang and GCC give {fmt} 9's vformat_to different symbol names, because they mangle std::conditional in its
# signature differently. So Clang does not find this function in a libfmt built by GCC, for example Debian's. Then
# {fmt} is used header-only.
#
# Every user of an installed leat needs the form that leat was built with, so leat's package sets leat_fmt_target.
if(TARGET leat::fmt)
  return()
endif()

if(NOT leat_fmt_target)
  set(leat_fmt_target fmt::fmt)
else()
  set(leat_fmt_target_is_set TRUE)
endif()
get_property(leat_fmt_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT leat_fmt_target_is_set AND TARGET fmt::fmt-header-only AND "CXX" IN_LIST leat_fmt_languages)
  get_target_property(leat_fmt_imported fmt::fmt IMPORTED)
  # A {fmt} in the same project needs no check, because the same compiler builds both. The check would also fail,
  # because the library does not exist yet.
  if(leat_fmt_imported)
    include(CheckCXXSourceCompiles)
    include(CMakePushCheckState)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_LIBRARIES fmt::fmt)
    check_cxx_source_compiles(
      "#include <fmt/core.h>
       #include <iterator>
       #include <string>
       int main() {
         std::string text;
         int value = 1;
         fmt::vformat_to(std::back_inserter(text), \"{}\", fmt::make_format_args(value));
         return static_cast<int>(text.size()) - 1;
       }"
      LEAT_FMT_LINKS)
    cmake_pop_check_state()
    if(NOT LEAT_FMT_LINKS)
      set(leat_fmt_target fmt::fmt-header-only)
    endif()
  endif()
endif()

add_library(leat::fmt INTERFACE IMPORTED GLOBAL)
target_link_libraries(leat::fmt INTERFACE ${leat_fmt_target})
