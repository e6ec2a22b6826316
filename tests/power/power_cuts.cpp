// Simulates thousands of power cuts. After each cut, everything that leat's calls had promised must
// be in the files.
//
//   BUILD/tests/power_cuts [--fs NAME] [--cuts N] [--seed N] [--only WORKLOAD] [--broken]
//
// --cuts: the number of cuts for each set on each file system, at least two cuts for each file. The
// two sets are the workloads, and all sequences of three operations. --only: a single workload or
// sequence.
//
// A FUSE file records each write and flush of the file system that it holds, while workloads write
// files with leat. Then the program makes images of the disk, each as a cut could leave the disk.
// An image has all writes up to a position in the record; or all writes before the last flush, and
// none, some, or parts of some of the later writes. The kernel mounts each image, and up to 24
// files are compared with the promises made up to that position.
//
// --broken: fsync does nothing, so promises are broken, and each broken promise of a workload must
// be found. With --broken, a sequence runs only if --only names the sequence. Needs root, /dev/fuse
// and loop devices. Exit status 1: a violation, or an unknown file system; with --broken, a
// workload whose broken promise was not found.
#include <leat/leat.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "power/image.hpp"
#include "power/recorder.hpp"
#include "power/workload_context.hpp"

namespace leat_power {

namespace {

const std::vector<file_system> every_file_system = {
    {"ext4", "mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0 -J size=4", 32U << 20, "nodiscard"},
    {"xfs", "mkfs.xfs -q -f -K --unsupported -l size=8m 2>/dev/null", 96U << 20, "nodiscard"},
    {"btrfs", "mkfs.btrfs -q -f -K -s 4096 2>/dev/null", 160U << 20, "nodiscard"},
};

struct settings {
  std::string only_system;
  std::string only_workload;
  std::size_t cuts = 1500;
  std::uint64_t seed = 1;
  bool broken = false;
};

/// The disk before all workloads, the events on the disk while the workloads ran, and the history
/// of each file
struct record {
  image before;
  std::vector<disk_event> events;
  std::vector<std::unique_ptr<history>> histories;
};

std::string new_folder() {
  std::string folder = std::filesystem::temp_directory_path() / "leat-power-XXXXXX";
  require(::mkdtemp(folder.data()) != nullptr, "make a folder");
  return folder;
}

record record_workloads(const file_system& kind, const std::vector<workload>& workloads,
                        const settings& how) {
  recorder disk(kind.size);
  const int file = ::open(disk.path().c_str(), O_RDWR | O_CLOEXEC);
  require(file >= 0, "open " + disk.path());
  const loop_device device(file);
  ::close(file);
  const std::string make = kind.make + ' ' + device.path();
  require(std::system(make.c_str()) == 0, make);
  const std::string folder = new_folder();
  std::vector<std::unique_ptr<history>> histories;
  std::vector<disk_event> events;
  std::unique_ptr<image> before;
  {
    const mount_guard mounted(kind, device.path(), folder);
    require(mounted.is_mounted(), "mount " + kind.name);
    workload_context t(disk, folder, how.seed);
    for (std::size_t i = 0; i != workload_context::max_files; ++i)
      require(::mkdir((folder + '/' + std::to_string(i)).c_str(), 0700) == 0, "make folders");
    ::sync();
    before = std::make_unique<image>(disk.start_recording());
    skip_syncs = how.broken;
    for (const workload& one : workloads) {
      one.run(t);
      t.checkpoint_file_system();
    }
    skip_syncs = false;
    events = disk.stop_recording();
    histories = std::move(t.histories());
  }
  std::filesystem::remove(folder);
  return {*before, std::move(events), std::move(histories)};
}

// --- cuts

/// Which writes since the last flush are on the disk. `torn`: some writes, each with about three
/// quarters of its sectors.
enum class survivors { all, none, some, torn };

struct cut {
  std::size_t position;  // in the record: the events before this position have happened
  survivors written;
};

const char* name_of(survivors written) {
  switch (written) {
    case survivors::all:
      return "all";
    case survivors::none:
      return "none";
    case survivors::some:
      return "some";
    case survivors::torn:
      return "torn";
  }
  return "";
}

/// Returns the same number of cuts for each file, sorted by position. If a file has promises, half
/// of its cuts come directly after its last promise or a random promise, and lose all writes since
/// the last flush. The other cuts come at any time while the file is written.
std::vector<cut> plan_cuts(const record& recorded, const settings& how) {
  std::mt19937_64 random(how.seed);
  const std::size_t for_each = std::max<std::size_t>(how.cuts / recorded.histories.size(), 2);
  std::vector<cut> cuts;
  for (std::size_t i = 0; i != recorded.histories.size(); ++i) {
    const std::size_t begin = recorded.histories[i]->first_position();
    const std::size_t end = i + 1 != recorded.histories.size()
                                ? recorded.histories[i + 1]->first_position()
                                : recorded.events.size();
    const std::vector<std::size_t> promised = recorded.histories[i]->promised_positions();
    for (std::size_t n = 0; n != for_each; ++n) {
      constexpr survivors anywhere[] = {survivors::all, survivors::some, survivors::torn};
      if (n % 2 == 1 || promised.empty())
        cuts.push_back({begin + random() % (end - begin + 1), anywhere[random() % 3]});
      else if (n == 0)
        cuts.push_back({promised.back(), survivors::none});
      else
        cuts.push_back({promised[random() % promised.size()], survivors::none});
    }
  }
  std::ranges::sort(cuts, {}, [](const cut& one) { return std::pair(one.position, one.written); });
  return cuts;
}

/// The disk, at increasing positions of the record, as cuts leave it.
class cut_disk {
 public:
  cut_disk(const record& recorded, std::uint64_t seed)
      : events_(recorded.events),
        seed_(seed),
        flushed_(recorded.before),
        cut_(recorded.before),
        device_(cut_.descriptor()) {}

  const std::string& device() const { return device_.path(); }

  /// Changes the device to what this cut leaves. Positions must not decrease.
  void apply(const cut& next) {
    cut_.restore(flushed_);
    for (std::size_t i = done_; i != next.position; ++i) {
      if (events_[i].is_flush()) apply_until_flush(i);
    }
    std::mt19937_64 random(seed_ + next.position);
    for (std::size_t i = done_; i != next.position; ++i) write(events_[i], next.written, random);
    device_.drop_cache();
  }

 private:
  /// Applies all writes before this flush.
  void apply_until_flush(std::size_t flush) {
    for (; done_ != flush; ++done_) {
      flushed_.write(events_[done_].at, events_[done_].bytes);
      cut_.write(events_[done_].at, events_[done_].bytes);
    }
    ++done_;
  }

  void write(const disk_event& event, survivors written, std::mt19937_64& random) {
    constexpr std::size_t sector = 512;
    if (written == survivors::none || (written != survivors::all && random() % 2 == 0)) return;
    if (written != survivors::torn) {
      cut_.write(event.at, event.bytes);
      return;
    }
    const std::string_view bytes = event.bytes;
    for (std::size_t at = 0; at < bytes.size(); at += sector) {
      if (random() % 4 != 0) cut_.write(event.at + at, bytes.substr(at, sector));
    }
  }

  const std::vector<disk_event>& events_;
  std::uint64_t seed_;
  std::size_t done_ = 0;  // number of events in flushed_
  image flushed_;
  image cut_;
  loop_device device_;
};

// --- checks

struct result {
  std::size_t cuts = 0;
  std::size_t checks = 0;   // files that were checked
  std::size_t refused = 0;  // torn images that the file system does not mount
  std::size_t violations = 0;
  std::set<std::string> broken;  // the names in violations: of histories, or "mount"
};

/// Checks that the next replace removes what an interrupted replace has left. Returns what is
/// wrong, or an empty text.
std::string check_leftovers(const std::string& path) {
  leat::replace(path).close();
  for (const auto& one : std::filesystem::directory_iterator(path.substr(0, path.rfind('/')))) {
    const std::string found = one.path();
    const bool is_of_same_log = found == path + ".1" || found + ".1" == path;
    if (found != path && !is_of_same_log) return "left behind: " + one.path().filename().string();
  }
  return {};
}

/// Returns at most 24 files: the 16 that were begun last, and some earlier files.
std::vector<const history*> choose_files(const record& recorded, std::size_t position,
                                         std::mt19937_64& random) {
  std::vector<const history*> begun;
  for (const auto& one : recorded.histories) {
    if (one->first_position() <= position) begun.push_back(one.get());
  }
  constexpr std::size_t most = 24;
  constexpr std::size_t last = 16;
  if (begun.size() > most) {
    std::shuffle(begun.begin(), begun.end() - last, random);
    begun.erase(begun.begin(), begun.end() - most);
  }
  return begun;
}

void report_violation(const file_system& kind, const cut& after, const settings& how,
                      result& so_far, const std::string& name, const std::string& complaint) {
  so_far.broken.insert(name);
  if (so_far.violations++ < 10 && !how.broken) {
    std::printf("%s, seed %llu, cut at %zu, written since the flush: %s: %s: %s\n",
                kind.name.c_str(), static_cast<unsigned long long>(how.seed), after.position,
                name_of(after.written), name.c_str(), complaint.c_str());
  }
}

/// Simulates the restart of the system after a power cut: while this object exists, the boot ID is
/// different.
class simulated_reboot {
 public:
  simulated_reboot() : folder_(new_folder()) {
    const std::string id = folder_ + "/boot_id";
    leat::write_file(id, "00000000-0000-4000-8000-000000000000\n");
    require(::mount(id.c_str(), real, nullptr, MS_BIND, nullptr) == 0, "hide the boot ID");
  }
  ~simulated_reboot() {
    ::umount2(real, MNT_DETACH);
    std::error_code ec;
    std::filesystem::remove_all(folder_, ec);
  }
  simulated_reboot(const simulated_reboot&) = delete;
  simulated_reboot& operator=(const simulated_reboot&) = delete;

 private:
  static constexpr const char* real = "/proc/sys/kernel/random/boot_id";
  std::string folder_;
};

/// Recovers a file, as a user does first after a crash. Returns what is wrong, or an empty
/// text.
std::string recover_file(const std::string& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path + ".leat")) return {};
  leat::recover(path, ec);
  if (ec) return "recover: " + ec.message();
  return std::filesystem::exists(path + ".leat") ? "recover leaves the sidecar" : "";
}

result check(const file_system& kind, const record& recorded, const settings& how) {
  result so_far;
  const simulated_reboot after_the_cut;
  leat::set_loss_handler([](const leat::io_error&) noexcept {});  // pending bytes may be lost
  cut_disk disk(recorded, how.seed);
  const std::string folder = new_folder();
  for (const cut& next : plan_cuts(recorded, how)) {
    disk.apply(next);
    ++so_far.cuts;
    const mount_guard mounted(kind, disk.device(), folder);
    if (!mounted.is_mounted()) {
      // None of these file systems survives a torn superblock.
      if (next.written == survivors::torn)
        ++so_far.refused;
      else
        report_violation(kind, next, how, so_far, "mount", std::strerror(mounted.mount_errno()));
      continue;
    }
    std::mt19937_64 random(how.seed + next.position);
    for (const history* one : choose_files(recorded, next.position, random)) {
      ++so_far.checks;
      std::string complaint = recover_file(folder + '/' + one->path());
      if (complaint.empty()) complaint = one->violation(folder, next.position);
      if (complaint.empty() && random() % 4 == 0)
        complaint = check_leftovers(folder + '/' + one->path());
      if (!complaint.empty()) report_violation(kind, next, how, so_far, one->name(), complaint);
    }
  }
  std::filesystem::remove(folder);
  return so_far;
}

/// Runs one set on one file system. Returns false after a violation. With --broken, returns false
/// if the broken promise of a file was not found.
bool test_workloads(const file_system& kind, const char* set, std::vector<workload> workloads,
                    const settings& how) {
  std::erase_if(workloads, [&](const workload& one) {
    return !how.only_workload.empty() && one.name != how.only_workload;
  });
  if (workloads.empty()) return true;
  const record recorded = record_workloads(kind, workloads, how);
  const result found = check(kind, recorded, how);
  std::printf(
      "%s: %s: %zu, %zu writes and flushes, %zu cuts, %zu files checked, "
      "%zu torn images not mounted, %zu violations\n",
      kind.name.c_str(), set, workloads.size(), recorded.events.size(), found.cuts, found.checks,
      found.refused, found.violations);
  if (!how.broken) return found.violations == 0;
  bool all_found = true;
  for (const auto& one : recorded.histories) {
    if (one->promised_positions().empty() || found.broken.contains(one->name())) continue;
    std::printf("%s: %s broke its promise, and no check noticed it\n", kind.name.c_str(),
                one->name().c_str());
    all_found = false;
  }
  return all_found;
}

bool test_file_system(const file_system& kind, const settings& how) {
  bool right = test_workloads(kind, "workloads", every_workload(), how);
  if (!how.broken || !how.only_workload.empty())
    right = test_workloads(kind, "sequences of three", every_sequence(), how) && right;
  return right;
}

settings parse(int argc, char** argv) {
  settings how;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--broken") {
      how.broken = true;
      continue;
    }
    const char* const value = ++i < argc ? argv[i] : "";
    if (word == "--fs")
      how.only_system = value;
    else if (word == "--only")
      how.only_workload = value;
    else if (word == "--cuts")
      how.cuts = std::strtoull(value, nullptr, 10);
    else if (word == "--seed")
      how.seed = std::strtoull(value, nullptr, 10);
    else
      throw std::invalid_argument("unknown option " + std::string(word));
  }
  const auto has = [&](const std::vector<workload>& all) {
    return std::ranges::find(all, how.only_workload, &workload::name) != all.end();
  };
  if (!how.only_workload.empty() && !has(every_workload()) && !has(every_sequence()))
    throw std::invalid_argument("no workload is called " + how.only_workload);
  return how;
}

}  // namespace

}  // namespace leat_power

int main(int argc, char** argv) {
  using namespace leat_power;
  const settings how = parse(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  // The mounts are in the program's own namespace, and end with the program.
  require(::unshare(CLONE_NEWNS) == 0 &&
              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0,
          "make a mount namespace");
  // The file systems are tried in parallel, because most of the time the kernel waits.
  std::vector<pid_t> children;
  for (const file_system& kind : every_file_system) {
    if (!how.only_system.empty() && kind.name != how.only_system) continue;
    const pid_t child = ::fork();
    require(child >= 0, "fork");
    if (child == 0) {
      require(::unshare(CLONE_NEWNS) == 0, "make a mount namespace");
      return test_file_system(kind, how) ? 0 : 1;
    }
    children.push_back(child);
  }
  int result = children.empty() ? 1 : 0;
  for (const pid_t child : children) {
    int status = 1;
    require(::waitpid(child, &status, 0) == child, "wait");
    if (status != 0) result = 1;
  }
  return result;
}
