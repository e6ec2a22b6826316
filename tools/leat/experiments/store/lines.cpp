// `leat bench lines` with a store: reads the lines of an object, by leat and by libcurl.
#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include "experiments/store/store_fixture.hpp"
#include "experiments/texts.hpp"
#include "reporting/text.hpp"
#include "system/failure.hpp"

namespace bench::store_lines {

namespace {

struct state final : store_fixture {
  std::uint64_t expected = 0;
};

void leat_lines(state& shared, run& this_run) {
  shared.reader = leat::open(shared.address);
  line_digest all;
  for (const auto line : shared.reader.lines()) all.add(line);
  this_run.answer = all.value;
}

void leat_read_line(state& shared, run& this_run) {
  shared.reader = leat::open(shared.address);
  line_digest all;
  for (std::string line; shared.reader.read_line(line);) all.add(line);
  this_run.answer = all.value;
}

/// Adds all complete lines of the text to the digest. Returns the rest of the text.
std::string_view add_lines(line_digest& all, std::string_view text) {
  while (const auto* const stop =
             static_cast<const char*>(std::memchr(text.data(), '\n', text.size()))) {
    const auto size = static_cast<std::size_t>(stop - text.data());
    all.add(text.substr(0, size));
    text.remove_prefix(size + 1);
    if (text.empty()) break;
  }
  return text;
}

void curl_stream(state& shared, run& this_run) {
  line_digest all;
  std::string held;
  shared.curl->stream([&](std::string_view bytes) {
    if (!held.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      held += bytes.substr(0, end);
      bytes.remove_prefix(end);
      if (!add_lines(all, held).empty()) return true;
      held.clear();
    }
    if (!bytes.empty()) held = add_lines(all, bytes);
    return true;
  });
  this_run.answer = all.value;
}

void curl_whole(state& shared, run& this_run) {
  shared.memory.resize(shared.object->size());
  shared.curl->read_all(shared.memory.data(), shared.memory.size());
  line_digest all;
  add_lines(all, {shared.memory.data(), shared.memory.size()});
  this_run.answer = all.value;
}

void simulated_lines(const state& shared, run& this_run) {
  this_run.answer = shared.expected;
  this_run.reported_seconds =
      simulated_read_seconds(shared.object, shared.speed, shared.object->size());
}

std::vector<variant> variants(const std::shared_ptr<state>& shared) {
  const auto work = work_maker<state>(shared);
  std::vector<variant> all{
      {"leat lines()", role::leat, work(leat_lines)},
      {"leat read_line", role::leat, work(leat_read_line)},
      {"simulated", role::model, [shared](run& this_run) { simulated_lines(*shared, this_run); }}};
  if (!no_curl_reason().empty()) return all;
  all.push_back({"libcurl, one request", role::baseline, work(curl_stream)});
  all.push_back({"libcurl, 8 × 8 MiB", role::peer, work(curl_whole)});
  return all;
}

std::vector<finding> findings(const state& all, const outcome& result) {
  auto found = common_findings(all);
  const auto ours = result.median("leat lines()"), model = result.median("simulated"),
             whole = result.median("libcurl, 8 × 8 MiB");
  if (ours && whole)
    found.push_back(check_claim(fmt::format("leat's lines() has {} the speed of libcurl with eight "
                                            "ranges of 8 MiB at a time and memchr",
                                            times(*whole / *ours)),
                                "leat promises 0.9", *whole / *ours >= 0.9));
  if (ours && model) found.push_back(compare_with_model("leat's lines()", *model, *ours));
  found.push_back(
      {"16 bytes and single bytes at a time take the same time in the buffer as with a file, and "
       "C's and C++'s own streams take no addresses: only the experiment with files has these "
       "rows."});
  return found;
}

experiment make_stored_lines(const request& wanted) {
  auto shared = std::make_shared<state>();
  shared->object =
      std::make_shared<content>(block_of_lines, lines_block_size, wanted.sized(205, 50, 1));
  shared->address = wanted.store + "lines";
  experiment made;
  made.name = "lines";
  made.title = "the lines of an object";
  made.published = "nothing; leat promises 0.9 of the speed of a raw download.";
  made.variants = variants(shared);
  made.load = [shared](const setting&) {
    const auto size = shared->object->size();
    return load{fmt::format("{} in lines of {} bytes in an object",
                            bytes(static_cast<std::int64_t>(size)).text, line_size),
                size, size / line_size, ""};
  };
  set_shared_members(made, shared);
  made.prepare = [shared, usual = made.prepare](const std::filesystem::path& folder) {
    usual(folder);
    line_digest block;
    add_lines(block, shared->object->block());
    shared->expected = block.value * (shared->object->size() / lines_block_size);
  };
  made.check = [shared](run& this_run) {
    if (this_run.answer != shared->expected) throw failure("read other bytes than the object has");
  };
  made.findings = [shared](const outcome& result) { return findings(*shared, result); };
  made.charts = {{.title = "in lines of 80 bytes"}};
  made.headline = {{.work = "an object read line by line",
                    .ours = "leat lines()",
                    .theirs = "libcurl, one request"}};
  return made;
}

const registration stored_lines(8, make_stored_lines, medium::store);

}  // namespace

}  // namespace bench::store_lines
