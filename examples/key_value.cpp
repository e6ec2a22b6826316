// A store of texts by name in one file: a change is a line at its end, and the index is made when
// the file is opened. `set` returns when the change survives a crash of the machine.
#include <leat/leat.hpp>

#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

class store {
 public:
  explicit store(const std::string& path) : log_(leat::update(path, {.create = true})) {
    for (const std::string_view line : log_.lines()) {
      const std::size_t tab = line.find('\t');
      // The last change has no end of its line if a crash cut it off.
      if (log_.tell() != whole_ + line.size() + 1) break;
      if (tab == std::string_view::npos) throw std::runtime_error(path + " is not a store");
      places_[std::string(line.substr(0, tab))] = whole_ + tab + 1;
      whole_ = log_.tell();
    }
  }

  void set(std::string_view key, std::string_view value) {
    if (key.find_first_of("\t\n") != std::string_view::npos ||
        value.find('\n') != std::string_view::npos)
      throw std::invalid_argument("no tab in a key, and no end of a line");
    log_.seek(whole_);
    log_.println("{}\t{}", key, value);
    log_.sync();
    places_[std::string(key)] = whole_ + key.size() + 1;
    whole_ = log_.tell();
  }

  std::optional<std::string> get(std::string_view key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return {};
    log_.seek(found->second);
    std::string value;
    log_.read_line(value);
    return value;
  }

 private:
  leat::file_stream log_;
  std::uint64_t whole_ = 0;                                   // the end of the last whole change
  std::map<std::string, std::uint64_t, std::less<>> places_;  // where values begin
};

int main() try {
  {
    store capitals("capitals");
    capitals.set("France", "Paris");
    capitals.set("Brazil", "Rio de Janeiro");
    capitals.set("Brazil", "Brasilia");
  }
  store again("capitals");
  for (const char* country : {"France", "Brazil", "Atlantis"})
    leat::println("{}: {}", country, again.get(country).value_or("unknown"));
} catch (const std::exception& error) {
  leat::err.println("key_value: {}", error.what());
  return 1;
}
