/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h: what the files that write the text share. */
#ifndef ACTIVITY_TRIP_TEXT_H
#define ACTIVITY_TRIP_TEXT_H

#include <stdio.h>

#include "activity/trip/core.h"

enum { TEXT_TABLE_MOST = 1000 }; /* entries of a table of costs; longer ones are a mean */

/* What is done together: the body of an activity, of a loop, a branch. All its places
 * are come by once each time, and share a cursor: how often it was done, from 1. */
struct text_block {
    const char *turn;   /* variable of the innermost loop around, or NULL */
    const char *cursor; /* name of a global, or the turn where that is the same */
    int is_turn;        /* it is */
    int used;           /* some place needs the cursor */
    const char *visits; /* by laws: how often it is done in all, as an expression */
};

struct text_table {
    const char *name;
    int is_double;
    int64_t *items; /* of doubles, their bits */
    size_t count;
};

enum text_law_kind { TEXT_CLOSED, TEXT_TREND, TEXT_NOT_CLOSED };

struct text_law {
    const char *name;
    double *y; /* [runs] what it is of; NULL: of others */
    enum text_law_kind kind;
    const char *text; /* NULL: no closed form was found, nothing is written */
};

/* A quantity of the runs: in all, of so many visits of its place; both by rank. Laws are
 * of rates, sum by visits. */
struct text_quantity {
    double *sum, *visits, *rate; /* [runs] NaN: a run has none */
};

struct text {
    struct trip *trip;
    struct text_table *tables;
    size_t table_count;
    struct text_law *laws;
    size_t law_count;
    const char **names; /* all that were given */
    size_t name_count;
    const char **cursors;
    size_t cursor_count;
    const char **axis_names; /* of the axes that laws have */
    struct text_quantity *quantities;
    size_t quantity_count;
    const double *driver; /* [runs] turns of the loop that has most of the calls, which
                           * the solution may decide, as of time steps; or NULL */
    uint32_t *order;      /* symbols with activities, callers first */
    size_t order_count;
    const char **visits;                /* [symbols] as of a block, so far */
    const struct trip_traffic *traffic; /* [runs] the base's first */
    const char **notes;
    size_t note_count;
    int failed; /* a negative errno */
};

/* In the arena; on failure "" with text->failed set. names.c */
const char *text_print(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What stands between quotes: without those, and without control characters. */
const char *text_quoted(struct text *text, const char *words);
/* A name that no other has: `wanted`, or with a number behind. */
const char *text_name(struct text *text, const char *wanted);
/* Name all symbols, by method, and instance and mode where that is needed. */
void text_name_symbols(struct text *text);
/* Add a comment for the top, once. */
void text_note(struct text *text, const char *note);

/* What the units (of the base) had at a place, as an expression. lists.c */
struct text_list {
    int is_double;
    struct trip_values *values; /* [units] */
    const char *name;           /* for a table */
    size_t most;                /* entries of a table; 0: any number */
};
enum text_said {
    TEXT_NEVER,    /* nobody came by */
    TEXT_CONSTANT, /* `value` */
    TEXT_GUARD,    /* 1 where `text` is true, a condition on pid; else 0 */
    TEXT_VALUE,    /* `text` */
    TEXT_TOO_LONG
};
struct text_answer {
    enum text_said said;
    int64_t value; /* of a double, its bits */
    const char *text;
};
struct text_answer text_of_list(struct text *text, struct text_block *block,
                                const struct text_list *list);
/* The name of a table of so many items, which is added where none has these. `items` is
 * stolen. lists.c */
const char *text_add_table(struct text *text, const char *name, int is_double,
                           int64_t *items, size_t count);
/* The cursor of a block, as an expression. */
const char *text_cursor(struct text *text, struct text_block *block);
double text_double(int64_t bits);
int64_t text_bits(double value);
const char *text_number(struct text *text, int64_t value, int is_double);

enum text_rate_kind {
    TEXT_TURNS, /* a whole number in each run */
    TEXT_MEAN,  /* of turns or sizes */
    TEXT_TIME   /* has noise */
};
/* A rate as a call of a cost function, or a number where all runs have the same: a closed
 * form, or the law of the sum by how often the simulation comes by, so that errors of
 * loops within loops do not add up. `*visits` (may be NULL): how often what it counts is
 * done. laws.c */
const char *text_of_rate(struct text *text, const struct text_block *block,
                         const char *name, const struct text_quantity *quantity,
                         enum text_rate_kind kind, const char **visits);
/* What the runs scatter about, as such a call. */
const char *text_of_trend(struct text *text, const char *name, const double *y,
                          enum text_rate_kind kind);
/* Sum and visits of a place in each run, by rank: of TIMES, and of CALL with numbers
 * [sizes]; `bit` >= 0: how often the value was this one. 1: all visits had the rate of
 * their run. quantities.c */
int text_rates(const struct trip *trip, const struct trip_node *node, int64_t bit,
               const double *numbers, struct text_quantity *quantity);
int text_quantity_init(struct text *text, struct text_quantity *quantity);
/* Gather the quantities of all places, and the driver. */
void text_gather(struct text *text);
/* Name the axes: globals that the laws are of, and those that nothing is known of. */
void text_axes(struct text *text, FILE *out);

/* Cost of a call at a place: an expression. costs.c */
const char *text_of_cost(struct text *text, struct text_block *block,
                         const struct trip_symbol *s, const struct trip_node *place);

/* The elements of a node. elements.c */
void text_of_node(struct text *text, FILE *out, const struct trip_pattern *pattern,
                  const struct trip_node *node, struct text_block *block, int depth);
/* Open a buffer; close it and give its text, in the arena. */
FILE *text_open(struct text *text, char **buffer, size_t *size);
const char *text_close(struct text *text, FILE *out, char **buffer, size_t *size);
/* "code { k = k + 1; }" where the block's cursor is used. */
void text_count_block(FILE *out, const struct text_block *block);
/* Calls that aggregates have, behind what is known in order. summed.c */
void text_of_summed(struct text *text, FILE *out, uint32_t caller,
                    struct text_block *block);
/* What a method sends and receives in a call. talk.c */
void text_of_talk(struct text *text, FILE *out, const struct trip_symbol *s);
/* A condition that holds while a symbol's calls have rows; NULL: all have. */
const char *text_rows_guard(struct text *text, uint32_t symbol, struct text_block *block);

#endif
