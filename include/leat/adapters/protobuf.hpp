// leat's streams for protobuf: a ZeroCopyInputStream over a reader, a ZeroCopyOutputStream over a
// writer. <leat/leat.hpp> does not include this header, which needs protobuf 3.6 or newer.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <google/protobuf/io/zero_copy_stream.h>
#include <leat/detail/buffer_access.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace adapters {

/// A reader as protobuf's ZeroCopyInputStream: the blocks are the reader's buffer.
///
///     auto in = leat::open("people.pb.zst", {.compression = leat::compression::zstd});
///     leat::adapters::protobuf_input blocks(in);
///     const bool is_valid = people.ParseFromZeroCopyStream(&blocks);
///     in.close();  // throws if a read failed: a truncated message may look valid
///
/// BackUp() moves the reader back. So the reader is after the last byte that protobuf has taken,
/// and the program may continue with the reader. Each block is valid until the next call of this
/// object or of the reader.
///
/// protobuf does not distinguish a failed read from the end, and exceptions must not pass through
/// protobuf. So a failed read looks like the end, and the reader keeps the failure: reader::error()
/// returns the failure, close() throws it. Without close() the loss handler is called. @since 0.3
///
/// @par Threads
/// One thread at a time may use a protobuf_input and its reader.
class protobuf_input final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  /// The reader must outlive this object.
  explicit protobuf_input(reader& in) noexcept : in_(&in) {}

  /// Takes all bytes in the reader's buffer, and stores their address and size. If the buffer is
  /// empty, reads first. Returns false at the end and after a failed read.
  bool Next(const void** data, int* size) override {
    const std::string_view block = buffer_access::window(*in_).substr(0, largest);
    *data = block.data();
    *size = static_cast<int>(block.size());
    take(block.size());
    return !block.empty();
  }
  /// Returns the last `count` bytes of the last block to the reader.
  void BackUp(int count) override {
    buffer_access::set_next(*in_, buffer_access::next(*in_) - count);
    count_ -= count;
  }
  /// Skips `count` bytes. Returns false if the input has fewer bytes, as protobuf demands.
  bool Skip(int count) override {
    auto left = static_cast<std::size_t>((std::max)(count, 0));
    while (left != 0) {
      // Not reader::skip(), which would report a failed read: the reader must keep the failure.
      const std::size_t step = (std::min)(left, buffer_access::window(*in_).size());
      if (step == 0) return false;
      take(step);
      left -= step;
    }
    return true;
  }
  /// The number of bytes that protobuf has taken.
  std::int64_t ByteCount() const override { return count_; }

 private:
  static constexpr std::size_t largest = (std::numeric_limits<int>::max)();

  /// Moves the cursor past bytes of the buffer.
  void take(std::size_t n) noexcept {
    buffer_access::set_next(*in_, buffer_access::next(*in_) + n);
    count_ += static_cast<std::int64_t>(n);
  }

  reader* in_;
  std::int64_t count_ = 0;
};

/// A writer as protobuf's ZeroCopyOutputStream: protobuf serializes into the writer's buffer.
///
///     auto out = leat::replace("people.pb.zst", {.compression = leat::compression::zstd});
///     {
///       leat::adapters::protobuf_output blocks(out);
///       people.SerializeToZeroCopyStream(&blocks);
///     }
///     out.close();  // throws if any byte was lost
///
/// After a Next() without a BackUp() the writer has not yet got the last block: call flush(), or
/// destroy this object, before you use the writer. protobuf's functions end with BackUp(), except
/// when a message fills a block exactly.
///
/// A failure stays with the writer, which drops all later output: Next() returns false, and
/// writer::close() throws. Shared writers, such as leat::out, have no buffer for protobuf; blocks
/// are then copied. Do not fork during a protobuf call: protobuf is using the writer's buffer.
/// @since 0.3
///
/// @par Threads
/// One thread at a time may use a protobuf_output.
class protobuf_output final : public google::protobuf::io::ZeroCopyOutputStream {
 public:
  /// The writer must outlive this object.
  explicit protobuf_output(writer& out) noexcept : out_(&out) {}
  protobuf_output(const protobuf_output&) = delete;
  protobuf_output& operator=(const protobuf_output&) = delete;
  ~protobuf_output() override { flush(); }

  /// Stores the address and the size of room in the writer's buffer. If the buffer has no room,
  /// stores the address and the size of a block of this object. Returns false after a failure.
  bool Next(void** data, int* size) override {
    flush();
    block_ = buffer_access::room(*out_);
    uses_own_block_ = block_.empty();
    // If the writer's buffer is full, flush() writes the bytes of own_block_, which makes room.
    if (uses_own_block_) block_ = own_block_;
    if (out_->error()) block_ = {};
    block_ = block_.first((std::min)(block_.size(), largest));
    *data = block_.data();
    *size = static_cast<int>(block_.size());
    count_ += *size;
    return !block_.empty();
  }
  /// Takes the last block without its last `count` bytes.
  void BackUp(int count) override {
    block_ = block_.first(block_.size() - static_cast<std::size_t>(count));
    count_ -= count;
    flush();
  }
  std::int64_t ByteCount() const override { return count_; }
  /// If the program has called EnableAliasing(), a large string of a message can go to the device
  /// without a copy.
  bool AllowsAliasing() const override { return true; }
  bool WriteAliasedRaw(const void* data, int size) override {
    flush();
    out_->write(std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size)));
    count_ += size;
    return !out_->error();
  }

  /// Gives the last block to the writer. Does not flush the writer's buffer, unlike
  /// writer::flush().
  void flush() noexcept {
    if (uses_own_block_)
      out_->write(std::string_view(block_.data(), block_.size()));
    else if (!block_.empty())
      buffer_access::set_next(*out_, block_.data() + block_.size());
    block_ = {};
    uses_own_block_ = false;
  }

 private:
  static constexpr std::size_t largest = (std::numeric_limits<int>::max)();

  writer* out_;
  std::span<char> block_;        // given to protobuf, not yet to the writer
  bool uses_own_block_ = false;  // block_ is a part of own_block_
  std::int64_t count_ = 0;
  std::array<char, 512> own_block_;
};

}  // namespace adapters
}  // namespace v0
}  // namespace leat
