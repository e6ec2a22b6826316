// Lists the implementations of take_first() (<leat/parse.hpp>), for the CPU dispatch and for tests.
#pragma once

#include <leat/parse.hpp>

#include <span>

namespace leat {
inline namespace v0 {
namespace detail {

template <class Number>
using first_implementation = first_number<Number> (*)(const char* at, const char* end) noexcept;
/// The implementations that this processor supports, the fastest first.
template <class Number>
std::span<const first_implementation<Number>> first_implementations() noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
