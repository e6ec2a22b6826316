// kept_stop_token: keeps a std::stop_token in raw memory. The options of leat::follow contain a
// kept_stop_token.
#include <leat/detail/stop_token.hpp>

#include <new>
#include <stop_token>

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

std::stop_token& token_in(unsigned char* memory) noexcept {
  return *std::launder(reinterpret_cast<std::stop_token*>(memory));
}
const std::stop_token& token_in(const unsigned char* memory) noexcept {
  return *std::launder(reinterpret_cast<const std::stop_token*>(memory));
}

}  // namespace

kept_stop_token::kept_stop_token() noexcept : kept_stop_token(std::stop_token()) {}
kept_stop_token::kept_stop_token(const std::stop_token& token) noexcept {
  static_assert(sizeof token == sizeof token_ && alignof(std::stop_token) == alignof(void*));
  ::new (static_cast<void*>(token_)) std::stop_token(token);
}
kept_stop_token::kept_stop_token(const kept_stop_token& other) noexcept
    : kept_stop_token(token_in(other.token_)) {}
kept_stop_token& kept_stop_token::operator=(const kept_stop_token& other) noexcept {
  if (this != &other) token_in(token_) = token_in(other.token_);
  return *this;
}
kept_stop_token::~kept_stop_token() { token_in(token_).~stop_token(); }

kept_stop_token::operator std::stop_token() const noexcept { return token_in(token_); }

}  // namespace detail
}  // namespace v0
}  // namespace leat
