/* SPDX-License-Identifier: BSD-3-Clause */
/* simple.h: rates that are products of lengths and numbers of pieces.
 *
 * Three runs with 2, 3 and 4 patches are too few to choose among all scaling functions.
 * But most counts of a program on a mesh are c NX^p NY^q ceil(NX/PATCH)^r ..., or a sum
 * of two such products, with a simple c: these are tried first. */
#ifndef ACTIVITY_TRIP_SIMPLE_H
#define ACTIVITY_TRIP_SIMPLE_H

#include "activity/trip/text.h"

/* An axis of the runs. */
struct simple_axis {
    const char *name;     /* name of the axis in the text */
    const double *number; /* value of the axis in each run, [runs] */
};

/* The shortest product, or sum of two, that equals rate[runs] in all runs (NaN: a run has
 * no rate), as an expression; NULL: there is none, or fewer than 3 runs differ. `pieces`:
 * with factors such as ceil(NX/PATCH). */
const char *text_of_simple(struct text *text, const struct simple_axis *axes,
                           size_t count, const double *rate, int pieces);

#endif
