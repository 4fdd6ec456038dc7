/* SPDX-License-Identifier: BSD-3-Clause */
/* storage.h: storage modes, which decide whether invocations are stored as rows or as
 * sums. */
#ifndef MASTERMIND_FORMAT_STORAGE_H
#define MASTERMIND_FORMAT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum mm_storage_mode {
    MM_STORE_ROWS = 0,  /* a row for every invocation */
    MM_STORE_AUTO,      /* `count` rows for each method, then aggregates (sums) */
    MM_STORE_SAMPLE,    /* aggregates, and a row for one call of every `count` calls */
    MM_STORE_RESERVOIR, /* aggregates, and a random sample of `count` rows for each method
                           and thread */
    MM_STORE_AGGREGATES /* no rows */
};

struct mm_storage {
    enum mm_storage_mode mode;
    uint64_t count;
    uint64_t size_limit; /* largest size of a process's files, beyond which no more rows
                            are written; 0: no limit */
};

#define MM_STORAGE_DEFAULT "auto"
enum { MM_STORAGE_BUDGET = 1000000, MM_STORAGE_RESERVOIR_MAX = 100000 };
enum { MM_STORAGE_LEAST_LIMIT = 1 << 20 };

/* Parse "rows", "auto[:ROWS]", "sample:N", "reservoir:K" or "aggregates"; `size_limit` is
 * not changed. Returns 0, or -EINVAL with found and expected text in `err`. */
int mm_storage_parse(const char *text, struct mm_storage *storage, struct cca_error *err);
/* Print the mode in the format of mm_storage_parse, in at most `size` bytes. */
void mm_storage_text(const struct mm_storage *storage, char *text, size_t size);
/* Parse a number of bytes, with a suffix K, M or G in powers of 1024; "" and "0": no
 * limit. */
int mm_storage_parse_limit(const char *text, struct mm_storage *storage,
                           struct cca_error *err);

#endif
