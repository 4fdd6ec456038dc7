/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: what the files of activity/trip share. All that a trip makes lies in its arena,
 * but for the tables of calls. */
#ifndef ACTIVITY_TRIP_CORE_H
#define ACTIVITY_TRIP_CORE_H

#include "activity/model/arena.h"
#include "activity/trip/trip.h"
#include "mastermind/counts/axes.h"

enum { TRIP_NONE = UINT32_MAX, TRIP_DEEPEST = 100 };

/* In-values of a method, of the calls that had them. */
struct trip_size {
    const union monitor_value *in;
    uint64_t calls;
    double own_ns; /* sum */
};

/* A method in one mode, at one depth of its own recursion. */
struct trip_symbol {
    const struct mm_method_info *method; /* of the first experiment that has it */
    const union monitor_value *modes;    /* in-values; of modes alone they count */
    uint32_t depth;                      /* of recursion, from 0 */
    struct trip_size *sizes;
    size_t size_count;
    uint64_t calls, summed; /* with rows; in aggregates */
    double own_ns, mpi_ns;  /* exclusive, of all; own_ns has no MPI where it is apart */
    double all_mpi_ns; /* exclusive, of all modes of the method; of its first symbol */
    double *run_ns, *run_calls;   /* [runs] own_ns and calls of those with rows */
    double *rank_ns, *rank_calls; /* [most_ranks] as these, of the base */
    int by_rank;                  /* means are told for each rank */
    int has_callees;
    int mpi_mixed;    /* some calls of the method are summed up, or have such callees */
    const char *name; /* as the text calls it */
    struct trip_pattern *pattern;
    struct trip_node *own; /* a place for its own time, where it has callees */
    int places;            /* written so far */
};

/* An invocation with a row. */
struct trip_call {
    uint64_t invocation, caller; /* numbers of the thread */
    int64_t own_ns, mpi_ns;      /* mpi_ns: inclusive, then exclusive */
    int64_t lost_ns;             /* that the host took of own_ns, at most */
    uint32_t symbol, size;
    uint32_t parent; /* position of the caller + 1, 0: none */
    int folded;      /* it has callees in aggregates, so mpi_ns has theirs, too */
};

/* The calls of a thread in order of their start. Callees of the call at position i are
 * callees[first[i + 1] .. first[i + 2]); those of none, callees[0 .. first[1]). */
struct trip_thread {
    size_t run;
    int rank, thread;
    struct trip_call *calls;
    size_t count, lost; /* lost: whose caller has no row */
    uint32_t *callees, *first;
};

/* Calls of the aggregates: how often one symbol called another one there. */
struct trip_summed {
    size_t run;
    int rank;
    uint32_t caller, callee; /* caller TRIP_NONE: no method */
    uint64_t calls;
    double own_ns;
};

enum trip_kind { TRIP_CALL, TRIP_SEQUENCE, TRIP_CHOICE, TRIP_TIMES };

/* What one place had, each time that the calls of a thread came by: the turns of TIMES,
 * the branch of CHOICE, the size of CALL. */
struct trip_values {
    int64_t *items;
    uint32_t *turns; /* of the innermost loop around it, from 1 */
    size_t count;
};

struct trip_node {
    enum trip_kind kind;
    uint32_t letter; /* of a CALL */
    struct trip_node **items;
    int count;
    int none, many;             /* TIMES: may be 0, more than 1 */
    uint64_t *starts;           /* bits: letters that it can begin with */
    int nullable;               /* may be empty */
    struct trip_values *values; /* [units], NULL until they are recorded */
};

/* What an activity does, of letters: symbols that are told apart by their neighbours
 * where that makes it simpler. */
struct trip_pattern {
    struct trip_node *root;
    const uint32_t *symbols; /* of letters */
    uint32_t letters;
    double price; /* of its description */
};

struct trip {
    struct act_arena *arena;
    struct mm_experiment *const *experiments;
    size_t runs;
    const struct act_trip_options *options;
    struct cca_error *err;
    struct trip_symbol *symbols;
    size_t symbol_count;
    uint32_t *table; /* of symbols and sizes, open addressing */
    size_t table_size, table_used;
    struct trip_thread *threads; /* by run, rank, thread: the units */
    size_t thread_count;
    struct trip_summed *summed;
    size_t summed_count;
    int most_ranks, most_threads;
    double own_ns; /* of all symbols */
    int mpi_apart; /* MPI time is no part of own_ns */
    struct mm_axes axes;
    int by_laws;                /* runs differ in parameters */
    struct trip_pattern *roots; /* by number of the thread: most_threads */
};

/* From the arena, zeroed; NULL: refused, out of memory. */
void *trip_take(struct trip *trip, size_t size);

/* Read all experiments. read.c */
int trip_read(struct trip *trip);
void trip_read_done(struct trip *trip);
/* Put each thread's calls in order, with their callees; tell recursion apart. order.c */
int trip_order(struct trip *trip);
/* Choose the symbols whose costs are told by rank. by_rank.c */
int trip_by_rank(struct trip *trip);
/* The callees of the call at `position`, TRIP_NONE: of none. */
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
/* Forget what places had; have room for `units`. */
int trip_node_reset(struct trip *trip, struct trip_node *node, size_t units);
void trip_node_done(struct trip_node *node, size_t units);

/* A word in letters; sizes[i] of its calls. */
struct trip_word {
    const uint32_t *letters, *sizes;
    size_t count;
};
/* Read a word by a pattern and record what its places had, as of `unit`. 0; -EINVAL, it
 * is none of the pattern; -ENOMEM. nodes.c */
int trip_node_read(struct trip_node *node, const struct trip_word *word, size_t unit);
/* Append a value of a place. */
int trip_values_add(struct trip_values *values, int64_t value, uint32_t turn);

/* A pattern that has all words, each once; letters below `letters`. NULL: out of memory.
 * infer.c */
struct trip_node *trip_infer(struct trip *trip, const struct trip_word *words,
                             size_t count, uint32_t letters);
/* A pattern of any word: one of the letters, any number of times. */
struct trip_node *trip_flat(struct trip *trip, uint32_t letters);
/* Make the patterns of all symbols with callees, and of threads; record all places.
 * patterns.c */
int trip_patterns(struct trip *trip);
/* Length of a pattern's description, bits, with the values of unit 0. price.c */
double trip_node_price(const struct trip_node *node);
/* Whether all values of a list are the same but for at most two: how many, and where. */
int trip_nearly_same(const int64_t *list, size_t count, size_t *others, size_t at[2]);
/* The smallest period of a list: list[i] == list[i - period]; `count`: none shorter. */
size_t trip_period(const int64_t *list, size_t count);

struct trip_traffic;
/* Write the model; traffic[runs]. New, freed by the caller. write.c */
char *trip_write(struct trip *trip, const struct trip_traffic *traffic);

#endif
