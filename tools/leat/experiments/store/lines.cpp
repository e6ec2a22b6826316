// Reads the lines of an object.
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

void leat_lines(state& of, run& this_run) {
  of.reader = leat::open(of.address);
  line_digest all;
  for (const auto line : of.reader.lines()) all.add(line);
  this_run.answer = all.value;
}

void leat_read_line(state& of, run& this_run) {
  of.reader = leat::open(of.address);
  line_digest all;
  for (std::string line; of.reader.read_line(line);) all.add(line);
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

void curl_stream(state& of, run& this_run) {
  line_digest all;
  std::string held;
  of.curl->stream([&](std::string_view bytes) {
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

void curl_whole(state& of, run& this_run) {
  of.memory.resize(of.object->size());
  of.curl->read_all(of.memory.data(), of.memory.size());
  line_digest all;
  add_lines(all, {of.memory.data(), of.memory.size()});
  this_run.answer = all.value;
}

void simulated_lines(const state& of, run& this_run) {
  this_run.answer = of.expected;
  this_run.reported_seconds = simulated_read_seconds(of.object, of.speed, of.object->size());
}

std::vector<variant> variants(const std::shared_ptr<state>& of) {
  const auto work = work_maker<state>(of);
  std::vector<variant> all{
      {"leat lines()", role::leat, work(leat_lines)},
      {"leat read_line", role::leat, work(leat_read_line)},
      {"simulated", role::model, [of](run& this_run) { simulated_lines(*of, this_run); }}};
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
  auto of = std::make_shared<state>();
  of->object =
      std::make_shared<content>(block_of_lines, lines_block_size, wanted.sized(205, 50, 1));
  of->address = wanted.store + "lines";
  experiment made;
  made.name = "lines";
  made.title = "the lines of an object";
  made.published = "nothing; leat promises 0.9 of the speed of a raw download.";
  made.variants = variants(of);
  made.load = [of](const setting&) {
    const auto size = of->object->size();
    return load{fmt::format("{} in lines of {} bytes in an object",
                            bytes(static_cast<std::int64_t>(size)).text, line_size),
                size, size / line_size, ""};
  };
  set_shared_members(made, of);
  made.prepare = [of, usual = made.prepare](const std::filesystem::path& folder) {
    usual(folder);
    line_digest block;
    add_lines(block, of->object->block());
    of->expected = block.value * (of->object->size() / lines_block_size);
  };
  made.check = [of](run& this_run) {
    if (this_run.answer != of->expected) throw failure("read other bytes than the object has");
  };
  made.findings = [of](const outcome& result) { return findings(*of, result); };
  made.charts = {{.title = "in lines of 80 bytes"}};
  made.headline = {{.work = "an object read line by line",
                    .ours = "leat lines()",
                    .theirs = "libcurl, one request"}};
  return made;
}

const registration stored_lines(8, make_stored_lines, medium::store);

}  // namespace

}  // namespace bench::store_lines
