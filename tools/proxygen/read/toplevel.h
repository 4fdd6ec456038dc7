/* SPDX-License-Identifier: BSD-3-Clause */
/* toplevel.h: what a header and what it includes declare at the top, read once: thousands
 * of names, asked for by name or by a pattern of the shell. */
#ifndef PROXYGEN_TOPLEVEL_H
#define PROXYGEN_TOPLEVEL_H

#include "tools/proxygen/read/reader.h"

struct pg_declaration {
    char *name;
    CXCursor cursor;
    enum CXCursorKind kind; /* of functions, types, variables and macros */
};

struct pg_toplevel {
    struct pg_declaration *declarations; /* as they stand */
    size_t count;
};

/* 0 or -ENOMEM; the caller frees it in any case, before the reader's unit. */
int pg_toplevel_read(struct pg_reader *reader, struct pg_toplevel *top);
void pg_toplevel_done(struct pg_toplevel *top);

/* Which functions match `pattern` and can be called through the linker: indexes, new and
 * `*count` of them, the first declaration of each only. Where the pattern begins with a
 * wildcard, only those that the header itself declares, as what it includes is the C
 * library's, too. NULL with an error of the reader's where there is none. */
size_t *pg_toplevel_match(struct pg_reader *reader, const struct pg_toplevel *top,
                          const char *pattern, size_t *count);

#endif
