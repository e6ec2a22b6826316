// Static objects that are never destroyed, because streams may use them until the process ends.
#pragma once

namespace leat {
inline namespace v0 {

template <class T>
union immortal {
  template <class... Args>
  constexpr explicit immortal(Args... args) noexcept : value(args...) {}
  constexpr ~immortal() {}
  T value;
};

}  // namespace v0
}  // namespace leat
