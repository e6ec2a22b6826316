// A function that is there in several ways, of which the processor decides.
#pragma once

#include <atomic>
#include <span>

namespace leat {
inline namespace v0 {

/// Calls the first of Ways(): a function that returns those that this processor runs, the fastest
/// first. It is asked at the first call only. If several threads come first, they all choose alike.
template <auto Ways>
class best_way;

template <class Result, class... Args, bool NoThrow,
          std::span<Result (*const)(Args...) noexcept(NoThrow)> (*Ways)() noexcept>
class best_way<Ways> {
 public:
  [[gnu::always_inline]] static Result call(Args... args) noexcept(NoThrow) {
    return chosen.load(std::memory_order_relaxed)(args...);
  }

 private:
  [[gnu::cold]] static Result choose(Args... args) noexcept(NoThrow) {
    const auto best = Ways().front();
    chosen.store(best, std::memory_order_relaxed);
    return best(args...);
  }

  // Constant-initialised, so that constructors of static objects can print and read, too.
  static inline constinit std::atomic<Result (*)(Args...) noexcept(NoThrow)> chosen{&choose};
};

}  // namespace v0
}  // namespace leat
