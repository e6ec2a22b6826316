// Reads numbers of 32 bits at any positions of an object, in one batch. Positions that are near
// each other share a request, and many requests are in flight at a time.
//
//     gather_from_store s3://market/volumes.u32 7 1000000 70000000
//
// Endpoint and credentials come from the environment: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY. The same program reads a file: gather_from_store volumes.u32 7
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

int main(int argc, char** argv) try {
  std::vector<std::uint64_t> positions;
  bool good = argc > 2;
  for (int i = 2; i < argc; ++i) {
    const auto position = leat::parse<std::uint64_t>(argv[i]);
    good = good && position && position.rest.empty();
    positions.push_back(position.value);
  }
  if (!good) {
    leat::err.println("usage: gather_from_store ADDRESS POSITION...");
    return 1;
  }
  const auto volumes = leat::records<leat::little<std::uint32_t>>::open(argv[1]);
  const auto found = volumes.gather(positions);
  for (std::size_t i = 0; i != positions.size(); ++i)
    leat::out.println("{}: {}", positions[i], std::uint32_t{found[i]});

  const leat::batch_plan plan = volumes.last_plan();
  leat::out.println("{} positions, {} requests, {} bytes, ${:.9f}: {}", plan.positions,
                    plan.requests, plan.bytes, plan.dollars, plan.why);
  leat::out.flush();
} catch (const std::exception& error) {
  leat::err.println("gather_from_store: {}", error.what());
  return 1;
}
