// The rotation lock of a log while allocations fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <system_error>

#include "logs/log_files.hpp"
#include "support/files.hpp"

namespace {

thread_local bool no_memory = false;

void* allocate_unless_full(std::size_t size) noexcept {
  return no_memory ? nullptr : std::malloc(size != 0 ? size : 1);
}

}  // namespace

// Not inline: after inlining, GCC would warn that malloc and free do not match delete and new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const memory = allocate_unless_full(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_unless_full(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace {

TEST(log_lock, does_not_hold_if_there_is_no_memory_to_check_the_file) {
  const leat_test::temporary_folder folder;
  leat_test::write_file(folder / "log", "");
  std::error_code ec;
  const leat::log_files files(folder / "log", ec);
  const leat::log_files::lock lock(files, ec);
  ASSERT_FALSE(ec) << ec.message();
  EXPECT_TRUE(lock.holds());
  no_memory = true;
  const bool holds = lock.holds();
  no_memory = false;
  EXPECT_FALSE(holds);
  EXPECT_TRUE(lock.holds());
}

}  // namespace
