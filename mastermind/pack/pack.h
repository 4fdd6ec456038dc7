/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h: files of an experiment at rest: thread-000.seg as thread-000.seg.zst, one frame
 * of zstd with its size and a checksum, which zstd's own program unpacks, too.
 *
 * Readers open a file by its own name and get what it holds, packed or not. All
 * functions: any thread; not collective. */
#ifndef MASTERMIND_PACK_PACK_H
#define MASTERMIND_PACK_PACK_H

#include <stdint.h>

#include "ports/cca_error.h"

#define MM_PACKED ".zst"

/* Open a file for reading by pread and lseek; where it is not there, its packed form,
 * which is unpacked into memory, or into a file of $TMPDIR without a name where it is
 * large. The forms of the last few are kept, so that opening them again is cheap.
 *
 * A descriptor for the caller to close; -ENOENT: there is neither, without words in
 * `err`; -EBADMSG the packed file is damaged; -EOPNOTSUPP this build is without zstd;
 * others. */
int mm_packed_open(const char *path, struct cca_error *err);

/* Pack `path` into `path`.zst, read that back, compare, and remove `path`; it stays until
 * all of that is done, and is what readers take while both are there.
 *
 *   level   in   of zstd, 1 to 19
 *   before  out  bytes
 *   after   out  bytes
 *
 * 0, or a negative errno with `err`. */
int mm_pack_file(const char *path, int level, uint64_t *before, uint64_t *after,
                 struct cca_error *err);
/* The other way round, for `path`.zst. */
int mm_unpack_file(const char *path, uint64_t *before, uint64_t *after,
                   struct cca_error *err);

#endif
