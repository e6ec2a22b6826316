// Reads options that C programs pass: enumerators and reserved members. The C functions that take
// options call these functions.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// Returns the number of an enumerator. In C an object of an enumeration may have any value of its
/// integer type. In C++ reading such a value as an enumeration is undefined.
template <class From>
std::make_unsigned_t<std::underlying_type_t<From>> enumerator_value(const From& value) noexcept {
  std::make_unsigned_t<std::underlying_type_t<From>> number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

/// True if the program has set a reserved member: an option that this version does not know.
template <class Options>
bool has_unknown_option(const Options& asked) noexcept {
  return std::ranges::any_of(asked.reserved,
                             [](auto member) { return member != decltype(member){}; });
}

}  // namespace v0
}  // namespace leat
