// memory_reader and its source: the memory itself is the window.
#include <leat/memory.hpp>

#include <cstdint>
#include <limits>

#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

/// The reader has the text, so the source has no state and serves all readers.
class memory_source final : public source {
 public:
  void fill(reader&, std::size_t) noexcept override {}

  std::size_t read(reader& r, std::span<char> into) noexcept override {
    const std::string_view rest(next(r), std::min(available(r), into.size()));
    if (!rest.empty()) rest.copy(into.data(), rest.size());
    skip_window(r, rest.size());
    return rest.size();
  }

  failure seek(reader& r, std::uint64_t position) noexcept override {
    const std::string_view text = static_cast<memory_reader&>(r).text_;
    if (position > std::uint64_t{std::numeric_limits<std::int64_t>::max()})  // as in files
      return {std::make_error_code(std::errc::invalid_argument), "seek", position};
    if (position <= text.size())
      set_window(r, text, 0, static_cast<std::size_t>(position));
    else
      set_window(r, {}, position);
    return {};
  }

  std::uint64_t size(const reader& r, std::error_code& ec) const noexcept override {
    ec.clear();
    return static_cast<const memory_reader&>(r).text_.size();
  }

  bool is_failing() const noexcept override { return false; }
  failure report() noexcept override { return {}; }

  failure close(reader& r) noexcept override {
    remove_window(r);
    set_source(r, closed_source());
    return {};
  }

  std::error_code error() const noexcept override { return {}; }
  std::string_view name() const noexcept override { return "<memory>"; }
  void dispose(reader&) noexcept override {}
};

namespace {

constinit memory_source the_memory_source;

}  // namespace

memory_reader::memory_reader(std::string_view text) noexcept
    : concrete_reader(the_memory_source, text), text_(text) {}

memory_reader::memory_reader(std::span<const std::byte> bytes) noexcept
    : memory_reader(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())) {}

memory_reader::memory_reader(memory_reader&& other) noexcept
    : concrete_reader(closed_source()), text_(std::exchange(other.text_, {})) {
  take_window(other);
}

memory_reader& memory_reader::operator=(memory_reader&& other) noexcept {
  if (this != &other) {
    take_window(other);
    text_ = std::exchange(other.text_, {});
  }
  return *this;
}

}  // namespace v0
}  // namespace leat
