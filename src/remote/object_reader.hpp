// The device that reads an object: by ranges, several in parallel. remote.cpp opens the device.
#pragma once

#include <leat/remote.hpp>

#include "remote/client.hpp"
#include "remote/speed.hpp"

#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// Reads one version of an object. One thread at a time may use the device.
class object_reader final : public device {
 public:
  /// Opens an object or a page: fetches the first bytes, the size and the version. Returns null and
  /// sets `ec` on failure. Throws std::bad_alloc.
  static std::unique_ptr<object_reader> open(server target, const settings& how, address_use use,
                                             pattern expected, std::error_code& ec);

  object_reader(server target, const settings& how, pattern expected)
      : client_(std::move(target), how),
        source_{{}, {}, client_.target().path, client_.target().query},
        expected_(expected) {}

  device_traits traits() const noexcept override {
    return {.reads_ahead = true, .starts_reads = true, .has_views = true};
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override;
  void read_many(std::span<read_request> requests) noexcept override;
  void start_read(read_request& one) noexcept override;
  void finish_read(read_request& one) noexcept override;
  void cancel_read(read_request& one) noexcept override;
  device_speed speed() const noexcept override { return client_.speed(); }
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void advise(pattern expected) noexcept override { expected_ = expected; }
  double cost() const noexcept override { return client_.cost(); }
  void close(std::error_code& ec) noexcept override;

 private:
  struct piece_memory {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  /// A range that is being fetched or has been fetched.
  struct piece {
    piece_memory memory;
    call fetch;
    std::uint64_t end() const noexcept { return fetch.at + fetch.into.size(); }
  };

  struct started_read {
    read_request* request;
    call fetch;
  };

  void fetch_beginning(address_use use, std::error_code& ec);
  void fetch_whole(std::uint64_t size, std::error_code& ec);
  void adopt_response(const call& first);
  void prepare_request(call& request, std::uint64_t at, std::span<char> into) const;
  std::unique_ptr<piece> make_piece(std::uint64_t at, std::uint64_t size, std::uint64_t room = 0);
  std::unique_ptr<piece> begin_piece(std::uint64_t at, std::uint64_t size, std::uint64_t room = 0);
  piece* announced_piece(std::uint64_t at) noexcept;
  const piece* ready_piece(std::uint64_t at) const noexcept;
  piece& piece_at(std::uint64_t at, std::size_t wanted);
  std::size_t wait(const piece& from, std::uint64_t at, std::size_t wanted);
  std::size_t copy_available(const piece& from, std::uint64_t at, std::span<char> into,
                             std::error_code& ec);
  void note_read(std::uint64_t at, std::size_t n);
  void recycle_memory(piece& one);
  void read_ahead();
  void drop_pieces() noexcept;
  std::size_t read(std::uint64_t at, std::span<char> into, std::error_code& ec);

  client client_;
  struct {
    std::string origin, host, path, query;
  } source_;  // the address of the requests, after redirects
  std::uint64_t size_ = call::unknown;
  version version_;
  pattern expected_;
  std::deque<std::unique_ptr<piece>> ahead_;  // consecutive ranges
  std::deque<std::unique_ptr<piece>> announced_;
  std::list<started_read> started_reads_;
  std::vector<piece_memory> spare_;
  bool supports_ranges_ = true;
  bool has_whole_object_ = false;       // the only piece of `ahead_` is the whole object
  std::uint64_t sequential_bytes_ = 0;  // bytes read sequentially since the last jump
  std::uint64_t next_position_ = 0;     // the position after the last read from `ahead_`
  parallel_ranges parallel_;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
