// `leat bench loops/memory`: repeatedly fills 64 KiB of memory by leat's stream, by fmemopen, and
// by hand. By hand means a bounds check and a copy, with the cursor in a register or in memory.
#include <leat/memory.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"
#include "system/c_library.hpp"
#include "system/failure.hpp"

namespace bench::loops_memory {

namespace {

constexpr std::size_t area_size = 1 << 16;
alignas(64) std::array<char, area_size> area;

/// Calls put(value) until the memory is full.
template <class Value, class Put>
void fill(Put put) {
  for (std::size_t i = 0; i != area_size / sizeof(Value); ++i) put(static_cast<Value>(i));
}

template <class Value>
void require_filled() {
  std::size_t at = 0;
  fill<Value>([&](Value value) {
    if (std::memcmp(&area[at], &value, sizeof value) != 0)
      throw failure("the memory has other bytes than were written");
    at += sizeof value;
  });
}

template <class Writer, class Value>
void write_to(Writer& to, Value value) {
  if constexpr (sizeof value == 1)
    to.put(value);
  else
    to.write({reinterpret_cast<const char*>(&value), sizeof value});
}

/// `Writer` is a stream's class, or leat::writer for a function that knows only the base class.
template <class Value, class Writer>
void by_leat(std::size_t rounds) {
  leat::memory_writer out{std::span<char>(area)};
  Writer& to = out;
  for (; rounds != 0; --rounds) {
    out.clear();
    fill<Value>([&](Value value) { write_to(to, value); });
  }
}

template <class Value>
void in_register(std::size_t rounds) {
  const char* const end = hidden(area.data() + area_size);
  for (; rounds != 0; --rounds) {
    char* next = area.data();
    fill<Value>([&](Value value) {
      if (static_cast<std::size_t>(end - next) < sizeof value) [[unlikely]]
        std::abort();
      std::memcpy(next, &value, sizeof value);
      next += sizeof value;
      asm volatile("" : "+r"(next)::"memory");  // otherwise compilers merge several stores
    });
  }
}

template <class Value>
void in_memory(std::size_t rounds) {
  struct cursor {
    char* next;
    char* end;
  } start{area.data(), area.data() + area_size};
  cursor* const w = hidden(&start);
  for (; rounds != 0; --rounds) {
    w->next = area.data();
    fill<Value>([&](Value value) {
      char* const to = w->next;
      if (static_cast<std::size_t>(w->end - to) < sizeof value) [[unlikely]]
        std::abort();
      w->next = to + sizeof value;
      std::memcpy(to, &value, sizeof value);
    });
    asm volatile("" ::: "memory");
  }
}

template <class Value>
void by_fmemopen(std::size_t rounds) {
  c_file out(open_c_memory(area.data(), area.size()));
  std::setbuf(out.get(), nullptr);  // writes to `area` at once
  for (; rounds != 0; --rounds) {
    std::rewind(out.get());
    fill<Value>([&](Value value) { std::fwrite(&value, sizeof value, 1, out.get()); });
  }
  out.close();
}

template <class Value>
void add(loops& all, const char* row) {
  const auto add_variant = [&](const char* variant, void (*work)(std::size_t)) {
    all.add(row, variant, [=, rounds = all.count() * sizeof(Value) / area_size + 1](run& this_run) {
      area.fill(0);
      work(rounds);
      if (this_run.is_warm_up) require_filled<Value>();
    });
  };
  add_variant("leat", by_leat<Value, leat::memory_writer>);
  add_variant("leat writer&", by_leat<Value, leat::writer>);
  add_variant("by hand, register", in_register<Value>);
  add_variant("by hand, memory", in_memory<Value>);
  if (sizeof(Value) != 1) add_variant("fmemopen", by_fmemopen<Value>);  // fmemopen adds a NUL
}

experiment make(const request& wanted) {
  loops all(wanted, 1 << 22);
  add<std::uint32_t>(all, "four_bytes");
  add<char>(all, "one_byte");
  return all.make_experiment("memory", "bytes into 64 KiB of memory, again and again", "call");
}

const registration memory(106, make);

}  // namespace

}  // namespace bench::loops_memory
