// stdin, stdout and stderr, and their order with leat::out and leat::err.
#include "stdio/standard.hpp"

#include <new>
#include <utility>

#include "base/immortal.hpp"
#include "base/standard_peers.hpp"
#include "stdio/device_stream.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

struct input_file : leat_file {
  constexpr input_file() : leat_file(true, false) { name = "<standard input>"; }
};
struct output_file : leat_file {
  constexpr output_file(buffering kind, const char* file_name) : leat_file(false, true) {
    name = file_name;
    buffers = kind;
  }
};

constinit immortal<input_file> standard_input_file;
constinit immortal<output_file> standard_output_file(buffering::full, "<standard output>");
constinit immortal<output_file> standard_error_file(buffering::none, "<standard error>");

/// A stream over a standard descriptor, to which leat::out or leat::err may also write.
class standard_stream final : public device_stream {
 public:
  standard_stream(std::unique_ptr<cursor_device> target, bool at_end) noexcept
      : device_stream(std::move(target), at_end) {
    is_standard_ = true;
  }
};

void drain_standard(int descriptor) noexcept {
  leat_file& f = descriptor == 1 ? standard_output_file.value : standard_error_file.value;
  if (f.mark != leat_file::open_mark) return;  // leat::out still works after leat_discard(stdout)
  LEAT_GUARD_FILE(&f);
  if (f.below != nullptr && f.below->pending(f) != 0) flush(f);
}

[[gnu::constructor]] void add_standard_files() noexcept {
  add_standard(standard_error_file.value);
  add_standard(standard_output_file.value);
  add_standard(standard_input_file.value);
}

}  // namespace

leat_file& standard_input() noexcept { return standard_input_file.value; }
leat_file& standard_output() noexcept { return standard_output_file.value; }
leat_file& standard_error() noexcept { return standard_error_file.value; }

std::unique_ptr<stream> standard_stream_over(int descriptor, const open_mode& mode) noexcept {
  return stream_over<standard_stream>(open_cursor(descriptor, mode), begins_at_end(mode));
}

stream& open_standard(leat_file& f) noexcept {
  const errno_guard kept;
  const int descriptor = &f == &standard_input_file.value    ? 0
                         : &f == &standard_output_file.value ? 1
                                                             : 2;
  f.below = standard_stream_over(descriptor, {});
  if (f.below == nullptr) abort_without_memory();
  if (f.writable) {
    standard_peers::c.store(drain_standard, std::memory_order_release);
    standard_peers::drain(standard_peers::leat, descriptor);
  }
  if (f.buffers == buffering::full && f.below->is_terminal()) f.buffers = buffering::line;
  return *f.below;
}

void flush_standard_output() noexcept {
  leat_file& f = standard_output_file.value;
  if (f.below == nullptr || f.buffers == buffering::full) return;
  // This function does not wait: a thread that holds the lock is usually writing, perhaps for a
  // long time.
  if (!f.lock.try_lock()) return;
  flush(f);
  f.lock.unlock();
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat

constinit leat_file* leat_stdio_stdin = &leat::stdio::standard_input_file.value;
constinit leat_file* leat_stdio_stdout = &leat::stdio::standard_output_file.value;
constinit leat_file* leat_stdio_stderr = &leat::stdio::standard_error_file.value;

leat_file* leat_stdin(void) { return &leat::stdio::standard_input_file.value; }
leat_file* leat_stdout(void) { return &leat::stdio::standard_output_file.value; }
leat_file* leat_stderr(void) { return &leat::stdio::standard_error_file.value; }
