// Compiles a format at run time as a constant is compiled, and runs its steps.
#pragma once

#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "format/outcome.hpp"

namespace leat::test {

/// The values of a call, and its format in steps.
template <std::size_t Count>
class compiled_call {
 public:
  template <class... Args>
  explicit compiled_call(std::string_view format, const Args&... args)
      : format_(format), compiled_(format, kinds_of<Args...>, Count, steps_) {
    const std::uint64_t* step = steps_;
    std::size_t index = 0;
    ((values_[index] = detail::make_any_value(*step++, args),
      kinds_.set(index, static_cast<std::size_t>(kinds_of<Args...>[index])), ++index),
     ...);
  }

  bool is_interpreted() const { return compiled_.way == detail::format_way::interpreted; }
  std::string format() const {
    if (compiled_.way == detail::format_way::in_order)
      return detail::format_steps(format_.data(), compiled_.plan, values_);
    return detail::format_otherwise(format_, compiled_.plan, other(), Count);
  }
  void print(writer& to) const {
    if (compiled_.way == detail::format_way::in_order)
      detail::print_steps(to, format_.data(), compiled_.plan, values_);
    else
      detail::print_otherwise(to, format_, compiled_.plan, other(), Count);
  }

 private:
  template <class... Args>
  static constexpr detail::arg_kind kinds_of[] = {detail::kind_of<Args>()...,
                                                  detail::arg_kind::custom};

  detail::other_call other() const { return {values_, kinds_, compiled_.order, steps_[Count]}; }

  std::string_view format_;
  std::uint64_t steps_[Count + 1]{};
  detail::compiled_steps compiled_;
  detail::any_value values_[Count + 1];
  detail::packed_kinds kinds_;
};

/// Formats by steps: with format(), and with print() into memory that is `room` bytes larger than
/// the text. Returns the text. If print() writes another text, returns this other text after
/// "print: ". If the format is interpreted, returns std::nullopt.
template <class... Args>
std::optional<outcome> by_steps(std::string_view format, std::size_t room,
                                const Args&... args) try {
  const compiled_call<sizeof...(Args)> call(format, args...);
  if (call.is_interpreted()) return std::nullopt;
  const std::string text = call.format();
  std::string area(text.size() + room, '#');
  memory_writer to{std::span(area)};
  call.print(to);
  if (to.view() != text) return outcome{"print: " + std::string(to.view()), false, {}};
  return outcome{text, false, {}};
} catch (const format_error& error) {
  return outcome{{}, true, error.what()};
}

}  // namespace leat::test
