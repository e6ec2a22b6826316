// Maps sources to targets of `leat cp`, and finds conflicts. cp.cpp and copying.cpp call
// these functions.
#include "classics/copy_plan.hpp"

#include <leat/leat.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>

#include "system/path_text.hpp"
#include "system/system.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string all(text);
  for (auto& c : all) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return all;
}

bool is_file_name(std::string_view text) {
  constexpr std::string_view separators = fs::path::preferred_separator == '/' ? "/" : "/\\:";
  return !text.empty() && text != "." && text != ".." &&
         text.find_first_of(separators) == std::string_view::npos;
}

/// Decodes "a%20b" to "a b".
std::string decoded(std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_code = text[i] == '%' && text.size() - i > 2 &&
                         std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    all += is_code ? static_cast<char>(byte) : text[i];
    if (is_code) i += 2;
  }
  return all;
}

/// Returns a text that identifies a file or an object: two names with the same text lead to the
/// same file or object.
std::string identity_text(const std::string& name) {
  const auto colon = name.find("://");
  if (colon != std::string::npos) return lower(name.substr(0, colon)) + name.substr(colon);
  const auto path = path_from_utf8(name);
  if (const auto known = identity_of(path)) return leat::format("{} {}", (*known)[0], (*known)[1]);
  std::error_code ec;
  const auto folder = fs::weakly_canonical(path.has_parent_path() ? path.parent_path() : ".", ec);
  return utf8_from_path((ec ? path.parent_path() : folder) / path.filename());
}

}  // namespace

bool is_same_file(const std::string& one, const std::string& other) {
  return identity_text(one) == identity_text(other);
}

std::string name_in_folder(std::string_view source) {
  if (!is_address(source)) return utf8_from_path(path_from_utf8(source).filename());
  const auto colon = source.find("://");
  const auto scheme = lower(source.substr(0, colon));
  source.remove_prefix(colon + 3);
  const bool is_page = scheme == "http" || scheme == "https";
  if (is_page) source = source.substr(0, source.find_first_of("?#"));
  const auto slash = source.rfind('/');
  if (slash == std::string_view::npos) return {};
  source.remove_prefix(slash + 1);
  if (!is_page) return is_file_name(source) ? std::string(source) : std::string();
  auto readable = decoded(source);
  if (is_file_name(readable) && leat::detail::escaped(readable) == readable) return readable;
  return is_file_name(source) ? std::string(source) : std::string();
}

std::vector<planned_copy> plan_copies(const std::vector<std::string>& sources,
                                      const std::string& target, bool into_folder,
                                      std::vector<std::string>& conflicts) {
  if (target.empty()) conflicts.emplace_back("the target has no name");
  std::vector<planned_copy> all;
  std::map<std::string, const std::string*> sources_by_identity;  // key: identity of the source
  const std::string folder = target.ends_with('/') ? target : target + '/';
  for (const auto& source : sources) {
    if (sources.size() > 1) sources_by_identity.emplace(identity_text(source), &source);
    if (!into_folder) {
      all.push_back({source, target});
      continue;
    }
    const auto name = name_in_folder(source);
    all.push_back({source, name.empty() ? name : folder + name});
  }
  if (all.size() == 1) return all;
  std::map<std::string, const planned_copy*> copies_by_target;  // key: identity of the target
  for (auto& one : all) {
    if (one.to.empty()) continue;
    const auto identity = identity_text(one.to);
    const auto [earlier, is_first] = copies_by_target.emplace(identity, &one);
    if (!is_first)
      conflicts.push_back(leat::format("'{}' and '{}' would both be copied to '{}'",
                                       earlier->second->from, one.from, one.to));
    const auto overwritten = sources_by_identity.find(identity);
    if (overwritten != sources_by_identity.end() && *overwritten->second != one.from)
      conflicts.push_back(leat::format("'{}' is a source and would be overwritten", one.to));
    one.is_new = !is_address(one.to) && !identity_of(path_from_utf8(one.to));
  }
  return all;
}

}  // namespace bench
