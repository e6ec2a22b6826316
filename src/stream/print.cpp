#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <iterator>

#include "format/interpret.hpp"
#include "format/scratch.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

void print_access::write_scratch(writer& w, std::string_view bytes) noexcept {
  const detail::scratch_in_use held;
  w.write_slow(bytes);
}

bool print_access::whole_calls(const writer& w) noexcept { return w.sink_->whole_calls(); }

namespace detail {

namespace {

template <class Call>
void format_whole(writer& to, const Call& call) {
  // The output of one call must arrive in one piece, even if a formatter throws.
  string_writer whole;
  try {
    call(whole);
  } catch (...) {
    to.write(whole.view());
    throw;
  }
  if (!whole.error()) {
    to.write(whole.view());
  } else {  // no memory for one piece: write in several
    whole.clear();
    call(to);
  }
}

class writer_output final : public text_output {
 public:
  explicit writer_output(writer& to) noexcept : to_(to) {}
  void write(std::string_view text) override { to_.write(text); }

 private:
  writer& to_;
};

}  // namespace

void vprint(writer& to, std::string_view format, const any_value* args, std::size_t count,
            bool newline) {
  const auto call = [&](writer& w) {
    writer_output out(w);
    interpret(out, format, args, count);
    if (newline) w.put('\n');
  };
  if (print_access::whole_calls(to))
    format_whole(to, call);
  else
    call(to);
}

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

namespace {

/// An output iterator that writes to a writer.
struct writer_iterator {
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  writer* to;
  writer_iterator& operator=(char c) {
    to->put(c);
    return *this;
  }
  writer_iterator& operator*() { return *this; }
  writer_iterator& operator++() { return *this; }
  writer_iterator operator++(int) { return *this; }
};

}  // namespace

void vprint_custom(writer& to, std::string_view format, formatting::format_args args,
                   bool newline) {
  const auto call = [&](writer& w) {
    translated([&] {
      formatting::vformat_to(writer_iterator{&w},
                             formatting::string_view(format.data(), format.size()), args);
    });
    if (newline) w.put('\n');
  };
  if (print_access::whole_calls(to))
    format_whole(to, call);
  else
    call(to);
}

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
