// Arrow reads and writes IPC and Parquet through leat, and reads CSV. `make test-arrow` builds this
// test with PyPI's wheel of Arrow, which is too large for every run.
#include <arrow/api.h>
#include <arrow/csv/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <leat/adapters/arrow.hpp>
#include <leat/codecs.hpp>
#include <leat/leat.hpp>
#include <leat/testing.hpp>

#include <memory>
#include <random>
#include <string>

#include "adapters/inputs.hpp"

namespace {

using namespace leat_test;
using leat::adapters::arrow_file;
using leat::adapters::arrow_input;
using leat::adapters::arrow_output;

std::shared_ptr<arrow::Table> some_table(int rows) {
  arrow::Int64Builder ids;
  arrow::StringBuilder texts;
  for (int i = 0; i != rows; ++i) {
    EXPECT_TRUE(ids.Append(i).ok());
    EXPECT_TRUE(texts.Append("text " + std::to_string(i * 7919 % 10007)).ok());
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("text", arrow::utf8())}),
      {ids.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
}

std::string ipc_of(const arrow::Table& table) {
  leat::string_writer out;
  auto stream = std::make_shared<arrow_output>(out);
  auto to = arrow::ipc::MakeStreamWriter(stream, table.schema()).ValueOrDie();
  EXPECT_TRUE(to->WriteTable(table).ok());
  EXPECT_TRUE(to->Close().ok());
  EXPECT_TRUE(stream->Close().ok());
  return std::string(out.view());
}

TEST(arrow, ipc_streams_are_read_by_every_reader) {
  const auto table = some_table(500);
  in_every_reader(ipc_of(*table), [&](leat::reader& in) {
    arrow_input stream(in);
    auto batches = arrow::ipc::RecordBatchStreamReader::Open(&stream).ValueOrDie();
    const auto got = batches->ToTable();
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_TRUE((*got)->Equals(*table));
  });
}

TEST(arrow, csv_is_read_from_a_compressed_file) {
  const temporary_folder folder;
  {
    auto out = leat::create(folder / "a.csv.zst", {.compression = leat::compression::zstd});
    out.println("id,text");
    for (int i = 0; i != 5000; ++i) out.println("{},text {}", i, i * 7919 % 10007);
    out.close();
  }
  auto in = leat::open(folder / "a.csv.zst", {.compression = leat::compression::zstd});
  const auto stream = std::make_shared<arrow_input>(in);
  const auto csv = arrow::csv::TableReader::Make(
                       arrow::io::default_io_context(), stream, arrow::csv::ReadOptions::Defaults(),
                       arrow::csv::ParseOptions::Defaults(), arrow::csv::ConvertOptions::Defaults())
                       .ValueOrDie();
  const auto got = csv->Read();
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_TRUE((*got)->CombineChunks().ValueOrDie()->Equals(*some_table(5000)));
}

TEST(arrow, parquet_files_are_written_and_read_back) {
  const temporary_folder folder;
  const auto table = some_table(20'000);
  for (const bool compressed : {false, true}) {
    const auto compression = compressed ? leat::compression::zstd : leat::compression::none;
    auto out =
        leat::replace(folder / "a.parquet", {.compression = compression, .seekable = compressed});
    const auto stream = std::make_shared<arrow_output>(out);
    ASSERT_TRUE(
        parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), stream, 3000).ok());
    out.close();
    const auto file = std::make_shared<arrow_file>(
        leat::file::open(folder / "a.parquet", leat::mode::read, {.compression = compression}));
    auto from = parquet::arrow::OpenFile(file, arrow::default_memory_pool());
    ASSERT_TRUE(from.ok()) << from.status().ToString();
    std::shared_ptr<arrow::Table> got;
#if ARROW_VERSION_MAJOR >= 24
    const auto read = (*from)->ReadTable();
    ASSERT_TRUE(read.ok());
    got = *read;
#else
    ASSERT_TRUE((*from)->ReadTable(&got).ok());
#endif
    EXPECT_TRUE(got->CombineChunks().ValueOrDie()->Equals(*table));
  }
}

// Reads of any kind, compared with Arrow's own stream over memory.
TEST(arrow, random_calls_have_the_same_results_as_with_arrows_own_streams) {
  std::string text;
  for (int i = 0; text.size() < 3000; ++i) text += std::to_string(i) + ' ';
  std::mt19937 random(20260108);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  in_every_reader(text, [&](leat::reader& in) {
    leat::volatile_file disk(text);
    arrow_input stream(in);
    arrow_file file(leat::file(disk.open(), leat::mode::read));
    arrow::io::BufferReader own_stream(arrow::Buffer::FromString(text)),
        own_file(arrow::Buffer::FromString(text));
    ASSERT_EQ(file.GetSize().ValueOrDie(), own_file.GetSize().ValueOrDie());
    for (int i = 0; i != 60; ++i) {
      const std::int64_t n = below(below(4) == 0 ? 4000 : 100), at = below(3100);
      switch (below(4)) {
        case 0: {
          ASSERT_TRUE(stream.Read(n).ValueOrDie()->Equals(*own_stream.Read(n).ValueOrDie()));
          break;
        }
        case 1: {
          const auto left = std::string_view(text).substr(
              static_cast<std::size_t>(own_stream.Tell().ValueOrDie()));
          ASSERT_EQ(stream.Peek(n).ValueOrDie(), left.substr(0, static_cast<std::size_t>(n)));
          break;
        }
        case 2: {
          if (at > static_cast<std::int64_t>(text.size())) break;
          ASSERT_TRUE(file.Seek(at).ok() && own_file.Seek(at).ok());
          ASSERT_TRUE(file.Read(n).ValueOrDie()->Equals(*own_file.Read(n).ValueOrDie()));
          break;
        }
        default:
          if (at > static_cast<std::int64_t>(text.size())) break;
          ASSERT_TRUE(
              file.ReadAt(at, n).ValueOrDie()->Equals(*own_file.ReadAt(at, n).ValueOrDie()));
      }
      ASSERT_EQ(stream.Tell().ValueOrDie(), own_stream.Tell().ValueOrDie());
      ASSERT_EQ(file.Tell().ValueOrDie(), own_file.Tell().ValueOrDie());
    }
  });
}

TEST(arrow, a_failure_is_a_status_with_the_message_of_leat) {
  auto in = reader_failing_after("12345");
  arrow_input stream(in);
  EXPECT_EQ(stream.Read(5).ValueOrDie()->ToString(), "12345");
  const arrow::Status failed = stream.Read(1).status();
  EXPECT_TRUE(failed.IsIOError());
  EXPECT_NE(failed.message().find("failing"), std::string::npos) << failed.ToString();
  EXPECT_TRUE(stream.Read(-1).status().IsInvalid());
  auto out = writer_full_after(100, 64);
  arrow_output full(out);
  arrow::Status status;
  for (int i = 0; i != 100 && status.ok(); ++i) status = full.Write("1234567890", 10);
  EXPECT_TRUE(status.IsIOError());
  EXPECT_TRUE(full.Close().IsIOError());
  EXPECT_TRUE(full.Close().ok());
  leat::volatile_file disk("0123456789");
  leat::fault_plan faults;
  arrow_file file(
      leat::file(std::make_unique<leat::failing_device>(disk.open(), faults), leat::mode::read));
  EXPECT_EQ(file.ReadAt(5, 50).ValueOrDie()->ToString(), "56789");
  EXPECT_TRUE(file.WillNeed({{5, 5}}).ok());
  EXPECT_TRUE(file.WillNeed({{0, 5}, {-5, 5}}).IsInvalid());
  faults.add({.in = leat::device_operation::read,
              .onwards = true,
              .ec = std::make_error_code(std::errc::io_error)});
  EXPECT_TRUE(file.ReadAt(0, 5).status().IsIOError());
  EXPECT_EQ(file.ReadAt(50, 5).ValueOrDie()->size(), 0);
}

}  // namespace
