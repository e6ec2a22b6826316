// Facets that write the numbers of std::ostream by leat's writers, and read the numbers of
// std::istream by leat's parsers. The facets work directly in the buffers of leat's own streams. On
// other streams that have fast_locale(), the facets work through iterators. This file also has
// stream_core's look-ups of locales.
#include <leat/detail/copy.hpp>
#include <leat/detail/stream_buffer.hpp>
#include <leat/fstream.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <locale>
#include <typeinfo>

#include "iostreams/insert.hpp"
#include "parse/read_value.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

using std::ios_base;
using put_iterator = std::ostreambuf_iterator<char>;
using get_iterator = std::istreambuf_iterator<char>;

const std::locale& locale_of_leat();

/// Returns the pointer at the start of an iterator.
template <class Iterator>
std::streambuf* buffer_of(const Iterator& at) {
  struct {
    std::streambuf* buffer;
  } head;
  static_assert(sizeof at >= sizeof head);
  std::memcpy(&head, static_cast<const void*>(&at), sizeof head);
  return head.buffer;
}

#ifdef __GLIBCXX__

bool is_same_locale(const std::locale& a, const std::locale& b) noexcept {
  return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof a) == 0;
}

bool has_leat_locale(const ios_base& s) { return is_same_locale(s._M_getloc(), locale_of_leat()); }

/// Returns the buffer of an iterator if the buffer is leat's and `s` has leat's locale. Otherwise
/// returns null. libstdc++'s iterators begin with a pointer to their buffer.
template <class Iterator>
stream_buffer* own_buffer_of(ios_base& s, const Iterator& at) {
  if (!has_leat_locale(s)) return nullptr;
  std::streambuf* const buffer = buffer_of(at);
  if (buffer == nullptr) return nullptr;
  const std::type_info* const type = &typeid(*buffer);
  const bool is_own = type == &typeid(file_buffer) || type == &typeid(string_buffer) ||
                      type == &typeid(window_buffer);
  return is_own ? static_cast<stream_buffer*>(buffer) : nullptr;
}

#else

int core_slot() {
  static const int index = ios_base::xalloc();
  return index;
}

bool has_leat_locale(const ios_base& s) { return s.getloc() == locale_of_leat(); }

/// Returns the buffer of an iterator if the buffer is the leat buffer of `s`, and `s` has the
/// classic locale or leat's locale. Otherwise returns null. The layout of an iterator is unknown.
/// If an iterator's first bytes are not a pointer to the buffer, the comparison fails and the
/// result is null.
template <class Iterator>
stream_buffer* own_buffer_of(ios_base& s, const Iterator& at) {
  auto* const core = static_cast<stream_core*>(s.pword(core_slot()));
  if (core == nullptr || !core->is_classic(s)) return nullptr;
  return buffer_of(at) == &core->buffer() ? &core->buffer() : nullptr;
}

#endif

class number_put final : public std::num_put<char> {
 protected:
  using base = std::num_put<char>;

  put_iterator do_put(put_iterator to, ios_base& s, char fill, bool v) const override {
    // With these flags, standard libraries print a bool in different ways.
    if ((s.flags() & (ios_base::boolalpha | ios_base::showpos)) != 0)
      return base::do_put(to, s, fill, v);
    return put_integer(to, s, fill, static_cast<long>(v));
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill, long v) const override {
    return put_integer(to, s, fill, v);
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill, unsigned long v) const override {
    return put_integer(to, s, fill, v);
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill, long long v) const override {
    return put_integer(to, s, fill, v);
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill,
                      unsigned long long v) const override {
    return put_integer(to, s, fill, v);
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill, double v) const override {
    return put_float(to, s, fill, v);
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill, long double v) const override {
    return put_float(to, s, fill, v);
  }
  put_iterator do_put(put_iterator to, ios_base& s, char fill, const void* v) const override {
    return base::do_put(to, s, fill, v);
  }

 private:
  static field_style style_of(const ios_base& s, char fill) {
    return {s.flags(), s.width(), s.precision(), fill};
  }

  static put_iterator put_text(put_iterator to, stream_buffer* own_buffer, ios_base& s,
                               std::string_view text) {
    s.width(0);
    if (own_buffer != nullptr && own_buffer->room() >= static_cast<std::ptrdiff_t>(text.size())) {
      own_buffer->move_put_cursor(copy_within(own_buffer->cursor(), own_buffer->room_for_stores(),
                                              text.data(), text.size()));
      return to;
    }
    return std::copy(text.begin(), text.end(), to);
  }

  template <class T>
  put_iterator put_integer(put_iterator to, ios_base& s, char fill, T v) const {
    stream_buffer* const own_buffer = own_buffer_of(s, to);
    if (own_buffer == nullptr && !has_leat_locale(s)) return base::do_put(to, s, fill, v);
    constexpr bool is_signed = std::numeric_limits<T>::is_signed;
    const auto bits = static_cast<std::uint64_t>(v);
    char digits[integer_memory];
    const field_style style = style_of(s, fill);
    std::string_view text = integer_text(digits, style, bits, sizeof v, is_signed);
    if (style.width <= static_cast<std::streamsize>(text.size())) [[likely]]
      return put_text(to, own_buffer, s, text);
    field_memory memory;
    return put_text(to, own_buffer, s,
                    padded_integer(memory, digits, style, bits, sizeof v, is_signed));
  }

  template <class T>
  put_iterator put_float(put_iterator to, ios_base& s, char fill, T v) const {
    stream_buffer* const own_buffer = own_buffer_of(s, to);
    if ((own_buffer == nullptr && !has_leat_locale(s)) || !is_portable_float(s, v))
      return base::do_put(to, s, fill, v);
    field_memory memory;
    return put_text(to, own_buffer, s, padded_float(memory, style_of(s, fill), v));
  }
};

/// A streambuf of characters that were taken from an iterator, followed by the characters that the
/// iterator still has.
class replay_buffer final : public std::streambuf {
 public:
  replay_buffer(const char* text, std::size_t size, get_iterator& at, const get_iterator& end)
      : at_(at), end_(end) {
    char* const start = const_cast<char*>(text);  // never written
    setg(start, start, start + size);
  }

 protected:
  int_type underflow() override {
    if (gptr() != egptr()) return traits_type::to_int_type(*gptr());
    return at_ == end_ ? traits_type::eof() : traits_type::to_int_type(*at_);
  }
  int_type uflow() override {
    if (gptr() != egptr()) {
      const int_type c = traits_type::to_int_type(*gptr());
      gbump(1);
      return c;
    }
    if (at_ == end_) return traits_type::eof();
    const int_type c = traits_type::to_int_type(*at_);
    ++at_;
    return c;
  }

 private:
  get_iterator& at_;
  const get_iterator& end_;
};

constexpr bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

/// Collects the characters of a number from an iterator: at most 64 characters, and only characters
/// that every standard library takes.
class number_characters {
 public:
  number_characters(get_iterator& at, const get_iterator& end) : at_(at), end_(end) {}

  bool take_if(bool (*wanted)(char)) {
    if (size_ == sizeof text_ || at_ == end_) return false;
    const char c = *at_;
    if (!wanted(c)) return false;
    text_[size_++] = c;
    ++at_;
    return true;
  }
  bool take_all(bool (*wanted)(char)) {
    const std::size_t before = size_;
    while (take_if(wanted)) {
    }
    return size_ != before;
  }
  bool is_full() const { return size_ == sizeof text_; }
  const char* begin() const { return text_; }
  const char* end() const { return text_ + size_; }
  std::size_t size() const { return size_; }

 private:
  get_iterator& at_;
  const get_iterator& end_;
  std::size_t size_ = 0;
  char text_[64];
};

class number_get final : public std::num_get<char> {
 protected:
  using base = std::num_get<char>;
  using state = ios_base::iostate;

  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      long& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      unsigned short& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      unsigned int& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      unsigned long& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      long long& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      unsigned long long& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      float& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      double& v) const override {
    return get(at, end, s, error, v);
  }
  get_iterator do_get(get_iterator at, get_iterator end, ios_base& s, state& error,
                      long double& v) const override {
    return get(at, end, s, error, v);
  }

 private:
  template <class T>
  get_iterator get(get_iterator at, const get_iterator& end, ios_base& s, state& error,
                   T& v) const {
    stream_buffer* const own_buffer = own_buffer_of(s, at);
    const bool usual = own_buffer != nullptr || has_leat_locale(s);
    if (!usual || (std::integral<T> && (s.flags() & ios_base::basefield) != ios_base::dec))
      return base::do_get(at, end, s, error, v);
    if (own_buffer != nullptr && end == get_iterator()) {
      stream_buffer& from = *own_buffer;
      if (from.next() != from.end()) {
        if (const char* const stop = take_portable_number(from.next(), from.end(), false, v)) {
          from.move_get_cursor(stop);
          error = ios_base::goodbit;
          return get_iterator(&from);
        }
      }
    }
    return get_piecewise(at, end, s, error, v);
  }

  template <class T>
  get_iterator get_piecewise(get_iterator at, const get_iterator& end, ios_base& s, state& error,
                             T& v) const {
    constexpr auto is_sign = [](char c) { return c == '+' || c == '-'; };
    number_characters text(at, end);
    text.take_if(is_sign);
    bool has_digits = text.take_all(is_decimal);
    if constexpr (std::floating_point<T>) {
      if (text.take_if([](char c) { return c == '.'; })) has_digits |= text.take_all(is_decimal);
      if (has_digits && text.take_if([](char c) { return c == 'e' || c == 'E'; })) {
        text.take_if(is_sign);
        text.take_all(is_decimal);
      }
    }
    const char* begin = text.begin();
    const bool at_end = at == end;
    if (begin != text.end() && *begin == '+') ++begin;
    if (!text.is_full() && begin != text.end() && !(begin != text.begin() && *begin == '-') &&
        (at_end || ends_number<T>(*at)) &&
        take_portable_number(begin, text.end(), true, v) == text.end()) {
      error = at_end ? ios_base::eofbit : ios_base::goodbit;
      return at;
    }
    replay_buffer again(text.begin(), text.size(), at, end);
    base::do_get(get_iterator(&again), get_iterator(), s, error, v);
    return at;
  }
};

const std::locale& locale_of_leat() {
  // Never destroyed: streams of static objects may use the locale until the process ends.
  static const std::locale& shared =
      *new std::locale(std::locale(std::locale::classic(), new number_put), new number_get);
  return shared;
}

}  // namespace

stream_core::~stream_core() = default;

#ifdef __GLIBCXX__

bool stream_core::begin(std::ios& s) {
  state_ = &s;
  const bool replaces_locale = is_same_locale(s._M_getloc(), std::locale::classic());
  if (replaces_locale) s.std::ios_base::imbue(locale_of_leat());
  find_locale(s);
  return replaces_locale;
}

void stream_core::find_locale(ios_base& s) {
  const std::locale& now = s._M_getloc();
  const std::locale& leats = locale_of_leat();
  const std::locale& usual = is_same_locale(now, std::locale::classic()) ? now : leats;
  std::memcpy(&recognized_locale_, static_cast<const void*>(&usual), sizeof recognized_locale_);
}

const stream_core::facets& stream_core::usual_facets() noexcept {
  static const facets all{&std::use_facet<std::ctype<char>>(locale_of_leat()),
                          &std::use_facet<std::num_put<char>>(locale_of_leat()),
                          &std::use_facet<std::num_get<char>>(locale_of_leat())};
  return all;
}

void stream_core::moved(ios_base& /*s*/) noexcept {}
void stream_core::ending(ios_base& /*s*/) noexcept {}

#else

bool stream_core::begin(std::ios& s) {
  state_ = &s;
  const bool replaces_locale = s.getloc() == std::locale::classic();
  if (replaces_locale) s.imbue(locale_of_leat());
  s.pword(core_slot()) = this;
  s.register_callback(changed, core_slot());
  set_classic(replaces_locale || s.getloc() == locale_of_leat());
  return replaces_locale;
}

void stream_core::moved(ios_base& s) noexcept {
  s.pword(core_slot()) = nullptr;
  forget_locale();
}

void stream_core::ending(ios_base& s) noexcept { s.pword(core_slot()) = nullptr; }

void stream_core::find_locale(ios_base& s) {
  const std::locale now = s.getloc();
  if (s.pword(core_slot()) != this) {
    s.pword(core_slot()) = this;
    s.register_callback(changed, core_slot());
  }
  set_classic(now == std::locale::classic() || now == locale_of_leat());
}

/// Makes the core look up the stream's locale again before the next use. The standard library calls
/// this function when a stream's locale changes, in copyfmt(), and when the stream ends.
void stream_core::changed(ios_base::event what, ios_base& s, int index) {
  if (what == ios_base::copyfmt_event) {
    // copyfmt() has copied the slot and this callback from the other stream.
    auto* const own = dynamic_cast<stream_core*>(&s);
    s.pword(index) = own;
    if (own != nullptr) own->forget_locale();
    return;
  }
  if (auto* const core = static_cast<stream_core*>(s.pword(index))) core->forget_locale();
  // After erase_event this callback may be unregistered, so find_locale() checks the slot.
  if (what == ios_base::erase_event) s.pword(index) = nullptr;
}

#endif

}  // namespace detail

std::locale fast_locale() { return detail::locale_of_leat(); }

}  // namespace v0
}  // namespace leat
