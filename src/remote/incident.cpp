#include "remote/incident.hpp"

#include <array>
#include <mutex>
#include <utility>

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct kept {
  unsigned serial = 0;
  std::string text;
  answer of;
};

struct memory {
  std::mutex lock;
  std::array<kept, 256> last;
  unsigned serial = 0;
};

/// Never destroyed: codes may be asked for their messages at exit.
memory& incidents() {
  static memory& here = *new memory;
  return here;
}

// A code's value is a serial number and, in the lower bits, its condition.
constexpr unsigned condition_bits = 9;
constexpr unsigned condition_mask = (1U << condition_bits) - 1;
constexpr unsigned serial_mask = (1U << (30 - condition_bits)) - 1;

class remote_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat.remote"; }
  std::string message(int code) const override {
    auto& here = incidents();
    const unsigned serial = static_cast<unsigned>(code) >> condition_bits;
    const std::scoped_lock lock(here.lock);
    const kept& one = here.last[serial % here.last.size()];
    return one.serial == serial && serial != 0 ? one.text : like(code).message();
  }
  std::error_condition default_error_condition(int code) const noexcept override {
    return like(code);
  }

 private:
  static std::error_condition like(int code) noexcept {
    return {static_cast<int>(static_cast<unsigned>(code) & condition_mask),
            std::generic_category()};
  }
};

const remote_category& category() {
  static const remote_category& one = *new remote_category;
  return one;
}

}  // namespace

std::error_code incident(std::errc like, std::string text, answer of) {
  if (of.status != 0) {
    text += " (HTTP " + std::to_string(of.status);
    if (!of.code.empty()) text += ", " + of.code;
    if (!of.request_id.empty()) text += ", request " + of.request_id;
    text += ')';
  }
  auto& here = incidents();
  const std::scoped_lock lock(here.lock);
  here.serial = here.serial % serial_mask + 1;
  here.last[here.serial % here.last.size()] = {here.serial, std::move(text), std::move(of)};
  return {static_cast<int>(here.serial << condition_bits |
                           (static_cast<unsigned>(like) & condition_mask)),
          category()};
}

answer answer_of(const std::error_code& ec) {
  if (ec.category() != category()) return {};
  auto& here = incidents();
  const unsigned serial = static_cast<unsigned>(ec.value()) >> condition_bits;
  const std::scoped_lock lock(here.lock);
  const kept& one = here.last[serial % here.last.size()];
  return one.serial == serial ? one.of : answer{};
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
