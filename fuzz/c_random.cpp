// Random calls with random options on C's random access files, and batches on C's streams, compared
// with a string.
#include <leat/leat.h>
#include <leat/file_stream.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step;

constexpr std::array<std::size_t, 6> sizes{1, 2, 4, 8, 24, 700};

/// The positions of a batch, with repeats. Rarely the last position is outside the file.
struct batch {
  std::size_t size = 0;
  std::uint64_t header = 0;
  std::vector<std::uint64_t> positions;
  bool fits = true;  ///< all positions are in the file

  batch(input& in, std::size_t file_size, bool may_have_header) : size(in.one_of(sizes)) {
    if (may_have_header && in.flag()) header = in.below(50);
    const std::size_t count = file_size < header ? 0 : (file_size - header) / size;
    for (std::size_t n = count == 0 ? 0 : in.below(in.flag() ? 12 : 300); n != 0; --n)
      positions.push_back(in.below(count));
    if (!in.rarely(16)) return;
    positions.push_back(count + in.below(3));
    fits = false;
  }
  std::size_t at(std::size_t i) const { return header + positions[i] * size; }
  std::size_t bytes() const { return positions.size() * size; }
};

/// Returns ranges of the file, and adds their sizes to `bytes`.
std::vector<leat_range> ranges_of(input& in, std::size_t file_size, std::size_t& bytes) {
  std::vector<leat_range> ranges;
  for (std::size_t n = in.below(20); n != 0; --n) {
    const std::size_t at = in.below(file_size + 1);
    ranges.push_back({at, std::min(in.boundary_size(5000), file_size - at)});
    bytes += ranges.back().size;
  }
  return ranges;
}

/// The callback of an update. The new bytes of a record depend on the old bytes and on the index.
struct record_change {
  std::size_t size;
  std::size_t stops_at;                ///< the number of calls before the call that stops the batch
  std::vector<std::size_t> changed{};  ///< the indexes of the changed records

  record_change(input& in, const batch& b)
      : size(b.size), stops_at(in.rarely(4) ? in.below(b.positions.size() + 1) : ~std::size_t{0}) {}
  static int change(void* record, std::size_t index, void* context) {
    auto& self = *static_cast<record_change*>(context);
    if (self.changed.size() == self.stops_at) return 5;
    self.changed.push_back(index);
    change(static_cast<char*>(record), self.size, index);
    return 0;
  }
  static void change(char* record, std::size_t size, std::size_t index) {
    for (std::size_t i = 0; i != size; ++i)
      record[i] = static_cast<char>(record[i] * 3 + static_cast<char>(index));
  }
};

/// The functions of a device over a string.
struct string_device {
  std::string content;
  int closes = 0;  // number of calls of close()

  static ssize_t read(void* self, std::uint64_t at, void* to, std::size_t size) {
    const auto& from = static_cast<string_device*>(self)->content;
    if (at >= from.size()) return 0;
    return static_cast<ssize_t>(from.copy(static_cast<char*>(to), size, at));
  }
  static ssize_t write(void* self, std::uint64_t at, const void* from, std::size_t size) {
    auto& to = static_cast<string_device*>(self)->content;
    to.resize(std::max(to.size(), at + size));
    to.replace(at, size, static_cast<const char*>(from), size);
    return static_cast<ssize_t>(size);
  }
  static leat_off_t size(void* self) {
    return static_cast<leat_off_t>(static_cast<string_device*>(self)->content.size());
  }
  static int resize(void* self, std::uint64_t size) {
    return static_cast<string_device*>(self)->content.resize(size), 0;
  }
  static int close(void* self) { return ++static_cast<string_device*>(self)->closes, 0; }
};

class random_access_calls {
 public:
  random_access_calls() : path_(fuzz::scratch() + "positions") {}
  ~random_access_calls() { std::filesystem::remove(path_); }
  random_access_calls(const random_access_calls&) = delete;
  random_access_calls& operator=(const random_access_calls&) = delete;

  void begin(input& in) {
    content_ = in.bytes(in.boundary_size(300'000));
    leat::write_file(path_, content_);
  }
  void make_call(input& in) {
    if (in.flag())
      call_random_access(in);
    else
      call_stream(in);
    fuzz::expect_text(leat::read_file(path_), content_, "the file");
  }

 private:
  static int progress(std::size_t done, std::size_t all, void* context) {
    fuzz::expect(done <= all, "progress is more than all");
    ++*static_cast<int*>(context);
    return 0;
  }

  void call_random_access(input& in) {
    int calls = 0;
    constexpr std::array routes{LEAT_ROUTE_AUTOMATIC, LEAT_ROUTE_AUTOMATIC, LEAT_ROUTE_MAPPED,
                                LEAT_ROUTE_MERGED,    LEAT_ROUTE_SINGLE,    LEAT_ROUTE_DIRECT};
    leat_access_options options{};
    options.route = in.one_of(routes);
    options.threads = in.rarely(4) ? 3 : 0;
    options.gap = in.flag() ? 0 : in.boundary_size(70'000);
    options.longest = in.flag() ? 0 : 1 + in.boundary_size(70'000);
    options.depth = in.below(5);
    options.memory = in.flag() ? 0 : 1 + in.boundary_size(5000);
    options.progress = in.flag() ? &progress : nullptr;
    options.context = &calls;
    options.durability = in.rarely(16) ? LEAT_DURABILITY_SYSTEM : LEAT_DURABILITY_NONE;
    options.caching = in.rarely(16) ? LEAT_CACHING_DIRECT : LEAT_CACHING_CACHED;
    options.local_only = in.flag();
    options.codec_memory = in.boundary_size();
    const bool copies = in.rarely(8);
    const std::string before = content_;
    step("leat_random_access_open route {} threads {} gap {} longest {} memory {} copy {}",
         static_cast<int>(options.route), options.threads, options.gap, options.longest,
         options.memory, copies);
    const leat_mode mode = copies ? LEAT_MODE_COPY : LEAT_MODE_UPDATE;
    leat_random_access_file* f = nullptr;
    string_device underlying;
    const bool is_over_device = in.rarely(4), creates = !is_over_device && !copies && in.rarely(6);
    if (is_over_device) {
      step("over a device");
      underlying.content = content_;
      const leat_device_functions functions{.read = &string_device::read,
                                            .write = &string_device::write,
                                            .size = &string_device::size,
                                            .resize = &string_device::resize,
                                            .sync = nullptr,
                                            .close = &string_device::close,
                                            .reserved = {}};
      leat_device* const device = leat_device_new(&functions, &underlying);
      f = leat_random_access_over(device, mode, &options, "a string");
      leat_device_free(device);
    } else {
      f = creates ? leat_random_access_create(path_.c_str(), &options)
                  : leat_random_access_open(path_.c_str(), mode, &options);
    }
    if (f == nullptr)
      return fuzz::expect(options.caching == LEAT_CACHING_DIRECT || copies,
                          "leat_random_access_open()");
    if (creates) content_.clear();
    for (std::size_t n = in.below(8); n != 0; --n) make_call(in, f, options, copies);
    fuzz::expect_equal(leat_random_access_close(f), 0, "leat_random_access_close()");
    if (copies) content_ = before;
    if (!is_over_device) return;
    fuzz::expect_text(underlying.content, content_, "the device");
    fuzz::expect_equal(underlying.closes, 1, "the number of closes of the device");
    leat::write_file(path_, content_);
  }

  void make_call(input& in, leat_random_access_file* f, const leat_access_options& options,
                 bool copies) {
    const std::size_t at = in.below(content_.size() + 1), n = in.boundary_size(5000);
    // Some file systems have no direct I/O, and a copy in memory has none.
    const bool may_fail =
        options.route == LEAT_ROUTE_DIRECT || options.caching == LEAT_CACHING_DIRECT || copies;
    switch (in.below(10)) {
      case 0: {
        std::string got(n, '?');
        step("read_at {} {}", at, n);
        const bool fits = at + n <= content_.size();
        fuzz::expect_equal(leat_random_access_read_at(f, at, got.data(), n) == 0, fits,
                           "leat_random_access_read_at()");
        if (fits)
          fuzz::expect_text(got, std::string_view(content_).substr(at, n),
                            "leat_random_access_read_at()");
        break;
      }
      case 1: {
        const std::string text = in.bytes(n);
        step("write_at {} {}", at, n);
        if (leat_random_access_write_at(f, at, text.data(), n) != 0)
          return fuzz::expect(copies, "leat_random_access_write_at()");
        if (n != 0) content_.resize(std::max(content_.size(), at + n));
        content_.replace(at, n, text);
        break;
      }
      case 2: {
        if (in.flag()) break;
        step("resize {}", at + n / 2);
        if (leat_random_access_resize(f, at + n / 2) != 0)
          return fuzz::expect(copies, "leat_random_access_resize()");
        content_.resize(at + n / 2);
        break;
      }
      case 3:
        leat_random_access_advise(f, LEAT_PATTERN_RANDOM);
        leat_random_access_announce(f, {at, n});
        break;
      case 4: {
        const batch b(in, content_.size(), true);
        std::string got(b.bytes(), '?');
        step("gather {} of {}", b.positions.size(), b.size);
        const int result = leat_random_access_gather(f, b.header, b.size, b.positions.data(),
                                                     b.positions.size(), got.data());
        if (result != 0 && b.fits) return fuzz::expect(may_fail, "leat_random_access_gather()");
        check_gathered(b, result, got);
        if (b.fits && !b.positions.empty())
          expect_planned(b, leat_random_access_last_plan(f), options);
        break;
      }
      case 5: {
        const batch b(in, content_.size(), true);
        const std::string values = in.bytes(b.bytes());
        step("scatter {} of {}", b.positions.size(), b.size);
        const int result = leat_random_access_scatter(f, b.header, b.size, b.positions.data(),
                                                      b.positions.size(), values.data());
        if (result != 0 && b.fits) fuzz::fail("leat_random_access_scatter()");
        check_scattered(b, result, values);
        break;
      }
      case 6: {
        const batch b(in, content_.size(), true);
        record_change change(in, b);
        step("update {} of {}", b.positions.size(), b.size);
        leat_random_access_file* const file = f;
        const int result =
            leat_random_access_update(file, b.header, b.size, b.positions.data(),
                                      b.positions.size(), &record_change::change, &change);
        check_updated(b, change, result);
        break;
      }
      case 7: {
        std::size_t bytes = 0;
        const auto ranges = ranges_of(in, content_.size(), bytes);
        std::string got(bytes, '?');
        step("read_ranges {}", ranges.size());
        if (leat_random_access_read_ranges(f, ranges.data(), ranges.size(), got.data()) != 0)
          return fuzz::expect(may_fail, "leat_random_access_read_ranges()");
        check_ranges(ranges, got);
        break;
      }
      case 8: {
        std::size_t bytes = 0;
        const auto ranges = ranges_of(in, content_.size(), bytes);
        std::vector<std::string> got(ranges.size(), "none");
        step("visit_ranges {}", ranges.size());
        const int result = leat_random_access_visit_ranges(
            f, ranges.data(), ranges.size(),
            [](leat_text text, std::size_t index, void* context) {
              (*static_cast<std::vector<std::string>*>(context))[index].assign(text.bytes,
                                                                               text.size);
            },
            &got);
        if (result != 0) return fuzz::expect(may_fail, "leat_random_access_visit_ranges()");
        std::string all;
        for (const auto& piece : got) all += piece;
        check_ranges(ranges, all);
        break;
      }
      default: {
        std::size_t bytes = 0;
        const auto ranges = ranges_of(in, content_.size(), bytes);
        const std::string text = in.bytes(bytes);
        step("write_ranges {}", ranges.size());
        if (leat_random_access_write_ranges(f, ranges.data(), ranges.size(), text.data()) != 0)
          fuzz::fail("leat_random_access_write_ranges()");
        std::size_t from = 0;
        for (const auto& range : ranges) {
          content_.replace(range.at, range.size, text, from, range.size);
          from += range.size;
        }
      }
    }
    fuzz::expect_equal(leat_random_access_size(f), static_cast<leat_off_t>(content_.size()),
                       "leat_random_access_size()");
    if (in.rarely(32))
      fuzz::expect_equal(leat_random_access_sync(f), 0, "leat_random_access_sync()");
  }

  void call_stream(input& in) {
    leat_file* const f = leat_open(path_.c_str(), "r+", nullptr);
    fuzz::expect(f != nullptr, "leat_open()");
    if (in.flag())
      leat_setvbuf(f, nullptr, in.flag() ? _IOFBF : _IONBF, 1 + in.boundary_size(5000));
    for (std::size_t n = in.below(8); n != 0; --n) {
      switch (in.below(5)) {
        case 0: {  // buffered bytes are in the file before a batch begins
          const std::size_t at = in.below(content_.size() + 1);
          const std::string text = in.bytes(in.below(100));
          step("stream: seek {} write {}", at, text.size());
          leat_fseeko(f, static_cast<leat_off_t>(at), SEEK_SET);
          leat_fwrite(text.data(), 1, text.size(), f);
          if (!text.empty()) content_.resize(std::max(content_.size(), at + text.size()));
          content_.replace(at, text.size(), text);
          break;
        }
        case 1: {
          const batch b(in, content_.size(), false);
          std::string got(b.bytes(), '?');
          step("stream: gather {} of {}", b.positions.size(), b.size);
          const auto at = leat_ftello(f);
          check_gathered(
              b, leat_gather(f, b.size, b.positions.data(), b.positions.size(), got.data()), got);
          fuzz::expect_equal(leat_ftello(f), at, "leat_ftello() after leat_gather()");
          break;
        }
        case 2: {
          const batch b(in, content_.size(), false);
          const std::string values = in.bytes(b.bytes());
          step("stream: scatter {} of {}", b.positions.size(), b.size);
          check_scattered(
              b, leat_scatter(f, b.size, b.positions.data(), b.positions.size(), values.data()),
              values);
          break;
        }
        case 3: {
          const batch b(in, content_.size(), false);
          record_change change(in, b);
          step("stream: update {} of {}", b.positions.size(), b.size);
          const int result = leat_update(f, b.size, b.positions.data(), b.positions.size(),
                                         &record_change::change, &change);
          check_updated(b, change, result);
          break;
        }
        default: {
          std::size_t bytes = 0;
          const auto ranges = ranges_of(in, content_.size(), bytes);
          std::string got(bytes, '?');
          step("stream: read_ranges {}", ranges.size());
          fuzz::expect_equal(leat_read_ranges(f, ranges.data(), ranges.size(), got.data()), 0,
                             "leat_read_ranges()");
          check_ranges(ranges, got);
          if (!ranges.empty())
            fuzz::expect_equal(leat_last_plan(f).positions, ranges.size(), "leat_plan::positions");
        }
      }
      fuzz::expect_equal(leat_ferror(f), 0, "ferror()");
    }
    fuzz::expect_equal(leat_fclose(f), 0, "fclose()");
  }

  static void expect_planned(const batch& b, const leat_plan& plan,
                             const leat_access_options& options) {
    fuzz::expect_equal(plan.positions, b.positions.size(), "leat_plan::positions");
    if (plan.taken == LEAT_ROUTE_MAPPED) return fuzz::expect_equal(plan.gap, 0U, "leat_plan::gap");
    std::vector<std::uint64_t> sorted = b.positions;
    std::ranges::sort(sorted);
    const auto distinct =
        static_cast<std::size_t>(std::ranges::unique(sorted).begin() - sorted.begin());
    fuzz::expect(plan.bytes >= distinct * b.size, "leat_plan::bytes is less than the records");
    // Gaps within a page are always read. If the memory is limited, several batches are made, and
    // each batch may read the same position.
    if (plan.taken == LEAT_ROUTE_MERGED && options.memory == 0)
      fuzz::expect(plan.bytes <= distinct * (b.size + std::max<std::size_t>(plan.gap, 4096)),
                   "leat_plan::bytes is more than the records and the gaps");
  }
  void check_gathered(const batch& b, int result, std::string_view got) const {
    fuzz::expect_equal(result, b.fits ? 0 : -1, "the result of a gather");
    if (!b.fits) fuzz::expect_equal(errno, EINVAL, "errno of gather");
    for (std::size_t i = 0; result == 0 && i != b.positions.size(); ++i)
      fuzz::expect_text(got.substr(i * b.size, b.size),
                        std::string_view(content_).substr(b.at(i), b.size), "a gathered record");
  }
  void check_scattered(const batch& b, int result, std::string_view values) {
    fuzz::expect_equal(result, b.fits ? 0 : -1, "the result of a scatter");
    for (std::size_t i = 0; result == 0 && i != b.positions.size(); ++i)
      content_.replace(b.at(i), b.size, values.substr(i * b.size, b.size));
  }
  void check_updated(const batch& b, const record_change& change, int result) {
    const std::size_t all = b.fits ? b.positions.size() : 0;
    fuzz::expect_equal(result,
                       !b.fits                 ? -1
                       : change.stops_at < all ? 5
                                               : 0,
                       "the result of an update");
    fuzz::expect_equal(change.changed.size(), std::min(change.stops_at, all), "calls of an update");
    for (const std::size_t i : change.changed)
      record_change::change(content_.data() + b.at(i), b.size, i);
  }
  void check_ranges(const std::vector<leat_range>& ranges, std::string_view got) const {
    for (const auto& range : ranges) {
      fuzz::expect_text(got.substr(0, range.size),
                        std::string_view(content_).substr(range.at, range.size), "a range");
      got.remove_prefix(range.size);
    }
  }

  std::string path_;
  std::string content_;
};

void drive(input& in) {
  random_access_calls calls;
  calls.begin(in);
  while (in.has_more()) calls.make_call(in);
}

const fuzz::driver self("c_random", drive);

}  // namespace
