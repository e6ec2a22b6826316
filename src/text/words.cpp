// reader::words: texts between blanks.
#include <leat/reader.hpp>

#include <algorithm>

#include "search/kernels.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

/// Marks the words of the buffer from the reader's position on, except a last word whose end is not
/// found. Returns false if there is no mark.
bool word_range::mark() noexcept {
  // The marks are at most this many bytes ahead of the reader's position: a program may take few
  // words, and then call other functions of the reader.
  constexpr std::size_t ahead = 1024;
  const reader& from = *reader_;
  marks_base_ = at_ = from.next_;
  buffer_version_ = from.buffer_version_;
  next_mark_ = 0;
  const std::size_t size = std::min(from.available(), ahead) / 64 * 64;
  const std::size_t edges =
      size == 0 ? 0 : search::active_kernels().word_edges(marks_base_, size, marks_, most_marks);
  mark_count_ = static_cast<unsigned>(edges / 2 * 2);
  return mark_count_ != 0;
}

void word_range::next_slow() {
  if (mark()) return next();
  take_one();
}

/// Takes the next word. Called if the word, or the blanks before it, may reach the end of the
/// buffer, or if the word is long.
void word_range::take_one() {
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
      if (from.source_->is_failing()) return from.report(ec_);
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
