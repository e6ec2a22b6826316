// Functions of <leat/fields.hpp> and <leat/finder.hpp>: mark or count the occurrences of one byte
// in a text.
#include <leat/fields.hpp>
#include <leat/finder.hpp>

#include "search/kernels.hpp"

namespace leat {
inline namespace v0 {

std::uint64_t detail::mark_delimiters(const char* text, std::size_t size, char delimiter) noexcept {
  return search::active_kernels().mark(text, size, delimiter);
}

std::size_t count(std::string_view text, char byte) noexcept {
  return search::active_kernels().count(text.data(), text.size(), byte);
}

}  // namespace v0
}  // namespace leat
