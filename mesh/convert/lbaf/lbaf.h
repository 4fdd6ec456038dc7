/* SPDX-License-Identifier: BSD-3-Clause */
/* lbaf.h: LBDatafiles of the run-time system vt in memory: the time of each task of each
 * phase on each rank, and sums over communications. */
#ifndef MESH_CONVERT_LBAF_LBAF_H
#define MESH_CONVERT_LBAF_LBAF_H

#include <jansson.h>
#include <stdint.h>

#include "mesh/convert/lbaf/files.h"

enum {
    MESH_LBAF_INDEX = 3,        /* dimensions of an index that are used as coordinates */
    MESH_LBAF_PHASES = 1 << 22, /* limit of a file's phases, identical ones included */
    MESH_LBAF_ABSENT = -1       /* result of mesh_lbaf_told: the file lacks the phase */
};

struct mesh_lbaf_subphase {
    int64_t id;
    double time;
};

struct mesh_lbaf_task {
    size_t element;
    double time; /* time of the task, s */
    size_t first_subphase;
    uint32_t subphases; /* number of its subphases, from `first_subphase` on in the rank's
                           list */
};

struct mesh_lbaf_phase {
    int64_t id;
    /* `tasks` tasks, from index first_task on in the rank's list */
    size_t first_task, tasks;
    uint64_t communications;
    double bytes; /* bytes of all communications of the phase */
};

/* A phase of a file: written in full, or as identical to another one. */
struct mesh_lbaf_told {
    int64_t id;
    size_t phase;
};

struct mesh_lbaf_span {
    int64_t first, last;
};

struct mesh_lbaf_rank {
    struct mesh_lbaf_phase *phases;
    size_t phase_count;
    struct mesh_lbaf_task *tasks;
    size_t task_count;
    struct mesh_lbaf_subphase *subphases;
    size_t subphase_count;
    struct mesh_lbaf_told *told; /* phases of the file, ascending */
    size_t told_count;
    struct mesh_lbaf_span *skipped; /* ranges of skipped phases, ascending and disjoint */
    size_t skipped_count;
};

/* A task, identified over all phases. */
struct mesh_lbaf_element {
    int64_t id, collection, home;
    int is_seq; /* `id` is a seq_id */
    int migratable;
    int dims; /* length of the task's index; 0: it has no index */
    int64_t index[MESH_LBAF_INDEX];
    size_t next;    /* next entry of the hash table's bucket, index + 1 */
    int64_t number; /* number of the element in the profile; -1: none yet */
};

struct mesh_lbaf {
    struct mesh_lbaf_rank *ranks; /* [rank_count] contents of the file of each rank */
    size_t rank_count;
    struct mesh_lbaf_element *elements;
    size_t element_count;
    size_t *table; /* hash table; [table_size], a power of two: first element + 1 */
    size_t table_size;
    int by_home; /* true if tasks with different homes are different, also with equal
                    seq_id */
};

/* Called to report progress: the fraction `done`, 0 to 1. */
typedef void mesh_lbaf_progress_fn(void *context, double done);

/* Read all files. Returns 0; -EBADMSG with file, phase, task, found and expected; -ENOMEM
 * or an I/O error. Call mesh_lbaf_done in either case. `progress` may be NULL. */
int mesh_lbaf_read(const struct mesh_lbaf_files *files, struct mesh_lbaf *lbaf,
                   mesh_lbaf_progress_fn *progress, void *context, struct cca_error *err);
void mesh_lbaf_done(struct mesh_lbaf *lbaf);

/* Return the index of phase `id` in a rank's file, or MESH_LBAF_ABSENT. */
int64_t mesh_lbaf_told(const struct mesh_lbaf_rank *rank, int64_t id);
/* Whether a file lists the phase as skipped. */
int mesh_lbaf_skipped(const struct mesh_lbaf_rank *rank, int64_t id);

#endif
