/* SPDX-License-Identifier: BSD-3-Clause */
/* variable.c: values of variables, and their names. */
#include "mastermind/counts/laws/variable.h"

#include <math.h>
#include <stdio.h>

/* Number of pieces of at most `most` that a length is cut into; a `most` of 0 means no
 * bound. */
static double piece_count(double length, double most)
{
    return most == 0 ? 1 : ceil(length / most);
}

/* A length that is cut into pieces of two lengths. */
struct cut {
    double length[2], count[2];
};

static struct cut cut_length(double length, double most, int is_uneven)
{
    double count = piece_count(length, most), even = floor(length / count),
           longer = length - even * count;

    if (is_uneven)
        return (struct cut){{most == 0 ? length : most, length - (count - 1) * most},
                            {count - 1, 1}};
    return (struct cut){{even + 1, even}, {longer, count - longer}};
}

static double piece_value(enum mm_law_piece_function function, double q)
{
    switch (function) {
    case MM_LAW_Q_LOG_Q:
        return q * log2(q);
    case MM_LAW_LOG_Q:
        return log2(q);
    case MM_LAW_ROOT_Q:
        return sqrt(q);
    case MM_LAW_Q_ROOT_Q:
        return q * sqrt(q);
    case MM_LAW_Q_SQUARED:
        return q * q;
    case MM_LAW_PIECE_FUNCTIONS:
        break;
    }
    return NAN;
}

static double pieces_value(const struct mm_law_variable *variable, const double *x)
{
    double most = variable->divisor == MM_LAW_NO_AXIS ? 0 : x[variable->divisor];
    struct cut across = cut_length(x[variable->axis], most, variable->is_uneven);
    struct cut along = cut_length(x[variable->other], most, variable->is_uneven);
    double sum = 0;

    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) {
            double count = across.count[i] * along.count[j];

            if (count != 0)
                sum += count * piece_value(variable->function,
                                           (across.length[i] + variable->dx) *
                                               (along.length[j] + variable->dy));
        }
    }
    return sum;
}

int mm_law_variable_is_smooth(const struct mm_law_variable *variable)
{
    return variable->kind == MM_LAW_AXIS || variable->kind == MM_LAW_CEILING ||
           variable->kind == MM_LAW_EXP2 || variable->kind == MM_LAW_LEAST;
}

double mm_law_variable_value(const struct mm_law_variable *variable, const double *x)
{
    double a = x[variable->axis];
    double b = variable->divisor == MM_LAW_NO_AXIS ? 0 : x[variable->divisor];

    switch (variable->kind) {
    case MM_LAW_AXIS:
        return a;
    case MM_LAW_CEILING:
        return piece_count(a, b);
    case MM_LAW_INNER:
        return fmax(0, piece_count(a, b) - 2);
    case MM_LAW_FLOOR:
        return floor(a / b);
    case MM_LAW_REMAINDER:
        return b == 0 ? 0 : a - b * floor(a / b);
    case MM_LAW_LEAST:
        return b == 0 ? a : fmin(a, b);
    case MM_LAW_MOST:
        return fmax(a, b);
    case MM_LAW_EXP2:
        return exp2(a);
    case MM_LAW_BORDER: {
        double across = piece_count(a, b), along = piece_count(x[variable->other], b);

        return across * along - fmax(0, across - 2) * fmax(0, along - 2);
    }
    case MM_LAW_PIECES:
        return pieces_value(variable, x);
    case MM_LAW_KINDS:
        break;
    }
    return NAN;
}

/* Print a side of a piece, such as "(NX+1)" or "NX". */
static void print_side(const char *name, int added, char *text, size_t size)
{
    if (added)
        snprintf(text, size, "(%s+%d)", name, added);
    else
        snprintf(text, size, "%s", name);
}

static int print_pieces(const struct mm_law_variable *variable, char *const *name,
                        char *text, size_t size)
{
    static const char *const functions[] = {"Q*log2(Q)", "log2(Q)", "Q^0.5", "Q^1.5",
                                            "Q^2"};
    char across[64], along[64];
    int cut = variable->divisor != MM_LAW_NO_AXIS;

    print_side(cut ? "x" : name[variable->axis], variable->dx, across, sizeof across);
    print_side(cut ? "y" : name[variable->other], variable->dy, along, sizeof along);
    if (!cut)
        return snprintf(text, size, "[%s: Q = %s*%s]", functions[variable->function],
                        across, along);
    return snprintf(text, size, "sum[%s: Q = %s*%s, %s pieces of %s by %s to %s]",
                    functions[variable->function], across, along,
                    variable->is_uneven ? "full" : "equal", name[variable->axis],
                    name[variable->other], name[variable->divisor]);
}

int mm_law_variable_print(const struct mm_law_variable *variable, char *const *name,
                          char *text, size_t size)
{
    /* Text of the variable's name before, between and after the two axes. */
    static const char *const part[MM_LAW_BORDER][3] = {
        [MM_LAW_AXIS] = {"", "", ""},
        [MM_LAW_CEILING] = {"ceil(", "/", ")"},
        [MM_LAW_INNER] = {"max(0, ceil(", "/", ") - 2)"},
        [MM_LAW_FLOOR] = {"floor(", "/", ")"},
        [MM_LAW_REMAINDER] = {"(", " mod ", ")"},
        [MM_LAW_LEAST] = {"min(", ", ", ")"},
        [MM_LAW_MOST] = {"max(", ", ", ")"},
        [MM_LAW_EXP2] = {"2^", "", ""},
    };
    const char *const *parts;

    if (variable->kind == MM_LAW_BORDER)
        return snprintf(text, size, "border(%s/%s, %s/%s)", name[variable->axis],
                        name[variable->divisor], name[variable->other],
                        name[variable->divisor]);
    if (variable->kind == MM_LAW_PIECES)
        return print_pieces(variable, name, text, size);
    parts = part[variable->kind];
    return snprintf(text, size, "%s%s%s%s%s", parts[0], name[variable->axis], parts[1],
                    variable->divisor == MM_LAW_NO_AXIS ? "" : name[variable->divisor],
                    parts[2]);
}
