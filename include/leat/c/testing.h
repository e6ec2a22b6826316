/* For tests of programs: devices with injected faults, and a file on a disk that loses power.
 * Functions that return int return 0, or -1 and errno. */
#ifndef LEAT_C_TESTING_H
#define LEAT_C_TESTING_H

#include <leat/c/base.h>
#include <leat/c/device.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of operations that can fail. */
enum leat_device_operation {
  LEAT_OPERATION_ANY,
  LEAT_OPERATION_READ,
  LEAT_OPERATION_WRITE,
  LEAT_OPERATION_SYNC,
  LEAT_OPERATION_SIZE,
  LEAT_OPERATION_RESIZE,
  LEAT_OPERATION_RESERVE,
  LEAT_OPERATION_CLOSE
};

/** A fault, and the operation in which it happens. */
typedef struct leat_device_fault {
  enum leat_device_operation in; /**< Operations of this kind are counted. */
  uint64_t nth;                  /**< The operation that has the fault; 0 and 1: the first. */
  int onwards;                   /**< All later operations have the fault too. */
  int code;                      /**< The error, as errno; 0: the operation succeeds. */
  int shortens;                  /**< A read or a write transfers at most `most` bytes. */
  size_t most;                   /**< The limit of `shortens`, in bytes. */
  uint64_t delay;                /**< Nanoseconds added to the time of the operation. */
} leat_device_fault;

/** The faults of failing devices. Several threads may use a plan at once. */
typedef struct leat_fault_plan leat_fault_plan;
/** Creates a plan without faults. If there is no memory, returns null and sets errno to ENOMEM. */
LEAT_API leat_fault_plan* leat_fault_plan_new(void);
/** Adds a fault. `nth` counts from the first operation of the plan, not from this call. */
LEAT_API int leat_fault_plan_add(leat_fault_plan* plan, const leat_device_fault* fault);
/** Returns the number of operations of a kind so far, including failed operations. */
LEAT_API uint64_t leat_fault_plan_count(const leat_fault_plan* plan, enum leat_device_operation of);
/** Frees the handle; devices with the plan keep the plan alive. */
LEAT_API void leat_fault_plan_free(leat_fault_plan* plan);
/** Makes a device over another device, with the faults of a plan. The new device keeps the other
 * device and the plan alive. On failure, returns null and sets errno. */
LEAT_API leat_device* leat_device_fail(leat_device* below, leat_fault_plan* plan);

/** A file in memory, on a disk that may lose power. Programs see what they have written; after a
 * power cut, the file has the synced bytes and those unsynced changes that the test chooses. A
 * change is the part of one write in one sector of 512 bytes, or one resize. One thread at a time
 * may use the file and its devices. */
typedef struct leat_volatile_file leat_volatile_file;
/** Creates a file with a copy of this synced content. On failure, returns null and sets errno. */
LEAT_API leat_volatile_file* leat_volatile_file_new(const void* synced, size_t size);
/** Opens the file, any number of times. The file must outlive the device. On failure, returns null
 * and sets errno. */
LEAT_API leat_device* leat_volatile_file_open(leat_volatile_file* file);
/** Returns the content that programs see; valid until the next write, resize or power cut. */
LEAT_API leat_text leat_volatile_file_content(const leat_volatile_file* file);
/** Returns the number of unsynced changes. */
LEAT_API size_t leat_volatile_file_unsynced(const leat_volatile_file* file);
/** Cuts the power: only the unsynced changes with these numbers survive, in this order; the first
 * change has the number 0. Open devices then report EIO. If a number has no change, fails with
 * EINVAL and cuts nothing. */
LEAT_API int leat_volatile_file_cut_power(leat_volatile_file* file, const size_t* surviving,
                                          size_t count);
/** Cuts the power; the surviving changes and their order are random. The same seed gives the same
 * result. */
LEAT_API int leat_volatile_file_cut_power_at_random(leat_volatile_file* file, uint64_t seed);
/** Frees the file. The file's devices must be freed first. */
LEAT_API void leat_volatile_file_free(leat_volatile_file* file);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
