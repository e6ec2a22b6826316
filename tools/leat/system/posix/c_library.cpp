// The C library functions of c_library.hpp for POSIX systems.
#include "system/c_library.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>

namespace bench {

std::FILE* open_c_file(const std::filesystem::path& path, const char* mode) {
  return std::fopen(path.c_str(), mode);
}

std::FILE* open_c_memory(char* memory, std::size_t size) { return ::fmemopen(memory, size, "w"); }

std::FILE* open_c_growing_memory(char** text, std::size_t* size) {
  return ::open_memstream(text, size);
}

namespace {

/// The callbacks of a stream over a device. The stream owns the cookie and deletes it at close.
class device_cookie {
 public:
  explicit device_cookie(leat::device& device) : device_(device) {}

  ssize_t read(std::span<char> into) {
    std::error_code ec;
    const std::size_t n = device_.read_at(position_, into, ec);
    position_ += n;
    return ec ? -1 : static_cast<ssize_t>(n);
  }
  ssize_t write(std::string_view bytes) {
    std::error_code ec;
    const std::size_t n = device_.write_at(position_, {&bytes, 1}, ec);
    position_ += n;
    return static_cast<ssize_t>(n);  // 0 means failure
  }
  int seek(off_t& offset, int whence) {
    std::error_code ec;
    std::uint64_t base = 0;
    if (whence == SEEK_CUR) base = position_;
    if (whence == SEEK_END) base = device_.size(ec);
    if (ec) return -1;
    position_ = base + static_cast<std::uint64_t>(offset);
    offset = static_cast<off_t>(position_);
    return 0;
  }

 private:
  leat::device& device_;
  std::uint64_t position_ = 0;
};

device_cookie& cookie(void* self) { return *static_cast<device_cookie*>(self); }

int close_cookie(void* self) {
  delete &cookie(self);
  return 0;
}

}  // namespace

std::FILE* open_c_stream(leat::device& device, const char* mode) {
  auto self = std::make_unique<device_cookie>(device);
#ifdef __APPLE__
  int (*writes)(void*, const char*, int) = [](void* of, const char* from, int size) {
    return static_cast<int>(cookie(of).write({from, static_cast<std::size_t>(size)}));
  };
  if (std::strchr(mode, '+') == nullptr) writes = nullptr;
  std::FILE* const made = ::funopen(
      self.get(),
      [](void* of, char* into, int size) {
        return static_cast<int>(cookie(of).read({into, static_cast<std::size_t>(size)}));
      },
      writes,
      [](void* of, fpos_t offset, int whence) -> fpos_t {
        off_t position = offset;
        return cookie(of).seek(position, whence) == 0 ? position : -1;
      },
      close_cookie);
#else
  cookie_io_functions_t calls{};
  calls.read = [](void* context, char* into, std::size_t size) {
    return cookie(context).read({into, size});
  };
  calls.write = [](void* context, const char* from, std::size_t size) {
    return cookie(context).write({from, size});
  };
  calls.seek = [](void* context, off_t* offset, int whence) {
    return cookie(context).seek(*offset, whence);
  };
  calls.close = close_cookie;
  std::FILE* const made = ::fopencookie(self.get(), mode, calls);
#endif
  if (made != nullptr) static_cast<void>(self.release());  // close_cookie() deletes the cookie
  return made;
}

const char* search_memory(std::string_view text, std::string_view needle) {
  return static_cast<const char*>(::memmem(text.data(), text.size(), needle.data(), needle.size()));
}

}  // namespace bench
