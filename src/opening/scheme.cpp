// The table of registered schemes. Opens an address by its scheme's entry. Called by open.cpp, the
// streams of C++ and C, and journal.cpp.
#include "opening/scheme.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#include "base/short_lock.hpp"

namespace leat {
inline namespace v0 {

namespace {

struct scheme_entry {
  std::string_view scheme;
  address_opener open = nullptr;  // null: the scheme of a component that is not registered
};

// Static objects of components register schemes, and may be constructed before the static objects
// of this file.
constinit short_lock schemes_lock;
constinit std::array<scheme_entry, 16> schemes{
    {{"s3", nullptr}, {"http", nullptr}, {"https", nullptr}}};

/// The text before "://". Empty if the path is not an address.
std::string_view scheme_of(path_ref path) noexcept {
  const std::string_view text = path.view();
  const std::size_t end = text.find("://");
  return path.is_inside() || end == std::string_view::npos ? std::string_view()
                                                           : text.substr(0, end);
}

/// Schemes are case-insensitive (RFC 3986, 3.1).
bool is_same_scheme(std::string_view lower, std::string_view any) noexcept {
  return std::equal(lower.begin(), lower.end(), any.begin(), any.end(), [](char a, char b) {
    return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
  });
}

/// Returns the scheme's entry, or the end of the table. Needs schemes_lock.
scheme_entry* entry_of(std::string_view scheme) noexcept {
  return std::find_if(schemes.begin(), schemes.end(),
                      [&](const scheme_entry& one) { return is_same_scheme(one.scheme, scheme); });
}

scheme_entry find_entry(path_ref path) noexcept {
  const std::string_view scheme = scheme_of(path);
  if (scheme.empty()) return {};
  const std::scoped_lock lock(schemes_lock);
  const scheme_entry* const found = entry_of(scheme);
  return found == schemes.end() ? scheme_entry{} : *found;
}

}  // namespace

bool register_scheme(const char* scheme, address_opener open) noexcept {
  const std::scoped_lock lock(schemes_lock);
  scheme_entry* entry = entry_of(scheme);
  if (entry == schemes.end()) entry = entry_of({});
  if (entry == schemes.end()) return false;
  *entry = {scheme, open};
  return true;
}

bool is_address(path_ref path) noexcept { return !find_entry(path).scheme.empty(); }

std::error_code address_error(path_ref path, const options& how) noexcept {
  if (how.local_only) return errc::not_local;
  if (find_entry(path).open == nullptr) return errc::no_component;
  return std::make_error_code(std::errc::operation_not_supported);
}

std::unique_ptr<device> open_address(path_ref path, address_use use, const options& how,
                                     std::error_code& ec) noexcept {
  const address_opener open = find_entry(path).open;
  const bool needs_file = how.live || how.readable || how.caching != caching::cached ||
                          (use == address_use::create && how.durability == durability::process);
  if (how.local_only || open == nullptr || needs_file) {
    ec = address_error(path, how);
    return nullptr;
  }
  ec.clear();
  return open(
      {.address = path.view(), .use = use, .exclusive = how.exclusive, .pattern = how.pattern}, ec);
}

}  // namespace v0
}  // namespace leat
