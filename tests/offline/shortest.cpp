// Compares leat's shortest decimal texts with those of std::to_chars, an independent
// implementation. The numbers are every finite float, doubles around powers of two and ten, and
// DOUBLES random doubles (10^9 if not given). Exit status 1: a text is wrong. This program is too
// slow for each build: all floats and 10^9 doubles take about ten minutes on two cores.
//
//   BUILD/tests/offline_shortest [DOUBLES [SEED]]
#include <leat/print.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "format/shortest.hpp"

namespace {

std::atomic<std::uint64_t> wrong{0};

struct text {
  char bytes[64];
  std::size_t size = 0;

  std::string_view view() const { return {bytes, size}; }
  void add(char c) { bytes[size++] = c; }
};

/// Returns "120" and "1.2e+02" as digits and an exponent, "12e1": comparable between the libraries.
text normal_form(std::string_view number) {
  text result;
  int exponent = 0;
  const std::size_t e = std::min(number.find('e'), number.size());
  if (e != number.size()) {
    const bool plus = number[e + 1] == '+';
    std::from_chars(number.data() + e + 1 + plus, number.data() + number.size(), exponent);
  }
  bool after_point = false;
  for (const char c : number.substr(0, e)) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (result.size != 0 || c != '0') result.add(c);
    exponent -= after_point;
  }
  for (; result.size != 0 && result.bytes[result.size - 1] == '0'; --result.size) ++exponent;
  if (result.size == 0) exponent = 0;
  result.add('e');
  result.size = static_cast<std::size_t>(
      std::to_chars(result.bytes + result.size, std::end(result.bytes), exponent).ptr -
      result.bytes);
  return result;
}

template <class Float, class Write>
void check(Float magnitude, const Write& write) {
  char ours[64];
  char theirs[64];
  const std::string_view text(ours, static_cast<std::size_t>(write(ours, magnitude) - ours));
  const auto end =
      std::to_chars(theirs, std::end(theirs), magnitude, std::chars_format::scientific).ptr;
  const std::string_view expected(theirs, static_cast<std::size_t>(end - theirs));
  char negated[64];
  const std::string_view negative(negated,
                                  static_cast<std::size_t>(write(negated, -magnitude) - negated));
  Float back = -1;
  std::from_chars(text.data(), text.data() + text.size(), back);
  if (normal_form(text).view() == normal_form(expected).view() && back == magnitude &&
      negative.substr(0, 1) == "-" && negative.substr(1) == text)
    return;
  if (wrong++ < 100)
    std::fprintf(stderr, "%a: '%.*s', '%.*s' with std::to_chars\n", static_cast<double>(magnitude),
                 static_cast<int>(text.size()), ours, static_cast<int>(expected.size()), theirs);
}

void check(float magnitude) {
  check(magnitude, [](char* to, float value) { return leat::detail::write_value(to, value); });
}
/// Checks a double with each implementation that this processor supports.
void check(double magnitude) {
  // The list is made once, because CPUID takes microseconds in a virtual machine.
  static const auto implementations = leat::doubles::implementations();
  for (const leat::doubles::implementation write : implementations) check(magnitude, write);
}

/// Calls work(part, parts) in one thread per core, and waits for all threads.
template <class Work>
void in_parallel(const Work& work) {
  const unsigned parts = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (unsigned part = 0; part != parts; ++part) threads.emplace_back([=] { work(part, parts); });
}

void check_floats() {
  constexpr auto end = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
  in_parallel([](unsigned part, unsigned parts) {
    for (std::uint64_t bits = part; bits < end; bits += parts)
      check(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  });
}

/// Checks every power of two and ten, and the 20,000 doubles before and after each power.
void check_edges() {
  using limits = std::numeric_limits<double>;
  const auto around = [](double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    for (std::int64_t step = -20'000; step <= 20'000; ++step) {
      const auto near = std::bit_cast<double>(std::max<std::int64_t>(bits + step, 0));
      if (std::isfinite(near)) check(near);
    }
  };
  in_parallel([&around](unsigned part, unsigned parts) {
    const int lowest = limits::min_exponent - limits::digits;
    for (int e = lowest + static_cast<int>(part); e < limits::max_exponent;
         e += static_cast<int>(parts))
      around(std::ldexp(1.0, e));
    for (int e = -323 + static_cast<int>(part); e <= 308; e += static_cast<int>(parts)) {
      char power[16];
      std::snprintf(power, sizeof power, "1e%d", e);
      around(std::strtod(power, nullptr));
    }
  });
}

void check_doubles(std::uint64_t count, std::uint64_t seed) {
  in_parallel([=](unsigned part, unsigned parts) {
    std::mt19937_64 random(seed + part);
    for (std::uint64_t i = part; i < count; i += parts) {
      const auto bits = random() >> 1;
      switch (i % 4) {
        case 0:  // a decimal of up to 17 digits
          check(static_cast<double>(bits % 100'000'000'000'000'000) /
                std::pow(10.0, static_cast<double>(bits % 23)));
          break;
        case 1:  // an integer; some are ties
          check(static_cast<double>(bits >> bits % 40));
          break;
        default:
          if (const auto value = std::bit_cast<double>(bits); std::isfinite(value)) check(value);
      }
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t doubles = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::puts("all floats");
  std::fflush(stdout);
  check_floats();
  std::puts("doubles around powers of two and ten");
  std::fflush(stdout);
  check_edges();
  std::printf("%llu doubles, seed %llu\n", static_cast<unsigned long long>(doubles),
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  check_doubles(doubles, seed);
  std::printf("%llu wrong\n", static_cast<unsigned long long>(wrong.load()));
  return wrong != 0;
}
