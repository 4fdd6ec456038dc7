/* SPDX-License-Identifier: BSD-3-Clause */
/* shares.h: where the time of a whole program went: libraries and instances that were
 * measured, MPI, measuring, and the rest. The parts add up to the elapsed time. */
#ifndef MASTERMIND_COUNTS_DUAL_SHARES_H
#define MASTERMIND_COUNTS_DUAL_SHARES_H

#include "mastermind/counts/dual/dual.h"
#include "mastermind/counts/dual/mpi_profile.h"

/* What an instance has taken itself, without MPI, without what it called of others, and
 * without the readings of the clock in each call. */
struct mm_share {
    const char *instance; /* the experiment's */
    uint64_t calls;
    int64_t ns;
};

struct mm_shares {
    struct mm_share *list; /* [count], the longest first */
    size_t count;
    int ranks;          /* the times are sums over them */
    int threads;        /* the most of a rank that called measured functions */
    int64_t elapsed_ns; /* 0: not known, as of runs that were killed, or of components */
    int64_t load_ns;    /* before it, while libraries were loaded; 0: not known */
    int64_t cpu_ns;     /* CPU time of all threads */
    int64_t mpi_ns;     /* inside MPI, by the wrappers */
    int64_t host_ns;    /* that the host took of the calls: no instance has it */
    int64_t measuring_ns;
    int64_t rest_ns; /* what is left: the program's own code, and what was not measured */
    /* Several threads of a process: their times are not parts of its elapsed time, and
     * the rest is not known. */
    int side_by_side;
};

/* Add up. `rank` as for the dual, -1: all. 0 or a negative errno with `err`;
 * mm_shares_done in either case. */
int mm_shares_read(struct mm_shares *shares, const struct mm_experiment *experiment,
                   const struct mm_dual *dual, const struct mm_mpi_profile *mpi, int rank,
                   struct cca_error *err);
void mm_shares_done(struct mm_shares *shares);

#endif
