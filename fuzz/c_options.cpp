// C's streams, readers and writers with random options. Each file is compared with its expected
// content: the options decide how bytes are written, not which bytes. A refused call leaves the
// file unchanged.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "c_files.hpp"

namespace {

using namespace fuzz;
namespace fs = std::filesystem;

struct test_file {
  const char* name;
  leat_compression automatic_format;  ///< the format that LEAT_COMPRESSION_AUTOMATIC chooses
};
constexpr std::array files{test_file{"a", LEAT_COMPRESSION_NONE},
                           test_file{"b.gz", LEAT_COMPRESSION_GZIP},
                           test_file{"c.zst", LEAT_COMPRESSION_ZSTD}};
constexpr std::array durabilities{LEAT_DURABILITY_NONE, LEAT_DURABILITY_NONE,
                                  LEAT_DURABILITY_PROCESS, LEAT_DURABILITY_SYSTEM};

/// The expected content of a file. std::nullopt: the file does not exist.
struct expected_file {
  std::optional<std::string> content;
  leat_compression format = LEAT_COMPRESSION_NONE;
  bool has_table = false;  ///< a seekable zstd file, which allows random access
};

class files_and_model {
 public:
  explicit files_and_model(input& in) : in_(in), folder_(scratch() + "options/") {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    inside_ = ::open(folder_.c_str(), O_DIRECTORY | O_CLOEXEC);
  }
  ~files_and_model() {
    ::close(inside_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  files_and_model(const files_and_model&) = delete;
  files_and_model& operator=(const files_and_model&) = delete;

  void make_call() {
    const auto& chosen = in_.one_of(files);
    automatic_format_ = chosen.automatic_format;
    name_ = folder_ + chosen.name;
    is_inside_ = in_.rarely(3);
    path_ = is_inside_ ? chosen.name : name_;
    in_.flag() ? write() : read();
    expect_equal(fs::exists(name_), file().content.has_value(), "whether the file exists");
    expect(!fs::exists(name_ + ".leat"), "a sidecar is left");
    if (file().content) expect_text(content_of(name_, file().format), *file().content, "the file");
  }

 private:
  expected_file& file() { return expected_[name_]; }
  const int* inside() const { return is_inside_ ? &inside_ : nullptr; }

  // Writing

  enum opening_kind { creating, appending, replacing };

  void write() {
    const auto opening = static_cast<opening_kind>(in_.below(3));
    const bool by_stream = in_.flag();
    leat_options options{};
    leat_writer_options writer_options{};
    options.compression = in_.rarely(4) ? LEAT_COMPRESSION_AUTOMATIC : in_.one_of(formats);
    // An append keeps the file's format. An empty plain file takes any format.
    if (opening == appending && file().content &&
        (file().format != LEAT_COMPRESSION_NONE || !file().content->empty()))
      options.compression = file().format;
    options.buffer_size = in_.flag() ? 0 : in_.boundary_size(70'000);
    options.durability = in_.one_of(durabilities);
    if (options.durability == LEAT_DURABILITY_SYSTEM && !in_.rarely(8))
      options.durability = LEAT_DURABILITY_NONE;  // a sync of the disk is slow
    options.level = in_.rarely(8) ? 100 : in_.flag() ? 1 : 0;
    options.codec_threads = in_.rarely(16) ? 1 : 0;
    options.seekable = in_.rarely(4);
    options.local_only = in_.flag();
    options.inside = inside();
    options.reopen = in_.rarely(8);
    options.replace = opening == replacing || in_.rarely(32);
    options.live = in_.rarely(32);
    options.background = in_.rarely(8);
    options.limit = in_.boundary_size();
    writer_options.compression = options.compression;
    writer_options.buffer_size = options.buffer_size;
    writer_options.durability = options.durability;
    writer_options.level = options.level;
    writer_options.codec_threads = options.codec_threads;
    writer_options.seekable = options.seekable;
    writer_options.local_only = options.local_only;
    writer_options.inside = options.inside;
    writer_options.reopen = options.reopen;
    writer_options.caching = in_.rarely(8) ? LEAT_CACHING_DIRECT : LEAT_CACHING_CACHED;
    const leat_compression format =
        options.compression == LEAT_COMPRESSION_AUTOMATIC ? automatic_format_ : options.compression;
    const bool plain = format == LEAT_COMPRESSION_NONE;
    // Without a codec, `level` has no effect, so level 100 is accepted.
    bool must_fail =
        !plain && (options.durability == LEAT_DURABILITY_PROCESS || options.level == 100 ||
                   (options.seekable && format != LEAT_COMPRESSION_ZSTD));
    const std::string mode = std::string(opening == appending ? "a" : "w") +
                             (in_.rarely(8) ? "+" : "") + (in_.rarely(8) ? "x" : "");
    step("{} {} opening {} mode {} compression {} buffer {} durability {} level {} seekable {}",
         by_stream ? "leat_open" : "leat_writer", path_, static_cast<int>(opening), mode,
         static_cast<int>(options.compression), options.buffer_size,
         static_cast<int>(options.durability), options.level, options.seekable);
    output out;
    if (by_stream) {
      out.stream = leat_open(path_.c_str(), mode.c_str(), &options);
      const bool coded = options.compression != LEAT_COMPRESSION_NONE;
      must_fail |= options.live || (options.replace && mode != "w") ||
                   (coded && options.seekable && opening == appending && !options.reopen) ||
                   (options.reopen && (mode != "a" || !plain)) ||
                   (options.compression != LEAT_COMPRESSION_NONE && mode.find('+') != mode.npos) ||
                   (mode.find('x') != mode.npos && file().content);
    } else {
      out.writer = opening == creating    ? leat_writer_create(path_.c_str(), &writer_options)
                   : opening == appending ? leat_writer_append(path_.c_str(), &writer_options)
                                          : leat_writer_replace(path_.c_str(), &writer_options);
      must_fail |= options.reopen && (opening != appending || !plain);
      if (opening == appending)
        must_fail |= options.seekable || writer_options.caching == LEAT_CACHING_DIRECT;
    }
    if (out.stream == nullptr && out.writer == nullptr) {
      expect(must_fail ||
                 (errno == ENOTSUP && !by_stream && writer_options.caching == LEAT_CACHING_DIRECT),
             "an open with valid options fails");
      return expect_error(path_);
    }
    expect(!must_fail, "an open accepts invalid options");
    const bool replaces = by_stream ? options.replace != 0 : opening == replacing;
    const expected_file before = file();
    std::string all = opening == appending ? before.content.value_or("") : "", flushed = all;
    for (std::size_t n = in_.below(8); n != 0; --n) {
      const std::string bytes = in_.bytes(in_.boundary_size(70'000));
      step("write {}", bytes.size());
      out.write(bytes);
      all += bytes;
      if (!in_.rarely(4)) continue;
      const bool syncs = in_.rarely(16);
      step("flush, syncs {}", syncs);
      expect_equal(out.flush(syncs), 0, "the result of a flush");
      flushed = all;
      // Only a sync makes a codec write all its bytes. The files of xz are not checked.
      if (!replaces && (plain || (syncs && format != LEAT_COMPRESSION_XZ)))
        expect_text(content_of(name_, format), all, "the flushed content");
    }
    // A discarded stream with a codec leaves an invalid file, except if the stream replaces a file.
    const bool discards = (replaces || plain) && in_.rarely(4);
    step("end, discards {}", discards);
    if (!discards) {
      expect_equal(out.close(), 0, "the result of a close");
      const bool stays = opening == appending && all == before.content.value_or("");
      file().content = all;
      if (stays) return;
      file().format = format;
      file().has_table = options.seekable && opening != appending && !plain;
      return;
    }
    out.discard();
    if (replaces) return;
    file() = {content_of(name_, LEAT_COMPRESSION_NONE)};
    expect(all.starts_with(*file().content) && flushed.size() <= file().content->size(),
           "the content after discard()");
  }

  // Reading

  void read() {
    leat_options options{};
    leat_reader_options from{};
    const std::string content = file().content.value_or("");
    const bool plain = file().format == LEAT_COMPRESSION_NONE;
    // A plain text that begins with a format's magic number would be decoded.
    options.compression = in_.flag() && !content.empty() && (!plain || content[0] >= 'a')
                              ? LEAT_COMPRESSION_AUTOMATIC
                              : file().format;
    options.buffer_size = in_.flag() ? 0 : in_.boundary_size(70'000);
    options.live = in_.rarely(4);
    options.local_only = in_.flag();
    const bool has_little_memory = !plain && in_.rarely(8);
    options.codec_memory = has_little_memory ? 1 : in_.flag() ? 0 : std::uint64_t{256} << 20;
    options.limit = !has_little_memory && in_.rarely(4) ? 1 + in_.below(content.size() + 1) : 0;
    options.background = in_.flag();
    options.inside = inside();
    from.compression = options.compression;
    from.buffer_size = options.buffer_size;
    from.live = options.live;
    from.local_only = options.local_only;
    from.limit = options.limit;
    from.codec_memory = options.codec_memory;
    from.background = options.background;
    from.inside = options.inside;
    from.window_limit = in_.flag() ? 0 : in_.boundary_size(300'000);
    const bool cut = !plain && options.limit != 0 && options.limit < content.size();
    const auto wanted = std::string_view(content).substr(0, cut ? options.limit : content.npos);
    const int error = cut ? EFBIG : has_little_memory ? ENOTSUP : 0;
    const auto failed = [&](bool may_fail) {
      if (!file().content && errno == ENOENT) return expect_error(path_);
      expect(may_fail || (has_little_memory && errno == ENOTSUP),
             "an open with valid options fails");
      expect_error(path_);
    };
    const std::size_t choice = in_.below(6);
    step("read {}, function {} compression {} buffer {} limit {} live {} window limit {}", path_,
         choice, static_cast<int>(options.compression), options.buffer_size, options.limit,
         options.live, from.window_limit);
    switch (choice) {
      case 0: {
        leat_file* const f = leat_open(path_.c_str(), "r", &options);
        if (f == nullptr) return failed(false);
        read(f, std::string(wanted), error);
        if (in_.flag()) return leat_discard(f);
        return expect_equal(leat_fclose(f), 0, "leat_fclose()");
      }
      case 1: {
        std::vector<leat_file*> parts(1 + in_.below(6));
        const std::size_t n = leat_split(path_.c_str(), parts.size(), &options, parts.data());
        const bool must_fail = options.inside != nullptr || options.live || options.background ||
                               (!plain && !file().has_table);
        if (n == 0) return failed(must_fail || cut);
        expect(!must_fail, "leat_split() accepts invalid options");
        parts.resize(n);
        std::string all;
        int why = 0;
        for (leat_file* const part : parts) {
          expect(all.empty() || all.ends_with('\n') || why != 0,
                 "a part does not begin at the start of a line");
          std::string got(content.size() + 1, '?');
          got.resize(leat_fread(got.data(), 1, got.size(), part));
          if (why == 0) all += got;
          if (leat_ferror(part) != 0) why = errno;
          leat_fclose(part);
        }
        expect_equal(why, error, "errno of a part");
        // A frame that exceeds the limit fails as a whole.
        if (why != 0)
          return expect(wanted.starts_with(all),
                        "the parts of leat_split() begin with other bytes");
        return expect_text(all, wanted, "leat_split()");
      }
      case 2: {
        leat_access_options at{};
        at.compression = options.compression;
        at.inside = options.inside;
        at.codec_memory = options.codec_memory;
        leat_random_access_file* const f =
            leat_random_access_open(path_.c_str(), LEAT_MODE_READ, &at);
        if (f == nullptr) return failed(!plain && !file().has_table);
        expect(plain || file().has_table,
               "leat_random_access_open() accepts a compressed file without a seek table");
        expect_equal(leat_random_access_size(f), static_cast<leat_off_t>(content.size()),
                     "leat_random_access_size()");
        const std::size_t begin = in_.below(content.size() + 1);
        std::string got(in_.boundary_size(content.size() - begin), '?');
        expect_equal(leat_random_access_read_at(f, begin, got.data(), got.size()), 0,
                     "leat_random_access_read_at()");
        expect_text(got, std::string_view(content).substr(begin, got.size()),
                    "leat_random_access_read_at()");
        return expect_equal(leat_random_access_close(f), 0, "leat_random_access_close()");
      }
      case 3: {
        if (!plain || is_inside_) return;
        leat_follow_options follow_options{};
        follow_options.timeout = 1;
        follow_options.window_limit = from.window_limit;
        leat_reader* const r = leat_reader_follow(path_.c_str(), &follow_options);
        if (r == nullptr) return failed(false);
        return read(r, content, 0, follow_options.window_limit);
      }
      default: {
        const bool maps = choice == 4 && plain && in_.flag();
        const int guards = in_.flag();
        const int before = maps ? leat_guard_mappings(guards) : 1;
        leat_reader* const r = maps          ? leat_reader_map(path_.c_str(), &from)
                               : choice == 4 ? leat_reader_open_or_stdin(path_.c_str(), &from)
                                             : leat_reader_open(path_.c_str(), &from);
        if (maps) expect_equal(leat_guard_mappings(before), guards, "leat_guard_mappings()");
        const bool must_fail =
            maps && (from.compression != LEAT_COMPRESSION_NONE || from.buffer_size != 0 ||
                     from.live || from.limit != 0 || from.codec_memory != 0 || from.background ||
                     from.window_limit != 0);
        if (r == nullptr) return failed(must_fail);
        expect(!must_fail, "leat_reader_map() accepts invalid options");
        if (maps)
          expect_text(view_of(leat_reader_mapped(r)), content, "leat_reader_mapped()");
        else
          expect_equal(leat_reader_fileno(r) >= 0, plain && (!options.live || is_inside_),
                       "leat_reader_fileno()");
        return read(r, wanted, error, from.window_limit);
      }
    }
  }

  /// Checks that the stream returns `content`, and then fails with `error`, or ends if `error` is
  /// 0. If `error` is 0, first makes random calls. EFBIG occurs after the text, ENOTSUP at any
  /// position or never.
  void read(leat_file* f, const std::string& content, int error) {
    std::string text = content;  // changed by pushed back bytes
    std::size_t at = 0, pushed = 0;
    char* line = nullptr;
    std::size_t room = 0;
    for (std::size_t n = error != 0 ? 0 : in_.below(40); n != 0; --n) {
      const std::string_view rest = std::string_view(text).substr(at);
      // Returns the next line with its delimiter, but at most `most` bytes, and moves `at`.
      const auto take = [&](char delimiter, std::size_t most) {
        const std::size_t size = std::min({rest.find(delimiter), rest.size() - 1, most - 1}) + 1;
        at += rest.empty() ? 0 : size;
        return rest.substr(0, rest.empty() ? 0 : size);
      };
      const std::size_t call_kind = in_.below(8);
      pushed = call_kind == 6 ? pushed : 0;
      switch (call_kind) {
        case 0: {
          step("leat_next_line");
          std::size_t size = 0;
          const char* const got = leat_next_line(f, &size);
          std::string_view wanted = take('\n', rest.npos);
          expect_equal(got != nullptr, !wanted.empty(), "leat_next_line()");
          if (wanted.ends_with('\n')) wanted.remove_suffix(1);
          if (got != nullptr) expect_text({got, size}, wanted, "leat_next_line()");
          break;
        }
        case 1: {
          const std::string needle =
              in_.flag() ? in_.bytes(1 + in_.below(3))
                         : std::string(rest.substr(in_.below(rest.size() + 1), 1 + in_.below(9)));
          if (needle.empty()) break;
          step("leat_find '{}'", needle);
          leat_off_t where = -1;
          const std::size_t found = text.find(needle, at);
          expect_equal(leat_find(f, needle.data(), needle.size(), &where),
                       found == text.npos ? 0 : 1, "leat_find()");
          if (found != text.npos)
            expect_equal(where, static_cast<leat_off_t>(found), "leat_find()");
          at = found == text.npos ? text.size() : found + needle.size();
          break;
        }
        case 2: {
          const char delimiter = in_.flag() ? '\n' : ';';
          step("leat_getdelim {}", static_cast<int>(delimiter));
          const ssize_t got = leat_getdelim(&line, &room, delimiter, f);
          expect_text({line, static_cast<std::size_t>(std::max<ssize_t>(got, 0))},
                      take(delimiter, rest.npos), "leat_getdelim()");
          if (got > 0) expect_equal(line[got], '\0', "leat_getdelim() ends with a NUL");
          break;
        }
        case 3: {
          std::string got(3 + in_.boundary_size(9'000), '\x7f');
          step("leat_fgets {}", got.size() - 1);
          const std::string wanted(take('\n', got.size() - 2));
          const char* const returned = leat_fgets(got.data(), static_cast<int>(got.size() - 1), f);
          expect_equal(returned != nullptr, !wanted.empty(), "leat_fgets()");
          if (returned == nullptr) break;
          expect_text(std::string_view(got).substr(0, wanted.size() + 1), wanted + '\0',
                      "leat_fgets()");
          expect_equal(got[wanted.size() + 1], '\x7f', "the byte after the NUL");
          break;
        }
        case 4:
          step("leat_fgetc");
          expect_equal(leat_fgetc(f), rest.empty() ? EOF : static_cast<unsigned char>(rest[0]),
                       "leat_fgetc()");
          at += !rest.empty();
          break;
        case 5: {
          if (file().format != LEAT_COMPRESSION_NONE) break;
          at = in_.below(text.size() + 1);
          step("leat_fseeko {}", at);
          expect_equal(leat_fseeko(f, static_cast<leat_off_t>(at), SEEK_SET), 0, "leat_fseeko()");
          text = content;
          break;
        }
        case 6:
          if (at == 0 || ++pushed > 20) break;
          if (in_.flag()) text[at - 1] = in_.flag() ? '\n' : 'Z';
          step("leat_ungetc");
          leat_ungetc(static_cast<unsigned char>(text[--at]), f);
          break;
        default:
          expect_equal(leat_ftello(f), static_cast<leat_off_t>(at), "leat_ftello()");
      }
    }
    std::free(line);
    std::string got(text.size() + 1, '?');
    got.resize(leat_fread(got.data(), 1, got.size(), f));
    const int why = leat_ferror(f) != 0 ? errno : 0;
    expect(why == error || (why == 0 && error == ENOTSUP), "leat_ferror()");
    if (why != ENOTSUP) expect_text(got, std::string_view(text).substr(at), "leat_fread()");
  }
  /// Checks that the reader returns `text`, and then fails with `error`, or ends if `error` is 0.
  /// If `error` is 0, first reads lines, where a line beyond `window_limit` may fail. Closes the
  /// reader.
  void read(leat_reader* r, std::string_view text, int error, std::size_t window_limit) {
    std::size_t at = 0;
    bool ended = false, too_long = false;
    for (std::size_t n = error != 0 ? 0 : in_.below(9); n != 0 && !ended; --n) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      step("leat_reader_next_line");
      leat_text line{};
      const int result = leat_reader_next_line(r, nullptr, &line);
      ended = result != 1;
      too_long = result == -1 && errno == EOVERFLOW;
      if (too_long)
        expect(window_limit != 0 && end - at >= std::min<std::size_t>(window_limit, 65'536) &&
                   leat_last_error()->reason == LEAT_REASON_INPUT_TOO_LONG,
               "leat_reader_next_line() fails for a line within window_limit");
      else
        expect_equal(result, at == text.size() ? 0 : 1, "leat_reader_next_line()");
      if (result == 1)
        expect_text(view_of(line), text.substr(at, end - at), "leat_reader_next_line()");
      if (result == 1) at = std::min(end + 1, text.size());
    }
    std::string got(text.size() + 1, '?');
    const ssize_t n = leat_reader_read(r, got.data(), got.size());
    got.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (error != ENOTSUP) expect_text(got, text.substr(at), "leat_reader_read()");
    const int next = leat_reader_get(r), why = leat_reader_error(r);
    // A successful later read clears the error.
    expect(why == error || (why == 0 && error == ENOTSUP) || (why == EOVERFLOW && too_long),
           fmt::format("leat_reader_error() is {}", why));
    expect_equal(next, why != 0 && !too_long ? -2 : -1, "leat_reader_get() after the text");
    leat_reader_close(r);
  }

  input& in_;
  const std::string folder_;
  int inside_ = -1;
  std::string name_, path_;
  bool is_inside_ = false;
  leat_compression automatic_format_ = LEAT_COMPRESSION_NONE;
  std::map<std::string, expected_file> expected_;
};

void drive(input& in) {
  leat_set_loss_handler([](const leat_error*) { fail("bytes were lost"); });
  files_and_model files_under_test(in);
  for (int n = 12; n != 0 && in.has_more(); --n) files_under_test.make_call();
}

const driver self("c_options", drive);

}  // namespace
