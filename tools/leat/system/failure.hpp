// The exception `failure` of the command leat, and fail(), which throws the exception with the
// message of a system error. All parts of the command throw failures.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace bench {

/// Thrown if a run cannot continue. The message is for the user.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws a failure with a message such as "cannot write 'out.csv': No space left on device".
[[noreturn]] void fail(std::string_view verb, const std::filesystem::path& path,
                       std::error_code error);
/// Throws the same failure for a value of errno.
[[noreturn]] void fail(std::string_view verb, const std::filesystem::path& path, int error);

}  // namespace bench
