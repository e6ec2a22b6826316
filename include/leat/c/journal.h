/* Journals: files of records to which records are added, and which survive torn tails and bit rot;
 * docs/journals.md has the format.
 *
 * Functions return 0, or -1 and errno: EBUSY if the journal has a writer, EBADMSG if the file is no
 * journal, EINVAL if no record begins at a position, or what the system says. After a failed write
 * or sync each later call fails with the same errno: close the journal and open it again. */
#ifndef LEAT_C_JOURNAL_H
#define LEAT_C_JOURNAL_H

#include <leat/c/base.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): it is C */

#ifdef __cplusplus
extern "C" {
#endif

/** A journal that is open to write. Several threads may use it at once; those that sync at the same
 * time share one sync of the disk. */
typedef struct leat_journal leat_journal;

/** How a journal is opened to write. Zeros: records go to the file when the window is full, at a
 * flush, and at the end. */
typedef struct leat_journal_options {
  enum leat_durability durability; /**< PROCESS: a killed process loses no record. SYSTEM: flush and
                                        close return when all survive a crash of the machine. */
  int each;                        /**< Each append writes to the file. */
  size_t buffer_size;              /**< Bytes; 0: leat decides. */
  unsigned flush_interval;         /**< Milliseconds; a thread flushes. 0: none. */
  int background;                  /**< A thread writes full windows. */
  uint64_t preallocate;            /**< Bytes to reserve on the disk. */
} leat_journal_options;

/** Some bytes of the program. */
typedef struct leat_piece {
  const void* bytes;
  size_t size;
} leat_piece;

/** A record. */
typedef struct leat_journal_record {
  uint64_t position; /**< Where it begins, in bytes from the start of the file. */
  const void* bytes;
  size_t size;
  unsigned char kind; /**< As the program has said. */
} leat_journal_record;

/** Opens a journal, and makes it if the file does not exist or is empty. A torn tail is cut. The
 * journal has a lock until the process that opened it closes it or ends; meanwhile another open
 * fails with EBUSY. The options may be null. Returns null and sets errno on failure. */
LEAT_API leat_journal* leat_journal_open(const char* path, const leat_journal_options* options);
/** Cuts a torn tail and nothing else. Returns how many bytes, or -1 and errno. */
LEAT_API leat_off_t leat_journal_recover(const char* path);
/** Adds a record and stores its position, if `position` is not null. */
LEAT_API int leat_journal_append(leat_journal* journal, const void* bytes, size_t size,
                                 unsigned char kind, uint64_t* position);
/** Adds records, with none of another thread between them. `positions` may be null. */
LEAT_API int leat_journal_append_all(leat_journal* journal, const leat_piece* records, size_t count,
                                     unsigned char kind, uint64_t* positions);
/** Writes all records to the file. */
LEAT_API int leat_journal_flush(leat_journal* journal);
/** Returns when all records that were added before survive a crash of the machine. */
LEAT_API int leat_journal_sync(leat_journal* journal);
/** Removes all records, and makes that durable; a crash during the call leaves all or none. Readers
 * that are open have to be opened again. @since 0.3 */
LEAT_API int leat_journal_clear(leat_journal* journal);
/** Copies the record at a position, up to `room` bytes of it, and stores its size. ERANGE if it has
 * more. */
LEAT_API int leat_journal_get(leat_journal* journal, uint64_t position, void* to, size_t room,
                              size_t* size);
/** Where the last record ends, in bytes from the start of the file. */
LEAT_API uint64_t leat_journal_size(const leat_journal* journal);
/** Flushes and closes, whatever it returns. Null is no error. */
LEAT_API int leat_journal_close(leat_journal* journal);

/** A journal that is open to read, for one thread at a time. */
typedef struct leat_journal_reader leat_journal_reader;

/** How a journal is read. Zeros: damage is passed over, and leat_journal_skipped tells. */
typedef struct leat_journal_read_options {
  int strict;     /**< Damage is an error, EBADMSG; the next call goes on behind it. */
  int live;       /**< Also what a writer with LEAT_DURABILITY_PROCESS keeps beside the file. */
  int only_files; /**< EACCES for addresses of other machines; see <leat/remote.h>. */
} leat_journal_read_options;

/** Opens a journal to read. The options may be null. Returns null and sets errno on failure. */
LEAT_API leat_journal_reader* leat_journal_reader_open(const char* path,
                                                       const leat_journal_read_options* options);
/** Takes the next record, whose bytes are valid until the next call for this reader. Returns 1, 0
 * at the end, or -1 and errno. There may be more after the end later. */
LEAT_API int leat_journal_next(leat_journal_reader* reader, leat_journal_record* record);
/** The next record is the first one that begins at this position or behind it. */
LEAT_API void leat_journal_seek(leat_journal_reader* reader, uint64_t position);
/** The record at a position. Its bytes are valid until the next call for this reader. */
LEAT_API int leat_journal_read_at(leat_journal_reader* reader, uint64_t position,
                                  leat_journal_record* record);
/** Gets a record of a batch, which is that of positions[index]. */
typedef void leat_journal_visit(const leat_journal_record* record, size_t index, void* context);
/** Reads the records at these positions in one batch, in the order in which they come from the
 * disk. */
LEAT_API int leat_journal_gather(leat_journal_reader* reader, const uint64_t* positions,
                                 size_t count, leat_journal_visit* visit, void* context);
/** What a reader has passed over. */
typedef struct leat_journal_damage {
  uint64_t places; /**< Runs of damaged bytes. */
  uint64_t bytes;  /**< All of their bytes. */
  uint64_t torn;   /**< At the end: bytes behind the last whole record. */
} leat_journal_damage;
/** What was passed over so far. */
LEAT_API leat_journal_damage leat_journal_skipped(const leat_journal_reader* reader);
/** Closes a reader. Null is no error. */
LEAT_API void leat_journal_reader_close(leat_journal_reader* reader);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
