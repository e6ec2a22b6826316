// Compressed files: detects formats by first bytes and by names, and puts decoders and encoders
// over devices. Called by open.cpp, the streams of C++ and C, and the logs.
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

/// The format of a file, by its first bytes.
struct signature {
  leat::compression format = compression::none;
  bool undecided = false;  ///< more bytes may show another format
  bool or_lz4 = false;     ///< as in decoding_request
};
/// Detects the format of a file that begins with `head`.
signature signature_of(std::string_view head) noexcept;

/// The ending of the names of files in a format.
struct compressed_ending {
  leat::compression format;
  std::string_view text;
};
inline constexpr std::array compressed_endings{
    compressed_ending{compression::gzip, ".gz"}, compressed_ending{compression::zstd, ".zst"},
    compressed_ending{compression::lz4, ".lz4"}, compressed_ending{compression::xz, ".xz"}};

/// Returns a device that decodes `from` in the format of the options; for `automatic`, the first
/// bytes decide. For `none`, and if the first bytes are of no known format, the device returns the
/// bytes of `from`. If `from` is null, returns null and leaves `ec` unchanged. On failure, returns
/// null and sets `ec`. If the program has no codecs, the error is errc::no_codecs.
std::unique_ptr<device> decoded(std::unique_ptr<device> from, const options& how,
                                std::error_code& ec) noexcept;

/// As decoded(), for reads at any position. If `from` is compressed and has no table of frames,
/// fails. If the trait `concurrent` of `from` is set, several threads may read at once.
std::unique_ptr<device> decoded_for_random_access(std::unique_ptr<device> from, const options& how,
                                                  std::error_code& ec) noexcept;

/// The format in which a file of this name is written, by the options and the name.
leat::compression compression_for_writing(path_ref path, const options& how) noexcept;

/// Checks whether a file can be written in this format. Called before the file is opened. For
/// `none`, returns no error. If the program has no codecs, returns errc::no_codecs. If the options
/// do not allow this format, returns operation_not_supported or the codec's error.
std::error_code check_compression(compression as, const options& how) noexcept;

/// Returns a device over `to` that encodes the written bytes. For format `none`, returns `to`
/// itself. If `to` is null, returns null and leaves `ec` unchanged. On failure, returns null and
/// sets `ec`. Must be called only after check_compression() has returned no error.
std::unique_ptr<device> encoded(std::unique_ptr<device> to, compression as, const options& how,
                                std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
