/* SPDX-License-Identifier: BSD-3-Clause */
/* given_about.h: experiment.json of an experiment of given rows. */
#ifndef MASTERMIND_WRITER_GIVEN_ABOUT_H
#define MASTERMIND_WRITER_GIVEN_ABOUT_H

#include "mastermind/writer/given.h"

#include <jansson.h>

/* Numbers of rows, threads and methods of one rank, and its time. */
struct mm_given_totals {
    uint64_t rows, threads, methods;
    double wall_ns; /* time of the end of the rank's last row */
};

/* The document experiment.json or rank.json for a rank, new; NULL: out of memory. */
json_t *mm_given_about_json(const struct mm_given_about *about, int rank,
                            const struct mm_given_totals *totals);

#endif
