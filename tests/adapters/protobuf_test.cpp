// protobuf's zero-copy streams over readers and writers: random calls, compared with a string,
// whole messages, failed reads and a full disk.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <gtest/gtest.h>
#include <leat/adapters/protobuf.hpp>
#include <leat/memory.hpp>
#include <leat/testing.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "adapters/inputs.hpp"
#include "support/loss_recorder.hpp"

namespace {

using namespace leat_test;
using google::protobuf::ListValue;
using leat::adapters::protobuf_input;
using leat::adapters::protobuf_output;

ListValue some_message(int values) {
  ListValue message;
  for (int i = 0; i != values; ++i)
    message.add_values()->set_string_value(std::string(static_cast<std::size_t>(i), 'x'));
  return message;
}

std::string numbers(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ' ';
  text.resize(size);
  return text;
}

// The model of the input is a string and a position. Between the calls of protobuf the program may
// use the reader.
TEST(protobuf, random_calls_of_the_input_return_the_bytes_of_a_string) {
  const std::string text = numbers(3000);
  std::mt19937 random(20260103);
  const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
  in_every_reader(text, [&](leat::reader& in) {
    protobuf_input blocks(in);
    std::size_t at = 0, not_by_protobuf = 0;
    for (int i = 0; i != 200; ++i) {
      switch (below(4)) {
        case 0:
        case 1: {
          const void* data = nullptr;
          int size = 0;
          const bool more = blocks.Next(&data, &size);
          ASSERT_EQ(more, at != text.size());
          if (!more) break;
          ASSERT_GT(size, 0);
          const auto n = static_cast<std::size_t>(size);
          ASSERT_EQ(std::string_view(static_cast<const char*>(data), n),
                    std::string_view(text).substr(at, n));
          at += n;
          if (below(2) != 0) break;
          const int back = below(n + 1);
          blocks.BackUp(back);
          at -= static_cast<std::size_t>(back);
          break;
        }
        case 2: {
          const int n = below(below(8) == 0 ? 5000 : 40);
          const std::size_t left = text.size() - at;
          ASSERT_EQ(blocks.Skip(n), static_cast<std::size_t>(n) <= left);
          at += std::min(left, static_cast<std::size_t>(n));
          break;
        }
        default:
          ASSERT_EQ(in.tell(), at);
          if (at == text.size()) break;
          ASSERT_EQ(in.get(), text[at]);
          ++at;
          ++not_by_protobuf;
      }
      ASSERT_EQ(blocks.ByteCount(), static_cast<std::int64_t>(at - not_by_protobuf));
    }
  });
}

TEST(protobuf, random_calls_of_the_output_write_the_bytes_of_a_string) {
  std::mt19937 random(20260104);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (unsigned run = 0; run != 60; ++run) {
    leat::volatile_file disk;
    constexpr std::size_t sizes[] = {1, 7, 64, 4096, 0};
    leat::string_writer memory;
    leat::file_writer file(disk.open(), {.buffer_size = sizes[run % 5]});
    leat::synchronized shared(file);
    leat::writer* const targets[] = {&memory, &file, &shared};
    leat::writer& out = *targets[run / 5 % 3];
    std::string expected;
    std::size_t not_by_protobuf = 0;
    {
      protobuf_output blocks(out);
      for (int i = 0; i != 60; ++i) {
        const std::string text(below(300), static_cast<char>('a' + below(26)));
        switch (below(4)) {
          case 0:
            blocks.flush();
            out.write(text);
            not_by_protobuf += text.size();
            expected += text;
            break;
          case 1:
            ASSERT_TRUE(blocks.WriteAliasedRaw(text.data(), static_cast<int>(text.size())));
            expected += text;
            break;
          default: {
            void* data = nullptr;
            int size = 0;
            ASSERT_TRUE(blocks.Next(&data, &size));
            ASSERT_GT(size, 0);
            // Half of the blocks are filled to their end, and not backed up.
            const auto all = static_cast<std::size_t>(size);
            const std::size_t n = below(2) != 0 ? all : below(all + 1);
            std::memset(data, '.', all);  // protobuf may write more bytes than it keeps
            std::memset(data, 'A' + static_cast<int>(below(26)), n);
            expected.append(static_cast<const char*>(data), n);
            if (n != all) blocks.BackUp(static_cast<int>(all - n));
          }
        }
        ASSERT_EQ(blocks.ByteCount(), static_cast<std::int64_t>(expected.size() - not_by_protobuf));
      }
    }
    out.flush();
    EXPECT_EQ(&out == &memory ? std::string(memory.view()) : disk.content(), expected);
  }
}

// A seek back keeps the bytes after the cursor, whatever protobuf stores there.
TEST(protobuf, bytes_after_the_position_stay_if_a_seek_back_precedes_the_output) {
  leat::string_writer out;
  out.write("0123456789");
  out.seek(3);
  {
    protobuf_output blocks(out);
    void* data = nullptr;
    int size = 0;
    ASSERT_TRUE(blocks.Next(&data, &size));
    std::memset(data, 'x', static_cast<std::size_t>(size));
    blocks.BackUp(size - 2);
  }
  EXPECT_EQ(out.view(), "012xx56789");
}

TEST(protobuf, messages_are_read_by_every_reader) {
  const ListValue message = some_message(40);
  leat::string_writer out;
  {
    protobuf_output blocks(out);
    for (int i = 0; i != 3; ++i)
      ASSERT_TRUE(google::protobuf::util::SerializeDelimitedToZeroCopyStream(message, &blocks));
  }
  out.write("rest");
  in_every_reader(out.view(), [&](leat::reader& in) {
    protobuf_input blocks(in);
    for (int i = 0; i != 3; ++i) {
      ListValue got;
      bool clean = false;
      ASSERT_TRUE(google::protobuf::util::ParseDelimitedFromZeroCopyStream(&got, &blocks, &clean));
      ASSERT_EQ(got.SerializeAsString(), message.SerializeAsString());
    }
    EXPECT_EQ(in.read_all(), "rest");
  });
}

TEST(protobuf, blocks_are_parts_of_the_buffers_of_the_streams) {
  const std::string text = numbers(100);
  leat::memory_reader in(text);
  protobuf_input blocks(in);
  const void* data = nullptr;
  int size = 0;
  ASSERT_TRUE(blocks.Next(&data, &size));
  EXPECT_EQ(data, text.data());
  char area[1000];
  leat::memory_writer out(area);
  protobuf_output room(out);
  void* into = nullptr;
  ASSERT_TRUE(room.Next(&into, &size));
  EXPECT_EQ(into, area);
  room.BackUp(size);
}

// protobuf takes a failure at the end of a message for the end of the input. The reader
// keeps the error.
TEST(protobuf, the_reader_keeps_the_error_of_a_failed_read) {
  const loss_recorder losses;
  const std::string bytes = some_message(20).SerializeAsString();
  for (const std::size_t size : {bytes.size(), bytes.size() - 1, std::size_t{0}}) {
    auto in = reader_failing_after(std::string_view(bytes).substr(0, size));
    protobuf_input blocks(in);
    ListValue message;
    message.ParseFromZeroCopyStream(&blocks);
    EXPECT_FALSE(blocks.Skip(1));
    EXPECT_EQ(in.error(), std::errc::io_error);
    EXPECT_THROW(in.close(), leat::io_error);
  }
}

TEST(protobuf, a_failed_read_that_is_never_checked_is_reported_as_a_loss) {
  loss_recorder losses;
  {
    auto in = reader_failing_after(some_message(3).SerializeAsString());
    protobuf_input blocks(in);
    ListValue message;
    EXPECT_TRUE(message.ParseFromZeroCopyStream(&blocks));
  }
  EXPECT_EQ(losses.take().size(), 1U);
}

TEST(protobuf, a_full_disk_fails_serialization_and_close) {
  const ListValue message = some_message(300);
  for (const std::size_t buffer_size : {std::size_t{1}, std::size_t{100}, std::size_t{4096}}) {
    auto out = writer_full_after(5000, buffer_size);
    {
      protobuf_output blocks(out);
      EXPECT_FALSE(message.SerializeToZeroCopyStream(&blocks));
    }
    EXPECT_THROW(out.close(), leat::io_error);
  }
}

}  // namespace
