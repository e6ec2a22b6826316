// libarchive reads and writes archives through leat, and leat reads and writes the entries of the
// archives.
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <leat/adapters/libarchive.hpp>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <cerrno>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "adapters/inputs.hpp"

namespace {

using namespace leat_test;
using leat::adapters::archive_content;

struct reading {
  archive* a = archive_read_new();
  reading() {
    archive_read_support_format_all(a);
    archive_read_support_filter_all(a);
  }
  ~reading() { archive_read_free(a); }
};

using entries = std::map<std::string, std::string>;

/// Writes an archive. Returns libarchive's last status.
int write_archive(leat::writer& out, const entries& all, int (*format)(archive*)) {
  archive* const a = archive_write_new();
  format(a);
  int status = leat::adapters::create_archive(a, out);
  for (const auto& [name, content] : all) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    if (archive_write_header(a, entry) == ARCHIVE_OK) {
      leat::file_writer to(std::make_unique<archive_content>(a), {.buffer_size = 100}, name);
      to.print("{}", content);
      std::error_code ec;
      to.close(ec);
    }
    archive_entry_free(entry);
  }
  if (status == ARCHIVE_OK) status = archive_write_close(a);
  archive_write_free(a);
  return status;
}

entries read_archive(leat::reader& in) {
  reading r;
  EXPECT_EQ(leat::adapters::open_archive(r.a, in), ARCHIVE_OK) << archive_error_string(r.a);
  entries got;
  archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while ((status = archive_read_next_header(r.a, &entry)) == ARCHIVE_OK) {
    leat::file_reader content(std::make_unique<archive_content>(r.a), {}, "an entry");
    std::string& text = got[archive_entry_pathname(entry)];
    for (const std::string_view line : content.lines()) text.append(line).append("\n");
  }
  EXPECT_EQ(status, ARCHIVE_EOF) << archive_error_string(r.a);
  return got;
}

entries some_entries(unsigned seed) {
  std::mt19937 random(seed);
  entries all;
  for (int i = 0; i != 8; ++i) {
    std::string& text = all["folder/entry " + std::to_string(i)];
    for (std::size_t n = random() % 400; n != 0; --n) text += std::to_string(random()) + '\n';
  }
  return all;
}

class formats : public testing::TestWithParam<int (*)(archive*)> {};

TEST_P(formats, are_read_by_every_suitable_reader) {
  const entries all = some_entries(20260105);
  leat::string_writer out;
  ASSERT_EQ(write_archive(out, all, GetParam()), ARCHIVE_OK);
  in_every_reader(out.view(), [&](leat::reader& in, reader_kind kind) {
    // A 7-Zip archive has its list of entries at the end, so the reader must be able to seek.
    if (GetParam() == archive_write_set_format_7zip &&
        (kind == reader_kind::pipe || kind == reader_kind::stream))
      return;
    EXPECT_EQ(read_archive(in), all);
  });
}

INSTANTIATE_TEST_SUITE_P(libarchive, formats,
                         testing::Values(archive_write_set_format_pax_restricted,
                                         archive_write_set_format_zip,
                                         archive_write_set_format_cpio,
                                         archive_write_set_format_7zip));

// Entries that are not read are skipped. Most of the skipped bytes are not read from the device.
TEST(libarchive, skips_entries_by_seeking) {
  leat::string_writer out;
  ASSERT_EQ(write_archive(out, {{"a", std::string(10'000'000, 'a')}, {"b", "last\n"}},
                          archive_write_set_format_pax_restricted),
            ARCHIVE_OK);
  const auto script = new_script();
  script->content = std::string(out.view());
  leat::file_reader in(device_of(script));
  reading r;
  ASSERT_EQ(leat::adapters::open_archive(r.a, in), ARCHIVE_OK);
  archive_entry* entry = nullptr;
  ASSERT_EQ(archive_read_next_header(r.a, &entry), ARCHIVE_OK);
  ASSERT_EQ(archive_read_next_header(r.a, &entry), ARCHIVE_OK);
  EXPECT_STREQ(archive_entry_pathname(entry), "b");
  std::size_t read_bytes = 0;
  for (const auto& one : script->reads) read_bytes += one.returned;
  EXPECT_LT(read_bytes, 2'000'000U);
}

TEST(libarchive, reports_the_message_of_a_failed_read) {
  leat::string_writer out;
  ASSERT_EQ(write_archive(out, some_entries(20260106), archive_write_set_format_pax_restricted),
            ARCHIVE_OK);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{512}, std::size_t{1200}, out.view().size() - 8000}) {
    SCOPED_TRACE(size);
    auto in = reader_failing_after(out.view().substr(0, size));
    reading r;
    int status = leat::adapters::open_archive(r.a, in);
    archive_entry* entry = nullptr;
    bool failed_inside = false;
    while (status == ARCHIVE_OK && !failed_inside) {
      status = archive_read_next_header(r.a, &entry);
      if (status != ARCHIVE_OK) break;
      leat::file_reader content(std::make_unique<archive_content>(r.a), {}, "an entry");
      std::error_code ec;
      static_cast<void>(content.read_all(ec));
      if (ec) {
        EXPECT_EQ(ec, std::errc::io_error);
        failed_inside = true;
      }
    }
    EXPECT_TRUE(failed_inside || status == ARCHIVE_FATAL) << status;
    EXPECT_EQ(archive_errno(r.a), EIO);
    EXPECT_NE(std::string_view(archive_error_string(r.a)).find("failing"), std::string_view::npos)
        << archive_error_string(r.a);
  }
}

TEST(libarchive, reports_the_message_of_a_failed_write) {
  auto out = writer_full_after(20'000, 4096);
  const entries all{{"a", std::string(100'000, 'a')}};
  archive* const a = archive_write_new();
  archive_write_set_format_pax_restricted(a);
  ASSERT_EQ(leat::adapters::create_archive(a, out), ARCHIVE_OK);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_pathname(entry, "a");
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_size(entry, 100'000);
  ASSERT_EQ(archive_write_header(a, entry), ARCHIVE_OK);
  {
    leat::file_writer to(std::make_unique<archive_content>(a));
    to.write(all.at("a"));
    EXPECT_THROW(to.close(), leat::io_error);
  }
  EXPECT_EQ(archive_errno(a), ENOSPC);
  EXPECT_NE(std::string_view(archive_error_string(a)).find("full"), std::string_view::npos);
  archive_entry_free(entry);
  archive_write_free(a);
  out.discard();
}

// A reader without positions reads the bytes that libarchive skips.
TEST(libarchive, an_entry_whose_skip_fails_ends_the_list) {
  leat::string_writer out;
  ASSERT_EQ(write_archive(out, {{"a", std::string(100'000, 'a')}, {"b", "last\n"}},
                          archive_write_set_format_pax_restricted),
            ARCHIVE_OK);
  const auto script = new_script();
  script->traits.positional = false;
  script->content = std::string(out.view());
  script->read_limit = 50'000;
  leat::file_reader in(device_of(script));
  reading r;
  ASSERT_EQ(leat::adapters::open_archive(r.a, in), ARCHIVE_OK);
  archive_entry* entry = nullptr;
  int listed = 0;
  while (archive_read_next_header(r.a, &entry) == ARCHIVE_OK && listed != 3) ++listed;
  EXPECT_EQ(listed, 1);
}

// If an archive is damaged, the entry's stream reports the damage.
TEST(libarchive, a_truncated_archive_is_an_error_of_the_entry) {
  leat::string_writer out;
  ASSERT_EQ(write_archive(out, {{"a", std::string(100'000, 'a')}},
                          archive_write_set_format_pax_restricted),
            ARCHIVE_OK);
  leat::memory_reader in(out.view().substr(0, 50'000));
  reading r;
  ASSERT_EQ(leat::adapters::open_archive(r.a, in), ARCHIVE_OK);
  archive_entry* entry = nullptr;
  ASSERT_EQ(archive_read_next_header(r.a, &entry), ARCHIVE_OK);
  leat::file_reader content(std::make_unique<archive_content>(r.a), {}, "an entry");
  EXPECT_THROW(static_cast<void>(content.read_all()), leat::io_error);
}

}  // namespace
