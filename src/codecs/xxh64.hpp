// XXH64 with seed 0, the checksum of seekable zstd files. For each frame, the table of frames may
// have the low 32 bits of the XXH64 of the frame's content. The frame that leat writes before the
// table has all 64 bits of the XXH64 of the table. zstd_table.cpp, zstd_frames.cpp and the decoding
// devices use this class.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace codecs {

class xxh64 {
 public:
  void add(std::string_view bytes) noexcept {
    size_ += bytes.size();
    if (pending_ != 0) {
      const std::size_t n = bytes.copy(block_.data() + pending_, block_.size() - pending_);
      pending_ += n;
      bytes.remove_prefix(n);
      if (pending_ != block_.size()) return;
      mix(block_.data());
    }
    for (; bytes.size() >= block_.size(); bytes.remove_prefix(block_.size())) mix(bytes.data());
    pending_ = bytes.copy(block_.data(), bytes.size());
  }

  std::uint64_t value() const noexcept {
    std::uint64_t hash = prime_5;
    if (size_ >= block_.size()) {
      hash = std::rotl(accumulators_[0], 1) + std::rotl(accumulators_[1], 7) +
             std::rotl(accumulators_[2], 12) + std::rotl(accumulators_[3], 18);
      for (const std::uint64_t lane : accumulators_)
        hash = (hash ^ round(0, lane)) * prime_1 + prime_4;
    }
    hash += size_;
    std::size_t i = 0;
    for (; i + 8 <= pending_; i += 8)
      hash = std::rotl(hash ^ round(0, number_at(&block_[i], 8)), 27) * prime_1 + prime_4;
    if (i + 4 <= pending_) {
      hash = std::rotl(hash ^ number_at(&block_[i], 4) * prime_1, 23) * prime_2 + prime_3;
      i += 4;
    }
    for (; i != pending_; ++i)
      hash = std::rotl(hash ^ number_at(&block_[i], 1) * prime_5, 11) * prime_1;
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
  }

 private:
  static constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87, prime_2 = 0xC2B2AE3D27D4EB4F,
                                 prime_3 = 0x165667B19E3779F9, prime_4 = 0x85EBCA77C2B2AE63,
                                 prime_5 = 0x27D4EB2F165667C5;

  /// Reads a little-endian number of `size` bytes.
  static std::uint64_t number_at(const char* from, std::size_t size) noexcept {
    std::uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little)
      std::memcpy(&value, from, size);
    else
      for (std::size_t i = size; i-- != 0;)
        value = value << 8 | static_cast<unsigned char>(from[i]);
    return value;
  }
  static std::uint64_t round(std::uint64_t lane, std::uint64_t input) noexcept {
    return std::rotl(lane + input * prime_2, 31) * prime_1;
  }
  void mix(const char* block) noexcept {
    for (std::size_t i = 0; i != accumulators_.size(); ++i)
      accumulators_[i] = round(accumulators_[i], number_at(block + 8 * i, 8));
  }

  std::array<std::uint64_t, 4> accumulators_{prime_1 + prime_2, prime_2, 0, 0 - prime_1};
  std::array<char, 32> block_{};  // the first pending_ bytes are pending
  std::size_t pending_ = 0;
  std::uint64_t size_ = 0;
};

inline std::uint64_t xxh64_of(std::string_view bytes) noexcept {
  xxh64 hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
