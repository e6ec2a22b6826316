// libpng reads and writes through leat's streams, as docs/libraries.md shows. libpng reports
// errors by longjmp().
#include <gtest/gtest.h>
#include <png.h>
#include <leat/error.hpp>
#include <leat/memory.hpp>

#include <csetjmp>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "adapters/inputs.hpp"

namespace {

using namespace leat_test;

void read(png_structp png, png_bytep into, std::size_t n) {
  std::error_code ec;
  static_cast<leat::reader*>(png_get_io_ptr(png))->read_exactly(std::span(into, n), ec);
  if (ec) png_error(png, "a read failed");
}

void write(png_structp png, png_bytep from, std::size_t n) {
  static_cast<leat::writer*>(png_get_io_ptr(png))->write(std::span(from, n));
}

constexpr png_uint_32 width = 100;

/// An image that libpng has written.
std::string some_png() {
  leat::string_writer out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, static_cast<leat::writer*>(&out), write, [](png_structp) {});
  png_set_IHDR(png, info, width, 1, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_byte row[width];
  for (png_uint_32 i = 0; i != width; ++i) row[i] = static_cast<png_byte>(i * 7);
  png_write_row(png, row);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out.take();
}

/// The pixels, or none if libpng reports an error.
std::vector<png_byte> pixels(leat::reader& in) {
  std::vector<png_byte> row(width);
  png_structp png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, nullptr,
      [](png_structp failed, png_const_charp) { png_longjmp(failed, 1); }, nullptr);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png)) == 0) {
    png_set_read_fn(png, &in, read);
    png_read_info(png, info);
    png_read_row(png, row.data(), nullptr);
    png_read_end(png, nullptr);
  } else {
    row.clear();
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return row;
}

TEST(libpng, reads_its_own_output_from_every_reader) {
  in_every_reader(some_png() + "rest", [](leat::reader& in) {
    const std::vector<png_byte> row = pixels(in);
    ASSERT_EQ(row.size(), width);
    EXPECT_EQ(row[99], static_cast<png_byte>(99 * 7));
    EXPECT_EQ(in.read_all(), "rest");
  });
}

TEST(libpng, a_failed_read_is_an_error_of_libpng_and_the_last_error) {
  auto in = reader_failing_after(some_png().substr(0, 60));
  EXPECT_TRUE(pixels(in).empty());
  EXPECT_EQ(leat::last_error().code(), std::errc::io_error);
  EXPECT_EQ(leat::last_error().path(), "failing");
}

}  // namespace
