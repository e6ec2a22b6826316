// Devices over descriptors, simulated devices, devices that fail by a plan, and volatile files,
// compared with a string. Without a planned fault, a write transfers all bytes, and a read returns
// all requested bytes that exist.
#include <leat/device.hpp>
#include <leat/file_stream.hpp>
#include <leat/simulated.hpp>
#include <leat/testing.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step;

/// A device, its expected content, and the objects that the device uses.
struct tested_device {
  std::unique_ptr<leat::device> device;
  std::string content;
  std::unique_ptr<leat::volatile_file> disk;
  std::unique_ptr<leat::fault_plan> plan;
  std::optional<std::string> synced;  // only for a volatile file
  leat::simulated_device* simulated = nullptr;
  bool may_fail = false;
  int borrowed = -1;
};

int new_file(std::string_view content) {
  const int file =
      ::open((fuzz::scratch() + "file").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  fuzz::expect(
      ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
      "write() to a new file");
  return file;
}

leat::simulated_model model_of(input& in) {
  constexpr std::array disks{leat::simulated_disk::hdd, leat::simulated_disk::ssd,
                             leat::simulated_disk::nvme, leat::simulated_disk::nfs,
                             leat::simulated_disk::s3};
  leat::simulated_model model = leat::model_of(in.one_of(disks));
  if (in.rarely(4)) model.channels = static_cast<unsigned>(in.below(9));
  if (in.rarely(4)) model.submit = std::chrono::nanoseconds(in.below(100'000));
  if (in.rarely(4)) model.read.rate = in.boundary_size();
  if (in.rarely(4)) model.write.latency = std::chrono::microseconds(in.boundary_size());
  return model;
}

leat::device_fault fault_of(input& in) {
  constexpr std::array operations{leat::device_operation::any, leat::device_operation::read,
                                  leat::device_operation::write, leat::device_operation::sync,
                                  leat::device_operation::resize};
  leat::device_fault fault;
  fault.in = in.one_of(operations);
  fault.nth = in.below(8);
  fault.onwards = in.rarely(4);
  if (in.flag()) fault.ec = std::make_error_code(std::errc::io_error);
  if (in.flag()) fault.most = in.below(30);
  fault.delay = std::chrono::nanoseconds(in.below(100));
  return fault;
}

tested_device make_device(input& in) {
  tested_device tested;
  tested.content = in.bytes(in.boundary_size(20'000));
  switch (in.below(4)) {
    case 0:
      step("a device over a descriptor");
      if (in.flag()) {
        tested.device = leat::adopt(new_file(tested.content));
      } else {
        tested.borrowed = new_file(tested.content);
        tested.device = leat::borrow(tested.borrowed);
      }
      break;
    case 1: {
      step("a simulated device");
      tested.disk = std::make_unique<leat::volatile_file>(tested.content);
      auto simulated = std::make_unique<leat::simulated_device>(tested.disk->open(), model_of(in));
      tested.simulated = simulated.get();
      tested.device = std::move(simulated);
      break;
    }
    case 2:
      step("a failing device");
      tested.disk = std::make_unique<leat::volatile_file>(tested.content);
      tested.plan = std::make_unique<leat::fault_plan>(std::vector{fault_of(in)});
      tested.device = std::make_unique<leat::failing_device>(tested.disk->open(), *tested.plan);
      tested.may_fail = true;
      break;
    default:
      step("a volatile file");
      tested.disk = std::make_unique<leat::volatile_file>(tested.content);
      tested.synced = tested.content;
      tested.device = tested.disk->open();
  }
  const std::uint64_t opened_size = tested.device->size_when_opened();
  fuzz::expect(opened_size == 0 || opened_size == tested.content.size(), "size_when_opened()");
  return tested;
}

class device_calls {
 public:
  device_calls(input& in, tested_device& tested) : in_(in), tested_(tested) {}

  void make_call() {
    const std::size_t at = in_.below(tested_.content.size() + 20), n = in_.boundary_size(5000);
    std::error_code ec;
    switch (in_.below(12)) {
      case 0:
      case 1: {
        std::string into(n, '?');
        step("read_at {} {}", at, n);
        const std::size_t got = tested_.device->read_at(at, into, ec);
        expect_read(at, std::string_view(into).substr(0, got), n, ec);
        break;
      }
      case 2:
      case 3: {
        const std::string bytes = in_.bytes(n);
        const std::array<std::string_view, 2> pieces{std::string_view(bytes).substr(0, n / 3),
                                                     std::string_view(bytes).substr(n / 3)};
        step("write_at {} {}", at, n);
        const std::size_t written = tested_.device->write_at(at, pieces, ec);
        expect_moved(written, n, ec);
        record_written(at, std::string_view(bytes).substr(0, written));
        break;
      }
      case 4:
        step("resize {}", at);
        tested_.device->resize(at, ec);
        if (expect_success(ec)) tested_.content.resize(at);
        break;
      case 5:
        step("sync");
        tested_.device->expect_sync();
        tested_.device->sync(ec);
        if (expect_success(ec) && tested_.synced) {
          tested_.synced = tested_.content;
          fuzz::expect_equal(tested_.disk->unsynced(), 0U, "unsynced() after a sync");
        }
        break;
      case 6: {
        step("read_many");
        std::vector<std::string> memory(in_.below(6));
        std::vector<leat::read_request> requests;
        for (auto& bytes : memory) {
          bytes.assign(in_.boundary_size(600), '?');
          requests.push_back(
              {.at = in_.below(tested_.content.size() + 20), .into = bytes, .done = 0, .ec = {}});
        }
        if (in_.flag()) {
          tested_.device->read_many(requests);
        } else {
          for (auto& request : requests) tested_.device->start_read(request);
          for (auto& request : requests)
            in_.rarely(4) ? tested_.device->cancel_read(request)
                          : tested_.device->finish_read(request);
        }
        for (const auto& request : requests)
          expect_read(request.at, {request.into.data(), request.done}, request.into.size(),
                      request.ec);
        break;
      }
      case 7: {
        step("write_many");
        std::vector<std::string> memory(in_.below(6));
        std::vector<leat::write_request> requests;
        std::size_t next = in_.below(100);  // no overlap, because the writes have no order
        for (auto& bytes : memory) {
          bytes = in_.bytes(1 + in_.below(300));
          requests.push_back({.at = next, .bytes = bytes, .done = 0, .ec = {}});
          next += bytes.size() + in_.below(50);
        }
        tested_.device->write_many(requests);
        for (const auto& request : requests) {
          if (!tested_.may_fail)
            fuzz::expect_equal(request.done, request.bytes.size(), "write_many()");
          record_written(request.at, request.bytes.substr(0, request.done));
        }
        break;
      }
      case 8: {
        step("view_at, read_ready, announce, advise, reserve");
        std::string into(n, '?');
        const auto view = tested_.device->view_at(at, n);
        if (!view.empty())
          fuzz::expect_text(view.substr(0, n), rest(at).substr(0, std::min(n, view.size())),
                            "view_at()");
        const std::size_t ready = tested_.device->read_ready(at, into, ec);
        fuzz::expect_text(std::string_view(into).substr(0, ready), rest(at).substr(0, ready),
                          "read_ready()");
        tested_.device->announce(at, n);
        static_cast<void>(tested_.device->position());
        tested_.device->advise(leat::pattern::random);
        tested_.device->reserve(at + n, ec);
        fuzz::expect(tested_.device->speed().request >= 0 && tested_.device->traits().positional,
                     "speed() is negative or traits() is not positional");
        fuzz::expect(tested_.device->cost() >= 0 && tested_.device->now().count() >= 0,
                     "cost() or now() is negative");
        if (tested_.plan != nullptr) tested_.plan->add(fault_of(in_));
        if (tested_.plan != nullptr)
          fuzz::expect(tested_.plan->count() >= tested_.plan->count(leat::device_operation::read),
                       "count()");
        break;
      }
      case 9:
        if (tested_.simulated != nullptr) {
          const auto before = tested_.simulated->now();
          const auto read = tested_.simulated->statistics().reads;
          tested_.simulated->spend(std::chrono::microseconds(3));
          fuzz::expect(tested_.simulated->now() - before >= std::chrono::microseconds(3),
                       "spend()");
          fuzz::expect_equal(tested_.simulated->statistics().reads, read, "statistics()");
        }
        break;
      case 10: {
        step("copy_at {} {}", at, n);
        const std::string bytes = in_.bytes(in_.boundary_size(5000));
        const std::size_t from = in_.below(bytes.size() + 2);
        leat::write_file(fuzz::scratch() + "from", bytes);
        const auto other =
            leat::adopt(::open((fuzz::scratch() + "from").c_str(), O_RDONLY | O_CLOEXEC));
        const std::size_t copied = tested_.device->copy_at(at, *other, from, n, ec);
        if (ec == std::errc::operation_not_supported) {
          fuzz::expect_equal(copied, 0U, "the bytes of a copy_at() that is not supported");
          break;
        }
        const std::string_view part = std::string_view(bytes).substr(std::min(from, bytes.size()));
        expect_success(ec);
        fuzz::expect(copied <= std::min(n, part.size()), "copy_at() copies too many bytes");
        fuzz::expect(copied != 0 || n == 0 || part.empty(), "copy_at() copies no bytes");
        record_written(at, part.substr(0, copied));
        break;
      }
      default:
        if (tested_.synced && in_.rarely(4)) cut_power();
    }
    if (tested_.may_fail) return;
    fuzz::expect_equal(tested_.device->size(ec), tested_.content.size(), "size()");
    if (tested_.disk != nullptr)
      fuzz::expect_text(tested_.disk->content(), tested_.content, "the content");
  }

  void close() {
    std::error_code ec;
    if (const int file = tested_.device->native_handle(); file >= 0 && in_.flag()) {
      step("release");
      fuzz::expect_equal(tested_.device->release(0, ec), file, "release()");
      ::close(file);
      return;
    }
    tested_.device->close(ec);
    expect_success(ec);
    if (tested_.borrowed >= 0)
      fuzz::expect_equal(::close(tested_.borrowed), 0, "close() of the borrowed descriptor");
  }

 private:
  std::string_view rest(std::size_t at) const {
    return at < tested_.content.size() ? std::string_view(tested_.content).substr(at) : "";
  }
  /// Fails if there is an error without a planned fault. Returns whether there is no error.
  bool expect_success(const std::error_code& ec) const {
    fuzz::expect(!ec || tested_.may_fail, "an error without a planned fault");
    return !ec;
  }
  void expect_moved(std::size_t n, std::size_t wanted, const std::error_code& ec) const {
    expect_success(ec);
    if (!tested_.may_fail) fuzz::expect_equal(n, wanted, "the number of bytes");
    fuzz::expect(n <= wanted, "more bytes than requested");
  }
  void expect_read(std::size_t at, std::string_view got, std::size_t wanted,
                   const std::error_code& ec) const {
    expect_moved(got.size(), std::min(wanted, rest(at).size()), ec);
    fuzz::expect_text(got, rest(at).substr(0, got.size()), "the bytes read");
  }
  void record_written(std::size_t at, std::string_view bytes) {
    if (bytes.empty()) return;
    tested_.content.resize(std::max(tested_.content.size(), at + bytes.size()));
    tested_.content.replace(at, bytes.size(), bytes);
  }
  void cut_power() {
    const bool at_random = in_.flag();
    step("cut_power, {}", at_random ? "at random" : "of all unsynced bytes");
    if (at_random) {
      tested_.disk->cut_power_at_random(in_.integer<std::uint64_t>());
    } else {
      tested_.disk->cut_power();
      fuzz::expect_text(tested_.disk->content(), *tested_.synced, "the synced content");
    }
    tested_.content = tested_.disk->content();
    tested_.synced = tested_.content;
    tested_.device = tested_.disk->open();
  }

  input& in_;
  tested_device& tested_;
};

void drive(input& in) {
  tested_device tested = make_device(in);
  device_calls calls(in, tested);
  while (in.has_more()) calls.make_call();
  calls.close();
}

const fuzz::driver self("devices", drive);

}  // namespace
