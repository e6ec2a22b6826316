// The error category "leat.remote", and the table of recent errors. The files of src/remote make
// errors of this category by make_error().
#include "remote/errors.hpp"

#include <leat/detail/escaped.hpp>

#include <utility>

#include "component/recent_errors.hpp"
#include "remote/encoding.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

/// The kinds of the codes are conditions (std::errc).
using error_table = component::recent_errors<answer, 9>;

/// The table is never destroyed, because a program may request the message of a code at exit.
error_table& recent_errors() {
  static error_table& table = *new error_table;
  return table;
}

class remote_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat.remote"; }
  std::string message(int code) const override {
    return recent_errors().text_of(code, condition_in(code).message());
  }
  std::error_condition default_error_condition(int code) const noexcept override {
    return condition_in(code);
  }

 private:
  static std::error_condition condition_in(int code) noexcept {
    return {static_cast<int>(error_table::kind_in(code)), std::generic_category()};
  }
};

const remote_category& category() {
  static const remote_category& instance = *new remote_category;
  return instance;
}

}  // namespace

std::error_code make_error(std::errc condition, std::string text, answer response) {
  if (response.status != 0) {
    text += " (HTTP " + std::to_string(response.status);
    constexpr std::size_t longest = 100;
    if (!response.code.empty()) text += ", " + detail::escaped(response.code, longest);
    if (!response.request_id.empty())
      text += ", request " + detail::escaped(response.request_id, longest);
    text += ')';
  }
  return {recent_errors().keep(static_cast<unsigned>(condition), text, std::move(response)),
          category()};
}

answer answer_of(const std::error_code& ec) {
  if (ec.category() != category()) return {};
  return recent_errors().detail_of(ec.value(), {});
}

std::errc condition_of(int status) noexcept {
  switch (status) {
    case 400:
      return std::errc::invalid_argument;
    case 401:
    case 403:
      return std::errc::permission_denied;
    case 404:
    case 410:
      return std::errc::no_such_file_or_directory;
    case 405:
    case 501:
      return std::errc::operation_not_supported;
    case 408:
    case 504:
      return std::errc::timed_out;
    case 409:
    case 429:
    case 503:
      return std::errc::resource_unavailable_try_again;
    case 412:
      return std::errc::file_exists;
    case 413:
      return std::errc::file_too_large;
    case 507:
      return std::errc::no_space_on_device;
    default:
      return std::errc::io_error;
  }
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
