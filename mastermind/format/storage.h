/* SPDX-License-Identifier: BSD-3-Clause */
/* storage.h: what is kept of invocations: rows, some of them, or sums. */
#ifndef MASTERMIND_FORMAT_STORAGE_H
#define MASTERMIND_FORMAT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum mm_storage_mode {
    MM_STORE_ROWS = 0,  /* a row of every invocation */
    MM_STORE_AUTO,      /* rows up to `count` a method, then aggregates */
    MM_STORE_SAMPLE,    /* aggregates, and one row in `count` */
    MM_STORE_RESERVOIR, /* aggregates, and `count` rows a method and thread */
    MM_STORE_AGGREGATES /* no rows */
};

struct mm_storage {
    enum mm_storage_mode mode;
    uint64_t count;
    uint64_t
        size_limit; /* bytes of one process's files, 0: none; beyond it no more rows */
};

#define MM_STORAGE_DEFAULT "auto"
enum { MM_STORAGE_BUDGET = 1000000, MM_STORAGE_RESERVOIR_MAX = 100000 };
enum { MM_STORAGE_LEAST_LIMIT = 1 << 20 };

/* "rows", "auto[:ROWS]", "sample:N", "reservoir:K" or "aggregates"; size_limit stays. 0
 * or -EINVAL with `err`: what was found, and what is expected. */
int mm_storage_parse(const char *text, struct mm_storage *storage, struct cca_error *err);
/* The same back, in at most `size` bytes. */
void mm_storage_text(const struct mm_storage *storage, char *text, size_t size);
/* Bytes: a number, with K, M or G behind it of 1024; "" and "0": no limit. */
int mm_storage_parse_limit(const char *text, struct mm_storage *storage,
                           struct cca_error *err);

#endif
