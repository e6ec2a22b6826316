// Seeks backwards, near the end and to random positions: the same bytes and positions as with libc,
// also with pushed-back bytes and several buffer sizes. Also: seeks in a file that grows or
// shrinks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include "support/files.hpp"
#include "support/random_engine.hpp"
#include "support/stdio_apis.hpp"

namespace {

using namespace leat_test;

/// Makes random calls on a file. The calls depend only on the seed and on the results of the calls.
template <class Api>
class random_calls {
 public:
  random_calls(const std::string& path, bool writes, unsigned seed)
      : random_(seed), writes_(writes), file_(Api::open(path.c_str(), writes ? "r+b" : "rb")) {
    constexpr std::size_t sizes[] = {0, 0, 0, 100, 4096, 5000, 65536};
    const std::size_t size = sizes[seed % std::size(sizes)];
    if (size != 0) note("setvbuf", Api::set_buffer(file_, nullptr, _IOFBF, size));
    if (seed % 16 == 15) note("setvbuf", Api::set_buffer(file_, nullptr, _IONBF, 0));
  }

  /// Makes `count` calls, and closes the file. Returns the calls with their results. May be called
  /// only once.
  std::string make(int count) {
    for (int i = 0; i != count; ++i) make_call();
    note("close", Api::close(file_));
    return calls_;
  }

 private:
  void note(const char* call, long result) {
    calls_.append(call).append(" ").append(std::to_string(result)).append("\n");
  }

  void make_call() {
    char text[30000];
    switch (random_.below(writes_ ? 9 : 8)) {
      case 0: {
        const int c = Api::get(file_);
        note("get", c);
        if (c != EOF && random_.below(3) == 0)
          note("unget", Api::unget(random_.below(2) == 0 ? c : 'u', file_));
        break;
      }
      case 1: {
        const std::size_t wanted = random_.below(random_.below(30) == 0 ? sizeof text : 200);
        const std::size_t n = Api::read(text, 1, wanted, file_);
        note("read", static_cast<long>(n));
        calls_.append(text, n);
        break;
      }
      case 2:
        if (Api::gets(text, 100, file_) != nullptr) calls_ += text;
        break;
      case 3:
        note("tell", Api::tell(file_));
        break;
      case 4:
        note("seek to", Api::seek(file_, static_cast<long>(random_.below(110000)), SEEK_SET));
        break;
      case 5:
        note("seek in the end",
             Api::seek(file_, -static_cast<long>(random_.below(9000)), SEEK_END));
        break;
      case 8: {
        note("seek", Api::seek(file_, 0, SEEK_CUR));
        const std::string bytes = random_.text(1 + random_.below(300), "abc\n");
        note("write", static_cast<long>(Api::write(bytes.data(), 1, bytes.size(), file_)));
        note("seek", Api::seek(file_, 0, SEEK_CUR));
        break;
      }
      default: {
        const long back = static_cast<long>(random_.below(random_.below(2) == 0 ? 300 : 9000));
        const long at = Api::tell(file_);
        note("seek back", Api::seek(file_, -std::min(at, back), SEEK_CUR));
        note("tell", Api::tell(file_));
      }
    }
  }

  random_engine random_;
  bool writes_;
  typename Api::file* file_;
  std::string calls_;
};

TEST(backwards, random_reads_backwards_have_the_results_of_libc) {
  const temporary_folder folder;
  for (unsigned seed = 0; seed != 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    random_engine random(seed);
    const std::string content = numbered_text(1 + random.below(100000));
    const bool writes = seed % 3 == 0;
    write_file(folder / "leat", content);
    write_file(folder / "libc", content);
    const std::string calls = random_calls<leat_stdio>(folder / "leat", writes, seed).make(300);
    EXPECT_TRUE(calls == random_calls<libc>(folder / "libc", writes, seed).make(300));
    EXPECT_TRUE(read_all(folder / "leat") == read_all(folder / "libc"));
  }
}

TEST(backwards, bytes_of_a_file_that_has_grown_or_shrunk_are_current) {
  const temporary_folder folder;
  const std::string path = folder / "file";
  const std::string content = numbered_text(20000);
  write_file(path, content);
  leat_file* const f = leat_fopen(path.c_str(), "r");
  char text[100];
  ASSERT_EQ(leat_fseek(f, 19000, SEEK_SET), 0);
  ASSERT_EQ(leat_fread(text, 1, 100, f), 100u);
  write_file(path, content.substr(0, 18000));
  ASSERT_EQ(leat_fseek(f, 18500, SEEK_SET), 0);
  EXPECT_EQ(leat_fgetc(f), EOF);
  EXPECT_TRUE(leat_feof(f));
  EXPECT_EQ(leat_ftell(f), 18500);
  ASSERT_EQ(leat_fseek(f, 17950, SEEK_SET), 0);
  EXPECT_EQ(leat_fread(text, 1, 100, f), 50u);
  EXPECT_EQ(std::string(text, 50), content.substr(17950, 50));
  EXPECT_EQ(leat_ftell(f), 18000);
  write_file(path, content);
  leat_clearerr(f);
  EXPECT_EQ(leat_fgetc(f), static_cast<unsigned char>(content[18000]));
  leat_fclose(f);
}

}  // namespace
