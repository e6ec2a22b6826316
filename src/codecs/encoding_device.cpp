// Encodes bytes into blocks and writes the blocks. codecs.cpp makes the device.
#include "codecs/encoding_device.hpp"

#include <array>
#include <utility>

#include "codecs/errors.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

namespace {

constexpr std::size_t out_capacity = 128 << 10;
/// After this number of consecutive writes without progress and without an error, write_out()
/// fails.
constexpr int max_idle_writes = 100;

}  // namespace

encoding_device::encoding_device(std::unique_ptr<device> to,
                                 std::unique_ptr<encoder> output_encoder)
    : to_(std::move(to)),
      encoder_(std::move(output_encoder)),
      out_(std::make_unique_for_overwrite<char[]>(out_capacity)),
      position_(to_->position()),
      appends_(to_->traits().appends),
      process_(component::this_process()) {}

std::size_t encoding_device::read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::bad_file_descriptor);
  return 0;
}

/// Writes the pending bytes. Returns false if some bytes are still pending.
bool encoding_device::write_out(std::error_code& ec) noexcept {
  for (int idle = 0; out_next_ != out_end_;) {
    const std::array<std::string_view, 1> piece{
        std::string_view(out_.get() + out_next_, out_end_ - out_next_)};
    const std::size_t n = to_->write_at(position_, piece, ec);
    out_next_ += n;
    position_ += n;
    if (ec == std::errc::interrupted) continue;
    idle = n == 0 ? idle + 1 : 0;
    if (!ec && idle == max_idle_writes) ec = errc::no_progress;
    if (ec) return false;
  }
  out_next_ = out_end_ = 0;
  ec.clear();
  return true;
}

/// Encodes bytes, and writes the output when a block is full. Returns the count of bytes that the
/// encoder took.
std::size_t encoding_device::encode(std::string_view bytes, flush_mode flush,
                                    std::error_code& ec) noexcept {
  ec.clear();
  if (is_broken_) {
    ec = no_memory();
    return 0;
  }
  std::size_t taken = 0;
  for (bool done = false; !done;) {
    if ((out_end_ == out_capacity || out_next_ != 0) && !write_out(ec)) break;
    const encode_result now = encoder_->encode(
        bytes.substr(taken), {out_.get() + out_end_, out_capacity - out_end_}, flush);
    taken += now.consumed;
    out_end_ += now.produced;
    done = now.is_done;
    if (now.failed) {
      is_broken_ = true;
      ec = no_memory();
      break;
    }
  }
  return taken;
}

std::size_t encoding_device::write_at(std::uint64_t, std::span<const std::string_view> pieces,
                                      std::error_code& ec) noexcept {
  ec.clear();
  // After fork() both processes would write at the same position, from the same encoder state.
  if (is_child()) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }
  std::size_t taken = 0;
  for (const std::string_view piece : pieces) {
    if (piece.empty()) continue;
    is_empty_ = false;
    const std::size_t n = encode(piece, flush_mode::none, ec);
    taken += n;
    if (ec) break;
  }
  return taken;
}

void encoding_device::sync(std::error_code& ec) noexcept {
  ec.clear();
  if (is_child()) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return;
  }
  if (!is_empty_) encode({}, flush_mode::flush, ec);
  if (!ec && write_out(ec)) to_->sync(ec);
}

void encoding_device::close(std::error_code& ec) noexcept {
  ec.clear();
  // If the content is empty, a file that was opened to append stays as it is, but a new file needs
  // a member.
  if (!is_child() && !(appends_ && is_empty_)) {
    encode({}, flush_mode::finish, ec);
    if (!ec) write_out(ec);
  }
  // A broken file must not replace its target.
  if (ec && to_->traits().commits) return;
  std::error_code closing;
  to_->close(closing);
  if (!ec) ec = closing;
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
