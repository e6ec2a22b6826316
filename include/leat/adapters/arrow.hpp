// leat's streams and files for Apache Arrow, for Parquet, Feather, CSV and IPC:
// arrow::io::InputStream over a reader, RandomAccessFile over a file, OutputStream over a writer.
// <leat/leat.hpp> does not include this header. Link Arrow.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <leat/error.hpp>
#include <leat/file.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {
namespace adapters {

namespace detail {

/// Returns the status of a call that has set or cleared `ec`. A failure has leat's message.
inline arrow::Status arrow_status(const std::error_code& ec) {
  return ec ? arrow::Status::IOError(last_error().what()) : arrow::Status::OK();
}

/// Returns Invalid if a size or a position is negative, which is a mistake of the program.
inline arrow::Status arrow_check_positions(std::int64_t a, std::int64_t b = 0) {
  return a < 0 || b < 0 ? arrow::Status::Invalid("a negative position or size")
                        : arrow::Status::OK();
}

/// Makes an arrow::Buffer of up to n bytes. read(memory) stores the bytes and returns their number.
template <class Read>
arrow::Result<std::shared_ptr<arrow::Buffer>> arrow_buffer(std::int64_t n, const Read& read) {
  ARROW_RETURN_NOT_OK(arrow_check_positions(n));
  ARROW_ASSIGN_OR_RAISE(auto made, arrow::AllocateResizableBuffer(n));
  ARROW_ASSIGN_OR_RAISE(const std::int64_t got, read(made->mutable_data()));
  ARROW_RETURN_NOT_OK(made->Resize(got));
  return std::shared_ptr<arrow::Buffer>(std::move(made));
}

}  // namespace detail

/// A reader as arrow::io::InputStream, for Arrow's CSV and JSON readers and for IPC streams.
///
///     auto in = leat::open("people.csv.zst", {.compression = leat::compression::zstd});
///     auto stream = std::make_shared<leat::adapters::arrow_input>(in);
///
/// Arrow's buffers may live longer than the reader's, so Read() copies; Peek() does not. A failed
/// read is arrow::Status::IOError with leat's message. Close() leaves the reader open. @since 0.3
///
/// @par Threads
/// One thread at a time may use an arrow_input. Arrow's readers may call the stream from one of
/// Arrow's threads; the program must not use the reader meanwhile.
class arrow_input final : public arrow::io::InputStream {
 public:
  /// The reader must outlive this object.
  explicit arrow_input(reader& in) noexcept : in_(&in) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override {
    return static_cast<std::int64_t>(in_->tell());
  }
  arrow::Result<std::int64_t> Read(std::int64_t n, void* into) override {
    ARROW_RETURN_NOT_OK(check(n));
    std::error_code ec;
    const std::size_t got =
        in_->read(std::span(static_cast<char*>(into), static_cast<std::size_t>(n)), ec);
    ARROW_RETURN_NOT_OK(detail::arrow_status(ec));
    return static_cast<std::int64_t>(got);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t n) override {
    return detail::arrow_buffer(n, [&](std::uint8_t* into) { return Read(n, into); });
  }
  /// The next n bytes in the reader's buffer, fewer only at the end or before an error; valid until
  /// the next call.
  arrow::Result<std::string_view> Peek(std::int64_t n) override {
    ARROW_RETURN_NOT_OK(check(n));
    std::error_code ec;
    const std::string_view bytes = in_->peek(static_cast<std::size_t>(n), ec);
    ARROW_RETURN_NOT_OK(detail::arrow_status(ec));
    return bytes;
  }

 private:
  arrow::Status check(std::int64_t n) const {
    return closed_ ? arrow::Status::Invalid("the stream is closed")
                   : detail::arrow_check_positions(n);
  }

  reader* in_;
  bool closed_ = false;
};

/// A file as arrow::io::RandomAccessFile, for Parquet and for IPC files.
///
///     auto file = leat::file::open("s3://bucket/people.parquet");
///     auto source = std::make_shared<leat::adapters::arrow_file>(std::move(file));
///
/// WillNeed() announces ranges to leat. A failed read is arrow::Status::IOError with leat's
/// message.
/// @since 0.3
///
/// @par Threads
/// Several threads may call ReadAt() at once, as Arrow does. One thread at a time may call the
/// other functions.
class arrow_file final : public arrow::io::RandomAccessFile {
 public:
  /// Takes ownership of the file. If the file has no size, throws leat::io_error.
  explicit arrow_file(file on)
      : file_(std::move(on)), size_(static_cast<std::int64_t>(file_.size())) {}

  arrow::Status Close() override {
    closed_ = true;
    std::error_code ec;
    file_.close(ec);
    return detail::arrow_status(ec);
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> GetSize() override { return size_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Seek(std::int64_t position) override {
    ARROW_RETURN_NOT_OK(detail::arrow_check_positions(position));
    at_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> ReadAt(std::int64_t at, std::int64_t n, void* into) override {
    ARROW_RETURN_NOT_OK(detail::arrow_check_positions(at, n));
    n = (std::min)(n, (std::max)(size_ - at, std::int64_t{0}));
    std::error_code ec;
    file_.read_at(static_cast<std::uint64_t>(at),
                  std::span(static_cast<char*>(into), static_cast<std::size_t>(n)), ec);
    ARROW_RETURN_NOT_OK(detail::arrow_status(ec));
    return n;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t at, std::int64_t n) override {
    ARROW_RETURN_NOT_OK(detail::arrow_check_positions(at, n));
    n = (std::min)(n, (std::max)(size_ - at, std::int64_t{0}));
    return detail::arrow_buffer(n, [&](std::uint8_t* into) { return ReadAt(at, n, into); });
  }
  arrow::Result<std::int64_t> Read(std::int64_t n, void* into) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, ReadAt(at_, n, into));
    at_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t n) override {
    ARROW_ASSIGN_OR_RAISE(auto got, ReadAt(at_, n));
    at_ += got->size();
    return got;
  }
  arrow::Status WillNeed(const std::vector<arrow::io::ReadRange>& ranges) override {
    for (const auto& one : ranges) {
      ARROW_RETURN_NOT_OK(detail::arrow_check_positions(one.offset, one.length));
      file_.announce(
          {static_cast<std::uint64_t>(one.offset), static_cast<std::uint64_t>(one.length)});
    }
    return arrow::Status::OK();
  }

 private:
  file file_;
  std::int64_t size_;
  std::int64_t at_ = 0;
  bool closed_ = false;
};

/// A writer as arrow::io::OutputStream.
///
///     auto out = leat::replace("s3://bucket/people.parquet");
///     auto stream = std::make_shared<leat::adapters::arrow_output>(out);
///     …
///     out.close();  // throws if any byte was lost
///
/// Write() copies into the writer's buffer, or writes large blocks without a copy. A failure is
/// arrow::Status::IOError with leat's message, at the latest from Flush() and Close(). Close()
/// flushes the writer and leaves it open, because the new file of a `replace` stream must not
/// appear before the program closes the stream. @since 0.3
///
/// @par Threads
/// One thread at a time may use an arrow_output.
class arrow_output final : public arrow::io::OutputStream {
 public:
  /// The writer must outlive this object.
  explicit arrow_output(writer& out) noexcept : out_(&out) {}

  arrow::Status Close() override {
    if (closed_) return arrow::Status::OK();
    closed_ = true;
    return flush_writer();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override {
    return static_cast<std::int64_t>(out_->tell());
  }
  arrow::Status Write(const void* bytes, std::int64_t n) override {
    ARROW_RETURN_NOT_OK(check());
    ARROW_RETURN_NOT_OK(detail::arrow_check_positions(n));
    out_->write(std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(n)));
    return out_->error() ? flush_writer() : arrow::Status::OK();
  }
  using arrow::io::OutputStream::Write;
  arrow::Status Flush() override {
    ARROW_RETURN_NOT_OK(check());
    return flush_writer();
  }

 private:
  arrow::Status check() const {
    return closed_ ? arrow::Status::Invalid("the stream is closed") : arrow::Status::OK();
  }
  arrow::Status flush_writer() {
    std::error_code ec;
    out_->flush(ec);
    return detail::arrow_status(ec);
  }

  writer* out_;
  bool closed_ = false;
};

}  // namespace adapters
}  // namespace v0
}  // namespace leat
