// Sizes of C++ classes, offsets of members that inline functions use, and the virtual table of
// leat::device: programs are compiled with these numbers. Changing a number requires a new minor
// version. c_layout_test.cpp has the numbers of C.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/fstream.hpp>
#include <leat/leat.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "stdio/file.hpp"

namespace {

template <class T, std::size_t Size, std::size_t Align = 8>
constexpr bool has_layout = sizeof(T) == Size && alignof(T) == Align;

/// Gives a pointer to a private member that inline functions use. Only an explicit instantiation
/// may name a private member.
template <class Key, auto Member>
struct member_access {
  friend constexpr auto member(Key) { return Member; }
};
#define MEMBER(class_, member_)                       \
  struct class_##_##member_ {                         \
    friend constexpr auto member(class_##_##member_); \
  };                                                  \
  template struct member_access<class_##_##member_, &leat::class_::member_>

MEMBER(writer, next_);
MEMBER(writer, end_);
MEMBER(writer, print_end_);
MEMBER(writer, sink_);
MEMBER(writer, direct_writer_);
MEMBER(reader, next_);
MEMBER(reader, end_);
MEMBER(reader, begin_);
MEMBER(reader, base_);
MEMBER(reader, buffer_version_);
MEMBER(reader, source_);

// In the Itanium C++ ABI, a pointer to a member is the member's offset. A pointer to a virtual
// function is its offset in the virtual table, plus 1.
template <class Member>
std::ptrdiff_t offset(Member member) {
  std::ptrdiff_t value = 0;
  std::memcpy(&value, &member, sizeof value);
  return value;
}

template <class Function>
std::ptrdiff_t slot(Function function) {
  return (offset(function) - 1) / static_cast<std::ptrdiff_t>(sizeof(void*));
}

}  // namespace

#if defined(__LP64__) && !defined(_WIN32)

static_assert(has_layout<leat::writer, 40>);
static_assert(has_layout<leat::shared_writer, 40>);
static_assert(has_layout<leat::synchronized, 48>);
static_assert(has_layout<leat::standard_writer, 40>);
static_assert(has_layout<leat::file_writer, 40>);
static_assert(has_layout<leat::memory_writer, 80>);
static_assert(has_layout<leat::reader, 48>);
static_assert(has_layout<leat::standard_reader, 48>);
static_assert(has_layout<leat::file_reader, 48>);
static_assert(has_layout<leat::memory_reader, 64>);
static_assert(has_layout<leat::mapped_file, 64>);
static_assert(has_layout<leat::file_stream, 88>);
static_assert(has_layout<leat::line_options, 16>);
static_assert(has_layout<leat::line_range, 2152>);
static_assert(has_layout<leat::match_range, 1112>);
static_assert(has_layout<leat::word_range, 720>);
static_assert(has_layout<leat::backward_line_range, 56>);
static_assert(has_layout<leat::finder, 8>);
static_assert(has_layout<leat::format_string<int>, 48>);
static_assert(has_layout<leat::device, 8>);
static_assert(has_layout<leat::device_traits, 9, 1>);
static_assert(has_layout<leat::device_speed, 32>);
static_assert(has_layout<leat::read_request, 48>);
static_assert(has_layout<leat::write_request, 48>);
static_assert(has_layout<leat::map_options, 8, 4>);
static_assert(has_layout<leat::writer_options, 32>);
static_assert(has_layout<leat::reader_options, 24>);
static_assert(has_layout<leat::stream_options, 24>);
static_assert(has_layout<leat::byte_range, 16>);
static_assert(has_layout<leat::file, 8>);
static_assert(has_layout<leat::records<int>, 40>);
static_assert(has_layout<leat::folder, 4, 4>);
static_assert(has_layout<leat::file_lock, 16>);
static_assert(has_layout<leat::detail::any_value, 24>);
static_assert(has_layout<leat::detail::format_step, 8>);
static_assert(has_layout<leat::detail::format_plan, 4, 4>);
static_assert(has_layout<leat::detail::time_stamp, 16>);
static_assert(has_layout<leat::detail::record_layout, 32>);
static_assert(has_layout<leat::detail::position_list, 24>);
static_assert(has_layout<leat::detail::visit, 16>);
static_assert(has_layout<leat::path_ref, 24>);

#  if defined(__GLIBCXX__)  // these classes contain types of the standard library
static_assert(has_layout<leat::string_writer, 80>);
static_assert(has_layout<leat::ostream, 472>);
static_assert(has_layout<leat::istream, 480>);
static_assert(has_layout<leat::ofstream, 544>);
static_assert(has_layout<leat::ifstream, 552>);
static_assert(has_layout<leat::fstream, 560>);
static_assert(has_layout<leat::ostringstream, 688>);
static_assert(has_layout<leat::istringstream, 696>);
static_assert(has_layout<leat::stringstream, 704>);
static_assert(has_layout<leat::detail::stream_core, 32>);
static_assert(has_layout<leat::detail::stream_buffer, 96>);
static_assert(has_layout<leat::create_options, 72>);
static_assert(has_layout<leat::append_options, 64>);
static_assert(has_layout<leat::replace_options, 72>);
static_assert(has_layout<leat::open_options, 64>);
static_assert(has_layout<leat::update_options, 32>);
static_assert(has_layout<leat::temporary_options, 24>);
static_assert(has_layout<leat::follow_options, 32>);
static_assert(has_layout<leat::access_options, 96>);
static_assert(has_layout<leat::records_options, 112>);
static_assert(has_layout<leat::batch_plan, 104>);
static_assert(has_layout<leat::failure, 48>);
static_assert(has_layout<leat::io_error, 48>);
static_assert(has_layout<leat::format_error, 24>);
static_assert(has_layout<leat::parse_result<int>, 32>);
static_assert(has_layout<leat::detail::batch_failure, 80>);
#  endif

TEST(Layout, members_that_inline_functions_use_have_fixed_offsets) {
  EXPECT_EQ(offset(&leat_file::get), 224);  // in <leat/stdio.h>
  EXPECT_EQ(offset(&leat_file::get_end), 232);
  EXPECT_EQ(offset(&leat_file::put), 240);
  EXPECT_EQ(offset(&leat_file::put_end), 248);
  EXPECT_EQ(offset(member(writer_next_{})), 0);
  EXPECT_EQ(offset(member(writer_end_{})), 8);
  EXPECT_EQ(offset(member(writer_print_end_{})), 16);
  EXPECT_EQ(offset(member(writer_sink_{})), 24);
  EXPECT_EQ(offset(member(writer_direct_writer_{})), 32);
  EXPECT_EQ(offset(member(reader_next_{})), 0);
  EXPECT_EQ(offset(member(reader_end_{})), 8);
  EXPECT_EQ(offset(member(reader_begin_{})), 16);
  EXPECT_EQ(offset(member(reader_base_{})), 24);
  EXPECT_EQ(offset(member(reader_buffer_version_{})), 32);
  EXPECT_EQ(offset(member(reader_source_{})), 40);
}

#  if !defined(__aarch64__)  // AArch64 marks virtual functions in another way
TEST(Layout, virtual_functions_of_devices_have_fixed_slots) {
  using leat::device;
  std::ptrdiff_t next = 2;  // after the two destructors
  EXPECT_EQ(slot(&device::traits), next++);
  EXPECT_EQ(slot(&device::read_at), next++);
  EXPECT_EQ(slot(&device::write_at), next++);
  EXPECT_EQ(slot(&device::read_ready), next++);
  EXPECT_EQ(slot(&device::view_at), next++);
  EXPECT_EQ(slot(&device::announce), next++);
  EXPECT_EQ(slot(&device::read_many), next++);
  EXPECT_EQ(slot(&device::write_many), next++);
  EXPECT_EQ(slot(&device::start_read), next++);
  EXPECT_EQ(slot(&device::finish_read), next++);
  EXPECT_EQ(slot(&device::cancel_read), next++);
  EXPECT_EQ(slot(&device::speed), next++);
  EXPECT_EQ(slot(&device::copy_at), next++);
  EXPECT_EQ(slot(&device::position), next++);
  EXPECT_EQ(slot(&device::size), next++);
  EXPECT_EQ(slot(&device::resize), next++);
  EXPECT_EQ(slot(&device::reserve), next++);
  EXPECT_EQ(slot(&device::advise), next++);
  EXPECT_EQ(slot(&device::expect_sync), next++);
  EXPECT_EQ(slot(&device::sync), next++);
  EXPECT_EQ(slot(&device::now), next++);
  EXPECT_EQ(slot(&device::cost), next++);
  EXPECT_EQ(slot(&device::close), next++);
  EXPECT_EQ(slot(&device::native_handle), next++);
  EXPECT_EQ(slot(&device::release), next++);
  EXPECT_EQ(slot(&device::size_when_opened), next++);
}
#  endif

#endif
