// The devices of leat.h: over the program's functions, over descriptors, simulated, failing, and
// over a volatile file.
#include "c/device.hpp"

#include <new>
#include <string>
#include <type_traits>

#include "c/errors.hpp"
#include "c/options.hpp"

struct leat_fault_plan {
  std::shared_ptr<leat::fault_plan> plan;
};

struct leat_volatile_file {
  leat::volatile_file file;
};

namespace leat {
inline namespace v0 {
namespace c {

namespace {

std::error_code bad_descriptor() noexcept {
  return make_error_code(std::errc::bad_file_descriptor);
}

class device_view final : public device {
 public:
  explicit device_view(std::shared_ptr<shared_device> shared) noexcept
      : shared_(std::move(shared)) {}

  device_traits traits() const noexcept override { return shared_->target->traits(); }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    return is_open(ec) ? shared_->target->read_at(at, into, ec) : 0;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    return is_open(ec) ? shared_->target->write_at(at, pieces, ec) : 0;
  }
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override {
    return is_open(ec) ? shared_->target->read_ready(at, into, ec) : 0;
  }
  std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept override {
    return shared_->closed ? std::string_view() : shared_->target->view_at(at, wanted);
  }
  void announce(std::uint64_t at, std::uint64_t size) noexcept override {
    if (!shared_->closed) shared_->target->announce(at, size);
  }
  void read_many(std::span<read_request> requests) noexcept override {
    if (!shared_->closed) return shared_->target->read_many(requests);
    for (auto& request : requests) refuse(request);
  }
  void write_many(std::span<write_request> requests) noexcept override {
    if (!shared_->closed) return shared_->target->write_many(requests);
    for (auto& request : requests) refuse(request);
  }
  void start_read(read_request& request) noexcept override {
    if (!shared_->closed) shared_->target->start_read(request);
  }
  void finish_read(read_request& request) noexcept override {
    if (!shared_->closed) return shared_->target->finish_read(request);
    refuse(request);
  }
  void cancel_read(read_request& request) noexcept override {
    if (!shared_->closed) shared_->target->cancel_read(request);
  }
  device_speed speed() const noexcept override { return shared_->target->speed(); }
  std::uint64_t position() const noexcept override {
    return shared_->closed ? 0 : shared_->target->position();
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    return is_open(ec) ? shared_->target->size(ec) : 0;
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    if (is_open(ec)) shared_->target->resize(size, ec);
  }
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override {
    if (is_open(ec)) shared_->target->reserve(size, ec);
  }
  void advise(pattern expected) noexcept override {
    if (!shared_->closed) shared_->target->advise(expected);
  }
  void expect_sync() noexcept override {
    if (!shared_->closed) shared_->target->expect_sync();
  }
  void sync(std::error_code& ec) noexcept override {
    if (is_open(ec)) shared_->target->sync(ec);
  }
  std::chrono::nanoseconds now() const noexcept override { return shared_->target->now(); }
  double cost() const noexcept override { return shared_->target->cost(); }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    if (!std::exchange(shared_->closed, true)) shared_->target->close(ec);
  }
  native_handle_type native_handle() const noexcept override {
    return shared_->closed ? no_handle : shared_->target->native_handle();
  }

 private:
  /// Sets the result of a request to a closed device.
  static void refuse(auto& request) noexcept {
    request.done = 0;
    request.ec = bad_descriptor();
  }
  bool is_open(std::error_code& ec) const noexcept {
    ec = shared_->closed ? bad_descriptor() : std::error_code();
    return !shared_->closed;
  }

  std::shared_ptr<shared_device> shared_;
};

/// A device that calls functions of the program.
class function_device final : public device {
 public:
  function_device(const leat_device_functions& functions, void* context) noexcept
      : functions_(functions), context_(context) {}
  ~function_device() override {
    std::error_code ignored;
    function_device::close(ignored);
  }

  device_traits traits() const noexcept override {
    return {.positional = functions_.size != nullptr};
  }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    if (functions_.read == nullptr) return refused(ec);
    const callback_scope call;
    return checked_count(functions_.read(context_, at, into.data(), into.size()), into.size(), ec);
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    if (functions_.write == nullptr) return refused(ec);
    ec.clear();
    const callback_scope call;
    for (const auto& piece : pieces)
      if (!piece.empty())
        return checked_count(functions_.write(context_, at, piece.data(), piece.size()),
                             piece.size(), ec);
    return 0;
  }
  std::uint64_t size(std::error_code& ec) const noexcept override {
    if (functions_.size == nullptr) return device::size(ec);
    ec.clear();
    const callback_scope call;
    const leat_off_t size = functions_.size(context_);
    if (size >= 0) return static_cast<std::uint64_t>(size);
    ec = callback_scope::error();
    return 0;
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override {
    if (functions_.resize == nullptr) return device::resize(size, ec);
    const callback_scope call;
    ec = functions_.resize(context_, size) != 0 ? callback_scope::error() : std::error_code();
  }
  void sync(std::error_code& ec) noexcept override {
    ec.clear();
    const callback_scope call;
    if (functions_.sync != nullptr && functions_.sync(context_) != 0) ec = callback_scope::error();
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    const callback_scope call;
    const auto function = std::exchange(functions_.close, nullptr);
    if (function != nullptr && function(context_) != 0) ec = callback_scope::error();
  }

 private:
  static std::size_t refused(std::error_code& ec) noexcept {
    ec = bad_descriptor();
    return 0;
  }
  /// Checks a count returned by the program's function. An impossible count is an error (EIO).
  static std::size_t checked_count(ssize_t n, std::size_t most, std::error_code& ec) noexcept {
    ec.clear();
    if (n >= 0 && static_cast<std::size_t>(n) <= most) return static_cast<std::size_t>(n);
    ec = n < 0 ? callback_scope::error() : make_error_code(std::errc::io_error);
    return 0;
  }

  leat_device_functions functions_;
  void* context_;
};

/// Makes a device handle. make(state) fills the handle's state. If `make` throws, records the
/// failure, sets errno and returns null.
template <class Make>
leat_device* make_handle(const Make& make) {
  return result_or(static_cast<leat_device*>(nullptr), [&] {
    // Allocated first: a failure after make() would call the program's close().
    auto handle = std::make_unique<leat_device>();
    handle->state = std::make_shared<shared_device>();
    make(*handle->state);
    return handle.release();
  });
}

/// Returns the result of call(device, ec). If the device is closed or the call sets `ec`, records
/// the failure, sets errno and returns -1.
template <class Result, class Call>
Result call_if_open(const leat_device& handle, const char* operation, const Call& call) noexcept {
  std::error_code ec = bad_descriptor();
  Result result{};
  if (!handle.state->closed) {
    ec.clear();
    result = call(*handle.state->target, ec);
  }
  if (!ec) return result;
  note_error({.code = ec, .operation = operation}, errno_of(ec), "<device>");
  return static_cast<Result>(-1);
}

simulated_service to_cpp(const leat_simulated_service& asked) noexcept {
  return {.latency = nanoseconds(asked.latency),
          .interval = nanoseconds(asked.interval),
          .rate = asked.rate,
          .stream_rate = asked.stream_rate,
          .dollars_per_request = asked.dollars_per_request,
          .dollars_per_gigabyte = asked.dollars_per_gigabyte};
}

std::uint64_t count_of(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(time.count());
}

leat_simulated_service to_c(const simulated_service& from) noexcept {
  return {count_of(from.latency), count_of(from.interval),  from.rate,
          from.stream_rate,       from.dollars_per_request, from.dollars_per_gigabyte};
}

simulated_model to_cpp(const leat_simulated_model& asked) noexcept {
  simulated_model model{.read = to_cpp(asked.read),
                        .write = to_cpp(asked.write),
                        .channels = asked.channels != 0 ? asked.channels : 1,
                        .submit = nanoseconds(asked.submit),
                        .sync = nanoseconds(asked.sync)};
  const leat_simulated_platter& platter = asked.platter;
  if (platter.capacity != 0)
    model.platter = simulated_platter{.capacity = platter.capacity,
                                      .rotation = nanoseconds(platter.rotation),
                                      .track_switch = nanoseconds(platter.track_switch),
                                      .average_seek = nanoseconds(platter.average_seek),
                                      .full_stroke = nanoseconds(platter.full_stroke),
                                      .outer_rate = platter.outer_rate,
                                      .inner_rate = platter.inner_rate,
                                      .read_ahead = platter.read_ahead,
                                      .queue = platter.queue != 0 ? platter.queue : 1};
  return model;
}

}  // namespace

std::unique_ptr<device> make_device_view(const leat_device& shared) {
  return std::make_unique<device_view>(shared.state);
}

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

leat_device* leat_device_new(const leat_device_functions* functions, void* context) {
  return make_handle([&](shared_device& state) {
    refuse_unknown_option(*functions);
    state.target = std::make_unique<function_device>(*functions, context);
  });
}

leat_device* leat_device_adopt(int descriptor) {
  return result_or(static_cast<leat_device*>(nullptr), [&] {
    // On Windows the C library would still own the handle of its descriptor.
    if constexpr (!std::is_integral_v<leat::native_handle_type>)
      throw std::system_error(make_error_code(std::errc::not_supported));
    if (descriptor < 0) throw std::system_error(bad_descriptor());
    auto adopted =
        leat::adopt(leat::handle_of_descriptor(descriptor));  // closes the handle on failure
    return make_handle([&](shared_device& state) { state.target = std::move(adopted); });
  });
}

leat_device* leat_device_borrow(int descriptor) {
  return make_handle([&](shared_device& state) {
    const auto file = leat::handle_of_descriptor(descriptor);
    if (file == leat::no_handle) throw std::system_error(bad_descriptor());
    state.target = leat::borrow(file);
  });
}

void leat_device_free(leat_device* device) { delete device; }

ssize_t leat_device_read_at(leat_device* device, uint64_t at, void* to, size_t size) {
  return call_if_open<ssize_t>(*device, "read", [&](leat::device& target, std::error_code& ec) {
    return static_cast<ssize_t>(target.read_at(at, {static_cast<char*>(to), size}, ec));
  });
}

ssize_t leat_device_write_at(leat_device* device, uint64_t at, const void* from, size_t size) {
  return call_if_open<ssize_t>(*device, "write", [&](leat::device& target, std::error_code& ec) {
    const std::string_view piece = leat::c::view_of(from, size);
    return static_cast<ssize_t>(target.write_at(at, {&piece, 1}, ec));
  });
}

leat_off_t leat_device_size(const leat_device* device) {
  return call_if_open<leat_off_t>(
      *device, "get the size of",
      [](auto& target, std::error_code& ec) { return static_cast<leat_off_t>(target.size(ec)); });
}

int leat_device_resize(leat_device* device, uint64_t size) {
  return call_if_open<int>(*device, "resize", [&](auto& target, std::error_code& ec) {
    return target.resize(size, ec), 0;
  });
}

int leat_device_sync(leat_device* device) {
  return call_if_open<int>(*device, "sync",
                           [](auto& target, std::error_code& ec) { return target.sync(ec), 0; });
}

int leat_device_close(leat_device* device) {
  return call_if_open<int>(*device, "close", [&](auto& target, std::error_code& ec) {
    device->state->closed = true;
    return target.close(ec), 0;
  });
}

uint64_t leat_device_now(const leat_device* device) {
  return count_of(device->state->target->now());
}

double leat_device_cost(const leat_device* device) { return device->state->target->cost(); }

leat_simulated_model leat_model_of(enum leat_simulated_disk disk) {
  return result_or(leat_simulated_model{}, [&] {
    const leat::simulated_model model =
        leat::model_of(to_enumerator(disk, leat::simulated_disk::s3));
    leat_simulated_model result{};
    result.read = to_c(model.read);
    result.write = to_c(model.write);
    result.channels = model.channels;
    result.submit = count_of(model.submit);
    result.sync = count_of(model.sync);
    if (model.platter)
      result.platter = {model.platter->capacity,
                        count_of(model.platter->rotation),
                        count_of(model.platter->track_switch),
                        count_of(model.platter->average_seek),
                        count_of(model.platter->full_stroke),
                        model.platter->outer_rate,
                        model.platter->inner_rate,
                        model.platter->read_ahead,
                        model.platter->queue};
    return result;
  });
}

leat_device* leat_device_simulate(leat_device* below, const leat_simulated_model* model) {
  return make_handle([&](shared_device& state) {
    auto simulation =
        std::make_unique<leat::simulated_device>(leat::c::make_device_view(*below), to_cpp(*model));
    state.simulated = simulation.get();
    state.target = std::move(simulation);
  });
}

int leat_device_spend(leat_device* device, uint64_t nanoseconds) {
  if (device->state->simulated == nullptr) return fail_with(EINVAL, -1);
  device->state->simulated->spend(leat::c::nanoseconds(nanoseconds));
  return 0;
}

leat_simulated_statistics leat_device_statistics(const leat_device* device) {
  if (device->state->simulated == nullptr) return fail_with(EINVAL, leat_simulated_statistics{});
  const auto all = device->state->simulated->statistics();
  return {all.reads, all.bytes_read, all.writes, all.bytes_written};
}

leat_fault_plan* leat_fault_plan_new(void) {
  return result_or(static_cast<leat_fault_plan*>(nullptr),
                   [] { return new leat_fault_plan{std::make_shared<leat::fault_plan>()}; });
}

int leat_fault_plan_add(leat_fault_plan* plan, const leat_device_fault* fault) {
  return status_of([&] {
    leat::device_fault converted;
    converted.in = to_enumerator(fault->in, leat::device_operation::close);
    converted.nth = fault->nth != 0 ? fault->nth : 1;
    converted.onwards = fault->onwards != 0;
    if (fault->code != 0) converted.ec = {fault->code, std::generic_category()};
    if (fault->shortens != 0) converted.most = fault->most;
    converted.delay = nanoseconds(fault->delay);
    plan->plan->add(converted);
  });
}

uint64_t leat_fault_plan_count(const leat_fault_plan* plan, enum leat_device_operation of) {
  return result_or(std::uint64_t{0}, [&] {
    return plan->plan->count(to_enumerator(of, leat::device_operation::close));
  });
}

void leat_fault_plan_free(leat_fault_plan* plan) { delete plan; }

leat_device* leat_device_fail(leat_device* below, leat_fault_plan* plan) {
  return make_handle([&](shared_device& state) {
    state.fault_plan = plan->plan;
    state.target =
        std::make_unique<leat::failing_device>(leat::c::make_device_view(*below), *plan->plan);
  });
}

leat_volatile_file* leat_volatile_file_new(const void* synced, size_t size) {
  return result_or(static_cast<leat_volatile_file*>(nullptr), [&] {
    return new leat_volatile_file{leat::volatile_file(std::string(leat::c::view_of(synced, size)))};
  });
}

leat_device* leat_volatile_file_open(leat_volatile_file* file) {
  return make_handle([&](shared_device& state) { state.target = file->file.open(); });
}

leat_text leat_volatile_file_content(const leat_volatile_file* file) {
  return text_of(file->file.content());
}

size_t leat_volatile_file_unsynced(const leat_volatile_file* file) { return file->file.unsynced(); }

int leat_volatile_file_cut_power(leat_volatile_file* file, const size_t* surviving, size_t count) {
  return status_of([&] { file->file.cut_power({surviving, count}); });
}

int leat_volatile_file_cut_power_at_random(leat_volatile_file* file, uint64_t seed) {
  return status_of([&] { file->file.cut_power_at_random(seed); });
}

void leat_volatile_file_free(leat_volatile_file* file) { delete file; }
