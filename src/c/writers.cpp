// The writers of leat.h, over the C++ writers, and functions for whole files.
#include <leat/c/files.h>
#include <leat/quoted.hpp>
#include <leat/rotating.hpp>

#include <span>
#include <string>
#include <vector>

#include "c/device.hpp"
#include "c/errors.hpp"
#include "c/options.hpp"
#include "c/streams.hpp"

namespace leat {
inline namespace v0 {
namespace c {

namespace {

/// Converts the options for one way to open a file. If the program has set an option that this way
/// does not have, except local_only, throws std::invalid_argument.
template <class Options>
Options to_cpp(const leat_writer_options& asked) {
  Options how;
  LEAT_OPTION(buffer_size, asked.buffer_size);
  LEAT_OPTION(durability, c::to_cpp(asked.durability));
  LEAT_OPTION(flush, c::to_cpp(asked.flush));
  LEAT_OPTION(flush_interval, milliseconds(asked.flush_interval));
  LEAT_OPTION(background, asked.background != 0);
  LEAT_OPTION(when_full, c::to_cpp(asked.when_full));
  LEAT_OPTION(preallocate, asked.preallocate);
  LEAT_OPTION(exclusive, asked.exclusive != 0);
  LEAT_OPTION(readable, asked.readable != 0);
  LEAT_OPTION(permissions, asked.permissions != 0 ? asked.permissions : how.permissions);
  LEAT_OPTION(caching, c::to_cpp(asked.caching));
  LEAT_OPTION(compression, c::to_cpp(asked.compression));
  LEAT_OPTION(level, asked.level);
  LEAT_OPTION(codec_threads, asked.codec_threads);
  LEAT_OPTION(seekable, asked.seekable != 0);
  LEAT_OPTION(reopen, asked.reopen != 0);
  // A struct without the member `local_only` is for files that are local anyway.
  if constexpr (requires { how.local_only; }) how.local_only = asked.local_only != 0;
  return how;
}

rotating_options to_rotating_options(const leat_rotation& rotation,
                                     const leat_writer_options& asked) {
  // The compression of the archives is in `rotation`.
  if (asked.compression != LEAT_COMPRESSION_NONE || asked.level != 0)
    throw std::invalid_argument("leat_rotation has the options compression and level");
  leat_writer_options others = asked;
  others.reopen = 0;  // without effect: a rotating log always follows its name
  auto settings = to_cpp<rotating_options>(others);
  settings.size = rotation.size;
  settings.every = std::chrono::seconds(rotation.every);
  settings.keep = rotation.keep;
  settings.compression = c::to_cpp(rotation.compression);
  settings.level = rotation.level;
  settings.names = rotation.by_time != 0 ? old_names::times : old_names::numbers;
  settings.local_time = rotation.local_time != 0;
  if (rotation.finished != nullptr)
    settings.finished = [call = rotation.finished, context = rotation.context](
                            std::string_view path, std::error_code ec) {
      call(std::string(path).c_str(), ec ? errno_of(ec) : 0, context);
    };
  return settings;
}

/// Returns a leat_writer that owns the stream of open(options). If `open` fails, records the
/// failure, sets errno and returns null.
template <class Open>
leat_writer* open_writer(const leat_writer_options* options, const Open& open) {
  return result_or(static_cast<leat_writer*>(nullptr),
                   [&] { return new leat_writer(open(options_or_default(options))); });
}

leat_writer* writer_or_enomem(leat_writer* writer) noexcept {
  return writer != nullptr ? writer : fail_with(ENOMEM, static_cast<leat_writer*>(nullptr));
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_writer* leat_writer_create(const char* path, const leat_writer_options* options) {
  return open_writer(options, [&](const leat_writer_options& asked) {
    return leat::create(path_of(path, asked.inside), to_cpp<leat::create_options>(asked));
  });
}

leat_writer* leat_writer_create_or_stdout(const char* path, const leat_writer_options* options) {
  return open_writer(options, [&](const leat_writer_options& asked) {
    return leat::create_or_stdout(path_of(path, asked.inside), to_cpp<leat::create_options>(asked));
  });
}

leat_writer* leat_writer_append(const char* path, const leat_writer_options* options) {
  return open_writer(options, [&](const leat_writer_options& asked) {
    return leat::append(path_of(path, asked.inside), to_cpp<leat::append_options>(asked));
  });
}

leat_writer* leat_writer_rotating(const char* path, const leat_rotation* rotation,
                                  const leat_writer_options* options) {
  return open_writer(options, [&](const leat_writer_options& asked) {
    return leat::rotating(path_of(path, asked.inside),
                          to_rotating_options(options_or_default(rotation), asked));
  });
}

int leat_writer_reopen(leat_writer* writer) {
  return status_of([&] { writer->out->reopen(); });
}

leat_writer* leat_writer_replace(const char* path, const leat_writer_options* options) {
  return open_writer(options, [&](const leat_writer_options& asked) {
    return leat::replace(path_of(path, asked.inside), to_cpp<leat::replace_options>(asked));
  });
}

leat_writer* leat_writer_of_memory(void* memory, size_t size) {
  return open_writer(nullptr, [&](const leat_writer_options&) {
    return leat::memory_writer(std::span(static_cast<char*>(memory), size));
  });
}

leat_writer* leat_writer_of_string(void) {
  return open_writer(nullptr, [](const leat_writer_options&) { return leat::string_writer(); });
}

leat_writer* leat_writer_over(leat_device* device, const leat_writer_options* options,
                              const char* name) {
  return open_writer(options, [&](const leat_writer_options& asked) {
    refuse_inside(asked.inside);
    return leat::file_writer(make_device_view(*device), to_cpp<leat::writer_options>(asked),
                             name != nullptr ? name : "<device>");
  });
}

leat_writer* leat_writer_stdout(void) {
  static auto* const writer = new (std::nothrow) leat_writer(&leat::out);  // never deleted
  return writer_or_enomem(writer);
}

leat_writer* leat_writer_stderr(void) {
  static auto* const writer = new (std::nothrow) leat_writer(&leat::err);  // never deleted
  return writer_or_enomem(writer);
}

int leat_writer_share(leat_writer* writer) {
  if (writer->owned_stream.index() == 0 || writer->shared != nullptr) return 0;
  return status_of([&] {
    writer->shared = std::make_unique<leat::synchronized>(*writer->out);
    writer->out = writer->shared.get();
  });
}

int leat_writer_close(leat_writer* writer) {
  if (writer == nullptr) return 0;
  if (writer->owned_stream.index() == 0) return leat_writer_flush(writer);
  const int result = status_of([&] { writer->out->close(); });
  delete writer;
  return result;
}

void leat_writer_discard(leat_writer* writer) {
  if (writer == nullptr || writer->owned_stream.index() == 0) return;
  writer->shared.reset();
  if (auto* const file = std::get_if<leat::file_writer>(&writer->owned_stream)) file->discard();
  delete writer;
}

void leat_writer_put(leat_writer* writer, char byte) { writer->out->put(byte); }

void leat_writer_write(leat_writer* writer, const void* bytes, size_t size) {
  writer->out->write(view_of(bytes, size));
}

void leat_writer_write_csv(leat_writer* writer, const char* text, size_t size, char delimiter) {
  leat::write_csv(*writer->out, view_of(text, size), delimiter);
}
void leat_writer_write_json(leat_writer* writer, const char* text, size_t size) {
  leat::write_json(*writer->out, view_of(text, size));
}

int leat_writer_printf(leat_writer* writer, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = leat_writer_vprintf(writer, format, arguments);
  va_end(arguments);
  return size;
}

int leat_writer_vprintf(leat_writer* writer, const char* format, va_list arguments) {
  char small[1024];
  va_list again;
  va_copy(again, arguments);
  int size = leat_vsnprintf(small, sizeof small, format, arguments);
  if (size >= 0 && static_cast<size_t>(size) < sizeof small) {
    leat_writer_write(writer, small, static_cast<size_t>(size));
  } else if (size >= 0) {
    size = result_or(-1, [&] {
      std::vector<char> large(static_cast<size_t>(size) + 1);
      const int written = leat_vsnprintf(large.data(), large.size(), format, again);
      if (written >= 0) leat_writer_write(writer, large.data(), static_cast<size_t>(written));
      return written;
    });
  }
  va_end(again);
  return size;
}

int leat_writer_flush(leat_writer* writer) {
  return status_of([&] { writer->out->flush(); });
}

int leat_writer_sync(leat_writer* writer) {
  return status_of([&] { writer->out->sync(); });
}

int leat_writer_seek(leat_writer* writer, uint64_t position) {
  return status_of([&] { writer->out->seek(position); });
}

uint64_t leat_writer_tell(const leat_writer* writer) { return writer->out->tell(); }

int leat_writer_patch(leat_writer* writer, uint64_t position, const void* bytes, size_t size) {
  return status_of([&] { writer->out->patch(position, view_of(bytes, size)); });
}

int leat_writer_error(const leat_writer* writer) {
  const std::error_code ec = writer->out->error();
  return ec ? leat::errno_of(ec) : 0;
}

uint64_t leat_writer_lost(const leat_writer* writer) { return writer->out->lost(); }

uint64_t leat_writer_dropped(const leat_writer* writer) { return writer->out->dropped(); }

void leat_writer_clear_error(leat_writer* writer) { writer->out->clear_error(); }

int leat_writer_fileno(const leat_writer* writer) {
  int descriptor = -1;
  if (const auto* const file = std::get_if<leat::file_writer>(&writer->owned_stream))
    descriptor = descriptor_of_handle(file->native_handle());
  return descriptor >= 0 ? descriptor : fail_with(EBADF, -1);
}

leat_text leat_writer_view(const leat_writer* writer) {
  if (const auto* const memory = std::get_if<leat::memory_writer>(&writer->owned_stream))
    return text_of(memory->view());
  if (const auto* const text = std::get_if<leat::string_writer>(&writer->owned_stream))
    return text_of(text->view());
  return fail_with(EINVAL, leat_text{});
}

int leat_writer_clear(leat_writer* writer) {
  if (auto* const memory = std::get_if<leat::memory_writer>(&writer->owned_stream))
    memory->clear();
  else if (auto* const text = std::get_if<leat::string_writer>(&writer->owned_stream))
    text->clear();
  else
    return fail_with(EINVAL, -1);
  return 0;
}

leat_off_t leat_copy(leat_reader* from, leat_writer* to, leat_copy_progress* progress,
                     void* context) {
  return result_or(leat_off_t{-1}, [&] {
    if (progress == nullptr) return static_cast<leat_off_t>(leat::copy(*from->in, *to->out));
    const leat::copy_progress report = [&](std::uint64_t so_far) {
      if (progress(so_far, context) != 0)
        throw leat::io_error({.code = make_error_code(std::errc::operation_canceled),
                              .operation = "copy",
                              .offset = so_far},
                             "");
    };
    return static_cast<leat_off_t>(leat::copy(*from->in, *to->out, report));
  });
}

leat_off_t leat_copy_file(const char* from, const char* to) {
  return result_or(leat_off_t{-1}, [&] {
    return static_cast<leat_off_t>(leat::copy_file(path_of(from), path_of(to)));
  });
}

int leat_rename_durably(const char* from, const char* to) {
  return status_of([&] { leat::rename_durably(path_of(from), path_of(to)); });
}

int leat_write_file(const char* path, const void* bytes, size_t size) {
  return status_of([&] { leat::write_file(path_of(path), view_of(bytes, size)); });
}
