// std::ostream and std::istream over leat's streams, for code that needs the standard types.
#pragma once

#include <leat/detail/quick_stream.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <istream>
#include <ostream>

namespace leat {
inline namespace v0 {

/// A std::ostream over a writer, which must outlive it. It has no buffer of its own, so bytes
/// written to the writer and to the ostream keep their order. badbit is set once the writer has
/// failed.
///
///     auto file = leat::create("points.txt");
///     leat::ostream(file) << point << '\n';
class LEAT_API ostream final : detail::holds<detail::window_buffer>,
                               public detail::quick_stream<ostream, std::ostream> {
 public:
  explicit ostream(writer& target);
  ~ostream() override;
};

/// A std::istream over a reader, which must outlive it. It has no buffer of its own: it reads the
/// reader's window. While the istream is in use, the reader's position may be smaller than the
/// istream's. sync(), a seek and the destructor move the reader to the istream's position. badbit
/// is set after a failed read.
///
///     auto file = leat::open("points.txt");
///     leat::istream in(file);
///     in >> point;
class LEAT_API istream final : detail::holds<detail::window_buffer>,
                               public detail::quick_stream<istream, std::istream> {
 public:
  explicit istream(reader& from);
  ~istream() override;
};

}  // namespace v0
}  // namespace leat
