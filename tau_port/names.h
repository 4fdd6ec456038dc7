/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: a table of names numbered in order of appearance: timers, events, groups. */
#ifndef TAU_PORT_NAMES_H
#define TAU_PORT_NAMES_H

#include "ports/cca_error.h"

#include <stddef.h>

/* One name. Lives as long as its table and never moves. */
struct meas_name {
    char *text;
    struct meas_name *group; /* group of a timer; NULL in other tables */
    int id;
    int on; /* whether a group is measured; read without the table's lock: use __atomic */
    struct meas_name *next; /* next name in the hash bucket */
};

/* A table of names. A struct of zeros is empty. The caller serialises calls. */
struct meas_names {
    struct meas_name **items;
    size_t count, capacity;
    struct meas_name **buckets;
    size_t bucket_count; /* number of hash buckets, a power of two */
};

/* The name `text` within `group` (may be NULL), made if it is new. NULL with `err`:
 * -ENOSPC more than `limit` names, -ENOMEM. */
struct meas_name *meas_names_get(struct meas_names *names, const char *text,
                                 struct meas_name *group, size_t limit,
                                 struct cca_error *err);
void meas_names_done(struct meas_names *names);

#endif
