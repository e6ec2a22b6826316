// `leat remote`: lists and removes objects, and aborts old uploads. main.cpp calls these functions.
#include "remote_command.hpp"

#include <fmt/chrono.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <ctime>

namespace bench {

namespace {

/// Returns the time `days` days ago in a store's format, without fractions of a second. Texts in
/// this format sort by time.
std::string days_ago(double days) {
  const auto then = std::chrono::system_clock::now() -
                    std::chrono::seconds(static_cast<std::int64_t>(days * 24 * 3600));
  return fmt::format("{:%FT%T}", fmt::gmtime(std::chrono::system_clock::to_time_t(then)));
}

}  // namespace

int list_objects(const remote_options& options) {
  for (const auto& one : leat::remote::list(options.address))
    leat::println("{:>14} {} {}", one.size, one.modified, one.address);
  leat::out.flush();
  return 0;
}

int remove_object(const remote_options& options) {
  leat::remote::remove(options.address);
  return 0;
}

int abort_old_uploads(const remote_options& options) {
  const std::string cutoff = days_ago(options.older_than);
  for (const auto& one : leat::remote::uploads(options.address)) {
    if (one.begun.substr(0, cutoff.size()) > cutoff) continue;
    if (!options.dry_run) leat::remote::abort(one);
    leat::println("{} {} {}", options.dry_run ? "would abort" : "aborted", one.begun, one.address);
  }
  leat::out.flush();
  return 0;
}

}  // namespace bench
