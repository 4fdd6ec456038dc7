/* SPDX-License-Identifier: BSD-3-Clause */
/* steep.c: steep powers, beyond the extents of a mesh, accepted if larger runs confirm
 * them.
 *
 * Calls of a mesh with k extents grow as their product times the number of steps, one
 * power more. Steeper scaling functions fit a few runs by chance, and go far wrong beyond
 * them. */
#include <math.h>

#include "mastermind/counts/laws/trend.h"
#include "mastermind/counts/laws/parts.h"

/* an exponent may exceed its limit by this much, because of a logarithm or a rounded
 * quotient */
#define SLACK .35
/* a steep form wins if its error is at most this share of a plainer form's error */
#define BY_FAR .2
#define LEAST_ERROR .02 /* scatter below which errors prove no form */
#define TESTS 2         /* least number of sizes predicted from smaller ones */

/* Squared correlation of the logarithms of two axes (parameters) over the runs. */
static double correlation(const struct mm_law_data *data, size_t a, size_t b)
{
    double n = (double)data->runs, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, both;

    for (size_t i = 0; i < data->runs; i++) {
        double x = log(data->x[i * data->axes + a]);
        double y = log(data->x[i * data->axes + b]);

        sx += x;
        sy += y;
        sxx += x * x;
        syy += y * y;
        sxy += x * y;
    }
    both = (n * sxx - sx * sx) * (n * syy - sy * sy);
    return both > 0 && n * sxy > sx * sy ? pow(n * sxy - sx * sy, 2) / both : 0;
}

static int is_extent(const struct mm_law_data *data, size_t axis)
{
    return !data->is_driver[axis] && data->varies[axis] && data->is_positive[axis];
}

/* Double in `x` the values of an axis and of the axes that grow with it. Returns the
 * number of these axes; 0 if the axis grows with an earlier one, which counts in its
 * place. */
static size_t double_axes(const struct mm_law_data *data, size_t axis, double *x)
{
    size_t count = 0;

    for (size_t b = 0; b < data->axes; b++) {
        if (!is_extent(data, b) ||
            (b != axis && correlation(data, axis, b) < MM_LAW_IN_STEP))
            continue;
        if (b < axis)
            return 0;
        x[b] *= 2;
        count++;
    }
    return count;
}

/* Logarithm of a term of a sum, or of a whole product, at given variables. */
static double term_log(const struct mm_law_member *member, size_t term,
                       const double *variable)
{
    double sum = 0;

    if (member->is_sum)
        return log(fabs(mm_basis_value(&member->basis[term], variable)));
    for (size_t k = 1; k < member->columns; k++)
        sum += member->a[k] *
               mm_law_shape_value(member->shape[k], variable[member->variable[k]]);
    for (size_t k = 0; k < member->fixed_count; k++)
        sum += log(variable[member->fixed[k]]);
    return sum;
}

static int term_has_driver(const struct mm_law_data *data,
                           const struct mm_law_member *member, size_t term)
{
    int has = 0;

    if (member->is_sum) {
        for (size_t f = 0; f < member->basis[term].factors; f++)
            has |= data->variable[member->basis[term].factor[f].parameter].is_driver;
        return has;
    }
    for (size_t k = 1; k < member->columns; k++)
        has |= data->variable[member->variable[k]].is_driver;
    for (size_t k = 0; k < member->fixed_count; k++)
        has |= data->variable[member->fixed[k]].is_driver;
    return has;
}

int mm_law_member_is_steep(const struct mm_law_data *data,
                           const struct mm_law_member *member)
{
    const double *last = data->x + (data->runs - 1) * data->axes;
    double before[MM_LAW_VARIABLES], after[MM_LAW_VARIABLES], x[MM_LAW_AXES];
    size_t terms = member->is_sum ? member->columns : 1;

    mm_law_data_variables(data, last, before);
    for (size_t axis = 0; axis < data->axes; axis++) {
        size_t extents = 0;

        for (size_t k = 0; k < data->axes; k++)
            x[k] = last[k];
        if (is_extent(data, axis))
            extents = double_axes(data, axis, x);
        if (!extents)
            continue;
        mm_law_data_variables(data, x, after);
        for (size_t v = 0; v < data->variables; v++)
            if (data->variable[v].kind == MM_LAW_EXP2) /* a number of levels is not a
                                                          size */
                after[v] = before[v];
        for (size_t t = 0; t < terms; t++) {
            double power =
                (term_log(member, t, after) - term_log(member, t, before)) / log(2);
            size_t most = extents + !term_has_driver(data, member, t);

            if (power > (double)most + SLACK)
                return 1;
        }
    }
    return 0;
}

int mm_law_wins_by_far(double ahead, double plain)
{
    return ahead < BY_FAR * plain && plain > LEAST_ERROR;
}

/* Add the steep members that predict larger runs far better than all plain members; add
 * all steep members if there is no plain one. */
void mm_law_trend_prove(struct mm_law_trend *trend)
{
    double plain = INFINITY;

    for (size_t i = 0; i < trend->count; i++)
        if (trend->member[i].tests >= TESTS)
            plain = fmin(plain, trend->member[i].ahead);
    for (size_t i = 0; i < trend->steep_count; i++)
        if (!trend->count || (trend->steep[i].tests >= TESTS &&
                              mm_law_wins_by_far(trend->steep[i].ahead, plain)))
            mm_law_keep_member(trend->member, &trend->count, MM_LAW_MEMBERS,
                               &trend->steep[i]);
}
