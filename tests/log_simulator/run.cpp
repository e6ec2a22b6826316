// Implements run_once, a run of the log simulator: chooses steps and faults by the seed, and checks
// each step.
#include "log_simulator/run.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "log_simulator/files.hpp"
#include "log_simulator/history.hpp"
#include "log_simulator/machine.hpp"
#include "log_simulator/parameters.hpp"
#include "log_simulator/writer.hpp"
#include "support/shared_memory.hpp"

namespace logs {

bool promise_early = false;

namespace {

namespace fs = std::filesystem;
using leat::durability;

constexpr std::uint64_t most_steps = 400'000;  // per run
constexpr std::uint64_t most_steps_of_call = 50'000;

virtual_clock& shared_clock() {
  static virtual_clock& clock = leat_test::shared_with_children<virtual_clock>();
  return clock;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const char* text_of(action call) {
  return std::array{"open", "write", "flush", "sync", "reopen", "close", "clear", "recover"}
      [static_cast<std::size_t>(call)];
}

/// The latest call of the library by a thread.
struct library_call {
  action kind{};
  moment begun = 0;
  std::uint64_t steps = 0;
  bool is_running = false;
};

struct process {
  writer_number first_writer = 0;
  std::optional<std::size_t> stream;
  bool had_full_disk = false;
  bool was_killed = false;
  std::string written;   ///< the last bytes that the process wrote to a log file
  moment listed_at = 0;  ///< when the process last listed the folder
};

class run final : observer, random_choices {
 public:
  run(const std::string& folder, std::uint64_t seed)
      : random_choices(seed), files_(folder, history_, clock_), parameters_(*this, files_.log()) {
    ::setenv("TZ", parameters_.time_zone.c_str(), 1);
    ::tzset();
    clock_.monotonic = 1000 * second;
    clock_.realtime_offset = parameters_.realtime_offset;
  }

  outcome execute() {
    try {
      write();
      if (result_.violation.empty() && !is_refused_) reopen();
      if (result_.violation.empty() && !is_refused_) check();
    } catch (const std::exception& error) {
      record_violation(error.what());
    }
    result_.steps += machine_.steps();
    result_.lines = history_.lines();
    return std::move(result_);
  }

 private:
  void record_violation(const std::string& what) {
    if (result_.violation.empty()) result_.violation = what;
  }
  template <class... Parts>
  void note(const Parts&... parts) {
    std::string text;
    (text.append(parts), ...);
    result_.schedule.push_back(std::move(text));
  }
  std::string name_of_process(pid_t id) const {
    return std::to_string(processes_.at(id).first_writer);
  }

  void write();
  void reopen();
  void check();

  void start();
  thread* choose_thread();
  void step_thread(thread& one);
  void kill(thread& one);
  void run_tool();
  void change_disk();
  void change_clock();

  fault before_call(pid_t id, const system_call& call) override;
  void after_call(pid_t id, const system_call& call, long result) override;
  void on_report(pid_t id, pid_t process, const system_call& report) override;
  void on_exit(pid_t id, int status) override;

  fault on_full_disk(pid_t id, const system_call& call);
  void check_removal(pid_t id, std::string_view name);
  void begin_call(pid_t id, process& caller, writer_number writer, action kind,
                  const system_call& report);
  void end_call(process& caller, writer_number writer, action kind, const system_call& report);
  void on_write(pid_t id, const system_call& call, std::size_t size);

  outcome result_;
  history history_;
  virtual_clock& clock_ = shared_clock();
  files files_;
  machine machine_{clock_, *this};

  parameters parameters_;

  std::map<pid_t, process> processes_;
  std::map<writer_number, library_call> calls_;
  std::map<pid_t, writer_number> writer_of_thread_;  // threads and their writers
  writer_number next_writer_ = 0;
  pid_t last_thread_ = 0;
  std::string written_text_;  // the bytes of the current call that writes
  std::vector<files::tool_step> later_tool_steps_;
  std::optional<std::size_t> free_space_;  // bytes; no value: there is enough space
  bool was_full_ = false;
  bool is_refused_ = false;  // the log can't be opened any more, as documented
  // The process that changed a name last, and the moments of three last changes: of a name by this
  // process, of a name by another process, and of any kind by a tool.
  pid_t last_renamer_ = 0;
  moment last_rename_ = 0, last_rename_by_others_ = 0, last_tool_change_ = 0;
};

void run::start() {
  const writer_number first = next_writer_;
  next_writer_ += threads_per_process;
  --parameters_.processes_left;
  const std::uint64_t seed = next();
  const bool recovers = one_in(10);
  const pid_t id = machine_.start([this, first, seed, recovers] {
    recovers ? recover_log(parameters_.workload, first)
             : write_log(parameters_.workload, first, seed);
  });
  processes_[id].first_writer = first;
  note("start of ", std::to_string(first));
}

void run::write() {
  while (result_.violation.empty() && !is_refused_) {
    if (processes_.size() < parameters_.most_processes && parameters_.processes_left != 0 &&
        (processes_.empty() || one_in(30)))
      start();
    if (processes_.empty()) break;
    if (one_in(parameters_.tool_change_period) || (!later_tool_steps_.empty() && one_in(20)))
      run_tool();
    if (one_in(parameters_.full_disk_period) || (free_space_ && one_in(100))) change_disk();
    if (one_in(parameters_.clock_jump_period)) change_clock();
    thread* const one = choose_thread();
    if (one == nullptr) continue;
    if (one_in(parameters_.kill_period))
      kill(*one);
    else
      step_thread(*one);
  }
  free_space_.reset();
  while (!later_tool_steps_.empty()) run_tool();
}

/// Chooses the thread that runs next. If all threads wait, lets the time pass to the first wake-up
/// and returns null. If no thread will wake, records a violation and returns null.
thread* run::choose_thread() {
  std::vector<thread*> ready;
  for (thread& one : machine_.threads()) {
    if (!machine_.is_ready(one)) continue;
    if (one.id == last_thread_ && parameters_.switch_period != 1 &&
        !one_in(parameters_.switch_period))
      return &one;
    ready.push_back(&one);
  }
  if (!ready.empty()) return ready[below(ready.size())];
  const std::int64_t next = machine_.next_wake_time();
  if (next == thread::never)
    record_violation("all threads wait for each other");
  else
    clock_.monotonic = next;
  return nullptr;
}

void run::step_thread(thread& one) {
  last_thread_ = one.id;
  if (const auto writer = writer_of_thread_.find(one.id); writer != writer_of_thread_.end()) {
    library_call& call = calls_[writer->second];
    if (call.is_running && ++call.steps > most_steps_of_call)
      record_violation("a call takes too many steps");
    result_.longest_call = std::max(result_.longest_call, call.steps);
  }
  if (machine_.steps() > most_steps) record_violation("the run takes too many steps");
  if (one.next.number != report_call) note(name_of_process(one.process), " ", name_of(one.next));
  machine_.step(one);
  clock_.monotonic +=
      1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(parameters_.max_step_time)));
}

void run::kill(thread& one) {
  processes_.at(one.process).was_killed = true;
  ++result_.kills;
  const pid_t id = one.process;
  const std::string name = name_of_process(id);
  if (one_in(2) && writes(one.next) && one.next.arguments[0] > 2) {
    const fault change = before_call(id, one.next);
    const std::size_t done =
        change.error != 0 ? 0 : below(std::min(written_text_.size(), change.max_bytes) + 1);
    note("kill of ", name, " in ", name_of(one.next), " after ", std::to_string(done), " bytes");
    if (done == 0) return machine_.kill(id);
    machine_.kill_in_call(one, done);
  } else if (one_in(3)) {
    const std::size_t count = 1 + below(one_in(10) ? 3000 : 300);
    note("kill of ", name, ", ", std::to_string(count), " instructions after ", name_of(one.next));
    machine_.kill_later(one, count);
  } else {
    note("kill of ", name, " before ", name_of(one.next));
    machine_.kill(id);
  }
}

// Changes by tools, by the disk and by the clock

void run::run_tool() {
  if (!later_tool_steps_.empty() && (!one_in(4) || processes_.empty())) {
    note("a tool goes on");
    const files::tool_step next = std::move(later_tool_steps_.front());
    later_tool_steps_.erase(later_tool_steps_.begin());
    next();
  } else {
    const std::string description =
        files_.run_tool(below(files::tool_count), below(1000), later_tool_steps_);
    if (description.empty()) return;
    note("a tool ", description);
  }
  ++result_.changes;
  last_tool_change_ = history_.now();
}

void run::change_disk() {
  if (free_space_)
    free_space_.reset();
  else
    free_space_ = one_in(2) ? 0 : below(2000);
  was_full_ = was_full_ || free_space_;
  note(free_space_ ? "the disk has " + std::to_string(*free_space_) + " bytes"
                   : "the disk has space");
}

void run::change_clock() {
  const std::int64_t limit = one_of<std::int64_t>({1, 60, 3600, 86400, 31 * 86400}) * second;
  const auto by = static_cast<std::int64_t>(below(static_cast<std::size_t>(limit)));
  if (one_in(2)) {
    clock_.monotonic += by;
    note(std::to_string(by / second), " s pass");
  } else {
    clock_.realtime_offset += one_in(2) ? by : -by;
    note("the clock is set forward or back by about ", std::to_string(by / second), " s");
  }
}

// System calls and reports of processes

fault run::on_full_disk(pid_t id, const system_call& call) {
  const auto fail = [&] {
    process& caller = processes_.at(id);
    caller.had_full_disk = true;
    if (caller.stream) history_.at(*caller.stream).had_full_disk = true;
    note(name_of_process(id), " finds no space");
    return fault{.error = ENOSPC};
  };
  if (writes(call)) {
    if (call.arguments[0] <= 2 || written_text_.size() <= *free_space_) return {};
    if (*free_space_ == 0) return fail();
    fail();
    return {.max_bytes = *free_space_};
  }
  if (call.number == SYS_fallocate && *free_space_ < call.arguments[3]) return fail();
  if (call.number == SYS_openat && *free_space_ == 0) {
    const bool creates = (call.arguments[2] & O_TMPFILE) == O_TMPFILE ||
                         ((call.arguments[2] & O_CREAT) != 0 &&
                          !fs::exists(files_.at(name_in(machine::text_at(id, call.arguments[1])))));
    if (creates) return fail();
  }
  return {};
}

fault run::before_call(pid_t id, const system_call& call) {
  if (writes(call)) written_text_ = machine::written_bytes(id, call);
  if (free_space_) {
    if (fault change = on_full_disk(id, call); change.error != 0 || change.max_bytes != fault::all)
      return change;
  }
  switch (call.number) {
    case SYS_openat:
      return {.ignores_result = (call.arguments[2] & O_CREAT) == 0};
    case SYS_unlinkat:
      check_removal(id, name_in(machine::text_at(id, call.arguments[1])));
      return {};
    case SYS_renameat2:
    case SYS_renameat:
    case SYS_getdents64:
      return {};
    default:
      return {.ignores_result = !writes(call)};
  }
}

/// Checks that a file may be removed, by `keep` or after its compression, and notes the removal.
void run::check_removal(pid_t id, std::string_view name) {
  if (!files::is_archive(name) || !fs::exists(files_.at(name))) return;
  const moment listed = processes_.at(id).listed_at;
  // The rotation lock lets one process at a time rotate, except processes that have opened another
  // file as the log.
  const bool by_others = (last_renamer_ == id ? last_rename_by_others_ : last_rename_) > listed;
  listing state = listing::current;
  if (last_tool_change_ > listed || (by_others && files_.log_taken_at() != 0))
    state = listing::stale;
  else if (by_others)
    state = listing::stale_under_lock;
  record_violation(files_.removal_violation(name, parameters_.workload.options.keep, state));
  files_.note_removal(name);
}

void run::on_write(pid_t id, const system_call& call, std::size_t size) {
  if (size < written_text_.size()) history_.record_partial_write(written_text_, size);
  const std::string link =
      "/proc/" + std::to_string(id) + "/fd/" + std::to_string(call.arguments[0]);
  struct stat now{};
  if (::stat(link.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return;
  files_.set_file_time(link);
  std::error_code ec;
  const std::string path = fs::read_symlink(link, ec).string();
  const std::string_view name = name_in(path);
  note("  ", std::to_string(size), " bytes to ", name);
  if (free_space_) *free_space_ -= std::min(*free_space_, size);
  if (name.starts_with('#') || name.find(".leat") != name.npos ||
      name.find(".compressing") != name.npos)
    return;
  // After a partial write, the process writes the rest: `written` keeps the whole text.
  std::string& written = processes_.at(id).written;
  if (!written.ends_with(written_text_)) written = written_text_;
  if (now.st_nlink != 0) return;
  // The process may check the name before the file is removed, and write after the removal.
  const auto writer = writer_of_thread_.find(last_thread_);
  if (writer != writer_of_thread_.end() && calls_[writer->second].begun > files_.log_removed_at() &&
      processes_.at(id).listed_at < last_rename_)
    record_violation("bytes are written to a file that was removed before the call");
  history_.record_removal(std::string_view(written_text_).substr(0, size));
}

void run::after_call(pid_t id, const system_call& call, long result) {
  if (result < 0) return;
  if (writes(call)) return on_write(id, call, static_cast<std::size_t>(result));
  if (call.number == SYS_openat) return files_.note_new_log();
  process& caller = processes_.at(id);
  if (call.number == SYS_getdents64) {
    if (result > 0) caller.listed_at = history_.now();
    return;
  }
  const bool renames = call.number == SYS_renameat2 || call.number == SYS_renameat;
  if (!renames && call.number != SYS_unlinkat) return;
  const std::string path = machine::text_at(id, call.arguments[1]);
  const std::string_view name = name_in(path);
  if (renames) {
    const std::string to = machine::text_at(id, call.arguments[3]);
    files_.note_rename(name, name_in(to));
    note("  ", name, " is now ", name_in(to));
  }
  if (name.ends_with(".leat")) return;
  if (last_renamer_ != id) last_rename_by_others_ = last_rename_;
  last_rename_ = history_.now();
  last_renamer_ = id;
}

void run::on_report(pid_t id, pid_t process_id, const system_call& report) {
  if (report.arguments[0] == static_cast<std::uint64_t>(process_started)) return;
  const auto writer = static_cast<writer_number>(report.arguments[1]);
  writer_of_thread_[id] = writer;
  const auto kind = static_cast<action>(report.arguments[2]);
  if (static_cast<report_kind>(report.arguments[0]) == report_kind::begins)
    begin_call(process_id, processes_.at(process_id), writer, kind, report);
  else
    end_call(processes_.at(process_id), writer, kind, report);
}

void run::begin_call(pid_t id, process& caller, writer_number writer, action kind,
                     const system_call& report) {
  calls_[writer] = {.kind = kind, .begun = history_.now(), .is_running = true};
  if (kind == action::open)
    caller.stream = history_.open_stream(parameters_.workload.keeps_each_call());
  if (kind != action::write) return note(std::to_string(writer), " begins ", text_of(kind));
  std::string text(report.arguments[4], '\0');
  machine::read(id, report.arguments[3], text.data(), text.size());
  history_.begin_call(*caller.stream, writer, text);
  note(std::to_string(writer), " begins ", text_of(kind), " ", text.substr(0, text.find(':')), " +",
       std::to_string(report.arguments[5]));
  if (promise_early) history_.end_call(*caller.stream, writer);
}

void run::end_call(process& caller, writer_number writer, action kind, const system_call& report) {
  library_call& call = calls_[writer];
  call.is_running = false;
  const auto error = static_cast<int>(report.arguments[3]);
  note(std::to_string(writer), " ends ", text_of(kind),
       error == 0 ? "" : ": " + std::to_string(error));
  const bool no_file = kind == action::recover && error == ENOENT;
  // The log has a writer without a sidecar, because the disk had no space for a sidecar.
  if (error == static_cast<int>(leat::errc::foreign_sidecar) && was_full_) {
    is_refused_ = true;
    return;
  }
  if (error != 0 && !caller.had_full_disk && !no_file)
    record_violation(std::string(text_of(kind)) + " fails: " + std::to_string(error));
  if (kind == action::recover || !caller.stream) return;
  stream& log = history_.at(*caller.stream);
  log.lost = report.arguments[4];
  log.closed = log.closed || kind == action::close;
  if (kind == action::write) history_.end_call(*caller.stream, writer);
  if (error != 0)
    history_.record_failure(*caller.stream);
  else if (kind != action::write && kind != action::open)
    history_.record_flush(*caller.stream, call.begun);
}

void run::on_exit(pid_t id, int status) {
  const auto found = processes_.find(id);
  if (found == processes_.end()) return;
  if (!found->second.was_killed && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    record_violation("a process ends with status " + std::to_string(status));
  if (found->second.was_killed && parameters_.workload.durability() == durability::process)
    history_.allow_duplicates(found->second.written);
  note("end of ", std::to_string(found->second.first_writer));
  processes_.erase(found);
}

// The checks at the end of a run

/// Opens the log once more, as the next program would.
void run::reopen() {
  const writer_number first = next_writer_;
  const pid_t id = machine_.start([this, first] { reopen_log(parameters_.workload, first); });
  processes_[id].first_writer = first;
  while (!processes_.empty() && result_.violation.empty() && !is_refused_)
    if (thread* const one = choose_thread(); one != nullptr) step_thread(*one);
}

void run::check() {
  std::string violation;
  const std::vector<file_content> all = files_.contents(violation);
  record_violation(violation);
  for (const file_content& one : all) note(one.name, " has ", history_.summary(one.text));
  const bool is_whole =
      parameters_.workload.options.durability == durability::process && !was_full_;
  record_violation(history_.violation(all, is_whole, was_full_));
}

}  // namespace

outcome run_once(const std::string& folder, std::uint64_t seed) {
  fs::create_directory(folder);
  outcome result = run(folder, seed).execute();
  fs::remove_all(folder);
  return result;
}

}  // namespace logs
