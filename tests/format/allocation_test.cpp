// Native types are formatted without allocating memory, except for a string that is returned.
#include <gtest/gtest.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <cstdlib>
#include <limits>
#include <new>
#include <string>

namespace {

thread_local bool is_counting = false;
thread_local int allocations = 0;

}  // namespace

// These functions are not inline: GCC would warn that free() releases memory from new.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (is_counting) ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace leat::test {
namespace {

template <class Call>
int allocations_of(const Call& call) {
  call();  // the first call may initialise {fmt}
  allocations = 0;
  is_counting = true;
  call();
  is_counting = false;
  return allocations;
}

class allocation : public testing::Test {
 protected:
  char area_[8192];
  const std::string text_ = std::string(100, 'x');
  const std::error_code code_ = std::make_error_code(std::errc::invalid_argument);
};

TEST_F(allocation, the_test_counts_a_call_of_operator_new) {
  // A direct call: the compiler may remove a new-expression whose memory is not used.
  EXPECT_GT(allocations_of([] { ::operator delete(::operator new(1000)); }), 0);
}

TEST_F(allocation, does_not_happen_for_native_types) {
  EXPECT_EQ(allocations_of([&] {
              memory_writer to{std::span(area_)};
              to.print("{} {} {} {}\n", 1, -2L, 3U, static_cast<__int128>(1) << 100);
              to.print("{} {} {}\n", 1.5F, 2.5e-300, 3.25L);
              to.print("{} {} {} {}\n", text_, "literal", 'c', true);
              to.print("{} {} {}\n", nullptr, code_, std::byte{1});
            }),
            0);
}

TEST_F(allocation, does_not_happen_for_specifications) {
  EXPECT_EQ(allocations_of([&] {
              memory_writer to{std::span(area_)};
              to.print("{:>8} {:#010x} {:+} {:b}\n", 1, 255, 7,
                       std::numeric_limits<std::uint64_t>::max());
              to.print("{:8.3f} {:e} {:+.17g} {:.300f}\n", 3.14159, 2.5e-300, 1.0 / 3, 1e300);
              to.print("{:>120} {:.5} {:^9}|{:<5}|\n", text_, "literal", 'c', true);
              to.print("{:>20}\n", static_cast<const void*>(area_));
            }),
            0);
}

TEST_F(allocation, does_not_happen_in_the_interpreter) {
  EXPECT_EQ(allocations_of([&] {
              memory_writer to{std::span(area_)};
              to.print("{1} {0:>{2}} {0:.{2}}\n", text_, 2.5, 3);
              to.print(runtime("{} {:x} {:.3f}\n"), text_, 255, 2.5);
              to.println("{{{0}}} {0:6000}", 1);
            }),
            0);
}

TEST_F(allocation, happens_once_for_a_string) {
  EXPECT_EQ(allocations_of([&] { static_cast<void>(leat::format("{} {}", text_, 1)); }), 1);
  EXPECT_EQ(allocations_of([&] { static_cast<void>(leat::format("{}", 1)); }), 0);
}

}  // namespace
}  // namespace leat::test
