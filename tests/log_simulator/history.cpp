// Compares the files of a run with what was written.
#include "log_simulator/history.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace logs {

namespace {

/// The head of a line at the beginning of a text.
struct head {
  writer_number writer;
  std::uint32_t line;
  std::size_t size;
};

std::optional<head> head_of(std::string_view text) {
  head found{};
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  if (text.empty() || text.front() != '@') return std::nullopt;
  const auto number = [&](auto& into, char after) {
    const auto [next, error] = std::from_chars(at, end, into);
    if (error != std::errc{} || next == end || *next != after) return false;
    at = next + 1;
    return true;
  };
  if (!number(found.writer, '.') || !number(found.line, '.') || !number(found.size, ':'))
    return std::nullopt;
  return found;
}

/// The bytes up to the end of the line, or, if the line is cut, up to the first byte of the next
/// line. '@' and '#' occur only at the start of a line.
std::string_view first_part(std::string_view text) {
  const std::size_t next = text.find_first_of("@#", 1);
  const std::size_t newline = text.find('\n');
  if (newline != text.npos && (next == text.npos || newline < next))
    return text.substr(0, newline + 1);
  return text.substr(0, next);
}

std::string describe(const history::line_name& name) {
  return "line " + std::to_string(name.first) + '.' + std::to_string(name.second);
}

std::string shortened(std::string_view text) {
  std::string part(text.substr(0, 40));
  std::replace(part.begin(), part.end(), '\n', '|');
  return '"' + part + '"';
}

}  // namespace

/// The lines and parts of lines that were found in the files.
struct history::found_lines {
  std::vector<line_name> order;
  std::map<line_name, const file_content*> where;
  std::map<line_name, std::size_t> bytes;  // found in parts
  std::size_t ambiguous_bytes = 0;         // of parts that may belong to several lines
};

std::size_t history::open_stream(bool keeps_each_call) {
  streams_.push_back({.keeps_each_call = keeps_each_call});
  return streams_.size() - 1;
}

const line* history::find(const line_name& name) const {
  return name.first < lines_.size() && name.second < lines_[name.first].size()
             ? &lines_[name.first][name.second]
             : nullptr;
}

line* history::find(const line_name& name) {
  return const_cast<line*>(std::as_const(*this).find(name));
}

std::size_t history::lines() const {
  std::size_t sum = 0;
  for (const auto& all : lines_) sum += all.size();
  return sum;
}

std::string history::summary(std::string_view text) {
  std::string all;
  for (; !text.empty(); text.remove_prefix(first_part(text).size())) {
    const auto name = head_of(text);
    all += name ? std::to_string(name->writer) + '.' + std::to_string(name->line) + ' '
                : shortened(first_part(text)) + ' ';
  }
  return all;
}

void history::begin_call(std::size_t stream_number, writer_number writer, std::string_view text) {
  if (lines_.size() <= writer) lines_.resize(writer + 1);
  const moment begun = now();
  const std::size_t all = text.size();
  for (; !text.empty(); text.remove_prefix(text.find('\n') + 1))
    lines_[writer].push_back({stream_number, text.find('\n') + 1, all, begun});
}

void history::end_call(std::size_t stream_number, writer_number writer) {
  if (lines_.size() <= writer) return;
  const moment ended = now();
  for (auto at = lines_[writer].rbegin(); at != lines_[writer].rend() && at->call_ended == never;
       ++at) {
    at->call_ended = ended;
    if (streams_[stream_number].keeps_each_call) at->durable_from = ended;
  }
}

void history::record_flush(std::size_t stream_number, moment begun) {
  const moment ended = now();
  for (auto& all : lines_) {
    for (line& one : all) {
      if (one.stream != stream_number || one.is_flushed || one.may_be_lost ||
          one.call_ended > begun)
        continue;
      one.is_flushed = true;
      one.durable_from = std::min(one.durable_from, ended);
    }
  }
}

void history::record_failure(std::size_t stream_number) {
  for (auto& all : lines_)
    for (line& one : all)
      if (one.stream == stream_number && !one.is_flushed) one.may_be_lost = true;
}

bool history::is_part_of(std::string_view part, const line_name& name) const {
  const std::string text = text_of_line(name.first, name.second, find(name)->size);
  return part.front() == '@' ? text.starts_with(part) : text.find(part) != std::string::npos;
}

/// Returns a line that was written only in part and contains `part`, or null.
const history::line_name* history::cut_line_with(std::string_view part) const {
  const auto found = std::find_if(cut_lines_.begin(), cut_lines_.end(),
                                  [&](const line_name& one) { return is_part_of(part, one); });
  return found != cut_lines_.end() ? &*found : nullptr;
}

/// Returns false if the part may belong to several lines, for example "@" alone.
bool history::belongs_to_one_line(std::string_view part) const {
  return std::count_if(cut_lines_.begin(), cut_lines_.end(),
                       [&](const line_name& one) { return is_part_of(part, one); }) == 1;
}

void history::record_removal(std::string_view text) {
  for (std::string_view part; !text.empty(); text.remove_prefix(part.size())) {
    part = first_part(text);
    const auto name = head_of(part);
    line* const one = name ? find({name->writer, name->line}) : nullptr;
    if (one != nullptr && part.size() == one->size)
      one->was_removed = true;
    else if (const line_name* const cut = cut_line_with(part); cut != nullptr)
      find(*cut)->removed_bytes += part.size();
  }
}

void history::allow_duplicates(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(first_part(text).size()))
    if (const auto name = head_of(text)) possible_duplicates_.emplace(name->writer, name->line);
}

void history::record_partial_write(std::string_view text, std::size_t size) {
  for (std::string_view part; size != 0 && !text.empty(); text.remove_prefix(part.size())) {
    part = first_part(text);
    if (const auto name = head_of(part); size < part.size()) {
      if (name) cut_lines_.emplace(name->writer, name->line);
      return;
    }
    size -= part.size();
  }
}

/// Adds the lines of a file. Returns what is wrong with the file, or an empty text.
std::string history::parse(const file_content& file, bool whole, found_lines& into) const {
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const std::string_view part = first_part(rest);
    const auto complain = [&](const std::string& what) {
      return what + " in " + file.name + " at byte " +
             std::to_string(file.text.size() - rest.size()) + ": " + shortened(part);
    };
    if (tool_texts_.contains(part)) {
      rest.remove_prefix(part.size());
      continue;
    }
    const auto name = head_of(part);
    const line_name id = name ? line_name{name->writer, name->line} : line_name{};
    const line* const known = name ? find(id) : nullptr;
    if (known != nullptr && part == text_of_line(name->writer, name->line, known->size)) {
      const auto [at, added] = into.where.emplace(id, &file);
      if (added)
        into.order.push_back(id);
      else if (!at->second->is_copy() || !possible_duplicates_.contains(id))
        return complain(describe(id) + " is twice, also in " + at->second->name);
    } else {
      const line_name* const of_cut = cut_line_with(part);
      if (of_cut == nullptr) return complain("bytes of no line");
      // Shared logs keep a call of at most this number of bytes whole.
      constexpr std::size_t longest_whole = 64 << 10;
      // A copy may have a part of a line: after a kill in a write, a tool may copy the file before
      // the next process completes the write.
      if (whole && !file.is_copy() && find(*of_cut)->call_bytes <= longest_whole)
        return complain("a part of a line");
      if (belongs_to_one_line(part))
        into.bytes[*of_cut] += part.size();
      else
        into.ambiguous_bytes += part.size();
    }
    rest.remove_prefix(part.size());
  }
  return {};
}

/// Checks that each line comes after the earlier lines of its writer, and after the lines that had
/// to be in the files before its call began.
std::string history::check_order(const found_lines& found) const {
  const line* latest = nullptr;
  line_name of_latest;
  std::vector<std::uint32_t> next(lines_.size());
  for (const line_name& name : found.order) {
    if (name.second < next[name.first])
      return describe(name) + " is after the next line of its writer";
    next[name.first] = name.second + 1;
    const line& one = *find(name);
    if (latest != nullptr && one.durable_from < latest->call_begun)
      return describe(name) + " is after " + describe(of_latest) + ", which was begun later";
    if (latest == nullptr || one.call_begun > latest->call_begun) {
      latest = &one;
      of_latest = name;
    }
  }
  return {};
}

std::string history::check_presence(const found_lines& found) const {
  std::vector<std::uint64_t> missing(streams_.size());
  for (writer_number writer = 0; writer != lines_.size(); ++writer) {
    std::optional<std::uint32_t> first_missing;
    for (std::uint32_t i = 0; i != lines_[writer].size(); ++i) {
      const line& one = lines_[writer][i];
      const stream& its_stream = streams_[one.stream];
      if (one.was_removed) continue;
      if (found.where.contains({writer, i})) {
        if (first_missing && !its_stream.had_full_disk &&
            one.stream == lines_[writer][*first_missing].stream)
          return describe({writer, i}) + " is in the files, but not the earlier " +
                 describe({writer, *first_missing});
        continue;
      }
      const auto part = found.bytes.find({writer, i});
      const std::size_t in_parts =
          one.removed_bytes + (part == found.bytes.end() ? 0 : part->second);
      if (in_parts >= one.size) continue;  // other processes wrote between the line's parts
      first_missing = i;
      missing[one.stream] += one.size - in_parts;
      // Lines that a full disk refused are counted below.
      const bool must_be_there = one.durable_from != never && !one.may_be_lost &&
                                 (one.is_flushed || !its_stream.had_full_disk);
      if (must_be_there || (its_stream.closed && !its_stream.had_full_disk))
        return describe({writer, i}) + " is missing: its call has " +
               (one.call_ended == never ? "begun"
                : one.is_flushed        ? "been flushed"
                                        : "ended");
    }
  }
  // Another process may write bytes for which close() found no space.
  for (std::size_t i = 0; i != streams_.size(); ++i)
    if (streams_[i].closed && (streams_[i].lost + found.ambiguous_bytes < missing[i] ||
                               (!streams_[i].keeps_each_call && streams_[i].lost > missing[i])))
      return "stream " + std::to_string(i) + " has lost " + std::to_string(missing[i]) +
             " bytes, and reported " + std::to_string(streams_[i].lost);
  return {};
}

std::string history::violation(const std::vector<file_content>& files, bool whole,
                               bool was_full) const {
  found_lines found;
  for (const file_content& one : files)
    if (const std::string wrong = parse(one, whole, found); !wrong.empty()) return wrong;
  if (const std::string wrong = check_presence(found); !wrong.empty()) return wrong;
  return was_full ? std::string() : check_order(found);
}

}  // namespace logs
