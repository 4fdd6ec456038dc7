/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h: read the runs, regions and units of a store, accessible by number, without
 * SQL. */
#ifndef PROPERTIES_EVALUATE_WORLD_H
#define PROPERTIES_EVALUATE_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

struct mm_store;

struct mm_world_run {
    int64_t id, root; /* root: region of the default basis, 0: none */
    char *path, *name, *problem, *configuration, *state;
    double ranks, threads, units, cores; /* cores: of all its nodes; NaN: unknown */
    size_t same; /* index of the first run in this array with this configuration */
};

struct mm_world_region {
    int64_t id, parent; /* parent 0: none */
    char *kind, *name;
    double share;   /* maximum over runs and units of exec_time divided by that of the
                     * run's basis on its slowest unit; NaN: unknown */
    int worst_rank; /* rank of that unit; -1: unknown */
    double comm_share, sync_share; /* like share, of comm_time and sync_time */
    double in_mpi; /* share of MPI in the time of all units in it; NaN: unknown */
};

struct mm_world_unit {
    int64_t id, experiment;
    int rank, thread;
};

/* Strings are owned; each array is sorted by id. */
struct mm_world {
    struct mm_world_run *runs;
    struct mm_world_region *regions;
    struct mm_world_unit *units;
    size_t run_count, region_count, unit_count;
};

/* Read all. `basis`: region to which shares refer, 0: each run's root. 0; -EIO, -ENOMEM
 * with `err`. Call mm_world_done in any case. */
int mm_world_read(struct mm_world *world, struct mm_store *store, int64_t basis,
                  struct cca_error *err);
void mm_world_done(struct mm_world *world);

/* The run, region or unit with this number; NULL: there is none. */
const struct mm_world_run *mm_world_run(const struct mm_world *world, int64_t id);
const struct mm_world_region *mm_world_region(const struct mm_world *world, int64_t id);
const struct mm_world_unit *mm_world_unit(const struct mm_world *world, int64_t id);

#endif
