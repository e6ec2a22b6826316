// What decodes and encodes compressed files. A component registers itself for them.
#pragma once

#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>
#include <leat/options.hpp>

#include <cstdint>
#include <system_error>

namespace leat {
inline namespace v0 {

/// How a file is read.
struct decoding_request {
  leat::compression format;  ///< neither none nor automatic
  std::uint64_t limit;       ///< as in open_options
  /// For leat::file: places anywhere, by several threads at once. Only where the format has
  /// positions.
  bool random = false;
  /// Most bytes that the file may make the decoder allocate; more is fault::unsupported. @since 0.3
  std::uint64_t memory = open_options{}.codec_memory;
  /// `format` is zstd, and frames without content come first: those that lz4 has, too. If the first
  /// frame with content is one of lz4, so is the file. @since 0.3
  bool or_lz4 = false;
};

/// How a file is written.
struct encoding_request {
  leat::compression format;  ///< neither none nor automatic
  int level = 0;             ///< as in create_options, and so are the others
  unsigned threads = 0;
  bool seekable = false;
};

/// Devices over devices, which they own: one has the decoded bytes of another, one writes what it
/// is given encoded to another. Null, and the error in `ec`, if that fails. Any thread may call
/// them.
struct codec_functions {
  std::unique_ptr<device> (*decode)(std::unique_ptr<device> from, const decoding_request& request,
                                    std::error_code& ec) noexcept;
  std::unique_ptr<device> (*encode)(std::unique_ptr<device> to, const encoding_request& request,
                                    std::error_code& ec) noexcept;
  /// The error that encode() would give whatever the device is, or none. It is asked before a file
  /// is emptied.
  std::error_code (*refuses)(const encoding_request& request) noexcept;
};

/// From now on files are decoded and encoded by these. Their object stays valid.
LEAT_API void register_codecs(const codec_functions* all) noexcept;

}  // namespace v0
}  // namespace leat
