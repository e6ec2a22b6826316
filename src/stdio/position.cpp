// A stream's position: fseek, ftell, fgetpos and similar functions.
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "stdio/error.hpp"
#include "stdio/file.hpp"

using namespace leat::stdio;

namespace {

// The count of bytes of mbstate_t that a position stores. The mbstate_t of BSDs is larger, and
// nothing is stored on BSDs. The encodings of BSDs have no shift states: at a position, between two
// characters, the state is zero.
constexpr std::size_t stored_state_size =
    sizeof(std::mbstate_t) <= sizeof(leat_fpos::state) ? sizeof(std::mbstate_t) : 0;

}  // namespace

int leat_fseeko(leat_file* f, leat_off_t offset, int whence) {
  LEAT_GUARD_FILE(f);
  return seek(*f, offset, whence) ? 0 : -1;
}
int leat_fseek(leat_file* f, long offset, int whence) {
  LEAT_GUARD_FILE(f);
  return seek(*f, offset, whence) ? 0 : -1;
}

leat_off_t leat_ftello(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return tell(*f);
}
long leat_ftell(leat_file* f) {
  LEAT_GUARD_FILE(f);
  const leat_off_t at = tell(*f);
  return at <= LONG_MAX ? static_cast<long>(at) : fail(EOVERFLOW, -1L);
}

void leat_rewind(leat_file* f) {
  LEAT_GUARD_FILE(f);
  seek(*f, 0, SEEK_SET);
  f->clear_flags();  // also if the seek failed: programs expect cleared flags for stdin
}

int leat_fgetpos(leat_file* f, leat_fpos* position) {
  LEAT_GUARD_FILE(f);
  const leat_off_t at = tell(*f);
  if (at < 0) return -1;
  position->position = at;
  position->state = 0;
  std::memcpy(&position->state, &f->read_state, stored_state_size);
  return 0;
}
int leat_fsetpos(leat_file* f, const leat_fpos* position) {
  LEAT_GUARD_FILE(f);
  if (!seek(*f, position->position, SEEK_SET)) return -1;
  f->read_state = {};
  std::memcpy(&f->read_state, &position->state, stored_state_size);
  return 0;
}
