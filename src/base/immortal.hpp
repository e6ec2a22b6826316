// Static objects that are never destroyed, because streams may use these objects until the process
// ends. For example, standard.cpp has the sinks of the standard streams in such objects.
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
