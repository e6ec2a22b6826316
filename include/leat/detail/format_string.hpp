// The names of format strings, for headers that only declare functions with format strings, such as
// writer.hpp.
#pragma once

#include <type_traits>

namespace leat {
inline namespace v0 {

struct runtime_format;
template <class... Args>
class basic_format_string;

/// A format string for arguments of these types, made from a literal and checked at compile
/// time.
template <class... Args>
using format_string = basic_format_string<std::remove_cvref_t<std::type_identity_t<Args>>...>;

}  // namespace v0
}  // namespace leat
