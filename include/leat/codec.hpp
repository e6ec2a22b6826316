// The interface of codecs for compressed files. A component registers its codecs.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>
#include <leat/options.hpp>

#include <cstdint>
#include <system_error>

namespace leat {
inline namespace v0 {

/// A request to decode a device.
struct decoding_request {
  leat::compression format;  ///< neither none nor automatic
  std::uint64_t limit;       ///< as in open_options
  /// For leat::file: reads at any position; by several threads at once, if the trait `concurrent`
  /// of the device is set. A file without a table of frames fails with fault::unsupported.
  bool random = false;
  /// The most bytes that the decoder may allocate; a file that needs more bytes fails with
  /// fault::unsupported. @since 0.3
  std::uint64_t memory = open_options{}.codec_memory;
  /// True: `format` is zstd, but the file begins with skippable frames, which lz4 has too. If the
  /// first other frame is an lz4 frame, the file is lz4. @since 0.3
  bool or_lz4 = false;
};

/// A request to encode to a device.
struct encoding_request {
  leat::compression format;  ///< neither none nor automatic
  int level = 0;             ///< this and the next members: as in create_options
  unsigned threads = 0;
  bool seekable = false;
};

/// A decoder and an encoder: each makes a device over another device, which the new device owns. On
/// failure the result is null, `ec` is set, and the other device is destroyed. Any thread may call
/// the functions.
struct codec_functions {
  std::unique_ptr<device> (*decode)(std::unique_ptr<device> from, const decoding_request& request,
                                    std::error_code& ec) noexcept;
  std::unique_ptr<device> (*encode)(std::unique_ptr<device> to, const encoding_request& request,
                                    std::error_code& ec) noexcept;
  /// Returns the error that encode() would report for any device, or none. Called before a file is
  /// truncated.
  std::error_code (*refuses)(const encoding_request& request) noexcept;
};

/// Sets the codecs for all files from now on. The object `all` must stay valid. With null there are
/// no codecs, as before the first call.
LEAT_API void register_codecs(const codec_functions* all) noexcept;

}  // namespace v0
}  // namespace leat
