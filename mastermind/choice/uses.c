/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.c: lines of cost in the number of uses, and where two of them cross. */
#include "mastermind/choice/uses.h"

#include <errno.h>
#include <math.h>

#include "common/statistics.h"

/* Probability that F with `count` and `freedom` degrees of freedom exceeds `ratio`. */
static double tail_of_f(double ratio, double count, double freedom)
{
    double much = fmin(freedom, 1e6), x = much / (much + count * ratio);

    return cca_beta(much / 2, count / 2, x, 1 - x);
}

/* Set how well the line fits, and let a misfit widen the variances. */
static void judge_fit(const struct mm_use_point *points, size_t count,
                      struct mm_use_line *line)
{
    double squares = 0, over;

    line->largest = 0;
    for (size_t i = 0; i < count; i++) {
        double apart = points[i].cost - line->setup - line->use * points[i].uses;

        squares += apart * apart / (points[i].sd * points[i].sd);
        line->largest = fmax(line->largest, fabs(apart) / points[i].cost);
    }
    line->misfit = NAN;
    if (count < 3)
        return;
    over = squares / (double)(count - 2);
    line->misfit = tail_of_f(over, (double)(count - 2), line->freedom);
    if (over > 1) {
        line->setup_var *= over;
        line->use_var *= over;
        line->covariance *= over;
    }
}

int mm_use_line_fit(const struct mm_use_point *points, size_t count, double freedom,
                    struct mm_use_line *line)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;

    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (points[i].sd * points[i].sd);

        w += weight;
        x += weight * points[i].uses;
        y += weight * points[i].cost;
    }
    if (!(w > 0))
        return -ENODATA;
    x /= w;
    y /= w;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (points[i].sd * points[i].sd), apart = points[i].uses - x;

        xx += weight * apart * apart;
        xy += weight * apart * (points[i].cost - y);
    }
    if (!(xx > 1e-12 * w * (1 + x * x)))
        return -ENODATA;
    *line = (struct mm_use_line){.use = xy / xx,
                                 .setup = y - xy / xx * x,
                                 .use_var = 1 / xx,
                                 .setup_var = 1 / w + x * x / xx,
                                 .covariance = -x / xx,
                                 .freedom = freedom};
    judge_fit(points, count, line);
    return 0;
}

double mm_use_line_at(const struct mm_use_line *line, double uses, double *sd)
{
    *sd = sqrt(fmax(
        line->setup_var + 2 * uses * line->covariance + uses * uses * line->use_var, 0));
    return line->setup + uses * line->use;
}

/* The costs differ by d0 + k d1, with the variance v0 + 2 k c + k^2 v1; the interval is
 * where the square of the first is at most t^2 times the second. */
int mm_use_break_even(const struct mm_use_line *few, const struct mm_use_line *many,
                      double level, struct mm_break_even *even)
{
    double d0 = many->setup - few->setup, d1 = many->use - few->use;
    double t = cca_student_quantile((1 + level) / 2, fmin(few->freedom, many->freedom));
    double a = d1 * d1 - t * t * (few->use_var + many->use_var);
    double b = d0 * d1 - t * t * (few->covariance + many->covariance);
    double c = d0 * d0 - t * t * (few->setup_var + many->setup_var);
    double root = sqrt(fmax(b * b - a * c, 0));

    if (!(d1 < 0))
        return -ENODATA;
    even->uses = -d0 / d1;
    if (a > 0) {
        even->low = (-b - root) / a;
        even->high = (-b + root) / a;
    } else { /* a use may cost the same: the costs need not cross at all */
        even->low = b * b > a * c ? (-b - root) / a : 0;
        even->high = INFINITY;
        if (even->low > even->uses)
            even->low = 0;
    }
    even->low = fmax(even->low, 0);
    return 0;
}
