// Random sequences of operations on files and records, compared with the same operations on a
// string.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"
#include "support/sized_record.hpp"

namespace {

using namespace leat_test;
using leat::mode;
using leat::records;
using leat::records_options;
using leat::route;

struct stopped {};

/// A file of records, and the string that must have the same bytes.
template <class T>
class comparison {
 public:
  comparison(const std::string& path, unsigned seed) : random_(seed), path_(path) {
    shape_.header = random_choice({0, 0, 1, 10, 4096, 5000});
    shape_.stride = random_choice({0, 0, sizeof(T), sizeof(T) + 1, sizeof(T) + 700, 5000});
    const auto count = below(2) != 0 ? below(20) : below(4000);
    const std::size_t step = std::max<std::size_t>(shape_.stride, sizeof(T));
    expected_.resize(std::min<std::size_t>(
        shape_.header + (count == 0 ? 0 : (count - 1) * step + sizeof(T)) + below(3) * below(9),
        150'000));
    fill(expected_);

    auto& options = shape_.access;
    options.route = std::array{route::automatic, route::mapped, route::merged, route::single,
                               route::direct}[below(5)];
    options.threads = 1 + static_cast<unsigned>(below(3));
    options.gap = random_choice({0, 0, 1, 100, 5000, ~std::size_t{0}});
    options.longest = random_choice({0, 0, 1, 4096, 20'000, ~std::size_t{0}});
    options.depth = random_choice({0, 0, 1, 2, 7, ~std::size_t{0}});
    options.memory = random_choice({0, 1, 600 * 16, options.memory});
    if (below(4) == 0) {
      options.progress = [this](std::size_t done, std::size_t all) {
        EXPECT_LE(done, all);
        reported_ = done;
      };
    }
    copies_ = below(3) == 0;
    const mode open_mode = copies_ ? mode::copy : mode::update;
    switch (below(3)) {
      case 0:
        write_file(path_, expected_);
        records_ = records<T>::open(path_, open_mode, shape_);
        break;
      case 1:
        request_log_ = std::make_shared<request_log>();
        request_log_->content = expected_;
        request_log_->cached = below(2) != 0;
        records_ = records<T>(
            leat::file(std::make_unique<counted_device>(request_log_), open_mode, options), shape_);
        break;
      default:
        script_ = new_script();
        script_->content = expected_;
        script_->random_sizes = true;
        script_->interrupt_every = 5;
        records_ = records<T>(leat::file(device_of(script_), open_mode, options), shape_);
        break;
    }
    before_ = expected_;
    stride_ = step;
    const std::size_t first_end = shape_.header + sizeof(T);
    count_ = expected_.size() < first_end ? 0 : (expected_.size() - first_end) / stride_ + 1;
  }

  void run() {
    check("open");
    const std::size_t steps = 3 + below(12);
    for (std::size_t i = 0; i != steps && !testing::Test::HasFailure(); ++i) {
      if (below(3) == 0) make_cold();
      check(step());
    }
    if (copies_) {
      EXPECT_TRUE(device_content() == before_) << "a copy has changed its file";
    }
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  std::size_t random_choice(std::initializer_list<std::size_t> list) {
    return list.begin()[below(list.size())];
  }

  void fill(std::span<char> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t some = random_();
      std::memcpy(bytes.data() + i, &some, std::min(sizeof some, bytes.size() - i));
    }
  }

  const char* step() {
    switch (below(16)) {
      case 0:
      case 1:
        return gather(), "gather";
      case 2:
      case 3:
        return update(below(3) == 0), "update";
      case 4:
      case 5:
        return scatter(), "scatter";
      case 6:
        return append(), "append";
      case 7:
        return resize(), "resize";
      case 8:
        return iterate(), "iterate";
      case 9:
        return access_single_records(), "single records";
      case 10:
        return read_ranges(), "read_ranges";
      case 11:
        return write_ranges(), "write_ranges";
      case 12:
        return write_at(), "write_at";
      case 13:
        return make_refused_calls(), "refused calls";
      case 14:
        records_.sync();
        records_.underlying().advise(leat::pattern::random);
        records_.underlying().announce({below(9000), below(9000)});
        return "sync";
      default:
        records<T> other = std::move(records_);
        EXPECT_FALSE(records_.is_open());  // NOLINT(bugprone-use-after-move)
        records_ = std::move(other);
        return "move";
    }
  }

  std::vector<std::int32_t> positions() {
    std::vector<std::int32_t> list(count_ == 0     ? 0
                                   : below(2) != 0 ? below(30)
                                                   : below(leat_test::sanitized ? 2500 : 5000));
    const std::size_t range = below(3) == 0 ? std::min<std::size_t>(count_, 50) : count_;
    for (auto& position : list) position = static_cast<std::int32_t>(below(range));
    if (below(4) == 0) std::ranges::sort(list);
    return list;
  }
  char* expected_record(std::size_t position) {
    return expected_.data() + shape_.header + position * stride_;
  }
  T random_value() {
    T value;
    fill({reinterpret_cast<char*>(&value), sizeof value});
    return value;
  }
  bool is_expected(const T& value, std::size_t position) {
    return std::memcmp(&value, expected_record(position), sizeof(T)) == 0;
  }

  void gather() {
    const auto chosen = positions();
    reported_ = chosen.size();
    const auto found = records_.gather(chosen);
    for (std::size_t i = 0; i != chosen.size(); ++i)
      ASSERT_TRUE(is_expected(found[i], static_cast<std::size_t>(chosen[i]))) << i;
    EXPECT_EQ(reported_, chosen.size());
  }

  void update(bool stops) {
    const auto chosen = positions();
    const std::size_t stop = stops && !chosen.empty() ? below(chosen.size()) : chosen.size();
    std::vector<char> called(chosen.size());
    const auto change = [](unsigned char first, std::size_t occurrence) {
      return static_cast<unsigned char>(std::size_t{3} * first + occurrence);
    };
    reported_ = chosen.size();
    try {
      records_.update(chosen, [&](T& value, std::size_t occurrence) {
        auto* const first = reinterpret_cast<unsigned char*>(&value);
        *first = change(*first, occurrence);
        if (occurrence == stop) throw stopped();
        called[occurrence] = 1;
      });
      EXPECT_EQ(stop, chosen.size());
      EXPECT_EQ(reported_, chosen.size());
      EXPECT_TRUE(std::ranges::all_of(called, [](char c) { return c == 1; }));
    } catch (const stopped&) {
      EXPECT_NE(stop, chosen.size());
    }
    for (std::size_t i = 0; i != chosen.size(); ++i) {
      char* const first = expected_record(static_cast<std::size_t>(chosen[i]));
      if (called[i] != 0) *first = static_cast<char>(change(static_cast<unsigned char>(*first), i));
    }
  }

  void scatter() {
    const auto chosen = positions();
    std::vector<T> values(chosen.size());
    for (auto& value : values) value = random_value();
    records_.scatter(chosen, std::span<const T>(values));
    for (std::size_t i = 0; i != chosen.size(); ++i)
      std::memcpy(expected_record(static_cast<std::size_t>(chosen[i])), &values[i], sizeof(T));
  }

  void append() {
    std::vector<T> values(below(10));
    for (auto& value : values) value = random_value();
    records_.append(values);
    for (const auto& value : values) {
      const std::size_t end = shape_.header + count_ * stride_ + sizeof(T);
      expected_.resize(std::max(expected_.size(), end));
      std::memcpy(expected_record(count_++), &value, sizeof(T));
    }
  }

  void resize() {
    if (script_ && !copies_) return;  // the device can't be resized
    const std::size_t count = below(2) != 0 ? below(count_ + 1) : count_ + below(20);
    records_.resize(count);
    const std::size_t end = shape_.header + count_ * stride_;
    if (count > count_ && expected_.size() > end && expected_.size() - end < sizeof(T))
      expected_.resize(end);
    expected_.resize(shape_.header + (count == 0 ? 0 : (count - 1) * stride_ + sizeof(T)));
    count_ = count;
  }

  void iterate() {
    std::size_t position = 0;
    for (const T value : records_) {
      ASSERT_LT(position, count_);
      ASSERT_TRUE(is_expected(value, position)) << position;
      ++position;
    }
    EXPECT_EQ(position, count_);
  }

  void access_single_records() {
    for (int i = 0; i != 5 && count_ != 0; ++i) {
      const std::size_t position = below(count_);
      EXPECT_TRUE(is_expected(records_[position], position));
      const T value = random_value();
      records_.set(position, value);
      std::memcpy(expected_record(position), &value, sizeof(T));
      EXPECT_TRUE(is_expected(records_.get(position), position));
    }
  }

  /// Random ranges up to `end`.
  std::vector<leat::byte_range> ranges(std::size_t end) {
    std::vector<leat::byte_range> list(below(2) != 0 ? below(20) : below(600));
    const std::size_t longest = random_choice({1, 10, 300, 9000});
    for (auto& one : list) {
      one.at = below(end + 1);
      one.size = std::min<std::size_t>(below(longest + 1), end - one.at);
    }
    return list;
  }

  void read_ranges() {
    const auto list = ranges(expected_.size());
    std::vector<char> times(list.size());
    std::string expected_bytes;
    for (const auto& one : list) expected_bytes += expected_.substr(one.at, one.size);
    records_.underlying().read_ranges(list, [&](std::string_view bytes, std::size_t index) {
      ++times[index];
      EXPECT_TRUE(bytes == std::string_view(expected_).substr(list[index].at, list[index].size));
    });
    EXPECT_TRUE(std::ranges::all_of(times, [](char n) { return n == 1; }));
    std::string found(expected_bytes.size(), '\0');
    records_.underlying().read_ranges(list, std::span<char>(found));
    EXPECT_TRUE(found == expected_bytes);
  }

  void write_ranges() {
    auto list = ranges(expected_.size() + below(2) * 10'000);
    if (below(2) != 0) {  // without overlaps
      std::ranges::sort(list, {}, &leat::byte_range::at);
      for (std::size_t i = 0; i + 1 < list.size(); ++i)
        list[i].size = std::min(list[i].size, list[i + 1].at - list[i].at);
      std::ranges::shuffle(list, random_);
    }
    std::string bytes;
    std::size_t total = 0;
    for (const auto& one : list) total += one.size;
    bytes.resize(total);
    fill(bytes);
    records_.underlying().write_ranges(list, bytes);
    std::size_t from = 0;
    for (const auto& one : list) {
      if (one.size != 0)
        expected_.resize(std::max<std::size_t>(expected_.size(), one.at + one.size));
      bytes.copy(expected_.data() + one.at, one.size, from);
      from += one.size;
    }
  }

  void write_at() {
    const std::size_t at = below(expected_.size() + 9000);
    const std::string bytes(below(9000), static_cast<char>(random_()));
    records_.underlying().write_at(at, bytes);
    if (bytes.empty()) return;
    expected_.resize(std::max(expected_.size(), at + bytes.size()));
    bytes.copy(expected_.data() + at, bytes.size());
    std::string found(expected_.size() - at, '\0');
    records_.underlying().read_at(at, std::span<char>(found));
    EXPECT_TRUE(found == expected_.substr(at));
  }

  void make_refused_calls() {
    auto chosen = positions();
    chosen.insert(chosen.begin() + static_cast<std::ptrdiff_t>(below(chosen.size() + 1)),
                  below(2) != 0 ? static_cast<std::int32_t>(count_) : -1);
    std::vector<T> values(chosen.size());
    std::error_code ec;
    records_.gather(chosen, std::span(values), ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
    records_.scatter(chosen, std::span<const T>(values), ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
    records_.update(chosen, [](T&) { ADD_FAILURE(); }, ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
    records_.underlying().read_ranges(
        std::vector<leat::byte_range>{{0, 0}, {expected_.size(), 1}},
        [](std::string_view, std::size_t) { ADD_FAILURE(); }, ec);
    EXPECT_EQ(ec, leat::errc::no_such_record);
  }

  void make_cold() {
    if (request_log_) {
      request_log_->announced.clear();
      return;
    }
    if (script_) return;
    drop_from_cache(path_);
  }

  /// The content of the device.
  std::string device_content() const {
    if (request_log_) return request_log_->content;
    if (script_) return script_->content;
    return read_all(path_);
  }

  void check(const char* after) {
    ASSERT_EQ(records_.size(), count_) << after;
    ASSERT_EQ(records_.underlying().size(), expected_.size()) << after;
    std::string content(expected_.size(), '\0');
    records_.underlying().read_at(0, std::span<char>(content));
    ASSERT_TRUE(content == expected_) << after;
    if (!copies_) {
      ASSERT_TRUE(device_content() == expected_) << after;
    }
  }

  std::mt19937_64 random_;
  std::string path_;
  records_options shape_;
  bool copies_ = false;
  std::shared_ptr<request_log> request_log_;
  std::shared_ptr<device_script> script_;
  records<T> records_;
  std::string expected_, before_;  // before_: the file's bytes, which a copy must keep
  std::size_t stride_ = 0, count_ = 0, reported_ = 0;
};

std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoul(value, nullptr, 10);
}

/// LEAT_SEED is the first sequence's seed (default 0), LEAT_SEQUENCES the number of sequences. A
/// failure prints the values that repeat the failed sequence.
TEST(differential, random_operations_have_the_same_effect_as_on_a_string) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const std::size_t first = from_environment("LEAT_SEED", 0);
  const std::size_t count = from_environment("LEAT_SEQUENCES", rounds(1000));
  for (std::size_t i = first; i != first + count && !HasFailure(); ++i) {
    SCOPED_TRACE("LEAT_SEED=" + std::to_string(i) + " LEAT_SEQUENCES=1");
    const auto seed = static_cast<unsigned>(i);
    switch (i % 5) {
      case 0:
        comparison<bytes_of_size<1>>(path, seed).run();
        break;
      case 1:
        comparison<std::int32_t>(path, seed).run();
        break;
      case 2:
        comparison<std::uint64_t>(path, seed).run();
        break;
      case 3:
        comparison<bytes_of_size<13>>(path, seed).run();
        break;
      default:
        comparison<bytes_of_size<4500>>(path, seed).run();
        break;
    }
  }
}

}  // namespace
