// Class records: a file as an array, with single, batch and sequential access.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/listed_positions.hpp>
#include <leat/detail/ranges.hpp>
#include <leat/detail/unique_ptr.hpp>
#include <leat/endian.hpp>
#include <leat/file.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {

/// The layout of records in a file, and how they are accessed.
struct records_options {
  std::uint64_t header = 0;  ///< bytes before the first record
  std::size_t stride = 0;  ///< bytes from the start of one record to the next: at least sizeof(T);
                           ///< 0: sizeof(T)
  access_options access = {};  ///< how batches access the file
};

/// A range of integers: indices of records, in any order, with or without repeats.
template <class R>
concept positions_range =
    std::ranges::input_range<R> && std::integral<std::ranges::range_value_t<R>> &&
    sizeof(std::ranges::range_value_t<R>) <= sizeof(std::uint64_t);
// Deprecated: the name of 0.2.
template <class R>
concept places_range = positions_range<R>;

namespace detail {

/// True if a call of F can change a T that is an argument, and returns nothing. A function that
/// also accepts a temporary T takes a copy of the record, or only reads the record.
template <class F, class T, class... Index>
concept changes_argument = requires(F& each, T& record, Index... index) {
  { each(record, index...) } -> std::same_as<void>;
  requires !std::invocable<F&, T, Index...>;
};
template <class F, class T>
concept changes_in_place = changes_argument<F, T> || changes_argument<F, T, std::size_t>;

template <class T>
struct number_of {
  using type = T;
};
template <class T, std::endian Order>
struct number_of<stored<T, Order>> {
  using type = T;
};

}  // namespace detail

/// A file as an array of T. A part of a record at the end of the file does not count: opening such
/// a file is no error. append() overwrites the part. resize(), also to size(), cuts the part off.
///
///     auto nodes = leat::records<std::int32_t>::open("graph.bin", leat::mode::update);
///     std::int32_t v = nodes[7];
///     nodes.gather(positions, values);
///     nodes.update(positions, [](std::int32_t& node) { ++node; });
///
/// If a position is not in the file, nothing is read or changed, and the message of the io_error
/// (errc::no_such_record) has the position. For lists of different lengths the error is
/// invalid_argument, and nothing is read or changed. A function that can fail has two forms. One
/// form throws io_error. The other form takes a `std::error_code&` as its last argument, and sets
/// or clears this argument; open() and create() then return an object without a file. Only the
/// constructor, operator[], begin() and the gather() that returns a vector have no such form.
/// Batches in both forms also throw std::bad_alloc and the exceptions of the program's functions.
///
/// @par Time
/// A batch sorts its positions in linear time and makes one request for nearby positions;
/// last_plan() has the number of requests. Reading or writing one record is usually one system
/// call. Records of a part of the file that is read often need no system call: see file.
///
/// @par Threads
/// Several threads may use one object at once, to read and to change different records. While a
/// thread calls append or resize, no other thread may use the object.
template <class T>
class [[nodiscard]] records {
  static_assert(std::is_trivially_copyable_v<T>,
                "T must be trivially copyable: a record is stored as its bytes");
  static_assert(!std::is_const_v<T>,
                "T must not be const: leat::mode decides whether records may change");

 public:
  using value_type = T;
  /// The return type of functions that read one record. A class type is const, so that `nodes[7]
  /// = value` and `nodes[7].weight = 3`, which would change only a copy, do not compile.
  using result = std::conditional_t<std::is_scalar_v<T>, T, const T>;
  /// If T is little<number> or big<number>: the number, which gather can return as well; else T.
  using number = typename detail::number_of<T>::type;

  /// An object without a file.
  records() noexcept = default;
  /// Takes ownership of an open file. Throws io_error: invalid_argument if the stride is neither 0
  /// nor at least sizeof(T), or the error of file::size().
  explicit records(file over, const records_options& how = {}) {
    if (const auto failed = attach(over, how)) over.raise(failed);
  }

  /// Opens a file. The file must exist, except with mode::update_or_create.
  static records open(path_ref path, mode what = mode::read, const records_options& how = {}) {
    return records(file::open(path, what, how.access), how);
  }
  static records open(path_ref path, mode what, const records_options& how, std::error_code& ec) {
    return make(file::open(path, what, how.access, ec), how, ec);
  }
  static records open(path_ref path, mode what, std::error_code& ec) {
    return open(path, what, {}, ec);
  }
  static records open(path_ref path, std::error_code& ec) { return open(path, mode::read, {}, ec); }
  /// Creates an empty file, or truncates an existing file. The first append fills a header with
  /// zeros.
  static records create(path_ref path, const records_options& how = {}) {
    return records(file::create(path, how.access), how);
  }
  static records create(path_ref path, const records_options& how, std::error_code& ec) {
    return make(file::create(path, how.access, ec), how, ec);
  }
  static records create(path_ref path, std::error_code& ec) { return create(path, {}, ec); }

  /// False if there is no file.
  bool is_open() const noexcept { return file_.is_open(); }
  /// As file::close: some file systems report write errors only here.
  void close() { file_.close(); }
  void close(std::error_code& ec) noexcept { file_.close(ec); }

  /// The number of records when the file was opened, with later changes by append() and resize().
  std::size_t size() const noexcept { return static_cast<std::size_t>(layout_.count); }
  bool empty() const noexcept { return layout_.count == 0; }

  /// Reads one record.
  result operator[](std::uint64_t position) const { return get(position); }
  /// As operator[]. After an error the result of the form with `ec` is unspecified.
  result get(std::uint64_t position) const {
    T value;
    if (position >= layout_.count) throw_no_such_record(position);
    file_.read_at(offset(position), bytes(value));
    return value;
  }
  result get(std::uint64_t position, std::error_code& ec) const noexcept {
    T value{};
    if (position >= layout_.count)
      ec = file_.set_last_error({{errc::no_such_record, "find a record in"}, {}});
    else
      file_.read_at(offset(position), bytes(value), ec);
    return value;
  }
  /// Changes one record.
  void set(std::uint64_t position, const T& value) {
    if (position >= layout_.count) throw_no_such_record(position);
    file_.write_at(offset(position), bytes(value));
  }
  void set(std::uint64_t position, const T& value, std::error_code& ec) noexcept {
    if (position >= layout_.count)
      ec = file_.set_last_error({{errc::no_such_record, "find a record in"}, {}});
    else
      file_.write_at(offset(position), bytes(value), ec);
  }

  /// Appends records: all of them, or none and an error. If a partial write can't be cut off again,
  /// size() counts the whole records that are in the file, and the error has the number of bytes
  /// that are not in the file.
  void append(const T& value) { append(std::span(&value, 1)); }
  void append(const T& value, std::error_code& ec) noexcept { append(std::span(&value, 1), ec); }
  void append(std::span<const T> values) { raise_if({append_quietly(values), {}}); }
  void append(std::span<const T> values, std::error_code& ec) noexcept {
    ec = file_.set_last_error({append_quietly(values), {}});
  }
  /// Sets the number of records; new records are zeros. For more records than a file can hold, the
  /// error is file_too_large.
  void resize(std::uint64_t count) { raise_if({resize_quietly(count), {}}); }
  void resize(std::uint64_t count, std::error_code& ec) noexcept {
    ec = file_.set_last_error({resize_quietly(count), {}});
  }

  /// into[i] becomes the record at positions[i]. `positions` and `into` must not overlap. After a
  /// failed read, the content of `into` is unspecified.
  template <positions_range R>
  void gather(R&& positions, std::span<T> into) const {
    raise_if(gather_quietly(positions, into));
  }
  template <positions_range R>
  void gather(R&& positions, std::span<T> into, std::error_code& ec) const {
    ec = file_.set_last_error(gather_quietly(positions, into));
  }
  /// Reads the records at these positions as numbers in the machine's byte order.
  template <positions_range R>
    requires(!std::same_as<T, number>)
  void gather(R&& positions, std::span<number> into, std::error_code& ec) const {
    const std::span stored(reinterpret_cast<T*>(into.data()), into.size());
    gather(positions, stored, ec);
    for (std::size_t i = 0; !ec && i != into.size(); ++i) into[i] = stored[i];
  }
  template <positions_range R>
    requires(!std::same_as<T, number>)
  void gather(R&& positions, std::span<number> into) const {
    const std::span stored(reinterpret_cast<T*>(into.data()), into.size());
    gather(positions, stored);
    for (std::size_t i = 0; i != into.size(); ++i) into[i] = stored[i];
  }
  template <positions_range R>
    requires(!std::same_as<T, bool>)  // std::vector<bool> has no array of bool
  std::vector<T> gather(R&& positions) const {
    const detail::listed_positions listed(positions);
    std::vector<T> into(listed.list().size);
    raise_if(file_.gather(layout_, listed.list(), reinterpret_cast<char*>(into.data())));
    return into;
  }

  /// The record at positions[i] becomes values[i]. If a position occurs again, its last value wins.
  /// After an error, some of the records may be written. If another program has made the file
  /// shorter since the opening, the file grows again.
  template <positions_range R>
  void scatter(R&& positions, std::span<const T> values) {
    raise_if(scatter_quietly(positions, values));
  }
  template <positions_range R>
  void scatter(R&& positions, std::span<const T> values, std::error_code& ec) {
    ec = file_.set_last_error(scatter_quietly(positions, values));
  }

  /// Changes the records at these positions: reads, calls `each(T&)` or `each(T&, std::size_t
  /// index)` for positions[index], and writes back. `each` must take a T& and return void: a
  /// function that takes a copy or returns the new value would change nothing. The order of records
  /// is unspecified.
  /// Occurrences of one record keep the caller's order, and each call sees the change by the
  /// previous call.
  ///
  /// If `each` throws, its record is unchanged; the earlier changes are written, and then the
  /// exception is passed on. If these changes can't be written or made durable, the loss handler is
  /// called. After an error, records for which `each` has not been called are unchanged. If a
  /// range of the file could not be written, the other records in this range may be unchanged, too.
  template <positions_range R, class F>
  void update(R&& positions, F&& each) {
    raise_if(update_quietly(positions, each));
  }
  template <positions_range R, class F>
  void update(R&& positions, F&& each, std::error_code& ec) {
    ec = file_.set_last_error(update_quietly(positions, each));
  }

  class iterator;
  /// The records in order: `for (T v : nodes)`. Reads the file from start to end, 128 KiB at a
  /// time. Each iterator makes one pass. A record has the value from the time when it was read.
  /// begin() and ++ throw io_error if a read fails, and std::bad_alloc.
  iterator begin() const { return iterator(*this); }
  static std::default_sentinel_t end() noexcept { return {}; }

  /// Returns when all changes survive a crash of the machine.
  void sync() { file_.sync(); }
  void sync(std::error_code& ec) noexcept { file_.sync(ec); }
  /// How the last batch was carried out.
  batch_plan last_plan() const { return file_.last_plan(); }
  /// The file under the records.
  file& underlying() noexcept { return file_; }
  const file& underlying() const noexcept { return file_; }

 private:
  static records make(file over, const records_options& how, std::error_code& ec) {
    records made;
    if (!ec) ec = over.set_last_error(made.attach(over, how));
    return made;
  }
  detail::batch_failure attach(file& over, const records_options& how) {
    if (how.stride != 0 && how.stride < sizeof(T)) {
      return {{std::make_error_code(std::errc::invalid_argument), "open"},
              "a stride of " + std::to_string(how.stride) + " bytes, records of " +
                  std::to_string(sizeof(T))};
    }
    std::error_code ec;
    const std::uint64_t size = over.size(ec);
    if (ec) return {{ec, "get the size of"}, {}};
    layout_ = {how.header, how.stride != 0 ? how.stride : sizeof(T), sizeof(T), 0};
    file_ = std::move(over);
    count_records(size);
    return {};
  }
  void count_records(std::uint64_t size) noexcept {
    const bool has_one = size >= sizeof(T) && layout_.header <= size - sizeof(T);
    layout_.count = has_one ? (size - sizeof(T) - layout_.header) / layout_.stride + 1 : 0;
  }

  /// True if this many records fit into the largest possible file.
  bool fits(std::uint64_t count) const noexcept {
    constexpr std::uint64_t most = (std::numeric_limits<std::int64_t>::max)();
    if (count == 0) return layout_.header <= most;
    const std::uint64_t stride = layout_.stride != 0 ? layout_.stride : 1;
    return layout_.header <= most - sizeof(T) &&
           count - 1 <= (most - sizeof(T) - layout_.header) / stride;
  }

  std::uint64_t offset(std::uint64_t position) const noexcept {
    return layout_.header + position * layout_.stride;
  }
  std::uint64_t end_of(std::uint64_t count) const noexcept {
    return count == 0 ? layout_.header : offset(count - 1) + sizeof(T);
  }
  static std::span<char> bytes(T& value) noexcept {
    return {reinterpret_cast<char*>(&value), sizeof value};
  }
  static std::string_view bytes(const T& value) noexcept {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  void raise_if(const detail::batch_failure& what) const {
    if (what) file_.raise(what);
  }
  [[noreturn]] void throw_no_such_record(std::uint64_t position) const {
    file_.raise({{errc::no_such_record, "find a record in"},
                 "position " + std::to_string(position) + " of " + std::to_string(layout_.count)});
  }

  template <class R>
  detail::batch_failure gather_quietly(R&& positions, std::span<T> into) const {
    const detail::listed_positions listed(positions);
    if (auto wrong = length_mismatch(listed.list().size, into.size())) return wrong;
    return file_.gather(layout_, listed.list(), reinterpret_cast<char*>(into.data()));
  }
  template <class R>
  detail::batch_failure scatter_quietly(R&& positions, std::span<const T> values) {
    const detail::listed_positions listed(positions);
    if (auto wrong = length_mismatch(listed.list().size, values.size())) return wrong;
    return file_.scatter(layout_, listed.list(), reinterpret_cast<const char*>(values.data()));
  }
  template <class R, class F>
  detail::batch_failure update_quietly(R&& positions, F& each) {
    static_assert(detail::changes_in_place<F, T>,
                  "the function must take the record as a T& and return void: only a change of "
                  "this T& is written to the file");
    const detail::listed_positions listed(positions);
    const auto visitor = [](void* context, std::span<const detail::visit> visits) {
      auto& change = **static_cast<F**>(context);
      for (const auto& one : visits) {
        T value;
        std::memcpy(static_cast<void*>(&value), one.record, sizeof value);
        if constexpr (std::invocable<F&, T&, std::size_t>)
          change(value, one.index);
        else
          change(value);
        std::memcpy(one.record, &value, sizeof value);
      }
    };
    F* change = std::addressof(each);  // F may be a function type: no void* can point to a function
    return file_.update(layout_, listed.list(), visitor, static_cast<void*>(&change));
  }
  static detail::batch_failure length_mismatch(std::size_t positions, std::size_t values) {
    if (positions == values) return {};
    return {{std::make_error_code(std::errc::invalid_argument), "visit"},
            std::to_string(positions) + " positions, " + std::to_string(values) + " values"};
  }

  failure resize_quietly(std::uint64_t count) noexcept {
    std::error_code ec = file_.unchangeable();
    if (!ec && !fits(count)) ec = std::make_error_code(std::errc::file_too_large);
    if (ec) return {ec, "resize", end_of(count)};
    const std::uint64_t size = file_.size(ec);
    const std::uint64_t at = offset(layout_.count);
    // First cuts off an incomplete record at the end of the file: the new record there must be
    // zeros.
    if (!ec && count > layout_.count && size > at && size - at < sizeof(T)) file_.resize(at, ec);
    if (!ec) file_.resize(end_of(count), ec);
    if (!ec || has_size(end_of(count))) layout_.count = count;
    return ec ? failure{ec, "resize", end_of(count)} : failure{};
  }
  /// True if the file has this size. A resize that has failed to sync has changed the size.
  bool has_size(std::uint64_t size) const noexcept {
    std::error_code ec;
    return file_.size(ec) == size && !ec;
  }
  failure append_quietly(std::span<const T> values) noexcept {
    const std::uint64_t at = offset(layout_.count);
    const failure refused{file_.unchangeable(), "write", at, values.size_bytes()};
    if (refused) return refused;
    if (values.size() > ~layout_.count || !fits(layout_.count + values.size()))
      return {std::make_error_code(std::errc::file_too_large), "write", at, values.size_bytes()};
    failure why;
    std::size_t whole = values.size();  // the number of values that are whole in the file
    if (layout_.stride == sizeof(T)) {
      why = file_.write_quietly(
          at, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
      if (why.unwritten != 0) whole = (values.size_bytes() - why.unwritten) / sizeof(T);
    } else {
      for (std::size_t i = 0; i != values.size() && !why; ++i) {
        why = file_.write_quietly(at + i * layout_.stride, bytes(values[i]));
        if (!why) continue;
        whole = why.unwritten == 0 ? i + 1 : i;
        why.unwritten += (values.size() - i - 1) * sizeof(T);
      }
    }
    if (why) {
      const std::uint64_t end = end_of(layout_.count);
      std::error_code ec;
      const std::uint64_t size = file_.size(ec);
      if (!ec && size > end) file_.resize(end, ec);
      if (!ec || has_size(end)) {
        why.offset = at;
        why.unwritten = values.size_bytes();
        return why;
      }
    }
    layout_.count += whole;
    return why;
  }

  file file_;
  detail::record_layout layout_;
};

/// Iterates over the records; reads ahead into its own buffer. Movable, not copyable.
template <class T>
class records<T>::iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  iterator(iterator&&) noexcept = default;
  iterator& operator=(iterator&&) noexcept = default;

  result operator*() const noexcept {
    T value;
    std::memcpy(&value, next_, sizeof value);
    return value;
  }
  iterator& operator++() {
    if (static_cast<std::size_t>(end_ - next_) <= stride_)
      fill();
    else
      next_ += stride_;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept {
    return i.next_ == nullptr;
  }

 private:
  friend class records;
  // Larger buffers are not faster from start to end.
  static constexpr std::size_t target_buffer_size = 128 << 10;

  explicit iterator(const records& of) : records_(&of), stride_(of.layout_.stride) { fill(); }

  void fill() {
    const std::uint64_t count_now = records_->layout_.count;
    if (position_ >= count_now) {
      next_ = nullptr;
      return;
    }
    const std::uint64_t left = count_now - position_;
    const std::size_t most = stride_ < target_buffer_size ? target_buffer_size / stride_ : 1;
    const std::size_t count = left < most ? static_cast<std::size_t>(left) : most;
    const std::size_t size = (count - 1) * stride_ + sizeof(T);
    if (size > buffer_size_) {
      buffer_ = std::make_unique_for_overwrite<char[]>(size);
      buffer_size_ = size;
    }
    records_->file_.read_at(records_->offset(position_), {buffer_.get(), size});
    position_ += count;
    next_ = buffer_.get();
    end_ = next_ + size;
  }

  const records* records_;
  std::size_t stride_;
  std::uint64_t position_ = 0;  // of the first record after the buffer
  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_size_ = 0;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace v0
}  // namespace leat
