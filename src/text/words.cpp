// reader::words: texts between blanks.
#include <leat/reader.hpp>

#include "search/kernels.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

std::uint64_t detail::mark_blanks(const char* text) noexcept {
  return search::active_kernels().blanks(text);
}

/// Takes the next word. Called if the word, or the blanks before it, may reach the end of the
/// buffer.
void word_range::next_slow() {
  reader& from = *reader_;
  word_ = {};
  for (std::size_t length = 0;;) {
    if (length == 0)
      while (from.next_ != from.end_ && detail::is_blank(*from.next_)) ++from.next_;
    while (length != from.available() && !detail::is_blank(from.next_[length])) ++length;
    if (length == from.available()) {
      from.fill(length + 1);
      if (from.available() > length) continue;
      // An incomplete word before an error is not returned; its bytes stay in the buffer.
      if (from.source_->failing()) return from.report(ec_);
      if (length == 0) return;
    }
    word_ = {from.next_, length};
    from.next_ += length;
    return;
  }
}

word_range reader::words() & { return {*this, nullptr}; }
word_range reader::words(std::error_code& ec) & noexcept {
  ec.clear();
  return {*this, &ec};
}

}  // namespace v0
}  // namespace leat
