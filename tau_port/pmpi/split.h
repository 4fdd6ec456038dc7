/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h: time inside MPI by the class of the call: the metric MPI_SPLIT.
 *
 * Each outermost call is of one class (kinds.py), so the sum over classes is exactly the
 * time inside MPI. A call that completes requests, or starts persistent ones, has the
 * class of its requests; of several classes the first of: receive, synchronisation,
 * collective, I/O, send, control. The class of a request is remembered in a table of
 * bounded size, by its handle; a request that was lost there counts as a receive. None of
 * this runs unless the metric was requested. */
#ifndef TAU_PORT_PMPI_SPLIT_H
#define TAU_PORT_PMPI_SPLIT_H

#include <stdint.h>

/* Classes in order of precedence; PMPI_KIND_OWN: the class of the MPI function. */
enum pmpi_kind {
    PMPI_KIND_OWN,
    PMPI_KIND_RECEIVE,
    PMPI_KIND_SYNC,
    PMPI_KIND_COLLECTIVE,
    PMPI_KIND_IO,
    PMPI_KIND_SEND,
    PMPI_KIND_CONTROL,
    PMPI_KINDS
};

/* The class of each MPI function, by its index; written by wrap.py. */
extern const unsigned char pmpi_kinds[];

/* 1: times are split by class; accessed with __atomic */
extern int pmpi_splitting_on;
static inline int pmpi_splitting(void)
{
    return __builtin_expect(__atomic_load_n(&pmpi_splitting_on, __ATOMIC_RELAXED), 0);
}

/* Remember the class of a new request, so that the time of the call that completes it
 * counts for this class. Any thread; never waits. */
void pmpi_split_made(uint64_t handle, enum pmpi_kind kind);
/* The class of a request; PMPI_KINDS: unknown. */
enum pmpi_kind pmpi_split_known(uint64_t handle);
/* Forget a request that is complete. A persistent request keeps its handle and class. */
void pmpi_split_forget(uint64_t handle);
/* Set the class of the calling thread's next call. */
void pmpi_split_next(enum pmpi_kind kind);

#endif
