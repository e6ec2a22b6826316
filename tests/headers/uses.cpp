// Uses leat's headers, so that their templates are instantiated. This program is compiled with the
// warnings of a strict project, and never run.
#include <leat/leat.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct edge {
  std::int32_t from = 0;
  std::int32_t to = 0;
};

void use_writer(leat::writer& out, const std::string& text, double number) {
  out.print("{} {:>10} {:<8}|{:^8}", text, 1U, 'c', true);
  out.println("{:.2f} {:e} {:a} {}", number, number, 1.5F, -7);
  out.println("{:#x} {:08b} {:+d} {}", 255U, 5, 7L, static_cast<const void*>(&out));
  out.println("{} {:%Y-%m-%d}", std::string_view(text),
              std::chrono::sys_days(std::chrono::days(20'000)));
  out.println(leat::runtime("{} {}"), text, number);
  out.write(leat::bytes_of(number));
  out.put('\n');
  out.flush();
}

std::uint64_t use_reader(leat::reader& in) {
  std::uint64_t sum = 0;
  for (const std::string_view line : in.lines({.crlf = true})) {
    for (const std::string_view field : leat::fields(line, ';')) sum += field.size();
  }
  for (const std::uint64_t at : in.find_all("needle")) sum += at;
  while (const auto n = in.parse<int>()) sum += static_cast<std::uint64_t>(*n);
  while (const auto x = in.parse<double>()) sum += *x < 0;
  std::vector<char> bytes(10);
  return sum + in.read(bytes) + in.peek(3).size();
}

std::uint64_t use_files() {
  auto edges = leat::records<edge>::open("edges", leat::mode::update);
  const std::vector<int> positions{1, 2, 3};
  std::vector<edge> found = edges.gather(positions);
  edges.update(positions, [](edge& e, std::size_t which) { e.to += static_cast<int>(which); });
  edges.scatter(positions, found);
  edges.append(edge{});
  std::uint64_t sum = 0;
  for (const edge e : edges) sum += static_cast<std::uint64_t>(e.to);
  auto numbers = leat::records<leat::big<std::uint16_t>>::create("numbers");
  std::vector<std::uint16_t> plain(positions.size());
  numbers.gather(positions, std::span<std::uint16_t>(plain));
  const auto whole = leat::file::open("edges");
  whole.read_ranges(std::vector<leat::byte_range>{{0, 8}},
                    [&](std::string_view bytes, std::size_t) { sum += bytes.size(); });
  return sum + plain[0] + numbers.size();
}

}  // namespace

int main() {
  auto created = leat::create("text", {.buffer_size = 4096, .exclusive = true});
  use_writer(created, "text", 0.5);
  leat::synchronized shared(leat::append("log"));
  use_writer(shared, "shared", 1.5);
  leat::string_writer memory;
  use_writer(memory, "memory", 2.5);
  auto opened = leat::open("text");
  leat::memory_reader from(memory.view());
  auto table = leat::update("table");
  table.write("x");
  const leat::file_lock lock(table);
  return static_cast<int>((use_reader(opened) + use_reader(from) + use_files()) % 2);
}
