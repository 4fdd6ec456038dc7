/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h: compress files of a finished experiment: thread-000.seg becomes
 * thread-000.seg.zst, one zstd frame with its size and a checksum, which the program zstd
 * can unpack as well.
 *
 * Readers open a file by its original name and get its contents, whether it is packed or
 * not. For all functions: any thread; not collective. */
#ifndef MASTERMIND_PACK_PACK_H
#define MASTERMIND_PACK_PACK_H

#include <stdint.h>

#include "ports/cca_error.h"

#define MM_PACKED ".zst"

/* Open a file for reading by pread and lseek; if it does not exist, open its packed form,
 * which is unpacked into memory or, if large, into an unnamed file in $TMPDIR. The last
 * few unpacked files are kept, so opening them again is cheap.
 *
 * Returns a descriptor for the caller to close; -ENOENT: neither exists, without a
 * message; -EBADMSG: the packed file is damaged; -EOPNOTSUPP: this build has no zstd;
 * other negative errnos. */
int mm_packed_open(const char *path, struct cca_error *err);

/* Pack the file `path` into `path`.zst, read that back, compare the two, and then remove
 * `path`. While both files exist, readers use `path`.
 *
 *   level   in   compression level of zstd, 1 to 19
 *   before  out  size before packing, in bytes
 *   after   out  size after packing, in bytes
 *
 * Returns 0, or a negative errno with `err`. */
int mm_pack_file(const char *path, int level, uint64_t *before, uint64_t *after,
                 struct cca_error *err);
/* Unpack `path`.zst to `path`, and then remove it: the inverse of mm_pack_file. */
int mm_unpack_file(const char *path, uint64_t *before, uint64_t *after,
                   struct cca_error *err);

#endif
