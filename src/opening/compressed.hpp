// Compressed files: what their first bytes and their names say, and who decodes and encodes them.
#pragma once

#include <leat/codec.hpp>
#include <leat/path.hpp>

#include "device/options.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What the first bytes of a file say.
struct signature {
  leat::compression format = compression::none;
  bool undecided = false;  ///< with more bytes it may be another one
  bool or_lz4 = false;     ///< as decoding_request has it
};
signature signature_of(std::string_view head) noexcept;

/// What the names of compressed files end in.
struct compressed_ending {
  leat::compression format;
  std::string_view text;
};
inline constexpr std::array compressed_endings{
    compressed_ending{compression::gzip, ".gz"}, compressed_ending{compression::zstd, ".zst"},
    compressed_ending{compression::lz4, ".lz4"}, compressed_ending{compression::xz, ".xz"}};

/// A device for what an open file has decoded, or the file itself if it is not compressed or the
/// options ask for its bytes. errc::no_component if no component decodes it.
std::unique_ptr<device> decoded(std::unique_ptr<device> from, const options& how,
                                std::error_code& ec) noexcept;

/// The same for any place, by several threads at once.
std::unique_ptr<device> decoded_anywhere(std::unique_ptr<device> from, const options& how,
                                         std::error_code& ec) noexcept;

/// How a file of this name is to be written, by the options.
leat::compression written_as(path_ref path, const options& how) noexcept;

/// What keeps a file from being written compressed, before it is opened; or nothing.
std::error_code not_for_compressed(compression as, const options& how) noexcept;

/// A device that writes encoded to an open file, or the file itself.
std::unique_ptr<device> encoded(std::unique_ptr<device> to, compression as, const options& how,
                                std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
