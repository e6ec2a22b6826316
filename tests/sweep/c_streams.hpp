// Contents and calls of the scenarios with C streams, for c_streams.cpp and c_files.cpp.
#pragma once

#include <leat/leat.h>

#include <string>
#include <string_view>
#include <utility>

#include "sweep/trial.hpp"

namespace sweep::c {

inline const std::string text = numbered_lines(9000);
inline const std::string old_text = "what was there before\n";

inline void nothing(trial&) {}
inline void put_text(trial& t) { put_file(t.file(), text); }
inline void put_old(trial& t) { put_file(t.file(), old_text); }
inline void put_old_and_pending(trial& t) { put_pending(t, old_text, "more\n"); }

/// Owns a C stream. If release() was not called, the destructor closes the stream.
class open_stream {
 public:
  open_stream(trial& t, leat_file* file) : file_(file) { t.require(file != nullptr); }
  open_stream(const open_stream&) = delete;
  open_stream& operator=(const open_stream&) = delete;
  ~open_stream() {
    if (file_ != nullptr) leat_fclose(file_);
  }
  operator leat_file*() const { return file_; }
  leat_file* release() { return std::exchange(file_, nullptr); }

 private:
  leat_file* file_;
};

/// Closes the stream. If an error occurs, ends the body.
inline void close(trial& t, open_stream& file) { t.require(leat_fclose(file.release()) == 0); }

/// Writes `text` in pieces of 100 bytes, and counts the bytes.
inline void write_text(trial& t, leat_file* to) {
  t.has_byte_count = false;
  for (std::size_t at = 0; at < text.size(); at += 100) {
    const std::string_view piece = std::string_view(text).substr(at, 100);
    t.attempted_bytes += piece.size();
    t.require(leat_fwrite(piece.data(), 1, piece.size(), to) == piece.size());
  }
}

/// Appends the rest of the stream to `text_read`.
inline void read_text(trial& t, leat_file* from) {
  char block[1000];
  for (std::size_t n; (n = leat_fread(block, 1, sizeof block, from)) != 0;)
    t.text_read.append(block, n);
  t.require(leat_ferror(from) == 0);
}

inline void check_text(trial& t) { t.check_read(text); }

}  // namespace sweep::c
