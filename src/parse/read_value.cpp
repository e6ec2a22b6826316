// read_value(): reads numbers from the buffer of a stream, for `>>`.
#include "parse/read_value.hpp"

#include <leat/parse.hpp>

#include <concepts>

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

template <class T>
[[gnu::noinline]] const char* read_slowly(const char* at, const char* end, bool ends,
                                          T& value) noexcept {
  while (at != end && is_blank(*at)) ++at;
  return at == end ? nullptr : take_portable_number(at, end, ends, value);
}

}  // namespace

template <class T>
const char* read_value(const char* at, const char* end, bool ends, T& value) noexcept {
  if constexpr (!std::same_as<T, long double>) {
    const auto [stop, found] = take_first<first_type<T>>(at, end);
    const T narrow = static_cast<T>(found);
    if (stop != nullptr && narrow == found && ends_number<T>(*stop) && is_portable_value(narrow))
        [[likely]] {
      value = narrow;
      return stop;
    }
  }
  return read_slowly(at, end, ends, value);
}
template const char* read_value(const char*, const char*, bool, short&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned short&) noexcept;
template const char* read_value(const char*, const char*, bool, int&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned&) noexcept;
template const char* read_value(const char*, const char*, bool, long&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned long&) noexcept;
template const char* read_value(const char*, const char*, bool, long long&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned long long&) noexcept;
template const char* read_value(const char*, const char*, bool, float&) noexcept;
template const char* read_value(const char*, const char*, bool, double&) noexcept;
template const char* read_value(const char*, const char*, bool, long double&) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
