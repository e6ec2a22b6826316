// The parser of the files of the AWS command line. server.cpp, credentials.cpp and roles.cpp call
// the parser.
#include "remote/profiles.hpp"

#include <leat/detail/escaped.hpp>
#include <leat/file_stream.hpp>
#include <leat/format.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "component/process.hpp"
#include "remote/encoding.hpp"
#include "remote/errors.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

constexpr std::string_view blanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";  // Python's ASCII blanks

std::string_view without_trailing_blanks(std::string_view text) noexcept {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return without_trailing_blanks(text.substr(begin));
}

/// Parses sections, options and continued lines as Python's configparser does: an option's name
/// ends at the first '=' or ':', lines with more indentation than the option continue the option's
/// value, and duplicates are errors.
class section_parser {
 public:
  explicit section_parser(std::string_view path) : path_(path) {}

  sections parse(std::string_view text, std::error_code& ec) {
    while (!text.empty() && !ec) {
      const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
      const bool is_pair = text.substr(end).starts_with("\r\n");
      ++line_number_;
      parse_line(text.substr(0, end), ec);
      text.remove_prefix(std::min(text.size(), end + (is_pair ? 2 : 1)));
    }
    for (auto& [name, values] : sections_) {
      for (auto& [option, value] : values) value = without_trailing_blanks(value);
      values.insert(defaults_.begin(), defaults_.end());
      if (!ec) check_nested(values, ec);
    }
    return std::move(sections_);
  }

 private:
  void refuse(std::string_view why, std::error_code& ec) const {
    ec = make_error(
        std::errc::invalid_argument,
        leat::format("'{}', line {}: {}", detail::escaped(path_, longest_name), line_number_, why));
  }

  void parse_line(std::string_view line, std::error_code& ec) {
    const std::string_view content = without_blanks(line);
    const bool is_comment = content.starts_with('#') || content.starts_with(';');
    if (content.empty() || is_comment) {
      if (!is_comment && value_ != nullptr) value_->push_back('\n');
      return;
    }
    const std::size_t indent = line.find_first_not_of(blanks);
    if (value_ != nullptr && indent > indent_) {
      value_->append("\n").append(content);
      return;
    }
    indent_ = indent;
    const std::size_t end = content.rfind(']');
    if (content.front() == '[' && end != std::string_view::npos && end > 1)
      begin_section(content.substr(1, end - 1), ec);
    else
      begin_option(content, ec);
  }

  void begin_section(std::string_view name, std::error_code& ec) {
    value_ = nullptr;
    if (name == "DEFAULT") {
      section_ = &defaults_;
    } else if (!section_names_.emplace(name).second) {
      refuse("the section appears twice", ec);
    } else {
      sections_.emplace_back(name, option_map{});
      section_ = &sections_.back().second;
    }
  }

  void begin_option(std::string_view content, std::error_code& ec) {
    if (section_ == nullptr) return refuse("an option comes before the first section", ec);
    const std::size_t sign = content.find_first_of("=:");
    if (sign == 0 || sign == std::string_view::npos)
      return refuse("the line is not NAME = VALUE", ec);
    const auto [entry, is_new] =
        section_->try_emplace(lowercase(without_blanks(content.substr(0, sign))));
    if (!is_new) return refuse("the option appears twice", ec);
    value_ = &entry->second;
    *value_ = without_blanks(content.substr(sign + 1));
  }

  /// Checks the values that begin with a line end: these are nested sections.
  void check_nested(const option_map& values, std::error_code& ec) const {
    for (const auto& [option, value] : values)
      if (value.starts_with('\n') && !parse_nested(value))
        ec = make_error(std::errc::invalid_argument,
                        leat::format("'{}': '{}' has a line that is not NAME = VALUE",
                                     detail::escaped(path_, longest_name),
                                     detail::escaped(option, longest_name)));
  }

 public:
  /// Parses the options of a nested section. Returns nothing if a line is not NAME = VALUE.
  static std::optional<option_map> parse_nested(std::string_view value) {
    option_map found;
    while (!value.empty()) {
      const std::size_t end = std::min(value.find('\n'), value.size());
      const std::string_view line = without_blanks(value.substr(0, end));
      value.remove_prefix(std::min(end + 1, value.size()));
      if (line.empty()) continue;
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) return {};
      found[std::string(without_blanks(line.substr(0, equals)))] =
          without_blanks(line.substr(equals + 1));
    }
    return found;
  }

 private:
  std::string_view path_;
  sections sections_;
  option_map defaults_;
  std::set<std::string> section_names_;
  option_map* section_ = nullptr;  // options of the current section
  std::string* value_ = nullptr;   // value of the last option, which indented lines continue
  std::size_t indent_ = 0, line_number_ = 0;
};

/// Splits a line into words as a shell does. Returns no words if a quote is open, or if a '\' is
/// the last character.
std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    const bool has_next = i + 1 != text.size();
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == '"' && c == '\\' && has_next &&
               (text[i + 1] == '"' || text[i + 1] == '\\')) {
      word += text[++i];
    } else if (quote != 0) {
      word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == '\\') {
      if (!has_next) return {};
      word += text[++i];
      in_word = true;
    } else if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return {};
  if (in_word) words.push_back(word);
  return words;
}

/// Returns the options of the last section "[KIND NAME]" (for the profile "default", also of
/// "[default]"), or null if there is none.
const option_map* named_section(const sections& file_sections, std::string_view kind,
                                std::string_view name) {
  const option_map* found = nullptr;
  for (const auto& [header, values] : file_sections) {
    const bool is_default = kind == "profile" && name == "default" && header == "default";
    const auto words = header.starts_with(kind) ? shell_words(header) : std::vector<std::string>();
    if (is_default || (words.size() == 2 && words[1] == name)) found = &values;
  }
  return found;
}

bool is_name_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Replaces "$NAME", "${NAME}" and a leading '~'. Unknown names stay.
std::string expanded(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const bool braces = path.starts_with("${") && path.find('}') != std::string_view::npos;
    const std::size_t begin = braces ? 2 : 1;
    std::size_t end = begin;
    if (path.front() == '$')
      while (end != path.size() && (braces ? path[end] != '}' : is_name_character(path[end])))
        ++end;
    const std::size_t size = end + (braces ? 1U : 0U);
    const char* value = nullptr;
    if (size > 1) value = std::getenv(std::string(path.substr(begin, end - begin)).c_str());
    result += value != nullptr ? std::string_view(value) : path.substr(0, size);
    path.remove_prefix(size);
  }
  if (!result.starts_with('~')) return result;
  const std::size_t slash = std::min(result.find('/'), result.size());
  const std::string home = component::home_of(result.substr(1, slash - 1));
  return home.empty() ? result : home + result.substr(slash);
}

/// Returns the path in a variable, or `otherwise` if the variable is not set. If the variable is
/// set but empty, the path is empty, so no file is read.
std::string path_from_variable(const char* variable, const char* otherwise) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : otherwise;
}

const char* profile_variable() noexcept {
  for (const char* const name : {"AWS_DEFAULT_PROFILE", "AWS_PROFILE"})
    if (const char* const value = std::getenv(name); value != nullptr) return value;
  return nullptr;
}

}  // namespace

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string value_of(const option_map& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? std::string() : found->second;
}

std::string read_text(const std::string& path, std::error_code& ec) {
  std::string text = read_file(path, ec);
  if (ec)
    ec = make_error(
        static_cast<std::errc>(ec.default_error_condition().value()),
        leat::format("cannot read '{}': {}", detail::escaped(path, longest_name), ec.message()));
  return text;
}

std::optional<sections> read_sections(const std::string& path, std::error_code& ec) {
  ec.clear();
  const std::string found = expanded(path);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(found, unknown)) return {};
  const std::string text = read_text(found, ec);
  if (!ec && !detail::is_utf8(text))
    ec = make_error(std::errc::invalid_argument,
                    leat::format("'{}' is not UTF-8", detail::escaped(found, longest_name)));
  if (ec) return {};
  return section_parser(found).parse(text, ec);
}

option_map read_assignments(const std::string& path, std::error_code& ec) {
  const std::string text = read_text(expanded(path), ec);
  option_map assignments;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (const std::size_t equals = line.find('='); equals != std::string_view::npos)
      assignments.insert_or_assign(std::string(without_blanks(line.substr(0, equals))),
                                   std::string(without_blanks(line.substr(equals + 1))));
  }
  return assignments;
}

const std::string* profile::find(std::string_view option) const noexcept {
  for (const option_map* const options : {&shared, &config})
    if (const auto found = options->find(option); found != options->end()) return &found->second;
  return nullptr;
}

profile read_profile(const std::string& name, std::error_code& ec) {
  const std::string config_path = path_from_variable("AWS_CONFIG_FILE", "~/.aws/config");
  const std::string shared_path =
      path_from_variable("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials");
  const char* const variable = profile_variable();
  profile result;
  result.name = !name.empty() ? name : variable != nullptr ? variable : "default";
  const auto config = read_sections(config_path, ec);
  if (ec) return result;
  const auto shared = read_sections(shared_path, ec);
  if (ec) return result;
  bool exists = false;
  if (config)
    if (const option_map* const found = named_section(*config, "profile", result.name)) {
      result.config = *found;
      exists = true;
    }
  if (shared)
    for (const auto& [section, values] : *shared)
      if (section == result.name) {
        result.shared = values;
        exists = true;
      }
  if (!exists && (!name.empty() || variable != nullptr))
    ec = make_error(std::errc::invalid_argument,
                    leat::format("There is no profile '{}' in '{}' or '{}'",
                                 detail::escaped(result.name, longest_name),
                                 detail::escaped(config_path, longest_name),
                                 detail::escaped(shared_path, longest_name)));
  if (config && result.has("services"))
    if (const option_map* const found = named_section(*config, "services", result["services"]))
      if (const auto s3 = found->find("s3"); s3 != found->end())
        result.services = section_parser::parse_nested(s3->second).value_or(option_map());
  return result;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
