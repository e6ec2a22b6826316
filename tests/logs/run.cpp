#include "logs/run.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "logs/history.hpp"
#include "logs/machine.hpp"
#include "logs/writer.hpp"

namespace logs {

bool promise_early = false;

namespace {

namespace fs = std::filesystem;
using leat::durability;

constexpr std::uint64_t most_steps = 300'000;  // of a run
constexpr std::uint64_t most_steps_of_call = 30'000;
constexpr std::string_view log_name = "log";

virtual_clock& shared_clock() {
  static virtual_clock& here = *[] {
    void* const mapped = ::mmap(nullptr, sizeof(virtual_clock), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    return new (mapped) virtual_clock{};
  }();
  return here;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// A call of the library that a thread is in.
struct library_call {
  action what{};
  moment begun = 0;
  std::uint64_t steps = 0;
  bool is_running = false;
};

struct process {
  writer_number first;
  std::size_t stream = 0;
  bool is_open = false;
  bool met_full_disk = false;
  bool was_killed = false;
};

class run final : watcher {
 public:
  run(std::string folder, std::uint64_t seed, bool with_schedule)
      : folder_(std::move(folder)), random_(seed), records_(with_schedule) {
    choose();
  }

  outcome go() {
    try {
      write();
      if (result_.complaint.empty()) settle();
      if (result_.complaint.empty()) check();
    } catch (const std::exception& error) {
      complain(error.what());
    }
    result_.steps += machine_.steps();
    result_.lines = history_.lines();
    return std::move(result_);
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  bool rarely(std::size_t n) { return n != 0 && below(n) == 0; }
  std::string at(std::string_view name) const { return folder_ + '/' + std::string(name); }
  std::string log() const { return at(log_name); }
  void complain(const std::string& what) {
    if (result_.complaint.empty()) result_.complaint = what;
  }
  template <class... Parts>
  void note(const Parts&... parts) {
    if (!records_) return;
    std::string text;
    (text.append(parts), ...);
    result_.schedule.push_back(std::move(text));
  }

  void choose();
  void write();
  void settle();
  void check();

  void start();
  thread* choose_thread();
  void go_on(thread& one);
  void kill(thread& one);
  void use_tool();
  void pass_time();

  fault before(pid_t id, const system_call& call) override;
  void after(pid_t id, const system_call& call, long result) override;
  void hears(pid_t id, pid_t process, const system_call& what) override;
  void ended(pid_t id, int status) override;

  void begins(pid_t id, process& of, writer_number writer, action what, const system_call& told);
  void ends(process& of, writer_number writer, action what, const system_call& told);
  void wrote(pid_t id, const system_call& call, std::size_t size);
  void note_log();
  void stamp(const std::string& path) const;

  const std::string folder_;
  std::mt19937_64 random_;
  const bool records_;
  outcome result_;
  plan plan_;
  history history_;
  virtual_clock& clock_ = shared_clock();
  machine machine_{clock_, *this};

  // How this run goes.
  std::size_t most_processes_ = 1, processes_left_ = 1;
  std::size_t switches_ = 1, kills_ = 0, tools_ = 0;  // each n-th step; 0: never
  std::int64_t tick_ = 1000;

  std::map<pid_t, process> processes_;
  std::map<writer_number, library_call> calls_;
  std::map<pid_t, writer_number> speakers_;  // which thread is which writer
  writer_number next_writer_ = 0;
  pid_t last_ = 0;
  std::string text_;  // of the call that writes now

  // The files, by name: when the one that has the name was begun.
  std::map<std::string, std::size_t, std::less<>> generations_;
  std::size_t next_generation_ = 0;
  moment removed_at_ = 0;  // the last time that a tool has removed the log
  std::size_t tool_names_ = 0;
};

void run::choose() {
  plan_.path = log();
  plan_.how.durability = rarely(2) ? durability::process : durability::none;
  plan_.how.flush = std::array{leat::flush_when::full, leat::flush_when::full,
                               leat::flush_when::line, leat::flush_when::call}[below(4)];
  if (rarely(2)) plan_.how.buffer_size = 64 + below(2000);
  plan_.largest_line = rarely(4) ? 3000 : 200;
  plan_.calls = 5 + below(30);
  most_processes_ = 1 + below(3);
  processes_left_ = most_processes_ + below(5);
  switches_ = std::array<std::size_t, 4>{1, 3, 20, 200}[below(4)];
  kills_ = std::array<std::size_t, 4>{0, 100, 400, 2000}[below(4)];
  tools_ = std::array<std::size_t, 4>{0, 100, 400, 2000}[below(4)];
  tick_ = std::array<std::int64_t, 3>{1000, 50'000, 2'000'000}[below(3)];
  clock_.passed = 1000 * second;
  clock_.ahead = std::int64_t{1'600'000'000} * second +
                 static_cast<std::int64_t>(below(1000)) * 86400 * second;
}

void run::start() {
  const writer_number first = next_writer_;
  next_writer_ += threads_of_process;
  --processes_left_;
  const std::uint64_t seed = random_();
  // What it does at first is noticed by `hears`.
  const pid_t id = machine_.start([this, first, seed] { write_log(plan_, first, seed); });
  processes_[id] = {.first = first};
  note("start of ", std::to_string(first));
}

void run::write() {
  while (result_.complaint.empty()) {
    if (processes_.size() < most_processes_ && processes_left_ != 0 &&
        (processes_.empty() || rarely(30)))
      start();
    if (processes_.empty()) return;
    if (rarely(tools_)) use_tool();
    thread* const one = choose_thread();
    if (one == nullptr) continue;
    if (rarely(kills_))
      kill(*one);
    else
      go_on(*one);
  }
}

/// The one that runs next. Null, when time has passed because all wait, or with a complaint.
thread* run::choose_thread() {
  std::vector<thread*> ready;
  for (thread& one : machine_.threads()) {
    if (!machine_.can_go_on(one)) continue;
    if (one.id == last_ && switches_ != 1 && !rarely(switches_)) return &one;
    ready.push_back(&one);
  }
  if (!ready.empty()) return ready[below(ready.size())];
  const std::int64_t next = machine_.next_time();
  if (next == thread::never)
    complain("all wait for each other");
  else
    clock_.passed = next;
  return nullptr;
}

void run::go_on(thread& one) {
  last_ = one.id;
  if (const auto speaker = speakers_.find(one.id); speaker != speakers_.end()) {
    library_call& call = calls_[speaker->second];
    if (call.is_running && ++call.steps > most_steps_of_call)
      complain("a call takes too many steps");
    result_.longest_call = std::max(result_.longest_call, call.steps);
  }
  if (machine_.steps() > most_steps) complain("the run takes too many steps");
  if (one.next.number != told)
    note(std::to_string(processes_[one.process].first), " ", name_of(one.next));
  machine_.step(one);
  clock_.passed += 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(tick_)));
}

void run::kill(thread& one) {
  process& of = processes_.at(one.process);
  of.was_killed = true;
  ++result_.kills;
  const pid_t id = one.process;
  const std::string who = std::to_string(of.first);
  if (rarely(2) && writes(one.next) && one.next.arguments[0] > 2) {
    const std::size_t size = machine::bytes_of(id, one.next).size();
    const std::size_t done = below(size + 1);
    note("kill of ", who, " in ", name_of(one.next), " after ", std::to_string(done), " bytes");
    before(id, one.next);
    machine_.kill_in_call(one, done);
  } else if (rarely(3)) {
    const std::size_t count = 1 + below(rarely(10) ? 3000 : 300);
    note("kill of ", who, ", ", std::to_string(count), " instructions later");
    machine_.kill_later(one, count);
  } else {
    note("kill of ", who, " before ", name_of(one.next));
    machine_.kill(id);
  }
}

// What tools do

void run::use_tool() {
  if (!fs::exists(log())) return;
  ++result_.changes;
  const std::string name = "moved." + std::to_string(++tool_names_);
  note("a tool moves the log to ", name);
  fs::rename(log(), at(name));
  auto node = generations_.extract(std::string(log_name));
  node.key() = name;
  generations_.insert(std::move(node));
}

// What processes do

fault run::before(pid_t id, const system_call& call) {
  if (writes(call)) text_ = machine::bytes_of(id, call);
  switch (call.number) {
    case SYS_openat:
      return {.is_plain = (call.arguments[2] & O_CREAT) == 0};
    case SYS_renameat2:
    case SYS_renameat:
    case SYS_unlinkat:
    case SYS_getdents64:
      return {};
    default:
      return {.is_plain = !writes(call)};
  }
}

/// Notes a new file with the log's name.
void run::note_log() {
  if (generations_.contains(log_name) || !fs::exists(log())) return;
  generations_.emplace(log_name, next_generation_++);
  stamp(log());
}

void run::stamp(const std::string& path) const {
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_OMIT;
  const std::int64_t now = clock_.file_time();
  times[1].tv_sec = now / second - (now % second < 0 ? 1 : 0);
  times[1].tv_nsec = (now % second + second) % second;
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

void run::wrote(pid_t id, const system_call& call, std::size_t size) {
  if (size < text_.size()) history_.cut(text_, size);
  const std::string link =
      "/proc/" + std::to_string(id) + "/fd/" + std::to_string(call.arguments[0]);
  stamp(link);
  struct stat now{};
  if (::stat(link.c_str(), &now) != 0 || !S_ISREG(now.st_mode) || now.st_nlink != 0) return;
  std::error_code ec;
  const std::string path = fs::read_symlink(link, ec).string();
  const std::string_view name = name_in(path);
  if (name.starts_with('#') || name.find(".leat") != name.npos) return;
  history_.removed(std::string_view(text_).substr(0, size));
}

void run::after(pid_t id, const system_call& call, long result) {
  if (result < 0) return;
  if (writes(call)) return wrote(id, call, static_cast<std::size_t>(result));
  if (call.number == SYS_openat && (call.arguments[2] & O_CREAT) != 0) note_log();
}

void run::hears(pid_t id, pid_t process_id, const system_call& what) {
  if (what.arguments[0] == static_cast<std::uint64_t>(nothing)) return;
  const auto found = processes_.find(process_id);
  if (found == processes_.end()) return;
  const auto writer = static_cast<writer_number>(what.arguments[1]);
  speakers_[id] = writer;
  const auto which = static_cast<action>(what.arguments[2]);
  if (static_cast<message>(what.arguments[0]) == message::begins)
    begins(process_id, found->second, writer, which, what);
  else
    ends(found->second, writer, which, what);
}

const char* text_of(action what) {
  return std::array{
      "open", "write", "flush", "sync", "reopen", "close"}[static_cast<std::size_t>(what)];
}

void run::begins(pid_t id, process& of, writer_number writer, action what,
                 const system_call& told) {
  calls_[writer] = {.what = what, .begun = history_.now(), .is_running = true};
  if (what == action::open) {
    of.stream = history_.open_stream(plan_.keeps_each_call());
    of.is_open = true;
  }
  if (what == action::write) {
    std::string text(told.arguments[4], '\0');
    machine::read(id, told.arguments[3], text.data(), text.size());
    history_.begins(of.stream, writer, text);
    note(std::to_string(writer), " begins ", text_of(what), " ", text.substr(0, text.find(':')),
         " +", std::to_string(told.arguments[5]));
    if (promise_early) history_.ends(of.stream, writer);
    return;
  }
  note(std::to_string(writer), " begins ", text_of(what));
}

void run::ends(process& of, writer_number writer, action what, const system_call& told) {
  library_call& call = calls_[writer];
  call.is_running = false;
  const auto error = static_cast<int>(told.arguments[3]);
  note(std::to_string(writer), " ends ", text_of(what),
       error == 0 ? "" : ": " + std::to_string(error));
  stream& its = history_.at(of.stream);
  its.lost = told.arguments[4];
  its.met_full_disk = of.met_full_disk;
  if (error != 0 && !of.met_full_disk)
    complain(std::string(text_of(what)) + " fails: " + std::to_string(error));
  if (what == action::write) {
    history_.ends(of.stream, writer);
  } else if (what == action::close) {
    its.closed = true;
    if (error == 0) history_.flushed(of.stream, call.begun);
  } else if (what != action::open && error == 0) {
    history_.flushed(of.stream, call.begun);
  }
}

void run::ended(pid_t id, int status) {
  const auto found = processes_.find(id);
  if (found == processes_.end()) return;
  if (!found->second.was_killed && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    complain("a process ends with status " + std::to_string(status));
  note("end of ", std::to_string(found->second.first));
  processes_.erase(found);
}

// The end

/// Opens the log once more, as the next program would.
void run::settle() {
  const writer_number first = next_writer_;
  const pid_t id = machine_.start([this, first] { settle_log(plan_, first); });
  processes_[id] = {.first = first};
  while (!processes_.empty() && result_.complaint.empty())
    if (thread* const one = choose_thread(); one != nullptr) go_on(*one);
}

void run::check() {
  std::vector<std::pair<std::size_t, piece>> found;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    const auto known = generations_.find(name);
    if (known == generations_.end()) return complain("left behind: " + name);
    found.emplace_back(known->second, piece{name, content_of(entry.path())});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<piece> files;
  for (auto& one : found) files.push_back(std::move(one.second));
  const bool whole = plan_.how.durability == durability::process;
  complain(history_.complaint(files, whole));
}

}  // namespace

outcome run_once(const std::string& folder, std::uint64_t seed, bool with_schedule) {
  outcome result = run(folder, seed, with_schedule).go();
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
  return result;
}

}  // namespace logs
