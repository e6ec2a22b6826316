// Positions up to 2^40, many near 2^31 and 2^32: classes with positions read and write a sparse
// file, which is compared with a map of bytes.
#include <leat/leat.h>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>

#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step;

/// The written bytes and the size. All other bytes are zero.
struct model {
  std::map<std::uint64_t, char> bytes;
  std::uint64_t size = 0;

  void write(std::uint64_t at, std::string_view text) {
    for (std::size_t i = 0; i != text.size(); ++i) bytes[at + i] = text[i];
    if (!text.empty()) size = std::max(size, at + text.size());
  }
  std::string read(std::uint64_t at, std::size_t n) const {
    if (at >= size) return {};
    std::string text(std::min<std::uint64_t>(n, size - at), '\0');
    for (auto byte = bytes.lower_bound(at); byte != bytes.end() && byte->first - at < text.size();
         ++byte)
      text[byte->first - at] = byte->second;
    return text;
  }
  void resize(std::uint64_t to) {
    bytes.erase(bytes.lower_bound(to), bytes.end());
    size = to;
  }
};

class position_calls {
 public:
  position_calls() : path_(fuzz::scratch() + "sparse") { std::filesystem::remove(path_); }
  ~position_calls() { std::filesystem::remove(path_); }
  position_calls(const position_calls&) = delete;
  position_calls& operator=(const position_calls&) = delete;

  void make_call(input& in) {
    if (!std::filesystem::exists(path_)) leat::write_file(path_, "");
    constexpr void (position_calls::* calls[])(input&) = {
        &position_calls::call_writer,   &position_calls::call_reader,
        &position_calls::call_stream,   &position_calls::call_file,
        &position_calls::call_c_stream, &position_calls::call_c_writer};
    (this->*in.one_of(calls))(in);
    fuzz::expect_equal(std::filesystem::file_size(path_), expected_.size, "the size of the file");
  }

 private:
  /// Returns a position near 1, 2^12, 2^16, 2^31, 2^32 or 2^40.
  static std::uint64_t position(input& in) {
    constexpr std::array<unsigned, 6> powers{0, 12, 16, 31, 32, 40};
    return (std::uint64_t{1} << in.one_of(powers)) - 1 + in.below(40);
  }
  static std::string content(input& in) { return in.bytes(in.boundary_size(5000)); }

  void call_writer(input& in) {
    expected_ = {};
    auto out = leat::create(path_, {.buffer_size = in.flag() ? 0 : in.boundary_size(70'000)});
    for (std::size_t n = in.below(5); n != 0; --n) {
      const std::uint64_t at = position(in);
      const std::string text = content(in);
      step("writer: seek {} write {}", at, text.size());
      out.seek(at);
      out.write(text);
      expected_.write(at, text);
      fuzz::expect_equal(out.tell(), at + text.size(), "tell()");
      if (expected_.size == 0 || in.flag()) continue;
      const std::uint64_t to = in.below(text.size() + 1) + at - text.size();
      std::error_code ec;
      const std::string patch = text.substr(0, in.below(9));
      if (to > at || text.size() > at) continue;
      step("writer: patch {} {}", to, patch.size());
      out.patch(to, patch, ec);
      if (!ec) expected_.write(to, patch);
    }
    out.close();
  }

  void call_reader(input& in) {
    auto from = leat::open(path_, {.buffer_size = in.flag() ? 0 : in.boundary_size(70'000)});
    for (std::size_t n = in.below(8); n != 0; --n) read(in, from);
  }

  void read(input& in, leat::reader& from) {
    const std::uint64_t at = position(in);
    const std::size_t n = in.boundary_size(5000);
    step("reader: seek {} read {}", at, n);
    std::error_code ec;
    from.seek(at, ec);
    fuzz::expect(!ec, "seek() fails");
    fuzz::expect_equal(from.tell(), at, "tell()");
    fuzz::expect_equal(from.size(), expected_.size, "size()");
    std::string got(n, '?');
    if (in.flag()) {
      got.resize(from.read(std::span(got)));
    } else {
      got = from.peek(n);
      got.resize(std::min(got.size(), n));
      from.skip(got.size());
    }
    fuzz::expect_text(got, expected_.read(at, n), "read()");
    fuzz::expect_equal(from.tell(), at + got.size(), "tell() after read()");
  }

  void call_stream(input& in) {
    auto stream = leat::update(path_, {.buffer_size = in.flag() ? 0 : in.boundary_size(70'000)});
    for (std::size_t n = in.below(8); n != 0; --n) {
      if (in.flag()) {
        read(in, stream);
        continue;
      }
      const std::uint64_t at = position(in);
      const std::string text = content(in);
      step("stream: seek {} write {}", at, text.size());
      stream.seek(at);
      stream.write(text);
      expected_.write(at, text);
    }
    stream.close();
  }

  void call_file(input& in) {
    constexpr std::array routes{leat::route::automatic, leat::route::merged, leat::route::single,
                                leat::route::mapped};
    auto file =
        leat::file::open(path_, in.flag() ? leat::mode::update : leat::mode::update_or_create,
                         {.route = in.one_of(routes), .gap = in.boundary_size(70'000)});
    fuzz::expect(file.is_open() && file.native_handle() >= 0, "the file is not open");
    file.advise(leat::pattern::random);
    file.announce({.at = position(in), .size = in.below(5000)});
    for (std::size_t n = in.below(8); n != 0; --n) {
      const std::uint64_t at = position(in);
      switch (in.below(5)) {
        case 0: {
          const std::uint64_t size = in.flag() ? at : expected_.size;
          step("file: resize {}", size);
          file.resize(size);
          expected_.resize(size);
          break;
        }
        case 1: {
          const std::string text = content(in);
          step("file: write_at {} {}", at, text.size());
          std::error_code ec;
          file.write_at(at, text, ec);
          fuzz::expect(!ec, "write_at() fails");
          expected_.write(at, text);
          break;
        }
        case 2: {
          std::string got(in.boundary_size(5000), '?');
          step("file: read_at {} {}", at, got.size());
          std::error_code ec;
          file.read_at(at, std::span(got), ec);
          const std::string wanted = expected_.read(at, got.size());
          fuzz::expect_equal(!ec, wanted.size() == got.size(), "success of read_at()");
          if (!ec) fuzz::expect_text(got, wanted, "read_at()");
          break;
        }
        case 3: {
          std::vector<leat::byte_range> ranges;
          std::string wanted;
          for (std::size_t k = in.below(6); k != 0; --k) {
            const std::uint64_t from = position(in);
            const std::string existing = expected_.read(from, in.boundary_size(300));
            if (existing.empty()) continue;
            ranges.push_back({from, existing.size()});
            wanted += existing;
          }
          step("file: read_ranges {}", ranges.size());
          std::string got(wanted.size(), '?');
          file.read_ranges(ranges, std::span(got));
          fuzz::expect_text(got, wanted, "read_ranges()");
          if (!ranges.empty())
            fuzz::expect_equal(file.last_plan().positions, ranges.size(), "last_plan()");
          break;
        }
        default: {
          std::vector<leat::byte_range> ranges;
          std::string texts;
          for (std::size_t k = in.below(6); k != 0; --k) {
            const std::string text = in.bytes(1 + in.below(60));
            ranges.push_back({position(in), text.size()});
            texts += text;
          }
          step("file: write_ranges {}", ranges.size());
          file.write_ranges(ranges, texts);
          // If ranges overlap, the bytes of the last range stay.
          for (std::size_t k = 0, from = 0; k != ranges.size(); from += ranges[k++].size)
            expected_.write(ranges[k].at, std::string_view(texts).substr(from, ranges[k].size));
        }
      }
      fuzz::expect_equal(file.size(), expected_.size, "size() of the file");
    }
    file.close();
  }

  void call_c_stream(input& in) {
    leat_file* const f = leat_fopen(path_.c_str(), "r+");
    if (in.flag()) leat_setvbuf(f, nullptr, _IOFBF, 1 + in.boundary_size(70'000));
    for (std::size_t n = in.below(8); n != 0; --n) {
      const std::uint64_t at = position(in);
      fuzz::expect_equal(leat_fseeko(f, static_cast<leat_off_t>(at), SEEK_SET), 0, "fseeko()");
      fuzz::expect_equal(leat_ftello(f), static_cast<leat_off_t>(at), "ftello()");
      if (in.flag()) {
        const std::string text = content(in);
        step("C: at {} fwrite {}", at, text.size());
        fuzz::expect_equal(leat_fwrite(text.data(), 1, text.size(), f), text.size(), "fwrite()");
        expected_.write(at, text);
      } else {
        std::string got(in.boundary_size(5000), '?');
        step("C: at {} fread {}", at, got.size());
        const std::size_t wanted = got.size();
        got.resize(leat_fread(got.data(), 1, got.size(), f));
        fuzz::expect_text(got, expected_.read(at, wanted), "fread()");
      }
    }
    fuzz::expect_equal(leat_fseeko(f, 0, SEEK_END), 0, "fseeko() to the end");
    fuzz::expect_equal(leat_ftello(f), static_cast<leat_off_t>(expected_.size),
                       "ftello() at the end");
    leat_fclose(f);
  }

  void call_c_writer(input& in) {
    expected_ = {};
    leat_writer* const out = leat_writer_create(path_.c_str(), nullptr);
    for (std::size_t n = in.below(5); n != 0; --n) {
      const std::uint64_t at = position(in);
      const std::string text = content(in);
      step("C's writer: seek {} write {}", at, text.size());
      fuzz::expect_equal(leat_writer_seek(out, at), 0, "leat_writer_seek()");
      leat_writer_write(out, text.data(), text.size());
      expected_.write(at, text);
      fuzz::expect_equal(leat_writer_tell(out), at + text.size(), "leat_writer_tell()");
    }
    fuzz::expect_equal(leat_writer_close(out), 0, "leat_writer_close()");
  }

  std::string path_;
  model expected_;
};

void drive(input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept { fuzz::fail("bytes were lost"); });
  position_calls calls;
  while (in.has_more()) calls.make_call(in);
}

const fuzz::driver self("positions", drive);

}  // namespace
