// One run of a scenario: its files, the results of its calls, and the checks that the files agree
// with the results.
#pragma once

#include <leat/leat.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sweep {

/// How the body of a scenario ended.
enum class ending {
  success,
  failure,    ///< an io_error, or an error code
  no_memory,  ///< std::bad_alloc
};

/// The state of a run, in the process that runs the scenario. Functions that begin with `check`
/// report a violation if the promise does not hold.
class trial {
 public:
  explicit trial(std::string folder) : folder_(std::move(folder)) {
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }

  std::string operator/(std::string_view name) const { return folder_ + '/' + std::string(name); }
  /// The file that most scenarios use.
  const std::string& file() const { return file_; }

  // --- for bodies -------------------------------------------------------------------------------

  /// Writes the text in pieces, and counts the bytes.
  void write(leat::writer& to, std::string_view text, std::size_t piece = 100);
  /// If `ec` is an error, ends the body like an exception. `unwritten`: the number of lost bytes.
  void require(const std::error_code& ec, std::uint64_t unwritten = 0);
  /// If `succeeded` is false, ends the body. If the failed C function has not set errno, reports a
  /// violation.
  void require(bool succeeded);
  /// The text that the body has read.
  std::string text_read;

  // --- results of the body ----------------------------------------------------------------------

  ending outcome = ending::success;
  std::uint64_t attempted_bytes = 0;  ///< bytes that the body has passed to write calls
  std::uint64_t unwritten = 0;        ///< unwritten bytes that the error reports
  std::uint64_t reported = 0;         ///< bytes reported to the loss handler
  bool has_byte_count = true;         ///< false: the error has no number of bytes, as in C
  bool may_leave_files = false;       ///< the fault was in a call that removes or recognizes files
  bool succeeded() const { return outcome == ending::success; }

  // --- for checks -------------------------------------------------------------------------------

  /// Checks that the file has `before`, then the written part of `text`. After a success, `text`
  /// must be complete. After an error that has a number of lost bytes, the lost bytes and the bytes
  /// of `text` in the file must add up to `attempted_bytes`. After a failure, the file may be
  /// empty.
  void check_written(std::string_view text, std::string_view before = {});
  /// Checks that the file has the old or the new content, and after a success the new content.
  void check_old_or_new(std::string_view before, std::string_view after);
  /// Checks that the body has read exactly `expected`. If the body has failed, checks that the body
  /// has read the beginning of `expected`.
  void check_read(std::string_view expected);
  /// Checks the content of the file with this name in the folder.
  void check_file(std::string_view name, std::string_view content);
  /// Checks that the folder has no names except those in `names`. Each name in `names` ends with a
  /// space. Before the check, removes a temporary file of `replace` if `may_leave_files`, and
  /// recovers a sidecar that is left.
  void check_names(std::string_view names);
  /// If `holds` is false, records `promise` as a violation.
  void check(bool holds, std::string_view promise);

  // --- for the runner ---------------------------------------------------------------------------

  /// Runs the body, and records how the body ended and the lost bytes.
  void run(const std::function<void(trial&)>& body);
  /// Returns the promises that do not hold, each followed by "; ".
  const std::string& violations() const { return violations_; }

 private:
  void check_message(const leat::io_error& error);

  std::string folder_;
  std::string file_ = folder_ + "/the file";
  std::string violations_;
  std::uint64_t offset_ = leat::failure::no_offset;  // of a failed write
};

/// `prepare` makes the files, `body` makes the calls that faults affect, and `check` checks the
/// promises. `prepare` and `check` run without faults.
struct scenario {
  const char* name;
  std::function<void(trial&)> prepare;
  std::function<void(trial&)> body;
  std::function<void(trial&)> check;
};

std::vector<scenario> writing_scenarios();
std::vector<scenario> sidecar_scenarios();
std::vector<scenario> log_scenarios();
std::vector<scenario> reading_scenarios();
std::vector<scenario> random_scenarios();
std::vector<scenario> c_scenarios();
std::vector<scenario> c_file_scenarios();

/// Returns the content of a file. If the file can't be opened, returns "".
std::string content_of(const std::string& path);
/// Writes a file. If writing fails, ends the process.
void put_file(const std::string& path, std::string_view content);
/// Makes the files that a process leaves if it writes with durability `process` and ends without
/// close(): `content` is in the file, and `pending` is in the sidecar.
void put_pending(trial& t, std::string_view content, std::string_view pending);
/// Returns `size` bytes of increasing numbers, eight in a line, so that a shifted copy differs.
std::string numbered_lines(std::size_t size);

}  // namespace sweep
