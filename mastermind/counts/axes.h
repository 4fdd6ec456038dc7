/* SPDX-License-Identifier: BSD-3-Clause */
/* axes.h: the parameters of several runs, as axes of the scaling functions of
 * their counts.
 *
 *     run      NX   flux      ranks
 *     run-001  64   EFMFlux   1
 *     run-002  128  HLLCFlux  1        NX and flux varied, ranks did not
 *
 * An axis is a variable of the scripts, a parameter of a port, the class of an instance,
 * or the number of ranks. A parameter or class that has the value of a variable in every
 * run is the *same as* the variable, which users set. Two variables are never linked:
 * they may differ in the requested run. */
#ifndef MASTERMIND_COUNTS_AXES_H
#define MASTERMIND_COUNTS_AXES_H

#include <stddef.h>

#include "mastermind/reader/run.h"

enum mm_axis_kind {
    MM_AXIS_VARIABLE,  /* a variable of the script, such as NX */
    MM_AXIS_PARAMETER, /* a parameter of an instance, such as driver.config.nx */
    MM_AXIS_CLASS,     /* the class of an instance */
    MM_AXIS_RANKS
};

struct mm_axis {
    const char *name; /* name of the axis; borrowed */
    enum mm_axis_kind kind;
    int is_number;  /* true if every value is a number */
    int varies;     /* true if two runs differ in the value, or a run lacks it */
    int is_divisor; /* true for a whole number that did not vary, such as the cells of a
                       patch: counts may be numbers of pieces of this size */
    int is_name_of_run; /* true for a text, no class name, that differs in nearly every
                           run, such as a file name: the axis is ignored */
    int names_classes; /* true for a variable that sets a class which --class overruled in
                          some runs: the axis is ignored, and `is_name_of_run` is set, too
                        */
    size_t same_as;    /* index of the first axis with equal values in each run; the axis
                          itself if no earlier one has them */
    const char **text; /* [runs] value of the axis in each run; borrowed; NULL: the
                          run lacks it */
    double *number;    /* [runs] values as numbers, if `is_number` is set */
};

struct mm_axes {
    struct mm_axis *items; /* axes: variables, then parameters, classes, ranks; each of
                              these groups ordered by name */
    size_t count, runs;
    char (*rank_text)[16];     /* [runs] number of ranks of each run as text */
    unsigned char *is_crowded; /* [runs] true if the run had more ranks than cores */
};

#define MM_NO_AXIS ((size_t)-1)

/* Collect the parameters of `count` runs, which must outlive the axes. Returns 0 or
 * -ENOMEM; call mm_axes_done in any case. */
int mm_axes_init(struct mm_axes *axes, const struct mm_run *const *runs, size_t count);
void mm_axes_done(struct mm_axes *axes);
/* Find an axis (parameter of runs) by kind and name; MM_NO_AXIS if absent. */
size_t mm_axes_find(const struct mm_axes *axes, enum mm_axis_kind kind, const char *name);
/* Convert a whole text to a number; NaN if the text is no number. */
double mm_axis_number(const char *text);
/* True for an axis (parameter of runs) that scaling functions may use: neither the same
 * as an earlier axis nor the name of a run. */
int mm_axis_counts(const struct mm_axes *axes, size_t axis);

/* The axis of the number of ranks, if it varied and scaling functions may use it; else
 * MM_NO_AXIS. */
size_t mm_axes_ranks(const struct mm_axes *axes);

/* True for two runs with equal parameters. */
int mm_axes_same_run(const struct mm_axes *axes, size_t a, size_t b);

#endif
