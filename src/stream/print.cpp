// print() and println(): the parts that are not inline.
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <string>

#include "base/memory_block.hpp"
#include "format/custom_steps.hpp"
#include "format/interpret.hpp"
#include "format/scratch.hpp"
#include "format/steps.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

[[gnu::cold]] void detail::print_access::write_scratch(writer& w, std::string_view bytes) noexcept {
  const detail::scratch_in_use held;
  w.write_slow(bytes);
}

/// Copies a line of at most copy_room bytes into the window of the writer or of its direct writer.
/// copy_room bytes from `line` on must be readable. Returns false if the line is longer than
/// copy_room, or if no window has copy_room bytes of room.
inline bool detail::print_access::write_short(writer& w, const char* line,
                                              std::size_t size) noexcept {
  if (size > copy_room) return false;
  const auto copy_to = [&](writer* to) {
    if (to == nullptr || to->print_end_ - to->next_ < static_cast<std::ptrdiff_t>(copy_room))
      return false;
    std::memcpy(to->next_, line, copy_room);
    to->next_ += size;
    return true;
  };
  return copy_to(&w) || copy_to(w.direct_writer());
}

/// The memory for output: the writer's window, or the window of its direct writer, or the scratch
/// memory.
struct detail::print_access::target {
  writer& to;
  gathered_values* gathered;

  bool begin(std::ptrdiff_t room, char*& begin, char*& limit) const noexcept {
    if (begin_in_window(to, room, begin, limit)) [[likely]]
      return true;
    if (writer* const direct_writer = to.direct_writer())
      if (begin_in_window(*direct_writer, room, begin, limit)) return true;
    return detail::begin_in_scratch(room, begin, limit);
  }
  static bool begin_in_window(const writer& w, std::ptrdiff_t room, char*& begin,
                              char*& limit) noexcept {
    if (w.print_end_ - w.next_ < room) return false;
    begin = w.next_;
    limit = w.print_end_ - room;
    return true;
  }
  void finish(char* begin, char* end) const noexcept {
    if (begin == to.next_) [[likely]]
      to.next_ = end;
    else if (writer* const direct_writer = to.direct_writer();
             direct_writer != nullptr && begin == direct_writer->next_)
      direct_writer->next_ = end;
    else
      write_scratch(to, {begin, static_cast<std::size_t>(end - begin)});
  }
  [[gnu::cold, gnu::noinline]] static void interpret_gathered(writer& to, const char* text,
                                                              detail::format_plan plan,
                                                              detail::gathered_values& values) {
    values.gather_arguments();
    detail::vprint(to, {text, plan.text_size()}, values.array(), values.argument_count(),
                   plan.has_newline());
  }
  [[gnu::cold, gnu::noinline]] void interpret(const char* text, detail::format_plan plan,
                                              const detail::any_value* args) const {
    if (gathered != nullptr) return interpret_gathered(to, text, plan, *gathered);
#if LEAT_FORMAT_FMT
    if (detail::has_custom_arguments(args, plan.field_count()))
      return detail::print_custom_steps(to, text, plan, args);
#endif
    detail::vprint(to, {text, plan.text_size()}, args, plan.field_count(), plan.has_newline());
  }
};

void detail::print_steps(writer& to, const char* text, format_plan plan, const any_value* args) {
  run_steps(print_access::target{to, nullptr}, text, plan, args);
}

void detail::print_otherwise(writer& to, std::string_view text, format_plan plan,
                             const other_call& call, std::size_t count) {
  if (plan.text_size() == 0) return vprint(to, text, call.args, count, plan.has_newline());
  gathered_values values(call, count);
  if (values.gather_fields(plan))
    run_steps(print_access::target{to, &values}, text.data(), plan, values.array());
  else
    print_access::target::interpret_gathered(to, text.data(), plan, values);
}

void detail::print_any(writer& to, const format_parts& format, const std::uint64_t* steps,
                       any_value* args, std::size_t count, bool newline) {
  packed_kinds kinds;
  for (std::size_t i = 0; i != count; ++i) {
    kinds.set(i, static_cast<std::size_t>(args[i].kind()));
    args[i].step = steps[i];
  }
  const format_plan plan = format.plan.with_flags(false, newline);
  if (format.way == format_way::in_order) return print_steps(to, format.text, plan, args);
  print_otherwise(to, {format.text, format.text_size}, plan,
                  {args, kinds, format.order, steps[count]}, count);
}

bool detail::print_access::whole_calls(const writer& w) noexcept {
  return w.sink_->needs_of_print(w).whole_calls;
}

std::string_view detail::print_access::own_memory(const writer& w) noexcept {
  return w.sink_->needs_of_print(w).own_memory;
}

namespace detail {

namespace {

/// Returns true if a write may move or overwrite the format or a text among the arguments.
bool may_overwrite(const writer& to, std::string_view format, const any_value* args,
                   std::size_t count) noexcept {
  const std::string_view memory = print_access::own_memory(to);
  if (memory.empty()) return false;
  if (overlap(memory, format)) return true;
  return std::any_of(args, args + count, [&](const any_value& one) {
    if (one.kind() == arg_kind::c_string && one.c_string != nullptr)
      return overlap(memory, {one.c_string, length_of(one.c_string)});
    return one.kind() == arg_kind::text && overlap(memory, one.text);
  });
}

template <class Call>
void format_whole(writer& to, const Call& call) {
  // Even if a formatter throws, call write() only once.
  string_writer whole;
  try {
    call(whole);
  } catch (...) {
    to.write(whole.view());
    throw;
  }
  if (!whole.error()) {
    to.write(whole.view());
  } else {  // no memory for the whole text: write several pieces
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
  if (print_access::whole_calls(to) || may_overwrite(to, format, args, count))
    format_whole(to, call);
  else
    call(to);
}

#if LEAT_FORMAT_FMT

void print_custom_steps(writer& to, const char* text, format_plan plan, const any_value* args) {
  // Formatters may print to the same writer, so a part of a line must not be in the writer's
  // buffer.
  fmt::memory_buffer whole;
  const auto write = [&] { to.write(std::string_view(whole.data(), whole.size())); };
  try {
    translate_errors([&] { append_steps(whole, text, plan, args); });
  } catch (...) {
    write();
    throw;
  }
  if (!print_access::write_short(to, whole.data(), whole.size())) write();
}

#endif

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

namespace {

#  if LEAT_FORMAT_FMT
using whole_text = fmt::memory_buffer;
#  else
using whole_text = std::string;
#  endif

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
  const auto format_to = [&](auto out) {
    translate_errors([&] {
      formatting::vformat_to(out, formatting::string_view(format.data(), format.size()), args);
    });
  };
  const auto in_pieces = [&] {
    format_to(writer_iterator{&to});
    if (newline) to.put('\n');
  };
  // Values of user-defined types may refer to the writer's text, and this function cannot know
  // whether a value does.
  if (!print_access::whole_calls(to) && print_access::own_memory(to).empty()) return in_pieces();
  whole_text whole;
  const auto write = [&] { to.write(std::string_view(whole.data(), whole.size())); };
  try {
    format_to(std::back_inserter(whole));
    if (newline) whole.push_back('\n');
  } catch (const std::bad_alloc&) {
    return in_pieces();
  } catch (...) {
    write();
    throw;
  }
  write();
}

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
