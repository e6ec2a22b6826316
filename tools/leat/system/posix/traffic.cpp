#include "system/traffic.hpp"

#if defined(__linux__) && __has_include(<linux/tcp.h>)
#  include <linux/tcp.h>
#  include <netinet/in.h>
#  include <sys/socket.h>
#  include <sys/stat.h>

#  include <charconv>
#  include <filesystem>
#  include <string>
#endif

namespace bench {

#if defined(__linux__) && __has_include(<linux/tcp.h>)

std::optional<std::map<std::uint64_t, traffic>> open_connections() {
  std::map<std::uint64_t, traffic> all;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ec)) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    struct stat about{};
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::fstat(descriptor, &about) != 0 || !S_ISSOCK(about.st_mode)) continue;
    if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    all[about.st_ino] = {info.tcpi_bytes_received, info.tcpi_data_segs_out};
  }
  if (ec) return std::nullopt;
  return all;
}

#else

std::optional<std::map<std::uint64_t, traffic>> open_connections() { return std::nullopt; }

#endif

}  // namespace bench
