/* SPDX-License-Identifier: BSD-3-Clause */
/* toplevel.h: the top-level declarations of a header and its includes, thousands of
 * names, read once and found by name or by a shell pattern. */
#ifndef PROXYGEN_TOPLEVEL_H
#define PROXYGEN_TOPLEVEL_H

#include "tools/proxygen/read/reader.h"

struct pg_declaration {
    char *name;
    CXCursor cursor;
    /* kind of the declaration in clang: function, type, variable or macro */
    enum CXCursorKind kind;
};

struct pg_toplevel {
    struct pg_declaration *declarations; /* declarations in the order of the header */
    size_t count;
};

/* Read the declarations. Returns 0 or -ENOMEM; the caller frees `top` in any case, before
 * the reader's unit. */
int pg_toplevel_read(struct pg_reader *reader, struct pg_toplevel *top);
void pg_toplevel_done(struct pg_toplevel *top);

/* Find the functions that match `pattern` and can be called through the linker. Returns a
 * new array of `*count` indexes, of the first declaration of each function. A pattern
 * that begins with a wildcard matches only functions of the header itself, because its
 * includes declare the C library's, too. NULL with an error of the reader if there is
 * none. */
size_t *pg_toplevel_match(struct pg_reader *reader, const struct pg_toplevel *top,
                          const char *pattern, size_t *count);

#endif
