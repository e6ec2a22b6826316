// reader::words: texts between blanks.
#include <leat/reader.hpp>

#include <algorithm>

#include "search/kernels.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

/// Marks the words of the buffer from the reader's position on. If the end of the last word is not
/// found, only the beginning of this word is marked. Returns false if no whole word is marked.
bool word_range::mark() noexcept {
  // The marks are at most this many bytes ahead of the reader's position. After another call has
  // moved the reader, only one block is marked: the program may move the reader after each word.
  constexpr std::size_t block = 64, ahead = 1024;
  const reader& from = *reader_;
  const bool moved = from.next_ != at_ || from.buffer_version_ != buffer_version_;
  ahead_ = static_cast<std::uint8_t>(moved ? 1 : std::min(std::size_t{4} * ahead_, ahead / block));
  marks_base_ = at_ = from.next_;
  buffer_version_ = from.buffer_version_;
  next_mark_ = 0;
  const std::size_t size = std::min(from.available(), ahead_ * block);
  const std::size_t edges =
      search::active_kernels().word_edges(marks_base_, size, marks_, most_marks);
  mark_count_ = static_cast<unsigned>(edges / 2 * 2);
  is_in_word_ = edges % 2 != 0;
  // With more marks, word_edges() may have stopped before the end.
  constexpr std::size_t most_before_end = most_marks - (64 + search::edge_padding);
  marked_end_ = edges <= most_before_end ? marks_base_ + size : nullptr;
  return mark_count_ != 0;
}

void word_range::next_slow() {
  reader& from = *reader_;
  const auto reaches_end = [&] {
    return from.next_ == at_ && from.buffer_version_ == buffer_version_ && from.end_ == marked_end_;
  };
  if (from.next_ != from.end_ && !reaches_end() && mark()) return next();
  std::size_t length = 0;
  if (reaches_end()) {
    // Blanks and perhaps a word follow. The word may continue after the buffer.
    if (is_in_word_)
      length = static_cast<std::size_t>(marked_end_ - marks_base_) - marks_[mark_count_];
    from.next_ = from.end_ - length;
  }
  take_one(length);
}

/// Takes the next word. Called if the word, or the blanks before it, may reach the end of the
/// buffer, or if the word is long. `length`: this many bytes of the word are known to follow.
void word_range::take_one(std::size_t length) {
  reader& from = *reader_;
  word_ = {};
  for (;;) {
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
    // No marks are left. The next call of mark() sees that no other call has moved the reader.
    next_mark_ = mark_count_ = 0;
    marked_end_ = nullptr;
    at_ = from.next_;
    buffer_version_ = from.buffer_version_;
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
