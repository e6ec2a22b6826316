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

namespace {

const detail::any_value* first_of(const detail::any_value* args) { return args; }
const detail::gathered_field* first_of(const detail::gathered_fields* fields) {
  return fields->array();
}

/// Prints by the interpreter.
[[gnu::cold, gnu::noinline]] void interpret_steps(writer& to, const char* text,
                                                  detail::format_plan plan,
                                                  const detail::any_value* args) {
  const std::size_t count = plan.field_count();
#if LEAT_FORMAT_FMT
  if (detail::has_custom_arguments(args, count))
    return detail::print_custom_steps(to, text, plan, args);
#endif
  detail::vprint(to, {text, plan.text_size()}, args, count, plan.has_newline());
}
[[gnu::cold, gnu::noinline]] void interpret_steps(writer& to, const char* text,
                                                  detail::format_plan plan,
                                                  const detail::gathered_fields* fields) {
  detail::any_value arguments[detail::gathered_fields::most_arguments];
  fields->copy_arguments(arguments);
  detail::vprint(to, {text, plan.text_size()}, arguments, fields->argument_count(),
                 plan.has_newline());
}

}  // namespace

/// Prints into the buffer of the direct writer, or through the scratch memory.
template <class Fields>
[[gnu::noinline]] void detail::print_access::print_steps_elsewhere(writer& to, const char* text,
                                                                   format_plan plan,
                                                                   Fields fields) {
  const std::ptrdiff_t room = room_of_steps(plan);
  char* end = nullptr;
  if (writer* const direct_writer = to.direct_writer();
      direct_writer != nullptr && direct_writer->print_end_ - direct_writer->next_ >= room) {
    end = write_steps(direct_writer->next_, direct_writer->print_end_ - room, text, plan,
                      first_of(fields));
    if (end != nullptr) direct_writer->next_ = end;
  } else if (char* const memory = scratch(static_cast<std::size_t>(room))) {
    end = write_steps(memory, memory + scratch_room - room, text, plan, first_of(fields));
    if (end != nullptr) write_scratch(to, {memory, static_cast<std::size_t>(end - memory)});
  }
  if (end == nullptr) interpret_steps(to, text, plan, fields);
}

/// Prints into the writer's buffer, which has room.
template <class Fields>
[[gnu::noinline]] void detail::print_access::print_steps_in_buffer(writer& to, const char* text,
                                                                   format_plan plan,
                                                                   Fields fields) {
  char* const limit = to.print_end_ - room_of_steps(plan);
  char* const end = write_steps(to.next_, limit, text, plan, first_of(fields));
  if (end == nullptr) [[unlikely]]
    return interpret_steps(to, text, plan, fields);
  to.next_ = end;
}

/// Prints by steps. The two calls end the function, so it keeps nothing in registers for them.
template <class Fields>
[[gnu::always_inline]] inline void detail::print_access::print_steps(writer& to, const char* text,
                                                                     format_plan plan,
                                                                     Fields fields) {
  if (to.print_end_ - to.next_ < room_of_steps(plan)) [[unlikely]]
    return print_steps_elsewhere(to, text, plan, fields);
  print_steps_in_buffer(to, text, plan, fields);
}

void detail::print_steps(writer& to, const char* text, format_plan plan, const any_value* args) {
  print_access::print_steps(to, text, plan, args);
}

void detail::print_otherwise(writer& to, std::string_view text, format_plan plan,
                             const other_call& call, std::size_t count) {
  if (plan.text_size() == 0) return vprint(to, text, call.args, count, plan.has_newline());
  gathered_fields fields(call, count);
  const gathered_fields* const gathered = &fields;
  if (fields.gather(plan))
    print_access::print_steps(to, text.data(), plan, gathered);
  else
    interpret_steps(to, text.data(), plan, gathered);
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
