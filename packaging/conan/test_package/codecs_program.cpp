// With the codecs component, encodes and decodes a file.
#include <leat/codecs.hpp>
#include <leat/leat.hpp>

int main() {
  const char* path = "answer.gz";
  leat::create(path, {.compression = leat::compression::gzip}).println("The answer is {}.", 42);
  for (auto line : leat::open(path, {.compression = leat::compression::automatic}).lines())
    leat::println("decoded: {}", line);
}
