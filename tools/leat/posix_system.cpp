// The command on POSIX systems.
#include "system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#ifdef __linux__
#  include <sys/sysmacros.h>
#  include <sys/vfs.h>
#else
#  include <sys/mount.h>
#  include <sys/param.h>
#  include <sys/sysctl.h>
#endif
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include "bench.hpp"
#include "machine.hpp"

#if !defined(__linux__)
extern "C" char** environ;  // declared nowhere
#endif

namespace bench {

namespace {

[[noreturn]] void fail_now(std::string_view verb, const std::filesystem::path& what) {
  fail(verb, what, errno);
}

int open_path(const std::filesystem::path& path, access what, hint how) {
  int flags = what == access::read     ? O_RDONLY
              : what == access::write  ? O_WRONLY
              : what == access::update ? O_RDWR
                                       : O_WRONLY | O_CREAT | O_TRUNC;
  if (how == hint::direct) {
#ifdef O_DIRECT
    flags |= O_DIRECT;
#else
    fail("open", path, ENOTSUP);
#endif
  }
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (fd < 0) fail_now("open", path);
  return fd;
}

}  // namespace

raw_file::raw_file(const std::filesystem::path& path, access what, hint how)
    : path_(path), handle_(open_path(path, what, how)) {}

raw_file::~raw_file() {
  if (handle_ >= 0) ::close(handle_);
}

leat::native_handle_type raw_file::release() { return std::exchange(handle_, -1); }

void raw_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(handle_, bytes.data(), bytes.size());
    if (count < 0) fail_now("write", path_);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::size_t raw_file::read(char* to, std::size_t size) {
  const auto count = ::read(handle_, to, size);
  if (count < 0) fail_now("read", path_);
  return static_cast<std::size_t>(count);
}

void raw_file::read_at(std::uint64_t at, char* to, std::size_t size) const {
  if (::pread(handle_, to, size, static_cast<off_t>(at)) != static_cast<ssize_t>(size))
    fail_now("read", path_);
}

void raw_file::write_at(std::uint64_t at, std::string_view bytes) const {
  if (::pwrite(handle_, bytes.data(), bytes.size(), static_cast<off_t>(at)) !=
      static_cast<ssize_t>(bytes.size()))
    fail_now("write", path_);
}

void raw_file::announce([[maybe_unused]] std::uint64_t at,
                        [[maybe_unused]] std::size_t size) const {
#ifdef POSIX_FADV_WILLNEED
  ::posix_fadvise(handle_, static_cast<off_t>(at), static_cast<off_t>(size), POSIX_FADV_WILLNEED);
#endif
}

void raw_file::sync() {
  if (::fsync(handle_) != 0) fail_now("write", path_);
}

void raw_file::close() {
  if (::close(release()) != 0) fail_now("write", path_);
}

mapped_bytes::mapped_bytes(const std::filesystem::path& path, access what)
    : size_(std::filesystem::file_size(path)) {
  const raw_file file(path, what);
  const int allowed = what == access::update ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const area = ::mmap(nullptr, size_, allowed, MAP_SHARED, file.get(), 0);
  if (area == MAP_FAILED) fail_now("map", path);
  data_ = static_cast<char*>(area);
}

mapped_bytes::~mapped_bytes() { ::munmap(data_, size_); }

std::FILE* open_c_file(const std::filesystem::path& path, const char* mode) {
  return std::fopen(path.c_str(), mode);
}

bool drop_from_cache(const std::filesystem::path& path) {
#ifdef POSIX_FADV_DONTNEED
  if (::posix_fadvise(raw_file(path, access::read).get(), 0, 0, POSIX_FADV_DONTNEED) != 0)
    return false;
  const mapped_bytes file(path);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> cached((file.view().size() + page - 1) / page);
  if (::mincore(const_cast<char*>(file.view().data()), file.view().size(), cached.data()) != 0) {
    return false;
  }
  return std::ranges::none_of(cached, [](unsigned char flags) { return flags & 1; });
#else
  static_cast<void>(path);
  return false;
#endif
}

bool obeys_direct() { return true; }

bool is_installed(const char* program) {
  const char* folders = std::getenv("PATH");
  for (std::string_view left = folders ? folders : ""; !left.empty();) {
    const auto folder = left.substr(0, left.find(':'));
    left.remove_prefix(std::min(left.size(), folder.size() + 1));
    if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

ended_program run_quietly(const std::vector<std::string>& words) {
  const auto& program = words.front();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {1, 2}) {
    posix_spawn_file_actions_addopen(&actions, output, null_device, O_WRONLY, 0);
  }
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("start", program, error);
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) fail_now("wait for", program);
  }
  // Of a child that has ended, but was not waited for.
  ended_program result;
  std::ifstream counters(fmt::format("/proc/{}/io", child));
  std::string name;
  std::uint64_t count = 0;
  if (counters >> name >> count && name == "rchar:") result.bytes_read = count;
  ::waitpid(child, nullptr, 0);
  if (ended.si_code != CLD_EXITED) throw failure(program + " failed");
  result.code = ended.si_status;
  return result;
}

std::vector<std::string> arguments_of(int argc, char** argv) { return {argv, argv + argc}; }

clocks real_clocks() {
  const auto seconds = [](clockid_t which) {
    timespec now{};
    clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const auto children = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  };
  return {[=] { return seconds(CLOCK_MONOTONIC); },
          [=] { return seconds(CLOCK_PROCESS_CPUTIME_ID) + children(); }};
}

std::filesystem::path make_private_folder(const std::filesystem::path& in,
                                          std::string_view prefix) {
  std::string name = in / fmt::format("{}XXXXXX", prefix);
  if (!mkdtemp(name.data())) fail_now("create a folder in", in);
  return name;
}

void ignore_broken_output() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

namespace {

void (*interrupt_note)() = nullptr;

extern "C" void take_interrupt(int) { interrupt_note(); }

}  // namespace

void on_interrupt(void (*note)()) {
  interrupt_note = note;
  struct sigaction action{};
  action.sa_handler = take_interrupt;
  action.sa_flags = SA_RESTART;  // a peer may not know what to do with EINTR
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool is_terminal(output which) {
  return isatty(which == output::standard ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

int terminal_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// --- the machine ---------------------------------------------------------------------------------

namespace {

std::string cpu_model() {
#ifndef __linux__
  char name[256];
  std::size_t size = sizeof name;
#  ifdef __APPLE__
  constexpr const char* which = "machdep.cpu.brand_string";
#  else
  constexpr const char* which = "hw.model";
#  endif
  if (sysctlbyname(which, name, &size, nullptr, 0) == 0) return name;
#endif
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// As in "ext4"; "unknown" where nothing tells.
std::string file_system_of(const std::filesystem::path& path) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string mounts{std::istreambuf_iterator<char>(file), {}};
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  auto type = file_system_in(mounts, error ? path : whole);
#ifdef __linux__
  // A container may hide the mount that its root belongs to.
  struct statfs found{};
  if (type == unknown_file_system && statfs(path.c_str(), &found) == 0) {
    type = file_system_with(static_cast<std::uint32_t>(found.f_type));
  }
#else
  struct statfs found{};
  if (statfs(path.c_str(), &found) == 0) type = found.f_fstypename;
#endif
  return type;
}

}  // namespace

void ask_system(machine& about) {
  utsname system{};
  uname(&system);
  about.cpu = cpu_model();
  if (about.cpu.empty()) about.cpu = system.machine;
  about.memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  about.kernel = std::string(system.sysname) + ' ' + system.release;
  about.governor = line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto boost = line_of("/sys/devices/system/cpu/cpufreq/boost"); !boost.empty())
    about.turbo = boost == "1";
  if (const auto off = line_of("/sys/devices/system/cpu/intel_pstate/no_turbo"); !off.empty())
    about.turbo = off == "0";
  if (getloadavg(&about.load, 1) != 1) about.load = 0;
}

volume volume_of(const std::filesystem::path& path) {
  volume found{file_system_of(path), 0, ""};
  struct statvfs system{};
  if (statvfs(path.c_str(), &system) == 0) found.block_size = system.f_bsize;
#ifdef __linux__
  struct stat file{};
  if (stat(path.c_str(), &file) == 0) {
    const auto number =
        std::to_string(major(file.st_dev)) + ':' + std::to_string(minor(file.st_dev));
    found.disk = disk_in("/sys", number);
  }
#endif
  return found;
}

double busy_seconds() {
  return busy_seconds(line_of("/proc/stat"), static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace bench
