// The lines that the processes have written, and so the lines that the files must contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log_simulator/writer.hpp"

namespace logs {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// A moment is a number. A later moment is a greater number.
using moment = std::uint64_t;

/// One stream, from its opening to its end.
struct stream {
  bool keeps_each_call = false;
  bool was_killed = false;
  bool closed = false;
  bool had_full_disk = false;
  std::uint64_t lost = 0;  ///< bytes that the stream has reported as lost
};

struct line {
  std::size_t stream;
  std::size_t size;
  std::size_t call_bytes;  ///< bytes of the line's call
  moment call_begun;
  moment call_ended = never;
  moment durable_from = never;  ///< from this moment on, the line must be in the files
  bool is_flushed = false;
  bool may_be_lost = false;
  bool was_removed = false;  ///< by a tool, or by `keep`
  /// Removed bytes of the line's parts, if a write has cut the line.
  std::size_t removed_bytes = 0;
};

/// A file's name and content. In a vector, the files are in the order in which they were begun.
struct file_content {
  std::string name, text;

  /// Returns true for a copy that a tool made while processes wrote.
  bool is_copy() const { return name.starts_with("copy."); }
};

/// All lines that one run has written.
class history {
 public:
  using line_name = std::pair<writer_number, std::uint32_t>;

  moment now() noexcept { return ++now_; }
  std::size_t open_stream(bool keeps_each_call);
  stream& at(std::size_t which) { return streams_[which]; }

  /// Records that a call begins to write this text, which is whole lines of one writer.
  void begin_call(std::size_t stream_number, writer_number writer, std::string_view text);
  void end_call(std::size_t stream_number, writer_number writer);
  /// Records that a call that flushes has succeeded. The call began at the moment `begun`.
  void record_flush(std::size_t stream_number, moment begun);
  /// Records that a call has reported an error. Bytes that were not flushed may be missing. If the
  /// stream was closed, violation() compares the number of missing bytes with the reported number.
  void record_failure(std::size_t stream_number);
  /// Allows this text to be in the files twice. A killed process wrote this text last, and the
  /// sidecar may not yet say that the text is in the file. If a tool copies and empties the file
  /// now, the next process writes the text again.
  void allow_duplicates(std::string_view text);
  /// Records that a tool or `keep` removed this text, so that the text may be missing.
  void record_removal(std::string_view text);
  /// Records that the system has written only the first `size` bytes of this text.
  void record_partial_write(std::string_view text, std::size_t size);
  void record_tool_text(std::string_view text) { tool_texts_.emplace(text); }

  /// Returns the violation, or an empty text. If `whole`, parts of lines are violations, except in
  /// copies and in calls of more than 64 KiB. After a full disk (`was_full`), lines may be out of
  /// order.
  std::string violation(const std::vector<file_content>& files, bool whole, bool was_full) const;
  std::size_t lines() const;
  /// Returns the names of the lines in a text.
  static std::string summary(std::string_view text);

 private:
  struct found_lines;

  const line* find(const line_name& name) const;
  line* find(const line_name& name);
  std::string parse(const file_content& file, bool whole, found_lines& into) const;
  std::string check_order(const found_lines& found) const;
  std::string check_presence(const found_lines& found) const;
  const line_name* cut_line_with(std::string_view part) const;
  bool is_part_of(std::string_view part, const line_name& name) const;
  bool belongs_to_one_line(std::string_view part) const;

  moment now_ = 0;
  std::vector<stream> streams_;
  std::vector<std::vector<line>> lines_;     // by writer
  std::set<line_name> cut_lines_;            // lines that the system has written in parts
  std::set<line_name> possible_duplicates_;  // see allow_duplicates()
  std::set<std::string, std::less<>> tool_texts_;
};

}  // namespace logs
