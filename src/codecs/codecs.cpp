// Implements has, decode and encode of <leat/codecs.hpp>, and registers the codecs, which the core
// calls through <leat/codec.hpp>.
#include <leat/codecs.hpp>

#include <new>
#include <string>
#include <utility>

#include "codecs/decoder.hpp"
#include "codecs/decoding_device.hpp"
#include "codecs/encoder.hpp"
#include "codecs/encoding_device.hpp"
#include "codecs/errors.hpp"
#include "codecs/zstd_table.hpp"

namespace leat {
inline namespace v0 {
namespace codecs {

const format* format_of(compression which) noexcept {
  switch (which) {
#if defined(LEAT_ZLIB)
    case compression::gzip:
      return &gzip_format();
#endif
#if defined(LEAT_ZSTD)
    case compression::zstd:
      return &zstd_format();
#endif
#if defined(LEAT_LZ4)
    case compression::lz4:
      return &lz4_format();
#endif
#if defined(LEAT_LZMA)
    case compression::xz:
      return &xz_format();
#endif
    default:
      return nullptr;
  }
}

namespace {

const char* name_of(compression which) noexcept {
  switch (which) {
    case compression::gzip:
      return "gzip";
    case compression::zstd:
      return "zstd";
    case compression::lz4:
      return "lz4";
    case compression::xz:
      return "xz";
    default:
      return "this format";
  }
}

std::error_code not_built(compression which) {
  return make_error({fault::unsupported, 0},
                    std::string("leat_codecs was built without ") + name_of(which));
}

std::error_code refuses(const encoding_request& request) noexcept try {
  const format* const codec = format_of(request.format);
  if (codec == nullptr) return not_built(request.format);
  const int level = request.level;
  if (level != 0 && (level < codec->first_level || level > codec->last_level))
    return make_error({fault::none, 0},
                      std::string("Invalid argument: level ") + std::to_string(level) + ", but " +
                          codec->name + " has the levels " + std::to_string(codec->first_level) +
                          " to " + std::to_string(codec->last_level));
  if (request.seekable && codec->find_offsets == nullptr)
    return make_error(
        {fault::none, 0},
        std::string("Invalid argument: only zstd can be seekable, not ") + codec->name);
  return {};
} catch (const std::bad_alloc&) {
  return no_memory();
}

constexpr codec_functions functions{.decode = decode, .encode = encode, .refuses = refuses};

}  // namespace

bool has(compression format) noexcept { return format_of(format) != nullptr; }

std::unique_ptr<device> decode(std::unique_ptr<device> from, const decoding_request& request,
                               std::error_code& ec) noexcept try {
  ec.clear();
  const format* codec = format_of(request.format);
  if (codec == nullptr && request.or_lz4) codec = format_of(compression::lz4);
  if (codec == nullptr) {
    ec = not_built(request.format);
    return nullptr;
  }
  frame_offsets offsets;
  if (codec->find_offsets != nullptr && from->traits().positional) {
    offsets = codec->find_offsets(*from, request.memory, ec);
    if (ec) return nullptr;
  }
  if (!request.random)
    return std::make_unique<decoding_device>(std::move(from), *codec, std::move(offsets), request);
  if (offsets.is_damaged) {
    ec = make_error_at(fault::damaged, codec->name, 0, wrong_table_message);
    return nullptr;
  }
  if (offsets.has_table())
    return codec->make_random_access(std::move(from), std::move(offsets), request.limit,
                                     request.memory);
  ec = make_error({fault::unsupported, 0},
                  std::string("The ") + codec->name +
                      " data has no table of frames, so it can't be read at a position");
  return nullptr;
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return nullptr;
}

std::unique_ptr<device> encode(std::unique_ptr<device> to, const encoding_request& request,
                               std::error_code& ec) noexcept try {
  ec = refuses(request);
  if (ec) return nullptr;
  return std::make_unique<encoding_device>(std::move(to),
                                           format_of(request.format)->make_encoder(request));
} catch (const std::bad_alloc&) {
  ec = no_memory();
  return nullptr;
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat

void leat_codecs_register(void) { leat::register_codecs(&leat::codecs::functions); }
