// Real files, opened by many functions with random options, each compared with a string: after
// close() the written bytes are in the file. Without a codec and a sidecar, flushed bytes are in
// the file at once.
#include <leat/codecs.hpp>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz.hpp"
#include "writing.hpp"

namespace {

using fuzz::input, fuzz::model, fuzz::step;
using leat::compression, leat::durability, leat::flush_when;

constexpr std::array formats{compression::none, compression::gzip, compression::zstd,
                             compression::lz4, compression::xz};
constexpr std::array durabilities{durability::none, durability::process, durability::system};
constexpr std::array flushes{flush_when::full, flush_when::line, flush_when::call};
constexpr std::array patterns{leat::pattern::automatic, leat::pattern::sequential,
                              leat::pattern::random};

std::atomic<int> losses;

/// The expected content of a file. std::nullopt: the file does not exist.
struct expected_file {
  std::optional<std::string> content;
  compression format = compression::none;
};

class files_and_model {
 public:
  void make_call(input& in) {
    constexpr void (files_and_model::* calls[])(input&) = {
        &files_and_model::create, &files_and_model::append,   &files_and_model::replace,
        &files_and_model::update, &files_and_model::read,     &files_and_model::whole_file,
        &files_and_model::map,    &files_and_model::temporary};
    name_ = fuzz::scratch() + static_cast<char>('a' + in.below(3));
    (this->*in.one_of(calls))(in);
    check_file();
  }
  files_and_model() { clear(); }
  files_and_model(const files_and_model&) = delete;
  files_and_model& operator=(const files_and_model&) = delete;
  ~files_and_model() { clear(); }

 private:
  static void clear() {
    for (const auto& entry : std::filesystem::directory_iterator(fuzz::scratch()))
      std::filesystem::remove_all(entry.path());
  }
  expected_file& file() { return expected_[name_]; }
  void check_file() {
    fuzz::expect_equal(std::filesystem::exists(name_), file().content.has_value(),
                       "whether the file exists");
    fuzz::expect(!std::filesystem::exists(name_ + ".leat"), "a sidecar is left");
    if (file().content) fuzz::expect_text(content(), *file().content, "the file");
  }
  std::string content() {
    std::error_code ec;
    auto in = leat::open(name_, {.compression = file().format}, ec);
    return in.read_all(ec);
  }

  template <class Options>
  void set_common(input& in, Options& options) {
    options.buffer_size = in.flag() ? 0 : in.boundary_size(70'000);
    if constexpr (requires { options.durability; }) {
      options.durability = in.one_of(durabilities);
      if (options.durability == durability::system && !in.rarely(4))
        options.durability = durability::none;  // a sync is slow
    }
    options.flush = in.one_of(flushes);
    if constexpr (requires { options.flush_interval; })
      if (in.rarely(8)) options.flush_interval = std::chrono::milliseconds(1 + in.below(3));
    if constexpr (requires { options.background; }) options.background = in.rarely(8);
    if constexpr (requires { options.preallocate; })
      options.preallocate = in.rarely(4) ? in.boundary_size() : 0;
    if constexpr (requires { options.permissions; }) options.permissions = in.flag() ? 0600 : 0644;
    if constexpr (requires { options.compression; }) {
      options.compression = in.rarely(4) ? in.one_of(formats) : compression::none;
      options.level = in.flag() ? 1 : 0;
      options.codec_threads = in.rarely(16) ? 1 : 0;
    }
    if constexpr (requires { options.seekable; })
      options.seekable = options.compression == compression::zstd && in.flag();
    if constexpr (requires { options.caching; })
      if (in.rarely(8)) options.caching = leat::caching::direct;
    if constexpr (requires { options.when_full; }) options.when_full = leat::when_full::wait;
  }

  /// Returns whether an open with these options may fail: options may contradict each other, or not
  /// work on the file system.
  template <class Options>
  static bool may_be_refused(const Options& options) {
    bool may = false;
    if constexpr (requires { options.caching; }) may = options.caching == leat::caching::direct;
    if constexpr (requires { options.compression; })
      may |= options.compression != compression::none;
    return may;
  }

  /// Writes to the stream, and closes, releases or destroys the stream. `visible`: flushed bytes
  /// are in the file at once. `gives_up`: a stream that is destroyed without close() loses its
  /// content. Returns true if the content was lost in this way.
  bool write_and_close(input& in, leat::file_writer& out, std::string before, bool can_seek,
                       bool visible, bool gives_up = false) {
    model expected;
    expected.content = std::move(before);
    expected.at = expected.content.size();
    std::error_code ec;
    for (std::size_t calls = in.below(12); calls != 0; --calls) {
      switch (in.below(8)) {
        case 0:
          step("flush");
          out.flush(ec);
          fuzz::expect(!ec, "flush() fails");
          if (visible) fuzz::expect_text(leat::read_file(name_, ec), expected.content, "flushed");
          break;
        case 1:
          if (!in.rarely(4)) break;
          step("sync");
          out.sync(ec);
          fuzz::expect(!ec, "sync() fails");
          break;
        case 2:
          if (!can_seek) break;
          step("seek or patch");
          fuzz::seek_or_patch(in, out, expected, expected.content.size());
          break;
        case 3: {
          const std::string bytes = in.bytes(in.boundary_size(300'000));
          step("write {}", bytes.size());
          out.write(bytes);
          expected.write(bytes);
          break;
        }
        case 4:
          step("move the stream");
          if (auto moved = std::move(out); true) out = std::move(moved);
          break;
        default:
          fuzz::write_something(in, out, expected);
      }
      if (can_seek) fuzz::expect_equal(out.tell(), expected.at, "tell()");
    }
    if (in.rarely(8) && !gives_up && out.native_handle() != leat::no_handle) {
      step("release");
      const int handle = out.release(ec);
      fuzz::expect(!ec && handle >= 0 && !out.is_open(), "release()");
      ::close(handle);
    } else if (in.rarely(8)) {
      step("close by the destructor");
      {
        const leat::file_writer ended(std::move(out));
      }
      if (gives_up) return true;
    } else {
      step("close");
      out.close(ec);
      fuzz::expect(!ec, "close() fails");
      fuzz::expect(!out.is_open(), "the stream is open after close()");
    }
    fuzz::expect_equal(out.lost(), 0U, "lost()");
    file().content = expected.content;
    return false;
  }

  void create(input& in) {
    leat::create_options options;
    set_common(in, options);
    options.exclusive = in.rarely(4);
    options.readable = in.rarely(4);
    options.local_only = in.flag();
    step("create {} buffer {} durability {} flush {} compression {}", name_, options.buffer_size,
         static_cast<int>(options.durability), static_cast<int>(options.flush),
         static_cast<int>(options.compression));
    std::error_code ec;
    auto out = leat::create(name_, options, ec);
    if (options.exclusive && file().content)
      return fuzz::expect(ec == std::errc::file_exists || ec == std::errc::operation_not_supported,
                          "create() with `exclusive` accepts an existing file");
    if (ec) {
      fuzz::expect(may_be_refused(options) && ec == std::errc::operation_not_supported,
                   "create() fails");
      // A refused call leaves an existing file unchanged. A new file may have been created.
      if (std::filesystem::exists(name_) && !file().content) file() = {"", compression::none};
      return;
    }
    file().format = options.compression;
    const bool plain = options.compression == compression::none;
    write_and_close(in, out, "", plain, plain && options.durability != durability::process);
  }

  void append(input& in) {
    leat::append_options options;
    set_common(in, options);
    // An append keeps the file's format. An empty plain file takes any format.
    if (file().content && (file().format != compression::none || !file().content->empty()))
      options.compression = file().format;
    options.readable = in.rarely(4);
    options.reopen = in.rarely(4);
    step("append {} buffer {} durability {} compression {} reopen {}", name_, options.buffer_size,
         static_cast<int>(options.durability), static_cast<int>(options.compression),
         options.reopen);
    std::error_code ec;
    auto out = leat::append(name_, options, ec);
    if (ec) {
      fuzz::expect(
          options.compression != compression::none && ec == std::errc::operation_not_supported,
          "append() fails");
      if (std::filesystem::exists(name_) && !file().content) file() = {"", compression::none};
      return;
    }
    const bool plain = options.compression == compression::none;
    const bool begins = file().format == compression::none;
    write_and_close(in, out, file().content.value_or(""), false,
                    plain && options.durability != durability::process);
    // Without content, no member is appended, so an empty file stays empty.
    file().format = begins && file().content->empty() ? compression::none : options.compression;
  }

  void replace(input& in) {
    leat::replace_options options;
    set_common(in, options);
    std::error_code ec;
    const expected_file before = file();
    step("replace {} compression {}", name_, static_cast<int>(options.compression));
    auto out = leat::replace(name_, options, ec);
    if (ec)
      return fuzz::expect(may_be_refused(options) && ec == std::errc::operation_not_supported,
                          "replace() fails");
    if (in.rarely(3)) {
      step("discard");
      out.write(in.bytes(in.boundary_size(70'000)));
      out.discard();
      out.close(ec);
      file() = before;
      return;
    }
    losses = 0;
    if (write_and_close(in, out, "", options.compression == compression::none, false, true)) {
      fuzz::expect_equal(losses.exchange(0), 1,
                         "the calls of the loss handler for a new file that was given up");
      file() = before;
    } else {
      file().format = options.compression;
    }
  }

  void update(input& in) {
    if (file().format != compression::none) return;
    leat::update_options options;
    set_common(in, options);
    options.pattern = in.one_of(patterns);
    options.create = in.flag();
    std::error_code ec;
    step("update {} buffer {} durability {} create {}", name_, options.buffer_size,
         static_cast<int>(options.durability), options.create);
    auto stream = leat::update(name_, options, ec);
    if (!file().content && !options.create)
      return fuzz::expect(ec == std::errc::no_such_file_or_directory,
                          "update() accepts a missing file");
    fuzz::expect(!ec, "update() fails");
    model expected;
    expected.content = file().content.value_or("");
    for (std::size_t calls = in.below(12); calls != 0; --calls) {
      const std::string bytes = in.bytes(in.boundary_size(70'000));
      const std::size_t to = in.below(expected.content.size() + 1);
      if (in.flag()) {
        step("seek {} write {}", to, bytes.size());
        stream.seek(to);
        expected.at = to;
        stream.write(bytes);
        expected.write(bytes);
      } else {
        step("seek {} read {}", to, bytes.size());
        stream.seek(to);
        std::string got(bytes.size(), '?');
        got.resize(stream.read(std::span(got)));
        fuzz::expect_text(got, std::string_view(expected.content).substr(to, bytes.size()), "read");
      }
      fuzz::expect_equal(stream.size(), expected.content.size(), "size()");
    }
    fuzz::expect(stream.native_handle() >= 0, "native_handle()");
    stream.close(ec);
    fuzz::expect(!ec, "close() fails");
    file().content = expected.content;
  }

  void read(input& in) {
    leat::open_options options;
    options.buffer_size = in.flag() ? 0 : in.boundary_size(70'000);
    options.pattern = in.one_of(patterns);
    options.live = in.rarely(4);
    options.background = in.flag();
    options.codec_memory = std::uint64_t{64 + in.below(64)} << 20;
    if (in.rarely(8)) options.caching = leat::caching::direct;
    options.compression = file().format;
    if (file().content && !file().content->empty() && in.flag())
      options.compression = compression::automatic;
    const std::size_t limit = file().content ? file().content->size() : 0;
    if (in.rarely(4)) options.limit = in.flag() ? limit : limit / 2;
    std::error_code ec;
    step("open {} buffer {} compression {} limit {}", name_, options.buffer_size,
         static_cast<int>(options.compression), options.limit);
    auto from = leat::open(name_, options, ec);
    if (!file().content)
      return fuzz::expect(ec == std::errc::no_such_file_or_directory,
                          "open() accepts a missing file");
    if (ec) return fuzz::expect(ec == std::errc::operation_not_supported, "open() fails");
    if (in.rarely(8) && from.native_handle() != leat::no_handle) {
      const std::size_t n = in.below(limit + 1);
      step("skip {} and release", n);
      from.skip(n);
      const int handle = from.release(ec);
      fuzz::expect(!ec && !from.is_open(), "release() of a reader");
      fuzz::expect_equal(::lseek(handle, 0, SEEK_CUR), static_cast<off_t>(n),
                         "the descriptor's offset after release()");
      ::close(handle);
      return;
    }
    const std::string got = from.read_all(ec);
    if (file().format != compression::none && limit > options.limit)
      return fuzz::expect(ec == std::errc::file_too_large &&
                              got == std::string_view(*file().content).substr(0, options.limit),
                          "not all bytes up to the limit, or another error");
    // A plain text that begins with a format's magic number may fail to decode.
    if (file().format == compression::none && options.compression == compression::automatic && ec)
      return;
    fuzz::expect_equal(ec.message(), std::error_code().message(), "read_all");
    fuzz::expect_text(got, *file().content, "read_all");
  }

  void whole_file(input& in) {
    std::error_code ec;
    if (in.flag()) {
      const std::string bytes = in.bytes(in.boundary_size());
      step("write_file {} bytes", bytes.size());
      leat::write_file(name_, bytes, ec);
      fuzz::expect(!ec, "write_file() fails");
      file() = {bytes, compression::none};
    } else if (in.flag()) {
      step("recover");
      fuzz::expect_equal(leat::recover(name_, ec), 0U, "recover() with nothing to recover");
      fuzz::expect_equal(!ec, file().content.has_value(), "recover");
    } else {
      step("read_file");
      const std::string got = leat::read_file(name_, ec);
      fuzz::expect_equal(!ec, file().content.has_value(), "read_file");
      if (file().content && file().format == compression::none)
        fuzz::expect_text(got, *file().content, "read_file");
    }
  }

  void map(input& in) {
    std::error_code ec;
    step("map_file");
    auto mapped = leat::map_file(name_, {.pattern = in.one_of(patterns)}, ec);
    fuzz::expect_equal(!ec, file().content.has_value(), "map_file");
    if (ec || file().format != compression::none) return;
    fuzz::expect_text(mapped.view(), *file().content, "view()");
    fuzz::expect_text(mapped.read_all(ec), *file().content, "read_all of a mapping");
  }

  void temporary(input& in) {
    leat::temporary_options options;
    set_common(in, options);
    options.pattern = in.one_of(patterns);
    step("temporary_file");
    auto stream = leat::temporary_file(options);
    const std::string bytes = in.bytes(in.boundary_size(300'000));
    stream.write(bytes);
    stream.seek(0);
    fuzz::expect_text(stream.read_all(), bytes, "a temporary file");
  }

  std::string name_;
  std::map<std::string, expected_file> expected_;
};

void drive(input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { ++losses; });
  losses = 0;
  files_and_model files;
  while (in.has_more()) {
    files.make_call(in);
    fuzz::expect_equal(losses, 0, "the number of losses");
  }
}

const fuzz::driver self("files", drive);

}  // namespace
