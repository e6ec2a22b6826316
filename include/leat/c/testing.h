/* For tests of programs: devices that fail as told, and a file whose disk loses its power. */
#ifndef LEAT_C_TESTING_H
#define LEAT_C_TESTING_H

#include <leat/c/base.h>
#include <leat/c/device.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): it is C */

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

/** What goes wrong, and in which operation. */
typedef struct leat_device_fault {
  enum leat_device_operation in; /**< Operations of this kind are counted. */
  uint64_t nth;                  /**< The one that is hit; 0 and 1: the first. */
  int onwards;                   /**< All later ones are hit, too. */
  int code;                      /**< What it reports, as errno; 0: it does its work. */
  int shortens;                  /**< A read or a write moves at most `most` bytes. */
  size_t most;                   /**< With shortens. */
  uint64_t delay;                /**< Nanoseconds that it takes longer. */
} leat_device_fault;

/** Faults of failing devices. Several threads may use it at once. */
typedef struct leat_fault_plan leat_fault_plan;
/** A plan without faults. Null and ENOMEM without memory. */
LEAT_API leat_fault_plan* leat_fault_plan_new(void);
/** Adds a fault. Its `nth` counts from the first operation of the plan on. */
LEAT_API int leat_fault_plan_add(leat_fault_plan* plan, const leat_device_fault* fault);
/** Operations of a kind so far, with those that have failed. */
LEAT_API uint64_t leat_fault_plan_count(const leat_fault_plan* plan, enum leat_device_operation of);
/** The devices that have the plan keep it alive. */
LEAT_API void leat_fault_plan_free(leat_fault_plan* plan);
/** Does what another device does, which it keeps alive, but for the faults of a plan. Null and
 * errno on failure. */
LEAT_API leat_device* leat_device_fail(leat_device* below, leat_fault_plan* plan);

/** A file in memory whose disk may lose its power. Programs see what they have written; a power cut
 * leaves what was synced, and of the rest what the test says. A change is what one write does
 * within one sector of 512 bytes, or one resize. One thread at a time. */
typedef struct leat_volatile_file leat_volatile_file;
/** With a content that is safe already, which is copied. Null and errno on failure. */
LEAT_API leat_volatile_file* leat_volatile_file_new(const void* synced, size_t size);
/** Opens the file, as often as you like. It must outlive the device. */
LEAT_API leat_device* leat_volatile_file_open(leat_volatile_file* file);
/** What programs see; valid until something is written. */
LEAT_API leat_text leat_volatile_file_content(const leat_volatile_file* file);
/** The number of changes that were not synced. */
LEAT_API size_t leat_volatile_file_unsynced(const leat_volatile_file* file);
/** The power fails: of the changes that were not synced, only these survive, by their numbers and
 * in this order. Devices that are open report EIO from then on. EINVAL for a number that no change
 * has. */
LEAT_API int leat_volatile_file_cut_power(leat_volatile_file* file, const size_t* surviving,
                                          size_t count);
/** Each change survives or not, by chance; the same seed gives the same. */
LEAT_API int leat_volatile_file_cut_power_at_random(leat_volatile_file* file, uint64_t seed);
/** Its devices must be freed before. */
LEAT_API void leat_volatile_file_free(leat_volatile_file* file);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
