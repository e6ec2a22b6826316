// The device that reads an object. remote.cpp opens the device.
#include "remote/object_reader.hpp"

#include <leat/reader.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "remote/errors.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

// Each range costs a round trip, so small ranges are not worthwhile. A few large ranges in parallel
// use the whole bandwidth. The number of bytes requested ahead is at most about the number of bytes
// read in sequence. So a program that stops reading early wastes few bytes.
constexpr std::uint64_t smallest_piece = std::uint64_t{256} << 10;
constexpr std::uint64_t largest_piece = std::uint64_t{8} << 20;
constexpr std::uint64_t most_ahead = 8 * largest_piece;
constexpr std::size_t most_spare_pieces = 8;
constexpr std::size_t most_announced = 1024;
/// Contents of unknown size or version are held in memory, up to this size. If the server does not
/// support ranges, largest_whole_fetch is also the size of a piece, because for each piece the
/// server sends all bytes before it, too.
constexpr std::uint64_t largest_whole_fetch = std::uint64_t{64} << 20;

}  // namespace

std::unique_ptr<object_reader> object_reader::open(server target, const settings& how,
                                                   address_use use, pattern expected,
                                                   std::error_code& ec) {
  if (use == address_use::read_random && expected == pattern::automatic) expected = pattern::random;
  auto result = std::make_unique<object_reader>(std::move(target), how, expected);
  result->fetch_beginning(use, ec);
  if (ec) return nullptr;
  return result;
}

void object_reader::prepare_request(call& request, std::uint64_t at, std::span<char> into) const {
  request.origin = source_.origin;
  request.host = source_.host;
  request.path = source_.path;
  request.query = source_.query;
  request.pinned = version_;
  request.size = size_;
  request.at = at;
  request.into = into;
}

/// Fetches the first bytes, and with them the size and the version. Does not use HEAD: many servers
/// refuse HEAD, and an address that is signed for GET does not allow HEAD.
void object_reader::fetch_beginning(address_use use, std::error_code& ec) {
  const bool is_stream = use == address_use::read;
  ahead_.push_back(begin_piece(0, is_stream ? smallest_piece : 1));
  call& first = ahead_.front()->fetch;
  first.can_restart = true;
  client_.wait(first);
  ec = first.ec;
  if (first.response.status == 416) {  // the object has no first byte
    if (first.response.content_range != "bytes */0") return fetch_whole(call::unknown, ec);
    ec.clear();
    size_ = 0;
    return drop_pieces();
  }
  if (ec) return;
  adopt_response(first);
  size_ = first.total();
  first.into = first.into.first(first.done);
  if (first.done == size_) {
    has_whole_object_ = true;
  } else if (size_ == call::unknown && first.response.status == 206) {
    ec = make_error(std::errc::operation_not_supported, "The server does not report the size");
  } else if (size_ == call::unknown || !version_.is_known()) {
    fetch_whole(size_, ec);
  } else if (!is_stream) {
    drop_pieces();
  }
}

/// Fetches the whole object in one request and keeps the bytes. Needed if the size is unknown. Also
/// needed if the version is unknown: then a change of the object between two requests could not be
/// detected. `size` is the size that an earlier response reported, or call::unknown. If the object
/// is larger than largest_whole_fetch, fails with operation_not_supported.
void object_reader::fetch_whole(std::uint64_t size, std::error_code& ec) {
  drop_pieces();
  auto all = make_piece(0, largest_whole_fetch);
  call& fetch = all->fetch;
  fetch.whole = fetch.can_restart = true;
  // A proxy may answer instead of the store. The size shows that the proxy's page is not the
  // object.
  if (client_.target().in_store) fetch.size = size;
  if (size == call::unknown || size <= largest_whole_fetch) {
    client_.perform(fetch);
    ec = fetch.ec;
    if (ec) return;
    adopt_response(fetch);
    size = fetch.total();
  }
  if (size == call::unknown) {  // the end is unknown, because largest_whole_fetch was filled
    ec = make_error(std::errc::operation_not_supported, "The server does not report the size");
  } else if (size != fetch.done && version_.is_known()) {  // the first answer was wrong, e.g. 416
    ec = make_error(std::errc::operation_not_supported,
                    "The content is too long for one request, and the server refused a request for "
                    "a part of it");
  } else if (size != fetch.done) {
    ec = make_error(std::errc::operation_not_supported,
                    "The content is too long for one request. The server sends no ETag or time of "
                    "change that identifies the content, so parts could be of different contents");
  } else {
    size_ = size;
    fetch.into = fetch.into.first(fetch.done);
    ahead_.push_back(std::move(all));
    has_whole_object_ = true;
  }
}

/// Remembers the version, the address where the redirects ended, and whether the server supports
/// ranges, for all later requests.
void object_reader::adopt_response(const call& first) {
  version_ = version_of(first.response);
  supports_ranges_ = first.response.status != 200 || !first.wants_range();
  source_ = {first.origin, first.host, first.path, first.query};
}

/// Starts to fetch a range. If memory must be allocated, the memory has at least `room` bytes; the
/// bytes beyond the range are not touched.
std::unique_ptr<object_reader::piece> object_reader::begin_piece(std::uint64_t at,
                                                                 std::uint64_t size,
                                                                 std::uint64_t room) {
  auto result = make_piece(at, size, room);
  client_.start(result->fetch);
  return result;
}

std::unique_ptr<object_reader::piece> object_reader::make_piece(std::uint64_t at,
                                                                std::uint64_t size,
                                                                std::uint64_t room) {
  auto result = std::make_unique<piece>();
  if (!spare_.empty() && spare_.back().size >= size) {
    result->memory = std::move(spare_.back());
    spare_.pop_back();
  } else {
    spare_.clear();  // pieces grow, so the other memory is too small, too
    const auto allocated = static_cast<std::size_t>(std::max(size, room));
    result->memory = {std::make_unique_for_overwrite<char[]>(allocated + window_padding),
                      allocated};
  }
  prepare_request(result->fetch, at, {result->memory.bytes.get(), static_cast<std::size_t>(size)});
  return result;
}

/// Keeps the memory of a piece that was read. Later pieces get this memory, because the first
/// access to new memory costs much time.
void object_reader::recycle_memory(piece& one) {
  if (spare_.size() < most_spare_pieces) spare_.push_back(std::move(one.memory));
}

void object_reader::read_ahead() {
  if (expected_ == pattern::random || !supports_ranges_ || has_whole_object_) return;
  // Aim: the transfer of a piece takes eight times as long as its request, and at least twice the
  // bandwidth-delay product is requested. Then neither requests nor latency cost much time.
  const device_speed speed = client_.speed();
  const auto longest =
      std::clamp(std::bit_floor(static_cast<std::uint64_t>(8 * speed.request / speed.byte)),
                 smallest_piece, largest_piece);
  const auto bandwidth_delay = static_cast<std::uint64_t>(speed.latency / speed.byte);
  const std::uint64_t wanted = std::min(
      {sequential_bytes_, std::max(2 * bandwidth_delay, parallel_.count() * longest), most_ahead});
  const std::uint64_t size = std::clamp(wanted / parallel_.count(), smallest_piece, longest);
  while (!ahead_.empty()) {
    const std::uint64_t end = ahead_.back()->end();
    const std::uint64_t requested = end - ahead_.front()->fetch.at;
    if (end >= size_ || requested + size > wanted + size / 2) return;
    // Pieces grow. Each piece gets memory for the largest piece, so that the memory can be reused.
    ahead_.push_back(begin_piece(end, std::min(size, size_ - end), largest_piece));
  }
}

void object_reader::drop_pieces() noexcept {
  ahead_.clear();
  announced_.clear();
}

object_reader::piece* object_reader::announced_piece(std::uint64_t at) noexcept {
  const auto found = std::ranges::find_if(
      announced_, [at](const auto& one) { return one->fetch.at <= at && at < one->end(); });
  return found == announced_.end() ? nullptr : found->get();
}

/// Returns the piece of `ahead_` that contains the byte at `at`. If there is no such piece, or if
/// an unfinished piece comes before that piece, drops `ahead_` and starts to fetch a piece of
/// `wanted` bytes, within the limits of a piece.
object_reader::piece& object_reader::piece_at(std::uint64_t at, std::size_t wanted) {
  if (has_whole_object_) return *ahead_.front();
  // A view may begin inside the previous view.
  if (at > next_position_ ||
      (at < next_position_ && (ahead_.empty() || at < ahead_.front()->fetch.at))) {
    sequential_bytes_ = 0;
    next_position_ = at;
    parallel_.begin();
  }
  while (!ahead_.empty() && ahead_.front()->end() <= at && ahead_.front()->fetch.finished) {
    parallel_.note_range(call::clock::now(), ahead_.front()->fetch.into.size());
    recycle_memory(*ahead_.front());
    ahead_.pop_front();
  }
  if (ahead_.empty() || at < ahead_.front()->fetch.at || at >= ahead_.front()->end()) {
    ahead_.clear();
    const std::uint64_t least = expected_ == pattern::random ? 1 : smallest_piece;
    const auto size = supports_ranges_ ? std::clamp<std::uint64_t>(wanted, least, largest_piece)
                                       : largest_whole_fetch;
    ahead_.push_back(begin_piece(at, std::min(size, size_ - at)));
  }
  return *ahead_.front();
}

/// Waits until the piece has `wanted` bytes from `at` on, or all its bytes, or has failed. Returns
/// the number of available bytes: less than `wanted` if the piece ends earlier or has failed.
std::size_t object_reader::wait(const piece& from, std::uint64_t at, std::size_t wanted) {
  const call& fetch = from.fetch;
  const auto skipped = static_cast<std::size_t>(at - fetch.at);
  const std::size_t enough = std::min(wanted, fetch.into.size() - skipped);
  const auto available = [&] { return fetch.done - std::min(fetch.done, skipped); };
  client_.pump(std::chrono::milliseconds(0));
  while (available() < enough && !fetch.finished) client_.pump(std::chrono::seconds(1));
  return available();
}

/// Waits for the byte at `at`, then copies the available bytes of a piece from `at` on. Returns the
/// number of copied bytes; on an error, sets `ec` and returns 0.
std::size_t object_reader::copy_available(const piece& from, std::uint64_t at, std::span<char> into,
                                          std::error_code& ec) {
  const call& fetch = from.fetch;
  const std::size_t n = std::min(wait(from, at, 1), into.size());
  if (n == 0) {
    ec = fetch.ec;
    if (!ec) ec = std::make_error_code(std::errc::io_error);
    return 0;
  }
  std::memcpy(into.data(), fetch.into.data() + (at - fetch.at), n);
  return n;
}

void object_reader::note_read(std::uint64_t at, std::size_t n) {
  sequential_bytes_ += at + n - std::min(next_position_, at + n);
  next_position_ = at + n;
  read_ahead();
  client_.pump(std::chrono::milliseconds(0));
}

std::size_t object_reader::read(std::uint64_t at, std::span<char> into, std::error_code& ec) {
  if (at >= size_ || into.empty()) return 0;
  if (const piece* const announced = announced_piece(at)) {
    const std::size_t n = copy_available(*announced, at, into, ec);
    if (ec || at + n == announced->end())
      std::erase_if(announced_, [&](const auto& each) { return each.get() == announced; });
    return n;
  }
  const std::size_t n = copy_available(piece_at(at, into.size()), at, into, ec);
  if (ec && !has_whole_object_) drop_pieces();  // the next call tries again
  note_read(at, n);
  return n;
}

/// If all pieces of `ahead_` before the byte at `at` are finished, returns the piece that contains
/// the byte. Otherwise returns null: a read would wait, or request the byte again.
const object_reader::piece* object_reader::ready_piece(std::uint64_t at) const noexcept {
  for (const auto& one : ahead_) {
    if (at < one->end()) return one->fetch.at <= at ? one.get() : nullptr;
    if (!one->fetch.finished) return nullptr;
  }
  return nullptr;
}

std::string_view object_reader::view_at(std::uint64_t at, std::size_t wanted) noexcept try {
  if (at >= size_ || announced_piece(at) != nullptr) return {};
  const piece& current = piece_at(at, wanted);
  const std::size_t n = wait(current, at, wanted);
  const std::string_view view(current.fetch.into.data() + (at - current.fetch.at), n);
  note_read(at, n);
  return view;
} catch (const std::bad_alloc&) {
  return {};
}

std::size_t object_reader::read_ready(std::uint64_t at, std::span<char> into,
                                      std::error_code& ec) noexcept try {
  ec.clear();
  if (at >= size_ || into.empty()) return 0;
  client_.pump(std::chrono::milliseconds(0));
  const piece* found = announced_piece(at);  // read() prefers an announced piece
  if (found == nullptr) found = ready_piece(at);
  // A finished piece has the byte or an error.
  if (found != nullptr && (at < found->fetch.at + found->fetch.done || found->fetch.finished))
    return read_at(at, into, ec);
  ec = std::make_error_code(std::errc::operation_would_block);
  return 0;
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return 0;
}

void object_reader::announce(std::uint64_t at, std::uint64_t size) noexcept try {
  if (at >= size_ || size == 0 || has_whole_object_) return;
  size = std::min({size, size_ - at, most_ahead});
  const auto announced_bytes = [this] {
    std::uint64_t sum = 0;
    for (const auto& one : announced_) sum += one->fetch.into.size();
    return sum;
  };
  while (!announced_.empty() &&
         (announced_bytes() + size > most_ahead || announced_.size() >= most_announced)) {
    announced_.pop_front();
  }
  announced_.push_back(begin_piece(at, size));
} catch (const std::bad_alloc&) {
  return;  // an announcement may be dropped
}

std::size_t object_reader::read_at(std::uint64_t at, std::span<char> into,
                                   std::error_code& ec) noexcept try {
  ec.clear();
  return read(at, into, ec);
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return 0;
}

void object_reader::start_read(read_request& one) noexcept try {
  one.done = 0;
  one.ec.clear();
  const std::uint64_t left = one.at < size_ ? size_ - one.at : 0;
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, one.into.size()));
  if (n == 0) return;
  if (has_whole_object_) {
    one.done = read(one.at, one.into.first(n), one.ec);
    return;
  }
  started_read& started = started_reads_.emplace_back();
  started.request = &one;
  prepare_request(started.fetch, one.at, one.into.first(n));
  client_.start(started.fetch);
  client_.pump(std::chrono::milliseconds(0));
} catch (const std::bad_alloc&) {
  if (!started_reads_.empty() && started_reads_.back().request == &one) started_reads_.pop_back();
  one.ec = no_memory();
}

void object_reader::finish_read(read_request& one) noexcept {
  const auto found = std::ranges::find(started_reads_, &one, &started_read::request);
  if (found == started_reads_.end()) return;
  try {
    client_.wait(found->fetch);
    one.done = found->fetch.done;
    one.ec = found->fetch.ec;
  } catch (const std::bad_alloc&) {
    one.ec = no_memory();
  }
  started_reads_.erase(found);
}

void object_reader::cancel_read(read_request& one) noexcept {
  std::erase_if(started_reads_, [&](const started_read& each) { return each.request == &one; });
}

void object_reader::read_many(std::span<read_request> requests) noexcept {
  for (read_request& one : requests) start_read(one);
  for (read_request& one : requests) finish_read(one);
}

std::size_t object_reader::write_at(std::uint64_t, std::span<const std::string_view>,
                                    std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);  // objects are immutable
  return 0;
}

std::uint64_t object_reader::size(std::error_code& ec) const noexcept {
  ec.clear();
  return size_;
}

void object_reader::close(std::error_code& ec) noexcept {
  ec.clear();
  drop_pieces();
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
