// Extracts the text of an error from XML, JSON, or a page. client_answers.cpp calls this code.
#include "remote/server_error.hpp"

#include <leat/detail/escaped.hpp>
#include <nlohmann/json.hpp>

#include "remote/encoding.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

constexpr std::size_t longest_text = 500;

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The text of a page: its title, or else the text outside tags.
std::string text_of(std::string_view page) {
  const std::string lower_page = lowercase(page);
  const std::size_t title = lower_page.find("<title>"), end = lower_page.find("</title>");
  if (title != std::string::npos && end != std::string::npos && title + 7 < end)
    return std::string(page.substr(title + 7, end - title - 7));
  std::string text;
  bool in_tag = false;
  for (const char c : page) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  return text;
}

/// The member of an object that is a message for people; empty if there is none.
std::string text_of_json(const nlohmann::json& parsed, int depth = 3) {
  if (!parsed.is_object() || depth == 0) return {};
  for (const char* const name :
       {"message", "Message", "error_description", "error_message", "detail", "title", "error"}) {
    const auto found = parsed.find(name);
    if (found == parsed.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (std::string text = text_of_json(*found, depth - 1); !text.empty()) return text;
  }
  return {};
}

}  // namespace

server_error server_error_of(const reply& response) {
  server_error error;
  parse_xml(response.body, [&](std::string_view path, std::string_view value) {
    if (path.ends_with("Error/Code")) error.code = value;
    if (path.ends_with("Error/Message")) error.message = value;
    if (path.ends_with("Error/RequestId") || path == "ErrorResponse/RequestId")
      error.request_id = value;
    if (path.ends_with("Error/Region")) error.region = value;
    if (path.ends_with("Error/Endpoint")) error.endpoint = value;
  });
  error.is_from_xml = !error.code.empty() || !error.message.empty();
  if (error.is_from_xml) return error;
  const std::string_view body = trimmed(response.body);
  if (body.starts_with('{'))
    error.message = text_of_json(nlohmann::json::parse(body, nullptr, false));
  const std::string type = lowercase(response.content_type);
  const bool is_text = type.empty() || type.starts_with("text/") ||
                       type.find("json") != std::string::npos ||
                       type.find("xml") != std::string::npos;
  if (error.message.empty() && is_text)
    error.message = body.find('<') != std::string_view::npos ? text_of(body) : std::string(body);
  if (trimmed(error.message).empty()) error.message = response.reason;
  return error;
}

std::string one_line_message(const server_error& error) {
  std::string line;
  for (const char c : trimmed(error.message)) {
    if (line.size() > 2 * longest_text) break;
    if (!is_blank(c))
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  }
  return detail::escaped(line, longest_text);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
