/* SPDX-License-Identifier: BSD-3-Clause */
/* shares.h: the time of a whole program by consumer: measured libraries and instances,
 * MPI, measuring, and the rest. The parts add up to the elapsed time. */
#ifndef MASTERMIND_COUNTS_DUAL_SHARES_H
#define MASTERMIND_COUNTS_DUAL_SHARES_H

#include "mastermind/counts/dual/dual.h"
#include "mastermind/counts/dual/mpi_profile.h"
#include "mastermind/reader/samples.h"

/* An instance's own time: without MPI, without its calls to others, and without the clock
 * readings of each call. */
struct mm_share {
    const char *instance; /* name of the instance; borrowed from the experiment */
    uint64_t calls;
    int64_t ns;
};

/* A method whose own CPU time differs between its rows and the samples of its calls by
 * more than the error of both. */
struct mm_unlike {
    const struct mm_method_info *method; /* NULL: none */
    double rows_ns, samples_ns, error_ns;
};

struct mm_shares {
    struct mm_share *list; /* [count] times of the instances, the longest first */
    size_t count;
    int ranks;          /* number of ranks that the times are summed over */
    int threads;        /* largest number of threads that called measured functions,
                           over the ranks */
    int64_t elapsed_ns; /* elapsed time; 0: not known, as for killed runs and for
                           components */
    int64_t load_ns;    /* time before `elapsed_ns`, for loading libraries; 0: unknown */
    int64_t cpu_ns;     /* CPU time of all threads */
    int64_t mpi_ns;     /* time inside MPI, measured by the wrappers */
    int64_t host_ns;    /* time taken from the calls by the host; not part of any
                           instance */
    int64_t peak_bytes; /* largest resident memory of a rank; 0: unknown */
    int64_t measuring_ns;
    int64_t rest_ns; /* remainder: the program's own code, and everything not measured */
    /* True if a process has several threads: their times are not parts of its elapsed
     * time, and the remainder is not known. */
    int side_by_side;
    struct mm_run_samples samples;
    double sample_ns; /* CPU time that one sample outside of measured calls represents,
                         without the cost of measuring */
    struct mm_unlike unlike;
};

/* Sum the times of each instance on rank `rank`, on all ranks if it is -1; `dual` and
 * `mpi` are of the same ranks. Returns 0 or a negative errno with `err`; call
 * mm_shares_done in any case. */
int mm_shares_read(struct mm_shares *shares, const struct mm_experiment *experiment,
                   const struct mm_dual *dual, const struct mm_mpi_profile *mpi, int rank,
                   struct cca_error *err);
void mm_shares_done(struct mm_shares *shares);

#endif
