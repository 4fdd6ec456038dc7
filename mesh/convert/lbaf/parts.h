/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: what the files that read LBDatafiles share. */
#ifndef MESH_CONVERT_LBAF_PARTS_H
#define MESH_CONVERT_LBAF_PARTS_H

#include "mesh/convert/lbaf/lbaf.h"

/* Where the reading is, for messages. */
struct mesh_lbaf_at {
    struct mesh_lbaf *lbaf;
    struct mesh_lbaf_rank *rank;
    const char *file;
    int number;    /* of the rank */
    int64_t phase; /* its id; -1: outside phases */
    int64_t task;  /* from 0; -1: outside tasks */
    struct cca_error *err;
};

/* -EBADMSG: "file: phase 3: task 12: found 'time' -1, expected ...". Both may be any
 * words; `found` is printed behind "found ". */
int mesh_lbaf_refuse(const struct mesh_lbaf_at *at, const char *found,
                     const char *expected);
/* The same for member `name` of an object: found no 'name', or with its value. */
int mesh_lbaf_refuse_member(const struct mesh_lbaf_at *at, const json_t *object,
                            const char *name, const char *expected);

/* A member that is a whole number of at least `least`: 1, and *value; 0: there is none;
 * -EBADMSG: it is something else. */
int mesh_lbaf_integer(const struct mesh_lbaf_at *at, const json_t *object,
                      const char *name, int64_t least, int64_t *value);
/* A time or size: a number, finite, at least 0. Results as above. */
int mesh_lbaf_amount(const struct mesh_lbaf_at *at, const json_t *object,
                     const char *name, double *value);

/* --- task.c --------------------------------------------------------------- */

/* Add a task, or a phase, of the file that is read. 0, -EBADMSG or -ENOMEM. */
int mesh_lbaf_take_task(struct mesh_lbaf_at *at, const json_t *task);
/* Check an entity of a communication. 0 or -EBADMSG. */
int mesh_lbaf_check_end(const struct mesh_lbaf_at *at, const json_t *communication,
                        const char *name);

/* --- phases.c ------------------------------------------------------------- */

/* Take the phases that `metadata` (may be NULL) names as skipped or identical, and put
 * all that are told in order. 0, -EBADMSG or -ENOMEM. */
int mesh_lbaf_take_lists(struct mesh_lbaf_at *at, const json_t *metadata);

#endif
