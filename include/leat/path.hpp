// How programs name files.
#pragma once

#include <leat/config.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {

/// A file's name in UTF-8: from `const char*`, `std::string` or `std::filesystem::path`. Refers to
/// the caller's characters; used as a parameter only.
class path_ref {
 public:
  path_ref(const char* path) noexcept : text_(path) {}
  path_ref(std::nullptr_t) = delete;
  path_ref(const std::string& path) noexcept : text_(path) {}
  template <class Path>
    requires requires(const Path& p) {
      { p.native() } -> std::same_as<const std::string&>;
    }
  path_ref(const Path& path) noexcept : text_(path.native()) {}
#if defined(_WIN32)
  template <class Path>
    requires requires(const Path& p) {
      { p.native() } -> std::same_as<const std::wstring&>;
    }
  path_ref(const Path& path) {
    const auto utf8 = path.u8string();
    kept_ = std::make_shared<const std::string>(utf8.begin(), utf8.end());
    text_ = *kept_;
  }
#endif

  const char* c_str() const noexcept { return text_.data(); }  // every source ends with a NUL
  std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
#if defined(_WIN32)
  std::shared_ptr<const std::string> kept_;  // of a path that is not UTF-8
#endif
};

}  // namespace v0
}  // namespace leat
