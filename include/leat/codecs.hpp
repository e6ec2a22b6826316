// Compressed files: leat::open("access.log.gz", {.compression = leat::compression::automatic}).
//
// Including this header lets every function with an option `compression` decode and encode files,
// in the whole program; link leat_codecs. Linking it without the header changes nothing.
// docs/compressed.md tells more.
#pragma once

#include <leat/codecs.h>
#include <leat/codec.hpp>

#include <cstdint>
#include <memory>
#include <system_error>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace codecs {

/// What is wrong with a compressed file. The codes that streams report compare equal to these:
/// `ec == leat::codecs::fault::truncated`.
enum class fault {
  damaged = 1,     ///< what is there can't be decoded
  truncated,       ///< the file ends inside a member or frame
  wrong_checksum,  ///< the content was decoded, but is not what was encoded
  trailing_bytes,  ///< behind the last member or frame is something else
  too_long,        ///< more decoded bytes than open_options::limit allows
  unsupported,     ///< it needs a feature, or memory, beyond what docs/compressed.md names
  other_format,    ///< the file does not begin as the named format does
};

/// The category of the conditions; its name is "leat.codecs".
LEAT_API const std::error_category& fault_category() noexcept;

/// Makes fault compare with std::error_code.
inline std::error_condition make_error_condition(fault what) noexcept {
  return {static_cast<int>(what), fault_category()};
}

/// A fault, and where in the compressed file it was found, in bytes from its start.
struct finding {
  fault what = fault::damaged;
  std::uint64_t at = 0;
};

/// What is behind an error of this component, if it is one of the last 256; otherwise `at` is 0.
/// message() of the code has it in words.
LEAT_API finding finding_of(const std::error_code& ec);

/// Whether the component was built with the library for a format.
LEAT_API bool has(compression format) noexcept;

/// Decodes what another device has: leat::file_reader in(leat::codecs::decode(leat::borrow(0), …)).
/// Neither `none` nor `automatic` is a format here.
LEAT_API std::unique_ptr<device> decode(std::unique_ptr<device> from,
                                        const decoding_request& request,
                                        std::error_code& ec) noexcept;

/// Encodes what is written, to another device. close() ends the last member or frame.
LEAT_API std::unique_ptr<device> encode(std::unique_ptr<device> to, const encoding_request& request,
                                        std::error_code& ec) noexcept;

}  // namespace codecs
}  // namespace v0
}  // namespace leat

template <>
struct std::is_error_condition_enum<leat::codecs::fault> : std::true_type {};
