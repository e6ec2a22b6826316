// Addresses of a scheme that the program registers, compared with a map. The request of each call
// has the use that the call needs. The request of open() has the pattern of the options, and a
// request to write has the `exclusive` of the options.
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/scheme.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;

std::map<std::string, std::string> contents;  // by address
std::optional<leat::address_use> requested_use;
bool requested_exclusive = false;
leat::pattern requested_pattern = leat::pattern::automatic;

class string_device final : public leat::device {
 public:
  explicit string_device(std::string& content) : content_(content) {}
  leat::device_traits traits() const noexcept override { return {.concurrent = true}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    return at < content_.size() ? content_.copy(into.data(), into.size(), at) : 0;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    const std::string_view bytes = pieces.front();
    if (content_.size() < at + bytes.size()) content_.resize(at + bytes.size());
    bytes.copy(content_.data() + at, bytes.size());
    return bytes.size();
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    ec.clear();
    return content_.size();
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  std::string& content_;
};

std::unique_ptr<leat::device> open_address(const leat::address_request& request,
                                           std::error_code& ec) noexcept {
  ec.clear();
  requested_use = request.use;
  requested_exclusive = request.exclusive;
  requested_pattern = request.pattern;
  const std::string address(request.address);
  expect(request.address.data()[request.address.size()] == '\0', "no NUL after the address");
  const bool is_there = contents.contains(address);
  if (request.use != leat::address_use::create && !is_there)
    ec = std::make_error_code(std::errc::no_such_file_or_directory);
  if (request.use == leat::address_use::create && request.exclusive && is_there)
    ec = std::make_error_code(std::errc::file_exists);
  if (ec) return nullptr;
  std::string& content = contents[address];
  if (request.use == leat::address_use::create) content.clear();
  return std::make_unique<string_device>(content);
}

/// Writes the content by a random call. Returns the call's error. Sets `exclusive` to the option of
/// the call.
std::error_code write(input& in, const std::string& address, const std::string& bytes,
                      bool& exclusive) {
  std::error_code ec;
  exclusive = false;
  switch (in.below(4)) {
    case 0:
      step("write_file");
      leat::write_file(address, bytes, ec);
      break;
    case 1: {
      step("replace");
      auto out = leat::replace(address, {.buffer_size = in.boundary_size()}, ec);
      out.write(bytes);
      if (!ec) out.close(ec);
      break;
    }
    case 2: {
      step("copy_file");
      const std::string path = fuzz::scratch() + "original";
      leat::write_file(path, bytes);
      leat::copy_file(path, address, ec);
      break;
    }
    default: {
      exclusive = in.flag();
      step("create, exclusive: {}", exclusive);
      auto out =
          leat::create(address, {.buffer_size = in.boundary_size(), .exclusive = exclusive}, ec);
      out.write(bytes);
      if (!ec) out.close(ec);
    }
  }
  if (requested_use) {
    expect(*requested_use == leat::address_use::create, "the request has another use");
    expect_equal(requested_exclusive, exclusive, "`exclusive` in the request");
  }
  return ec;
}

/// Reads the content by a random call, and checks the request of the call.
std::string read(input& in, const std::string& address, std::error_code& ec) {
  auto wanted = leat::address_use::read;
  auto pattern = leat::pattern::automatic;
  std::string content;
  ec.clear();
  switch (in.below(4)) {
    case 0:
      step("read_file");
      content = leat::read_file(address, ec);
      pattern = requested_pattern;
      break;
    case 1: {
      step("open");
      pattern = in.flag() ? leat::pattern::random : leat::pattern::sequential;
      auto from = leat::open(address, {.buffer_size = in.boundary_size(), .pattern = pattern}, ec);
      if (!ec) content = from.read_all(ec);
      break;
    }
    case 2: {
      step("copy_file");
      const std::string path = fuzz::scratch() + "copied";
      leat::copy_file(address, path, ec);
      if (!ec) content = leat::read_file(path);
      pattern = requested_pattern;
      break;
    }
    default: {
      step("file");
      wanted = leat::address_use::read_random;
      const auto file = leat::file::open(address, ec);
      pattern = requested_pattern;
      if (ec) break;
      content.resize(file.size());
      file.read_at(0, std::span<char>(content));
    }
  }
  expect(requested_use && *requested_use == wanted, "the request has another use");
  expect(requested_pattern == pattern, "the request has another pattern");
  return content;
}

void expect_refused(input& in, const std::string& address) {
  step("a call that is refused");
  std::error_code ec;
  switch (in.below(6)) {
    case 0:
      expect(!leat::open(address, {.local_only = true}, ec).is_open(),
             "open() with local_only accepts an address");
      return expect(ec == leat::errc::not_local && !requested_use,
                    "the error is not not_local, or the address was opened");
    case 1:
      expect(!leat::create(address, {.local_only = true}, ec).is_open(),
             "create() with local_only accepts an address");
      return expect(ec == leat::errc::not_local && !requested_use,
                    "the error is not not_local, or the address was opened");
    case 2:
      expect(!leat::append(address, ec).is_open() && !requested_use, "append() accepts an address");
      break;
    case 3:
      expect(!leat::update(address, ec).is_open() && !requested_use, "update() accepts an address");
      break;
    case 4:
      expect(!leat::file::open(address, leat::mode::update, ec).is_open(),
             "file::open() to update accepts an address");
      break;
    default:
      return expect(!leat::open("none-of-" + address, ec).is_open() && !!ec,
                    "open() accepts another scheme");
  }
  expect(ec == std::errc::operation_not_supported, "the error is not operation_not_supported");
}

void drive(fuzz::input& in) {
  expect(leat::register_scheme("fuzzed", open_address), "register_scheme() fails");
  contents.clear();
  std::map<std::string, std::string> wanted;
  static const std::array<std::string, 4> addresses{"fuzzed://a", "fuzzed://bucket/a key",
                                                    "FUZZED://a?b=c#d", "fuzzed://a/../b"};
  for (int calls = 0; in.has_more() && calls != 40; ++calls) {
    const std::string& address = in.one_of(addresses);
    requested_use.reset();
    step("{}", address);
    std::error_code ec;
    if (in.rarely(6)) {
      expect_refused(in, address);
    } else if (in.flag()) {
      const std::string bytes = in.bytes(in.boundary_size(5'000));
      bool exclusive = false;
      const bool was_there = wanted.contains(address);
      ec = write(in, address, bytes, exclusive);
      expect_equal(static_cast<bool>(ec), exclusive && was_there, "whether writing fails");
      if (ec) expect(ec == std::errc::file_exists, "the error is not file_exists");
      if (!ec) wanted[address] = bytes;
    } else {
      const std::string content = read(in, address, ec);
      const auto found = wanted.find(address);
      expect_equal(!ec, found != wanted.end(), "success of reading");
      if (!ec) expect_text(content, found->second, "the content");
    }
    expect(contents == wanted, "the contents of the addresses have other values");
  }
}

const fuzz::driver self("scheme", drive);

}  // namespace
