#include "stream/shared_sink.hpp"

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

synchronized::synchronized(std::unique_ptr<owner> target) : synchronized(target->target()) {
  owner_ = std::move(target);
}

synchronized::~synchronized() { dispose(); }

}  // namespace v0
}  // namespace leat
