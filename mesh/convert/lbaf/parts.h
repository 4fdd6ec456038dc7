/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions shared by the files that read LBDatafiles. */
#ifndef MESH_CONVERT_LBAF_PARTS_H
#define MESH_CONVERT_LBAF_PARTS_H

#include <stddef.h>
#include "mesh/convert/lbaf/lbaf.h"
#include "ports/cca_error.h"

/* The current position in the input, for messages. */
struct mesh_lbaf_at {
    struct mesh_lbaf *lbaf;
    struct mesh_lbaf_rank *rank;
    const char *file;
    int number;    /* the rank whose file is read */
    int64_t phase; /* id of the phase that is read; -1: outside of phases */
    int64_t task;  /* index of the task that is read, from 0; -1: outside of tasks */
    struct cca_error *err;
};

/* Set the error "file: phase 3: task 12: found 'time' -1, expected ...". Both arguments
 * may be any text; `found` follows "found ". Returns -EBADMSG. */
int mesh_lbaf_refuse(const struct mesh_lbaf_at *at, const char *found,
                     const char *expected);
/* Like mesh_lbaf_refuse for member `name` of an object: found no 'name', or found 'name'
 * with its value. */
int mesh_lbaf_refuse_member(const struct mesh_lbaf_at *at, const json_t *object,
                            const char *name, const char *expected);

/* Read a member that is a whole number of at least `least`. Returns 1 with *value; 0: no
 * such member; -EBADMSG: another type or value. */
int mesh_lbaf_integer(const struct mesh_lbaf_at *at, const json_t *object,
                      const char *name, int64_t least, int64_t *value);
/* Read a time or size: a number, finite, at least 0. Returns like mesh_lbaf_integer. */
int mesh_lbaf_amount(const struct mesh_lbaf_at *at, const json_t *object,
                     const char *name, double *value);

/* --- task.c --------------------------------------------------------------- */

/* Add a task, or a phase, of the current file. Returns 0, -EBADMSG or -ENOMEM. */
int mesh_lbaf_take_task(struct mesh_lbaf_at *at, const json_t *task);
/* Check an end of a communication (sender or receiver). Returns 0 or -EBADMSG. */
int mesh_lbaf_check_end(const struct mesh_lbaf_at *at, const json_t *communication,
                        const char *name);

/* --- phases.c ------------------------------------------------------------- */

/* Read the phases that `metadata` (may be NULL) lists as skipped or identical, and sort
 * all phases. Returns 0, -EBADMSG or -ENOMEM. */
int mesh_lbaf_take_lists(struct mesh_lbaf_at *at, const json_t *metadata);

/* --- brotli.c ------------------------------------------------------------ */

/* Decompress `size` bytes of the file `name` to at most `most` bytes: new, *length long.
 * Returns NULL with `err`: -EBADMSG: damaged, incomplete, too large, or this build lacks
 * libbrotli; -ENOMEM. */
char *mesh_brotli_text(const char *name, const void *bytes, size_t size, size_t most,
                       size_t *length, struct cca_error *err);

/* --- split.c ------------------------------------------------------------- */

/* The array of phases in the text of a file: text[first] is its '[', text[end - 1] its
 * ']'. */
struct mesh_lbaf_split {
    const char *text;
    size_t size, first, end;
    size_t at;   /* offset in the text at which to look for the next phase */
    size_t line; /* number of newlines in the text before offset `counted` */
    size_t counted;
};

/* Find the only member "phases" of an object, which must be an array. Returns 1; 0: there
 * is none, there are several, or the text is not JSON as far as it was scanned: then a
 * parser must report the error. Inside the array only strings and brackets are
 * scanned. */
int mesh_lbaf_split(const char *text, size_t size, struct mesh_lbaf_split *split);

/* Find the next item of the array. Returns 1, with its text in *item and *length, and the
 * number of lines before it in *line; 0: there are no more items. */
int mesh_lbaf_split_next(struct mesh_lbaf_split *split, const char **item, size_t *length,
                         size_t *line);

#endif
