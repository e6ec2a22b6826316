// leat::finder, a class for programs: a needle with the state of its search.
#include "search/needle.hpp"

#include <leat/finder.hpp>

#include <string>
#include <utility>

namespace leat {
inline namespace v0 {

struct finder::state {
  explicit state(std::string_view needle) : text(needle), core(text) {}
  state(const state& other) : text(other.text), core(other.core) { core.relocate(text.data()); }
  state& operator=(const state&) = delete;

  std::string text;
  search::needle core;
};

finder::finder(std::string_view needle) : state_(new state(needle)) {}
finder::finder(const finder& other)
    : state_(other.state_ != nullptr ? new state(*other.state_) : nullptr) {}
finder::finder(finder&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
finder& finder::operator=(const finder& other) { return *this = finder(other); }
finder& finder::operator=(finder&& other) noexcept {
  delete std::exchange(state_, std::exchange(other.state_, nullptr));
  return *this;
}
finder::~finder() { delete state_; }

std::string_view finder::needle() const noexcept {
  return state_ ? std::string_view(state_->text) : std::string_view();
}

std::size_t finder::find_in(std::string_view text, std::size_t from) noexcept {
  return finder_access::needle(*this).find(text, from);
}

search::needle& finder_access::needle(finder& f) noexcept {
  // The search keeps no state for the empty needle, so all threads can share this object.
  static constinit search::needle empty;
  return f.state_ ? f.state_->core : empty;
}

}  // namespace v0
}  // namespace leat
