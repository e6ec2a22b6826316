// Texts of any length: all take the same vectors, and no branch knows how long they are.
#include "limits/text.hpp"

#include "limits/window.hpp"

namespace limits {

#if defined(__AVX512VBMI__)
namespace {

/// The newline is what the load finds behind the text.
char* put_text(char* to, const row& row) {
  const std::string_view text = row.any_text;  // of up to 63 characters
  const std::uint64_t mask = _bzhi_u64(~0ULL, static_cast<unsigned>(text.size()));
  const __m256i newlines = _mm256_set1_epi8('\n');
  const auto store = [&](std::size_t at) {
    _mm256_storeu_epi8(to + at, _mm256_mask_loadu_epi8(newlines, static_cast<__mmask32>(mask >> at),
                                                       text.data() + at));
  };
  store(0);
  store(32);
  return to + text.size() + 1;
}

char* put_c_text(char* to, const row& row) {
  const c_string text(row.any_c_text);
  _mm512_storeu_epi8(to, text.bytes);
  to[text.size] = '\n';
  return to + text.size + 1;
}

}  // namespace
#endif

std::span<const limit> of_texts() {
#if defined(__AVX512VBMI__)
  static constexpr limit all[] = {limit_of<put_text>("text_of_any_length"),
                                  limit_of<put_c_text>("c_string_of_any_length")};
  if (can_run()) return all;
#endif
  return {};
}

}  // namespace limits
