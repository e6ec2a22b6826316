#include "remote/store.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>

#include <leat/file_stream.hpp>

#include "support/files.hpp"

namespace leat_test {

listening_port listen_on_loopback() {
  listening_port made{.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (made.descriptor < 0 || ::bind(made.descriptor, plain, size) != 0 ||
      ::listen(made.descriptor, 64) != 0 || ::getsockname(made.descriptor, plain, &size) != 0)
    throw std::runtime_error("no port of loopback is free");
  made.port = ::ntohs(address.sin_port);
  return made;
}

namespace {

/// How a store that is running already is reached; of the gateway if there is none. Tests of roles
/// change the variables, so this comes before.
struct access {
  static std::string variable(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : value;
  }

  std::string endpoint = variable("LEAT_TEST_STORE", "");
  std::string lacks = variable("LEAT_TEST_STORE_LACKS", "");
  bool is_running = !endpoint.empty();
  std::string region = is_running ? variable("AWS_REGION", "us-east-1") : "us-east-1";
  std::string access_key = is_running ? variable("AWS_ACCESS_KEY_ID", "") : "test";
  std::string secret_key = is_running ? variable("AWS_SECRET_ACCESS_KEY", "") : "test-secret";
};
const access given;

/// "http://127.0.0.1:PORT"
std::uint16_t port_of(const std::string& endpoint) {
  constexpr std::string_view loopback = "http://127.0.0.1:";
  unsigned long port = 0;
  if (endpoint.starts_with(loopback)) port = std::stoul(endpoint.substr(loopback.size()));
  if (port == 0 || port > 65535)
    throw std::runtime_error("LEAT_TEST_STORE is no http://127.0.0.1:PORT");
  return static_cast<std::uint16_t>(port);
}

bool accepts_connections(std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  address.sin_port = ::htons(port);
  const bool good =
      ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(descriptor);
  return good;
}

}  // namespace

bool store::is_there() { return given.is_running || std::filesystem::exists(LEAT_VERSITYGW); }

store& store::running() {
  static store one;
  return one;
}

store::store() {
  if (given.is_running)
    port_ = port_of(given.endpoint);
  else
    start_gateway();
}

void store::start_gateway() {
  std::filesystem::create_directory(folder_ / "bucket");
  const auto found = listen_on_loopback();
  ::close(found.descriptor);  // it is free for the gateway
  port_ = found.port;
  const std::string address = "127.0.0.1:" + std::to_string(port_);
  const std::string log = folder_ / "log";
  process_ = ::fork();
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("ROOT_ACCESS_KEY", given.access_key.c_str(), 1);
    ::setenv("ROOT_SECRET_KEY", given.secret_key.c_str(), 1);
    const int to = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(to, 1);
    ::dup2(to, 2);
    ::execl(LEAT_VERSITYGW, "versitygw", "--quiet", "--keep-alive", "--port", address.c_str(),
            "--region", given.region.c_str(), "posix", folder_.path().c_str(), nullptr);
    ::_exit(127);
  }
  for (int tries = 0; !accepts_connections(port_); ++tries) {
    if (tries == 1000) throw std::runtime_error("versitygw does not start");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

store::~store() {
  if (!is_ours()) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

leat::remote::settings store::how(std::uint16_t port) const {
  leat::remote::settings how;
  how.endpoint = "http://127.0.0.1:" + std::to_string(port);
  how.region = given.region;
  how.login = {.access_key = given.access_key, .secret_key = given.secret_key, .session_token = {}};
  return how;
}

bool store::keeps_exclusive(std::size_t size) {
  const bool has_parts = size > (8 << 20);
  return given.lacks.empty() || (given.lacks == "exclusive_parts" && !has_parts);
}

void store::put(std::string_view key, std::string_view content) const {
  const std::string address = "s3://bucket/" + std::string(key);
  std::error_code ec;
  leat::file_writer out(
      leat::remote::open({.address = address, .use = leat::address_use::create}, how(), ec), {},
      address);
  ASSERT_FALSE(ec) << ec.message();
  out.write(content);
  out.close();
}

std::string store::get(std::string_view key) const {
  if (is_ours()) return read_all(file(key));
  const std::string address = "s3://bucket/" + std::string(key);
  std::error_code ec;
  leat::file_reader in(leat::remote::open({.address = address}, how(), ec), {}, address);
  EXPECT_FALSE(ec) << ec.message();
  return ec ? "" : in.read_all();
}

bool store::has(std::string_view key) const {
  if (is_ours()) return std::filesystem::exists(file(key));
  std::error_code ec;
  const auto found = leat::remote::open({.address = "s3://bucket/" + std::string(key)}, how(), ec);
  EXPECT_TRUE(!ec || ec == std::errc::no_such_file_or_directory) << ec.message();
  return !ec;
}

std::size_t store::open_uploads() const {
  if (!is_ours()) return leat::remote::uploads("s3://bucket/", how()).size();
  const std::string uploads = folder_ / "bucket/.sgwtmp/multipart";
  std::size_t count = 0;
  if (!std::filesystem::exists(uploads)) return 0;
  for (const auto& object : std::filesystem::directory_iterator(uploads))
    for ([[maybe_unused]] const auto& upload : std::filesystem::directory_iterator(object)) ++count;
  return count;
}

}  // namespace leat_test
