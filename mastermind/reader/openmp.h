/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.h: the OpenMP regions of a rank, from its file `openmp`, with the work of each
 * thread of their teams. */
#ifndef MASTERMIND_READER_OPENMP_H
#define MASTERMIND_READER_OPENMP_H

#include "mastermind/reader/experiment.h"

/* The work of one thread in the teams of a region; the times add up to the wall time of
 * its regions. */
struct mm_openmp_thread {
    int number; /* number in its team, 0 begins the region; nested teams number their
                   threads separately */
    int64_t calls;
    int64_t busy_ns, barrier_ns, mutex_ns, control_ns; /* times of the thread's
                                                          activities, see openmp_file.h */
};

struct mm_openmp_region {
    int is_ompt; /* 1: a region of clang's OpenMP; 0: of gcc's */
    int level;   /* nesting level of the region; 1: not inside another region */
    uint64_t offset;
    char build_id[41]; /* build id of the region's code, hexadecimal; "" */
    char function[128], path[312];
    int64_t begun, ended, wall_ns;
    struct mm_openmp_thread *threads; /* [thread_count] times of the threads by number,
                                         ascending */
    size_t thread_count;
};

/* OpenMP regions of a rank; empty if zero-initialised. */
struct mm_openmp {
    struct mm_openmp_region *regions; /* [region_count] regions in the order of their
                                         first start */
    size_t region_count;
    int64_t folded; /* number of ends of regions, or of threads in them, counted in no
                       region */
};

/* Read the regions of a rank, new. There are none if the file is missing or not yet
 * complete.
 *
 * 0; -EBADMSG damaged ("file: found, expected"); -EIO; -ENOMEM. */
int mm_experiment_openmp(const struct mm_experiment *experiment, int rank,
                         struct mm_openmp *openmp, struct cca_error *err);
void mm_openmp_done(struct mm_openmp *openmp);

#endif
