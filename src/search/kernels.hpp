// The loops that look at every byte of a text, once for each instruction set, and the choice among
// them. Only aggregates: this header is also compiled for AVX2 (see vector.hpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace leat {
inline namespace v0 {
namespace search {

/// The needle as a loop needs it.
struct pattern {
  const char* data;
  size_t size;
  /// The bytes to look for, and their offsets in the needle. Only where all of them are found is
  /// the whole needle compared.
  size_t at[4];
  char byte[4];
  /// Cost of a candidate that fails, in bytes of text.
  size_t cost;
};

/// One run of a loop over the starts [at, end) of a text. A start is a place where the needle may
/// begin.
struct run {
  const char* text;
  /// In: the first start. Out: all starts before it are done.
  size_t at;
  /// Behind the last start at which the needle fits in the text.
  size_t end;
  /// The candidates may cost this much, and in addition the number of bytes passed.
  size_t credit;
  /// The cost of the candidates, and the bytes of text that were compared for them.
  size_t spent;
  size_t compared;
};

enum class outcome {
  absent,  // at == end
  found,   // at is the offset
  tired,   // the candidates cost too much: choose another way to go on
};

/// Where a scan for rows is. Offsets are from the start of the text that the caller marks.
struct row_scan {
  /// An end of a row in `ends`: the row has a doubled quote.
  static constexpr uint32_t doubled_mark = uint32_t{1} << 31;

  char delimiter;
  bool crlf;  ///< a carriage return may be between a quote and a newline
  // What is carried from one call to the next.
  uint64_t quoted = 0;   ///< all ones: the next byte is between quotes
  bool fresh = true;     ///< the last byte was a separator, or there is none
  bool closed = false;   ///< it was a quote that closes
  bool carried = false;  ///< it was a carriage return behind such a quote
  bool doubled = false;  ///< the row that has not ended has a doubled quote
  // What is found.
  uint32_t* marks = nullptr;  ///< behind each separator: where the next field begins
  uint32_t marked = 0;        ///< how many marks there are
  uint32_t* ends = nullptr;   ///< for each end of a row, which mark is behind it
  uint32_t ended = 0;         ///< how many there are
};
/// So many marks more than there are separators may be written.
inline constexpr size_t marks_beyond = 8;

struct kernels {
  const char* name;
  /// For one to four bytes to look for. Needs at < end.
  outcome (*scan[4])(const pattern&, run&) noexcept;
  /// See delimiters.hpp.
  size_t (*list)(const char* text, size_t size, char delimiter, size_t first,
                 uint16_t* places) noexcept;
  /// Marks the separators, without quotes and with them. `first` is the offset of the text, of up
  /// to 2^31 bytes with what is before it. Returns the size, or the offset of the first byte that
  /// RFC 4180 does not allow there; what is before it is marked.
  size_t (*rows[2])(const char* text, size_t size, uint32_t first, row_scan&) noexcept;
  /// A bit for each byte that is the one asked for, of up to 64.
  uint64_t (*mark)(const char* text, size_t size, char byte) noexcept;
  size_t (*count)(const char* text, size_t size, char byte) noexcept;
  /// See delimiters.hpp.
  size_t (*skip)(const char* text, size_t size, char byte) noexcept;
  /// A bit for each of 64 bytes that is a blank.
  uint64_t (*blanks)(const char* text) noexcept;
};

extern const kernels portable_kernels;
/// Null if the machine has none of these, or if the build left them out.
extern const kernels* const baseline_kernels;
extern const kernels* const avx2_kernels;

/// The best kernels that this machine runs. Works before main() and in every thread.
const kernels& active_kernels() noexcept;

/// For tests: all kernels that this machine runs, the best last, and a way to choose one.
inline constexpr size_t max_kernels = 3;
size_t usable_kernels(const kernels* (&all)[max_kernels]) noexcept;
void use_kernels(const kernels&) noexcept;

}  // namespace search
}  // namespace v0
}  // namespace leat
