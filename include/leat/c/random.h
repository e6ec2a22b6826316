/* Random access: batches of many positions of a file, in any order and with repeats. A batch sorts
 * its positions and makes one request for nearby positions; docs/random-access.md has figures.
 * leat_gather and similar functions work on a leat_file; leat_random_access_file is a file that has
 * no cursor and that several threads may use. */
#ifndef LEAT_C_RANDOM_H
#define LEAT_C_RANDOM_H

#include <leat/c/base.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/* Batches of a leat_file. A batch needs a readable stream with positions, and holds the stream's
 * lock until the batch ends. Bytes that were written earlier are in the file when a batch begins.
 * The stream's position does not change. A batch that changes the file discards the stream's
 * read-ahead and pushed-back bytes.
 *
 * Each function returns 0; or -1 and errno:
 *   EINVAL  a size of 0, or a position that is not in the file: nothing was read or changed
 *   EBADF   the stream's mode does not allow the batch; a stream that appends can't be changed
 *   ESPIPE  the stream has no positions
 *   ENOMEM  there is no memory
 *   EIO     the file has become shorter meanwhile
 * or the system's error. All errors except EINVAL, ESPIPE and ENOMEM set the stream's error
 * flag. */

/** Reads records[positions[i]] to out + i * size, for all i. The file is an array of records of
 * `size` bytes. An incomplete record at the end of the file does not count: a file of 10 bytes has
 * two records of 4 bytes. */
LEAT_API int leat_gather(leat_file* file, size_t size, const uint64_t* positions, size_t count,
                         void* out);

/** Writes values + i * size to records[positions[i]], for all i. If a position occurs again, its
 * last value wins. No records are added. After an error, some of the records may be written. */
LEAT_API int leat_scatter(leat_file* file, size_t size, const uint64_t* positions, size_t count,
                          const void* values);

/** Changes the record at positions[index]. A nonzero result ends the update. The record is aligned
 * for any type. In leat_update the function must not use the stream: leat_scatter, leat_update,
 * leat_fclose, leat_discard and leat_freopen fail with EDEADLK; calls of other functions are
 * undefined behaviour. In leat_random_access_update the function may read the file; functions that
 * change or close the file fail with EDEADLK. */
typedef int leat_change(void* record, size_t index, void* context);

/** Reads the records at these positions, calls `change` for each position, and writes the records
 * back. The order of records is unspecified. Occurrences of one record keep the caller's order, and
 * each call sees the change by the previous call.
 *
 * If `change` returns a nonzero number, leat_update returns this number. The record of this call is
 * unchanged; other records may have changed. After an error, records for which `change` was not
 * called are unchanged. If a range of the file could not be written, the other records in this
 * range may be unchanged, too.
 */
LEAT_API int leat_update(leat_file* file, size_t size, const uint64_t* positions, size_t count,
                         leat_change* change, void* context);

/** A range of bytes in a file. */
typedef struct leat_range {
  uint64_t at;   /**< From the start of the file, in bytes. */
  uint64_t size; /**< Bytes; may be 0. */
} leat_range;

/** Reads ranges of any lengths, overlapping or not. Stores the bytes of the ranges in `out`,
 * concatenated in the order of the list; `out` has room for the sum of the ranges' sizes. */
LEAT_API int leat_read_ranges(leat_file* file, const leat_range* ranges, size_t count, void* out);

/** How a batch accesses the file. */
enum leat_route {
  LEAT_ROUTE_AUTOMATIC, /**< leat measures and chooses. In a plan: there was no batch yet. */
  LEAT_ROUTE_MAPPED,    /**< Through a mapping, in the order given. */
  LEAT_ROUTE_MERGED,    /**< Sorted; nearby positions are read as one range. */
  LEAT_ROUTE_SINGLE,    /**< As merged, but reads no gaps wider than a page of 4096 bytes. */
  LEAT_ROUTE_DIRECT     /**< As single, but with direct I/O, many requests at a time. */
};

/** How a batch was carried out. */
typedef struct leat_plan {
  enum leat_route taken; /**< The route of the batch; LEAT_ROUTE_AUTOMATIC: no batch yet. */
  const char* why;       /**< The reason, as a static text for people; empty without a batch. */
  size_t positions;      /**< The number of requested positions or ranges. */
  size_t requests;       /**< Requests to the system; 0 through a mapping. */
  uint64_t bytes;        /**< Read from the file, gaps included. */
  size_t gap;            /**< The widest gap, in bytes, within one request; 0 through a mapping. */
  double cached; /**< The share of sampled positions that were in the page cache; -1: no sample. */
  uint64_t sorting; /**< Nanoseconds of sorting, a part of `total`. */
  uint64_t total; /**< Nanoseconds of the whole batch. A batch of fewer than 256 positions of a file
                     is not timed: `total` is 0, and `requests` and `bytes` count its positions and
                     their bytes. */
  double dollars; /**< US dollars at list prices for the requests to object storage or a simulated
                     disk; 0: free. */
} leat_plan;

/** Returns how the stream's last batch was carried out. A batch without positions, or with a
 * position that is not in the file, does not count. */
LEAT_API leat_plan leat_last_plan(leat_file* file);

/* Files with random access. Functions return 0, or -1 and errno. If a position of a batch is not in
 * the file, or the size of a record is 0, the batch fails with EINVAL. With LEAT_MODE_READ, changes
 * fail with EBADF. On failure, functions that open a file return null and set errno.
 * leat_random_access_close frees a file. */

/** A file without a cursor or a buffer, read and written at any position. Several threads may use
 * the file. */
typedef struct leat_random_access_file leat_random_access_file;

/** The purpose that a file is opened for. */
enum leat_mode {
  LEAT_MODE_READ,             /**< Nothing changes. */
  LEAT_MODE_UPDATE,           /**< Changes go to the file. */
  LEAT_MODE_UPDATE_OR_CREATE, /**< As UPDATE; a missing file is created. */
  LEAT_MODE_COPY              /**< Changes stay in memory; the file is only read. */
};

/** Called at intervals during a batch, with the number of finished positions and the number of all
 * positions, by any thread of the batch, one thread at a time. A nonzero result ends the batch as
 * an error does, with ECANCELED. */
typedef int leat_batch_progress(size_t done, size_t all, void* context);

/** Options of batches. Zeros: leat measures and chooses. */
typedef struct leat_access_options {
  enum leat_route route;
  unsigned threads; /**< The number of threads of a batch; 0: one thread. The threads call the
                       program's functions concurrently. */
  size_t gap; /**< The widest gap, in bytes, within one request; 0: leat measures and chooses. */
  size_t longest; /**< The longest range, in bytes, of one request. 0: 256 KiB; 1 MiB if the bytes
                     come from the disk; up to 8 MiB if nothing reads ahead. */
  size_t depth;   /**< The most requests in flight; 0: 256 requests. From object storage at most 128
                     requests. */
  size_t memory;  /**< Bytes of memory for sorting; a batch that needs more memory is split. 0: 256
                     MiB. */
  enum leat_caching caching;       /**< DIRECT: batches use direct I/O; not with LEAT_MODE_COPY. */
  enum leat_durability durability; /**< SYSTEM: each change survives a crash of the machine when its
                                        function returns. PROCESS is as NONE. */
  leat_batch_progress* progress;   /**< May be null. */
  void* context;                   /**< Passed to `progress`. */
  int local_only; /**< EACCES for addresses in object storage; see <leat/remote.h>. */
  enum leat_compression compression; /**< With LEAT_MODE_READ and LEAT_MODE_COPY; otherwise ENOTSUP.
                                        Only seekable zstd has positions. */
  uint64_t codec_memory; /**< The most bytes of memory for decoding; a file that requires more bytes
                            fails with ENOTSUP. 0: 128 MiB. @since 0.3 */
  /** A descriptor of a folder. The path must lead to a regular file in the folder, without links
   * and "..", or opening fails. Null: any path. ENOTSUP on Windows. */
  const int* inside;
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_access_options;

/** Opens a file. The options may be null. */
LEAT_API leat_random_access_file* leat_random_access_open(const char* path, enum leat_mode mode,
                                                          const leat_access_options* options);
/** Creates an empty file, or truncates an existing file, for reading and writing. The options may
 * be null. */
LEAT_API leat_random_access_file* leat_random_access_create(const char* path,
                                                            const leat_access_options* options);
/** Makes a file over a device with positions, which the file keeps alive. `name` is for messages
 * and may be null. The options compression and inside fail with EINVAL. A device without positions
 * fails with ESPIPE. If changes go to the file, a device that appends fails, too. */
LEAT_API leat_random_access_file* leat_random_access_over(leat_device* device, enum leat_mode mode,
                                                          const leat_access_options* options,
                                                          const char* name);
/** Closes and frees the file, even if the result is -1. Exception: in a function called by a batch
 * of the file, this call fails with EDEADLK and does nothing. `file` may be null. */
LEAT_API int leat_random_access_close(leat_random_access_file* file);

/** Reads exactly `size` bytes. If the file has fewer bytes, fails with LEAT_REASON_ENDED_EARLY
 * (EIO); the content of `to` is then unspecified. */
LEAT_API int leat_random_access_read_at(const leat_random_access_file* file, uint64_t at, void* to,
                                        size_t size);
/** Writes all the bytes. If the bytes extend past the end of the file, the file grows. */
LEAT_API int leat_random_access_write_at(leat_random_access_file* file, uint64_t at,
                                         const void* from, size_t size);
/** Returns the size in bytes, or -1 and errno. */
LEAT_API leat_off_t leat_random_access_size(const leat_random_access_file* file);
/** Sets the size of the file in bytes. New bytes are zeros. */
LEAT_API int leat_random_access_resize(leat_random_access_file* file, uint64_t size);
/** Waits until all changes survive a crash of the machine. */
LEAT_API int leat_random_access_sync(leat_random_access_file* file);
/** Announce future reads to the system. */
LEAT_API void leat_random_access_advise(leat_random_access_file* file, enum leat_pattern expected);
LEAT_API void leat_random_access_announce(leat_random_access_file* file, leat_range soon);

/** As leat_gather, leat_scatter and leat_update, for records that begin `header` bytes after the
 * start of the file. If `change` returns a nonzero number, leat_random_access_update returns this
 * number. */
LEAT_API int leat_random_access_gather(const leat_random_access_file* file, uint64_t header,
                                       size_t size, const uint64_t* positions, size_t count,
                                       void* out);
LEAT_API int leat_random_access_scatter(leat_random_access_file* file, uint64_t header, size_t size,
                                        const uint64_t* positions, size_t count,
                                        const void* values);
LEAT_API int leat_random_access_update(leat_random_access_file* file, uint64_t header, size_t size,
                                       const uint64_t* positions, size_t count, leat_change* change,
                                       void* context);
/** As leat_read_ranges. */
LEAT_API int leat_random_access_read_ranges(const leat_random_access_file* file,
                                            const leat_range* ranges, size_t count, void* out);
/** Receives the bytes of ranges[index], which are valid during the call. */
typedef void leat_visit_range(leat_text bytes, size_t index, void* context);
/** Calls `visit` once for each range, in the order of completion. */
LEAT_API int leat_random_access_visit_ranges(const leat_random_access_file* file,
                                             const leat_range* ranges, size_t count,
                                             leat_visit_range* visit, void* context);
/** Writes ranges, whose bytes are concatenated in `from`. Where ranges overlap, the later range
 * wins. The file may grow; EFBIG for a range beyond the largest position of a file. After an error,
 * some of the ranges may be written. */
LEAT_API int leat_random_access_write_ranges(leat_random_access_file* file,
                                             const leat_range* ranges, size_t count,
                                             const void* from);
/** Returns how the last batch was carried out. */
LEAT_API leat_plan leat_random_access_last_plan(const leat_random_access_file* file);

#ifdef __cplusplus
}
#endif

/* The names of 0.2: deprecated, and removed in 0.4. */
#define leat_random leat_random_access_file
#define leat_random_open leat_random_access_open
#define leat_random_create leat_random_access_create
#define leat_random_over leat_random_access_over
#define leat_random_close leat_random_access_close
#define leat_random_read_at leat_random_access_read_at
#define leat_random_write_at leat_random_access_write_at
#define leat_random_size leat_random_access_size
#define leat_random_resize leat_random_access_resize
#define leat_random_sync leat_random_access_sync
#define leat_random_advise leat_random_access_advise
#define leat_random_announce leat_random_access_announce
#define leat_random_gather leat_random_access_gather
#define leat_random_scatter leat_random_access_scatter
#define leat_random_update leat_random_access_update
#define leat_random_read_ranges leat_random_access_read_ranges
#define leat_random_visit_ranges leat_random_access_visit_ranges
#define leat_random_write_ranges leat_random_access_write_ranges
#define leat_random_last_plan leat_random_access_last_plan

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
