// 'L' is also refused in calls that use {fmt}.
// expect: non-.?constexpr.? function .*locale_not_supported
#include <fmt/ranges.h>
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <vector>

void wrong(leat::writer& out, const std::vector<int>& numbers) {
  out.print("{} {:L}", numbers, 1000);
}
