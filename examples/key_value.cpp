// A key-value store over a journal (a write-ahead log). Each change is a record at the end. Opening
// reads all records and builds an index from each key to the position of its last record. `set` and
// `erase` return when the change survives a crash of the machine. `compact` writes a new journal
// with the current values only.
#include <leat/leat.hpp>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

class store {
 public:
  explicit store(std::string path) : path_(std::move(path)) { open(); }

  void set(std::string_view key, std::string_view value) {
    position_of(key) = journal_.append(encode(key, value), written);
    journal_.sync();
  }

  bool erase(std::string_view key) {
    const auto found = positions_.find(key);
    if (found == positions_.end()) return false;
    journal_.append(encode(key, {}), erased);
    journal_.sync();
    positions_.erase(found);
    ++garbage_;
    return true;
  }

  std::optional<std::string> get(std::string_view key) {
    const auto found = positions_.find(key);
    if (found == positions_.end()) return {};
    return std::string(decode(journal_.read_at(found->second)).value);
  }

  /// Returns the values of all keys with this prefix. Reads the values in one batch, in file order.
  std::map<std::string, std::string> get_all(std::string_view prefix) {
    std::map<std::string, std::string> found;
    std::vector<std::uint64_t> positions;
    for (auto i = positions_.lower_bound(prefix);
         i != positions_.end() && i->first.starts_with(prefix); ++i)
      positions.push_back(i->second);
    journal_.flush();
    leat::journal_reader::open(path_).gather(positions,
                                             [&](const leat::journal_record& record, std::size_t) {
                                               const entry found_entry = decode(record.bytes);
                                               found.emplace(found_entry.key, found_entry.value);
                                             });
    return found;
  }

  /// Writes the current values to a new file, which then replaces the old file atomically.
  void compact() {
    const std::string next = path_ + ".next";
    std::filesystem::remove(next);
    auto compacted = leat::journal::open(next);
    for (const auto& [key, position] : positions_)
      compacted.append(journal_.read_at(position), written);
    compacted.sync();
    compacted.close();
    journal_.close();  // Windows renames no file over an open file
    std::filesystem::rename(next, path_);
    open();
  }

  /// The number of values that were overwritten or erased.
  std::uint64_t garbage() const { return garbage_; }

 private:
  enum : std::uint8_t { written, erased };  // kinds of records
  struct entry {
    std::string_view key, value;
  };

  /// Encodes a record: the size of the key, the key, the value.
  static std::string encode(std::string_view key, std::string_view value) {
    const leat::little<std::uint32_t> size = static_cast<std::uint32_t>(key.size());
    std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
    return bytes.append(key).append(value);
  }
  static entry decode(std::string_view bytes) {
    leat::little<std::uint32_t> size;
    leat::memory_reader(bytes).read_exactly(leat::bytes_of(size));
    bytes.remove_prefix(sizeof size);
    return {bytes.substr(0, size), bytes.substr(size)};
  }

  void open() {
    journal_ = leat::journal::open(path_);  // removes a change that a crash left incomplete
    positions_.clear();
    garbage_ = 0;
    auto reader = leat::journal_reader::open(path_);
    for (const auto& record : reader) {
      const std::string_view key = decode(record.bytes).key;
      if (record.kind == written) {
        position_of(key) = record.position;
      } else {
        ++garbage_;
        positions_.erase(std::string(key));
      }
    }
    if (const auto& damage = reader.damage(); damage.ranges != 0)
      leat::err.println("{}: {} bytes are damaged", path_, damage.bytes);
  }

  std::uint64_t& position_of(std::string_view key) {
    const auto [at, is_new] = positions_.try_emplace(std::string(key));
    if (!is_new) ++garbage_;
    return at->second;
  }

  std::string path_;
  leat::journal journal_;
  std::map<std::string, std::uint64_t, std::less<>> positions_;  // of each key's last record
  std::uint64_t garbage_ = 0;
};

int main() try {
  {
    store capitals("capitals.journal");
    capitals.set("France", "Paris");
    capitals.set("Finland", "Helsinki");
    capitals.set("Brazil", "Rio de Janeiro");
    capitals.set("Brazil", "Brasilia");
    capitals.set("Atlantis", "Poseidonis");
    capitals.erase("Atlantis");
  }
  store reopened("capitals.journal");
  if (reopened.garbage() != 0) reopened.compact();
  for (const char* country : {"France", "Brazil", "Atlantis"})
    leat::println("{}: {}", country, reopened.get(country).value_or("unknown"));
  for (const auto& [country, capital] : reopened.get_all("F"))
    leat::print("{} in {}, ", capital, country);
  leat::println("{} overwritten or erased values", reopened.garbage());
} catch (const std::exception& error) {
  leat::err.println("key_value: {}", error.what());
  return 1;
}
