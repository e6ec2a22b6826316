#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {

synchronized::synchronized(writer& target) : writer(*new synchronized_sink(target)) {}

synchronized::synchronized(std::unique_ptr<owner> target) : synchronized(target->target()) {
  owner_ = std::move(target);
}

synchronized::~synchronized() { dispose(); }

}  // namespace v0
}  // namespace leat
