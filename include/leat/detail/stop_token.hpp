// A stop token in a header that does not include <stop_token>.
#pragma once

#include <leat/config.h>
#include <leat/detail/declared.hpp>

namespace leat {
inline namespace v0 {
namespace detail {

/// A std::stop_token, and nothing else. Converts from and to it.
class LEAT_API kept_stop_token {
 public:
  kept_stop_token() noexcept;
  kept_stop_token(const std::stop_token& token) noexcept;
  kept_stop_token(const kept_stop_token& other) noexcept;
  kept_stop_token& operator=(const kept_stop_token& other) noexcept;
  ~kept_stop_token();

  operator std::stop_token() const noexcept;

 private:
  alignas(void*) unsigned char token_[sizeof(void*)];
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
