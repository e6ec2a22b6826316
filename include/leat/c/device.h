/* Devices, which streams read and write: a file, a pipe, or functions of the program.
 * leat_reader_over, leat_writer_over and leat_random_access_over take devices.
 *
 * A device has no cursor and no buffer: each call takes a position. leat_device_free frees a
 * handle; the device lives until the last stream and the last device over it are freed too. One
 * thread at a time may use a device. Functions that create a device return null and set errno on
 * failure; functions that return int return 0, or -1 and errno. After leat_device_close, reads,
 * writes, size, resize, sync and a second close fail with EBADF. */
#ifndef LEAT_C_DEVICE_H
#define LEAT_C_DEVICE_H

#include <leat/c/base.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** The functions of a user-defined device. read and write return the number of bytes, 0 at the end
 * of the input, or -1 and errno; if errno is 0, or the result is greater than `size`, the error is
 * EIO. resize, sync and close return 0, or another number and errno. Each function may be null: a
 * read or write then fails with EBADF, a resize fails with ENOTSUP; sync and close do nothing. */
typedef struct leat_device_functions {
  ssize_t (*read)(void* context, uint64_t at, void* to, size_t size);
  ssize_t (*write)(void* context, uint64_t at, const void* from, size_t size);
  leat_off_t (*size)(void* context); /**< Returns the size in bytes, or -1 and errno. Null: the
                                        device has no positions, as a pipe. */
  int (*resize)(void* context, uint64_t size);
  int (*sync)(void* context);
  int (*close)(void* context); /**< Called once, at the latest when the device is destroyed. */
  void* reserved[2];           /**< Null: room for functions of later versions. @since 0.3 */
} leat_device_functions;

/** Creates a device from functions, which get `context`. The struct is copied. If the creation
 * fails, no function is called. */
LEAT_API leat_device* leat_device_new(const leat_device_functions* functions, void* context);
/** Creates a device over a descriptor, which the device owns and closes. If there is no memory, the
 * descriptor is closed, too. On Windows: ENOTSUP. */
LEAT_API leat_device* leat_device_adopt(int descriptor);
/** Creates a device over a descriptor, which stays open. */
LEAT_API leat_device* leat_device_borrow(int descriptor);
/** Frees a handle, which may be null. */
LEAT_API void leat_device_free(leat_device* device);

/** Reads once from a position. Returns the number of bytes, 0 at the end, or -1. */
LEAT_API ssize_t leat_device_read_at(leat_device* device, uint64_t at, void* to, size_t size);
/** Writes once, up to `size` bytes, at a position. Returns the number of bytes, or -1. */
LEAT_API ssize_t leat_device_write_at(leat_device* device, uint64_t at, const void* from,
                                      size_t size);
/** Returns the size in bytes, or -1; ENOTSUP if the device has no positions. */
LEAT_API leat_off_t leat_device_size(const leat_device* device);
/** Sets the size in bytes. New bytes are zeros. */
LEAT_API int leat_device_resize(leat_device* device, uint64_t size);
/** Waits until all bytes that were written survive a crash of the machine. */
LEAT_API int leat_device_sync(leat_device* device);
/** Closes the device, even if the result is -1; the handle must still be freed. */
LEAT_API int leat_device_close(leat_device* device);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
