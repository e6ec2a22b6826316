// leat_find: reads on to the end of the next occurrence of some bytes.
#include <leat/finder.hpp>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <string_view>

#include "search/windows.hpp"
#include "stdio/error.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// The text to search: the file's buffer. A fill replaces the buffer. So joint_ gets a copy of the
/// last bytes of the old buffer, followed by the first bytes of the new buffer: "nee" and "dle ..."
/// make "needle ...". joint_ is the text until the old bytes are dropped.
class file_window {
 public:
  explicit file_window(leat_file& f) noexcept : file_(f) {}

  std::string_view text() const noexcept {
    return joint_.empty() ? std::string_view(file_.get, file_.available()) : joint_;
  }
  void drop(std::size_t n) noexcept {
    dropped_ += n;
    if (joint_.empty()) {
      file_.get += n;
      return;
    }
    joint_.erase(0, n);
    if (joint_.size() > copied_) return;
    file_.get += copied_ - joint_.size();
    joint_.clear();
  }
  bool fill(std::size_t wanted) {
    if (joint_.empty()) joint_.assign(text());
    file_.get = file_.get_end;
    if (!refill(file_)) return false;
    if (joint_.empty()) return true;
    copied_ = std::min(wanted - 1, file_.available());
    joint_.append(file_.get, copied_);
    return true;
  }
  /// The count of bytes dropped so far.
  std::size_t dropped() const noexcept { return dropped_; }

 private:
  leat_file& file_;
  std::string joint_;       // empty: the text is the file's buffer
  std::size_t copied_ = 0;  // bytes at the end of joint_ that are also the buffer's first bytes
  std::size_t dropped_ = 0;
};

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

int leat_find(leat_file* f, const void* needle, size_t size, leat_off_t* at) try {
  LEAT_GUARD_FILE(f);
  if (size == 0) return fail(EINVAL, -1);
  leat::finder wanted({static_cast<const char*>(needle), size});
  const std::int64_t start = below(*f).tell_or_count(*f);
  if (start < 0) return -1;
  file_window window(*f);
  if (!leat::search::find_in_windows(leat::finder_access::needle(wanted), window))
    return f->at_end ? 0 : -1;
  // An unsigned addition: the position of a stream of fopencookie may be near the greatest value.
  if (at != nullptr)
    *at = static_cast<leat_off_t>(static_cast<std::uint64_t>(start) + window.dropped());
  window.drop(size);
  return 1;
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}
