/* SPDX-License-Identifier: BSD-3-Clause */
/* call_costs.h: the cost of recording a call, by kind of entry and kind of row; shared by
 * the recorder, experiment.json and its reader. */
#ifndef MASTERMIND_FORMAT_CALL_COSTS_H
#define MASTERMIND_FORMAT_CALL_COSTS_H

#include <stddef.h>

/* Way in which a call reaches the recorder. */
enum mm_entry_kind {
    MM_ENTRY_PROXY,
    MM_ENTRY_INTERPOSER,
    MM_ENTRY_PATCHED,      /* through a jump patched into the program's own function */
    MM_ENTRY_INSTRUMENTED, /* through code that -finstrument-functions inserts */
    MM_ENTRY_REGION,
    MM_ENTRIES
};

/* Work at the end of a call, which depends on the types of the method's values. */
enum mm_row_kind {
    MM_ROW_PAIR,     /* two integers in, nothing out (a pair) */
    MM_ROW_INTEGERS, /* other values, all integers */
    MM_ROW_MIXED,    /* values with reals or counters, or a clock other than the TSC */
    MM_ROW_KINDS
};

extern const char *const mm_entry_names[MM_ENTRIES + 1]; /* "proxy", ... NULL */
extern const char *const mm_row_names[MM_ROW_KINDS + 1]; /* "pair", ... NULL */

/* Nanoseconds of one call. In a loop of such calls instructions overlap and data stay in
 * the nearest cache (loop cost); a program whose own data fill that cache pays the cold
 * cost. The part between the two clock readings is in the time of the call, the rest in
 * its caller's time. */
struct mm_call_cost {
    double loop_ns, cold_ns;
    double loop_within_ns, cold_within_ns; /* the parts of both between the clock
                                              readings */
};

struct mm_call_costs {
    /* Through a proxy, without values except the two of a pair: calls that get a row, and
     * calls that go into the aggregates. */
    struct mm_call_cost rows[MM_ROW_KINDS], sums[MM_ROW_KINDS];
    struct mm_call_cost entries[MM_ENTRIES]; /* cost of each way to the recorder, in
                                                addition to a proxy's */
    double value_ns;                         /* cost of each further value */
};

enum mm_row_kind mm_row_kind_of(size_t ints, size_t values, size_t outs);
/* Multiply all costs by a factor. */
void mm_call_costs_scale(struct mm_call_costs *costs, double factor);
/* Cost of a call of a method with `values` values, through `entry`; `sums`: into the
 * aggregates. */
struct mm_call_cost mm_call_costs_of(const struct mm_call_costs *costs,
                                     enum mm_entry_kind entry, enum mm_row_kind kind,
                                     size_t values, int sums);

/* The cost of a call of `wall_ns`, and its part `*within_ns` between the clock readings.
 * The longer the call, the more of the recorder's data the program evicts from the
 * nearest cache. */
static inline double mm_call_cost_at(const struct mm_call_cost *cost, double wall_ns,
                                     double *within_ns)
{
    enum { ALL_REPLACED_NS = 1000 };
    double cold = wall_ns < 0                 ? 0
                  : wall_ns < ALL_REPLACED_NS ? wall_ns / ALL_REPLACED_NS
                                              : 1;

    *within_ns =
        cost->loop_within_ns + cold * (cost->cold_within_ns - cost->loop_within_ns);
    return cost->loop_ns + cold * (cost->cold_ns - cost->loop_ns);
}

#endif
