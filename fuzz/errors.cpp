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
  leat::failure what;
  std::string path, text;
};
std::vector<reported_loss> losses;

leat::failure some_failure(input& in) {
  leat::failure made;
  made.code = in.flag() ? leat::make_error_code(static_cast<leat::errc>(1 + in.below(24)))
                        : std::error_code(static_cast<int>(in.below(130)), std::generic_category());
  made.operation = std::array{"open", "read", "write", "seek"}[in.below(4)];
  if (in.flag()) made.offset = in.integer<std::uint64_t>();
  if (in.flag()) made.unwritten = in.integer<std::uint64_t>();
  if (in.flag()) made.unread = in.integer<std::uint64_t>();
  return made;
}

void same(const leat::io_error& ours, const leat::failure& wanted, std::string_view path,
          std::string_view what) {
  expect(ours.code() == wanted.code, "code()");
  expect_text(ours.operation(), wanted.operation, "operation()");
  expect_text(ours.path(), path, "path()");
  expect_equal(ours.offset(), wanted.offset, "offset()");
  expect_equal(ours.unwritten(), wanted.unwritten, "unwritten()");
  expect_equal(ours.unread(), wanted.unread, "unread()");
  expect_text(ours.what(), what, "what()");
}

void make_errors(input& in) {
  const leat::failure what = some_failure(in);
  expect_equal(static_cast<bool>(what), static_cast<bool>(what.code), "operator bool");
  const std::string path = in.text(20);
  const leat::io_error made =
      in.flag() ? leat::io_error(what, path) : leat::io_error(what, path, "a remark");
  const std::string text = made.what();
  expect(text.find(what.code.message()) != text.npos, "the system's words");
  expect(text.find(what.operation) != text.npos, "the verb");
  for (const char c : text) expect(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "escaped");
  if (what.offset != leat::failure::no_offset)
    expect(text.find(std::to_string(what.offset)) != text.npos, "the byte");
  if (const auto bytes = what.unwritten + what.unread; bytes != 0)
    expect(text.find(std::to_string(bytes)) != text.npos, "how many bytes");
  same(made, what, path, text);
  std::optional<leat::io_error> copy = made;
  const leat::failure other = some_failure(in);
  leat::io_error assigned(other, "other");
  assigned = *copy;
  copy.reset();
  same(assigned, what, path, text);
  try {
    throw assigned;
  } catch (const std::system_error& caught) {
    same(dynamic_cast<const leat::io_error&>(caught), what, path, text);
  }
  // message() returns the text of an io_error without numbers.
  leat::failure plain = what;
  plain.offset = leat::failure::no_offset;
  plain.unwritten = plain.unread = 0;
  const std::string name = path.substr(0, path.find('\0'));
  expect_text(leat::message(what.code, what.operation, name), leat::io_error(plain, name).what(),
              "message()");
  const leat::format_error wrong("wrong", in.below(9));
  expect(leat::format_error(wrong).position() == wrong.position(), "position()");
}

/// If a stream loses bytes and no call has reported the error, the loss handler is called once.
void lose_bytes(input& in) {
  losses.clear();
  fuzz::disk disk = fuzz::disk::from(in, true);
  const std::string bytes = in.bytes(in.border(5'000));
  bool asked = false;
  std::uint64_t lost = 0;
  {
    leat::file_writer out(std::make_unique<fuzz::device>(disk), {.buffer_size = in.border()},
                          "a name");
    out.write(bytes);
    std::error_code ec;
    if (in.flag()) {
      in.flag() ? out.flush(ec) : out.close(ec);
      asked = static_cast<bool>(ec);
      if (asked) {
        const leat::io_error why = leat::last_error();
        expect(why.code() == ec, "the code of last_error()");
        expect_text(why.path(), "a name", "its path");
        expect_equal(why.unwritten(), out.lost(), "its bytes");
      }
    }
    lost = out.lost();
  }
  const std::uint64_t missing = bytes.size() - std::min(bytes.size(), disk.content.size());
  expect(losses.size() <= 1, "one stream, one loss");
  expect(!losses.empty() || missing == 0 || asked, "an unnoticed loss");
  if (losses.empty()) return;
  expect(disk.faults != 0, "a loss without a fault");
  expect_text(losses[0].path, "a name", "its name");
  if (!asked) expect_equal(losses[0].what.unwritten, missing, "how many bytes");
  expect(lost <= missing, "lost()");
}

void drive(fuzz::input& in) {
  const leat::loss_handler handler = [](const leat::io_error& e) noexcept {
    losses.push_back(
        {{e.code(), e.operation(), e.offset(), e.unwritten(), e.unread()}, e.path(), e.what()});
  };
  const leat::loss_handler before = leat::set_loss_handler(handler);
  expect(leat::set_loss_handler(handler) == handler, "the handler before");
  in.flag() ? make_errors(in) : lose_bytes(in);
  leat::set_loss_handler(before);
}

const fuzz::driver self("errors", drive);

}  // namespace
