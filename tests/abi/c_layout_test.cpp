// Structs and enums of leat/c/*.h. Changing a number requires a new minor version.
// Written by tests/abi/layouts.py.
#include <leat/leat.h>

#include <cstddef>
#include <cstdint>

// clang-format off
#if UINTPTR_MAX == UINT64_MAX
#  define AT(member, position, size) \
    (offsetof(type, member) == (position) && sizeof(type::member) == (size))
#  define STRUCT(name, size, members) \
    static_assert([] { using type = name; return sizeof(type) == (size) && (members); }(), #name)

STRUCT(leat_text, 16, AT(bytes, 0, 8) && AT(size, 8, 8));
STRUCT(leat_error, 56, AT(code, 0, 4) && AT(reason, 4, 4) && AT(operation, 8, 8) && AT(path, 16, 8) && AT(offset, 24, 8) && AT(unwritten, 32, 8) && AT(unread, 40, 8) && AT(message, 48, 8));
STRUCT(leat_rotation, 88, AT(size, 0, 8) && AT(every, 8, 8) && AT(keep, 16, 8) && AT(compression, 24, 4) && AT(level, 28, 4) && AT(by_time, 32, 4) && AT(local_time, 36, 4) && AT(finished, 40, 8) && AT(context, 48, 8) && AT(reserved, 56, 32));
STRUCT(leat_device_functions, 64, AT(read, 0, 8) && AT(write, 8, 8) && AT(size, 16, 8) && AT(resize, 24, 8) && AT(sync, 32, 8) && AT(close, 40, 8) && AT(reserved, 48, 16));
STRUCT(leat_fpos, 16, AT(position, 0, 8) && AT(state, 8, 8));
STRUCT(leat_cookie_functions, 32, AT(read, 0, 8) && AT(write, 8, 8) && AT(seek, 16, 8) && AT(close, 24, 8));
STRUCT(leat_options, 112, AT(buffer_size, 0, 8) && AT(durability, 8, 4) && AT(replace, 12, 4) && AT(inside, 16, 8) && AT(live, 24, 4) && AT(local_only, 28, 4) && AT(compression, 32, 4) && AT(level, 36, 4) && AT(codec_threads, 40, 4) && AT(seekable, 44, 4) && AT(limit, 48, 8) && AT(codec_memory, 56, 8) && AT(background, 64, 4) && AT(reopen, 68, 4) && AT(rotation, 72, 8) && AT(reserved, 80, 32));
STRUCT(leat_journal_options, 64, AT(durability, 0, 4) && AT(each, 4, 4) && AT(buffer_size, 8, 8) && AT(flush_interval, 16, 4) && AT(background, 20, 4) && AT(preallocate, 24, 8) && AT(reserved, 32, 32));
STRUCT(leat_piece, 16, AT(bytes, 0, 8) && AT(size, 8, 8));
STRUCT(leat_journal_record, 32, AT(position, 0, 8) && AT(bytes, 8, 8) && AT(size, 16, 8) && AT(kind, 24, 1));
STRUCT(leat_journal_read_options, 48, AT(strict, 0, 4) && AT(live, 4, 4) && AT(local_only, 8, 4) && AT(reserved, 16, 32));
STRUCT(leat_journal_damage, 24, AT(ranges, 0, 8) && AT(bytes, 8, 8) && AT(torn, 16, 8));
STRUCT(leat_range, 16, AT(at, 0, 8) && AT(size, 8, 8));
STRUCT(leat_plan, 80, AT(taken, 0, 4) && AT(why, 8, 8) && AT(positions, 16, 8) && AT(requests, 24, 8) && AT(bytes, 32, 8) && AT(gap, 40, 8) && AT(cached, 48, 8) && AT(sorting, 56, 8) && AT(total, 64, 8) && AT(dollars, 72, 8));
STRUCT(leat_access_options, 120, AT(route, 0, 4) && AT(threads, 4, 4) && AT(gap, 8, 8) && AT(longest, 16, 8) && AT(depth, 24, 8) && AT(memory, 32, 8) && AT(caching, 40, 4) && AT(durability, 44, 4) && AT(progress, 48, 8) && AT(context, 56, 8) && AT(local_only, 64, 4) && AT(compression, 68, 4) && AT(codec_memory, 72, 8) && AT(inside, 80, 8) && AT(reserved, 88, 32));
STRUCT(leat_simulated_service, 48, AT(latency, 0, 8) && AT(interval, 8, 8) && AT(rate, 16, 8) && AT(stream_rate, 24, 8) && AT(dollars_per_request, 32, 8) && AT(dollars_per_gigabyte, 40, 8));
STRUCT(leat_simulated_platter, 72, AT(capacity, 0, 8) && AT(rotation, 8, 8) && AT(track_switch, 16, 8) && AT(average_seek, 24, 8) && AT(full_stroke, 32, 8) && AT(outer_rate, 40, 8) && AT(inner_rate, 48, 8) && AT(read_ahead, 56, 8) && AT(queue, 64, 4));
STRUCT(leat_simulated_model, 192, AT(read, 0, 48) && AT(write, 48, 48) && AT(channels, 96, 4) && AT(submit, 104, 8) && AT(sync, 112, 8) && AT(platter, 120, 72));
STRUCT(leat_simulated_statistics, 32, AT(reads, 0, 8) && AT(bytes_read, 8, 8) && AT(writes, 16, 8) && AT(bytes_written, 24, 8));
STRUCT(leat_reader_options, 104, AT(buffer_size, 0, 8) && AT(pattern, 8, 4) && AT(caching, 12, 4) && AT(live, 16, 4) && AT(window_limit, 24, 8) && AT(local_only, 32, 4) && AT(compression, 36, 4) && AT(limit, 40, 8) && AT(codec_memory, 48, 8) && AT(background, 56, 4) && AT(inside, 64, 8) && AT(reserved, 72, 32));
STRUCT(leat_follow_options, 72, AT(begins_at_end, 0, 4) && AT(last_lines, 8, 8) && AT(timeout, 16, 8) && AT(no_wait, 24, 4) && AT(window_limit, 32, 8) && AT(reserved, 40, 32));
STRUCT(leat_line_options, 24, AT(delimiter, 0, 4) && AT(crlf, 4, 4) && AT(longest, 8, 8) && AT(reserved, 16, 8));
STRUCT(leat_row_options, 32, AT(delimiter, 0, 4) && AT(quotes, 4, 4) && AT(lf_only, 8, 4) && AT(longest, 16, 8) && AT(reserved, 24, 8));
STRUCT(leat_row, 32, AT(text, 0, 16) && AT(fields, 16, 8) && AT(of, 24, 8));
STRUCT(leat_writer_options, 128, AT(buffer_size, 0, 8) && AT(durability, 8, 4) && AT(flush, 12, 4) && AT(flush_interval, 16, 4) && AT(background, 20, 4) && AT(when_full, 24, 4) && AT(preallocate, 32, 8) && AT(exclusive, 40, 4) && AT(readable, 44, 4) && AT(permissions, 48, 4) && AT(caching, 52, 4) && AT(local_only, 56, 4) && AT(compression, 60, 4) && AT(level, 64, 4) && AT(codec_threads, 68, 4) && AT(seekable, 72, 4) && AT(inside, 80, 8) && AT(reopen, 88, 4) && AT(reserved, 96, 32));
STRUCT(leat_device_fault, 48, AT(in, 0, 4) && AT(nth, 8, 8) && AT(onwards, 16, 4) && AT(code, 20, 4) && AT(shortens, 24, 4) && AT(most, 32, 8) && AT(delay, 40, 8));
static_assert(LEAT_REASON_NONE == 0 && LEAT_REASON_CLOSED == 1 && LEAT_REASON_NO_PROGRESS == 2 && LEAT_REASON_NOT_COMMITTED == 3 && LEAT_REASON_MEMORY_FULL == 4 && LEAT_REASON_NOT_A_FILE == 5 && LEAT_REASON_ENDED_EARLY == 6 && LEAT_REASON_LINE_TOO_LONG == 7 && LEAT_REASON_NOT_A_NUMBER == 8 && LEAT_REASON_FILE_SHRANK == 9 && LEAT_REASON_NO_SUCH_RECORD == 10 && LEAT_REASON_RESERVED_NAME == 11 && LEAT_REASON_SAME_FILE == 12 && LEAT_REASON_READ_ONLY == 13 && LEAT_REASON_INPUT_TOO_LONG == 14 && LEAT_REASON_BAD_SIDECAR == 15 && LEAT_REASON_FOREIGN_SIDECAR == 16 && LEAT_REASON_STALE_SIDECAR == 17 && LEAT_REASON_LEFT_OPEN == 18 && LEAT_REASON_OUTSIDE_FOLDER == 19 && LEAT_REASON_NO_COMPONENT == 20 && LEAT_REASON_NOT_LOCAL == 21 && LEAT_REASON_BAD_JOURNAL == 22 && LEAT_REASON_DAMAGED == 23 && LEAT_REASON_BAD_QUOTES == 24 && LEAT_REASON_NO_CODECS == 25);
static_assert(LEAT_DURABILITY_NONE == 0 && LEAT_DURABILITY_PROCESS == 1 && LEAT_DURABILITY_SYSTEM == 2);
static_assert(LEAT_COMPRESSION_NONE == 0 && LEAT_COMPRESSION_AUTOMATIC == 1 && LEAT_COMPRESSION_GZIP == 2 && LEAT_COMPRESSION_ZSTD == 3 && LEAT_COMPRESSION_LZ4 == 4 && LEAT_COMPRESSION_XZ == 5);
static_assert(LEAT_PATTERN_AUTOMATIC == 0 && LEAT_PATTERN_SEQUENTIAL == 1 && LEAT_PATTERN_RANDOM == 2);
static_assert(LEAT_CACHING_CACHED == 0 && LEAT_CACHING_DIRECT == 1);
static_assert(LEAT_LOCK_SHARED == 0 && LEAT_LOCK_EXCLUSIVE == 1);
static_assert(LEAT_ROUTE_AUTOMATIC == 0 && LEAT_ROUTE_MAPPED == 1 && LEAT_ROUTE_MERGED == 2 && LEAT_ROUTE_SINGLE == 3 && LEAT_ROUTE_DIRECT == 4);
static_assert(LEAT_MODE_READ == 0 && LEAT_MODE_UPDATE == 1 && LEAT_MODE_UPDATE_OR_CREATE == 2 && LEAT_MODE_COPY == 3);
static_assert(LEAT_DISK_HDD == 0 && LEAT_DISK_SSD == 1 && LEAT_DISK_NVME == 2 && LEAT_DISK_NFS == 3 && LEAT_DISK_S3 == 4);
static_assert(LEAT_FLUSH_FULL == 0 && LEAT_FLUSH_LINE == 1 && LEAT_FLUSH_CALL == 2);
static_assert(LEAT_WHEN_FULL_WAIT == 0 && LEAT_WHEN_FULL_DROP == 1);
static_assert(LEAT_OPERATION_ANY == 0 && LEAT_OPERATION_READ == 1 && LEAT_OPERATION_WRITE == 2 && LEAT_OPERATION_SYNC == 3 && LEAT_OPERATION_SIZE == 4 && LEAT_OPERATION_RESIZE == 5 && LEAT_OPERATION_RESERVE == 6 && LEAT_OPERATION_CLOSE == 7);
#  undef AT
#  undef STRUCT
#endif
