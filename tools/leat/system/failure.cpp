// Makes the messages of failures. All parts of the command throw failures.
#include "system/failure.hpp"

#include <fmt/format.h>

#include "system/path_text.hpp"

namespace bench {

void fail(std::string_view verb, const std::filesystem::path& path, std::error_code error) {
  throw failure(fmt::format("cannot {} '{}': {}", verb, utf8_from_path(path), error.message()));
}

void fail(std::string_view verb, const std::filesystem::path& path, int error) {
  fail(verb, path, std::error_code(error, std::generic_category()));
}

}  // namespace bench
