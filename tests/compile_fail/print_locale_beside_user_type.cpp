// 'L' is refused in calls that go through {fmt}, too.
// expect: non-.?constexpr.? function .*locale_not_supported
#include <fmt/ranges.h>
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <vector>

void wrong(leat::writer& out, const std::vector<int>& numbers) {
  out.print("{} {:L}", numbers, 1000);
}
