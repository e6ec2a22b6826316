// The device that writes an object: uploads parts while the program produces the next parts. The
// object appears as a whole at close(). remote.cpp opens the device.
#pragma once

#include <leat/remote.hpp>

#include "component/process.hpp"
#include "remote/client.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

/// Writes a new version of an object. One thread at a time may use the device.
class object_writer final : public device {
 public:
  /// Begins a new version of an object. Returns null and sets `ec` on failure:
  /// operation_not_supported for a page; with `exclusive`, file_exists if the object exists; an
  /// error of the request for the object or of probe_conditions(). Throws std::bad_alloc.
  static std::unique_ptr<object_writer> open(server target, const settings& how, bool exclusive,
                                             std::error_code& ec);

  object_writer(server target, const settings& how, bool exclusive)
      : client_(std::move(target), how),
        exclusive_(exclusive),
        process_(component::this_process()) {}
  /// Without close(), aborts the upload: no object appears. In a forked child, which does not own
  /// the upload, does nothing.
  ~object_writer() override;

  device_traits traits() const noexcept override {
    return {.positional = false, .commits = !committed_};
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  void sync(std::error_code& ec) noexcept override;
  double cost() const noexcept override { return client_.cost(); }
  void close(std::error_code& ec) noexcept override;

 private:
  struct part {
    unsigned number = 0;
    std::unique_ptr<char[]> memory;
    call upload;
  };

  /// True if this process opened the object. Otherwise sets `ec`.
  bool check_process(std::error_code& ec) const noexcept;
  std::size_t next_part_size() const noexcept;
  void append_to_part(std::string_view bytes, std::error_code& ec);
  void begin_upload(std::error_code& ec);
  void send_part(std::error_code& ec);
  void wait_for_parts(std::size_t most_left, std::error_code& ec);
  void commit(std::error_code& ec);
  void complete(std::error_code& ec);
  void check_object_checksum(const reply& response, std::error_code& ec) const;
  void put_object(std::error_code& ec);
  bool object_exists(const std::string& etag, std::uint64_t size, std::error_code& ec);
  void abort() noexcept;

  client client_;
  bool exclusive_;
  long process_;
  bool committed_ = false, ended_ = false;
  std::error_code error_;
  std::unique_ptr<char[]> memory_;  // of the part being filled
  std::size_t filled_ = 0, capacity_ = 0;
  std::uint64_t sent_ = 0;  // bytes of earlier parts
  std::string upload_id_;
  std::deque<std::unique_ptr<part>> in_flight_;
  // One entry for each part.
  struct part_checksum {
    std::string text;
    bool is_reported = false;  // the store reported a CRC-32C for this part
  };
  std::vector<std::string> etags_;
  std::vector<part_checksum> checksums_;
  std::uint32_t crc_ = ~std::uint32_t{0};  // CRC-32C of the sent parts, without the last inversion
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
