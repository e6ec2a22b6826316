/* The headers of leat for C, from C99 on, and for C++. Each header can also be included alone:
 *
 *   c/files.h      leat_file: <stdio.h> with the prefix `leat_`, opening with options, locks
 *   c/streams.h    leat_reader and leat_writer: lines, rows, words and numbers without copies
 *   c/random.h     batches of many positions of a file: leat_gather, and leat_random_access_file
 *   c/journal.h    files of records that survive a crash
 *   c/device.h     streams over functions of the program
 *   c/simulated.h  simulated disks: how long would an operation take, and what would it cost?
 *   c/testing.h    disks that fail, or lose their power
 *
 * c/base.h has the common part of these headers: errors, and values of options. <leat/stdio.h> has
 * the functions of c/files.h without the prefix, for existing programs. <leat/remote.h> and
 * <leat/codecs.h> add object storage and compressed files. */
#ifndef LEAT_LEAT_H
#define LEAT_LEAT_H

#include <leat/c/base.h>
#include <leat/c/device.h>
#include <leat/c/files.h>
#include <leat/c/journal.h>
#include <leat/c/random.h>
#include <leat/c/simulated.h>
#include <leat/c/streams.h>
#include <leat/c/testing.h>

#endif
