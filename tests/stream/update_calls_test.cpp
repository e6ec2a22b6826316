// Update mode makes of a file what the same calls make of a string: each kind, and any sequence.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "support/files.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

struct setup {
  std::size_t buffer_size;
  bool short_calls;
};
constexpr setup setups[] = {{1, false}, {2, true}, {7, false}, {4096, true}, {0, false}, {0, true}};

/// A file and a string. Each public function makes one random call to both and compares them.
class compared_file {
 public:
  compared_file(std::mt19937& random, const setup& how) : random_(random) {
    script_->random_sizes = how.short_calls;
    script_->interrupt_every = how.short_calls ? 3 : 0;
    script_->content = content_ = numbered_text(below(20'000));
    file_ = leat::file_stream(device_of(script_), {.buffer_size = how.buffer_size});
  }

  void seek() {
    at_ = below(content_.size() + 100);
    file_.seek(at_);
  }

  void seek_by() {
    const auto step = static_cast<std::int64_t>(below(200)) - 100;
    if (step < 0 && static_cast<std::size_t>(-step) > at_) return;
    at_ = static_cast<std::size_t>(static_cast<std::int64_t>(at_) + step);
    file_.seek_by(step);
  }

  void read() {
    std::string into(some_size(), '?');
    const std::size_t n = file_.read(std::span(into));
    ASSERT_EQ(into.substr(0, n), rest().substr(0, into.size()));
    at_ += n;
  }

  void get() {
    const int byte = file_.get();
    ASSERT_EQ(byte, rest().empty() ? -1 : static_cast<unsigned char>(rest()[0]));
    at_ += byte >= 0 ? 1 : 0;
  }

  void peek() {
    const std::size_t n = below(3000);
    ASSERT_EQ(file_.peek(n), rest().substr(0, n));
  }

  void read_line() {
    std::string line;
    const bool got = file_.read_line(line);
    ASSERT_EQ(got, !rest().empty());
    const auto stop = rest().find('\n');
    ASSERT_EQ(line, rest().substr(0, stop));
    at_ += std::min(rest().size(), stop == std::string_view::npos ? stop : stop + 1);
  }

  void write() {
    const std::string bytes = numbered_text(some_size());
    file_.write(bytes);
    overwrite(bytes);
  }

  void put() {
    file_.put('x');
    overwrite("x");
  }

  void print() {
    const auto number = static_cast<int>(below(100'000));
    file_.print("<{}>", number);
    overwrite(leat::format("<{}>", number));
  }

  void flush() {
    if (below(4) != 0) return;  // so that windows become full
    file_.flush();
    ASSERT_EQ(script_->content, content_);
  }

  void patch() {
    if (at_ <= 20) return;
    file_.patch(at_ - 20, "patch");
    const std::size_t before = at_;
    at_ -= 20;
    overwrite("patch");
    at_ = before;
  }

  void expect_same_place() {
    ASSERT_EQ(file_.tell(), at_);
    ASSERT_EQ(file_.size(), content_.size());
  }

  void close() {
    file_.close();
    ASSERT_EQ(script_->content, content_);
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  std::size_t some_size() { return below(40) == 0 ? below(70'000) : below(300); }
  std::string_view rest() const {
    return at_ < content_.size() ? std::string_view(content_).substr(at_) : std::string_view();
  }
  void overwrite(std::string_view bytes) {
    if (bytes.empty()) return;
    if (content_.size() < at_ + bytes.size()) content_.resize(at_ + bytes.size());
    std::ranges::copy(bytes, content_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += bytes.size();
  }

  std::mt19937& random_;
  std::string content_;
  std::size_t at_ = 0;
  std::shared_ptr<device_script> script_ = new_script();
  leat::file_stream file_;
};

struct kind_of_call {
  const char* name;
  void (compared_file::*call)();
};
std::ostream& operator<<(std::ostream& out, const kind_of_call& kind) { return out << kind.name; }

constexpr kind_of_call kinds[] = {
    {"seek", &compared_file::seek},   {"seek_by", &compared_file::seek_by},
    {"read", &compared_file::read},   {"get", &compared_file::get},
    {"peek", &compared_file::peek},   {"read_line", &compared_file::read_line},
    {"write", &compared_file::write}, {"put", &compared_file::put},
    {"print", &compared_file::print}, {"flush", &compared_file::flush},
    {"patch", &compared_file::patch},
};

/// Makes so many calls of these kinds, each chosen at random.
void make_calls(compared_file& file, std::mt19937& random, std::span<const kind_of_call> of,
                int count) {
  for (int i = 0; i != count; ++i) {
    const kind_of_call& kind = of[random() % of.size()];
    SCOPED_TRACE(testing::Message() << "call " << i << ", " << kind);
    ASSERT_NO_FATAL_FAILURE((file.*kind.call)());
    ASSERT_NO_FATAL_FAILURE(file.expect_same_place());
  }
  file.close();
}

class update_call : public testing::TestWithParam<kind_of_call> {};
INSTANTIATE_TEST_SUITE_P(each, update_call, testing::ValuesIn(kinds),
                         [](const auto& which) { return std::string(which.param.name); });

// With seek() and put() in between, so that the call is made at many places and in both directions.
TEST_P(update_call, does_what_it_does_to_a_string) {
  const kind_of_call with_others[] = {
      {"seek", &compared_file::seek}, {"put", &compared_file::put}, GetParam()};
  std::mt19937 random(1);
  for (const setup& how : setups)
    for (int round = 0; round != rounds(4); ++round) {
      SCOPED_TRACE(testing::Message() << "window " << how.buffer_size << ", round " << round);
      compared_file file(random, how);
      ASSERT_NO_FATAL_FAILURE(make_calls(file, random, with_others, 100));
    }
}

class update_calls : public testing::TestWithParam<setup> {};
INSTANTIATE_TEST_SUITE_P(windows, update_calls, testing::ValuesIn(setups));

TEST_P(update_calls, in_any_sequence_do_what_they_do_to_a_string) {
  std::mt19937 random(static_cast<unsigned>(GetParam().buffer_size) + 7);
  for (int round = 0; round != rounds(20); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    compared_file file(random, GetParam());
    ASSERT_NO_FATAL_FAILURE(make_calls(file, random, kinds, 300));
  }
}

}  // namespace
