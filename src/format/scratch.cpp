// The scratch memory of each thread.
#include "format/scratch.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

struct scratch_memory {
  char bytes[scratch_room];
  bool in_use = false;
};
thread_local scratch_memory the_scratch;

}  // namespace

char* scratch(std::size_t size) noexcept {
  return size <= sizeof the_scratch.bytes && !the_scratch.in_use ? the_scratch.bytes : nullptr;
}

scratch_in_use::scratch_in_use() noexcept { the_scratch.in_use = true; }
scratch_in_use::~scratch_in_use() { the_scratch.in_use = false; }

}  // namespace detail
}  // namespace v0
}  // namespace leat
