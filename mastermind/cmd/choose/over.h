/* SPDX-License-Identifier: BSD-3-Clause */
/* over.h: choose values of some axes of a sweep: numbers of threads, libraries, options,
 * parameters, classes, numbers of ranks.
 *
 *   runs with one value ─▶ forecast (as predict) ─┐
 *   runs with another   ─▶ forecast             ──┴▶ differences, ties, probabilities
 *   failed and wrong runs ─▶ share of failures       (choice/)
 *
 * A value is one combination of values of all these axes. Each has a forecaster of its
 * own, so that nothing is assumed about the effect of a value on the cost. */
#ifndef MASTERMIND_CMD_CHOOSE_OVER_H
#define MASTERMIND_CMD_CHOOSE_OVER_H

#include "mastermind/choice/failures.h"
#include "mastermind/choice/uses.h"
#include "mastermind/cmd/choose/choose_verb.h"

#define MM_OVER_VALUES 256 /* most values to choose from */
/* Least probability of being the best of a value that the choice is not decided against.
 */
#define MM_OVER_RIVAL .05
/* Where failures depend on the size, a value is not chosen for a size that is larger by
 * more than this factor than all its runs. */
#define MM_OVER_BEYOND 2.

struct mm_over_value {
    char *text;                   /* name of the value, "t=4 blas=open" */
    size_t point;                 /* index of a point of the plan with this value */
    size_t done, failures, wrong; /* numbers of runs; `wrong` are among `failures` */
    size_t tried;  /* runs that the probability of failure is computed from, and... */
    size_t failed; /* ...the failed ones among them */
    struct mm_failure fails; /* probability of a failure of the requested run */
    size_t fails_axis;       /* axis of the sweep that failures depend on; only with a
                              * direction in `fails` */
    const char *error;       /* reason of a failure, or NULL; borrowed */
    char **paths;            /* [done] experiments */
    struct mm_run_input runs;
    struct mm_library *library;
    struct mm_forecaster *forecaster;
    struct mm_question question;
    struct mm_forecast *forecast; /* forecast of the requested run, or NULL */
    char why[400];                /* reason why the cost is unknown, or "" */
    int may_be_chosen;
    int is_beyond;   /* true if it is not chosen because no run of a similar size can show
                      * its failures */
    int is_on_front; /* true if no value is as cheap and fails less often, or is cheaper
                      * and fails as seldom */
};

/* A value of all named axes but the last one, which has the numbers of uses (--uses). */
struct mm_over_way {
    char *text;              /* name without the number of uses, "how=direct" */
    size_t value;            /* index of one of its values */
    struct mm_use_line line; /* cost in the number of uses */
    char why[400];           /* reason why the line is unknown, or "" */
};

/* From `even.uses` uses on `way` costs least. */
struct mm_over_range {
    size_t way;
    struct mm_break_even even; /* against the way of the range before; all 0: the first */
};

struct mm_over {
    const struct mm_choose_asked *asked;
    struct sweep sweep;
    size_t *axes; /* [axis_count] indices of the named axes of the sweep */
    size_t axis_count;
    struct mm_over_value *values;
    size_t count;
    const struct mm_metric *metric;
    /* Values that may be chosen, as the classes of one slot; `at[0]` of an item is the
     * index of its value. */
    struct mm_open_choice choice;
    struct mm_open_slot slot;
};

/* Ways to work, and which of them costs least for how many uses. */
struct mm_over_uses {
    struct mm_over_way *ways;
    size_t count;
    struct mm_over_range *ranges; /* [range_count] ascending by uses */
    size_t range_count;
    int is_measured; /* 1: runs of the requested size; 0: forecasts of such runs */
};

/* The value of an item of the choice. */
static inline const struct mm_over_value *mm_over_of(const struct mm_over *over,
                                                     const struct mm_open_assembly *item)
{
    return &over->values[item->at[0]];
}

/* The requested value of an axis of the sweep; NULL: none. */
const char *mm_over_asked(const struct mm_over *over, size_t axis);
/* Estimate for each value the probability that the requested run fails, and find which
 * values may be chosen. Returns -1 to go on. See over_failures.c. */
int mm_over_find_failures(struct mm_over *over);
/* Name of the value of a point, "t=4 blas=open", of the first `count` named axes. New;
 * NULL: out of memory. */
char *mm_over_name(const struct mm_over *over, size_t point, size_t count);
/* Find and print set-up, cost of each use and break-even of all values; the last named
 * axis has the number of uses. Returns an exit code. See over_uses.c. */
int mm_over_uses(const struct mm_over *over);
/* Print "at n=300: ", the requested values, if there are any. See over_print.c. */
void mm_over_print_asked(const struct mm_over *over);
/* Print the ways and their ranges; each returns an exit code. See uses_print.c. */
int mm_over_uses_print(const struct mm_over *over, const struct mm_over_uses *uses);
int mm_over_uses_print_json(const struct mm_over *over, const struct mm_over_uses *uses);
/* Print the choice; each returns an exit code. See over_print.c. */
int mm_over_print(const struct mm_over *over);
int mm_over_print_quiet(const struct mm_over *over);
int mm_over_print_json(const struct mm_over *over);

#endif
