// The type of parameters that are paths.
#pragma once

#include <leat/config.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {

/// A path in UTF-8, made from a `const char*`, a `std::string` or a `std::filesystem::path`. It
/// refers to the caller's characters, so use it only as a parameter.
class path_ref {
 public:
  path_ref(const char* path) noexcept : text_(path) {}
  path_ref(std::nullptr_t) LEAT_DELETED("a path is not null");
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

  const char* c_str() const noexcept { return text_.data(); }  // there is always a NUL at the end
  std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
#if defined(_WIN32)
  std::shared_ptr<const std::string> kept_;  // the UTF-8 form of a path in UTF-16
#endif
};

}  // namespace v0
}  // namespace leat
