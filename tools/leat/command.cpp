// Shared by the subcommands of leat: the start of a session, --device, standard output and report
// files.
#include "command.hpp"

#include <fmt/chrono.h>
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <ctime>

#if defined(LEAT_REMOTE)
#  include "experiments/store/curl.hpp"
#endif

namespace bench {

const std::map<std::string, std::optional<leat::simulated_disk>>& devices() {
  using enum leat::simulated_disk;
  static const std::map<std::string, std::optional<leat::simulated_disk>> all{
      {"real", std::nullopt}, {"hdd", hdd}, {"ssd", ssd}, {"nvme", nvme}, {"nfs", nfs}, {"s3", s3}};
  return all;
}

session new_session(const std::vector<std::string>& command,
                    std::optional<leat::simulated_disk> disk, const std::string& store) {
  session all;
  for (const auto& [name, known] : devices()) {
    if (known == disk) all.device = name;
  }
  if (!store.empty()) all.device = store;
  all.machine = this_machine();
  all.version = leat_version();
  all.command = command;
  all.date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  return all;
}

#if defined(LEAT_REMOTE)
volume volume_of_store() { return {.file_system = "object store", .disk = store_endpoint()}; }
#else
volume volume_of_store() { return {}; }
#endif

void show(std::string_view text) {
  leat::out.write(text);
  leat::out.flush();
}

void write_file(const std::string& path, std::string_view text) {
  auto out = leat::replace(path);
  out.write(text);
  out.close();
}

void require_writable(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (!path.empty()) leat::replace(path).discard();
  }
}

}  // namespace bench
