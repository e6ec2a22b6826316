#include "codecs/incident.hpp"

#include <array>
#include <mutex>
#include <utility>

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

struct kept {
  unsigned serial = 0;
  finding what;
  std::string text;
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

// A code's value is a serial number and, in the lower bits, its fault.
constexpr unsigned fault_bits = 4;
constexpr unsigned fault_mask = (1U << fault_bits) - 1;
constexpr unsigned serial_mask = (1U << (30 - fault_bits)) - 1;

fault fault_in(int code) noexcept {
  return static_cast<fault>(static_cast<unsigned>(code) & fault_mask);
}

const char* words_of_condition(fault what) noexcept {
  switch (what) {
    case fault::damaged:
      return "The compressed data is damaged";
    case fault::truncated:
      return "The compressed data is truncated";
    case fault::wrong_checksum:
      return "The checksum of the compressed data is wrong";
    case fault::trailing_bytes:
      return "Something else follows the compressed data";
    case fault::too_long:
      return "The decoded data is longer than allowed";
    case fault::unsupported:
      return "The compressed data needs what this component does not have";
    case fault::other_format:
      return "The file is not compressed in this format";
  }
  return "Unknown fault";
}

std::errc like(fault what) noexcept {
  if (what == fault::too_long) return std::errc::file_too_large;
  if (what == fault::unsupported) return std::errc::operation_not_supported;
  return std::errc::bad_message;
}

/// Of the conditions.
class condition_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat.codecs"; }
  std::string message(int code) const override {
    return words_of_condition(static_cast<fault>(code));
  }
};

/// Of the codes.
class incident_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat.codecs"; }
  std::string message(int code) const override {
    auto& here = incidents();
    const unsigned serial = static_cast<unsigned>(code) >> fault_bits;
    const std::scoped_lock lock(here.lock);
    const kept& one = here.last[serial % here.last.size()];
    return one.serial == serial && serial != 0 ? one.text : words_of_condition(fault_in(code));
  }
  std::error_condition default_error_condition(int code) const noexcept override {
    return std::make_error_condition(like(fault_in(code)));
  }
  bool equivalent(int code, const std::error_condition& what) const noexcept override {
    return what == default_error_condition(code) || what == make_error_condition(fault_in(code));
  }
};

/// Never destroyed, either.
template <class T>
union kept_for_ever {
  T value;
  constexpr kept_for_ever() noexcept : value() {}
  constexpr ~kept_for_ever() {}
};

const incident_category& category() {
  static const incident_category& one = *new incident_category;
  return one;
}

}  // namespace

const std::error_category& fault_category() noexcept {
  static constinit const kept_for_ever<condition_category> one;
  return one.value;
}

std::error_code incident(finding what, std::string text) {
  auto& here = incidents();
  const std::scoped_lock lock(here.lock);
  here.serial = here.serial % serial_mask + 1;
  here.last[here.serial % here.last.size()] = {here.serial, what, std::move(text)};
  return {static_cast<int>(here.serial << fault_bits | static_cast<unsigned>(what.what)),
          category()};
}

finding finding_of(const std::error_code& ec) {
  if (ec.category() != category()) return {};
  auto& here = incidents();
  const unsigned serial = static_cast<unsigned>(ec.value()) >> fault_bits;
  const std::scoped_lock lock(here.lock);
  const kept& one = here.last[serial % here.last.size()];
  return one.serial == serial ? one.what : finding{fault_in(ec.value()), 0};
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
