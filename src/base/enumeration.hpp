// Enumerations of leat.h.
#pragma once

#include <cstring>
#include <type_traits>

namespace leat {
inline namespace v0 {

/// In C an enumeration may have the value of any int, which C++ must not read as an enumeration.
template <class From>
std::make_unsigned_t<std::underlying_type_t<From>> number_of(const From& value) noexcept {
  std::make_unsigned_t<std::underlying_type_t<From>> number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace v0
}  // namespace leat
