// `leat bench loops/durability`: the cost of durability::process. Each loop writes a file with a
// million calls (four million calls in a published run), including open and close. The peer makes
// one write(2) per call, which gives the same guarantee.
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <string>

#include "experiments/loops/loops.hpp"
#include "system/path_text.hpp"
#include "system/raw_file.hpp"

namespace bench::loops_durability {

namespace {

const std::string text(64, 'x');

/// Adds loops that create a file, call operation(file) `count` times, and close the file.
template <class One>
void add_writer(loops& all, const char* row, const One& operation) {
  for (const bool process : {false, true})
    all.add(row, process ? "leat, process" : "leat", [=, count = all.count()](run& this_run) {
      const auto level = process ? leat::durability::process : leat::durability::none;
      auto file = leat::create(this_run.file, {.durability = level});
      for (std::size_t i = 0; i != count; ++i) operation(file);
      file.close();
    });
}

template <class One>
void add_c(loops& all, const char* row, const One& operation) {
  for (const bool process : {false, true})
    all.add(
        row, process ? "leat in C, process" : "leat in C", [=, count = all.count()](run& this_run) {
          leat_options options{};
          options.durability = process ? LEAT_DURABILITY_PROCESS : LEAT_DURABILITY_NONE;
          leat_file* const file = leat_open(utf8_from_path(this_run.file).c_str(), "w", &options);
          if (file == nullptr) fail("open", this_run.file, errno);
          for (std::size_t i = 0; i != count; ++i) operation(file);
          if (leat_fclose(file) != 0) fail("write", this_run.file, errno);
        });
}

void add_call(loops& all, const char* row, std::size_t size) {
  all.add(row, write_call, [=, count = all.count()](run& this_run) {
    raw_file file(this_run.file);
    for (std::size_t i = 0; i != count; ++i) file.write({text.data(), size});
    file.close();
  });
}

experiment make(const request& wanted) {
  loops all(wanted, 1'000'000);
  add_writer(all, "put", [](auto& file) { file.put('x'); });
  add_c(all, "put", [](leat_file* file) { leat_fputc('x', file); });
  add_call(all, "put", 1);
  add_writer(all, "write_64", [](auto& file) {
    file.write(text);
    asm volatile("" ::: "memory");
  });
  add_c(all, "write_64", [](leat_file* file) { leat_fwrite(text.data(), 1, text.size(), file); });
  add_call(all, "write_64", text.size());
  add_writer(all, "println_64", [](auto& file) { file.println("{}", text); });
  auto experiment = all.make_experiment(
      "durability", "calls that survive a kill of the process, to a new file", "call");
  experiment.cached = "The file is written to the page cache.";
  experiment.space = 2 * all.count() * text.size();
  experiment.before = [](run& this_run) { std::filesystem::remove(this_run.file); };
  return experiment;
}

const registration durability(110, make);

}  // namespace

}  // namespace bench::loops_durability
