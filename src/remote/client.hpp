// Requests to one server: several at a time, repeated where that is safe, in the calling thread.
#pragma once

#include <leat/remote.hpp>

#include "remote/server.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// What a server says before and beside the bytes.
struct reply {
  int status = 0;
  std::string etag, content_range, request_id, retry_after, date, region;
  std::int64_t length = -1;  ///< of the body, if it is told
  std::string body;          ///< of everything but ranges: XML, or a page that says what is wrong
};

class client;
class connections;
struct attempt;

/// A request, and what came of it. It stays where it is; its end cancels it.
struct call {
  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call();

  using clock = std::chrono::steady_clock;
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  // What is asked. Headers have names in lower case; host and signature come later.
  const char* method = "GET";
  std::string path, query;
  header_list headers;
  std::string_view body;  ///< for PUT and POST
  std::span<char> into;   ///< the bytes from `at` on; empty: the whole body, into `said`
  std::uint64_t at = 0;
  std::uint64_t size = unknown;  ///< of the object, if it is known
  bool needs_etag = false;       ///< the answer is about an object of a store
  std::string pinned;            ///< the ETag that the object must have; empty: any

  // What came of it.
  bool finished = false;
  std::error_code ec;
  reply said;             ///< of the last attempt
  std::size_t done = 0;   ///< bytes in `into`; fewer than its size only at the object's end
  unsigned failures = 0;  ///< attempts in a row that brought no byte
  bool repeated = false;  ///< an attempt has failed after the server may have done what was asked
  std::chrono::nanoseconds first_byte{};  ///< from the start of the last attempt
  std::chrono::nanoseconds taken{};       ///< the same to its end

  bool wants_range() const noexcept { return !into.empty(); }
  std::size_t missing() const noexcept { return into.size() - done; }
  /// The object's size, as the answer to a range tells it.
  std::uint64_t total() const noexcept { return total_; }

 private:
  friend class client;
  friend struct attempt;
  clock::time_point started_, next_try_, deadline_;
  std::uint64_t total_ = unknown;
  client* by_ = nullptr;    // who has it; null before start() and at the end
  bool corrected_ = false;  // clock, credentials or region have been mended once
};

/// Only one thread at a time may use it.
class client {
 public:
  client(server where, settings how);
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// The request waits for its turn, and goes on in pump() and wait().
  void start(call& one);
  /// Forgets the request. Its connection is closed if bytes are under way.
  void cancel(call& one) noexcept;
  /// Moves bytes. Waits until something has happened, at most so long.
  void pump(std::chrono::milliseconds patience);
  void wait(const call& one) {
    while (!one.finished) pump(std::chrono::seconds(1));
  }
  /// start() and wait().
  void perform(call& one) {
    start(one);
    wait(one);
  }

  const server& where() const noexcept { return where_; }
  /// US dollars so far, by the prices of the settings.
  double cost() const noexcept { return cost_; }
  /// Requests that are worth having under way. It shrinks when the server has too much to do.
  std::size_t parallel() const noexcept { return static_cast<std::size_t>(parallel_); }

 private:
  void launch(call& one);
  void finish(std::unique_ptr<attempt> over, int result);
  void judge(call& one, attempt& over, int result);
  void reject(call& one, const attempt& over);
  void count(const call& one, std::uint64_t bytes) noexcept;
  void succeed(call& one);
  void fail(call& one, std::errc like, const std::string& text);
  bool repeat(call& one, std::chrono::milliseconds least);
  bool correct(call& one, const std::string& code, std::string region);
  void leave_parent();

  server where_;
  settings how_;
  std::unique_ptr<connections> connections_;
  std::vector<call*> queued_;
  std::vector<std::unique_ptr<attempt>> running_;
  std::chrono::system_clock::duration skew_{};  // of the server's clock to ours
  double parallel_ = 16;
  double cost_ = 0;
  bool moved_ = false;    // to another region
  bool is_news_ = false;  // nobody has been told of it
  call::clock::time_point shrunk_, next_renewal_;
  std::minstd_rand random_;
  long process_ = 0;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
