// The operators of leat's std::ostream and std::istream. If the stream's state permits, an operator
// works directly in the buffer; otherwise the operator calls std's operator. fstream.hpp declares
// the streams.
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/detail/stream_buffer.hpp>
#include <leat/format.hpp>
#include <leat/parse.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <iomanip>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace leat {
inline namespace v0 {
namespace detail {

/// An object that must be constructed before the bases that use it.
template <class T>
class base_member {
 protected:
  template <class... Args>
  explicit base_member(Args&&... args) : member_(std::forward<Args>(args)...) {}
  ~base_member() = default;

  T member_;
};

/// The additions of leat's streams to std::ostream, std::istream or std::iostream. A separate
/// class, because `condition ? file : leat::cout` needs a common type.
template <class Base>
class quick_base : public stream_core, public Base {
  static constexpr bool writes = std::derived_from<Base, std::ostream>;
  static constexpr bool reads = std::derived_from<Base, std::istream>;

 public:
  /// As std's functions of these names.
  quick_base& put(char c)
    requires writes
  {
    stream_buffer& to = this->buffer();
    if (!this->is_plain_at_any_width()) [[unlikely]]
      Base::put(c);
    else if (to.has_room_for_char()) [[likely]]
      to.put_char(c);
    else if (to.sputn(&c, 1) != 1)
      this->setstate(std::ios_base::badbit);
    return *this;
  }
  quick_base& write(const char* text, std::streamsize size)
    requires writes
  {
    stream_buffer& to = this->buffer();
    if (!this->is_plain_at_any_width() || size < 0) [[unlikely]]
      Base::write(text, size);
    else if (size <= to.room()) [[likely]]
      to.move_put_cursor(
          copy_within(to.cursor(), to.room_for_stores(), text, static_cast<std::size_t>(size)));
    else if (to.sputn(text, size) != size)
      this->setstate(std::ios_base::badbit);
    return *this;
  }

#ifdef __GLIBCXX__
  template <class... Args>
    requires(reads && sizeof...(Args) != 0)
  quick_base& get(Args&&... args) {
    Base::get(std::forward<Args>(args)...);
    return *this;
  }
  std::istream::int_type get()
    requires reads
  {
    stream_buffer& from = this->buffer();
    if (this->is_readable() && from.next() != from.end()) [[likely]] {
      const char c = *from.next();
      from.move_get_cursor(from.next() + 1);
      this->_M_gcount = 1;
      return static_cast<unsigned char>(c);
    }
    return Base::get();
  }
  quick_base& get(char& c)
    requires reads
  {
    stream_buffer& from = this->buffer();
    if (this->is_readable() && from.next() != from.end()) [[likely]] {
      c = *from.next();
      from.move_get_cursor(from.next() + 1);
      this->_M_gcount = 1;
    } else {
      Base::get(c);
    }
    return *this;
  }
#endif

 protected:
#ifdef __GLIBCXX__
  explicit quick_base(stream_buffer& buffer) : stream_core(buffer), Base(&buffer) {
    if (stream_core::begin(*this)) set_facets();
  }
  // Uses the constructor that std's streams have for std::iostream: it does not initialize
  // std::ios, and ignores its argument.
  explicit quick_base(stream_buffer& buffer)
    requires std::same_as<Base, std::ostream>
      : stream_core(buffer), Base(reinterpret_cast<std::iostream&>(buffer)) {
    this->_M_init();
    if (stream_core::begin(*this)) {
      this->set_rdbuf(&buffer);
      set_facets();
    } else {
      this->init(&buffer);
    }
  }
#else
  explicit quick_base(stream_buffer& buffer) : stream_core(buffer), Base(&buffer) {
    stream_core::begin(*this);
  }
#endif
  ~quick_base() override { stream_core::ending(*this); }

 private:
#ifdef __GLIBCXX__
  /// Sets the facets of leat's locale. std::ios::imbue() would look up all facets again.
  void set_facets() noexcept {
    const auto& leat_facets = stream_core::usual_facets();
    this->_M_ctype = leat_facets.characters;
    this->_M_num_put = leat_facets.to_put;
    this->_M_num_get = leat_facets.to_get;
  }
#endif
};

/// A quick_base whose functions return the class `Self`.
template <class Self, class Base>
class quick_stream : public quick_base<Base> {
  static constexpr bool writes = std::derived_from<Base, std::ostream>;
  static constexpr bool reads = std::derived_from<Base, std::istream>;

 public:
  Self& put(char c)
    requires writes
  {
    quick_base<Base>::put(c);
    return self();
  }
  Self& write(const char* text, std::streamsize size)
    requires writes
  {
    quick_base<Base>::write(text, size);
    return self();
  }
#ifdef __GLIBCXX__
  std::istream::int_type get()
    requires reads
  {
    return quick_base<Base>::get();
  }
  template <class... Args>
    requires(reads && sizeof...(Args) != 0)
  Self& get(Args&&... args) {
    quick_base<Base>::get(std::forward<Args>(args)...);
    return self();
  }
#endif

 protected:
  using quick_base<Base>::quick_base;

 private:
  Self& self() noexcept { return static_cast<Self&>(*this); }
};

template <class S>
concept quick_output = std::derived_from<S, stream_core> && std::derived_from<S, std::ostream>;
template <class S>
concept quick_input = std::derived_from<S, stream_core> && std::derived_from<S, std::istream>;

template <class T, class... Others>
concept one_of = (std::same_as<T, Others> || ...);

template <class T>
concept streamed_character = one_of<T, char, signed char, unsigned char>;
template <class T>
concept streamed_integer = one_of<T, short, unsigned short, int, unsigned, long, unsigned long,
                                  long long, unsigned long long>;
template <class T>
concept streamed_float = one_of<T, float, double, long double>;
template <class T>
concept streamed_text =
    one_of<T, std::string, std::string_view> || one_of<std::decay_t<T>, char*, const char*>;
template <class T>
concept streamed_manipulator =
    one_of<T, decltype(std::setw(0)), decltype(std::setprecision(0)), decltype(std::setfill(' ')),
           decltype(std::setbase(10)), decltype(std::setiosflags(std::ios_base::dec)),
           decltype(std::resetiosflags(std::ios_base::dec))>;
/// True for exactly these types: a type that converts to one of them may have its own operator.
template <class T>
concept streamed_number = streamed_character<T> || streamed_integer<T> || streamed_float<T> ||
                          one_of<T, bool, void*, const void*, std::nullptr_t>;
template <class T>
concept streamed_object = streamed_text<T> || streamed_manipulator<T>;
template <class T>
concept extracted_value = streamed_character<T> || streamed_integer<T> || streamed_float<T> ||
                          std::same_as<T, std::string> || streamed_manipulator<T>;

[[gnu::always_inline]] inline void insert(stream_core& core, std::ostream& s, char c) {
  stream_buffer& to = core.buffer();
  if (core.is_plain() && to.has_room_for_char()) [[likely]] {
    to.put_char(c);
  } else if (!insert_text(core, s, &c, 1)) {
    s << c;
  }
}

[[gnu::always_inline]] inline void insert(stream_core& core, std::ostream& s,
                                          std::string_view text) {
  stream_buffer& to = core.buffer();
  const std::size_t size = text.size();
  if (core.is_plain() && static_cast<std::ptrdiff_t>(size) <= to.room()) [[likely]]
    to.move_put_cursor(copy_within(to.cursor(), to.room_for_stores(), text.data(), size));
  else if (!insert_text(core, s, text.data(), size))
    s << text;
}

template <streamed_integer T>
[[gnu::always_inline]] inline void insert(stream_core& core, std::ostream& s, T value) {
  constexpr bool is_signed = std::is_signed_v<T>;
  using written = std::conditional_t<(sizeof(T) > 4),
                                     std::conditional_t<is_signed, std::int64_t, std::uint64_t>,
                                     std::conditional_t<is_signed, std::int32_t, std::uint32_t>>;
  stream_buffer& to = core.buffer();
  if (core.is_plain(integer_flags, std::ios_base::dec) && to.has_room(integer_room)) [[likely]]
    to.move_put_cursor(write_value(to.cursor(), static_cast<written>(value)));
  else if (!insert_integer(core, s, static_cast<std::uint64_t>(value), sizeof value, is_signed))
    s << value;
}

template <class T>
[[gnu::always_inline]] inline void insert_value(stream_core& core, std::ostream& s,
                                                const T& value) {
  if constexpr (streamed_character<T>) {
    insert(core, s, static_cast<char>(value));
  } else if constexpr (streamed_integer<T>) {
    insert(core, s, value);
  } else if constexpr (std::same_as<T, bool>) {
    stream_buffer& to = core.buffer();
    if (core.is_plain(integer_flags | std::ios_base::boolalpha, std::ios_base::dec) &&
        to.has_room_for_char()) [[likely]] {
      to.put_char(value ? '1' : '0');
    } else {
      s << value;
    }
  } else if constexpr (streamed_float<T>) {
    using written = std::conditional_t<std::same_as<T, float>, double, T>;
    if (!insert_float(core, s, static_cast<written>(value))) s << value;
  } else if constexpr (std::is_pointer_v<std::decay_t<T>> && streamed_text<T>) {
    const char* const text = value;
    if (text != nullptr)
      insert(core, s, std::string_view(text));
    else
      s << text;
  } else if constexpr (streamed_text<T>) {
    insert(core, s, std::string_view(value));
  } else if constexpr (one_of<T, void*, const void*>) {
    if (!insert_pointer(core, s, value)) s << value;
  } else {
    s << value;  // a manipulator, or nullptr
  }
}

/// The compiler knows the result for a manipulator that it can see.
[[gnu::always_inline]] inline bool is_endl(std::ostream& (*manipulate)(std::ostream&)) {
  std::ostream& (*const endl)(std::ostream&) = std::endl;
  return manipulate == endl;
}
/// Writes a newline, flushes, and returns true. If the stream's state is not ordinary, does nothing
/// and returns false.
inline bool insert_endl(stream_core& core, std::ostream& s) {
  if (!core.is_plain_at_any_width() || !core.is_classic()) return false;
  stream_buffer& to = core.buffer();
  using traits = std::ostream::traits_type;
  if (traits::eq_int_type(to.sputc('\n'), traits::eof()) || to.pubsync() != 0)
    s.setstate(std::ios_base::badbit);
  return true;
}

template <class T>
[[gnu::noinline]] void extract_slowly(stream_core& core, std::istream& s, T& value) {
  core.recheck_locale(s);
  stream_buffer& from = core.buffer();
  constexpr auto mask = std::ios_base::skipws | std::ios_base::basefield;
  if (core.is_readable(mask, std::ios_base::skipws | std::ios_base::dec) && from.ends_here())
    if (const char* const stop = read_value(from.next(), from.end(), true, value)) {
      const bool at_end = stop == from.end();
      from.move_get_cursor(stop);
      if (at_end) s.setstate(std::ios_base::eofbit);
      return;
    }
  s >> value;
}

template <class T>
  requires(streamed_integer<T> || streamed_float<T>)
[[gnu::always_inline]] inline void extract(stream_core& core, std::istream& s, T& value) {
  stream_buffer& from = core.buffer();
  constexpr auto mask = streamed_integer<T> ? std::ios_base::skipws | std::ios_base::basefield
                                            : std::ios_base::skipws;
  constexpr auto wanted =
      streamed_integer<T> ? std::ios_base::skipws | std::ios_base::dec : std::ios_base::skipws;
  if (core.is_readable(mask, wanted)) [[likely]] {
    if (const char* const stop = read_value(from.next(), from.end(), false, value)) [[likely]] {
      from.move_get_cursor(stop);
      return;
    }
  }
  extract_slowly(core, s, value);
}

template <streamed_character T>
[[gnu::always_inline]] inline void extract(stream_core& core, std::istream& s, T& value) {
  stream_buffer& from = core.buffer();
  if (core.is_readable() && core.is_classic()) [[likely]] {
    const char* at = from.next();
    const char* const end = from.end();
    if ((s.flags() & std::ios_base::skipws) != no_flags)
      while (at != end && is_blank(*at)) ++at;
    if (at != end) [[likely]] {
      value = static_cast<T>(*at);
      from.move_get_cursor(at + 1);
      return;
    }
  }
  core.recheck_locale(s);
  s >> value;
}

inline void extract(stream_core& core, std::istream& s, std::string& value) {
  stream_buffer& from = core.buffer();
  if (core.is_readable() && core.is_classic() && s.width() == 0 &&
      (s.flags() & std::ios_base::skipws) != no_flags) [[likely]] {
    if (take_word(from, value)) [[likely]]
      return;
  }
  core.recheck_locale(s);
  s >> value;
}

}  // namespace detail

// For leat's streams these overloads are better matches than std's operators. All other operators
// return a std::ostream& or std::istream&. So after one of the other operators, the rest of a
// statement uses std's operators, with leat's facets for numbers.

/// Takes the value by value, as std's operators do: a reference to a static constant of a class
/// would need the definition of the constant.
template <detail::quick_output S, detail::streamed_number T>
[[gnu::always_inline]] inline S& operator<<(S& stream, T value) {
  detail::insert_value<T>(stream, stream, value);
  return stream;
}
template <detail::quick_output S, detail::streamed_object T>
[[gnu::always_inline]] inline S& operator<<(S& stream, const T& value) {
  detail::insert_value<T>(stream, stream, value);
  return stream;
}
template <detail::quick_output S>
S& operator<<(S& stream, std::ostream& (*manipulate)(std::ostream&)) {
  if (!detail::is_endl(manipulate) || !detail::insert_endl(stream, stream)) manipulate(stream);
  return stream;
}
template <detail::quick_output S>
S& operator<<(S& stream, std::ios& (*manipulate)(std::ios&)) {
  manipulate(stream);
  return stream;
}
template <detail::quick_output S>
S& operator<<(S& stream, std::ios_base& (*manipulate)(std::ios_base&)) {
  manipulate(stream);
  return stream;
}

template <detail::quick_input S, detail::extracted_value T>
  requires(!detail::streamed_manipulator<T>)
[[gnu::always_inline]] inline S& operator>>(S& stream, T& value) {
  detail::extract(stream, stream, value);
  return stream;
}
template <detail::quick_input S, detail::streamed_manipulator T>
S& operator>>(S& stream, const T& manipulator) {
  static_cast<std::istream&>(stream) >> manipulator;
  return stream;
}
template <detail::quick_input S>
S& operator>>(S& stream, std::istream& (*manipulate)(std::istream&)) {
  manipulate(stream);
  return stream;
}
template <detail::quick_input S>
S& operator>>(S& stream, std::ios& (*manipulate)(std::ios&)) {
  manipulate(stream);
  return stream;
}
template <detail::quick_input S>
S& operator>>(S& stream, std::ios_base& (*manipulate)(std::ios_base&)) {
  manipulate(stream);
  return stream;
}

// leat::cin, leat::cout, leat::cerr and leat::clog have a type of this namespace, and an operator
// between two values is looked up in the namespaces of their types.
namespace detail {
using leat::v0::operator<<;
using leat::v0::operator>>;
}  // namespace detail

}  // namespace v0
}  // namespace leat
