// Implements nginx: starts the server with a configuration, and counts the responses in its log.
#include "remote/nginx.hpp"

#include <algorithm>
#include <filesystem>

namespace leat_test {

namespace {

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

bool nginx::is_installed() { return !find_program("nginx").empty(); }

nginx::nginx(const std::string& servers, std::uint16_t store)
    : process_([&, this](std::uint16_t port) { return command(servers, port, store); },
               folder_ / "errors") {}

std::vector<std::string> nginx::command(std::string servers, std::uint16_t port,
                                        std::uint16_t store) const {
  std::filesystem::create_directories(folder_ / "pages");
  replace_all(servers, "ADDRESS", "127.0.0.1:" + std::to_string(port));
  replace_all(servers, "PAGES", folder_ / "pages");
  replace_all(servers, "STORE", "store");
  std::string text =
      "daemon off; master_process off; pid pid; error_log errors;\n"
      "events { worker_connections 512; }\n"
      "http {\n"
      "log_format status '$status'; access_log answers status; client_max_body_size 0;\n"
      "client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;\n"
      "uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n";
  if (store != 0)
    text += "upstream store { server 127.0.0.1:" + std::to_string(store) + "; keepalive 32; }\n";
  write_file(folder_ / "conf", text + servers + "}\n");
  return {find_program("nginx"), "-p", folder_.path() + "/", "-c",
          folder_ / "conf",      "-e", folder_ / "errors"};
}

std::size_t nginx::responses(int status) const {
  const std::string text = read_all(log());
  const std::string line = std::to_string(status) + "\n";
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(line, at)) != text.npos; at += line.size()) ++count;
  return count;
}

std::size_t nginx::responses() const {
  const std::string text = read_all(log());
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace leat_test
