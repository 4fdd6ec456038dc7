/* SPDX-License-Identifier: BSD-3-Clause */
/* regions.h: the class that costs least, by regions of the in-values of a method.
 *
 * A tree of conditions "value <= bound" and "mode = number" splits the calls, each time
 * by the condition that lowers the predicted cost most. A split stays only if its gain is
 * above its error. Numbers alone: no files, no models. */
#ifndef MASTERMIND_CHOICE_REGIONS_H
#define MASTERMIND_CHOICE_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#define MM_REGIONS_DEPTH 5  /* most conditions of a region */
#define MM_REGIONS_GAIN .01 /* least gain of a split, as a share of the whole cost */
#define MM_REGIONS_SIGMAS                                                                \
    1.645 /* a split's gain is at least this many standard errors; as it is the best of  \
           * many splits, it is by chance in more than 5 % of the cases */

/* Equal calls. */
struct mm_region_point {
    const double *x;     /* [value_count] in-values; NaN: absent */
    double calls;        /* number of calls, > 0 */
    const double *cost;  /* [class_count] predicted cost of one call; NaN: unknown */
    const double *error; /* [class_count] its standard error */
};

struct mm_regions_input {
    const struct mm_region_point *points;
    size_t count, value_count, class_count;
    const int *modes; /* [value_count] true: a category */
    const int *whole; /* [value_count] true: an integer */
    double run_error; /* relative standard error that all costs of a class have in
                       * common, and no two classes share: between runs */
};

/* The cost of one call in a region: `cost` x (value / at) ^ power. */
struct mm_region_law {
    size_t value;     /* index of a value that is no category */
    double at, power; /* power 0: the cost does not follow one value */
    double cost;      /* NaN: unknown */
    double error;     /* standard error of the cost of all calls, relative */
};

/* A node of the tree; the root is node 0. */
struct mm_region {
    int split;    /* true: the node has a condition and two children */
    size_t value; /* index of the value in the condition */
    int equal;    /* true: value = bound; else value <= bound */
    double bound;
    size_t yes, no; /* nodes where the condition holds, and where not */
    size_t best;    /* class of least cost here */
    double calls;
    double *cost; /* [class_count] predicted cost of all calls of the node; infinite if
                   * unknown */
    struct mm_region_law *laws; /* [class_count]; NULL: the node has a condition */
};

struct mm_regions {
    struct mm_region *nodes;
    size_t count, class_count;
    double cost;       /* cost of all calls, each with the class of its region */
    double gain;       /* cost of the best single class less `cost` */
    double gain_error; /* standard error of `gain` */
};

/* Make the tree. Returns 0; -ENODATA: there is no class with a known cost for all points;
 * -ENOMEM. Call mm_regions_done either way. */
int mm_regions_make(struct mm_regions *regions, const struct mm_regions_input *input);
void mm_regions_done(struct mm_regions *regions);

#endif
