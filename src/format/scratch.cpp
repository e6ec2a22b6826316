// The scratch memory of each thread. If the buffer of a stream has no room, print uses this memory.
#include "format/scratch.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

struct scratch_memory {
  char bytes[scratch_room];
  bool in_use = false;
};
thread_local scratch_memory scratch_of_thread;

}  // namespace

char* scratch(std::size_t size) noexcept {
  return size <= sizeof scratch_of_thread.bytes && !scratch_of_thread.in_use
             ? scratch_of_thread.bytes
             : nullptr;
}

scratch_in_use::scratch_in_use() noexcept { scratch_of_thread.in_use = true; }
scratch_in_use::~scratch_in_use() { scratch_of_thread.in_use = false; }

}  // namespace detail
}  // namespace v0
}  // namespace leat
