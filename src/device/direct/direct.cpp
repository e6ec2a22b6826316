#include "device/direct/direct.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#include "base/service_thread.hpp"
#include "device/system.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr std::size_t alignment = direct_alignment;
/// Large enough that the start of a request costs little against it.
constexpr std::size_t block_size = 1 << 20;
constexpr std::size_t block_count = 4;  // one in use, three read or being read
constexpr std::size_t thread_count = 2;

/// Of a batch: memory for what is in flight, and the most that one request asks for.
constexpr std::size_t scratch_size = 8 << 20;
constexpr std::size_t largest_transfer = 1 << 20;
/// How many pieces of requests are planned at a time.
constexpr std::size_t most_parts = 1 << 14;
/// What write_at copies at a time if it is not aligned in memory.
constexpr std::size_t write_size = 2 << 20;

aligned_memory aligned(std::size_t size) {
  return aligned_memory(static_cast<char*>(::operator new(size, std::align_val_t{alignment})));
}

bool is_aligned(const char* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

std::uint64_t block_of(std::uint64_t at) noexcept { return at - at % alignment; }

/// What a queue does with a request: continues a short read in the block where it stopped, as the
/// rest is not aligned.
void carry_out(device& disk, read_request& one) noexcept {
  one.done = 0;
  one.ec.clear();
  for (std::size_t from = 0; one.done != one.into.size();) {
    const std::size_t n = read_some(disk, one.at + from, one.into.subspan(from), one.ec);
    if (one.ec || from + n <= one.done) return;
    one.done = from + n;
    from = one.done / alignment * alignment;
  }
}

void carry_out(device& disk, write_request& one) noexcept {
  one.done = static_cast<std::size_t>(write_all(disk, one.at, {&one.bytes, 1}, one.ec));
}

template <class Request>
void carry_out(device& disk, queue_pool::lease& queue, std::span<Request> requests) noexcept {
  if (queue)
    queue->run(direct_handle(disk), requests);
  else
    for (auto& one : requests) carry_out(disk, one);
}

std::size_t size_of(const read_request& one) noexcept { return one.into.size(); }
std::size_t size_of(const write_request& one) noexcept { return one.bytes.size(); }

/// Memory for a batch, no more than it can use.
template <class Request>
std::size_t scratch_for(std::span<const Request> requests) noexcept {
  std::size_t needed = 0;
  for (const auto& one : requests) {
    needed += std::min(size_of(one), scratch_size) + 2 * alignment;
    if (needed >= scratch_size) return scratch_size;
  }
  return needed / alignment * alignment;
}

template <class Request>
void begin(std::span<Request> requests) noexcept {
  for (auto& one : requests) {
    one.done = 0;
    one.ec.clear();
  }
}

template <class Request>
void end_without_memory(std::span<Request> requests) noexcept {
  for (auto& one : requests)
    if (!one.ec && one.done != size_of(one))
      one.ec = std::make_error_code(std::errc::not_enough_memory);
}

/// Positions that the alignment around them would push out of any file's range.
bool is_far(std::uint64_t at, std::size_t size) noexcept {
  constexpr std::uint64_t end = std::uint64_t{1} << 62;
  return at > end || size > end;
}

/// True if the first `size` bytes can be written from where they are.
bool is_in_place(std::span<const std::string_view> pieces, std::size_t size) noexcept {
  return pieces.front().size() >= size && is_aligned(pieces.front().data());
}

void gather(std::span<const std::string_view> pieces, std::span<char> into) {
  for (const auto& piece : pieces) into = into.subspan(piece.copy(into.data(), into.size()));
}

/// The first `size` bytes of the pieces, as many as one call takes.
struct first_pieces {
  std::array<std::string_view, max_pieces> all{};
  std::size_t count = 0;

  first_pieces(std::span<const std::string_view> pieces, std::size_t size) noexcept {
    for (const auto& piece : pieces) {
      if (size == 0 || count == all.size()) break;
      if (piece.empty()) continue;
      all[count] = piece.substr(0, size);
      size -= all[count++].size();
    }
  }
};

}  // namespace

void aligned_delete::operator()(char* memory) const noexcept {
  ::operator delete(memory, std::align_val_t{alignment});
}

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
    read_request whole{b.number * block_size, {b.memory.get(), block_size}, 0, {}};
    carry_out(*disk_, whole);
    b.size = whole.done;
    b.ec = whole.ec;
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

/// While this lives, transfers go past the cache or through it. Under the lock.
class direct_device::passing {
 public:
  passing(direct_device& by, bool direct) noexcept : by_(&by), before_(by.is_direct_) {
    change(direct);
  }
  passing(const passing&) = delete;
  passing& operator=(const passing&) = delete;
  ~passing() { change(before_); }

 private:
  void change(bool direct) noexcept {
    const native_handle_type handle = by_->disk_->native_handle();
    if (by_->is_direct_ == direct || handle == no_handle) return;
    std::error_code ignored;  // a cached transfer does as well; an unaligned one tells by itself
    set_direct(handle, direct, ignored);
    by_->is_direct_ = direct;
  }

  direct_device* by_;
  bool before_;
};

direct_device::direct_device(std::unique_ptr<device> disk, rests state, reads order, unsigned depth)
    : disk_(std::move(disk)),
      is_direct_(state == rests::direct),
      order_(order),
      queues_(depth),
      next_(~std::uint64_t{0}) {}

direct_device::~direct_device() { stop(); }

void direct_device::stop() noexcept {
  if (ahead_ != nullptr && !ahead_->is_alive()) static_cast<void>(ahead_.release());
  ahead_.reset();
}

device_traits direct_device::traits() const noexcept {
  device_traits result = disk_->traits();
  result.concurrent = result.concurrent && order_ == reads::random;
  return result;
}

queue_pool::lease direct_device::take_queue() noexcept {
  // What has no descriptor does its transfers itself.
  if (direct_handle(*disk_) == no_handle) return {queues_, nullptr};
  return queues_.take();
}

std::size_t direct_device::read_at(std::uint64_t at, std::span<char> into,
                                   std::error_code& ec) noexcept try {
  ec.clear();
  if (into.empty()) return 0;
  if (order_ == reads::random) return read_once(at, into, ec);
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

/// For a request of a batch that did not do well in it.
void direct_device::read_alone(read_request& one) noexcept {
  one.ec.clear();
  while (one.done != one.into.size()) {
    const std::size_t n = read_once(one.at + one.done, one.into.subspan(one.done), one.ec);
    one.done += n;
    if (n == 0 && one.ec != std::errc::interrupted) return;
  }
  one.ec.clear();
}

/// Requests become transfers of whole blocks into scratch memory, out of which they are answered.
/// Requests that follow one another in a block, or in neighbouring ones, share a transfer.
class direct_device::read_batch {
 public:
  read_batch(direct_device& by, std::span<read_request> requests)
      : by_(&by),
        requests_(requests),
        capacity_(scratch_for(std::span<const read_request>(requests))),
        scratch_(aligned(capacity_)) {}

  void run() {
    queue_pool::lease queue = by_->take_queue();
    while (plan()) {
      carry_out(*by_->disk_, queue, std::span(transfers_));
      for (const part& one : parts_) answer(one);
    }
  }

 private:
  struct part {
    std::size_t request;
    std::size_t from;  // in the request
    std::size_t size;
    std::size_t transfer;
    std::size_t offset;  // in the transfer
  };

  /// As much of the rest as the scratch memory holds. False: nothing is left.
  bool plan() {
    transfers_.clear();
    parts_.clear();
    used_ = 0;
    if (next_ != requests_.size() && (requests_[next_].done != from_ || requests_[next_].ec))
      skip();  // it has ended
    while (next_ != requests_.size() && parts_.size() != most_parts) {
      read_request& one = requests_[next_];
      const std::size_t left = one.into.size() - from_;
      const bool far = is_far(one.at, one.into.size());
      if (far) by_->read_alone(one);
      if (far || left == 0) {
        skip();
        continue;
      }
      const std::uint64_t at = one.at + from_;
      if (!is_in_last(at) && !extend(at, left)) break;
      const read_request& last = transfers_.back();
      const auto offset = static_cast<std::size_t>(at - last.at);
      const std::size_t size = std::min(left, last.into.size() - offset);
      parts_.push_back({next_, from_, size, transfers_.size() - 1, offset});
      from_ += size;
    }
    return !parts_.empty();
  }

  void skip() noexcept {
    ++next_;
    from_ = 0;
  }

  bool is_in_last(std::uint64_t at) const noexcept {
    return !transfers_.empty() && at >= transfers_.back().at &&
           at - transfers_.back().at < transfers_.back().into.size();
  }

  /// Has the last transfer, or one more, begin to cover these bytes. False: no memory is left.
  bool extend(std::uint64_t at, std::size_t size) {
    const std::uint64_t first = block_of(at);
    const std::uint64_t end = block_of(at + size + alignment - 1);
    auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end - first, largest_transfer));
    wanted = std::min(wanted, capacity_ - used_);
    if (wanted == 0) return false;
    char* const memory = scratch_.get() + used_;
    const auto follows = [&](const read_request& last) {
      return first == last.at + last.into.size() && last.into.size() < largest_transfer;
    };
    if (!transfers_.empty() && follows(transfers_.back())) {
      std::span<char>& into = transfers_.back().into;
      wanted = std::min(wanted, largest_transfer - into.size());
      into = {into.data(), into.size() + wanted};
    } else {
      transfers_.push_back({first, {memory, wanted}, 0, {}});
    }
    used_ += wanted;
    return true;
  }

  void answer(const part& p) noexcept {
    read_request& one = requests_[p.request];
    const read_request& transfer = transfers_[p.transfer];
    if (one.done != p.from || one.ec) return;  // it has ended before
    const std::size_t there = std::max(transfer.done, p.offset) - p.offset;
    const std::size_t n = std::min(p.size, there);
    if (n != 0) std::memcpy(one.into.data() + p.from, transfer.into.data() + p.offset, n);
    one.done += n;
    // The failure may be that of another request in the same transfer.
    if (n != p.size && transfer.ec) by_->read_alone(one);
  }

  direct_device* by_;
  std::span<read_request> requests_;
  std::size_t next_ = 0, from_ = 0;  // what is to be planned next
  std::size_t capacity_, used_ = 0;
  aligned_memory scratch_;
  std::vector<read_request> transfers_;
  std::vector<part> parts_;
};

void direct_device::read_many(std::span<read_request> requests) noexcept {
  begin(requests);
  try {
    if (!requests.empty()) read_batch(*this, requests).run();
  } catch (const std::bad_alloc&) {
    end_without_memory(requests);
  }
}

/// Requests become whole blocks, which are written, and parts of blocks, which are read and changed
/// first.
class direct_device::write_batch {
 public:
  write_batch(direct_device& by, std::span<write_request> requests)
      : by_(&by),
        requests_(requests),
        capacity_(scratch_for(std::span<const write_request>(requests))),
        scratch_(aligned(capacity_)) {}

  void run() {
    queue_pool::lease queue = by_->take_queue();
    const passing the_cache(*by_, true);
    while (plan()) {
      carry_out(*by_->disk_, queue, std::span(changed_));
      for (const part& one : parts_) change(one);
      written_.resize(changed_.size());
      for (std::size_t i = 0; i != changed_.size(); ++i) {
        written_[i] = transfers_.size();
        // The others are blocks in which the file ends, or that can't be read.
        if (changed_[i].done == alignment)
          transfers_.push_back({changed_[i].at, {changed_[i].into.data(), alignment}, 0, {}});
      }
      carry_out(*by_->disk_, queue, std::span(transfers_));
      for (const part& one : parts_) answer(one);
    }
  }

 private:
  struct part {
    std::size_t request;
    std::size_t from;  // in the request
    std::size_t size;
    std::size_t index;  // of the transfer, or of the changed block
    bool is_change;
  };

  std::string_view bytes_of(const part& p) const noexcept {
    return requests_[p.request].bytes.substr(p.from, p.size);
  }
  std::uint64_t position_of(const part& p) const noexcept {
    return requests_[p.request].at + p.from;
  }

  bool plan() {
    transfers_.clear();
    changed_.clear();
    parts_.clear();
    used_ = 0;
    while (next_ != requests_.size() && parts_.size() != most_parts) {
      write_request& one = requests_[next_];
      const std::size_t left = one.bytes.size() - from_;
      if (left != 0 && is_far(one.at, one.bytes.size()))
        one.ec = std::make_error_code(std::errc::file_too_large);
      if (left == 0 || one.ec) {
        ++next_;
        from_ = 0;
        continue;
      }
      const std::uint64_t at = one.at + from_;
      const auto lead = static_cast<std::size_t>(at % alignment);
      const bool is_change = lead != 0 || left < alignment;
      const std::size_t size =
          is_change ? std::min(left, alignment - lead) : take_blocks(at, one.bytes.substr(from_));
      if (size == 0 || (is_change && !take_change(at - lead))) break;
      parts_.push_back(
          {next_, from_, size, (is_change ? changed_.size() : transfers_.size()) - 1, is_change});
      from_ += size;
    }
    return !parts_.empty();
  }

  /// Returns how many of the bytes, whole blocks of them, have become a transfer; 0: no memory is
  /// left for it.
  std::size_t take_blocks(std::uint64_t at, std::string_view bytes) {
    std::size_t size = std::min(bytes.size() / alignment * alignment, largest_transfer);
    const char* data = bytes.data();
    if (!is_aligned(data)) {
      size = std::min(size, capacity_ - used_);
      if (size == 0) return 0;
      std::memcpy(scratch_.get() + used_, data, size);
      data = scratch_.get() + used_;
      used_ += size;
    }
    transfers_.push_back({at, {data, size}, 0, {}});
    return size;
  }

  /// False if there is no memory for it, or it may have been changed before a later one.
  bool take_change(std::uint64_t block) {
    if (!changed_.empty() && changed_.back().at == block) return true;
    if (used_ == capacity_ || (!changed_.empty() && block < changed_.back().at)) return false;
    changed_.push_back({block, {scratch_.get() + used_, alignment}, 0, {}});
    used_ += alignment;
    return true;
  }

  void change(const part& p) noexcept {
    if (!p.is_change || changed_[p.index].done != alignment) return;
    const std::string_view bytes = bytes_of(p);
    std::memcpy(changed_[p.index].into.data() + position_of(p) % alignment, bytes.data(),
                bytes.size());
  }

  void answer(const part& p) noexcept {
    write_request& one = requests_[p.request];
    if (one.ec) return;
    std::size_t n = 0;
    bool through = false;
    if (p.is_change && changed_[p.index].done != alignment) {
      one.ec = changed_[p.index].ec;
      through = !one.ec;
    } else {
      const write_request& transfer = transfers_[p.is_change ? written_[p.index] : p.index];
      // A block counts when it has been written as a whole.
      n = !p.is_change ? transfer.done : transfer.done == alignment ? p.size : 0;
      one.ec = transfer.ec;
      through = one.ec == std::errc::invalid_argument;  // see write_at
    }
    if (through) {
      const passing the_cache(*by_, false);
      const std::string_view rest = bytes_of(p).substr(n);
      n += static_cast<std::size_t>(write_all(*by_->disk_, position_of(p) + n, {&rest, 1}, one.ec));
    }
    one.done += n;
  }

  direct_device* by_;
  std::span<write_request> requests_;
  std::size_t next_ = 0, from_ = 0;  // what is to be planned next
  std::size_t capacity_, used_ = 0;
  aligned_memory scratch_;
  std::vector<write_request> transfers_;
  std::vector<read_request> changed_;
  std::vector<std::size_t> written_;  // the transfers of changed blocks
  std::vector<part> parts_;
};

void direct_device::write_many(std::span<write_request> requests) noexcept {
  const std::lock_guard guard(writing_);
  begin(requests);
  try {
    if (!requests.empty()) write_batch(*this, requests).run();
  } catch (const std::bad_alloc&) {
    end_without_memory(requests);
  }
}

std::size_t direct_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                    std::error_code& ec) noexcept {
  const std::lock_guard guard(writing_);
  std::size_t size = 0;
  for (const auto& piece : pieces) size += piece.size();
  const auto lead = static_cast<std::size_t>(at % alignment);
  if (lead != 0) {
    size = std::min(size, alignment - lead);
  } else if (size >= alignment) {
    size = size / alignment * alignment;
    try {
      const std::size_t n = write_blocks(at, pieces, size, ec);
      if (n != 0 || ec != std::errc::invalid_argument) return n;
      // A limit of the process lies inside a block, or the file system wants even more alignment.
    } catch (const std::bad_alloc&) {
      ec.clear();  // the cache needs no buffers of ours
    }
  }
  const passing the_cache(*this, false);
  const first_pieces what(pieces, size);
  return disk_->write_at(at, std::span(what.all).first(what.count), ec);
}

/// One request: file systems let those that extend a file wait for each other, so several are
/// slower.
std::size_t direct_device::write_blocks(std::uint64_t at, std::span<const std::string_view> pieces,
                                        std::size_t size, std::error_code& ec) {
  std::string_view bytes = pieces.front().substr(0, size);
  if (!is_in_place(pieces, size)) {
    if (buffer_ == nullptr) buffer_ = aligned(write_size);
    const std::span<char> copy(buffer_.get(), std::min(size, write_size));
    gather(pieces, copy);
    bytes = {copy.data(), copy.size()};
  }
  const passing the_cache(*this, true);
  return disk_->write_at(at, {&bytes, 1}, ec);
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
