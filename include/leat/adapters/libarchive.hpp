// leat's streams for libarchive: archives are read from a reader and written to a writer. The
// content of each entry of an archive is a device, over which a program opens a reader or a writer.
// <leat/leat.hpp> does not include this header. Link libarchive.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <archive.h>
#include <leat/device.hpp>
#include <leat/error.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {
namespace adapters {

namespace detail {

/// The callbacks that libarchive calls. Exceptions must not pass through libarchive, so failures
/// become libarchive's errors, with leat's message.
struct archive_callbacks {
  static int fail(archive* a, std::error_code ec) noexcept {
    const bool is_errno =
        ec.category() == std::generic_category() || ec.category() == std::system_category();
    // libarchive uses -1 if no errno fits.
    const int number = is_errno ? ec.value() : -1;
    try {
      archive_set_error(a, number, "%s", last_error().what());
    } catch (...) {
      archive_set_error(a, number, "input or output failed; there is no memory for the reason");
    }
    return ARCHIVE_FATAL;
  }

  static la_ssize_t read(archive* a, void* in, const void** block) noexcept {
    auto& from = *static_cast<reader*>(in);
    std::error_code ec;
    const std::string_view bytes = from.window(ec);
    if (bytes.empty() && ec) return fail(a, ec);
    *block = bytes.data();
    // skip() only moves the cursor: the block stays valid until the next call.
    return static_cast<la_ssize_t>(from.skip(bytes.size(), ec));
  }

  /// Never returns an error, because libarchive would add a negative result to its count, and ask
  /// again forever. libarchive reports a truncated input; reader::error() has the reason.
  static la_int64_t skip(archive* /*a*/, void* in, la_int64_t n) noexcept {
    std::error_code ec;
    return static_cast<la_int64_t>(
        static_cast<reader*>(in)->skip(static_cast<std::uint64_t>(n < 0 ? 0 : n), ec));
  }

  static la_int64_t seek(archive* a, void* in, la_int64_t offset, int whence) noexcept {
    auto& from = *static_cast<reader*>(in);
    std::error_code ec;
    std::uint64_t base = 0;
    if (whence == SEEK_CUR) base = from.tell();
    if (whence == SEEK_END) base = from.size(ec);
    if (!ec) from.seek(base + static_cast<std::uint64_t>(offset), ec);
    return ec ? fail(a, ec) : static_cast<la_int64_t>(from.tell());
  }

  static la_ssize_t write(archive* a, void* out, const void* bytes, std::size_t n) noexcept {
    auto& to = *static_cast<writer*>(out);
    to.write(std::string_view(static_cast<const char*>(bytes), n));
    if (!to.error()) return static_cast<la_ssize_t>(n);
    std::error_code ec;
    to.flush(ec);  // only reports, because the writer has failed
    return fail(a, ec);
  }
};

}  // namespace detail

/// Opens an archive over a reader, as archive_read_open() does. The reader must stay open until `a`
/// is closed. The blocks that libarchive gets are the reader's buffer. A format that needs seeks,
/// such as 7-Zip, needs a reader with positions and a size, and its archive must begin at the start
/// of the reader. Returns libarchive's status; archive_error_string() has the message of a failed
/// read.
///
///     auto in = leat::open("s3://bucket/logs.tar.zst", {.compression = leat::compression::zstd});
///     archive* a = archive_read_new();
///     archive_read_support_format_all(a);
///     leat::adapters::open_archive(a, in);
///
/// libarchive reads ahead: the reader's position is after the last block that libarchive has taken.
/// @since 0.3
inline int open_archive(archive* a, reader& in) noexcept {
  using callbacks = detail::archive_callbacks;
  std::error_code ec;
  const std::uint64_t start = in.tell();
  const std::uint64_t size = in.size(ec);
  // Sets the seek callback only if seeks work: libarchive refuses an input whose seeks fail.
  if (!ec) in.seek(size, ec);
  if (!ec) in.seek(start, ec);
  if (!ec) archive_read_set_seek_callback(a, callbacks::seek);
  archive_read_set_read_callback(a, callbacks::read);
  archive_read_set_skip_callback(a, callbacks::skip);
  archive_read_set_callback_data(a, &in);
  return archive_read_open1(a);
}

/// Creates an archive in a writer, as archive_write_open() does. The writer must stay open until
/// `a` is closed. After archive_write_close() the program closes the writer. Returns libarchive's
/// status. A failed write is libarchive's error, with leat's message. @since 0.3
inline int create_archive(archive* a, writer& out) noexcept {
  return archive_write_open(a, &out, nullptr, detail::archive_callbacks::write, nullptr);
}

/// The content of the current entry of an archive as a device: for reading after
/// archive_read_next_header(), for writing after archive_write_header().
///
///     archive_entry* entry = nullptr;
///     while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
///       leat::file_reader in(std::make_unique<leat::adapters::archive_content>(a));
///       for (std::string_view line : in.lines()) use(line);
///     }
///
/// A failure is reported as errno, if libarchive has one, or as std::errc::io_error;
/// archive_error_string() has libarchive's message. The archive must outlive the device, and
/// the stream over the device must be closed before the next header. @since 0.3
///
/// @par Threads
/// One thread at a time may use an archive, including the streams over its entries.
class archive_content final : public device {
 public:
  explicit archive_content(archive* of) noexcept : archive_(of) {}

  device_traits traits() const noexcept override { return {.positional = false}; }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override {
    return checked_count(archive_read_data(archive_, into.data(), into.size()), ec);
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    std::size_t all = 0;
    for (const std::string_view piece : pieces) {
      const std::size_t n =
          checked_count(archive_write_data(archive_, piece.data(), piece.size()), ec);
      all += n;
      if (ec || n != piece.size()) break;
    }
    return all;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::size_t checked_count(la_ssize_t n, std::error_code& ec) noexcept {
    ec.clear();
    if (n >= 0) return static_cast<std::size_t>(n);
    const int number = archive_errno(archive_);
    ec = number > 0 ? std::error_code(number, std::generic_category())
                    : std::make_error_code(std::errc::io_error);
    return 0;
  }

  archive* archive_;
};

}  // namespace adapters
}  // namespace v0
}  // namespace leat
