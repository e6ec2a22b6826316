#include "device/direct.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#include "device/service_thread.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// What devices and file systems want offsets, lengths and memory aligned to, at most.
constexpr std::size_t alignment = 4096;
/// Large enough that the start of a request costs little against it.
constexpr std::size_t block_size = 1 << 20;
constexpr std::size_t block_count = 4;  // one in use, three read or being read
constexpr std::size_t thread_count = 2;

struct aligned_delete {
  void operator()(char* memory) const noexcept {
    ::operator delete(memory, std::align_val_t{alignment});
  }
};
using aligned_memory = std::unique_ptr<char, aligned_delete>;

aligned_memory aligned(std::size_t size) {
  return aligned_memory(static_cast<char*>(::operator new(size, std::align_val_t{alignment})));
}

}  // namespace

/// The next blocks of a file, read by threads.
class direct_device::read_ahead {
 public:
  explicit read_ahead(device& disk) : disk_(&disk), process_(this_process()) {
    for (auto& one : blocks_) one.memory = aligned(block_size);
    try {
      for (auto& one : threads_) one = service_thread([this] { work(); });
    } catch (...) {
      stop();
      throw;
    }
  }
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;
  ~read_ahead() { stop(); }

  /// False in a forked child, where the threads are not; nothing here can be used or destroyed.
  bool is_alive() const noexcept { return process_ == this_process(); }

  /// Takes what there is at a position out of its block. 0 without an error: it ends before.
  std::size_t read(std::uint64_t at, std::span<char> into, std::error_code& ec) noexcept {
    const std::uint64_t number = at / block_size;
    std::unique_lock guard(lock_);
    plan(number);
    block* found = nullptr;
    done_.wait(guard, [&] {
      if (found == nullptr) found = find(number);
      if (found == nullptr) plan(number);  // a block of another place has become free
      return found != nullptr && found->state == ready;
    });
    const auto from = std::min(static_cast<std::size_t>(at % block_size), found->size);
    const std::size_t n = std::min(into.size(), found->size - from);
    ec = n == 0 ? found->ec : std::error_code{};
    if (n == 0) found->state = unused;  // the file may have grown, the failure may have gone
    guard.unlock();
    if (n != 0) std::memcpy(into.data(), found->memory.get() + from, n);
    return n;
  }

 private:
  enum state { unused, wanted, reading, ready };
  struct block {
    std::uint64_t number = 0;
    enum state state = unused;
    std::size_t size = 0;
    std::error_code ec;
    aligned_memory memory;
  };

  block* find(std::uint64_t number) noexcept {
    const auto is_it = [&](const block& b) { return b.state != unused && b.number == number; };
    const auto found = std::ranges::find_if(blocks_, is_it);
    return found == blocks_.end() ? nullptr : &*found;
  }

  /// Has the blocks from this one on read, where others are not needed any more.
  void plan(std::uint64_t first) noexcept {
    for (std::uint64_t number = first; number != first + block_count; ++number) {
      if (find(number) != nullptr) continue;
      const auto is_free = [&](const block& b) {
        return b.state != reading &&
               (b.state == unused || b.number < first || b.number >= first + block_count);
      };
      const auto spare = std::ranges::find_if(blocks_, is_free);
      if (spare == blocks_.end()) break;
      spare->number = number;
      spare->state = wanted;
      work_.notify_one();
    }
  }

  block* next_wanted() noexcept {
    block* next = nullptr;
    for (auto& one : blocks_)
      if (one.state == wanted && (next == nullptr || one.number < next->number)) next = &one;
    return next;
  }

  void work() noexcept {
    std::unique_lock guard(lock_);
    for (;;) {
      block* mine = nullptr;
      work_.wait(guard, [&] { return stop_ || (mine = next_wanted()) != nullptr; });
      if (stop_) return;
      mine->state = reading;
      guard.unlock();
      read_block(*mine);
      guard.lock();
      mine->state = ready;
      done_.notify_one();
    }
  }

  void read_block(block& b) noexcept {
    b.size = 0;
    do {
      const std::span<char> rest(b.memory.get() + b.size, block_size - b.size);
      const std::size_t n = disk_->read_at(b.number * block_size + b.size, rest, b.ec);
      b.size += n;
      // After a short read the end, or what is left is not aligned; only the end need not be.
      if (n == 0 || n % alignment != 0) break;
    } while (b.size != block_size && (!b.ec || b.ec == std::errc::interrupted));
  }

  void stop() noexcept {
    {
      const std::lock_guard guard(lock_);
      stop_ = true;
    }
    work_.notify_all();
    for (auto& one : threads_)
      if (one.joinable()) one.join();
  }

  device* disk_;
  process_id process_;
  std::mutex lock_;
  std::condition_variable work_, done_;
  std::array<block, block_count> blocks_;
  std::array<std::thread, thread_count> threads_;
  bool stop_ = false;
};

direct_device::direct_device(std::unique_ptr<device> disk)
    : disk_(std::move(disk)), next_(~std::uint64_t{0}) {}

direct_device::~direct_device() { stop(); }

void direct_device::stop() noexcept {
  if (ahead_ != nullptr && !ahead_->is_alive()) static_cast<void>(ahead_.release());
  ahead_.reset();
}

std::size_t direct_device::read_at(std::uint64_t at, std::span<char> into,
                                   std::error_code& ec) noexcept try {
  ec.clear();
  if (into.empty()) return 0;
  std::size_t n = 0;
  if (at == next_) {
    if (ahead_ != nullptr && !ahead_->is_alive()) stop();
    if (ahead_ == nullptr) ahead_ = std::make_unique<read_ahead>(*disk_);
    n = ahead_->read(at, into, ec);
  } else {
    n = read_once(at, into, ec);
  }
  next_ = at + n;
  return n;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
} catch (const std::system_error&) {
  return read_once(at, into, ec);  // no threads to be had
}

/// Reads around what was asked for.
std::size_t direct_device::read_once(std::uint64_t at, std::span<char> into,
                                     std::error_code& ec) noexcept try {
  const auto lead = static_cast<std::size_t>(at % alignment);
  const std::size_t wanted = std::min(lead + into.size(), block_size);
  const std::size_t size = (wanted + alignment - 1) / alignment * alignment;
  const aligned_memory memory = aligned(size);
  const std::size_t got = disk_->read_at(at - lead, {memory.get(), size}, ec);
  const std::size_t n = got <= lead ? 0 : std::min(into.size(), got - lead);
  if (n != 0) std::memcpy(into.data(), memory.get() + lead, n);
  return n;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

std::size_t direct_device::write_at(std::uint64_t, std::span<const std::string_view>,
                                    std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return 0;
}

void direct_device::close(std::error_code& ec) noexcept {
  stop();
  disk_->close(ec);
}

native_handle_type direct_device::release(std::uint64_t at, std::error_code& ec) noexcept {
  stop();
  return disk_->release(at, ec);
}

}  // namespace v0
}  // namespace leat
