// A program that uses the remote component of an installed leat: opens an address, with a profile
// that does not exist.
#include <leat/file_stream.hpp>
#include <leat/print.hpp>
#include <leat/remote.hpp>

int main() {
  leat::remote::set_defaults({.endpoint = "http://127.0.0.1:1", .profile = "none of them"});
  std::error_code ec;
  const auto in = leat::open("s3://bucket/key", ec);
  leat::println("{}", ec == std::errc::invalid_argument ? "invalid_argument" : ec.message());
}
