// A file that loses unsynced bytes in a simulated crash, for the tests of leat and of programs.
#include <leat/testing.hpp>

#include "device/memory.hpp"
#include "device/transfer.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

namespace leat {
inline namespace v0 {

namespace {

/// Bytes of one sector that are written, or a new size.
struct change {
  std::uint64_t at;  // the position, or the new size
  std::string bytes;
  bool resizes;

  void apply(device& disk, std::error_code& ec) const {
    if (resizes) return disk.resize(at, ec);
    const std::string_view all = bytes;
    write_all(disk, at, {&all, 1}, ec);
  }
};

std::string content_of(device& disk) {
  std::error_code ec;
  std::string content(static_cast<std::size_t>(disk.size(ec)), '\0');
  if (!ec) content.resize(read_all(disk, 0, content, ec));
  if (ec) throw std::system_error(ec, "volatile_file");
  return content;
}

}  // namespace

struct volatile_file::state {
  explicit state(std::unique_ptr<device> synced)
      : disk(std::move(synced)), visible(std::make_unique<memory_device>(content_of(*disk))) {}

  std::unique_ptr<device> disk;            // the synced bytes
  std::unique_ptr<memory_device> visible;  // the bytes that readers of the file see
  std::vector<change> changes;             // changes that turn `disk` into `visible`, in order
  unsigned power_cuts = 0;

  void record(std::uint64_t at, std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t in_sector = sector_size - static_cast<std::size_t>(at % sector_size);
      changes.push_back({at, std::string(bytes.substr(0, in_sector)), false});
      at += changes.back().bytes.size();
      bytes.remove_prefix(changes.back().bytes.size());
    }
  }

  void sync(std::error_code& ec) {
    for (const auto& one : changes) {
      one.apply(*disk, ec);
      if (ec) return;
    }
    disk->sync(ec);
    if (!ec) changes.clear();
  }
};

/// A device over the file, made by open().
class volatile_file::view final : public device {
 public:
  explicit view(state& shared) noexcept : file_(shared), power_cuts_at_open_(shared.power_cuts) {}

  device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    return fail_after_power_cut(ec) ? 0 : file_.visible->read_at(at, into, ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    if (fail_after_power_cut(ec)) return 0;
    const std::size_t before = file_.changes.size();
    try {
      std::uint64_t to = at;
      for (const auto& piece : pieces) {
        file_.record(to, piece);
        to += piece.size();
      }
    } catch (...) {
      ec = std::make_error_code(std::errc::not_enough_memory);
    }
    const std::size_t done = ec ? 0 : file_.visible->write_at(at, pieces, ec);
    if (ec) file_.changes.resize(before);
    return done;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    return fail_after_power_cut(ec) ? 0 : file_.visible->size(ec);
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    if (fail_after_power_cut(ec)) return;
    try {
      file_.changes.push_back({size, {}, true});
      file_.visible->resize(size, ec);
      if (ec) file_.changes.pop_back();
    } catch (...) {
      ec = std::make_error_code(std::errc::not_enough_memory);
    }
  }
  void sync(std::error_code& ec) noexcept override {
    if (!fail_after_power_cut(ec)) file_.sync(ec);
  }
  void close(std::error_code& ec) noexcept override { fail_after_power_cut(ec); }

 private:
  /// Returns true and sets io_error if the power was cut after the opening. Otherwise clears `ec`.
  bool fail_after_power_cut(std::error_code& ec) const noexcept {
    ec.clear();
    if (power_cuts_at_open_ != file_.power_cuts) ec = std::make_error_code(std::errc::io_error);
    return static_cast<bool>(ec);
  }

  state& file_;
  unsigned power_cuts_at_open_;  // number of power cuts before the opening
};

volatile_file::volatile_file(std::string synced)
    : volatile_file(std::make_unique<memory_device>(std::move(synced))) {}

volatile_file::volatile_file(std::unique_ptr<device> disk)
    : state_(std::make_unique<state>(std::move(disk))) {}

volatile_file::~volatile_file() = default;

std::unique_ptr<device> volatile_file::open() { return std::make_unique<view>(*state_); }

const std::string& volatile_file::content() const noexcept { return state_->visible->content(); }

std::size_t volatile_file::unsynced() const noexcept { return state_->changes.size(); }

void volatile_file::cut_power(std::span<const std::size_t> surviving) {
  std::vector<const change*> survivors;
  for (const std::size_t number : surviving) survivors.push_back(&state_->changes.at(number));
  ++state_->power_cuts;
  std::error_code ec;
  for (const change* one : survivors) {
    one->apply(*state_->disk, ec);
    if (ec) throw std::system_error(ec, "volatile_file");
  }
  state_->changes.clear();
  state_->visible = std::make_unique<memory_device>(content_of(*state_->disk));
}

void volatile_file::cut_power_at_random(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> surviving;
  for (std::size_t i = 0; i != unsynced(); ++i)
    if (random() % 2 == 0) surviving.push_back(i);
  for (std::size_t i = surviving.size(); i > 1; --i)
    std::swap(surviving[i - 1], surviving[static_cast<std::size_t>(random() % i)]);
  cut_power(surviving);
}

}  // namespace v0
}  // namespace leat
