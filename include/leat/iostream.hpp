// std::ostream and std::istream over leat's streams, for code that requires the standard types.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/stream_buffer.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <istream>
#include <ostream>

namespace leat {
inline namespace v0 {

/// A std::ostream over a writer, which must outlive the ostream. The ostream uses the writer's
/// buffer, so bytes written to the writer and to the ostream keep their order. badbit is set after
/// a failure of the writer.
///
///     auto file = leat::create("points.txt");
///     leat::ostream(file) << point << '\n';
class LEAT_API ostream final : public std::ostream {
 public:
  explicit ostream(writer& target);
  ~ostream() override;

 private:
  detail::window_buffer buffer_;
};

/// A std::istream over a reader, which must outlive the istream. The istream uses the reader's
/// buffer and position, so the program can also use the reader itself between two calls of the
/// istream. If the reader is a file_stream, call the istream's sync() before you use the
/// file_stream: without sync(), the position of the file_stream may be smaller than the istream's.
/// badbit is set after a failed read.
///
///     auto file = leat::open("points.txt");
///     leat::istream in(file);
///     in >> point;
class LEAT_API istream final : public std::istream {
 public:
  explicit istream(reader& from);
  ~istream() override;

 private:
  detail::window_buffer buffer_;
};

}  // namespace v0
}  // namespace leat
