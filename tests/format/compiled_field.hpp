// Calls the functions that write the fields of compiled format strings, with exactly the room that
// the format string requests.
#pragma once

#include <gtest/gtest.h>
#include <leat/print.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace leat::test {

/// Memory of an exact size between guard bytes.
class guarded_bytes {
 public:
  explicit guarded_bytes(std::size_t size) : bytes_(size + 2 * margin, guard) {}
  char* begin() { return bytes_.data() + margin; }
  std::size_t size() const { return bytes_.size() - 2 * margin; }
  bool is_intact() const {
    const std::string_view all(bytes_.data(), bytes_.size());
    const std::string_view untouched(bytes_.data(), margin);
    return untouched.find_first_not_of(guard) == all.npos && all.ends_with(untouched);
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr char guard = '\xA5';
  std::vector<char> bytes_;
};

/// Returns the text of a C string. Returns any other value unchanged.
template <class T>
T value_or_text(T value) {
  return value;
}
inline std::string_view value_or_text(detail::c_text value) { return value.text; }

/// Writes a field as a compiled format string does, into exactly the room that the string requests.
/// Returns the text.
template <class T>
std::string compiled_field(const T& value, const detail::field_spec& spec) {
  const auto widened = value_or_text(detail::value_of(value));
  const bool is_text = std::is_same_v<decltype(widened), const std::string_view>;
  const auto size = detail::max_size(detail::kind_of<T>(), spec) + detail::text_size(widened) +
                    (is_text ? detail::copy_room : 0);
  guarded_bytes memory(static_cast<std::size_t>(size));
  EXPECT_TRUE(detail::format_step::can_hold(spec));
  const char* const end =
      spec.plain ? detail::write_value(memory.begin(), widened)
                 : detail::write_specified<detail::widest<std::remove_const_t<decltype(widened)>>>(
                       memory.begin(), widened, detail::format_step::of(spec));
  EXPECT_TRUE(memory.is_intact()) << "wrote outside of max_size()";
  return {memory.begin(), static_cast<std::size_t>(end - memory.begin())};
}

}  // namespace leat::test
