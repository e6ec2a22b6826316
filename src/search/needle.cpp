// The search for a needle: the choice of the bytes to look for, and the bound on the time. Called
// by leat::finder, the readers and leat_find.
#include "search/needle.hpp"

#include "search/byte_frequency.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <tuple>

namespace leat {
inline namespace v0 {
namespace search {
namespace {

/// A strategy to find candidates, the offsets at which the needle may be. If the failed candidates
/// cost more than the credit, the next stage follows. After the last stage a linear search follows.
struct stage {
  std::size_t probes;
  /// The cost of a failed candidate, in bytes of text (see pattern::cost).
  std::size_t cost;
  std::size_t credit;
};
constexpr stage stages[] = {
    // A failed candidate costs a mispredicted branch: as much time as looking for a third and a
    // fourth byte in 2048 bytes of text.
    {2, 2048, std::size_t{32} << 10},
    {3, 2048, std::size_t{32} << 10},
    // If more than one candidate for each 16 bytes of text fails, a linear search takes no longer
    // than this stage.
    {4, 16, std::size_t{4} << 10},
};
constexpr std::size_t last_stage = std::size(stages) - 1;
// A larger credit would only delay the change to the next stage.
constexpr std::size_t most_credit = std::size_t{64} << 10;
// linear_stretch: the least number of starts that are searched in linear time before the last stage
// is tried again. sample_size: the bytes of text that are counted to choose the bytes to look for.
constexpr std::size_t linear_stretch = std::size_t{16} << 10, sample_size = std::size_t{2} << 10;

constexpr unsigned char value(char byte) { return static_cast<unsigned char>(byte); }

}  // namespace

needle::needle(std::string_view text) noexcept {
  pattern_.data = text.data();
  pattern_.size = text.size();
  choose([](char byte) { return byte_frequency[value(byte)]; });
}

template <class Score>
void needle::choose(const Score& score) noexcept {
  const std::string_view all = text();
  pattern_.cost = stages[stage_].cost;
  credit_ = stages[stage_].credit;
  probe_count_ = std::min(stages[stage_].probes, all.size());
  for (std::size_t n = 0; n != probe_count_; ++n) {
    // Chooses by three rules, in this order: a value that is not chosen yet; a rare value; an
    // offset far from the chosen offsets. The third rule is there because neighbours often occur
    // together ("qu"), and in a run of one value neighbours add no information.
    std::tuple<bool, std::uint32_t, std::size_t> best{true, ~std::uint32_t{0}, all.size()};
    for (std::size_t i = 0; i != all.size(); ++i) {
      bool repeats = false;
      std::size_t distance = all.size();
      for (std::size_t k = 0; k != n; ++k) {
        repeats |= all[i] == pattern_.byte[k];
        distance = std::min(
            distance, i < pattern_.offset[k] ? pattern_.offset[k] - i : i - pattern_.offset[k]);
      }
      if (distance == 0) continue;
      const std::tuple<bool, std::uint32_t, std::size_t> rank{repeats, score(all[i]),
                                                              all.size() - distance};
      if (rank < best) {
        best = rank;
        pattern_.offset[n] = i;
      }
    }
    pattern_.byte[n] = all[pattern_.offset[n]];
  }
}

void needle::choose_by_text(std::string_view text, std::size_t at) noexcept {
  const std::size_t begin = at - std::min(at, sample_size / 2);
  std::uint32_t counts[256] = {};
  for (const char byte : text.substr(begin, sample_size)) ++counts[value(byte)];
  choose([&](char byte) { return counts[value(byte)] * 256 + byte_frequency[value(byte)]; });
}

void needle::change_strategy(std::string_view text, std::size_t at) noexcept {
  if (stage_ != last_stage) {
    ++stage_;
    choose_by_text(text, at);
    return;
  }
  if (!two_way_prepared_) {
    two_way_ = two_way(this->text());
    two_way_prepared_ = true;
    work_ += 5 * pattern_.size;
  }
  // The second term is added because the overlap at the end of a stretch is searched twice.
  linear_left_ = linear_stretch + 8 * pattern_.size;
}

std::size_t needle::find(std::string_view text, std::size_t from) noexcept {
  if (from > text.size()) return npos;
  if (pattern_.size == 0) return from;
  if (pattern_.size > text.size() - from) return npos;
  if (pattern_.size == 1) {
    const std::size_t at = text.find(pattern_.data[0], from);
    work_ += (at == npos ? text.size() : at + 1) - from;
    return at;
  }
  const std::size_t end = text.size() - pattern_.size + 1;
  const kernels& loops = active_kernels();
  for (;;) {
    if (linear_left_ != 0) {
      const std::size_t starts = std::min(linear_left_, end - from);
      const std::size_t offset =
          two_way_.find(this->text(), text.substr(from, starts + pattern_.size - 1), work_);
      linear_left_ -= std::min(starts, offset);
      if (offset != npos) return from + offset;
      from += starts;
      if (linear_left_ == 0) choose_by_text(text, from);
    } else {
      run r{text.data(), from, end, credit_, 0, 0};
      const outcome result = loops.scan[probe_count_ - 1](pattern_, r);
      const std::size_t passed = r.at - from;
      work_ += passed + r.compared;
      credit_ = std::min(credit_ + passed - std::min(credit_ + passed, r.spent), most_credit);
      if (result == outcome::found) return r.at;
      from = r.at;
      if (result == outcome::too_slow) change_strategy(text, from);
    }
    if (from == end) return npos;
  }
}

}  // namespace search
}  // namespace v0
}  // namespace leat
