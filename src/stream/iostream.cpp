#include <leat/iostream.hpp>

namespace leat {
inline namespace v0 {

ostream::ostream(writer& target) : std::ostream(nullptr), buffer_(target) { rdbuf(&buffer_); }

ostream::~ostream() = default;

// It asks lost(), not error(): a program easily overlooks badbit, so badbit must not count as a
// report.
bool ostream::buffer::failed() const noexcept { return target_->lost() != 0; }

ostream::buffer::int_type ostream::buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  target_->put(traits_type::to_char_type(c));
  return failed() ? traits_type::eof() : c;
}

std::streamsize ostream::buffer::xsputn(const char* text, std::streamsize size) {
  target_->write(std::string_view(text, static_cast<std::size_t>(size)));
  return failed() ? 0 : size;
}

int ostream::buffer::sync() {
  std::error_code ec;
  target_->flush(ec);
  return ec ? -1 : 0;
}

ostream::buffer::pos_type ostream::buffer::seekoff(off_type offset, std::ios_base::seekdir from,
                                                   std::ios_base::openmode which) {
  if (from == std::ios_base::end) return pos_type(off_type(-1));  // a writer does not know its end
  const off_type base = from == std::ios_base::cur ? static_cast<off_type>(target_->tell()) : 0;
  if (from == std::ios_base::cur && offset == 0) return pos_type(base);
  return seekpos(pos_type(base + offset), which);
}

ostream::buffer::pos_type ostream::buffer::seekpos(pos_type position, std::ios_base::openmode) {
  const off_type offset = position;
  std::error_code ec;
  if (offset >= 0) target_->seek(static_cast<std::uint64_t>(offset), ec);
  return offset < 0 || ec ? pos_type(off_type(-1)) : position;
}

istream::istream(reader& from) : std::istream(nullptr), buffer_(from) { rdbuf(&buffer_); }

istream::~istream() = default;

/// Moves the reader behind the bytes that were taken from its window.
void istream::buffer::give_back() noexcept {
  std::error_code ec;
  from_->skip(static_cast<std::uint64_t>(gptr() - eback()), ec);
  setg(nullptr, nullptr, nullptr);
}

// std::istream turns an exception from here into badbit.
istream::buffer::int_type istream::buffer::underflow() {
  give_back();
  const std::string_view window = from_->window();
  if (window.empty()) return traits_type::eof();
  // Nobody writes to the window: pbackfail only puts back the bytes that were read.
  char* start = const_cast<char*>(window.data());
  setg(start, start, start + window.size());
  return traits_type::to_int_type(*start);
}

istream::buffer::int_type istream::buffer::pbackfail(int_type c) {
  give_back();
  std::error_code ec;
  from_->seek_by(-1, ec);
  if (ec || traits_type::eq_int_type(underflow(), traits_type::eof())) return traits_type::eof();
  const bool same = traits_type::eq_int_type(c, traits_type::eof()) ||
                    traits_type::eq_int_type(c, traits_type::to_int_type(*gptr()));
  if (same) return traits_type::not_eof(c);
  gbump(1);
  return traits_type::eof();
}

std::streamsize istream::buffer::xsgetn(char* into, std::streamsize size) {
  give_back();
  return static_cast<std::streamsize>(from_->read(std::span(into, static_cast<std::size_t>(size))));
}

std::streamsize istream::buffer::showmanyc() {
  give_back();
  return static_cast<std::streamsize>(from_->buffered().size());
}

int istream::buffer::sync() {
  give_back();
  return 0;
}

istream::buffer::pos_type istream::buffer::seekoff(off_type offset, std::ios_base::seekdir from,
                                                   std::ios_base::openmode which) {
  give_back();
  std::error_code ec;
  off_type base = 0;
  if (from == std::ios_base::cur) base = static_cast<off_type>(from_->tell());
  if (from == std::ios_base::end) base = static_cast<off_type>(from_->size(ec));
  return ec ? pos_type(off_type(-1)) : seekpos(pos_type(base + offset), which);
}

istream::buffer::pos_type istream::buffer::seekpos(pos_type position, std::ios_base::openmode) {
  give_back();
  const off_type offset = position;
  std::error_code ec;
  if (offset >= 0) from_->seek(static_cast<std::uint64_t>(offset), ec);
  return offset < 0 || ec ? pos_type(off_type(-1)) : position;
}

}  // namespace v0
}  // namespace leat
