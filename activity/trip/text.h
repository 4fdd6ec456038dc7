/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h: types and functions shared by the files that write the text. */
#ifndef ACTIVITY_TRIP_TEXT_H
#define ACTIVITY_TRIP_TEXT_H

#include <stdio.h>

#include "activity/trip/core.h"
#include "mastermind/counts/counts.h"

enum {
    TEXT_TABLE_MOST = 1000
}; /* largest number of entries of a table of costs; instead of a longer table the mean is
    * written */

/* A sequence of elements: the body of an activity, of a loop, of a branch. Each execution
 * of the block passes all its places once, so they share a cursor: the number of
 * executions, from 1. */
struct text_block {
    const char *turn;   /* variable of the innermost enclosing loop, or NULL */
    const char *cursor; /* name of the block's cursor: a global, or `turn` where that has
                         * the same value */
    int is_turn;        /* 1: the cursor is `turn` */
    int used;           /* 1: some place needs the cursor */
    const char *visits; /* total number of the block's executions as an expression,
                         * with scaling functions */
};

struct text_table {
    const char *name;
    int is_double;
    int64_t *items; /* numbers of the table; if is_double, the bits of doubles */
    size_t count;
};

enum text_law_kind { TEXT_CLOSED, TEXT_TREND, TEXT_NOT_CLOSED };

struct text_law {
    const char *name;
    double *y; /* [runs] the quantity that the function predicts; NULL: it is computed
                * from other functions */
    enum text_law_kind kind;
    const char *text; /* expression of the function; NULL: no closed form was found, so
                       * the function is not written */
};

/* A quantity at a place of a pattern, in each run: its sum over all visits of the place,
 * divided by the number of ranks. Scaling functions are fitted to rates: sum / visits. */
struct text_quantity {
    double *sum, *visits, *rate; /* [runs] sum, visits, and sum / visits of each run; NaN:
                                    the run never reached the place */
};

struct text {
    struct trip *trip;
    struct text_table *tables;
    size_t table_count;
    struct text_law *laws;
    size_t law_count;
    const char **names; /* all names that the text uses so far */
    size_t name_count;
    const char **cursors;
    size_t cursor_count;
    const char **axis_names; /* names of the axes of scaling functions */
    struct text_quantity *quantities;
    size_t quantity_count;
    const double *driver; /* [runs] iterations of the loop with most calls in it, which
                           * the solution may determine (time steps, for example); or
                           * NULL */
    uint32_t *order; /* symbols that are written as activities, callers before callees */
    size_t order_count;
    const char **visits; /* [symbols] total number of executions, as an expression: sum
                          * over the calls of the symbol written so far */
    const struct trip_traffic *traffic; /* [runs] messages and collectives of each run;
                                           the base run comes first */
    const char **notes;
    size_t note_count;
    int failed; /* first error, a negative errno; 0: none */
};

/* Print into the arena; on failure returns "" and sets text->failed. names.c */
const char *text_print(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A copy of `words` without quotes and control characters, to be written between
 * quotes. */
const char *text_quoted(struct text *text, const char *words);
/* A unique name: `wanted`, or `wanted` and a number. */
const char *text_name(struct text *text, const char *wanted);
/* Name all symbols after their methods; add instance and mode where names would be
 * equal. */
void text_name_symbols(struct text *text);
/* Add a comment at the top of the text, unless it is there already. */
void text_note(struct text *text, const char *note);

/* The values of a place in all threads (units) of the base run, to be written as an
 * expression. lists.c */
struct text_list {
    int is_double;
    struct trip_values *values; /* [units] list of values of each thread */
    const char *name;           /* name from which the name of a table is made */
    size_t most;                /* largest allowed table; 0: any size */
};
enum text_said {
    TEXT_NEVER,    /* no thread reached the place */
    TEXT_CONSTANT, /* all threads have the number `value` */
    TEXT_GUARD,    /* 1 on processes whose pid fulfils the condition `text`; else 0 */
    TEXT_VALUE,    /* the values come from the expression `text` */
    TEXT_TOO_LONG
};
struct text_answer {
    enum text_said said;
    int64_t value; /* the number, or the bits of a double */
    const char *text;
};
struct text_answer text_of_list(struct text *text, struct text_block *block,
                                const struct text_list *list);
/* The name of a table with these items; an equal table that is there is used again.
 * `items` is stolen. lists.c */
const char *text_add_table(struct text *text, const char *name, int is_double,
                           int64_t *items, size_t count);
/* Expression of the activity language for a block's cursor: the number of executions of
 * the block so far, from 1. */
const char *text_cursor(struct text *text, struct text_block *block);
double text_double(int64_t bits);
int64_t text_bits(double value);
const char *text_number(struct text *text, int64_t value, int is_double);

enum text_rate_kind {
    TEXT_TURNS, /* the value is a whole number in each run */
    TEXT_MEAN,  /* the value is a mean: of iterations or of sizes */
    TEXT_TIME   /* the value is a time, which has noise */
};
/* Text of a rate (sum / visits): a number if it is the same in all runs, else a call of
 * a cost function. The function is a closed form; if there is none, the scaling function
 * of the sum, divided by the number of visits in the simulation, so that errors of nested
 * loops do not accumulate. `*visits` (may be NULL) becomes the total number of
 * executions. laws.c */
const char *text_of_rate(struct text *text, const struct text_block *block,
                         const char *name, const struct text_quantity *quantity,
                         enum text_rate_kind kind, const char **visits);
/* Text of a call of a cost function that is a trend, about which the runs scatter. */
const char *text_of_trend(struct text *text, const char *name, const double *y,
                          enum text_rate_kind kind);
/* Compute the sum of the values and the visits of a place in each run, divided by the
 * number of ranks. For TIMES the values are iterations, for CALL the `numbers` of the
 * sizes; with `bit` >= 0, the sum is how often the value was `bit`. Returns 1 if all
 * visits of a run had the same rate. quantities.c */
int text_rates(const struct trip *trip, const struct trip_node *node, int64_t bit,
               const double *numbers, struct text_quantity *quantity);
int text_quantity_init(struct text *text, struct text_quantity *quantity);
/* Collect the quantities of all places in all runs, and find the exogenous count. */
void text_gather(struct text *text);
/* Write the axes: globals that scaling functions use, and a comment on axes whose effect
 * is unknown. */
void text_axes(struct text *text, FILE *out);

/* Expression of the cost of a call at a place. costs.c */
const char *text_of_cost(struct text *text, struct text_block *block,
                         const struct trip_symbol *s, const struct trip_node *place);

/* Write a node of a pattern as elements of the text. elements.c */
void text_of_node(struct text *text, FILE *out, const struct trip_pattern *pattern,
                  const struct trip_node *node, struct text_block *block, int depth);
/* Open a buffer as a stream; text_close closes the stream and returns the text, in the
 * arena. */
FILE *text_open(struct text *text, char **buffer, size_t *size);
const char *text_close(struct text *text, FILE *out, char **buffer, size_t *size);
/* Write "code { k = k + 1; }" if the block's cursor is used. */
void text_count_block(FILE *out, const struct text_block *block);
/* Write aggregated calls, after the calls whose order is known. summed.c */
void text_of_summed(struct text *text, FILE *out, uint32_t caller,
                    struct text_block *block);
/* Write the communication of a method per call. talk.c */
void text_of_talk(struct text *text, FILE *out, const struct trip_symbol *s);
/* Return a condition, as text of the model, that is true in an execution of `block` whose
 * call of the symbol has a row of its own (is not aggregated); NULL: all calls have. */
const char *text_rows_guard(struct text *text, uint32_t symbol, struct text_block *block);

/* --- law_text.c ---------------------------------------------------------- */

/* Text of the best form of a scaling function that the language can express, with the
 * given axis names, divided by `divisor` and, unless it is MM_LAW_NO_AXIS, by the axis
 * `driver`. NULL: the language can express none. */
const char *text_of_form(struct text *text, const struct mm_law *law,
                         const char *const *names, size_t driver, double divisor);

/* --- simple.c ------------------------------------------------------------ */

/* Rates that are products of lengths and numbers of pieces.
 *
 * Three runs with 2, 3 and 4 patches are too few to choose among all scaling functions.
 * But most counts of a program on a mesh are c NX^p NY^q ceil(NX/PATCH)^r ..., or a sum
 * of two such products, with a simple c: these are tried first. */

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

/* --- traffic.c ----------------------------------------------------------- */

/* Messages from `src` to `dst` whose send and receive are in one method. */
struct trip_pair {
    const struct mm_method_info *method;
    int src, dst;
    double messages, bytes; /* estimated sums over all messages, from the sampled ones */
};

struct trip_collective {
    const struct mm_method_info *method;
    const char *function; /* name of the collective: "MPI_Iallreduce" */
    /* instances: number of collectives; bytes: bytes per call and process */
    double instances, bytes;
};

/* Messages that one method sends and another one receives. */
struct trip_across {
    const struct mm_method_info *sender, *receiver;
};

struct trip_traffic {
    struct trip_pair *pairs;
    size_t pair_count;
    struct trip_collective *collectives;
    size_t collective_count;
    struct trip_across *across;
    size_t across_count;
    int sampled; /* 1: the numbers are estimates from samples */
    int known;   /* 1: the run has recorded messages */
};

/* Read the messages of a run; methods that communicate in the base get activities.
 * Returns 0, or a negative errno with the trip's error; call trip_traffic_done in any
 * case. */
int trip_traffic_read(struct trip *trip, size_t run, struct trip_traffic *traffic);
void trip_traffic_done(struct trip_traffic *traffic);
/* How often each rank of the base run called a method; -1 if ranks differ. */
double trip_calls_by_rank(const struct trip *trip, const struct mm_method_info *method);

#endif
