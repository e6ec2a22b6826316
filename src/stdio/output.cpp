// The slow parts of `output`: characters that do not fit the current buffer, and padding. Called by
// format.cpp and printf.cpp.
#include "stdio/output.hpp"

#include <algorithm>

namespace leat {
inline namespace v0 {
namespace stdio {

template <class Char>
void output<Char>::put_slowly(const Char* text, std::size_t n) noexcept {
  for (;;) {
    const std::size_t fits = std::min(n, room());
    copy(text, fits);
    text += fits;
    n -= fits;
    if (n == 0) return;
    if (!make_room()) {
      flushed_count_ += n;
      return;
    }
  }
}

template <class Char>
void output<Char>::fill(std::string_view unit, std::size_t n) noexcept {
  while (n != 0) {
    const std::size_t fits = std::min(n, room());
    std::fill_n(next_, fits, static_cast<Char>(unit[0]));
    next_ += fits;
    n -= fits;
    if (n != 0 && !make_room()) {
      flushed_count_ += n;
      return;
    }
  }
}

template class output<char>;
template class output<wchar_t>;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
