// Compressed files: leat::open("access.log.gz", {.compression = leat::compression::automatic}).
//
// With this header, every function with an option `compression` decodes and encodes files, in the
// whole program; link leat_codecs. Linking has no effect without the header. See
// docs/compressed.md.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/codecs.h>
#include <leat/codec.hpp>

#include <cstdint>
#include <memory>
#include <system_error>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace codecs {

/// The faults of a compressed file. The error codes of streams compare equal to the faults: `ec ==
/// leat::codecs::fault::truncated`.
enum class fault {
  none = 0,        ///< the error is not about the bytes of a compressed file. @since 0.3
  damaged = 1,     ///< the bytes can't be decoded
  truncated,       ///< the file ends inside a member or frame
  wrong_checksum,  ///< the decoded content does not match its checksum
  trailing_bytes,  ///< the last member or frame is followed by other bytes
  too_long,        ///< more decoded bytes than open_options::limit allows
  /// The file needs a feature or memory beyond the limits in docs/compressed.md, or the component
  /// was built without the format.
  unsupported,
  other_format,  ///< the file does not begin with the format's magic number
};

/// The category of the conditions; its name is "leat.codecs".
LEAT_API const std::error_category& fault_category() noexcept;

/// Lets a std::error_code be compared with a fault.
inline std::error_condition make_error_condition(fault what) noexcept {
  return {static_cast<int>(what), fault_category()};
}

/// A fault, and its position in the compressed file, in bytes from the start.
struct finding {
  fault what = fault::none;
  std::uint64_t at = 0;
};

/// Returns the fault and the position of an error of this component. Returns fault::none for any
/// other error, such as a missing file, and for a wrong option. Positions are kept for the last 256
/// errors; for older errors `at` is 0. message() of the code has the fault as text.
LEAT_API finding finding_of(const std::error_code& ec);

/// True if the component was built with the library for a format.
LEAT_API bool has(compression format) noexcept;

/// Returns a device that decodes another device. The new device owns `from`. A leat::file_reader
/// can read the new device. Neither `none` nor `automatic` is a format here (fault::unsupported).
/// On failure returns null, sets `ec` and destroys `from`.
LEAT_API std::unique_ptr<device> decode(std::unique_ptr<device> from,
                                        const decoding_request& request,
                                        std::error_code& ec) noexcept;

/// Returns a device that encodes written bytes to another device. The new device owns `to`. close()
/// ends the last member or frame. On failure returns null, sets `ec` and destroys `to`.
LEAT_API std::unique_ptr<device> encode(std::unique_ptr<device> to, const encoding_request& request,
                                        std::error_code& ec) noexcept;

}  // namespace codecs
}  // namespace v0
}  // namespace leat

template <>
struct std::is_error_condition_enum<leat::codecs::fault> : std::true_type {};
