// Batches of records: the functions of leat.h that visit many places of a file.
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "stdio/error.hpp"
#include "stdio/file.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// The indexes of the positions, in the file's order; equal ones in the caller's.
std::vector<std::size_t> in_order(std::span<const std::uint64_t> positions) {
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(positions[i], i); });
  return order;
}

/// Calls visit(index, offset) for each record in the file's order; -1 (errno) if one is not there.
template <class Visit>
int visit_records(leat_file& f, std::size_t size, std::span<const std::uint64_t> positions,
                  const Visit& visit) noexcept try {
  if (size == 0) return fail(EINVAL, -1);
  const std::int64_t end = below(f).end(f);
  if (end < 0) return -1;
  const std::uint64_t records = static_cast<std::uint64_t>(end) / size;
  if (std::ranges::any_of(positions, [&](std::uint64_t at) { return at >= records; }))
    return fail(EINVAL, -1);
  for (const std::size_t index : in_order(positions))
    if (const int result = visit(index, static_cast<std::int64_t>(positions[index] * size)))
      return result;
  return 0;
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}

bool read_record(leat_file& f, std::int64_t at, char* to, std::size_t size) noexcept {
  if (!seek(f, at, SEEK_SET)) return false;
  if (read(f, to, size) == size) return true;
  return f.at_end ? fail(EIO, false) : false;  // the file has become shorter
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

int leat_gather(leat_file* f, size_t size, const uint64_t* positions, size_t count, void* out) {
  LEAT_USE(f);
  return visit_records(*f, size, {positions, count}, [&](std::size_t index, std::int64_t at) {
    return read_record(*f, at, static_cast<char*>(out) + index * size, size) ? 0 : -1;
  });
}

int leat_update(leat_file* f, size_t size, const uint64_t* positions, size_t count,
                leat_change* change, void* context) try {
  LEAT_USE(f);
  std::vector<char> record;
  const int result =
      visit_records(*f, size, {positions, count}, [&](std::size_t index, std::int64_t at) {
        record.resize(size);  // not before it is known to be in the file
        if (!read_record(*f, at, record.data(), size)) return -1;
        if (const int stop = change(record.data(), index, context)) return stop;
        return seek(*f, at, SEEK_SET) && write(*f, record.data(), size) == size ? 0 : -1;
      });
  return result == 0 && !flush(*f) ? -1 : result;
} catch (const std::bad_alloc&) {
  return fail(ENOMEM, -1);
}
