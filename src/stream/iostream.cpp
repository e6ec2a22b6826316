#include <leat/iostream.hpp>

namespace leat {
inline namespace v0 {

ostream::ostream(writer& target) : std::ostream(nullptr), buffer_(target) { rdbuf(&buffer_); }

ostream::~ostream() = default;

// Not by error(): that would count as told, and badbit is easily overlooked.
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

}  // namespace v0
}  // namespace leat
