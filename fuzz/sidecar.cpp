// Damaged sidecars: whatever PATH.leat holds, opening and recovering neither crashes nor changes a
// byte that the file has. A reader with `live` sees what recover() brings.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "fuzz.hpp"

namespace {

using fuzz::input;

/// A folder with a file, and the sidecar that a writer has made for it.
class scene {
 public:
  scene() {
    std::string name = (std::filesystem::temp_directory_path() / "leat-fuzz-XXXXXX").string();
    fuzz::expect(::mkdtemp(name.data()) != nullptr, "a folder");
    folder_ = name;
    leat::write_file(file(), "");
    auto out = leat::append(file(), {.durability = leat::durability::process});
    out.write("waiting");
    fuzz::expect(std::filesystem::exists(beside()), "a sidecar");
    valid_ = leat::read_file(beside());
    out.close();
    leat::set_loss_handler([](const leat::io_error&) noexcept {});
  }
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;
  ~scene() { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ / "file"; }
  std::string beside() const { return folder_ / "file.leat"; }

  void put(std::string_view content) const {
    fuzz::expect(::truncate(file().c_str(), 0) == 0, "the file is emptied");
    leat::append(file()).write(content);
  }
  /// The valid sidecar with some bytes changed. Most of it is zero, and is not written.
  void put_beside(input& in) const {
    std::string head = valid_.substr(0, 4096 + 64);
    std::size_t size = valid_.size();
    for (std::size_t changes = in.below(8); changes != 0; --changes) {
      constexpr std::size_t fields = 128;  // the header ends before
      const bool in_window = in.below(4) == 0;
      const std::size_t at = in_window ? 4096 + in.below(64) : in.below(fields);
      const auto value = in.flag() ? in.integer<std::uint64_t>() : in.integer<std::uint8_t>();
      const std::size_t n = std::min<std::size_t>(in.below(8) + 1, head.size() - at);
      std::memcpy(head.data() + at, &value, n);
    }
    if (in.below(8) == 0) size = in.below(2 * size);
    const int made = ::open(beside().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const std::size_t n = std::min(head.size(), size);
    fuzz::expect(made >= 0 && ::write(made, head.data(), n) == static_cast<ssize_t>(n) &&
                     ::ftruncate(made, static_cast<off_t>(size)) == 0,
                 "a sidecar is made");
    ::close(made);
  }

 private:
  std::filesystem::path folder_;
  std::string valid_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const scene here;
  input in(data, size);
  std::filesystem::remove(here.beside());
  const std::string content = in.text(40);
  here.put(content);
  here.put_beside(in);

  std::error_code live_ec;
  std::string live;
  if (auto reader = leat::open(here.file(), {.live = true}, live_ec); !live_ec)
    live = reader.read_all();
  if (!live_ec) fuzz::expect(live.starts_with(content), "live begins with the file");

  std::error_code ec;
  const std::uint64_t brought = leat::recover(here.file(), ec);
  const std::string after = leat::read_file(here.file());
  fuzz::expect(after.starts_with(content), "the file keeps its bytes");
  fuzz::expect(after.size() <= content.size() + (1 << 20), "the file has no gap");
  if (ec) {
    fuzz::expect_equal(after, content, "a sidecar that is refused brings nothing");
    fuzz::expect(std::filesystem::exists(here.beside()), "it stays");
  } else {
    fuzz::expect(!std::filesystem::exists(here.beside()), "it is gone");
    fuzz::expect_equal(leat::recover(here.file()), 0u, "nothing comes twice");
    fuzz::expect(brought <= (1 << 20), "not more than it holds");
  }
  return 0;
}
