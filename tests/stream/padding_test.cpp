// The padding after the bytes of a reader's buffer. Parsers may read the padding.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <string>
#include <string_view>

#include "support/files.hpp"
#include "support/readers.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

static_assert(leat::window_padding == 64);
static_assert(leat::file_reader::padding == 64 && leat::file_stream::padding == 64);
static_assert(leat::standard_reader::padding == 64);
static_assert(leat::memory_reader::padding == 0);

/// Reads the padding after a text. If a page is not mapped, the program crashes. The address
/// sanitizer reports a read beyond the end of an allocation.
void read_padding(std::string_view text, std::size_t padding = leat::window_padding) {
  for (std::size_t i = 0; i != padding; ++i) {
    [[maybe_unused]] const volatile char seen = text.data()[text.size() + i];
  }
}

void read_all_padding(leat::reader& in) {
  for (auto window = in.window(); !window.empty(); window = in.window()) {
    read_padding(window);
    in.skip(window.size());
  }
  in.seek(0);
  for (const std::string_view line : in.lines()) read_padding(line);
}

TEST(padding, can_be_read_after_each_buffer_and_line) {
  const temporary_folder folder;
  for (const std::size_t size : {1u, 63u, 4096u, 8192u, 65'536u, 300'000u}) {
    if (emulated && size > 65'536) break;
    write_file(folder / "text", numbered_text(size));
    for (const std::size_t buffer : buffer_sizes) {
      auto in = leat::open(folder / "text", {.buffer_size = buffer});
      read_all_padding(in);
      auto both = leat::update(folder / "text", {.buffer_size = buffer});
      read_all_padding(both);
    }
  }
}

TEST(padding, can_be_read_after_a_mapping_that_ends_with_its_page) {
  const temporary_folder folder;
  for (const bool guarded : {true, false}) {
    const bool before = leat::guard_mappings(guarded);
    for (const std::size_t size : {1u, 4032u, 4033u, 4095u, 4096u, 8192u, 65'536u, 131'072u}) {
      const std::string text = numbered_text(size);
      write_file(folder / "text", text);
      auto in = leat::map_file(folder / "text");
      EXPECT_EQ(in.view(), text);
      if constexpr (leat::mapped_file::padding != 0) {
        read_padding(in.view());
        read_all_padding(in);
      }
      EXPECT_FALSE(in.error());
    }
    leat::guard_mappings(before);
  }
}

}  // namespace
