#include "stream/shared_sink.hpp"

#include <memory>

namespace leat {
inline namespace v0 {

namespace {

/// Shares a writer that the program owns.
class synchronized_sink final : public shared_sink {
 public:
  explicit synchronized_sink(writer& target) noexcept : target_(&target) { enlist(); }
  void dispose(writer&) noexcept override {
    delist();
    delete this;
  }

 private:
  writer& target() const noexcept override { return *target_; }

  writer* target_;
};

}  // namespace

synchronized::synchronized(writer& target) : shared_writer(*new synchronized_sink(target)) {}

synchronized::synchronized(owner& target) try : synchronized(target.target()) {
  owner_ = &target;
} catch (...) {
  delete &target;
}

synchronized::~synchronized() {
  dispose();
  delete owner_;
}

}  // namespace v0
}  // namespace leat
