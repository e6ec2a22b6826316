// Random calls of C's stdio on the streams of fmemopen and open_memstream, made with leat's and
// with libc's functions. After each call the visible results must be the same, except where glibc
// differs from POSIX.
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "c_calls.hpp"

namespace {

using namespace fuzz;

/// The common part of both kinds of memory streams: a stream of leat and a stream of libc, and the
/// comparison of their results.
class memory_comparison {
 public:
  stdio_stream<leat_stdio> ours{};
  stdio_stream<libc> theirs{};

 protected:
  /// Makes a call on both sides. Returns the difference, or nothing.
  std::optional<std::string> call_both(const call& c) {
    return difference(c, ours.apply(c), theirs.apply(c));
  }
  std::optional<std::string> difference(const call& c, const outcome& got,
                                        const outcome& expected) const {
    std::ostringstream report;
    if (got.value != expected.value || got.bytes != expected.bytes)
      report << c << ": result " << got.value << ", libc " << expected.value;
    else if (got.failed != expected.failed)
      report << c << ": error " << got.failed << ", libc " << expected.failed;
    else if (got.failed && got.error != expected.error && expected.error != 0)
      report << c << ": errno " << got.error << ", libc " << expected.error;
    else if ((leat_feof(ours.file) != 0) != (::feof(theirs.file) != 0))
      report << c << ": feof differs";
    else if (leat_ftell(ours.file) != ::ftell(theirs.file))
      report << c << ": ftell " << leat_ftell(ours.file) << ", libc " << ::ftell(theirs.file);
    else
      return std::nullopt;
    return report.str();
  }
};

class fmemopen_comparison : memory_comparison {
 public:
  std::optional<std::string> run(const sequence& s) {
    std::string content = text_of(s.initial_size, 3);
    if (s.own_buffer && s.initial_size != 0) content[s.buffer_size % s.initial_size] = '\0';
    our_memory_ = their_memory_ = content;
    // No byte after the memory may change.
    our_memory_ += "guard";
    their_memory_ += "guard";
    ours.file = leat_fmemopen(our_memory_.data(), s.initial_size, s.mode.c_str());
    theirs.file = ::fmemopen(their_memory_.data(), s.initial_size, s.mode.c_str());
    if (ours.file == nullptr || theirs.file == nullptr) return "fmemopen failed";
    ::setvbuf(theirs.file, nullptr, _IONBF,
              0);  // with a buffer, only a flush reports bytes that do not fit
    if (s.buffering == _IONBF) leat_setvbuf(ours.file, nullptr, _IONBF, 0);
    const bool reads = s.mode[0] == 'r' || s.mode.find('+') != std::string::npos;
    const bool writes = s.mode[0] != 'r' || s.mode.find('+') != std::string::npos;
    // In C, a stream opened with "w" is empty. glibc writes a NUL to the start of the memory only
    // for "w+". If the size is 0, glibc writes this NUL, too.
    if (s.mode[0] == 'w') their_memory_[0] = s.initial_size != 0 ? '\0' : our_memory_[0];
    auto before = op::seek;
    if (const auto difference = compare()) return "after fmemopen: " + *difference;
    for (const auto& c : s.calls) {
      if ((is_input(c.function) && !reads) || (is_output(c.function) && !writes)) continue;
      if (c.function == op::unget || c.function == op::reopen || c.function == op::reopen_same)
        continue;
      if ((c.function == op::get_line || c.function == op::get_delimited) &&
          ::ferror(theirs.file) != 0)
        continue;
      if (c.function == op::set_position && !theirs.has_position) continue;
      if ((is_input(c.function) && is_output(before)) ||
          (is_output(c.function) && is_input(before)))
        if (const auto difference = switch_direction()) return difference;
      if (is_input(c.function) || is_output(c.function)) before = c.function;
      const long at = ::ftell(theirs.file);
      const outcome got = ours.apply(c);
      std::optional<std::string> different;
      if (is_output(c.function))
        different = compare_output(c, got, s);
      else
        different = difference(c, got, theirs.apply(c));
      if (different) return *different + " at " + std::to_string(at);
      // POSIX: a flush or a seek writes the NUL, even if the stream is unbuffered.
      if ((c.function == op::seek || c.function == op::flush) && !got.failed)
        if (const auto difference = compare()) {
          std::ostringstream out;
          out << c << " at " << at << ": " << *difference;
          return out.str();
        }
    }
    const int got = ours.close(), expected = theirs.close();
    if (got != expected) return "fclose differs";
    if (const auto difference = compare()) return "after fclose: " + *difference;
    return std::nullopt;
  }

 private:
  /// Makes an output call on libc's side, and compares its effect with `got`. Changes the memory of
  /// libc's side where glibc's fmemopen differs from POSIX. Returns the difference, or nothing.
  std::optional<std::string> compare_output(call c, const outcome& got, const sequence& s) {
    const bool reads = s.mode.find('+') != std::string::npos;
    const std::size_t size = s.initial_size;
    const long before = ::ftell(theirs.file);
    ::fseek(theirs.file, 0, SEEK_END);
    const auto end = static_cast<std::size_t>(::ftell(theirs.file));
    ::fseek(theirs.file, before, SEEK_SET);
    const std::size_t at = s.mode[0] == 'a' ? end : static_cast<std::size_t>(before);
    if (output_size(c) == 0) return difference(c, got, theirs.apply(c));
    // POSIX (fseek): a gap is filled with zeros. glibc leaves the old bytes.
    if (at > end && at != size) std::memset(their_memory_.data() + end, 0, at - end);
    // If text does not fit, the count is short. glibc then writes one byte less than fits, or no
    // byte.
    const std::string text = text_of(c);
    const std::size_t room = size - at, fits = std::min(room, text.size());
    if (fits < text.size()) {
      const bool counts = c.function == op::write;
      if (!got.failed || got.error != ENOSPC) return "no ENOSPC for bytes that do not fit";
      if (counts && got.value != static_cast<long>(fits / c.item))
        return "the count is not the number of items that fit";
      leat_clearerr(ours.file);
      if (::fwrite(text.data(), 1, fits, theirs.file) != fits) return "libc's fwrite fails";
      // After a call in append mode the position is at the end, even if nothing fits.
      if (s.mode[0] == 'a') ::fseek(theirs.file, 0, SEEK_END);
      if (leat_ftell(ours.file) != ::ftell(theirs.file))
        return "ftell differs after bytes that do not fit";
    } else if (auto different = difference(c, got, theirs.apply(c))) {
      return different;
    }
    // If the memory is full and the mode has no '+', a NUL replaces the last byte.
    if (fits == room && fits != 0 && end < size)
      their_memory_[size - 1] = reads ? text[fits - 1] : '\0';
    // A NUL follows bytes that extend the content, even if the last of these bytes is a NUL.
    if (fits != 0 && at + fits > end && at + fits < size) their_memory_[at + fits] = '\0';
    return std::nullopt;
  }

  std::optional<std::string> switch_direction() {
    return call_both({.function = op::seek, .whence = SEEK_CUR});
  }

  std::optional<std::string> compare() const {
    if (our_memory_ == their_memory_) return std::nullopt;
    std::ostringstream out;
    const auto at =
        std::mismatch(our_memory_.begin(), our_memory_.end(), their_memory_.begin()).first;
    out << "memory differs from byte " << at - our_memory_.begin() << " on";
    return out.str();
  }

  std::string our_memory_;
  std::string their_memory_;
};

class memstream_comparison : memory_comparison {
 public:
  std::optional<std::string> run(const sequence& s) {
    ours.file = leat_open_memstream(&our_memory_, &our_size_);
    theirs.file = ::open_memstream(&their_memory_, &their_size_);
    const std::optional<std::string> difference = run_calls(s);
    if (ours.file != nullptr) ours.close();
    if (theirs.file != nullptr) theirs.close();
    std::free(our_memory_);
    std::free(their_memory_);
    return difference;
  }

 private:
  std::optional<std::string> run_calls(const sequence& s) {
    for (const auto& c : s.calls) {
      if (is_input(c.function) || c.function == op::reopen || c.function == op::reopen_same)
        continue;
      if (c.function == op::set_position && !theirs.has_position) continue;
      const long at = ::ftell(theirs.file);
      if (c.function == op::flush) {
        if (leat_fflush(ours.file) != 0) return "fflush failed";
        if (const auto difference = compare(at)) return difference;
        continue;
      }
      const outcome got = ours.apply(c);
      const outcome expected = theirs.apply(for_libc(c));
      if (const auto different = difference(c, got, expected))
        return *different + " at " + std::to_string(at);
      if (is_output(c.function)) write_to_model(c, at);
    }
    const long at = ::ftell(theirs.file);
    if (ours.close() != theirs.close()) return "fclose differs";
    content_.resize(std::min(content_.size(), static_cast<std::size_t>(at)));
    return compare(at);
  }

  /// Writes the bytes of an output call to the model.
  void write_to_model(const call& c, long at) {
    const auto begin = static_cast<std::size_t>(at);
    const auto end = static_cast<std::size_t>(::ftell(theirs.file));
    const std::string text = text_of(c);
    if (end == begin) return;
    if (content_.size() < end) content_.resize(end);
    content_.replace(begin, end - begin, text, 0, end - begin);
  }

  /// Converts a seek with SEEK_END to one with SEEK_SET. In POSIX, SEEK_END counts from the end of
  /// the bytes. In glibc, SEEK_END counts from the position.
  call for_libc(call c) const {
    if ((c.function == op::seek || c.function == op::seek_offset) && c.whence == SEEK_END) {
      c.whence = SEEK_SET;
      c.offset += static_cast<long>(content_.size());
    }
    return c;
  }

  /// Compares with a model, not with libc. Returns the difference, or nothing. In POSIX, the size
  /// is the smaller of the position and the number of bytes. In glibc, the size is the position.
  std::optional<std::string> compare(long at) const {
    const std::size_t size = std::min(static_cast<std::size_t>(at), content_.size());
    if (our_size_ != size)
      return "size " + std::to_string(our_size_) + " instead of " + std::to_string(size);
    if (std::string_view(our_memory_, content_.size() + 1) !=
        std::string_view(content_.c_str(), content_.size() + 1))
      return "the memory differs from the content";
    return std::nullopt;
  }

  std::string content_;
  char* our_memory_ = nullptr;
  char* their_memory_ = nullptr;
  std::size_t our_size_ = 0;
  std::size_t their_size_ = 0;
};

void drive(input& in) {
  generator random(in);
  sequence s{};
  if (in.flag()) {
    while (in.has_more() && s.calls.size() != 60)
      s.calls.push_back(random.next_call(random.chance(2) ? 10 : 4000));
    return expect_no_difference(memstream_comparison(), s);
  }
  s = random.make_sequence(0);
  s.initial_size = random.below(random.chance(2) ? 12 : 300);
  s.own_buffer = random.chance(2);  // here: the memory has a NUL
  std::erase(s.mode, 'x');
  while (in.has_more() && s.calls.size() != 60) {
    s.calls.push_back(random.next_call(static_cast<long>(s.initial_size)));
    s.calls.back().size %= 1 + s.initial_size + s.initial_size / 4;
  }
  expect_no_difference(fmemopen_comparison(), s);
}

const driver self("c_memory", drive);

}  // namespace
