// Sorts the lines of a file that may be larger than memory. The program writes sorted parts to
// temporary files, and then merges the parts.
//
//     external_sort FROM TO [BYTES_IN_MEMORY]
#include <leat/leat.hpp>

#include <algorithm>
#include <cstddef>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

/// A sorted part, and its next line to merge.
struct part {
  leat::file_stream file;
  std::string line;
  bool next() { return file.read_line(line); }
};

/// Sorts the lines and writes them as a part. Empties `lines`.
static part write_sorted_part(std::vector<std::string>& lines) {
  std::ranges::sort(lines);
  part sorted{leat::temporary_file(), {}};
  for (const std::string& line : lines) sorted.file.println("{}", line);
  sorted.file.seek(0);
  lines.clear();
  return sorted;
}

int main(int argc, char** argv) try {
  const auto memory = leat::parse<std::size_t>(argc == 4 ? argv[3] : "268435456");  // 256 MiB
  if (argc < 3 || argc > 4 || !memory || !memory.rest.empty()) {
    leat::err.println("usage: external_sort FROM TO [BYTES_IN_MEMORY]");
    return 2;
  }
  std::vector<part> parts;
  std::vector<std::string> lines;
  std::size_t used = 0;
  for (const std::string_view line : leat::open(argv[1]).lines()) {
    lines.emplace_back(line);
    used += sizeof(std::string) + line.size();
    if (used < memory.value) continue;
    parts.push_back(write_sorted_part(lines));
    used = 0;
  }
  parts.push_back(write_sorted_part(lines));

  const auto later = [](const part* a, const part* b) { return a->line > b->line; };
  std::priority_queue<part*, std::vector<part*>, decltype(later)> heap(later);
  for (part& one : parts)
    if (one.next()) heap.push(&one);
  auto out = leat::replace(argv[2]);
  while (!heap.empty()) {
    part* const least = heap.top();
    heap.pop();
    out.println("{}", least->line);
    if (least->next()) heap.push(least);
  }
  out.close();
} catch (const leat::io_error& error) {
  leat::err.println("external_sort: {}", error.what());
  return 1;
}
