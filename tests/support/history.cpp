// Implements history: what a file may contain after a power cut or a kill.
#include "support/history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

namespace leat_test {

namespace {

/// Reads a file without leat, because leat is under test. Sets `mode` to the mode bits. Returns
/// std::nullopt if there is no file.
content read(const std::string& path, unsigned& mode) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return {};
  struct stat status{};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0)
    throw std::system_error(errno, std::generic_category(), "open " + path);
  mode = status.st_mode & 07777;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t n = ::read(descriptor, bytes.data(), bytes.size());
  ::close(descriptor);
  if (n != status.st_size) throw std::system_error(errno, std::generic_category(), "read " + path);
  return bytes;
}

std::string describe(const content& found) {
  if (!found) return "no file";
  std::string text = std::to_string(found->size()) + " bytes";
  if (!found->empty()) {
    text += " \"";
    for (const char c : found->substr(0, 24)) text += c >= ' ' && c <= '~' ? c : '.';
    text += '"';
  }
  return text;
}

}  // namespace

history::history(std::string name, std::string path, std::size_t position)
    : name_(std::move(name)), path_(std::move(path)) {
  states_.push_back({std::nullopt, atomicity::whole});
  marks_.push_back({position, 0, 0});
}

void history::add_change(std::size_t position, content next, atomicity change) {
  states_.push_back({std::move(next), change});
  marks_.push_back({position, marks_.back().durable, states_.size() - 1});
}

void history::add_promise(std::size_t position) {
  marks_.push_back({position, states_.size() - 1, states_.size() - 1});
}

std::vector<std::size_t> history::promised_positions() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 1; i != marks_.size(); ++i) {
    if (marks_[i].durable == marks_[i].latest) result.push_back(marks_[i].position);
  }
  return result;
}

/// Returns true if `found` may be between states that change in parts: each byte is from one of the
/// states, or zero after the end of a state, and the length is between the lengths of the states.
/// "No file" is possible only if one of the states is "no file".
bool history::is_possible_mix(const content& found, std::size_t first, std::size_t last) const {
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  std::size_t longest = 0;
  bool may_be_absent = false;
  for (std::size_t i = first; i <= last; ++i) {
    const content& bytes = states_[i].bytes;
    const std::size_t size = bytes ? bytes->size() : 0;
    may_be_absent = may_be_absent || !bytes;
    shortest = std::min(shortest, size);
    longest = std::max(longest, size);
  }
  if (!found) return may_be_absent;
  if (found->size() < shortest || found->size() > longest) return false;
  for (std::size_t at = 0; at != found->size(); ++at) {
    const char byte = (*found)[at];
    const bool is_possible_byte = std::any_of(
        states_.begin() + static_cast<std::ptrdiff_t>(first),
        states_.begin() + static_cast<std::ptrdiff_t>(last) + 1, [&](const state& candidate) {
          const bool has_byte = candidate.bytes && at < candidate.bytes->size();
          return byte == (has_byte ? (*candidate.bytes)[at] : '\0');
        });
    if (!is_possible_byte) return false;
  }
  return true;
}

bool history::is_possible(const content& found, std::size_t first, std::size_t last) const {
  // An atomic change of the whole file separates the earlier states from the later states.
  for (std::size_t begin = first; begin <= last;) {
    std::size_t end = begin;
    while (end != last && states_[end + 1].change == atomicity::in_parts) ++end;
    if (begin == end ? found == states_[begin].bytes : is_possible_mix(found, begin, end))
      return true;
    begin = end + 1;
  }
  return false;
}

std::string history::violation(const std::string& root, std::size_t position) const {
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), position,
                       [](std::size_t at, const mark& later) { return at < later.position; });
  const mark& current = *std::prev(next);
  unsigned mode = 0;
  content found = read(root + '/' + path_, mode);
  if (allows_trailing_zeros_ && found) {
    const content& promised = states_[current.durable].bytes;
    const std::size_t last = found->find_last_not_of('\0');
    const std::size_t used = last == std::string::npos ? 0 : last + 1;
    const std::size_t least = std::max(used, promised ? promised->size() : 0);
    if (found->size() > least) found->resize(least);
  }
  if (!is_possible(found, current.durable, current.latest)) {
    std::string text = name_ + ": found " + describe(found) + ", promised " +
                       describe(states_[current.durable].bytes);
    if (current.latest != current.durable)
      text += ", latest change " + describe(states_[current.latest].bytes);
    return text;
  }
  if (found && mode_ && mode != *mode_)
    return name_ + ": the mode bits are " + std::to_string(mode) + ", not " +
           std::to_string(*mode_) + " (decimal)";
  return {};
}

}  // namespace leat_test
