// The arguments of the printf family: in order, or numbered. Called by format.cpp and
// format_quickly.cpp.
#include "stdio/print_arguments.hpp"

#include <wchar.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

void take_argument(print_arguments& arguments, argument_type type, argument& value) noexcept {
  switch (type) {
    case argument_type::plain_int:
      value.integer = va_arg(arguments.list, int);
      break;
    case argument_type::long_int:
      value.integer = va_arg(arguments.list, long);
      break;
    case argument_type::long_long_int:
      value.integer = va_arg(arguments.list, long long);
      break;
    case argument_type::plain_double:
      value.real = va_arg(arguments.list, double);
      break;
    case argument_type::long_double:
      value.long_real = va_arg(arguments.list, long double);
      break;
    case argument_type::pointer:
      value.pointer = va_arg(arguments.list, const void*);
      break;
    case argument_type::wide_char:
      value.integer = static_cast<std::int64_t>(va_arg(arguments.list, decltype(+wint_t{})));
      break;
    default:
      break;
  }
}

namespace {

/// Calls use(number, type) for each argument in the format. Returns false if an argument has no
/// number, or if a conversion is invalid.
template <class Char, class Use>
bool for_each_numbered(const Char* at, const Use& use) noexcept {
  for (; *at != '\0'; ++at) {
    if (*at != '%') continue;
    ++at;
    print_conversion c;
    if (!read_conversion(at, c)) return false;
    --at;
    const bool has_value = c.type != '%' && c.type != 'm';
    if ((has_value && c.argument == 0) ||
        (c.width == print_conversion::from_arguments && c.width_argument == 0) ||
        (c.precision == print_conversion::from_arguments && c.precision_argument == 0))
      return false;
    if (c.width_argument != 0) use(c.width_argument, argument_type::plain_int);
    if (c.precision_argument != 0) use(c.precision_argument, argument_type::plain_int);
    if (has_value) use(c.argument, c.type_of_value());
  }
  return true;
}

}  // namespace

template <class Char>
bool argument_list::fetch_numbered(const Char* text) noexcept {
  int count = 0;
  const auto raise_count = [&count](int number, argument_type) { count = std::max(count, number); };
  if (!for_each_numbered(text, raise_count) || count > most_numbered) return fail(EINVAL, false);
  values_ = inline_values_;
  if (count > inline_count) {
    allocated_values_.reset(new (std::nothrow) argument[static_cast<std::size_t>(count)]);
    if (allocated_values_ == nullptr) return fail(ENOMEM, false);
    values_ = allocated_values_.get();
  }
  for (int i = 0; i != count; ++i) values_[i].integer = static_cast<int>(argument_type::none);
  for_each_numbered(text, [this](int number, argument_type type) {
    values_[number - 1].integer = static_cast<int>(type);
  });
  // The type of an argument without a conversion is unknown, so the arguments after it can't be
  // reached.
  for (int i = 0; i != count; ++i) {
    const auto type = static_cast<argument_type>(values_[i].integer);
    if (type == argument_type::none) return fail(EINVAL, false);
    take_argument(arguments_, type, values_[i]);
  }
  return true;
}

template bool argument_list::fetch_numbered(const char*) noexcept;
template bool argument_list::fetch_numbered(const wchar_t*) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
