// perror, which writes the text of strerror.
#include <cerrno>
#include <cstring>

#include "stdio/standard.hpp"

using namespace leat::stdio;

void leat_perror(const char* text) {
  const int error = errno;
  const bool has_text = text != nullptr && *text != '\0';
  leat_file* const f = leat_stdio_stderr;
  LEAT_USE(f);
  const signed char orientation = f->orientation;
  leat_fprintf(f, "%s%s%s\n", has_text ? text : "", has_text ? ": " : "", std::strerror(error));
  f->orientation = orientation;  // POSIX: perror gives it none
}
