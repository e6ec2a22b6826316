// Scenarios of logs that are rotated or reopened.
#include <unistd.h>

#include <cstdio>

#include "sweep/trial.hpp"

namespace sweep {

namespace {

constexpr std::size_t line_size = 100;
constexpr int lines = 12;

/// Returns twelve lines of 100 bytes.
std::string log_text() {
  std::string text;
  for (int i = 0; i != lines; ++i) {
    text += "line " + std::to_string(i);
    text.resize(static_cast<std::size_t>(i + 1) * line_size - 1, '.');
    text += '\n';
  }
  return text;
}
const std::string text = log_text();

void nothing(trial&) {}

/// Checks that the files, from the oldest to the newest, have the first written bytes, and after a
/// success all bytes. After an error, the bytes in the files and the lost bytes add up to
/// `attempted_bytes`.
void check_log(trial& t) {
  std::error_code missing;
  leat::recover(t.file(), missing);
  std::string all;
  for (int number = lines; number != 0; --number)
    all += content_of(t.file() + '.' + std::to_string(number));
  all += content_of(t.file());
  const std::string sizes = std::to_string(all.size()) + " in the files, " +
                            std::to_string(t.attempted_bytes) + " passed to write calls, " +
                            std::to_string(t.unwritten) + " + " + std::to_string(t.reported) +
                            " lost";
  if (t.succeeded())
    t.check(all == text, "success: the content is right: " + sizes);
  else
    t.check(text.starts_with(all), "the files have the first written bytes: " + sizes);
  if (t.outcome == ending::failure)
    t.check(all.size() + t.unwritten + t.reported == t.attempted_bytes,
            "bytes in the files + lost bytes = bytes passed to write calls: " + sizes);
}

template <class Open>
scenario writes(const char* name, Open open) {
  return {name, nothing,
          [open](trial& t) {
            auto out = open(t);
            t.write(out, text, line_size);
            out.close();
          },
          check_log};
}

scenario rotates(const char* name, const leat::rotating_options& options) {
  return writes(name, [options](trial& t) {
    leat::rotating_options all = options;
    all.size = 3 * line_size;
    return leat::rotating(t.file(), all);
  });
}

}  // namespace

std::vector<scenario> log_scenarios() {
  using leat::durability;
  return {
      rotates("rotating", {}),
      rotates("rotating, each line", {.flush = leat::flush_when::line}),
      rotates("rotating, durable", {.durability = durability::system}),
      rotates("rotating, process", {.durability = durability::process}),
      {"rotating, synced", nothing,
       [](trial& t) {
         auto out = leat::rotating(t.file(), {.size = 3 * line_size});
         t.write(out, text, line_size);
         out.sync();
         out.close();
       },
       check_log},
      {"append, reopened", nothing,
       [](trial& t) {
         auto out = leat::append(t.file(), {.reopen = true});
         const std::string_view half = std::string_view(text).substr(0, text.size() / 2);
         t.write(out, half, line_size);
         out.flush();
         std::rename(t.file().c_str(), (t.file() + ".1").c_str());
         out.reopen();
         t.write(out, std::string_view(text).substr(half.size()), line_size);
         out.close();
       },
       check_log},
  };
}

}  // namespace sweep
