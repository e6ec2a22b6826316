// memory_writer and string_writer, and their sinks.
#include <leat/memory.hpp>

#include <algorithm>
#include <cstring>

#include "base/memory_block.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

/// The common part of the memory sinks. The writer has the state. So one sink serves all writers,
/// and moving a writer copies a few words.
template <class Writer>
class memory_sink : public sink {
 public:
  failure flush(writer& w, bool) noexcept override { return report(self(w)); }

  failure seek(writer& w, std::uint64_t position) noexcept override {
    Writer& m = self(w);
    m.text_end_ = text_end(m);
    if (position > size(m))
      return {std::make_error_code(std::errc::invalid_seek), "seek", position, 0};
    move_cursor(m, m.begin_ + position);
    return {};
  }

  std::uint64_t tell(const writer& w) const noexcept override {
    return static_cast<std::uint64_t>(next(w) - self(w).begin_);
  }

  failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept override {
    const std::uint64_t end = tell(w);
    if (position > end || bytes.size() > end - position)
      return {std::make_error_code(std::errc::invalid_argument), "patch", position, 0};
    if (!bytes.empty()) std::memmove(self(w).begin_ + position, bytes.data(), bytes.size());
    return {};
  }

  failure close(writer& w) noexcept override;

  failure status(const writer& w) const noexcept override {
    return lost(w) == 0 ? failure{} : failure{cause(), "write", failure::no_offset, lost(w)};
  }

  static std::uint64_t lost(const writer& w) noexcept { return self(w).lost_; }

  std::string_view name() const noexcept override { return "<memory>"; }

  void dispose(writer& w) noexcept override { report_unreported_loss(self(w)); }

  void report_unreported_loss(Writer& m) const noexcept {
    if (has_unreported_loss(m)) report_loss(report(m), name());
  }

  static void clear_text(Writer& m, sink& open) noexcept;

  static char* text_end(const Writer& m) noexcept { return std::max(m.text_end_, next(m)); }
  static std::size_t size(const Writer& m) noexcept {
    return static_cast<std::size_t>(text_end(m) - m.begin_);
  }

 protected:
  ~memory_sink() = default;

  virtual std::error_code cause() const noexcept = 0;

  static Writer& self(writer& w) noexcept { return static_cast<Writer&>(w); }
  static const Writer& self(const writer& w) noexcept { return static_cast<const Writer&>(w); }

  /// Moves the cursor. If text follows the cursor, the window covers only this text, and text that
  /// is not overwritten stays. If bytes were lost, the window is empty: each later call comes to
  /// write(), and write() decides which bytes to take.
  static void move_cursor(Writer& m, char* to) noexcept {
    m.text_end_ = std::max(m.text_end_, to);
    if (m.lost_ != 0)
      set_window(m, to, to);
    else if (to < m.text_end_)
      set_window_over(m, to, m.text_end_);
    else
      set_window(m, to, m.limit_);
  }

  static bool has_unreported_loss(const Writer& m) noexcept { return m.lost_ != m.reported_; }

  static void lose(Writer& m, std::size_t bytes) noexcept { m.lost_ += bytes; }

  failure report(Writer& m) const noexcept {
    if (m.lost_ == 0) return {};
    m.reported_ = m.lost_;
    return {cause(), "write", size(m), m.lost_};
  }
};

/// The sink after close(). The text stays readable, and output counts as lost.
template <class Writer>
class closed_memory_sink final : public memory_sink<Writer> {
  using memory_sink<Writer>::self;
  using memory_sink<Writer>::lose;

 public:
  void write(writer& w, std::string_view bytes) noexcept override { lose(self(w), bytes.size()); }
  failure flush(writer& w, bool) noexcept override { return refuse(w, "flush"); }
  failure seek(writer& w, std::uint64_t) noexcept override { return refuse(w, "seek"); }
  failure patch(writer& w, std::uint64_t, std::string_view) noexcept override {
    return refuse(w, "patch");
  }
  failure close(writer& w) noexcept override {
    return this->has_unreported_loss(self(w)) ? this->report(self(w)) : failure{};
  }
  failure status(const writer& w) const noexcept override {
    return {errc::closed, "write", failure::no_offset, this->lost(w)};
  }

 private:
  std::error_code cause() const noexcept override { return errc::closed; }

  failure refuse(writer& w, const char* operation) const noexcept {
    this->report(self(w));
    return {errc::closed, operation, failure::no_offset, this->lost(w)};
  }
};

template <class Writer>
constinit closed_memory_sink<Writer> the_closed_memory_sink;

template <class Writer>
failure memory_sink<Writer>::close(writer& w) noexcept {
  const failure result = report(self(w));
  set_window(w, next(w), next(w));
  set_sink(w, the_closed_memory_sink<Writer>);
  return result;
}

class fixed_sink final : public memory_sink<memory_writer> {
 public:
  void write(writer& w, std::string_view bytes) noexcept override {
    memory_writer& m = self(w);
    const std::size_t fits = std::min(bytes.size(), static_cast<std::size_t>(m.limit_ - next(w)));
    if (fits != 0) std::memmove(next(w), bytes.data(), fits);
    m.lost_ += bytes.size() - fits;
    move_cursor(m, next(w) + fits);
  }

  /// own_memory starts at the cursor: bytes before the cursor do not change.
  print_needs needs_of_print(const writer& w) const noexcept override {
    return {.whole_calls = false, .own_memory = {next(w), text_end(self(w))}};
  }

 private:
  std::error_code cause() const noexcept override { return errc::memory_full; }
};

class growing_sink final : public memory_sink<string_writer> {
 public:
  void write(writer& w, std::string_view bytes) noexcept override {
    string_writer& m = self(w);
    // `bytes` may lie in the text, which moves when the memory grows.
    const bool own = overlap({m.begin_, m.limit_}, bytes);
    const std::ptrdiff_t at = own ? bytes.data() - m.begin_ : 0;
    if (m.lost_ != 0 || !reserve(m, bytes.size())) {
      m.lost_ += bytes.size();
      move_cursor(m, next(w));
      return;
    }
    if (!bytes.empty()) std::memmove(next(w), own ? m.begin_ + at : bytes.data(), bytes.size());
    move_cursor(m, next(w) + bytes.size());
  }

  print_needs needs_of_print(const writer& w) const noexcept override {
    return {.whole_calls = false, .own_memory = {self(w).begin_, self(w).limit_}};
  }

  static memory_block memory(const string_writer& m) noexcept {
    return {m.begin_, static_cast<std::size_t>(m.limit_ - m.begin_)};
  }

 private:
  /// Sets the memory, which holds `used` bytes of text, and moves the cursor to offset `at`.
  static void set_memory(string_writer& m, memory_block memory, std::size_t at,
                         std::size_t used) noexcept {
    m.begin_ = memory.data;
    m.text_end_ = memory.data + used;
    m.limit_ = memory.data + memory.size;
    move_cursor(m, memory.data + at);
  }

  /// Makes room for `extra` bytes at the cursor. Returns false if there is no memory.
  static bool reserve(string_writer& m, std::size_t extra) noexcept {
    constexpr std::size_t first_capacity = 256;
    const auto at = static_cast<std::size_t>(next(m) - m.begin_);
    const std::size_t needed = at + extra;
    memory_block block = memory(m);
    if (needed <= block.size) return true;
    const std::size_t used = size(m);
    if (!grow_ahead(block, std::max(needed, first_capacity))) return false;
    set_memory(m, block, at, used);
    return true;
  }

  std::error_code cause() const noexcept override {
    return std::make_error_code(std::errc::not_enough_memory);
  }
};

namespace {

constinit fixed_sink the_fixed_sink;
constinit growing_sink the_growing_sink;

}  // namespace

/// Empties the text. A closed stream is opened again, with the sink `open`.
template <class Writer>
void memory_sink<Writer>::clear_text(Writer& m, sink& open) noexcept {
  m.lost_ = m.reported_ = 0;
  m.text_end_ = m.begin_;
  move_cursor(m, m.begin_);
  if (&sink_of(m) == &the_closed_memory_sink<Writer>) set_sink(m, open);
}

// memory_writer

memory_writer::memory_writer(std::span<char> area) noexcept
    : sole_writer(the_fixed_sink, area.data(), area.data() + area.size()),
      begin_(area.data()),
      text_end_(area.data()),
      limit_(area.data() + area.size()) {}

memory_writer::memory_writer(std::span<std::byte> area) noexcept
    : memory_writer(std::span(reinterpret_cast<char*>(area.data()), area.size())) {}

memory_writer::memory_writer(memory_writer&& other) noexcept : sole_writer(closed_sink()) {
  take_all(other);
}

memory_writer& memory_writer::operator=(memory_writer&& other) noexcept {
  if (this != &other) {
    dispose();
    take_all(other);
  }
  return *this;
}

memory_writer::~memory_writer() { dispose(); }

void memory_writer::take_all(memory_writer& other) noexcept {
  take_window(other);
  begin_ = std::exchange(other.begin_, nullptr);
  text_end_ = std::exchange(other.text_end_, nullptr);
  limit_ = std::exchange(other.limit_, nullptr);
  lost_ = std::exchange(other.lost_, 0);
  reported_ = std::exchange(other.reported_, 0);
}

std::string_view memory_writer::view() const noexcept { return {begin_, fixed_sink::size(*this)}; }

void memory_writer::clear() noexcept { fixed_sink::clear_text(*this, the_fixed_sink); }

// string_writer

string_writer::string_writer() noexcept : sole_writer(the_growing_sink) {}

string_writer::string_writer(string_writer&& other) noexcept : sole_writer(closed_sink()) {
  take_all(other);
}

string_writer& string_writer::operator=(string_writer&& other) noexcept {
  if (this != &other) {
    dispose();
    release(growing_sink::memory(*this));
    take_all(other);
  }
  return *this;
}

string_writer::~string_writer() {
  dispose();
  release(growing_sink::memory(*this));
}

void string_writer::take_all(string_writer& other) noexcept {
  take_window(other);
  begin_ = std::exchange(other.begin_, nullptr);
  text_end_ = std::exchange(other.text_end_, nullptr);
  limit_ = std::exchange(other.limit_, nullptr);
  lost_ = std::exchange(other.lost_, 0);
  reported_ = std::exchange(other.reported_, 0);
}

std::string_view string_writer::view() const noexcept {
  return {begin_, growing_sink::size(*this)};
}

std::string string_writer::take() {
  std::string text(view());
  the_growing_sink.report_unreported_loss(*this);
  clear();
  return text;
}

void string_writer::clear() noexcept { growing_sink::clear_text(*this, the_growing_sink); }

}  // namespace v0
}  // namespace leat
