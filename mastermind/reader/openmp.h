/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.h: the OpenMP regions of a rank, from its file `openmp`, with the work of each
 * thread of the regions' teams. */
#ifndef MASTERMIND_READER_OPENMP_H
#define MASTERMIND_READER_OPENMP_H

#include "mastermind/reader/experiment.h"

/* The work of one thread in all executions of a region; its times add up to the wall time
 * of these executions. */
struct mm_openmp_thread {
    /* number of the thread in its team; thread 0 begins the region; each nested team
     * counts its threads from 0 */
    int number;
    int64_t calls;
    /* times of the thread by activity, see openmp_file.h */
    int64_t busy_ns, barrier_ns, mutex_ns, control_ns;
};

struct mm_openmp_region {
    int is_ompt; /* true for a region of clang's OpenMP, false for a region of gcc's */
    /* nesting level of the region; 1 means that it is not inside another region */
    int level;
    uint64_t offset;
    /* build id of the file with the region's code, hexadecimal; "" if unknown */
    char build_id[41];
    char function[128], path[312];
    int64_t begun, ended, wall_ns;
    /* [thread_count] times of the threads, ordered by their numbers */
    struct mm_openmp_thread *threads;
    size_t thread_count;
};

/* OpenMP regions of a rank. A struct of zeros has none. */
struct mm_openmp {
    struct mm_openmp_region *regions; /* [region_count] regions in the order of their
                                         first start */
    size_t region_count;
    /* number of executions of regions, or of threads in them, for which the file had no
     * record */
    int64_t folded;
};

/* Read the regions of a rank. There are none if the file is missing or not yet complete.
 * Returns 0; -EBADMSG: damaged ("file: found, expected"); -EIO; -ENOMEM. */
int mm_experiment_openmp(const struct mm_experiment *experiment, int rank,
                         struct mm_openmp *openmp, struct cca_error *err);
void mm_openmp_done(struct mm_openmp *openmp);

#endif
