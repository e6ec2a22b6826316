// Contents and calls of the scenarios with C streams.
#pragma once

#include <leat/leat.h>

#include <string>
#include <string_view>
#include <utility>

#include "sweep/trial.hpp"

namespace sweep::c {

inline const std::string text = numbered(9000);
inline const std::string old_text = "what was there before\n";

inline void nothing(trial&) {}
inline void put_text(trial& t) { put_file(t.file(), text); }
inline void put_old(trial& t) { put_file(t.file(), old_text); }
inline void put_old_and_killed(trial& t) { put_killed(t, old_text, "more\n"); }

/// The destructor closes the file, unless the body has taken the file by give().
class opened {
 public:
  opened(trial& t, leat_file* file) : file_(file) { t.require(file != nullptr); }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  ~opened() {
    if (file_ != nullptr) leat_fclose(file_);
  }
  operator leat_file*() const { return file_; }
  leat_file* give() { return std::exchange(file_, nullptr); }

 private:
  leat_file* file_;
};

inline void close(trial& t, opened& file) { t.require(leat_fclose(file.give()) == 0); }

inline void write_text(trial& t, leat_file* to) {
  t.counted = false;
  for (std::size_t at = 0; at < text.size(); at += 100) {
    const std::string_view piece = std::string_view(text).substr(at, 100);
    t.handed += piece.size();
    t.require(leat_fwrite(piece.data(), 1, piece.size(), to) == piece.size());
  }
}

inline void read_text(trial& t, leat_file* from) {
  char block[1000];
  for (std::size_t n; (n = leat_fread(block, 1, sizeof block, from)) != 0;) t.got.append(block, n);
  t.require(leat_ferror(from) == 0);
}

inline void check_text(trial& t) { t.check_got(text); }

}  // namespace sweep::c
