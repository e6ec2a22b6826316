// Parses the XML responses of stores with Expat. Every file that reads such a response calls
// parse_xml().
#include "remote/xml.hpp"

#include <expat.h>

#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

struct xml_parsing {
  XML_Parser parser;
  const std::function<void(std::string_view, std::string_view)>& found;
  std::string path, text;
  bool out_of_memory = false;

  static xml_parsing& state_of(void* data) noexcept { return *static_cast<xml_parsing*>(data); }

  static void begin(void* data, const XML_Char* name, const XML_Char** /*attributes*/) noexcept {
    xml_parsing& state = state_of(data);
    try {
      state.text.clear();
      if (!state.path.empty()) state.path += '/';
      state.path += name;
    } catch (const std::bad_alloc&) {
      state.out_of_memory = true;
    }
  }
  /// Stops at a DOCTYPE: no store sends a DOCTYPE, and its entities could expand a short text
  /// without limit.
  static void refuse(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) noexcept {
    ::XML_StopParser(state_of(data).parser, XML_FALSE);
  }
  static void characters(void* data, const XML_Char* text, int size) noexcept {
    xml_parsing& state = state_of(data);
    try {
      state.text.append(text, static_cast<std::size_t>(size));
    } catch (const std::bad_alloc&) {
      state.out_of_memory = true;
    }
  }
  static void end(void* data, const XML_Char* /*name*/) noexcept {
    xml_parsing& state = state_of(data);
    try {
      if (!state.out_of_memory) state.found(state.path, state.text);
      state.text.clear();
      const std::size_t parent = state.path.rfind('/');
      state.path.resize(parent == std::string::npos ? 0 : parent);
    } catch (const std::bad_alloc&) {
      state.out_of_memory = true;
    }
  }
};

}  // namespace

bool parse_xml(std::string_view text,
               const std::function<void(std::string_view, std::string_view)>& found) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&::XML_ParserFree)> parser(
      ::XML_ParserCreate(nullptr), &::XML_ParserFree);
  if (parser == nullptr) throw std::bad_alloc();
  xml_parsing state{parser.get(), found, {}, {}};
  ::XML_SetUserData(parser.get(), &state);
  ::XML_SetStartDoctypeDeclHandler(parser.get(), xml_parsing::refuse);
  ::XML_SetElementHandler(parser.get(), xml_parsing::begin, xml_parsing::end);
  ::XML_SetCharacterDataHandler(parser.get(), xml_parsing::characters);
  const auto status =
      ::XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (state.out_of_memory) throw std::bad_alloc();
  return status == XML_STATUS_OK;
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
