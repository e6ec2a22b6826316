// The two error categories named "leat.codecs", and the table of recent errors. The devices of this
// component use the categories and the table.
#include "codecs/errors.hpp"

#include <utility>

#include "component/recent_errors.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

/// The recent errors. The kind of an error is a `fault`.
using error_table = component::recent_errors<finding, 4>;

/// The table is never destroyed, because a program may request the message of a code at exit.
error_table& errors() {
  static error_table& table = *new error_table;
  return table;
}

fault fault_in(int code) noexcept { return static_cast<fault>(error_table::kind_in(code)); }

/// Returns a message such as "The gzip data is damaged".
std::string message_for(fault kind, const char* format) {
  const std::string data = std::string("The ") + format + " data ";
  switch (kind) {
    case fault::none:
      return std::string("An option does not fit the ") + format + " format";
    case fault::damaged:
      return data + "is damaged";
    case fault::truncated:
      return data + "is truncated";
    case fault::wrong_checksum:
      return data + "has a wrong checksum";
    case fault::trailing_bytes:
      return data + "is followed by other bytes";
    case fault::too_long:
      return data + "is longer than allowed";
    case fault::unsupported:
      return data + "uses an unsupported feature";
    case fault::other_format:
      return data + "does not begin with a header";
  }
  return data + "can't be decoded";
}

std::errc errc_for(fault kind) noexcept {
  if (kind == fault::none) return std::errc::invalid_argument;
  if (kind == fault::too_long) return std::errc::file_too_large;
  if (kind == fault::unsupported) return std::errc::operation_not_supported;
  return std::errc::bad_message;
}

/// Category of the conditions.
class condition_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat.codecs"; }
  std::string message(int code) const override {
    return message_for(static_cast<fault>(code), "compressed");
  }
};

/// Category of the codes.
class code_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat.codecs"; }
  std::string message(int code) const override {
    return errors().text_of(code, message_for(fault_in(code), "compressed"));
  }
  std::error_condition default_error_condition(int code) const noexcept override {
    return std::make_error_condition(errc_for(fault_in(code)));
  }
  bool equivalent(int code, const std::error_condition& condition) const noexcept override {
    return condition == default_error_condition(code) ||
           condition == make_error_condition(fault_in(code));
  }
};

/// The object is never destroyed, because a program may request a message at exit.
template <class T>
union immortal {
  T value;
  constexpr immortal() noexcept : value() {}
  constexpr ~immortal() {}
};

const code_category& category() {
  static const code_category& instance = *new code_category;
  return instance;
}

}  // namespace

const std::error_category& fault_category() noexcept {
  static constinit const immortal<condition_category> instance;
  return instance.value;
}

std::error_code make_error(finding found, const std::string& text) {
  return {errors().keep(static_cast<unsigned>(found.what), text, found), category()};
}

std::error_code make_error_at(fault kind, const char* format, std::uint64_t at, const char* why) {
  std::string text = message_for(kind, format);
  if (why != nullptr) text += std::string(" (") + why + ')';
  return make_error({kind, at}, text + ", at byte " + std::to_string(at) + " of the file");
}

finding finding_of(const std::error_code& ec) {
  if (ec.category() != category()) return {};
  return errors().detail_of(ec.value(), {fault_in(ec.value()), 0});
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
