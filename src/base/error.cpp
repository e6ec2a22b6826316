// leat's error category, the text of errors, io_error, format_error, and reports of lost bytes. All
// parts of leat that report errors call these functions.
#include <leat/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "base/error_text.hpp"
#include "base/immortal.hpp"
#include "base/loss.hpp"
#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr const char* left_open_text = "The program ended while a thread used the stream";

class leat_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "leat"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::closed:
        return "The stream is closed";
      case errc::no_progress:
        return "The device makes no progress";
      case errc::not_committed:
        return "The stream was left without close()";
      case errc::not_a_file:
        return "Not a regular file";
      case errc::memory_full:
        return "The memory is full";
      case errc::ended_early:
        return "The input ended early";
      case errc::line_too_long:
        return "The line or row is too long";
      case errc::not_a_number:
        return "Not a number";
      case errc::file_shrank:
        return "The file has shrunk since it was mapped";
      case errc::no_such_record:
        return "There is no such record or range";
      case errc::reserved_name:
        return "The name is reserved for a device";
      case errc::same_file:
        return "The input is also the output";
      case errc::read_only:
        return "Open for reading only";
      case errc::input_too_long:
        return "The input is too long";
      case errc::bad_sidecar:
        return "The sidecar, the file next to it that ends in .leat, is damaged or of another "
               "version; removing the sidecar gives up the bytes in it";
      case errc::foreign_sidecar:
        return "The sidecar, the file next to it that ends in .leat, belongs to another file, or "
               "another program has written in place of the sidecar's bytes; removing the sidecar "
               "gives up the bytes in it";
      case errc::stale_sidecar:
        return "The sidecar, the file next to it that ends in .leat, is older than the last start "
               "of the system";
      case errc::left_open:
        return left_open_text;
      case errc::outside_folder:
        return "The path is absolute or has a part \"..\"";
      case errc::no_component:
        return "The program lacks a component: include <leat/remote.hpp> (C: <leat/remote.h>) and "
               "link leat_remote";
      case errc::no_codecs:
        return "The program lacks a component: include <leat/codecs.hpp> (C: <leat/codecs.h>) and "
               "link leat_codecs";
      case errc::not_local:
        return "Only local files are allowed here, no addresses";
      case errc::bad_journal:
        return "Not a journal, or one of a later version";
      case errc::damaged:
        return "The bytes are not as they were written";
      case errc::bad_quotes:
        return "A quote is in the wrong place, or one is missing";
    }
    return "Unknown error " + std::to_string(code);
  }
  std::error_condition default_error_condition(int code) const noexcept override {
    switch (static_cast<errc>(code)) {
      case errc::reserved_name:
      case errc::outside_folder:
        return std::errc::invalid_argument;
      case errc::read_only:
        return std::errc::bad_file_descriptor;
      case errc::no_component:
      case errc::no_codecs:
        return std::errc::operation_not_supported;
      case errc::not_local:
        return std::errc::permission_denied;
      case errc::bad_journal:
      case errc::damaged:
      case errc::bad_quotes:
        return std::errc::bad_message;
      default:
        return {code, *this};
    }
  }
};

constinit const immortal<leat_category> the_category{};

/// A UTF-8 character, or an invalid byte.
struct character {
  std::size_t size = 1;
  std::uint32_t code = 0;
  bool is_valid = false;
};

character first_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i != size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const std::uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {size, code, true};
}

/// True for control characters, line separators, and characters that change the text's direction.
bool is_control(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string escape(char letter, std::uint32_t code, int digits) {
  std::string text{'\\', letter};
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text.push_back("0123456789abcdef"[code >> shift & 0xf]);
  return text;
}

/// Returns the text's first character. A control character and an invalid byte are escaped.
std::string printable(std::string_view text, const character& first) {
  constexpr std::string_view common("\0\t\n\r", 4), letters("0tnr");
  if (!first.is_valid) return escape('x', static_cast<unsigned char>(text[0]), 2);
  if (!is_control(first.code)) return std::string(text.substr(0, first.size));
  if (const auto at = common.find(text[0]); at != std::string_view::npos)
    return {'\\', letters[at]};
  return first.size == 1 ? escape('x', first.code, 2) : escape('u', first.code, 4);
}

/// Returns the text of error_code::message(). Does not call message() for generic codes, because
/// message() would call strerror, whose buffer belongs to the program.
std::string text_of(std::error_code code) {
  if (code.category() != std::generic_category()) return code.message();
  detail::error_text_memory memory;
  return detail::error_text(code.value(), memory);
}

/// Returns the count of bytes after "://" that a message leaves out: name and password up to '@'.
/// Example: 5 for "://me:pw@host/". Returns 0 if the text does not begin with "://", or if the
/// address has no name.
std::size_t size_of_secret(std::string_view text) noexcept {
  constexpr std::string_view begin = "://";
  if (!text.starts_with(begin)) return 0;
  const std::string_view all =
      text.substr(begin.size(), text.find_first_of(" '\"\n", begin.size()) - begin.size());
  const std::string_view host = all.substr(0, all.find_first_of("/?#"));
  std::size_t at = host.rfind('@');
  // If a secret contains '/', `host` ends inside the secret. If only digits follow the colon of
  // `host`, the digits are taken for a port.
  const std::size_t colon = host.find(':');
  if (at == std::string_view::npos && colon != std::string_view::npos && !host.starts_with('[') &&
      host.find_first_not_of("0123456789", colon + 1) != std::string_view::npos)
    at = all.rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

std::string describe(const failure& what, std::string_view path, std::string_view remark) {
  std::string text;
  if (what.operation[0] != '\0')  // leat.h: mistakes of the caller have no operation
    text = std::string("cannot ") + what.operation + " '" + detail::escaped(path) + "': ";
  text += text_of(what.code);
  const char* separator = " (";
  if (!remark.empty()) {
    text.append(separator).append(remark);
    separator = ", ";
  }
  if (what.offset != failure::no_offset) {
    text.append(separator).append("at byte ").append(std::to_string(what.offset));
    separator = ", ";
  }
  if (const auto count = what.unwritten + what.unread; count != 0) {
    text.append(separator).append(std::to_string(count));
    text += count == 1 ? " byte not " : " bytes not ";
    text += what.unread != 0 ? "read" : "written";
    separator = ", ";
  }
  if (separator[0] == ',') text += ')';
  return text;
}

void print_loss(const io_error& loss) noexcept {
  // One call, so that other output does not split the line.
  std::fprintf(stderr, "leat: %s\n", loss.what());
}

/// Splits a text into the pieces that a message shows, at most `most` bytes, and calls `add` with
/// each piece. If pieces are left, calls `add` with "...". Allocates nothing: a std::string holds
/// each piece without an allocation.
template <class Add>
void add_escaped(std::string_view text, std::size_t most, const Add& add) {
  while (!text.empty()) {
    std::size_t taken;
    std::string next;
    if (const std::size_t secret = size_of_secret(text); secret != 0) {
      next = "://...";
      taken = 3 + secret;
    } else {
      const character first = first_character(text);
      next = printable(text, first);
      taken = first.size;
    }
    if (next.size() > most) return add("...");
    add(next);
    most -= next.size();
    text.remove_prefix(taken);
  }
}

/// Prints the message of errc::left_open. Does not allocate: the program may end in a signal
/// handler that interrupted malloc.
void print_left_open(const char* operation, std::string_view name) noexcept {
  char line[2048];
  std::size_t size = 0;
  const auto add = [&](std::string_view text) {
    size += text.copy(line + size, sizeof line - 2 - size);
  };
  add("leat: cannot ");
  add(operation);
  add(" '");
  add_escaped(name, sizeof line - 256, add);
  add("': ");
  add(left_open_text);
  line[size++] = '\n';
  line[size] = '\0';
  std::fputs(line, stderr);
}

std::atomic<loss_handler> current_loss_handler{print_loss};
std::atomic<int> current_loss_status{EXIT_FAILURE};

}  // namespace

const std::error_category& error_category() noexcept { return the_category.value; }

std::string detail::escaped(std::string_view text, std::size_t most) {
  std::string all;
  all.reserve(std::min(text.size(), most));
  add_escaped(text, most, [&](std::string_view piece) { all += piece; });
  return all;
}

bool detail::is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const character first = first_character(text);
    if (!first.is_valid) return false;
    text.remove_prefix(first.size);
  }
  return true;
}

std::string message(std::error_code ec, const char* operation, path_ref path) {
  return describe({ec, operation}, path.view(), {});
}

struct io_error::details {
  failure cause;
  std::string path;
  std::string text;
};

namespace {

template <class Details>
std::shared_ptr<Details>& shared_in(unsigned char* memory) noexcept {
  return *std::launder(reinterpret_cast<std::shared_ptr<Details>*>(memory));
}
template <class Details>
const std::shared_ptr<Details>& shared_in(const unsigned char* memory) noexcept {
  return *std::launder(reinterpret_cast<const std::shared_ptr<Details>*>(memory));
}

}  // namespace

io_error::io_error(const failure& what, std::string_view path) : io_error(what, path, {}) {}

io_error::io_error(const failure& what, std::string_view path, std::string_view remark)
    : std::system_error(what.code) {
  using shared = std::shared_ptr<const details>;
  static_assert(sizeof(shared) == sizeof details_ && alignof(shared) == alignof(void*));
  ::new (static_cast<void*>(details_)) shared(
      std::make_shared<const details>(what, std::string(path), describe(what, path, remark)));
}

io_error::io_error(const io_error& other) noexcept : std::system_error(other) {
  ::new (static_cast<void*>(details_))
      std::shared_ptr<const details>(shared_in<const details>(other.details_));
}
io_error& io_error::operator=(const io_error& other) noexcept {
  if (this == &other) return *this;
  std::system_error::operator=(other);
  shared_in<const details>(details_) = shared_in<const details>(other.details_);
  return *this;
}
io_error::~io_error() { std::destroy_at(&shared_in<const details>(details_)); }

const io_error::details& io_error::all() const noexcept {
  return *shared_in<const details>(details_);
}

const char* io_error::what() const noexcept { return all().text.c_str(); }
const std::string& io_error::path() const noexcept { return all().path; }
const char* io_error::operation() const noexcept { return all().cause.operation; }
std::uint64_t io_error::offset() const noexcept { return all().cause.offset; }
std::uint64_t io_error::unwritten() const noexcept { return all().cause.unwritten; }
std::uint64_t io_error::unread() const noexcept { return all().cause.unread; }

loss_handler set_loss_handler(loss_handler handler) noexcept {
  return current_loss_handler.exchange(handler != nullptr ? handler : print_loss);
}

bool has_loss_handler() noexcept { return current_loss_handler.load() != print_loss; }

void report_loss(const failure& what, std::string_view name) noexcept {
  const no_cancel guard;
  if (what.code == errc::left_open && !has_loss_handler())
    return print_left_open(what.operation, name);
  try {
    current_loss_handler.load()(io_error(what, name));
  } catch (...) {  // no memory for the full report
    std::fputs("leat: bytes were lost or a call failed, and no memory is left to say more\n",
               stderr);
  }
}

int set_loss_status(int status) noexcept { return current_loss_status.exchange(status); }

int loss_status() noexcept { return current_loss_status.load(); }

format_error::format_error(const char* what, std::size_t position)
    : std::runtime_error(position == no_position
                             ? std::string(what)
                             : std::string(what) + " (at byte " + std::to_string(position) +
                                   " of the format string)"),
      position_(position) {}

}  // namespace v0
}  // namespace leat
