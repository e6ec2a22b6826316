// Fails each allocation of an opening in turn: the opening returns an error code, and no file or
// descriptor remains. Also: reads, rows, quoted texts and reports of lost bytes while allocations
// fail.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/quoted.hpp>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

/// The number of this thread's allocations that still succeed.
thread_local int allocations_left = std::numeric_limits<int>::max();

/// While an object exists, this thread's allocations fail, except the first `after` allocations.
class failing_allocations {
 public:
  explicit failing_allocations(int after) { allocations_left = after; }
  ~failing_allocations() { allocations_left = std::numeric_limits<int>::max(); }
  failing_allocations(const failing_allocations&) = delete;
  failing_allocations& operator=(const failing_allocations&) = delete;
};

void* allocate(std::size_t size) noexcept {
  if (allocations_left <= 0) return nullptr;
  if (allocations_left != std::numeric_limits<int>::max()) --allocations_left;
  return std::malloc(size != 0 ? size : 1);
}

}  // namespace

// Not inline: after inlining, GCC would warn that malloc and free do not match delete and new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace {

using namespace leat_test;

template <class Open>
void fail_each_allocation(const temporary_folder& folder, const Open& open) {
  const auto descriptors = count_open_descriptors();
  const auto names = folder.names();
  int failures = 0;
  for (;; ++failures) {
    ASSERT_LT(failures, 100);
    std::error_code ec;
    decltype(open(ec)) out;
    {
      const failing_allocations limit(failures);
      out = open(ec);
    }
    if (!ec) {
      EXPECT_TRUE(out.is_open());
      if constexpr (requires { out.discard(); }) out.discard();
      break;
    }
    EXPECT_EQ(ec, std::errc::not_enough_memory) << failures;
    EXPECT_FALSE(out.is_open());
    // In an emulator (qemu, Wine), counting descriptors takes long.
    if (!emulated) {
      EXPECT_EQ(count_open_descriptors(), descriptors) << failures;
    }
    EXPECT_EQ(folder.names(), names) << failures;
  }
  EXPECT_GE(failures, 2) << "at least the device and the stream's sink or source are allocated";
  EXPECT_EQ(count_open_descriptors(), descriptors);
}

TEST(failing_allocation, when_opening_leaves_no_file_and_no_descriptor) {
  const temporary_folder folder;
  const std::string path = folder / "a name that no short string has room for";
  write_file(path, "old");
  for (const auto interval : {std::chrono::milliseconds(0), std::chrono::milliseconds(1000)}) {
    fail_each_allocation(
        folder, [&](auto& ec) { return leat::create(path, {.flush_interval = interval}, ec); });
    fail_each_allocation(
        folder, [&](auto& ec) { return leat::append(path, {.flush_interval = interval}, ec); });
    fail_each_allocation(
        folder, [&](auto& ec) { return leat::replace(path, {.flush_interval = interval}, ec); });
    fail_each_allocation(folder, [](auto& ec) { return leat::temporary_file(ec); });
  }
  const leat::create_options safe{.durability = leat::durability::system};
  fail_each_allocation(folder, [&](auto& ec) { return leat::create(path, safe, ec); });
}

TEST(failing_allocation, when_opening_to_read_live_leaves_no_file_and_no_descriptor) {
  const temporary_folder folder;
  const std::string path = folder / "a name that no short string has room for";
  write_file(path, "old");
  fail_each_allocation(folder, [&](auto& ec) { return leat::open(path, {.live = true}, ec); });
}

TEST(failing_allocation, when_quoting_a_text_loses_no_bytes) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file");
  out.write("[");
  const std::string text = std::string(100, 'x') + '"' + std::string(100, 'y');
  {
    const failing_allocations none(0);
    leat::write_json(out, text);
    leat::write_csv(out, text);
  }
  out.close();
  const std::string x(100, 'x'), y(100, 'y');
  EXPECT_EQ(read_all(folder / "file"), "[\"" + x + "\\\"" + y + "\"\"" + x + "\"\"" + y + '"');
}

TEST(failing_allocation, when_reading_is_reported_by_last_error_and_reads_no_bytes) {
  const temporary_folder folder;
  const std::string path = folder / "file", text(100, 'x');
  write_file(path, text);
  auto in = leat::open(path);
  static_cast<void>(in.peek(1));
  const auto expect_failure = [&](const auto& read) {
    std::error_code ec;
    {
      const failing_allocations none(0);
      read(ec);
    }
    EXPECT_EQ(ec, std::errc::not_enough_memory);
    EXPECT_EQ(leat::last_error().code(), ec);
    EXPECT_EQ(leat::last_error().path(), path);
    EXPECT_EQ(in.tell(), 0U);
    static_cast<void>(leat::open("", ec));  // replaces the last error
  };
  std::string line;
  expect_failure([&](auto& ec) { in.read_line(line, ec); });
  expect_failure([&](auto& ec) { static_cast<void>(in.read_all(ec)); });
  expect_failure([&](auto& ec) { static_cast<void>(in.read_all(1000, ec)); });
  {
    const failing_allocations none(0);
    EXPECT_EQ(in.find(text), 0U) << "find needs no memory";
  }
  EXPECT_EQ(in.read_all(), text);
}

TEST(failing_allocation, does_not_affect_rows_of_a_short_text) {
  const std::string text = std::string(99, ',') + "\n\"a\"," + std::string(149, '\n') + 'x';
  leat::memory_reader in(text);
  std::size_t rows = 0;
  std::size_t fields = 0;
  {
    const failing_allocations none(0);
    for (const leat::row& row : in.rows({.quotes = true})) {
      ++rows;
      fields += row.size();
    }
  }
  EXPECT_EQ(rows, 151U);
  EXPECT_EQ(fields, 100U + 2U + 149U);
}

TEST(failing_allocation, when_reading_rows_is_an_error_and_loses_no_row) {
  const std::string long_field(100'000, 'x');
  const std::string text = "a,b\n\"" + std::string(100, 'x') + "\"\"\",d\ne,f\n\"" + long_field +
                           "\"\"\",h\n\"i\"\"\",\"" + std::string(300, 'y') + "\"\"\"";
  int failures = 0;
  for (bool failed = true; failed; ++failures) {
    ASSERT_LT(failures, 100);
    leat::memory_reader in(text);
    std::string got;
    failed = false;
    const auto take_rows = [&](auto& ec) {
      for (const leat::row& row : in.rows({.quotes = true}, ec)) got.append(row.text()) += '\n';
    };
    got.reserve(2 * text.size());
    std::error_code ec;
    {
      const failing_allocations limit(failures);
      take_rows(ec);
    }
    if (ec) {
      failed = true;
      EXPECT_EQ(ec, std::errc::not_enough_memory);
      EXPECT_EQ(leat::last_error().code(), std::errc::not_enough_memory);
      take_rows(ec);  // continues with the row that failed
      EXPECT_FALSE(ec);
    }
    EXPECT_TRUE(got == text + '\n') << failures;
  }
  EXPECT_GT(failures, 4);
}

#if defined(HAS_FORK) && defined(HAS_SYSTEM_FILES)
TEST(failing_allocation, when_reporting_a_loss_leads_to_a_short_message) {
  const auto child = run_in_child([] {
    auto out = leat::create("/dev/full");
    out.write("lost");
    const failing_allocations none(0);
    out = leat::file_writer();
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(child.err,
            "leat: bytes were lost or a call failed, and no memory is left to say more\n");
}
#endif

#if defined(HAS_FORK)
TEST(failing_allocation, for_the_loss_counter_of_a_closed_stream_is_reported) {
  const auto child = run_in_child([] {
    leat::file_writer out;
    const failing_allocations none(0);
    out.write("lost");
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_NE(child.err, "");
}

/// A device whose writes call exit().
class exiting_device final : public leat::device {
 public:
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code&) noexcept override {
    allocations_left = 0;
    std::exit(0);
  }
  void close(std::error_code&) noexcept override {}
};

// A signal handler that interrupted malloc may call exit(), so the report must not allocate.
TEST(failing_allocation, at_exit_does_not_prevent_the_report_of_an_open_stream) {
  const auto child = run_in_child([] {
    static leat::file_writer out(std::make_unique<exiting_device>(), {}, "device");
    out.write(std::string(1 << 20, 'x'));
  });
  EXPECT_EQ(child.err,
            "leat: cannot write 'device': The program ended while a thread used the stream\n");
}
#endif

}  // namespace
