/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: types and functions shared by the files of activity/trip. Everything lies in
 * the trip's arena except the tables of calls.
 *
 * Terms: a *symbol* is a method in one mode. A thread's calls are a *word*: the symbols
 * in the order of their calls. A *pattern* is a regular expression that matches the
 * words. A *place* is a node of a pattern; it becomes a call, loop or branch of the text.
 * A *unit* is one thread of one rank of one run. */
#ifndef ACTIVITY_TRIP_CORE_H
#define ACTIVITY_TRIP_CORE_H

#include "activity/model/arena.h"
#include "activity/trip/trip.h"
#include "mastermind/counts/counts.h"

enum { TRIP_NONE = UINT32_MAX, TRIP_DEEPEST = 100 };

/* In-values of a method, with the number and cost of the calls that had them. */
struct trip_size {
    const union monitor_value *in;
    uint64_t calls;
    double own_ns; /* exclusive time of the calls that had these in-values */
};

/* A method in one mode, at one depth of its own recursion. */
struct trip_symbol {
    /* the method, from the first experiment that has it */
    const struct mm_method_info *method;
    /* in-values of a call with this symbol; only the modes are compared */
    const union monitor_value *modes;
    uint32_t depth; /* depth of recursion, from 0 */
    struct trip_size *sizes;
    size_t size_count;
    uint64_t calls, summed; /* number of calls with rows, and of calls in aggregates */
    double own_ns, mpi_ns;  /* exclusive time of all calls; own_ns is without MPI if
                             * trip->mpi_apart */
    double all_mpi_ns; /* exclusive time in MPI of all modes of the method; set in its
                        * first symbol */
    double *run_ns, *run_calls; /* [runs] exclusive time (own_ns) and number of calls with
                                 * rows, in each run */
    /* [most_ranks] exclusive time (own_ns) and number of calls with rows, by rank of the
     * base run */
    double *rank_ns, *rank_calls;
    int by_rank; /* 1: the text has a mean cost for each rank */
    int has_callees;
    int mpi_mixed;    /* 1: some calls of the method are aggregated, or have aggregated
                       * callees */
    const char *name; /* name of the symbol in the text */
    struct trip_pattern *pattern;
    /* node of the symbol's pattern that stands for the symbol's own time, if it has
     * callees */
    struct trip_node *own;
    int places; /* number of calls of the symbol that the text has so far */
};

/* An invocation with a row. */
struct trip_call {
    /* numbers of the invocation and of its caller within the thread */
    uint64_t invocation, caller;
    /* own_ns: exclusive time; mpi_ns: time in MPI, first inclusive, later exclusive */
    int64_t own_ns, mpi_ns;
    int64_t lost_ns; /* upper bound of the part of own_ns that is attributed
                      * to the host */
    uint32_t symbol, size;
    uint32_t parent; /* position of the caller in the thread + 1; 0: none */
    /* 1: the call has callees in aggregates, and mpi_ns includes theirs */
    int folded;
};

/* The calls of a thread in order of their start. Callees of the call at position i are
 * callees[first[i + 1] .. first[i + 2]); callees[0 .. first[1]) are calls without a
 * caller. */
struct trip_thread {
    size_t run;
    int rank, thread;
    struct trip_call *calls;
    size_t count, lost; /* lost: number of calls whose caller has no row */
    uint32_t *callees, *first;
};

/* Aggregated calls: how often one symbol called another one in the aggregates. */
struct trip_summed {
    size_t run;
    int rank;
    /* symbols of caller and callee; caller TRIP_NONE: no caller */
    uint32_t caller, callee;
    uint64_t calls;
    double own_ns;
};

enum trip_kind { TRIP_CALL, TRIP_SEQUENCE, TRIP_CHOICE, TRIP_TIMES };

/* Values recorded at one place (node of a pattern), one for each time that the calls of a
 * thread (unit) reached it: the iterations of TIMES, the branch of CHOICE, the size index
 * of CALL. */
struct trip_values {
    int64_t *items;
    uint32_t *turns; /* iteration of the innermost loop around the place, from 1 */
    size_t count;
};

struct trip_node {
    enum trip_kind kind;
    uint32_t letter; /* letter (called symbol) of a CALL */
    struct trip_node **items;
    int count;
    /* of a TIMES node: none: 1: its item may be absent; many: 1: its item may occur more
     * than once */
    int none, many;
    uint64_t *starts; /* bit set: letters with which the pattern can begin */
    int nullable;     /* 1: the pattern matches the empty word */
    /* [units] values recorded at this node for each thread of each run; NULL before they
     * are recorded */
    struct trip_values *values;
};

/* The pattern of an activity. The letters of its alphabet are symbols. A symbol has
 * several letters, chosen by its neighbours in the word, where that makes the pattern
 * simpler. */
struct trip_pattern {
    struct trip_node *root;
    const uint32_t *symbols; /* symbol of each letter */
    uint32_t letters;
    double price; /* length of the pattern's description, bits */
};

struct trip {
    struct act_arena *arena;
    struct mm_experiment *const *experiments;
    size_t runs;
    const struct act_trip_options *options;
    struct cca_error *err;
    struct trip_symbol *symbols;
    size_t symbol_count;
    uint32_t *table; /* hash table of pairs of a symbol and a size, open addressing; see
                      * find_size in read.c */
    size_t table_size, table_used;
    /* threads of all runs (the units), sorted by run, rank, thread */
    struct trip_thread *threads;
    size_t thread_count;
    struct trip_summed *summed;
    size_t summed_count;
    int most_ranks, most_threads;
    double own_ns; /* exclusive time of all symbols together */
    int mpi_apart; /* 1: own_ns does not include MPI time */
    struct mm_axes axes;
    int by_laws; /* 1: runs differ in parameters, so counts become scaling functions
                  * (mm_law) */
    struct trip_pattern *roots; /* patterns of calls without a caller, by thread number
                                 * [most_threads] */
};

/* Allocate zeroed memory in the arena; NULL: out of memory, and the error is set. */
void *trip_take(struct trip *trip, size_t size);

/* Read all experiments. read.c */
int trip_read(struct trip *trip);
void trip_read_done(struct trip *trip);
/* Put each thread's calls in order, with their callees; make a symbol for each depth of
 * recursion. order.c */
int trip_order(struct trip *trip);
/* Choose the symbols whose mean costs are written per rank. by_rank.c */
int trip_by_rank(struct trip *trip);
/* The callees of the call at `position`; TRIP_NONE: calls without a caller. */
const uint32_t *trip_callees(const struct trip_thread *thread, uint32_t position,
                             size_t *count);

/* Make a node; NULL: out of memory. nodes.c */
struct trip_node *trip_call_node(struct trip *trip, uint32_t letter, uint32_t letters);
struct trip_node *trip_sequence(struct trip *trip, struct trip_node *a,
                                struct trip_node *b, uint32_t letters);
struct trip_node *trip_choice(struct trip *trip, struct trip_node *a, struct trip_node *b,
                              uint32_t letters);
struct trip_node *trip_times(struct trip *trip, struct trip_node *a, int none, int many,
                             uint32_t letters);
/* Clear the values recorded at all nodes of a pattern and make room for `units`
 * threads. */
int trip_node_reset(struct trip *trip, struct trip_node *node, size_t units);
void trip_node_done(struct trip_node *node, size_t units);

/* A word (the calls of one thread or invocation) as letters; sizes[i] is the size index
 * of call i. */
struct trip_word {
    const uint32_t *letters, *sizes;
    size_t count;
};
/* Match a word with a pattern and record the values at the pattern's nodes for thread
 * `unit`. Returns 0; -EINVAL: no match; -ENOMEM. nodes.c */
int trip_node_read(struct trip_node *node, const struct trip_word *word, size_t unit);
/* Append a value to the list of values of a node. */
int trip_values_add(struct trip_values *values, int64_t value, uint32_t turn);
/* Free the lists of [units] values, and the array. NULL is fine. */
void trip_values_free(struct trip_values *values, size_t units);

/* Infer a pattern that matches all words, each word given once; letters are numbers below
 * `letters`. NULL: out of memory. infer.c */
struct trip_node *trip_infer(struct trip *trip, const struct trip_word *words,
                             size_t count, uint32_t letters);
/* Make the pattern that matches any word of `letters` letters: a choice of all letters,
 * repeated any number of times. */
struct trip_node *trip_flat(struct trip *trip, uint32_t letters);
/* Make the patterns of all symbols with callees and of the threads' outermost calls;
 * record the values at all nodes of the patterns. patterns.c */
int trip_patterns(struct trip *trip);
/* Length of a pattern's description in bits, including the values recorded for thread 0.
 * price.c */
double trip_node_price(const struct trip_node *node);
/* Whether all values of a list but at most two are equal; *others: how many differ, and
 * where. */
int trip_nearly_same(const int64_t *list, size_t count, size_t *others, size_t at[2]);
/* The smallest period p of a list, list[i] == list[i - p]; `count`: there is none. */
size_t trip_period(const int64_t *list, size_t count);

struct trip_traffic;
/* Write the model; `traffic` has the messages of each run. Returns a new string that the
 * caller frees. write.c */
char *trip_write(struct trip *trip, const struct trip_traffic *traffic);

#endif
