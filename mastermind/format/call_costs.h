/* SPDX-License-Identifier: BSD-3-Clause */
/* call_costs.h: the cost of recording a call, by kind of entry and kind of row; used by
 * the recorder, in experiment.json, and by the reader. */
#ifndef MASTERMIND_FORMAT_CALL_COSTS_H
#define MASTERMIND_FORMAT_CALL_COSTS_H

#include <stddef.h>

/* Kinds of entry: how a call reaches the recorder. */
enum mm_entry_kind {
    MM_ENTRY_PROXY,
    MM_ENTRY_INTERPOSER,
    MM_ENTRY_PATCHED,      /* through a jump patched into the program's own function */
    MM_ENTRY_INSTRUMENTED, /* through code that -finstrument-functions inserts */
    MM_ENTRY_REGION,
    MM_ENTRIES
};

/* Kinds of rows. The recorder's work at the end of a call depends on the types of the
 * method's values. */
enum mm_row_kind {
    MM_ROW_PAIR,     /* two integers in, nothing out (a pair) */
    MM_ROW_INTEGERS, /* other values, all integers */
    /* values among which are reals, or counters, or a clock other than the TSC */
    MM_ROW_MIXED,
    MM_ROW_LARGE, /* values or times that do not fit into a compact row */
    MM_ROW_KINDS
};

extern const char *const mm_entry_names[MM_ENTRIES + 1]; /* "proxy", ... NULL */
extern const char *const mm_row_names[MM_ROW_KINDS + 1]; /* "pair", ... NULL */

/* Cost of recording one call in nanoseconds. In a loop of such calls, instructions
 * overlap and the recorder's data stay in the nearest cache (loop cost); in a program
 * whose own data fill that cache, a call has the cold cost. The part between the
 * recorder's two clock readings is contained in the time of the call, the rest in its
 * caller's time. */
struct mm_call_cost {
    double loop_ns, cold_ns;
    /* the parts of the two costs between the clock readings */
    double loop_within_ns, cold_within_ns;
};

struct mm_call_costs {
    /* Costs of calls through a proxy, without values except the two of a pair: `rows` of
     * calls that get a row, `sums` of calls that are aggregated. */
    struct mm_call_cost rows[MM_ROW_KINDS], sums[MM_ROW_KINDS];
    /* for each kind of entry, the cost in addition to a proxy's */
    struct mm_call_cost entries[MM_ENTRIES];
    /* mean pace of the core at the calls of the run, as a multiple of its pace when the
     * costs were measured; 0: unknown */
    double pace;
    double value_ns; /* cost of each further value */
};

/* The share by which the cost of recording in a program may differ from the calibrated
 * one: its instructions overlap with the program's, and its branches are predicted worse
 * (tests/own/test_costs.sh). */
#define MM_COST_UNCERTAIN .3

enum mm_row_kind mm_row_kind_of(size_t ints, size_t values, size_t outs);
/* Multiply the parts of a cost, or all costs, by a factor. */
void mm_call_cost_scale(struct mm_call_cost *cost, double factor);
void mm_call_costs_scale(struct mm_call_costs *costs, double factor);
/* Return the cost of recording a call of a method with `values` values that reaches the
 * recorder through `entry`. `sums` is true if the call is aggregated. */
struct mm_call_cost mm_call_costs_of(const struct mm_call_costs *costs,
                                     enum mm_entry_kind entry, enum mm_row_kind kind,
                                     size_t values, int sums);

/* Return the cost of recording a call that takes `wall_ns`, and its part `*within_ns`
 * between the clock readings. The longer the call, the more of the recorder's data the
 * program evicts from the nearest cache. */
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
