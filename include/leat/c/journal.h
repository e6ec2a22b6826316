/* Journals (write-ahead logs): append-only files of records that survive torn tails and bit rot;
 * docs/journals.md has the format.
 *
 * Functions return 0, or -1 and errno: EBUSY if the journal has a writer, EBADMSG if the file is
 * not a journal, EINVAL if no record begins at a position, or the system's error. After a failed
 * write or sync each later append, flush and sync fails with the same errno: close the journal and
 * open it again. */
#ifndef LEAT_C_JOURNAL_H
#define LEAT_C_JOURNAL_H

#include <leat/c/base.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** A journal open for writing. Several threads may use a journal at once; threads that sync at the
 * same time share one sync of the disk. */
typedef struct leat_journal leat_journal;

/** How a journal is opened to write. With zeros, records go to the file when the buffer is full, at
 * a flush, and when the journal is closed. */
typedef struct leat_journal_options {
  /** PROCESS: a killed process loses no record. SYSTEM: flush and close return when all records
   * survive a crash of the machine. */
  enum leat_durability durability;
  int each;                /**< Each append writes to the file. */
  size_t buffer_size;      /**< Bytes; 0: leat decides. */
  unsigned flush_interval; /**< Milliseconds between flushes by a thread; 0: no thread. */
  int background;          /**< A thread writes full buffers. */
  uint64_t preallocate;    /**< Bytes to reserve on the disk. */
  uint64_t reserved[4];    /**< Zeros: room for options of later versions. @since 0.3 */
} leat_journal_options;

/** The bytes of a record to append. */
typedef struct leat_piece {
  const void* bytes;
  size_t size;
} leat_piece;

/** A record. */
typedef struct leat_journal_record {
  uint64_t position; /**< Start of the record, in bytes from the start of the file. */
  const void* bytes;
  size_t size;
  unsigned char kind; /**< The number that the program gave to the append. */
} leat_journal_record;

/** Opens a journal. If the file is missing or empty, creates a journal. A torn tail is cut. The
 * journal is locked until its process closes the journal or ends; meanwhile another
 * leat_journal_open fails with EBUSY. The options may be null. Returns null and sets errno on
 * failure. */
LEAT_API leat_journal* leat_journal_open(const char* path, const leat_journal_options* options);
/** First recovers the pending bytes of a killed process, then cuts a torn tail. Returns the number
 * of cut bytes, or -1 and errno. The file must exist, and have no writer (EBUSY). */
LEAT_API leat_off_t leat_journal_recover(const char* path);
/** Appends a record and stores its position, if `position` is not null. */
LEAT_API int leat_journal_append(leat_journal* journal, const void* bytes, size_t size,
                                 unsigned char kind, uint64_t* position);
/** Appends records, without records of other threads between them. Stores the positions of the
 * records in `positions`, which may be null and otherwise has room for `count` numbers. */
LEAT_API int leat_journal_append_all(leat_journal* journal, const leat_piece* records, size_t count,
                                     unsigned char kind, uint64_t* positions);
/** Writes all records to the file. */
LEAT_API int leat_journal_flush(leat_journal* journal);
/** Returns when all earlier records survive a crash of the machine. */
LEAT_API int leat_journal_sync(leat_journal* journal);
/** Removes all records durably; a crash during the call leaves all records or none. Open readers
 * must be opened again. @since 0.3 */
LEAT_API int leat_journal_clear(leat_journal* journal);
/** Copies up to `room` bytes of the record at a position, and stores the record's size in `size`,
 * which may be null. If the record has more bytes, fails with ERANGE after the copy. */
LEAT_API int leat_journal_get(leat_journal* journal, uint64_t position, void* to, size_t room,
                              size_t* size);
/** Returns the end of the last record, in bytes from the start of the file. */
LEAT_API uint64_t leat_journal_size(const leat_journal* journal);
/** Flushes, closes and frees the journal, even if the result is -1. `journal` may be null. */
LEAT_API int leat_journal_close(leat_journal* journal);

/** A journal open for reading, for one thread at a time. */
typedef struct leat_journal_reader leat_journal_reader;

/** How a journal is read. Zeros: damage is skipped, and leat_journal_skipped reports it. */
typedef struct leat_journal_read_options {
  int strict; /**< Damage is an error, EBADMSG; the next call continues after the damage. */
  int live; /**< Also reads pending records in the sidecar of a writer with LEAT_DURABILITY_PROCESS.
             */
  int local_only;       /**< EACCES for addresses in object storage; see <leat/remote.h>. */
  uint64_t reserved[4]; /**< Zeros: room for options of later versions. @since 0.3 */
} leat_journal_read_options;

/** Opens a journal to read. The options may be null. Returns null and sets errno on failure. */
LEAT_API leat_journal_reader* leat_journal_reader_open(const char* path,
                                                       const leat_journal_read_options* options);
/** Takes the next record, whose bytes are valid until the next call for this reader. Returns 1, 0
 * at the end, or -1 and errno; 0 and -1 leave `record` unchanged. After the end, more records may
 * follow later. */
LEAT_API int leat_journal_next(leat_journal_reader* reader, leat_journal_record* record);
/** Goes to a position: the next record is the first record that begins at or after the position. */
LEAT_API void leat_journal_seek(leat_journal_reader* reader, uint64_t position);
/** Reads the record at a position. The record's bytes are valid until the next call for this
 * reader. */
LEAT_API int leat_journal_read_at(leat_journal_reader* reader, uint64_t position,
                                  leat_journal_record* record);
/** Receives the record at positions[index]. The record and its bytes are valid during the call. */
typedef void leat_journal_visit(const leat_journal_record* record, size_t index, void* context);
/** Reads the records at these positions in one batch. Calls `visit` for each record in the order of
 * completion. */
LEAT_API int leat_journal_gather(leat_journal_reader* reader, const uint64_t* positions,
                                 size_t count, leat_journal_visit* visit, void* context);
/** The damage that a reader has skipped. */
typedef struct leat_journal_damage {
  uint64_t ranges; /**< Runs of damaged bytes. */
  uint64_t bytes;  /**< The bytes of all runs. */
  uint64_t torn;   /**< When the reader is at the end: bytes after the last whole record. */
} leat_journal_damage;
/** Returns the damage skipped so far. */
LEAT_API leat_journal_damage leat_journal_skipped(const leat_journal_reader* reader);
/** Closes and frees a reader, which may be null. */
LEAT_API void leat_journal_reader_close(leat_journal_reader* reader);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
