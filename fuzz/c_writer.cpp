// Random calls with random options on C's writers to files, memory and devices, compared with a
// string.
#include <leat/leat.h>
#include <leat/file_stream.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>
#include <string_view>

#include "c_text.hpp"
#include "device.hpp"
#include "fuzz.hpp"
#include "writing.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::view_of;

/// The functions of a device over a disk that may fail.
struct disk_device {
  fuzz::disk disk;

  static ssize_t write(void* self, std::uint64_t at, const void* from, std::size_t size) {
    auto& disk = static_cast<disk_device*>(self)->disk;
    std::error_code ec;
    const std::string_view bytes(static_cast<const char*>(from), size);
    const std::size_t n = fuzz::device(disk).write_at(at, {&bytes, 1}, ec);
    if (n != 0 || !ec) return static_cast<ssize_t>(n);
    errno = ec.value();
    return -1;
  }
  static leat_off_t size(void* self) {
    return static_cast<leat_off_t>(static_cast<disk_device*>(self)->disk.content.size());
  }
  static int sync(void* self) {
    std::error_code ec;
    if (!static_cast<disk_device*>(self)->disk.decide_failure(ec)) return 0;
    errno = ec.value();
    return -1;
  }
};

int print(leat_writer* w, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = leat_writer_vprintf(w, format, arguments);
  va_end(arguments);
  return n;
}

class writer_calls {
 public:
  /// `room`: the number of bytes that fit. Further bytes are lost.
  writer_calls(leat_writer* writer, bool can_seek, std::size_t room = std::string::npos)
      : writer_(writer), can_seek_(can_seek), room_(room) {}

  fuzz::model expected;

  void make_call(input& in) {
    switch (in.below(9)) {
      case 0: {
        const char byte = in.flag() ? '\n' : in.integer<char>();
        step("put");
        leat_writer_put(writer_, byte);
        expected.write({&byte, 1});
        break;
      }
      case 1: {
        const int number = in.integer<int>();
        const std::string text = in.text(20).c_str();
        step("printf");
        const int n = in.flag() ? leat_writer_printf(writer_, "%d|%s", number, text.c_str())
                                : print(writer_, "%d|%s", number, text.c_str());
        const std::string wanted = fmt::format("{}|{}", number, text);
        fuzz::expect_equal(n, static_cast<int>(wanted.size()), "leat_writer_printf()");
        expected.write(wanted);
        break;
      }
      case 2: {
        const std::string bytes = in.bytes(in.boundary_size(9000));
        leat_reader* const from = leat_reader_of_memory(bytes.data(), bytes.size());
        step("copy {}", bytes.size());
        const leat_off_t n = leat_copy(from, writer_, nullptr, nullptr);
        expected.write(std::string_view(bytes).substr(0, leat_reader_tell(from)));
        if (n >= 0) fuzz::expect_equal(n, static_cast<leat_off_t>(bytes.size()), "leat_copy()");
        leat_reader_close(from);
        break;
      }
      case 3:
        step("flush");
        note_result(in.rarely(16) ? leat_writer_sync(writer_) : leat_writer_flush(writer_));
        break;
      case 4: {
        if (!can_seek_ || expected.content.size() > room_) break;
        const std::size_t to = in.below(expected.content.size() + 1);
        step("seek {}", to);
        if (leat_writer_seek(writer_, to) != 0) break;
        expected.has_moved |= to != expected.at;
        expected.at = to;
        break;
      }
      case 5: {
        if (!can_seek_ || expected.content.size() > room_) break;
        const std::string bytes = in.text(10);
        const std::size_t to = in.below(expected.content.size() + 1);
        step("patch {} {}", to, bytes.size());
        const int result = leat_writer_patch(writer_, to, bytes.data(), bytes.size());
        expected.has_moved = true;
        if (result != 0) break;
        fuzz::expect(to + bytes.size() <= expected.at,
                     "leat_writer_patch() accepts bytes after the position");
        expected.content.replace(to, bytes.size(), bytes);
        break;
      }
      case 6:
        if (!in.rarely(8)) break;
        step("clear_error");
        leat_writer_clear_error(writer_);
        break;
      default: {
        const std::string bytes = in.bytes(in.boundary_size(70'000));
        step("write {}", bytes.size());
        leat_writer_write(writer_, bytes.data(), bytes.size());
        expected.write(bytes);
      }
    }
  }
  void note_result(int result) { failed |= result != 0; }

  bool failed = false;

 private:
  leat_writer* writer_;
  bool can_seek_;
  std::size_t room_;
};

/// Returns random options that writers to files and writers to devices have.
leat_writer_options options_of(input& in) {
  leat_writer_options options{};
  constexpr std::array flushes{LEAT_FLUSH_FULL, LEAT_FLUSH_LINE, LEAT_FLUSH_CALL};
  constexpr std::array durabilities{LEAT_DURABILITY_NONE, LEAT_DURABILITY_PROCESS,
                                    LEAT_DURABILITY_NONE};
  options.buffer_size = in.flag() ? 0 : in.boundary_size(70'000);
  options.durability = in.one_of(durabilities);
  options.flush = in.one_of(flushes);
  options.flush_interval = in.rarely(8) ? 1 : 0;
  options.background = in.rarely(8);
  options.when_full = LEAT_WHEN_FULL_WAIT;
  options.local_only = in.flag();
  return options;
}

/// Sets options that only a writer to a file has.
void set_file_options(input& in, leat_writer_options& options) {
  options.preallocate = in.rarely(8) ? in.boundary_size() : 0;
  options.permissions = 0600;
  options.readable = in.flag();
}

void write_to_memory(input& in) {
  std::string memory(in.below(300), '#');
  const bool grows = in.flag();
  step("memory of {}", grows ? "any size" : std::to_string(memory.size()));
  leat_writer* const w =
      grows ? leat_writer_of_string() : leat_writer_of_memory(memory.data(), memory.size());
  const std::size_t room = grows ? std::string::npos : memory.size();
  writer_calls calls(w, true, room);
  while (in.has_more()) {
    if (in.rarely(16)) {
      step("clear");
      fuzz::expect_equal(leat_writer_clear(w), 0, "leat_writer_clear()");
      calls.expected = {};
    }
    calls.make_call(in);
    calls.expected.content.resize(std::min(calls.expected.content.size(), room));
    calls.expected.at = std::min(calls.expected.at, room);
    fuzz::expect_text(view_of(leat_writer_view(w)), calls.expected.content, "leat_writer_view()");
    if (!calls.expected.has_moved)
      fuzz::expect_equal(leat_writer_lost(w),
                         calls.expected.accepted - calls.expected.content.size(),
                         "leat_writer_lost()");
  }
  fuzz::expect_equal(leat_writer_fileno(w), -1, "leat_writer_fileno() of memory");
  const int result = leat_writer_close(w);
  if (grows) fuzz::expect_equal(result, 0, "leat_writer_close()");
}

void write_to_device(input& in) {
  disk_device underlying{fuzz::disk::from_input(in, true)};
  leat_device_functions functions{};
  functions.write = &disk_device::write;
  functions.size = &disk_device::size;
  functions.sync = &disk_device::sync;
  leat_device* const device = leat_device_new(&functions, &underlying);
  const leat_writer_options options = options_of(in);
  step("a device that may fail, buffer {}, flush {}", options.buffer_size,
       static_cast<int>(options.flush));
  if (in.rarely(4)) {
    leat_writer_options of_file = options;
    set_file_options(in, of_file);
    fuzz::expect(leat_writer_over(device, &of_file, "disk") == nullptr && errno == EINVAL,
                 "leat_writer_over() accepts options without effect");
  }
  leat_writer* const w = leat_writer_over(device, &options, "disk");
  leat_device_free(device);
  const bool shares = in.rarely(4);
  if (shares) fuzz::expect_equal(leat_writer_share(w), 0, "leat_writer_share()");
  writer_calls calls(w, !shares);
  while (in.has_more()) calls.make_call(in);
  calls.note_result(leat_writer_flush(w));
  const std::uint64_t lost = leat_writer_lost(w);
  fuzz::expect(leat_writer_error(w) == 0 || underlying.disk.faults != 0,
               "an error without a fault");
  fuzz::expect_equal(leat_writer_dropped(w), 0U, "leat_writer_dropped()");
  calls.note_result(leat_writer_close(w));
  if (calls.failed) fuzz::expect(underlying.disk.faults != 0, "a failure without a fault");
  if (underlying.disk.faults == 0)
    fuzz::expect_text(underlying.disk.content, calls.expected.content, "the device");
  if (underlying.disk.faults == 0) fuzz::expect_equal(lost, 0U, "leat_writer_lost()");
  if (underlying.disk.faults != 0 && !calls.expected.has_moved)
    fuzz::expect_equal(underlying.disk.content.size() + lost, calls.expected.accepted,
                       "the number of stored and lost bytes");
}

void write_to_file(input& in) {
  const std::string path = fuzz::scratch() + "written";
  const std::string before = in.bytes(in.below(100));
  leat_write_file(path.c_str(), before.data(), before.size());
  leat_writer_options options = options_of(in);
  set_file_options(in, options);
  leat_writer* w = nullptr;
  const std::size_t choice = in.below(4);
  step("opening {}, buffer {}, durability {}, flush {}", choice, options.buffer_size,
       static_cast<int>(options.durability), static_cast<int>(options.flush));
  std::string content;
  switch (choice) {
    case 0:
      w = leat_writer_create(path.c_str(), &options);
      break;
    case 1:
      options.reopen = in.flag();
      w = leat_writer_append(path.c_str(), &options);
      content = before;
      break;
    case 2:
      options.readable = 0;
      w = leat_writer_replace(path.c_str(), &options);
      break;
    default:
      options.exclusive = 1;
      w = leat_writer_create(path.c_str(), &options);
      fuzz::expect(w == nullptr && errno == EEXIST,
                   "leat_writer_create() with `exclusive` accepts an existing file");
      return;
  }
  fuzz::expect(w != nullptr, "a writer can't be opened");
  const bool can_seek = choice == 0 || choice == 2;
  writer_calls calls(w, can_seek);
  calls.expected.content = content;
  calls.expected.at = content.size();
  while (in.has_more()) {
    calls.make_call(in);
    if (can_seek) fuzz::expect_equal(leat_writer_tell(w), calls.expected.at, "leat_writer_tell()");
    fuzz::expect(leat_writer_error(w) == 0 && leat_writer_lost(w) == 0,
                 "a writer to a file has an error or lost bytes");
    if (choice == 1 && options.reopen && in.rarely(8))
      fuzz::expect_equal(leat_writer_reopen(w), 0, "leat_writer_reopen()");
  }
  fuzz::expect(leat_writer_fileno(w) >= 0, "leat_writer_fileno()");
  if (choice == 2 && in.rarely(3)) {
    step("discard");
    leat_writer_discard(w);
    calls.expected.content = before;
  } else {
    fuzz::expect_equal(leat_writer_close(w), 0, "leat_writer_close()");
  }
  char* bytes = nullptr;
  std::size_t size = 0;
  fuzz::expect_equal(leat_read_file(path.c_str(), &bytes, &size), 0, "leat_read_file()");
  fuzz::expect_text({bytes, size}, calls.expected.content, "the file");
  std::free(bytes);
}

void drive(input& in) {
  leat_set_loss_handler([](const leat_error*) {});
  switch (in.below(3)) {
    case 0:
      return write_to_memory(in);
    case 1:
      return write_to_device(in);
    default:
      return write_to_file(in);
  }
}

const fuzz::driver self("c_writer", drive);

}  // namespace
