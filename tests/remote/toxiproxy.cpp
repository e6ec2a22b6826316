// Runs toxiproxy, and controls it by HTTP.
#include "remote/toxiproxy.hpp"

#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "remote/sockets.hpp"

namespace leat_test {

bool toxiproxy::is_installed() { return std::filesystem::exists(LEAT_TOXIPROXY); }

toxiproxy::toxiproxy(std::uint16_t server)
    : process_(
          [](std::uint16_t port) {
            return std::vector<std::string>{LEAT_TOXIPROXY, "-host", "127.0.0.1", "-port",
                                            std::to_string(port)};
          },
          folder_ / "log") {
  port_ = free_port();
  send_command("/proxies", R"({"name": "it", "enabled": true, "listen": "127.0.0.1:)" +
                               std::to_string(port_) + R"(", "upstream": "127.0.0.1:)" +
                               std::to_string(server) + R"("})");
}

void toxiproxy::add(std::string_view type, std::string_view attributes, direction stream,
                    double probability) {
  send_command("/proxies/it/toxics",
               R"({"name": ")" + std::to_string(++toxics_) + R"(", "type": ")" + std::string(type) +
                   R"(", "stream": ")" +
                   (stream == direction::to_client ? "downstream" : "upstream") +
                   R"(", "toxicity": )" + std::to_string(probability) + R"(, "attributes": )" +
                   std::string(attributes) + "}");
}

void toxiproxy::reset() { send_command("/reset", ""); }

void toxiproxy::send_command(std::string_view path, std::string_view json) {
  const std::string request = "POST " + std::string(path) +
                              " HTTP/1.1\r\nHost: toxiproxy\r\nConnection: close\r\n"
                              "Content-Length: " +
                              std::to_string(json.size()) + "\r\n\r\n" + std::string(json);
  const int to = connect_to_loopback(process_.port());
  send_all(to, request);
  std::string answer;
  receive_to(to, answer, 1 << 20);  // to the end of the connection
  ::close(to);
  if (!answer.starts_with("HTTP/1.1 2"))
    throw std::runtime_error("toxiproxy: " + std::string(path) + ' ' + std::string(json) + ": " +
                             (answer.empty() ? "no answer" : answer));
}

}  // namespace leat_test
