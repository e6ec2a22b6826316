// Callbacks that use the object that calls them. Calls that docs/streams.md allows succeed. Calls
// that docs/streams.md forbids are refused. No call hangs, crashes or loses bytes.
#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/journal.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/records.hpp>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

/// A value whose formatter writes to the stream that prints the value.
struct printing_value {
  leat::writer* to;
  std::string_view printed_text;
};

template <>
struct fmt::formatter<printing_value> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const printing_value& value, Context& context) const {
    value.to->write(value.printed_text);
    return fmt::formatter<std::string_view>::format("talked", context);
  }
};

namespace {

using fuzz::input, fuzz::step;

struct stop_exception {};

bool is_refused(const std::error_code& ec) {
  return ec == std::errc::resource_deadlock_would_occur;
}

/// Writes a file of `count` 32-bit numbers. Returns the path.
std::string numbers_file(std::size_t count) {
  std::string path = fuzz::scratch() + "numbers";
  leat::write_file(path, std::string(count * sizeof(std::uint32_t), '\1'));
  return path;
}

void call_in_update(input& in) {
  const std::size_t count = 1 + in.below(300);
  leat::records_options options;
  options.access.route = in.flag() ? leat::route::automatic : leat::route::single;
  auto numbers =
      leat::records<std::uint32_t>::open(numbers_file(count), leat::mode::update, options);
  std::vector<std::uint64_t> positions;
  for (std::size_t n = 1 + in.below(20); n != 0; --n) positions.push_back(in.below(count));
  std::size_t calls = 0;
  const bool stops = in.rarely(4);
  step("update of {} positions", positions.size());
  try {
    numbers.update(positions, [&](std::uint32_t& value, std::size_t) {
      std::error_code ec;
      switch (in.below(5)) {
        case 0: {
          std::uint32_t other = 0;
          numbers.underlying().read_at(0, std::as_writable_bytes(std::span(&other, 1)), ec);
          fuzz::expect(!ec, "read_at() in an update fails");
          break;
        }
        case 1:
          numbers.underlying().write_at(0, "text", ec);
          fuzz::expect(is_refused(ec), "write_at() in an update is not refused");
          break;
        case 2:
          numbers.update(
              positions,
              [](std::uint32_t&, std::size_t) { fuzz::fail("a nested update calls its function"); },
              ec);
          fuzz::expect(is_refused(ec), "a nested update is not refused");
          break;
        case 3:
          numbers.close(ec);
          fuzz::expect(is_refused(ec), "close() in an update is not refused");
          break;
        default:
          leat::write_file(fuzz::scratch() + "other", "another object");
      }
      ++calls;
      if (stops) throw stop_exception{};
      ++value;
    });
    fuzz::expect_equal(calls, positions.size(), "the number of calls of an update");
  } catch (const stop_exception&) {
    fuzz::expect(stops, "an exception that the function did not throw");
  }
  std::error_code ec;
  numbers.close(ec);
  fuzz::expect(!ec, "close() after an update fails");
}

void call_in_read_ranges(input& in) {
  auto file = leat::file::open(numbers_file(100), leat::mode::update);
  const std::vector<leat::byte_range> ranges{{0, 8}, {40, 4}, {200, in.below(100)}};
  std::size_t calls = 0;
  step("read_ranges");
  file.read_ranges(ranges, [&](std::string_view, std::size_t) {
    std::error_code ec;
    if (in.flag()) file.write_at(300, "text", ec);
    if (in.flag()) fuzz::expect_equal(file.size(ec), 400U, "size()");
    fuzz::expect(!ec, "write_at() or size() in a batch that reads fails");
    if (in.flag()) {
      file.close(ec);
      fuzz::expect(is_refused(ec), "close() in a batch is not refused");
    }
    ++calls;
  });
  fuzz::expect_equal(calls, ranges.size(), "the number of calls for ranges");
  file.close();
}

/// The context of C's callbacks. One of `random` and `file` is set: the object that calls the
/// callback.
struct c_context {
  input* in;
  leat_random_access_file* random;
  leat_file* file;
};

int change_by_random(void*, std::size_t, void* context) {
  auto& [in, f, none] = *static_cast<c_context*>(context);
  char bytes[4] = {};
  errno = 0;
  switch (in->below(4)) {
    case 0:
      fuzz::expect_equal(leat_random_access_read_at(f, 0, bytes, 4), 0,
                         "leat_random_access_read_at() in an update");
      break;
    case 1:
      fuzz::expect(leat_random_access_write_at(f, 0, bytes, 4) == -1 && errno == EDEADLK,
                   "leat_random_access_write_at() in an update is not refused");
      break;
    case 2:
      fuzz::expect(leat_random_access_close(f) == -1 && errno == EDEADLK,
                   "leat_random_access_close() in an update is not refused");
      break;
    default:
      fuzz::expect(leat_random_access_resize(f, 10) == -1 && errno == EDEADLK,
                   "leat_random_access_resize() in an update is not refused");
  }
  return 0;
}

int change_by_stream(void*, std::size_t, void* context) {
  auto& [in, none, f] = *static_cast<c_context*>(context);
  const std::uint64_t position = 0;
  std::uint32_t value = 0;
  errno = 0;
  switch (in->below(4)) {
    case 0:
      fuzz::expect(leat_scatter(f, 4, &position, 1, &value) == -1 && errno == EDEADLK,
                   "leat_scatter() in an update is not refused");
      break;
    case 1:
      fuzz::expect(
          leat_update(f, 4, &position, 1, &change_by_stream, context) == -1 && errno == EDEADLK,
          "leat_update() in an update is not refused");
      break;
    case 2:
      fuzz::expect(leat_fclose(f) == EOF && errno == EDEADLK,
                   "leat_fclose() in an update is not refused");
      break;
    default:
      fuzz::expect(leat_freopen("/dev/null", "r", f) == nullptr && errno == EDEADLK,
                   "leat_freopen() in an update is not refused");
  }
  return 0;
}

void call_in_c_update(input& in) {
  const std::string path = numbers_file(50);
  const std::vector<std::uint64_t> positions{0, 7, 7, 49, in.below(50)};
  c_context context{&in, nullptr, nullptr};
  if (in.flag()) {
    step("leat_random_access_update");
    context.random = leat_random_access_open(path.c_str(), LEAT_MODE_UPDATE, nullptr);
    fuzz::expect_equal(leat_random_access_update(context.random, 0, 4, positions.data(),
                                                 positions.size(), &change_by_random, &context),
                       0, "leat_random_access_update()");
    fuzz::expect_equal(leat_random_access_close(context.random), 0, "leat_random_access_close()");
  } else {
    step("leat_update");
    context.file = leat_fopen(path.c_str(), "r+");
    fuzz::expect_equal(leat_update(context.file, 4, positions.data(), positions.size(),
                                   &change_by_stream, &context),
                       0, "leat_update()");
    fuzz::expect_equal(leat_fclose(context.file), 0, "leat_fclose()");
  }
}

void call_in_with(input& in) {
  leat::string_writer memory;
  leat::synchronized log(memory);
  std::string wanted;
  step("with");
  for (std::size_t n = in.below(8); n != 0; --n) {
    try {
      log.with([&](leat::writer& w) {
        for (std::size_t k = in.below(6); k != 0; --k) {
          switch (in.below(5)) {
            case 0:
              w.println("of with");
              wanted += "of with\n";
              break;
            case 1:
              log.println("of the shared one");
              wanted += "of the shared one\n";
              break;
            case 2:
              log.with([&](leat::writer& inner) { inner.write("nested"); });
              wanted += "nested";
              break;
            case 3: {
              std::error_code ec;
              w.flush(ec);
              fuzz::expect(!ec, "flush() in with() fails");
              break;
            }
            default:
              if (in.rarely(4)) throw stop_exception{};
          }
        }
      });
    } catch (const stop_exception&) {
    }
    log.print("{}", n);
    wanted += std::to_string(n);
  }
  log.close();
  fuzz::expect_text(memory.view(), wanted, "the text in the order of the calls");
}

void call_in_copy(input& in) {
  const std::string text = in.bytes(in.boundary_size(300'000));
  leat::memory_reader from(text);
  leat::string_writer to;
  const bool closes = in.rarely(3);
  std::size_t callback_writes = 0;
  step("copy of {}", text.size());
  std::error_code ec;
  leat::copy(
      from, to,
      [&](std::uint64_t) {
        if (closes) return to.close();
        to.write("!");
        ++callback_writes;
      },
      ec);
  if (closes && !text.empty()) return;  // errc::closed if there was more to copy
  fuzz::expect(!ec, "copy() fails");
  fuzz::expect_equal(to.view().size(), text.size() + callback_writes,
                     "the text and the callback's writes");
}

void call_in_formatter(input& in) {
  leat::string_writer to;
  const std::string printed_text = in.bytes(in.boundary_size(5000));
  step("a formatter that prints {} bytes", printed_text.size());
  to.print("before {} behind", printing_value{&to, printed_text});
  const std::string line = "before talked behind";
  std::string got(to.view());
  const auto at = got.find(printed_text);
  fuzz::expect(at != got.npos, "the text that the formatter writes is missing");
  got.erase(at, printed_text.size());
  fuzz::expect(printed_text.empty() || got == line || got.size() == line.size(),
               "the printed line is missing");
}

void call_in_gather(input& in) {
  const std::string path = fuzz::scratch() + "journal";
  leat::write_file(path, "");
  std::vector<std::uint64_t> positions;
  auto out = leat::journal::open(path);
  for (std::size_t n = 1 + in.below(20); n != 0; --n)
    positions.push_back(out.append(in.bytes(in.below(3000))));
  out.close();
  auto reader = leat::journal_reader::open(path);
  std::size_t calls = 0;
  step("gather of {}", positions.size());
  reader.gather(positions, [&](const leat::journal_record& record, std::size_t index) {
    if (in.flag())
      fuzz::expect_equal(reader.read_at(positions[index]), record.bytes, "read_at() in gather()");
    ++calls;
  });
  fuzz::expect_equal(calls, positions.size(), "the number of calls of gather()");
}

void drive(input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  constexpr void (*scenarios[])(input&) = {call_in_update, call_in_read_ranges, call_in_c_update,
                                           call_in_with,   call_in_copy,        call_in_formatter,
                                           call_in_gather};
  while (in.has_more()) in.one_of(scenarios)(in);
}

const fuzz::driver self("callbacks", drive);

}  // namespace
