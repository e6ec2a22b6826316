// Errors as objects: messages, copies, and the loss handler.
#include <leat/error.hpp>
#include <leat/file_stream.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;

struct reported_loss {
  leat::failure failure;
  std::string path, text;
};
std::vector<reported_loss> losses;

leat::failure some_failure(input& in) {
  leat::failure result;
  result.code = in.flag()
                    ? leat::make_error_code(static_cast<leat::errc>(1 + in.below(24)))
                    : std::error_code(static_cast<int>(in.below(130)), std::generic_category());
  result.operation = std::array{"open", "read", "write", "seek"}[in.below(4)];
  if (in.flag()) result.offset = in.integer<std::uint64_t>();
  if (in.flag()) result.unwritten = in.integer<std::uint64_t>();
  if (in.flag()) result.unread = in.integer<std::uint64_t>();
  return result;
}

void expect_same_error(const leat::io_error& ours, const leat::failure& wanted,
                       std::string_view path, std::string_view what_text) {
  expect(ours.code() == wanted.code, "code() is another code");
  expect_text(ours.operation(), wanted.operation, "operation()");
  expect_text(ours.path(), path, "path()");
  expect_equal(ours.offset(), wanted.offset, "offset()");
  expect_equal(ours.unwritten(), wanted.unwritten, "unwritten()");
  expect_equal(ours.unread(), wanted.unread, "unread()");
  expect_text(ours.what(), what_text, "what()");
}

void make_errors(input& in) {
  const leat::failure failure = some_failure(in);
  expect_equal(static_cast<bool>(failure), static_cast<bool>(failure.code), "operator bool");
  const std::string path = in.text(20);
  const leat::io_error result =
      in.flag() ? leat::io_error(failure, path) : leat::io_error(failure, path, "a remark");
  const std::string text = result.what();
  expect(text.find(failure.code.message()) != text.npos, "what() without the message of the code");
  expect(text.find(failure.operation) != text.npos, "what() without the operation");
  for (const char c : text)
    expect(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "what() with a control character");
  if (failure.offset != leat::failure::no_offset)
    expect(text.find(std::to_string(failure.offset)) != text.npos, "what() without the offset");
  if (const auto bytes = failure.unwritten + failure.unread; bytes != 0)
    expect(text.find(std::to_string(bytes)) != text.npos, "what() without the number of bytes");
  expect_same_error(result, failure, path, text);
  std::optional<leat::io_error> copy = result;
  const leat::failure other = some_failure(in);
  leat::io_error assigned(other, "other");
  assigned = *copy;
  copy.reset();
  expect_same_error(assigned, failure, path, text);
  try {
    throw assigned;
  } catch (const std::system_error& caught) {
    expect_same_error(dynamic_cast<const leat::io_error&>(caught), failure, path, text);
  }
  // message() returns the text of an io_error without numbers.
  leat::failure plain = failure;
  plain.offset = leat::failure::no_offset;
  plain.unwritten = plain.unread = 0;
  const std::string name = path.substr(0, path.find('\0'));
  expect_text(leat::message(failure.code, failure.operation, name),
              leat::io_error(plain, name).what(), "message()");
  const leat::format_error original("wrong", in.below(9));
  expect(leat::format_error(original).position() == original.position(), "position()");
}

/// Writes to a device that may fail. If bytes are lost and no call has reported the error, the loss
/// handler must be called once.
void lose_bytes(input& in) {
  losses.clear();
  fuzz::disk disk = fuzz::disk::from_input(in, true);
  const std::string bytes = in.bytes(in.boundary_size(5'000));
  bool is_reported = false;
  std::uint64_t lost = 0;
  {
    leat::file_writer out(std::make_unique<fuzz::device>(disk), {.buffer_size = in.boundary_size()},
                          "a name");
    out.write(bytes);
    std::error_code ec;
    if (in.flag()) {
      in.flag() ? out.flush(ec) : out.close(ec);
      is_reported = static_cast<bool>(ec);
      if (is_reported) {
        const leat::io_error why = leat::last_error();
        expect(why.code() == ec, "the code of last_error()");
        expect_text(why.path(), "a name", "the path of last_error()");
        expect_equal(why.unwritten(), out.lost(), "the bytes of last_error()");
      }
    }
    lost = out.lost();
  }
  const std::uint64_t missing = bytes.size() - std::min(bytes.size(), disk.content.size());
  expect(losses.size() <= 1, "more than one loss of a stream");
  expect(!losses.empty() || missing == 0 || is_reported,
         "a loss without an error and without a call of the handler");
  if (losses.empty()) return;
  expect(disk.faults != 0, "a loss without a fault");
  expect_text(losses[0].path, "a name", "the path of the loss");
  if (!is_reported)
    expect_equal(losses[0].failure.unwritten, missing, "the number of bytes of the loss");
  expect(lost <= missing, "lost() is more than the missing bytes");
}

void drive(fuzz::input& in) {
  const leat::loss_handler handler = [](const leat::io_error& e) noexcept {
    losses.push_back(
        {{e.code(), e.operation(), e.offset(), e.unwritten(), e.unread()}, e.path(), e.what()});
  };
  const leat::loss_handler before = leat::set_loss_handler(handler);
  expect(leat::set_loss_handler(handler) == handler,
         "set_loss_handler() does not return the previous handler");
  in.flag() ? make_errors(in) : lose_bytes(in);
  leat::set_loss_handler(before);
}

const fuzz::driver self("errors", drive);

}  // namespace
