// CPU dispatch: several implementations behind one function pointer. Functions with vector
// implementations use cpu_dispatch, for example in copy.cpp and integer.cpp.
#pragma once

#include <atomic>
#include <span>

namespace leat {
inline namespace v0 {

/// Calls the fastest implementation. Implementations() returns the implementations that this
/// processor can run, fastest first. The first call of call() calls Implementations(). Concurrent
/// first calls may each call Implementations(), and all choose the same implementation.
template <auto Implementations>
class cpu_dispatch;

template <class Result, class... Args, bool NoThrow,
          std::span<Result (*const)(Args...) noexcept(NoThrow)> (*Implementations)() noexcept>
class cpu_dispatch<Implementations> {
 public:
  [[gnu::always_inline]] static Result call(Args... args) noexcept(NoThrow) {
    return chosen.load(std::memory_order_relaxed)(args...);
  }

 private:
  [[gnu::cold]] static Result choose(Args... args) noexcept(NoThrow) {
    const auto best = Implementations().front();
    chosen.store(best, std::memory_order_relaxed);
    return best(args...);
  }

  // Constant-initialised, so that constructors of static objects can use call().
  static inline constinit std::atomic<Result (*)(Args...) noexcept(NoThrow)> chosen{&choose};
};

}  // namespace v0
}  // namespace leat
