// A program that uses the codecs component of an installed leat: encodes and decodes a file.
#include <leat/codecs.hpp>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

int main(int, char** arguments) {
  const leat::compression format = leat::codecs::has(leat::compression::gzip)
                                       ? leat::compression::gzip
                                       : leat::compression::zstd;
  leat::create(arguments[1], {.compression = format}).println("The answer is {}.", 42);
  for (auto line : leat::open(arguments[1], {.compression = leat::compression::automatic}).lines())
    leat::println("{}", line);
}
