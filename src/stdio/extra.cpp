// What <stdio.h> lacks and leat has.
#include <leat/finder.hpp>

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>

#include "stdio/error.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// Reads to behind the needle and returns where it begins; -1 at the end and on errors.
std::int64_t find(leat_file& f, std::string_view needle) {
  finder search(needle);
  const std::size_t overlap = needle.size() - 1;
  // Of the bytes that are behind us as many as a needle may begin with.
  std::string joint;
  std::int64_t passed = below(f).passed(f);
  while (f.get != f.get_end || refill(f)) {
    const std::string_view window(f.get, f.available());
    const std::size_t before = joint.size();
    joint.append(window.substr(0, overlap));
    if (const std::size_t at = search.find_in(joint); at != finder::npos) {
      f.get += at + needle.size() - before;
      return passed - static_cast<std::int64_t>(before) + static_cast<std::int64_t>(at);
    }
    if (const std::size_t at = search.find_in(window); at != finder::npos) {
      f.get += at + needle.size();
      return passed + static_cast<std::int64_t>(at);
    }
    if (window.size() >= overlap) joint.assign(window.substr(window.size() - overlap));
    if (joint.size() > overlap) joint.erase(0, joint.size() - overlap);
    passed += static_cast<std::int64_t>(window.size());
    f.get = f.get_end;
  }
  return -1;
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

const char* leat_next_line(leat_file* f, size_t* size) {
  LEAT_USE(f);
  if (f->get == f->get_end && !refill(*f)) return nullptr;
  const void* const newline = std::memchr(f->get, '\n', f->available());
  if (newline != nullptr) {
    const char* const line = f->get;
    *size = static_cast<std::size_t>(static_cast<const char*>(newline) - line);
    f->get += *size + 1;
    return line;
  }
  const ssize_t got = get_delimited(*f, &f->line, &f->line_size, '\n');
  if (got < 0) return nullptr;
  *size = static_cast<std::size_t>(got) - (f->line[got - 1] == '\n');
  return f->line;
}

int leat_find(leat_file* f, const void* needle, size_t size, leat_off_t* at) try {
  LEAT_USE(f);
  if (size == 0) return fail(EINVAL, -1);
  const std::int64_t found = find(*f, {static_cast<const char*>(needle), size});
  if (found < 0) return f->at_end ? 0 : -1;
  if (at != nullptr) *at = found;
  return 1;
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}
