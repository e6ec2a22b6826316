// What it costs if each completed call survives the process: a file of a million calls, with
// opening and closing. Beside it a write(2) for each call, which promises the same.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <leat/leat.h>
#include <unistd.h>
#include <leat/leat.hpp>

#include <string>
#include <string_view>

namespace {

constexpr int calls = 1'000'000;
const std::string text(64, 'x');

std::string path() { return "bench_durability.tmp"; }

/// Opens, does `one` a million times, and closes.
template <class Open, class One, class Close>
void run(benchmark::State& state, Open open, One one, Close close) {
  for (auto _ : state) {
    auto&& file = open();
    for (int i = 0; i != calls; ++i) one(file);
    close(file);
  }
  state.SetItemsProcessed(state.iterations() * calls);
  ::unlink(path().c_str());
}

template <class One>
void by_system(benchmark::State& state, One one) {
  run(
      state, [] { return ::open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644); },
      one, [](int file) { ::close(file); });
}

template <leat::durability Level, class One>
void by_leat(benchmark::State& state, One one) {
  run(
      state, [] { return leat::create(path(), {.durability = Level}); }, one,
      [](leat::file_writer& file) { file.close(); });
}

template <leat_durability Level, class One>
void by_c(benchmark::State& state, One one) {
  run(
      state,
      [] {
        leat_options how{};
        how.durability = Level;
        return leat_open(path().c_str(), "w", &how);
      },
      one, [](leat_file* file) { leat_fclose(file); });
}

const auto put = [](leat::file_writer& file) { file.put('x'); };
const auto write_64 = [](leat::file_writer& file) {
  file.write(text);
  benchmark::ClobberMemory();
};
const auto println_64 = [](leat::file_writer& file) { file.println("{}", text); };
const auto c_put = [](leat_file* file) { leat_fputc('x', file); };
const auto c_write_64 = [](leat_file* file) { leat_fwrite(text.data(), 1, text.size(), file); };

template <std::size_t Size>
const auto write_call = [](int file) {
  static_cast<void>(!::write(file, text.data(), Size));  // a benchmark goes on
};

constexpr auto none = leat::durability::none, process = leat::durability::process;
constexpr auto c_none = LEAT_DURABILITY_NONE, c_process = LEAT_DURABILITY_PROCESS;

bool row(const char* name, void (*work)(benchmark::State&)) {
  return benchmark::RegisterBenchmark(name, work)->Unit(benchmark::kMillisecond) != nullptr;
}

using state = benchmark::State;
[[maybe_unused]] const bool rows[] = {
    row("put/write(2)", [](state& s) { by_system(s, write_call<1>); }),
    row("put/leat", [](state& s) { by_leat<none>(s, put); }),
    row("put/leat process", [](state& s) { by_leat<process>(s, put); }),
    row("put/C leat", [](state& s) { by_c<c_none>(s, c_put); }),
    row("put/C leat process", [](state& s) { by_c<c_process>(s, c_put); }),
    row("write 64/write(2)", [](state& s) { by_system(s, write_call<64>); }),
    row("write 64/leat", [](state& s) { by_leat<none>(s, write_64); }),
    row("write 64/leat process", [](state& s) { by_leat<process>(s, write_64); }),
    row("write 64/C leat", [](state& s) { by_c<c_none>(s, c_write_64); }),
    row("write 64/C leat process", [](state& s) { by_c<c_process>(s, c_write_64); }),
    row("println 64/leat", [](state& s) { by_leat<none>(s, println_64); }),
    row("println 64/leat process", [](state& s) { by_leat<process>(s, println_64); }),
};

}  // namespace
