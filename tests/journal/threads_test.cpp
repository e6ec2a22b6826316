// Several threads use a journal: threads of the program, and the threads of `background` and
// `flush_interval`.
#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "journal/journal_model.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;
using leat::durability;
using leat::journal;
using leat::journal_reader;
using leat::journal_record;

/// A device for one thread at a time, which counts calls that overlap.
class counting_device final : public leat::device {
 public:
  explicit counting_device(std::atomic<int>& overlaps) : overlaps_(overlaps) {}
  leat::device_traits traits() const noexcept override { return {.positional = true}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    const scope inside(*this);
    return disk_->read_at(at, into, ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    const scope inside(*this);
    return disk_->write_at(at, pieces, ec);
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    const scope inside(*this);
    return disk_->size(ec);
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    const scope inside(*this);
    disk_->resize(size, ec);
  }
  void sync(std::error_code& ec) noexcept override {
    const scope inside(*this);
    disk_->sync(ec);
  }
  void close(std::error_code& ec) noexcept override {
    const scope inside(*this);
    disk_->close(ec);
  }

 private:
  struct scope {
    const counting_device& of;
    explicit scope(const counting_device& device) : of(device) {
      if (of.inside_++ != 0) ++of.overlaps_;
      std::this_thread::yield();
    }
    ~scope() { --of.inside_; }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
  };

  leat::volatile_file file_;
  std::unique_ptr<leat::device> disk_ = file_.open();
  std::atomic<int>& overlaps_;
  mutable std::atomic<int> inside_ = 0;
};

TEST(journal, only_one_thread_at_a_time_calls_the_device) {
  for (const leat::journal_options& how :
       {leat::journal_options{.background = true},
        leat::journal_options{.flush_interval = std::chrono::milliseconds(1)},
        leat::journal_options{.durability = durability::system,
                              .flush_interval = std::chrono::milliseconds(1)}}) {
    std::atomic<int> overlaps = 0;
    journal out(std::make_unique<counting_device>(overlaps), how);
    const std::uint64_t first = out.append("first");
    out.flush();
    for (int i = 0; i != 2000; ++i) {
      out.append(std::string(3000, 'x'));
      if (i % 7 == 0) {
        EXPECT_EQ(out.read_at(first), "first");
      }
    }
    out.clear();
    out.close();
    EXPECT_EQ(overlaps, 0);
  }
}

TEST(journal, keeps_all_records_of_each_thread_in_order) {
  const temporary_folder folder;
  for (const auto level : {durability::none, durability::process}) {
    const std::string path = folder / std::to_string(static_cast<int>(level));
    auto out = journal::open(path, {.durability = level});
    std::vector<std::thread> threads;
    std::atomic<bool> wrong = false;
    for (int t = 0; t != 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i != 300; ++i) {
          const std::string text = std::to_string(t) + ' ' + std::to_string(i) +
                                   std::string(static_cast<std::size_t>(i % 7) * 1000, 'x');
          const auto at = out.append(text);
          if (i % 50 == 0) out.sync();
          if (i % 100 == 0 && out.read_at(at) != text) wrong = true;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(wrong);
    out.close();
    auto in = journal_reader::open(path);
    int next[4] = {};
    for (const auto& record : in) {
      const int t = record.bytes[0] - '0';
      const std::string begin = std::to_string(t) + ' ' + std::to_string(next[t]);
      EXPECT_TRUE(record.bytes.starts_with(begin));
      ++next[t];
    }
    for (const int count : next) EXPECT_EQ(count, 300);
  }
}

}  // namespace
