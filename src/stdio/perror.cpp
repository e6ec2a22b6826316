// perror writes the text of errno to stderr.
#include <cerrno>

#include "base/error_text.hpp"
#include "stdio/standard.hpp"

using namespace leat::stdio;

void leat_perror(const char* text) {
  const int error = errno;
  const bool has_text = text != nullptr && *text != '\0';
  leat_file* const f = leat_stdio_stderr;
  LEAT_GUARD_FILE(f);
  const signed char orientation = f->orientation;
  leat::detail::error_text_memory memory;
  leat_fprintf(f, "%s%s%s\n", has_text ? text : "", has_text ? ": " : "",
               leat::detail::error_text(error, memory));
  if (orientation != 0) return;
  // POSIX: perror does not set the stream's orientation. The put range gets no room, so the next
  // call is not inline and sets the orientation.
  f->orientation = 0;
  f->put_end = f->line_end = f->put;
}
