/* SPDX-License-Identifier: BSD-3-Clause */
/* variable.h: the variables of scaling functions: axes, and quantities that programs
 * derive from them by cutting lengths into pieces, refining by two, or taking a minimum.
 */
#ifndef MASTERMIND_COUNTS_LAWS_VARIABLE_H
#define MASTERMIND_COUNTS_LAWS_VARIABLE_H

#include <stddef.h>

enum mm_law_variable_kind {
    MM_LAW_AXIS,    /* value of axis a itself */
    MM_LAW_CEILING, /* ceil(a/b): number of pieces of a, each at most b; 1 if b is 0 */
    MM_LAW_INNER,   /* max(0, ceil(a/b) - 2): number of pieces without the two at the ends
                     */
    MM_LAW_FLOOR,   /* floor(a/b) */
    MM_LAW_REMAINDER, /* a mod b; b = 0: 0 */
    MM_LAW_LEAST,     /* min(a, b); a if b is 0 */
    MM_LAW_MOST,      /* max(a, b) */
    MM_LAW_EXP2,      /* 2^a */
    MM_LAW_BORDER, /* number of border pieces of a rectangle a by `other`, each side cut
                      by b */
    MM_LAW_PIECES, /* sum of a function of Q = (x + dx) (y + dy) over the pieces x by y of
                      a rectangle a by `other`, each side cut by b */
    MM_LAW_KINDS
};

/* Functions of a piece's size Q that MM_LAW_PIECES sums. */
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
    size_t axis, other, divisor; /* indexes of the axes a, other, b; divisor NONE: a is
                                    not cut */
    enum mm_law_piece_function function;
    int dx, dy;
    int is_uneven; /* true if all pieces have length b but the last one, which has the
                      rest; else pieces are as equal as whole numbers can be */
    int is_driver, is_positive; /* `is_driver`: the variable is an exogenous count;
                                   `is_positive`: it is positive in all runs */
    double bits;                /* description length of the variable, in bits */
    double rank;                /* description length of the variable without the
                                   choice of axes */
};

#define MM_LAW_NO_AXIS ((size_t)-1)

/* True if trends may use the variable: it does not jump up and down. */
int mm_law_variable_is_smooth(const struct mm_law_variable *variable);
/* Value of a variable at parameters `x` [axes]; NaN: none. */
double mm_law_variable_value(const struct mm_law_variable *variable, const double *x);
/* Print a variable as "ceil(NX/PATCH)"; returns the length, like snprintf. */
int mm_law_variable_print(const struct mm_law_variable *variable, char *const *name,
                          char *text, size_t size);

#endif
