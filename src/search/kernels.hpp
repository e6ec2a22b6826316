// The loops that read every byte of a text, compiled for each instruction set, and their CPU
// dispatch. Used by the searches of src/search, rows() and words(). This header has no inline
// functions, because it is also compiled for AVX2 (see vector.hpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace leat {
inline namespace v0 {
namespace search {

/// The needle in the form that the loops need.
struct pattern {
  const char* data;
  size_t size;
  /// The bytes to look for, and their offsets in the needle. The whole needle is compared only
  /// where all these bytes are found.
  size_t offset[4];
  char byte[4];
  /// The cost of a failed candidate: the time in which the loop passes this many bytes of text.
  size_t cost;
};

/// One run of a loop over the starts [at, end) of a text. A start is an offset at which the needle
/// may begin.
struct run {
  const char* text;
  /// In: the first start. Out: all starts before `at` are done.
  size_t at;
  /// One after the last start at which the needle fits in the text.
  size_t end;
  /// `spent` is limited to this credit plus the number of bytes passed.
  size_t credit;
  /// The cost of the failed candidates, and the bytes of text that were compared for them.
  size_t spent;
  size_t compared;
};

enum class outcome {
  absent,    // at == end
  found,     // at is the offset
  too_slow,  // the candidates cost too much: the caller chooses another strategy
};

/// The state of a scan for rows. Offsets count from a byte that the caller chooses; the argument
/// `first` of rows() is the offset of the text.
struct row_scan {
  /// A bit of an element of `ends`: the row has a doubled quote.
  static constexpr uint32_t doubled_mark = uint32_t{1} << 31;

  char delimiter;
  bool crlf;  ///< a carriage return may be between a quote and a newline
  // State from one call to the next.
  uint64_t in_quotes = 0;          ///< all ones: the next byte is between quotes
  bool after_separator = true;     ///< the last byte was a separator, or no byte was read yet
  bool after_quote = false;        ///< the last byte was a closing quote
  bool after_return = false;       ///< the last byte was a carriage return after a closing quote
  bool has_doubled_quote = false;  ///< the unfinished row has a doubled quote
  // Results.
  uint32_t* marks = nullptr;  ///< the offset after each separator: the start of the next field
  uint32_t mark_count = 0;    ///< count of `marks`
  uint32_t* ends = nullptr;   ///< for each end of a row, the count of marks up to this end
  uint32_t end_count = 0;     ///< count of `ends`
};
/// The loops may write up to this many more marks after the counted marks.
inline constexpr size_t mark_padding = 8;

/// word_edges() may write up to this many numbers after the last offset.
inline constexpr size_t edge_padding = 8;

struct kernels {
  const char* name;
  /// scan[k - 1] looks for k bytes of the needle, 1 to 4. Needs at < end.
  outcome (*scan[4])(const pattern&, run&) noexcept;
  /// See delimiters.hpp.
  size_t (*list)(const char* text, size_t size, char delimiter, size_t first,
                 uint16_t* offsets) noexcept;
  /// Marks the separators: rows[0] for rows without quotes, rows[1] with quotes. `first` is the
  /// offset of the text; offset and size together are at most 2^31. Returns the size, or the index
  /// in `text` of the first byte that RFC 4180 does not allow there; the separators before that
  /// byte are marked.
  size_t (*rows[2])(const char* text, size_t size, uint32_t first, row_scan&) noexcept;
  /// Returns a bit for each of up to 64 bytes: set if the byte equals `byte`.
  uint64_t (*mark)(const char* text, size_t size, char byte) noexcept;
  size_t (*count)(const char* text, size_t size, char byte) noexcept;
  /// See delimiters.hpp.
  size_t (*skip)(const char* text, size_t size, char byte) noexcept;
  /// Writes the offsets at which words begin and end, alternately. A word that begins with the text
  /// has the offset 0. The end of the text ends no word. If fewer than 64 + edge_padding of the
  /// `most` offsets are left, stops early. Returns the number of offsets.
  size_t (*word_edges)(const char* text, size_t size, uint16_t* offsets, size_t most) noexcept;
};

extern const kernels portable_kernels;
/// Null if the build does not have these kernels. Before avx2_kernels are used,
/// list_usable_kernels() checks that the processor has AVX2.
extern const kernels* const baseline_kernels;
extern const kernels* const avx2_kernels;

/// The kernels that use_kernels() has selected, or else the best kernels that this machine
/// supports. Works before main() and in every thread.
const kernels& active_kernels() noexcept;

inline constexpr size_t max_kernels = 3;
/// Sets `all` to the kernels that this machine supports, the best last. Returns the number of these
/// kernels.
size_t list_usable_kernels(const kernels* (&all)[max_kernels]) noexcept;
/// Selects kernels, for tests.
void use_kernels(const kernels&) noexcept;

}  // namespace search
}  // namespace v0
}  // namespace leat
