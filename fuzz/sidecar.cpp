// Damaged sidecars: whatever bytes PATH.leat has, opening and recovering do not crash and do not
// change existing bytes of the file. A reader with `live` first returns the file's bytes.
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
#include <thread>

#include "fuzz.hpp"

namespace {

using fuzz::input;

/// A file, and the contents of two valid sidecars for it: one of a single thread, and one with the
/// per-thread buffers of two threads.
class valid_sidecars {
 public:
  valid_sidecars() {
    std::filesystem::remove(sidecar());  // left by an earlier process that failed
    leat::write_file(file(), "");
    auto out = leat::append(file(), {.durability = leat::durability::process});
    out.write("pending");
    fuzz::expect(std::filesystem::exists(sidecar()), "a sidecar does not exist");
    valid_[0] = {leat::read_file(file()), leat::read_file(sidecar())};
    out.close();
    leat::synchronized shared(leat::append(file(), {.durability = leat::durability::process}));
    const auto write = [&] {
      for (int i = 0; i != 3; ++i) shared.write("pending");
    };
    write();
    std::thread(write).join();
    write();
    valid_[1] = {leat::read_file(file()), leat::read_file(sidecar())};
    shared.close();
    leat::set_loss_handler([](const leat::io_error&) noexcept {});
  }

  std::string file() const { return fuzz::scratch() + "file"; }
  std::string sidecar() const { return fuzz::scratch() + "file.leat"; }

  void set_file_content(std::string_view content) const {
    fuzz::expect(::truncate(file().c_str(), 0) == 0, "truncate() fails");
    leat::append(file()).write(content);
  }
  /// Writes a valid sidecar, sometimes with other bytes or another size. Zero pages, which are most
  /// of the sidecar, are left as holes. Returns whether no byte differs from the valid sidecar.
  bool write_to_sidecar(input& in, bool has_thread_buffers) const {
    const std::string& valid = valid_[has_thread_buffers ? 1 : 0].sidecar;
    std::string all = valid;
    for (std::size_t changes = in.below(8); changes != 0; --changes) {
      // A position in the header, at the start of the buffer, or at the start of a per-thread
      // buffer.
      constexpr std::size_t fields = 128, thread_buffers = 331'776, thread_buffer = 131'072;
      std::size_t at = in.below(4) == 0 ? 4096 + in.below(64) : in.below(fields);
      if (has_thread_buffers && in.flag())
        at = thread_buffers + in.below(16) * thread_buffer + in.below(128);
      const auto value = in.flag() ? in.integer<std::uint64_t>() : in.integer<std::uint8_t>();
      const std::size_t n = in.below(8) + 1;
      if (at + n <= all.size()) std::memcpy(all.data() + at, &value, n);
    }
    if (in.below(8) == 0) all.resize(in.below(2 * all.size()));
    const int descriptor =
        ::open(sidecar().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(all.size())) == 0;
    constexpr std::size_t piece = 4096;
    for (std::size_t at = 0; written && at < all.size(); at += piece) {
      const std::string_view bytes = std::string_view(all).substr(at, piece);
      if (bytes.find_first_not_of('\0') != bytes.npos)
        written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
                  static_cast<ssize_t>(bytes.size());
    }
    fuzz::expect(written, "a sidecar can't be written");
    ::close(descriptor);
    return all == valid;
  }

  /// Returns the content that the file had when the valid sidecar was copied.
  const std::string& content(bool has_thread_buffers) const {
    return valid_[has_thread_buffers ? 1 : 0].file;
  }

 private:
  struct file_and_sidecar {
    std::string file, sidecar;
  };
  std::array<file_and_sidecar, 2> valid_;
};

void drive(fuzz::input& in) {
  static const valid_sidecars sidecars;
  std::filesystem::remove(sidecars.sidecar());
  const bool has_thread_buffers = in.flag();
  std::string content = in.text(40);
  if (content.empty()) content = sidecars.content(has_thread_buffers);
  sidecars.set_file_content(content);
  const bool is_valid = sidecars.write_to_sidecar(in, has_thread_buffers) &&
                        content == sidecars.content(has_thread_buffers);

  std::error_code live_ec;
  std::string live;
  if (auto reader = leat::open(sidecars.file(), {.live = true}, live_ec); !live_ec)
    live = reader.read_all();
  if (!live_ec)
    fuzz::expect(live.starts_with(content),
                 "a reader with `live` does not begin with the file's bytes");
  fuzz::expect(!live_ec || !is_valid, "a reader with `live` can't be opened");

  std::error_code ec;
  const std::uint64_t recovered = leat::recover(sidecars.file(), ec);
  const std::string after = leat::read_file(sidecars.file());
  fuzz::expect(!ec || !is_valid, "a valid sidecar can't be recovered");
  fuzz::expect(after.starts_with(content), "the file has lost bytes");
  fuzz::expect(after.size() <= content.size() + (2 << 20), "the file has a gap");
  if (ec) {
    fuzz::expect_equal(after, content, "the file after a refused sidecar");
    fuzz::expect(std::filesystem::exists(sidecars.sidecar()), "the refused sidecar is removed");
  } else {
    fuzz::expect(!std::filesystem::exists(sidecars.sidecar()), "the recovered sidecar is left");
    fuzz::expect_equal(leat::recover(sidecars.file()), 0u, "the bytes of a second recover()");
    fuzz::expect(recovered <= (2 << 20), "recover() returns more than the sidecar's capacity");
    if (is_valid) {
      fuzz::expect(recovered != 0, "recover() returns 0 for a valid sidecar");
      fuzz::expect_equal(live, after, "the bytes of a reader with `live`");
    }
  }
}

const fuzz::driver self("sidecar", drive);

}  // namespace
