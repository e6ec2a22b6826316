// The file locks of leat.h, over the file locks of C++.
#include <leat/c/files.h>
#include <leat/lock.hpp>

#include "c/errors.hpp"
#include "c/options.hpp"

struct leat_lock {
  leat::file_lock held;
};

namespace leat {
inline namespace v0 {
namespace c {

namespace {

leat_lock* lock(int descriptor, const leat_lock_mode& mode, bool wait) {
  return result_or(static_cast<leat_lock*>(nullptr), [&]() -> leat_lock* {
    const lock_mode kind = to_enumerator(mode, lock_mode::exclusive);
    const native_handle_type file = handle_of_descriptor(descriptor);
    if (file == no_handle) return fail_with(EBADF, static_cast<leat_lock*>(nullptr));
    file_lock held = wait ? file_lock(file, kind) : file_lock(file, kind, std::try_to_lock);
    if (!held) return fail_with(EWOULDBLOCK, static_cast<leat_lock*>(nullptr));
    return new leat_lock{std::move(held)};
  });
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_lock* leat_lock_descriptor(int descriptor, enum leat_lock_mode mode) {
  return lock(descriptor, mode, true);
}

leat_lock* leat_try_lock_descriptor(int descriptor, enum leat_lock_mode mode) {
  return lock(descriptor, mode, false);
}

int leat_unlock(leat_lock* lock) {
  if (lock == nullptr) return 0;
  const int result = status_of([&] { lock->held.unlock(); });
  delete lock;
  return result;
}
