// perror, which writes what strerror says.
#include <cerrno>
#include <cstring>
#include <string>

#include "stdio/standard.hpp"

using namespace leat::stdio;

void leat_perror(const char* text) {
  const int error = errno;
  std::string line;
  if (text != nullptr && *text != '\0') line.append(text).append(": ");
  line.append(std::strerror(error)).append("\n");
  leat_file& f = *leat_stdio_stderr;
  LEAT_USE(&f);
  write(f, line);
}
