// Switches a descriptor between direct I/O and the page cache. direct.cpp and write_batch.cpp use
// this class.
#pragma once

#include <leat/device.hpp>

#include <system_error>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {

/// Turns direct I/O of a disk's descriptor on and off. Only one thread at a time may use an object.
class direct_mode {
 public:
  /// `direct`: whether the disk's descriptor is set to direct I/O now.
  direct_mode(device& disk, bool direct) noexcept : disk_(&disk), direct_(direct) {}

  /// While a scope lives, the disk's transfers are direct, or, if `direct` is false, go through the
  /// page cache. The destructor restores the former state. A disk without a descriptor is not
  /// switched.
  class scope {
   public:
    scope(direct_mode& mode, bool direct) noexcept : mode_(&mode), before_(mode.direct_) {
      mode_->set(direct);
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { mode_->set(before_); }

   private:
    direct_mode* mode_;
    bool before_;
  };

 private:
  void set(bool direct) noexcept {
    const native_handle_type handle = disk_->native_handle();
    if (direct_ == direct || handle == no_handle) return;
    // If the switch fails, a transfer may go through the page cache, which is correct, too. Or the
    // transfer is direct and not aligned, and fails with an error.
    std::error_code ignored;
    set_direct(handle, direct, ignored);
    direct_ = direct;
  }

  device* disk_;
  bool direct_;
};

}  // namespace v0
}  // namespace leat
