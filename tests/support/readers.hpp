// Every kind of reader over the same text: memory, files, pipes, and devices with short reads.
#pragma once

#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "device/memory.hpp"
#include "support/files.hpp"
#include "support/scripted_device.hpp"
#include "support/signals.hpp"

namespace leat_test {

/// Returns the next line of a reader, or "the end".
inline std::string next_line(leat::reader& in) {
  std::string line;
  return in.read_line(line) ? line : "the end";
}

enum class reader_kind {
  memory,         ///< a memory_reader
  memory_device,  ///< a file_reader over memory; all kinds below are file_readers, too
  file,
  pipe,
  short_reads,   ///< a device that gives at most 3 bytes a call, with interruptions
  random_reads,  ///< a device that gives a random number of bytes a call
  stream,        ///< random_reads from a device without positions
  lent,          ///< a device that lends its memory, in small pieces
};
inline constexpr reader_kind reader_kinds[] = {
    reader_kind::memory,      reader_kind::memory_device, reader_kind::file,   reader_kind::pipe,
    reader_kind::short_reads, reader_kind::random_reads,  reader_kind::stream, reader_kind::lent};
inline constexpr std::size_t buffer_sizes[] = {1, 2, 7, 4096, 0};

inline std::ostream& operator<<(std::ostream& out, reader_kind kind) {
  constexpr const char* names[] = {"memory",      "memory_device", "file",   "pipe",
                                   "short_reads", "random_reads",  "stream", "lent"};
  return out << names[static_cast<int>(kind)];
}

/// A reader of this kind over `text`. `buffer` is the buffer size, or 0 for the default. `seed`
/// decides the sizes of random reads and lent pieces.
class test_reader {
 public:
  test_reader(reader_kind kind, std::string text, std::size_t buffer = 0, unsigned seed = 1)
      : text_(std::move(text)) {
    const leat::reader_options options{.buffer_size = buffer};
    positional_ = kind != reader_kind::pipe && kind != reader_kind::stream;
    switch (kind) {
      case reader_kind::memory:
        memory_.emplace(std::string_view(text_));
        return;
      case reader_kind::memory_device:
        file_.emplace(std::make_unique<leat::memory_device>(text_), options);
        return;
      case reader_kind::file:
        folder_.emplace();
        write_file(*folder_ / "file", text_);
        file_ = leat::open(*folder_ / "file", {.buffer_size = buffer});
        return;
      case reader_kind::pipe:
        open_pipe(options);
        return;
      case reader_kind::short_reads:
      case reader_kind::random_reads:
      case reader_kind::stream:
      case reader_kind::lent:
        break;
    }
    script_ = new_script();
    script_->content = text_;
    script_->traits.positional = positional_;
    script_->random.seed(seed);
    if (kind == reader_kind::short_reads) {
      script_->max_transfer = 3;
      script_->interrupt_every = 4;
    } else {
      script_->random_sizes = true;
      script_->traits.has_views = kind == reader_kind::lent;
      script_->piece_size = 61 + seed % 7 * 977;
    }
    file_.emplace(device_of(script_), options);
  }
  ~test_reader() {
    file_.reset();  // a pipe's writer then gets an error
    if (feeder_.joinable()) feeder_.join();
  }
  test_reader(const test_reader&) = delete;
  test_reader& operator=(const test_reader&) = delete;

  leat::reader& get() {
    if (memory_) return *memory_;
    return *file_;
  }
  bool positional() const { return positional_; }

 private:
  void open_pipe(const leat::reader_options& options) {
    pipe_.emplace();
    file_.emplace(leat::adopt(duplicate(pipe_->reader())), options);
    pipe_->close_reader();
    feeder_ =
        std::thread([end = pipe_->release_writer(), text = std::string_view(text_)]() mutable {
          std::size_t piece = 1;
          while (!text.empty()) {
            const std::ptrdiff_t n = write_once(end, text.substr(0, piece));
            if (n < 0) break;
            text.remove_prefix(static_cast<std::size_t>(n));
            piece = piece * 3 % 9973;
          }
          close_handle(end);
        });
  }

  std::string text_;
  bool positional_ = true;
  without_sigpipe no_sigpipe_;
  std::optional<temporary_folder> folder_;
  std::optional<pipe_pair> pipe_;
  std::shared_ptr<device_script> script_;
  std::optional<leat::memory_reader> memory_;
  std::optional<leat::file_reader> file_;
  std::thread feeder_;
};

}  // namespace leat_test
