#include "remote/store.hpp"

#include <leat/file_stream.hpp>

#include <filesystem>
#include <memory>

#include "support/files.hpp"

namespace leat_test {

namespace {

constexpr const char* access_key = "test";
constexpr const char* secret_key = "test-secret";

}  // namespace

bool store::is_installed() { return std::filesystem::exists(LEAT_VERSITYGW); }

store& store::running() {
  // Children of tests exit, too.
  static const struct owner {
    store* one = new store;
    pid_t process = ::getpid();
    ~owner() {
      if (process == ::getpid()) delete one;
    }
  } here;
  return *here.one;
}

store::store() {
  std::filesystem::create_directory(folder_ / "bucket");
  gateway_ = std::make_unique<server_process>(
      [this](std::uint16_t port) {
        return std::vector<std::string>{LEAT_VERSITYGW,
                                        "--quiet",
                                        "--keep-alive",
                                        "--port",
                                        "127.0.0.1:" + std::to_string(port),
                                        "--region",
                                        "us-east-1",
                                        "posix",
                                        folder_.path()};
      },
      folder_ / "log",
      server_process::variables{{"ROOT_ACCESS_KEY", access_key}, {"ROOT_SECRET_KEY", secret_key}});
}

leat::remote::settings store::how(std::uint16_t port) const {
  leat::remote::settings how;
  how.endpoint = "http://127.0.0.1:" + std::to_string(port);
  how.region = "us-east-1";
  how.login = {.access_key = access_key, .secret_key = secret_key, .session_token = {}};
  return how;
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

std::string store::get(std::string_view key) const { return read_all(file(key)); }

bool store::has(std::string_view key) const { return std::filesystem::exists(file(key)); }

std::size_t store::open_uploads() const {
  const std::string uploads = folder_ / "bucket/.sgwtmp/multipart";
  std::size_t count = 0;
  if (!std::filesystem::exists(uploads)) return 0;
  for (const auto& object : std::filesystem::directory_iterator(uploads))
    for ([[maybe_unused]] const auto& upload : std::filesystem::directory_iterator(object)) ++count;
  return count;
}

}  // namespace leat_test
