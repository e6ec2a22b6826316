// std::ostream and std::istream over leat's streams, for code that needs the standard types.
#pragma once

#include <leat/detail/quick_stream.hpp>
#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <cstddef>
#include <cstring>
#include <istream>
#include <ostream>
#include <string>

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

/// As std::getline, but copies the whole line from the window. Written without `std::` it is found
/// for leat's streams.
///
///     for (std::string line; getline(in, line);) use(line);
template <detail::quick_input S>
S& getline(S& in, std::string& line, char delimiter = '\n') {
  detail::stream_buffer& from = in.buffer();
  if (in.is_readable(in) && from.next() != from.end()) [[likely]] {
    const auto size = static_cast<std::size_t>(from.end() - from.next());
    if (const void* const found = std::memchr(from.next(), delimiter, size)) [[likely]] {
      const char* const end = static_cast<const char*>(found);
      line.assign(from.next(), static_cast<std::size_t>(end - from.next()));
      from.took_to(end + 1);
      return in;
    }
  }
  std::getline(static_cast<std::istream&>(in), line, delimiter);
  return in;
}

}  // namespace v0
}  // namespace leat
