// `leat bench read-buffer` (E5) with a store: reads an object from start to end. What is the best
// request size?
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <cstring>
#include <memory>

#include "experiments/store/store_fixture.hpp"
#include "experiments/visits.hpp"
#include "reporting/text.hpp"
#include "system/failure.hpp"

namespace bench::store_read_buffer {

namespace {

constexpr std::size_t piece_size = 4096;
constexpr std::int64_t mib = 1 << 20;

/// Cheap work: adds the first 8 bytes of each piece of 4 KiB to the answer, as a number.
void add_pieces(run& this_run, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += piece_size) {
    std::uint64_t first;
    std::memcpy(&first, bytes.data() + at, sizeof first);
    this_run.answer += first;
  }
}

std::size_t buffer_of(const setting& at) {
  return static_cast<std::size_t>(at["read_size"].number.value_or(0));
}

void leat_read(store_fixture& shared, run& this_run) {
  shared.reader = leat::open(shared.address, {.buffer_size = buffer_of(this_run.setting)});
  std::vector<char> piece(piece_size);
  while (const std::size_t n = shared.reader.read(piece)) add_pieces(this_run, {piece.data(), n});
}

void curl_ranges(store_fixture& shared, run& this_run) {
  const std::size_t size = buffer_of(this_run.setting);
  shared.memory.resize(size);
  for (std::uint64_t at = 0; at < shared.object->size(); at += size) {
    const leat::byte_range range{at, std::min<std::uint64_t>(size, shared.object->size() - at)};
    shared.curl->read_one_by_one({&range, 1}, shared.memory.data());
    add_pieces(this_run, {shared.memory.data(), static_cast<std::size_t>(range.size)});
  }
}

void curl_whole(store_fixture& shared, run& this_run) {
  shared.memory.resize(shared.object->size());
  shared.curl->read_all(shared.memory.data(), shared.memory.size());
  add_pieces(this_run, {shared.memory.data(), shared.memory.size()});
}

/// Assembles pieces, because the buffers from libcurl do not respect piece boundaries.
void curl_stream(store_fixture& shared, run& this_run) {
  std::vector<char> piece;
  piece.reserve(piece_size);
  shared.curl->stream([&](std::string_view bytes) {
    while (!bytes.empty()) {
      const auto some = bytes.substr(0, piece_size - piece.size());
      piece.insert(piece.end(), some.begin(), some.end());
      bytes.remove_prefix(some.size());
      if (piece.size() != piece_size) continue;
      add_pieces(this_run, {piece.data(), piece.size()});
      piece.clear();
    }
    return true;
  });
}

void simulated_read(const store_fixture& shared, run& this_run) {
  this_run.reported_seconds =
      simulated_read_seconds(shared.object, shared.speed, shared.object->size());
}

void check(const store_fixture& shared, const run& this_run) {
  run expected{this_run.setting, {}, {}};
  std::vector<char> piece(piece_size);
  std::uint64_t at = 0;
  while (const std::size_t n = shared.object->read(at, piece)) {
    add_pieces(expected, {piece.data(), n});
    at += n;
  }
  if (!this_run.reported_seconds && this_run.answer != expected.answer)
    throw failure("read other bytes than the object has");
}

std::vector<variant> variants(const std::shared_ptr<store_fixture>& shared) {
  const auto usual = [](const setting& at) { return at["read_size"].is_default(); };
  const auto sized = [](const setting& at) { return !at["read_size"].is_default(); };
  const auto work = work_maker<store_fixture>(shared);
  std::vector<variant> all{{"leat", role::leat, work(leat_read)},
                           {"simulated", role::model,
                            [shared](run& this_run) { simulated_read(*shared, this_run); }, usual}};
  if (!no_curl_reason().empty()) return all;
  all.push_back({"libcurl, one request", role::baseline, work(curl_stream), usual});
  all.push_back({"libcurl, 8 × 8 MiB", role::peer, work(curl_whole), usual});
  all.push_back({"libcurl, one by one", role::peer, work(curl_ranges), sized});
  return all;
}

std::vector<finding> findings(const store_fixture& fixture, const outcome& result) {
  auto found = common_findings(fixture);
  const auto ours = result.median("leat"), model = result.median("simulated"),
             whole = result.median("libcurl, 8 × 8 MiB");
  if (ours && whole)
    found.push_back(
        check_claim(fmt::format("leat reads at {} the speed of libcurl with eight ranges of "
                                "8 MiB at a time",
                                times(*whole / *ours)),
                    "leat promises 0.9", *whole / *ours >= 0.9));
  if (ours && model) found.push_back(compare_with_model("the whole object", *model, *ours));
  found.push_back(
      {"a store has no page cache to bypass, no mappings and no C streams: only the experiment "
       "with files has rows for these."});
  return found;
}

experiment make_stored_read_buffer(const request& wanted) {
  auto shared = std::make_shared<store_fixture>();
  const size run_size = wanted.size;
  const std::uint64_t copies = wanted.sized(4096, 512, 16);
  shared->object = std::make_shared<content>(block_of_integers, block_of_integers_size, copies);
  shared->address = wanted.store + "picture";
  auto sizes = run_size == size::tiny ? doubling(mib / 4, mib / 2) : doubling(mib / 4, 16 * mib);
  if (run_size == size::quick)
    std::erase_if(sizes, [](const value& one) {
      return one.number == mib / 2 || one.number == 2 * mib || one.number == 8 * mib;
    });
  sizes.push_back({});
  experiment made;
  made.name = "read-buffer";
  made.title = "one object from start to end, some bytes at a time";
  made.published = "nothing about stores; by ZABKAT, 2013, about files.";
  made.published_id = "E5";
  made.factors = {{"read_size", sizes, layout::axis}};
  made.variants = variants(shared);
  made.load = [shared](const setting&) {
    return load{fmt::format("{} in an object (leat: its default buffer)",
                            bytes(static_cast<std::int64_t>(shared->object->size())).text),
                shared->object->size(), 1, ""};
  };
  set_shared_members(made, shared);
  made.check = [shared](run& this_run) { check(*shared, this_run); };
  made.findings = [shared](const outcome& result) { return findings(*shared, result); };
  made.charts = {{.title = "an object, by the size of a request or buffer",
                  .axis = "read_size",
                  .logarithmic = true}};
  made.headline = {
      {.work = "an object from start to end", .ours = "leat", .theirs = "libcurl, one request"}};
  return made;
}

const registration stored_read_buffer(6, make_stored_read_buffer, medium::store);

}  // namespace

}  // namespace bench::store_read_buffer
