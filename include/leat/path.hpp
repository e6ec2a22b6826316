// Class path_ref, the type of path parameters; and native handles.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/config.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#if defined(_WIN32)
#  include <memory>
#endif

namespace leat {
inline namespace v0 {

#if defined(_WIN32)
using native_handle_type = void*;
/// The value of native_handle() if there is no handle.
inline const native_handle_type no_handle = reinterpret_cast<void*>(-1);
#else
/// The system's handle of an open file: a descriptor, or a HANDLE on Windows.
using native_handle_type = int;
/// The value of native_handle() if there is no handle.
inline constexpr native_handle_type no_handle = -1;
#endif

/// A path in UTF-8, made from a `const char*`, a `std::string`, a `std::string_view` or a
/// `std::filesystem::path`. A path_ref refers to the caller's characters: use it only as a
/// parameter.
class path_ref {
 public:
  path_ref(const char* path) noexcept : text_(path) {}
  path_ref(std::nullptr_t) LEAT_DELETED("a path must not be null");
  path_ref(const std::string& path) noexcept : text_(path) {}
  /// `copy` has the NUL that the system needs. As a default argument, `copy` lives as long as the
  /// call that gets this path.
  path_ref(std::string_view path, std::string&& copy = {}) : text_(copy.assign(path)) {}
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
    utf8_ = std::make_shared<const std::string>(utf8.begin(), utf8.end());
    text_ = *utf8_;
  }
#endif

  /// A path inside an open folder, as leat::folder::at makes it. The folder must stay open.
  path_ref(native_handle_type folder, const path_ref& path) : path_ref(path) {
    folder_ = folder;
    inside_ = true;
  }

  /// True if the path may lead only to files of the folder().
  bool is_inside() const noexcept { return inside_; }
  /// The handle of the folder, or no_handle if the path is not inside a folder.
  native_handle_type folder() const noexcept { return folder_; }
  const char* c_str() const noexcept { return text_.data(); }  // there is always a NUL at the end
  std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
  native_handle_type folder_ = no_handle;
  bool inside_ = false;
#if defined(_WIN32)
  std::shared_ptr<const std::string> utf8_;  // the UTF-8 form of a path in UTF-16
#endif
};

}  // namespace v0
}  // namespace leat
