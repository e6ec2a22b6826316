// The readers of leat.h, over the readers of C++; and functions of leat.h for texts and whole
// files.
#include <leat/c/files.h>
#include <leat/fields.hpp>
#include <leat/follow.hpp>
#include <leat/parse.hpp>
#include <leat/split.hpp>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "c/device.hpp"
#include "c/errors.hpp"
#include "c/options.hpp"
#include "c/streams.hpp"

struct leat_finder {
  leat::finder needle;
};

namespace leat {
inline namespace v0 {
namespace c {

namespace {

/// Converts the options for one way to open a stream. If the program has set an option that this
/// way does not have, except local_only, throws std::invalid_argument.
template <class Options>
Options to_cpp(const leat_reader_options& asked) {
  Options how;
  LEAT_OPTION(buffer_size, asked.buffer_size);
  LEAT_OPTION(pattern, c::to_cpp(asked.pattern));
  LEAT_OPTION(caching, c::to_cpp(asked.caching));
  LEAT_OPTION(live, asked.live != 0);
  LEAT_OPTION(window_limit, limit_of(asked.window_limit));
  LEAT_OPTION(compression, c::to_cpp(asked.compression));
  LEAT_OPTION(limit, limit_of(asked.limit));
  LEAT_OPTION(codec_memory, asked.codec_memory != 0 ? asked.codec_memory : how.codec_memory);
  LEAT_OPTION(background, asked.background != 0);
  if constexpr (requires { how.local_only; }) how.local_only = asked.local_only != 0;
  return how;
}

/// Returns a leat_reader that owns the stream of open(options). If `open` fails, records the
/// failure, sets errno and returns null.
template <class Open>
leat_reader* open_reader(const leat_reader_options* options, const Open& open) {
  return result_or(static_cast<leat_reader*>(nullptr),
                   [&] { return new leat_reader(open(options_or_default(options))); });
}

bool same(const line_options& a, const line_options& b) noexcept {
  return a.delimiter == b.delimiter && a.crlf == b.crlf && a.longest == b.longest;
}

bool same(const row_options& a, const row_options& b) noexcept {
  return a.delimiter == b.delimiter && a.quotes == b.quotes && a.lf_only == b.lf_only &&
         a.longest == b.longest;
}

void assign(std::string_view found, leat_text& line) noexcept { line = text_of(found); }
void assign(const row& found, leat_row& row) noexcept {
  row = {text_of(found.text()), found.size(), &found};
}

/// Stores in `element` the next element of a range that is kept between calls. If no range is kept
/// or the options have changed, makes a range first. Returns 1; 0 at the end; -1 and errno on
/// errors. At the end and on errors, destroys the range and clears `element`.
template <class KeptRange, class Options, class Element>
int next(reader& in, std::unique_ptr<KeptRange>& kept, const Options* options,
         Element& element) noexcept {
  const int result = result_or(-1, [&] {
    const auto settings = c::to_cpp(options);
    if (kept == nullptr || !same(kept->options, settings))
      kept = std::make_unique<KeptRange>(in, settings);
    if (std::exchange(kept->is_started, true))
      ++kept->current;
    else
      kept->current = kept->range.begin();
    if (kept->current == kept->range.end()) return 0;
    assign(*kept->current, element);
    return 1;
  });
  if (result != 1) {
    kept.reset();
    element = {};
  }
  return result;
}

/// Copies bytes and a NUL to memory of malloc. The caller calls free. Throws std::bad_alloc.
char* copy_of(std::string_view bytes) {
  auto* const copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

template <class T>
int parse_next(leat_reader& from, T& value) noexcept {
  return result_or(-1, [&] {
    const std::optional<T> found = from.in->parse<T>();
    if (found) value = *found;
    return found ? 1 : 0;
  });
}

template <class T>
int store_parsed(const parse_result<T>& result, T& value, leat_text* rest) noexcept {
  if (rest != nullptr) *rest = text_of(result.rest);
  if (!result) return fail_with(static_cast<int>(result.ec), -1);
  value = result.value;
  return 0;
}

/// Returns the text of make_view(). If `make_view` throws, records the failure, sets errno and
/// returns a text with a null pointer.
template <class MakeView>
leat_text text_or_null(const MakeView& make_view) noexcept {
  return result_or(leat_text{}, [&] { return text_of(make_view()); });
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_reader* leat_reader_open(const char* path, const leat_reader_options* options) {
  return open_reader(options, [&](const leat_reader_options& asked) {
    return leat::open(path_of(path, asked.inside), to_cpp<leat::open_options>(asked));
  });
}

leat_reader* leat_reader_open_or_stdin(const char* path, const leat_reader_options* options) {
  return open_reader(options, [&](const leat_reader_options& asked) {
    return leat::open_or_stdin(path_of(path, asked.inside), to_cpp<leat::open_options>(asked));
  });
}

leat_reader* leat_reader_map(const char* path, const leat_reader_options* options) {
  return open_reader(options, [&](const leat_reader_options& asked) {
    return leat::map_file(path_of(path, asked.inside), to_cpp<leat::map_options>(asked));
  });
}

leat_text leat_reader_mapped(const leat_reader* reader) {
  const auto* const mapping = std::get_if<leat::mapped_file>(&reader->owned_stream);
  return mapping != nullptr ? text_of(mapping->view()) : fail_with(EINVAL, leat_text{});
}

int leat_guard_mappings(int on) { return static_cast<int>(leat::guard_mappings(on != 0)); }

leat_reader* leat_reader_follow(const char* path, const leat_follow_options* options) {
  return result_or(static_cast<leat_reader*>(nullptr), [&] {
    const leat_follow_options asked = options_or_default(options);
    std::stop_source stop;
    leat::follow_options settings;
    if (asked.begins_at_end != 0) settings.last_lines = asked.last_lines;
    if (asked.timeout != 0) settings.timeout = milliseconds(asked.timeout);
    if (asked.no_wait != 0) settings.timeout = {};
    settings.window_limit = limit_of(asked.window_limit);
    settings.stop = stop.get_token();
    auto follower = std::make_unique<leat_reader>(leat::follow(path_of(path), settings));
    follower->stop = std::move(stop);
    return follower.release();
  });
}

int leat_reader_stop(leat_reader* reader) {
  if (!reader->stop.stop_possible()) return fail_with(EINVAL, -1);
  reader->stop.request_stop();
  return 0;
}

leat_reader* leat_reader_of_memory(const void* bytes, size_t size) {
  return open_reader(nullptr, [&](const leat_reader_options&) {
    return leat::memory_reader(view_of(bytes, size));
  });
}

leat_reader* leat_reader_over(leat_device* device, const leat_reader_options* options,
                              const char* name) {
  return open_reader(options, [&](const leat_reader_options& asked) {
    refuse_inside(asked.inside);
    return leat::file_reader(make_device_view(*device), to_cpp<leat::reader_options>(asked),
                             name != nullptr ? name : "<device>");
  });
}

size_t leat_reader_split(const char* path, size_t parts, char delimiter,
                         const leat_reader_options* options, leat_reader** readers) {
  return result_or(size_t{0}, [&] {
    const leat_reader_options asked = options_or_default(options);
    refuse_inside(asked.inside);
    if (parts == 0) throw std::invalid_argument("a file has at least one part");
    auto settings = to_cpp<leat::split_options>(asked);
    settings.delimiter = delimiter;
    std::vector<std::unique_ptr<leat_reader>> part_readers;
    for (auto& part : leat::split(path_of(path), parts, settings))
      part_readers.push_back(std::make_unique<leat_reader>(std::move(part)));
    for (size_t i = 0; i != part_readers.size(); ++i) readers[i] = part_readers[i].release();
    return part_readers.size();
  });
}

leat_reader* leat_reader_stdin(void) {
  static auto* const reader = new (std::nothrow) leat_reader(&leat::in);  // never deleted
  return reader != nullptr ? reader : fail_with(ENOMEM, static_cast<leat_reader*>(nullptr));
}

int leat_reader_close(leat_reader* reader) {
  if (reader == nullptr || reader->owned_stream.index() == 0) return 0;
  const int result = status_of([&] { reader->in->close(); });
  delete reader;
  return result;
}

int leat_reader_error(const leat_reader* reader) {
  const std::error_code ec = reader->in->error();
  return ec ? leat::errno_of(ec) : 0;
}

int leat_reader_fileno(const leat_reader* reader) {
  int descriptor = -1;
  if (const auto* const file = std::get_if<leat::file_reader>(&reader->owned_stream))
    descriptor = descriptor_of_handle(file->native_handle());
  else if (const auto* const mapping = std::get_if<leat::mapped_file>(&reader->owned_stream))
    descriptor = descriptor_of_handle(mapping->native_handle());
  return descriptor >= 0 ? descriptor : fail_with(EBADF, -1);
}

int leat_reader_get(leat_reader* reader) {
  return result_or(-2, [&] { return reader->in->get(); });
}

ssize_t leat_reader_read(leat_reader* reader, void* to, size_t size) {
  return result_or(ssize_t{-1}, [&] {
    return static_cast<ssize_t>(reader->in->read(std::span(static_cast<char*>(to), size)));
  });
}

int leat_reader_read_exactly(leat_reader* reader, void* to, size_t size) {
  return status_of([&] { reader->in->read_exactly(std::span(static_cast<char*>(to), size)); });
}

int leat_reader_read_all(leat_reader* reader, size_t limit, char** bytes, size_t* size) {
  return status_of([&] {
    const std::string all = reader->in->read_all(limit_of(limit));
    *bytes = copy_of(all);
    *size = all.size();
  });
}

leat_text leat_reader_peek(leat_reader* reader, size_t size) {
  return text_or_null([&] { return reader->in->peek(size); });
}

leat_text leat_reader_window(leat_reader* reader) {
  return text_or_null([&] { return reader->in->window(); });
}

leat_text leat_reader_buffered(const leat_reader* reader) {
  return text_of(reader->in->buffered());
}

leat_off_t leat_reader_skip(leat_reader* reader, uint64_t size) {
  return result_or(leat_off_t{-1}, [&] { return static_cast<leat_off_t>(reader->in->skip(size)); });
}

int leat_reader_seek(leat_reader* reader, uint64_t position) {
  return status_of([&] { reader->in->seek(position); });
}

int leat_reader_seek_by(leat_reader* reader, leat_off_t offset) {
  return status_of([&] { reader->in->seek_by(offset); });
}

uint64_t leat_reader_tell(const leat_reader* reader) { return reader->in->tell(); }

leat_off_t leat_reader_size(const leat_reader* reader) {
  return result_or(leat_off_t{-1}, [&] { return static_cast<leat_off_t>(reader->in->size()); });
}

int leat_reader_next_line(leat_reader* reader, const leat_line_options* options, leat_text* line) {
  return next(*reader->in, reader->lines, options, *line);
}

int leat_reader_previous_line(leat_reader* reader, const leat_line_options* options,
                              leat_text* line) {
  return next(*reader->in, reader->lines_backwards, options, *line);
}

int leat_reader_line_around(leat_reader* reader, const leat_line_options* options, leat_text* line,
                            uint64_t* start) {
  *line = {};
  return result_or(-1, [&] {
    const leat::placed_line found = reader->in->line_around(leat::c::to_cpp(options));
    if (found.text.data() == nullptr) return 0;
    *line = text_of(found.text);
    if (start != nullptr) *start = found.start;
    return 1;
  });
}

int leat_reader_next_word(leat_reader* reader, leat_text* word) {
  *word = {};
  return result_or(-1, [&] {
    auto words = reader->in->words();
    const auto first = words.begin();
    if (first == words.end()) return 0;
    *word = text_of(*first);
    return 1;
  });
}

int leat_reader_next_row(leat_reader* reader, const leat_row_options* options, leat_row* row) {
  return next(*reader->in, reader->rows, options, *row);
}

leat_text leat_row_field(const leat_row* row, size_t column) {
  if (column >= row->fields) return {};
  return text_of((*static_cast<const leat::row*>(row->of))[column]);
}

size_t leat_count(leat_text text, char byte) {
  return leat::count(view_of(text.bytes, text.size), byte);
}

leat_finder* leat_finder_new(const void* needle, size_t size) {
  return result_or(static_cast<leat_finder*>(nullptr),
                   [&] { return new leat_finder{leat::finder(view_of(needle, size))}; });
}

void leat_finder_free(leat_finder* finder) { delete finder; }

size_t leat_finder_find_in(leat_finder* finder, const void* bytes, size_t size, size_t from) {
  return finder->needle.find_in(view_of(bytes, size), from);
}

int leat_reader_find(leat_reader* reader, leat_finder* finder, uint64_t* at) {
  return result_or(-1, [&] {
    const auto found = reader->in->find(finder->needle);
    if (found && at != nullptr) *at = *found;
    return found ? 1 : 0;
  });
}

int leat_reader_parse_int64(leat_reader* reader, int64_t* value) {
  return parse_next(*reader, *value);
}
int leat_reader_parse_uint64(leat_reader* reader, uint64_t* value) {
  return parse_next(*reader, *value);
}
int leat_reader_parse_double(leat_reader* reader, double* value) {
  return parse_next(*reader, *value);
}

int leat_parse_int64(leat_text text, int base, int64_t* value, leat_text* rest) {
  return store_parsed(leat::parse<int64_t>(view_of(text), base), *value, rest);
}
int leat_parse_uint64(leat_text text, int base, uint64_t* value, leat_text* rest) {
  return store_parsed(leat::parse<uint64_t>(view_of(text), base), *value, rest);
}
int leat_parse_double(leat_text text, double* value, leat_text* rest) {
  return store_parsed(leat::parse<double>(view_of(text)), *value, rest);
}

int leat_next_field(leat_text* rest, char delimiter, leat_text* field) {
  if (rest->bytes == nullptr) return 0;
  const std::string_view line = view_of(*rest);
  const std::string_view first = *leat::fields(line, delimiter).begin();
  *field = text_of(first);
  if (first.size() == line.size())
    *rest = {};
  else
    *rest = {rest->bytes + first.size() + 1, rest->size - first.size() - 1};
  return 1;
}

uint32_t leat_crc32c(const void* bytes, size_t size, uint32_t before) {
  return leat::crc32c(view_of(bytes, size), before);
}

int leat_read_file(const char* path, char** bytes, size_t* size) {
  return status_of([&] {
    const std::string all = leat::read_file(path_of(path));
    *bytes = copy_of(all);
    *size = all.size();
  });
}
