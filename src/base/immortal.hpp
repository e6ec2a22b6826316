// Static objects that streams may need until the very end of the process.
#pragma once

namespace leat {
inline namespace v0 {

/// Holds an object that is never destroyed.
template <class T>
union immortal {
  template <class... Args>
  constexpr explicit immortal(Args... args) noexcept : value(args...) {}
  constexpr ~immortal() {}
  T value;
};

}  // namespace v0
}  // namespace leat
