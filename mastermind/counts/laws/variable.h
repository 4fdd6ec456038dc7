/* SPDX-License-Identifier: BSD-3-Clause */
/* variable.h: the variables that forms of laws have: axes, and what programs make of
 * them when they cut lengths into pieces, refine by two, or take the smaller of two. */
#ifndef MASTERMIND_COUNTS_LAWS_VARIABLE_H
#define MASTERMIND_COUNTS_LAWS_VARIABLE_H

#include <stddef.h>

enum mm_law_variable_kind {
    MM_LAW_AXIS,      /* a */
    MM_LAW_CEILING,   /* ceil(a/b): pieces of a of at most b; b = 0: 1 */
    MM_LAW_INNER,     /* max(0, ceil(a/b) - 2): pieces that do not lie at an end */
    MM_LAW_FLOOR,     /* floor(a/b) */
    MM_LAW_REMAINDER, /* a mod b; b = 0: 0 */
    MM_LAW_LEAST,     /* min(a, b); b = 0: a */
    MM_LAW_MOST,      /* max(a, b) */
    MM_LAW_EXP2,      /* 2^a */
    MM_LAW_BORDER, /* of the pieces of a rectangle a by `other`, each side cut by b, those
                    * that lie at its border */
    MM_LAW_PIECES, /* sum of a function of Q = (x + dx) (y + dy) over the pieces
                    * x by y of a rectangle a by `other`, each side cut by b */
    MM_LAW_KINDS
};

/* Functions of Q that MM_LAW_PIECES sums. */
enum mm_law_piece_function {
    MM_LAW_Q_LOG_Q,
    MM_LAW_LOG_Q,
    MM_LAW_ROOT_Q,
    MM_LAW_Q_ROOT_Q,
    MM_LAW_Q_SQUARED,
    MM_LAW_PIECE_FUNCTIONS
};

struct mm_law_variable {
    enum mm_law_variable_kind kind;
    size_t axis, other, divisor; /* axes a, other, b; divisor NONE: not cut */
    enum mm_law_piece_function function;
    int dx, dy;
    int is_uneven; /* pieces have b but the last one, which has the rest; else they are
                    * as equal as whole numbers can be */
    int is_driver, is_positive; /* positive in all runs */
    double bits;                /* length of its description */
    double rank;                /* like it, but for the choice of axes */
};

#define MM_LAW_NO_AXIS ((size_t)-1)

/* True where a variable may be one of a trend: not those that jump up and down. */
int mm_law_variable_is_smooth(const struct mm_law_variable *variable);
/* Value at `x` [axes]; NaN where it has none. */
double mm_law_variable_value(const struct mm_law_variable *variable, const double *x);
/* Print as "ceil(NX/PATCH)"; returns the length, like snprintf. */
int mm_law_variable_print(const struct mm_law_variable *variable, char *const *name,
                          char *text, size_t size);

#endif
