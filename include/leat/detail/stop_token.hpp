// A stop token without <stop_token>, which includes threads and streams. follow.hpp has such a
// token as an option. A program that has a stop token has included <stop_token>.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__)
// NOLINTBEGIN(bugprone-std-namespace-modification): declares the class as <stop_token> does
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
class stop_token;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
// NOLINTEND(bugprone-std-namespace-modification)
#else
#  include <stop_token>
#endif

namespace leat {
inline namespace v0 {
namespace detail {

/// Holds a std::stop_token, and converts from and to this type.
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
