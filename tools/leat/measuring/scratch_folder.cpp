// A private folder that is removed at the end. The commands bench and tune and the charts use the
// folder.
#include "measuring/scratch_folder.hpp"

#include <limits>
#include <system_error>

#include "system/system.hpp"

namespace bench {

scratch_folder::scratch_folder(const std::filesystem::path& dir)
    : path_(make_private_folder(dir, "leat-bench-")) {}

scratch_folder::~scratch_folder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::uint64_t scratch_folder::free_space() const noexcept {
  std::error_code unknown;
  const auto found = std::filesystem::space(path_, unknown);
  return unknown ? std::numeric_limits<std::uint64_t>::max() : found.available;
}

void scratch_folder::clear() noexcept {
  std::error_code ignored;
  // Not a range-based for: the operator ++ of an iterator throws.
  for (std::filesystem::directory_iterator entry(path_, ignored), end; entry != end;
       entry.increment(ignored))
    std::filesystem::remove_all(entry->path(), ignored);
}

}  // namespace bench
