// leat_random_access_file: random access of leat.h, through src/random/ as for leat::file.
#include <memory>
#include <stdexcept>

#include "c/batches.hpp"
#include "c/device.hpp"
#include "c/errors.hpp"
#include "c/options.hpp"
#include "opening/open.hpp"

struct leat_random_access_file {
  std::unique_ptr<leat::detail::random_access> core;
};

namespace leat {
inline namespace v0 {
namespace c {

namespace {

using detail::random_access;

/// Thrown to end a batch if the program's progress function returns a value other than 0.
struct stopped_by_progress final : std::exception {};

access_options to_cpp(const leat_access_options& asked) {
  access_options settings;
  settings.route = to_enumerator(asked.route, route::direct);
  if (asked.threads != 0) settings.threads = asked.threads;
  settings.gap = asked.gap;
  settings.longest = asked.longest;
  settings.depth = asked.depth;
  if (asked.memory != 0) settings.memory = asked.memory;
  settings.caching = c::to_cpp(asked.caching);
  settings.durability = c::to_cpp(asked.durability);
  if (asked.progress != nullptr)
    settings.progress = [call = asked.progress, context = asked.context](std::size_t so_far,
                                                                         std::size_t all) {
      if (call(so_far, all, context) != 0) throw stopped_by_progress();
    };
  settings.local_only = asked.local_only != 0;
  settings.compression = c::to_cpp(asked.compression);
  if (asked.codec_memory != 0) settings.codec_memory = asked.codec_memory;
  return settings;
}

/// Makes a file by make_core() over the device that open(asked, settings, ec) returns. On errors,
/// records the failure, sets errno and returns null.
template <class Open>
leat_random_access_file* open_random_file(const leat_access_options* options, mode access,
                                          std::string_view name, const Open& open,
                                          decltype(random_access::over)& make_core) {
  return result_or(static_cast<leat_random_access_file*>(nullptr), [&] {
    const leat_access_options asked = options_or_default(options);
    const access_options settings = to_cpp(asked);
    std::error_code ec;
    std::unique_ptr<device> target = open(asked, settings, ec);
    std::unique_ptr<random_access> core;
    if (target != nullptr && !ec) core = make_core(std::move(target), access, settings, name, ec);
    if (ec) throw io_error({.code = ec, .operation = "open"}, name);
    return new leat_random_access_file{std::move(core)};
  });
}

/// Returns 0 if `cause` is no failure. Otherwise records the failure, sets errno and returns -1.
int result_of(const leat_random_access_file& file, const failure& cause,
              std::string_view remark = {}) noexcept {
  if (!cause) return 0;
  note_error(cause, errno_of(cause.code), file.core->name(), remark);
  return -1;
}

/// Runs a batch and returns 0. If the program's function ends an update, returns the function's
/// result. On errors, records the failure, sets errno and returns -1. If `changes` is true and
/// unchangeable() returns an error, fails with this error and runs no batch.
template <class Batch>
int run(const leat_random_access_file& file, bool changes, const Batch& batch) noexcept {
  if (const auto ec = changes ? file.core->unchangeable() : std::error_code())
    return result_of(file, {.code = ec, .operation = "write"});
  return result_or(-1, [&] {
    try {
      const detail::batch_failure failed = batch(*file.core);
      return result_of(file, failed.why, failed.position);
    } catch (const update_visitor::stopped& by) {
      return by.result;
    } catch (const stopped_by_progress&) {
      return result_of(file, {.code = make_error_code(std::errc::operation_canceled),
                              .operation = "finish a batch of"});
    }
  });
}

/// run() with batch(core, end), where `end` is the file's size in bytes.
template <class Batch>
int run_with_size(const leat_random_access_file& file, bool changes, const Batch& batch) noexcept {
  std::error_code ec;
  const std::uint64_t end = file.core->on().size(ec);
  if (ec) return result_of(file, {.code = ec, .operation = "get the size of"});
  return run(file, changes, [&](random_access& core) { return batch(core, end); });
}

/// run_with_size() for records of `size` bytes after the first `header` bytes of the file. If
/// `size` is 0, fails (EINVAL).
template <class Batch>
int run_on_records(const leat_random_access_file& file, bool changes, std::uint64_t header,
                   std::size_t size, const Batch& batch) noexcept {
  if (size == 0) return fail_with(EINVAL, -1);
  return run_with_size(file, changes, [&](random_access& core, std::uint64_t end) {
    const std::uint64_t count = end > header ? (end - header) / size : 0;
    return batch(core, detail::record_layout{header, size, size, count});
  });
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_random_access_file* leat_random_access_open(const char* path, enum leat_mode mode,
                                                 const leat_access_options* options) {
  const auto cpp_mode = static_cast<leat::mode>(leat::enumerator_value(mode));
  return open_random_file(
      options, cpp_mode, path != nullptr ? path : "",
      [&](const leat_access_options& asked, const leat::access_options& settings,
          std::error_code& ec) {
        static_cast<void>(to_enumerator(mode, leat::mode::copy));
        const leat::path_ref where = path_of(path, asked.inside);
        return cpp_mode == leat::mode::update_or_create
                   ? leat::create_random(where, false, leat::options(settings), ec)
                   : leat::open_random(where, cpp_mode == leat::mode::update,
                                       leat::options(settings), ec);
      },
      leat::detail::random_access::over_file);
}

leat_random_access_file* leat_random_access_create(const char* path,
                                                   const leat_access_options* options) {
  return open_random_file(
      options, leat::mode::update, path != nullptr ? path : "",
      [&](const leat_access_options& asked, const leat::access_options& settings,
          std::error_code& ec) {
        return leat::create_random(path_of(path, asked.inside), true, leat::options(settings), ec);
      },
      leat::detail::random_access::over_file);
}

leat_random_access_file* leat_random_access_over(leat_device* device, enum leat_mode mode,
                                                 const leat_access_options* options,
                                                 const char* name) {
  return open_random_file(
      options, static_cast<leat::mode>(leat::enumerator_value(mode)),
      name != nullptr ? name : "<device>",
      [&](const leat_access_options& asked, const leat::access_options&, std::error_code&) {
        static_cast<void>(to_enumerator(mode, leat::mode::copy));
        refuse_inside(asked.inside);
        if (leat::enumerator_value(asked.compression) != LEAT_COMPRESSION_NONE)
          throw std::invalid_argument("the option compression has no effect here");
        return make_device_view(*device);
      },
      leat::detail::random_access::over);
}

int leat_random_access_close(leat_random_access_file* file) {
  if (file == nullptr) return 0;
  const bool stays = file->core->is_in_batch();
  const int result = result_of(*file, file->core->close());
  if (!stays) delete file;
  return result;
}

int leat_random_access_read_at(const leat_random_access_file* file, uint64_t at, void* to,
                               size_t size) {
  return result_of(*file, file->core->read_at(at, {static_cast<char*>(to), size}));
}

int leat_random_access_write_at(leat_random_access_file* file, uint64_t at, const void* from,
                                size_t size) {
  if (const auto ec = file->core->unchangeable())
    return result_of(*file, {.code = ec, .operation = "write", .offset = at, .unwritten = size});
  return result_of(*file, file->core->write_at(at, view_of(from, size)));
}

leat_off_t leat_random_access_size(const leat_random_access_file* file) {
  std::error_code ec;
  const std::uint64_t size = file->core->on().size(ec);
  return ec ? result_of(*file, {.code = ec, .operation = "get the size of"})
            : static_cast<leat_off_t>(size);
}

int leat_random_access_resize(leat_random_access_file* file, uint64_t size) {
  if (const auto ec = file->core->unchangeable())
    return result_of(*file, {.code = ec, .operation = "resize"});
  return result_of(*file, file->core->resize(size));
}

int leat_random_access_sync(leat_random_access_file* file) {
  return result_of(*file, file->core->sync());
}

void leat_random_access_advise(leat_random_access_file* file, enum leat_pattern expected) {
  if (leat::enumerator_value(expected) <= LEAT_PATTERN_RANDOM)
    file->core->on().advise(leat::c::to_cpp(expected));
}

void leat_random_access_announce(leat_random_access_file* file, leat_range soon) {
  file->core->on().announce(soon.at, soon.size);
}

int leat_random_access_gather(const leat_random_access_file* file, uint64_t header, size_t size,
                              const uint64_t* positions, size_t count, void* out) {
  return run_on_records(*file, false, header, size, [&](auto& core, const auto& records) {
    return core.gather(records, list_of(positions, count), static_cast<char*>(out));
  });
}

int leat_random_access_scatter(leat_random_access_file* file, uint64_t header, size_t size,
                               const uint64_t* positions, size_t count, const void* values) {
  return run_on_records(*file, true, header, size, [&](auto& core, const auto& records) {
    return core.scatter(records, list_of(positions, count), static_cast<const char*>(values));
  });
}

int leat_random_access_update(leat_random_access_file* file, uint64_t header, size_t size,
                              const uint64_t* positions, size_t count, leat_change* change,
                              void* context) {
  return run_on_records(*file, true, header, size, [&](auto& core, const auto& records) {
    update_visitor each{change, context, size};
    return core.update(records, list_of(positions, count), update_visitor::visit, &each);
  });
}

int leat_random_access_read_ranges(const leat_random_access_file* file, const leat_range* ranges,
                                   size_t count, void* out) {
  return run_with_size(*file, false, [&](auto& core, std::uint64_t end) {
    const range_list all(ranges, count);
    if (all.overflows) throw std::invalid_argument("too many bytes");
    return core.read_ranges(all.list, end, std::span(static_cast<char*>(out), all.sum));
  });
}

int leat_random_access_visit_ranges(const leat_random_access_file* file, const leat_range* ranges,
                                    size_t count, leat_visit_range* visit, void* context) {
  return run_with_size(*file, false, [&](auto& core, std::uint64_t end) {
    const range_list all(ranges, count);
    return core.read_ranges(all.list, end, [&](std::string_view bytes, std::size_t index) {
      visit(text_of(bytes), index, context);
    });
  });
}

int leat_random_access_write_ranges(leat_random_access_file* file, const leat_range* ranges,
                                    size_t count, const void* from) {
  return run(*file, true, [&](auto& core) {
    const range_list all(ranges, count);
    if (all.overflows) throw std::invalid_argument("too many bytes");
    return core.write_ranges(all.list, view_of(from, all.sum));
  });
}

leat_plan leat_random_access_last_plan(const leat_random_access_file* file) {
  return result_or(no_plan(), [&] { return plan_of(*file->core); });
}
