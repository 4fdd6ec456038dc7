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
    /* ids of the run and of its root region, which is the default basis; root 0: none */
    int64_t id, root;
    char *path, *name, *problem, *configuration, *state;
    /* numbers of ranks, threads, units and cores (of all nodes) in the run; NaN: unknown
     */
    double ranks, threads, units, cores;
    size_t same; /* index in the array of runs of the first run with the same
                  * configuration */
};

struct mm_world_region {
    int64_t id, parent; /* ids of the region and of its parent region; parent 0: none */
    char *kind, *name;
    double share; /* maximum over runs and units of the region's exec_time, divided by the
                   * exec_time of the run's basis on its slowest unit; NaN: unknown */
    int worst_rank; /* rank of the unit with that maximum; -1: unknown */
    /* like `share`, with comm_time and sync_time in place of exec_time */
    double comm_share, sync_share;
    double in_mpi; /* share of time inside MPI in the region's time, over all units; NaN:
                    * unknown */
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

/* Read all. `basis`: region to which shares refer, 0: each run's root. Returns 0; -EIO,
 * -ENOMEM with `err`. Call mm_world_done in any case. */
int mm_world_read(struct mm_world *world, struct mm_store *store, int64_t basis,
                  struct cca_error *err);
void mm_world_done(struct mm_world *world);

/* The run, region or unit with this number; NULL: there is none. */
const struct mm_world_run *mm_world_run(const struct mm_world *world, int64_t id);
const struct mm_world_region *mm_world_region(const struct mm_world *world, int64_t id);
const struct mm_world_unit *mm_world_unit(const struct mm_world *world, int64_t id);

#endif
