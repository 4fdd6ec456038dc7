/* SPDX-License-Identifier: BSD-3-Clause */
/* variables.c: variables of formulas that the runs have enough values for. */
#include <math.h>

#include "mastermind/counts/laws/data.h"

#define MOST_EXPONENT 8 /* largest exponent of a power of two (2^a) */

/* Prices: a rarer variable needs more counts as evidence. They are bits of a prefix code,
 * plus the bits of the choice among variables of a kind. */
static const struct {
    double bits, rank;
} price[MM_LAW_KINDS] = {
    [MM_LAW_AXIS] = {.5, 0},   [MM_LAW_CEILING] = {2, 1},     [MM_LAW_EXP2] = {3, 1.5},
    [MM_LAW_INNER] = {3.5, 2}, [MM_LAW_REMAINDER] = {6, 2.5}, [MM_LAW_LEAST] = {7, 2},
    [MM_LAW_BORDER] = {11, 3}, [MM_LAW_PIECES] = {5, 3},      [MM_LAW_FLOOR] = {8, 3},
    [MM_LAW_MOST] = {8, 3},
};

/* Properties of an axis over the runs. */
static int is_whole(const struct mm_law_data *data, size_t axis)
{
    for (size_t i = 0; i < data->runs; i++) {
        double x = data->x[i * data->axes + axis];

        if (x != floor(x) || x < 0)
            return 0;
    }
    return !data->is_driver[axis];
}

static int set_values(struct mm_law_data *data, struct mm_law_variable *variable,
                      double *value)
{
    int varies = 0;

    variable->is_positive = 1;
    for (size_t i = 0; i < data->runs; i++) {
        value[i] = mm_law_variable_value(variable, data->x + i * data->axes);
        if (!isfinite(value[i]))
            return 0;
        varies |= value[i] != value[0];
        variable->is_positive &= value[i] > 0;
    }
    return varies;
}

static int is_axis(const struct mm_law_data *data, size_t axis, const double *value)
{
    for (size_t i = 0; i < data->runs; i++)
        if (value[i] != data->x[i * data->axes + axis])
            return 0;
    return 1;
}

/* List a variable if it varies and does not equal an axis (parameter) in all runs. */
static void add_variable(struct mm_law_data *data, struct mm_law_variable variable)
{
    double value[MM_LAW_RUNS];
    size_t most = variable.kind == MM_LAW_PIECES ? MM_LAW_VARIABLES : MM_LAW_FACTORS;

    variable.is_driver = data->is_driver[variable.axis];
    variable.bits = price[variable.kind].bits;
    variable.rank = price[variable.kind].rank;
    /* A size that is equal in all runs is rarely a divisor. */
    if (variable.divisor != MM_LAW_NO_AXIS && !data->varies[variable.divisor]) {
        variable.bits += 1;
        variable.rank += 1;
    }
    if (!data->matters[variable.axis] ||
        (variable.divisor != MM_LAW_NO_AXIS && !data->matters[variable.divisor]) ||
        data->variables >= most || !set_values(data, &variable, value))
        return;
    for (size_t k = 0; variable.kind != MM_LAW_AXIS && k < data->axes; k++)
        if (is_axis(data, k, value))
            return;
    data->variable[data->variables++] = variable;
}

/* True if `a` may be cut into pieces of `b`: both are whole numbers, and `a` is larger in
 * some run. A constant `b` must be above 1 and cannot cut a number that the solution
 * determines, because of many constants one matches the jumps of a few runs by chance. */
static int may_divide(const struct mm_law_data *data, size_t a, size_t b)
{
    if (a == b || !data->is_whole[a] || !data->is_whole[b] || !data->is_positive[a] ||
        (!data->varies[a] && !data->varies[b]) ||
        (!data->varies[b] && (data->x[b] <= 1 || data->is_rounded)))
        return 0;
    for (size_t i = 0; i < data->runs; i++)
        if (data->x[i * data->axes + a] > data->x[i * data->axes + b])
            return 1;
    return 0;
}

/* True if ceil(a/b) equals a/b in all runs. */
static int divides(const struct mm_law_data *data, size_t a, size_t b)
{
    for (size_t i = 0; i < data->runs; i++) {
        const double *x = data->x + i * data->axes;

        if (x[b] == 0 || x[a] / x[b] != floor(x[a] / x[b]))
            return 0;
    }
    return 1;
}

static int is_wanted(const struct mm_law_data *data, enum mm_law_variable_kind kind,
                     size_t a, size_t b)
{
    int both = a != b && data->is_whole[a] && data->is_whole[b] && data->is_positive[a] &&
               data->varies[a] && data->varies[b];

    switch (kind) {
    case MM_LAW_LEAST:
        return both && (a < b || !data->is_positive[b]);
    case MM_LAW_MOST:
        return both && a < b && data->is_positive[b];
    case MM_LAW_FLOOR:
        return may_divide(data, a, b) && data->is_positive[b] && !divides(data, a, b);
    default:
        return may_divide(data, a, b);
    }
}

static void add_pairs(struct mm_law_data *data, enum mm_law_variable_kind kind)
{
    for (size_t a = 0; a < data->axes; a++)
        for (size_t b = 0; b < data->axes; b++)
            if (is_wanted(data, kind, a, b))
                add_variable(data, (struct mm_law_variable){
                                       .kind = kind, .axis = a, .divisor = b});
}

/* True for an axis of small whole numbers without gaps, such as numbers of levels. */
static int is_counting(const struct mm_law_data *data, size_t axis)
{
    unsigned seen = 0;

    if (!data->varies[axis] || !data->is_whole[axis])
        return 0;
    for (size_t i = 0; i < data->runs; i++) {
        double x = data->x[i * data->axes + axis];

        if (x > MOST_EXPONENT)
            return 0;
        seen |= 1u << (unsigned)x;
    }
    while (!(seen & 1u))
        seen >>= 1;
    return (seen & (seen + 1)) == 0;
}

static void add_exponents(struct mm_law_data *data)
{
    for (size_t a = 0; a < data->axes; a++)
        if (is_counting(data, a))
            add_variable(data, (struct mm_law_variable){.kind = MM_LAW_EXP2,
                                                        .axis = a,
                                                        .divisor = MM_LAW_NO_AXIS});
}

/* Add sums over the pieces of a rectangle a by b: cells, and faces in both directions. */
static void add_pieces(struct mm_law_data *data, size_t a, size_t other, size_t divisor)
{
    static const int added[][2] = {{0, 0}, {1, 0}, {0, 1}};

    for (size_t f = 0; f < MM_LAW_PIECE_FUNCTIONS; f++)
        for (size_t d = 0; d < sizeof added / sizeof *added; d++)
            for (int uneven = 0; uneven <= (divisor != MM_LAW_NO_AXIS); uneven++)
                add_variable(data, (struct mm_law_variable){
                                       MM_LAW_PIECES, a, other, divisor,
                                       (enum mm_law_piece_function)f, added[d][0],
                                       added[d][1], uneven, 0, 0, 0, 0});
}

/* True where most runs cut length `a` into pieces of `b`. */
static int is_cut(const struct mm_law_data *data, size_t a, size_t b)
{
    size_t cut = 0;

    for (size_t i = 0; i < data->runs; i++)
        cut += data->x[i * data->axes + a] > data->x[i * data->axes + b];
    return 2 * cut > data->runs;
}

static int is_length(const struct mm_law_data *data, size_t a)
{
    return data->is_whole[a] && data->is_positive[a] && data->x[a] > 1;
}

/* True if at least one of two lengths varies. */
static int is_rectangle(const struct mm_law_data *data, size_t a, size_t other)
{
    return is_length(data, a) && is_length(data, other) &&
           (data->varies[a] || data->varies[other]);
}

/* Call `add` for each rectangle and each divisor of it. */
static void list_cuts(struct mm_law_data *data,
                      void (*add)(struct mm_law_data *data, size_t a, size_t other,
                                  size_t divisor))
{
    for (size_t a = 0; a < data->axes; a++)
        for (size_t other = a + 1; other < data->axes; other++)
            for (size_t b = 0; b < data->axes; b++)
                if (is_rectangle(data, a, other) && b != a && b != other &&
                    data->is_whole[b] && may_divide(data, a, b) &&
                    may_divide(data, other, b) &&
                    (is_cut(data, a, b) || is_cut(data, other, b)))
                    add(data, a, other, b);
}

static void add_border(struct mm_law_data *data, size_t a, size_t other, size_t divisor)
{
    add_variable(
        data, (struct mm_law_variable){
                  .kind = MM_LAW_BORDER, .axis = a, .other = other, .divisor = divisor});
}

static void list_pieces(struct mm_law_data *data)
{
    for (size_t a = 0; a < data->axes; a++)
        for (size_t other = a + 1; other < data->axes; other++)
            if (is_rectangle(data, a, other))
                add_pieces(data, a, other, MM_LAW_NO_AXIS);
    list_cuts(data, add_pieces);
}

/* Add to each variable the bits of the choice among variables of its kind. */
static void add_choices(struct mm_law_data *data)
{
    double count[MM_LAW_KINDS] = {0};

    for (size_t v = 0; v < data->variables; v++)
        count[data->variable[v].kind]++;
    for (size_t v = 0; v < data->variables; v++)
        data->variable[v].bits += log2(count[data->variable[v].kind]);
}

void mm_law_data_list(struct mm_law_data *data)
{
    static const enum mm_law_variable_kind pairs[] = {MM_LAW_CEILING,   MM_LAW_INNER,
                                                      MM_LAW_REMAINDER, MM_LAW_LEAST,
                                                      MM_LAW_FLOOR,     MM_LAW_MOST};

    for (size_t a = 0; a < data->axes; a++)
        data->is_whole[a] = is_whole(data, a);
    for (size_t a = 0; a < data->axes; a++)
        add_variable(data, (struct mm_law_variable){.kind = MM_LAW_AXIS,
                                                    .axis = a,
                                                    .divisor = MM_LAW_NO_AXIS});
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        add_pairs(data, pairs[k]);
        if (pairs[k] == MM_LAW_CEILING)
            add_exponents(data);
        if (pairs[k] == MM_LAW_INNER)
            list_cuts(data, add_border);
    }
    data->factors = data->variables;
    list_pieces(data);
    add_choices(data);
}

double mm_law_data_new_pieces(const struct mm_law_data *data, size_t a, size_t b,
                              const double *x)
{
    const struct mm_law_variable pieces = {
        .kind = MM_LAW_CEILING, .axis = a, .divisor = b};

    if (a == b || !data->is_whole[a] || !data->is_whole[b] || !data->is_positive[a] ||
        !data->varies[a] || !data->matters[b])
        return 1;
    for (size_t i = 0; i < data->runs; i++)
        if (mm_law_variable_value(&pieces, data->x + i * data->axes) > 1)
            return 1;
    return mm_law_variable_value(&pieces, x);
}
