// Random calls on leat::file and leat::records, over a device that may fail or on a file, compared
// with a string. After each successful call the content is right. An append that fails because of a
// single fault has no effect.
#include <leat/file_stream.hpp>
#include <leat/records.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;

/// A record whose size does not divide a page.
using item = std::array<char, 6>;
using records = leat::records<item>;

/// The records under test, and a string as their model.
class records_and_model {
 public:
  /// Stores records on `disk`, or in a new file if `path` is not empty.
  records_and_model(fuzz::disk& disk, const leat::records_options& options, const std::string& path)
      : disk_(disk),
        path_(path),
        header_(options.header),
        stride_(options.stride == 0 ? sizeof(item) : options.stride),
        content_(path.empty() ? disk.content : ""),
        records_(path.empty() ? records(leat::file(std::make_unique<fuzz::device>(disk),
                                                   leat::mode::update, options.access),
                                        options)
                              : records::create(path, options)) {
    fuzz::expect(records_.is_open(), "the records are not open");
  }

  /// Makes a random call. Returns false after a failure: a failed batch may have written some of
  /// its records.
  bool make_call(input& in) {
    constexpr void (records_and_model::* calls[])(input&) = {
        &records_and_model::get,         &records_and_model::set,
        &records_and_model::append,      &records_and_model::resize,
        &records_and_model::gather,      &records_and_model::scatter,
        &records_and_model::update,      &records_and_model::read_ranges,
        &records_and_model::write_ranges};
    fuzz::expect_equal(records_.size(), count(), "size()");
    (this->*in.one_of(calls))(in);
    if (ec_) {
      fuzz::expect(disk_.faults != 0, "a failure without a fault: " + ec_.message());
      return false;
    }
    fuzz::expect_text(path_.empty() ? disk_.content : leat::read_file(path_), content_,
                      "the content of the file");
    return true;
  }

 private:
  /// Returns the offset of a record in the file.
  std::size_t offset(std::size_t position) const { return header_ + position * stride_; }
  /// Returns the size of a file with `n` records.
  std::size_t end_of(std::size_t n) const {
    return n == 0 ? header_ : offset(n - 1) + sizeof(item);
  }
  std::size_t count() const {
    std::size_t n = 0;
    while (end_of(n + 1) <= content_.size()) ++n;
    return n;
  }
  item at(std::size_t position) const {
    item result;
    content_.copy(result.data(), result.size(), offset(position));
    return result;
  }
  void store(std::size_t position, const item& value) {
    std::ranges::copy(value, content_.begin() + static_cast<std::ptrdiff_t>(offset(position)));
  }

  static item any_item(input& in) {
    item result;
    for (char& c : result) c = static_cast<char>('a' + in.below(26));
    return result;
  }
  /// Returns positions with repeats, in any order; none if there are no records.
  std::vector<std::uint32_t> positions(input& in) const {
    std::vector<std::uint32_t> result(count() == 0 ? 0 : in.below(20));
    for (auto& position : result) position = static_cast<std::uint32_t>(in.below(count()));
    return result;
  }

  void get(input& in) {
    const std::size_t position = in.below(count() + 3);
    if (in.flag() && position < count()) try {
        const item record = records_[position];
        return fuzz::expect(record == at(position), "operator[] returns another record");
      } catch (const leat::io_error& error) {
        ec_ = error.code();
        return;
      }
    const item got = records_.get(position, ec_);
    if (position >= count()) return expect_refused(leat::errc::no_such_record);
    if (!ec_) fuzz::expect(got == at(position), "get() returns another record");
  }
  void set(input& in) {
    const std::size_t position = in.below(count() + 3);
    const item value = any_item(in);
    records_.set(position, value, ec_);
    if (position >= count()) return expect_refused(leat::errc::no_such_record);
    if (!ec_) store(position, value);
  }
  void append(input& in) {
    std::vector<item> values(in.below(5));
    for (auto& value : values) value = any_item(in);
    const std::size_t before = count(), faults = disk_.faults;
    records_.append(values, ec_);
    if (!ec_) {
      if (values.empty()) return;
      content_.resize(std::max(content_.size(), end_of(before + values.size())));
      for (std::size_t i = 0; i != values.size(); ++i) store(before + i, values[i]);
    } else if (disk_.faults == faults + 1) {
      // append() has removed the bytes that it had written.
      fuzz::expect_equal(records_.size(), before, "size() after a failed append");
    }
  }
  void resize(input& in) {
    const std::size_t n = in.below(300);
    const std::size_t before = count();
    records_.resize(n, ec_);
    if (ec_) return;
    // A partial record at the end becomes zeros.
    if (n > before) content_.resize(std::min(content_.size(), offset(before)));
    content_.resize(end_of(n));
  }
  void gather(input& in) {
    const auto from = positions(in);
    std::vector<item> into(from.size());
    records_.gather(from, std::span(into), ec_);
    if (ec_) return;
    for (std::size_t i = 0; i != from.size(); ++i)
      fuzz::expect(into[i] == at(from[i]), "gather() returns another record");
    if (!from.empty())
      fuzz::expect_equal(records_.last_plan().positions, from.size(), "last_plan()");
  }
  void scatter(input& in) {
    const auto to = positions(in);
    std::vector<item> values(to.size());
    for (auto& value : values) value = any_item(in);
    records_.scatter(to, std::span<const item>(values), ec_);
    for (std::size_t i = 0; i != to.size() && !ec_; ++i) store(to[i], values[i]);
  }
  void update(input& in) {
    const auto chosen = positions(in);
    records_.update(
        chosen, [](item& record, std::size_t index) { record[index % record.size()] += 1; }, ec_);
    for (std::size_t i = 0; i != chosen.size() && !ec_; ++i) {
      item record = at(chosen[i]);
      record[i % record.size()] += 1;
      store(chosen[i], record);
    }
  }

  std::vector<leat::byte_range> ranges(input& in) const {
    std::vector<leat::byte_range> result(in.below(10));
    for (auto& range : result) {
      range.at = in.below(content_.size() + 1);
      range.size = in.below(std::min<std::size_t>(content_.size() - range.at, 200) + 1);
    }
    return result;
  }
  void read_ranges(input& in) {
    const auto from = ranges(in);
    std::string wanted;
    for (const auto& [start, size] : from) wanted += content_.substr(start, size);
    std::string into(wanted.size(), '?');
    records_.underlying().read_ranges(from, std::span(into), ec_);
    if (!ec_) fuzz::expect(into == wanted, "read_ranges() returns other bytes");
  }
  void write_ranges(input& in) {
    const auto to = ranges(in);
    std::string bytes;
    for (const auto& range : to) bytes.append(range.size, in.integer<char>());
    records_.underlying().write_ranges(to, bytes, ec_);
    std::string_view rest = bytes;
    for (const auto& [start, size] : to) {
      if (!ec_) rest.copy(content_.data() + start, size);
      rest.remove_prefix(size);
    }
  }

  /// Checks and clears the error for a wrong position, because the file has not failed.
  void expect_refused(leat::errc why) {
    fuzz::expect(ec_ == why, "a position after the last record is not refused");
    ec_.clear();
  }

  fuzz::disk& disk_;
  std::string path_;
  std::size_t header_, stride_;
  std::string content_;
  records records_;
  std::error_code ec_;
};

void drive(fuzz::input& in) {
  leat::set_loss_handler([](const leat::io_error&) noexcept {});
  fuzz::disk disk = fuzz::disk::from_input(in, true);
  for (std::size_t n = in.below(300); n != 0; --n) disk.content += fmt::format("{:06}", n);
  disk.content.append(in.below(9), 'x');
  leat::records_options options;
  options.header = in.flag() ? in.below(20) : 0;
  options.stride = in.flag() ? sizeof(item) + in.below(5) : 0;
  // A device has no mapping, so route::mapped is left out.
  options.access.route = in.one_of(std::array{leat::route::automatic, leat::route::merged,
                                              leat::route::single, leat::route::direct});
  options.access.memory = in.flag() ? 100 : std::size_t{1} << 20;
  records_and_model calls(disk, options, in.rarely(4) ? fuzz::scratch() + "records" : "");
  while (in.has_more())
    if (!calls.make_call(in)) break;
}

const fuzz::driver self("records", drive);

}  // namespace
