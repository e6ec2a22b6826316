// perror, which writes the text of strerror.
#include <cerrno>
#include <cstring>

#include "stdio/standard.hpp"

using namespace leat::stdio;

void leat_perror(const char* text) {
  const int error = errno;
  const bool has_text = text != nullptr && *text != '\0';
  leat_fprintf(leat_stdio_stderr, "%s%s%s\n", has_text ? text : "", has_text ? ": " : "",
               std::strerror(error));
}
