/* SPDX-License-Identifier: BSD-3-Clause */
/* least.c: fit the next segment by least squares, limited by the largest error.
 *
 * A line through the centre of its points has one parameter, its slope. The slopes that
 * keep all values within eps form an interval, and the best of them is the least-squares
 * slope, clipped to the interval. If such a line exists for some number of cells, there
 * need not be one for fewer cells; but there is none for more cells than the rule slide
 * can cover, so the search begins at that number and goes down. */
#include "mesh/pack/fit.h"

#include <math.h>

/* Lines whose sum equals the sum of the values less the owed error (struct mesh_fit). */
struct middle {
    double mean;   /* value of all these lines at the centre of the cells */
    double slope;  /* least-squares slope */
    double lo, hi; /* interval of slopes that keep all values within eps; lo > hi:
                    * empty */
};

static struct middle middle_of(const float *y, size_t cells, double eps, double owed)
{
    struct middle m = {-owed, 0, -INFINITY, INFINITY};
    double n = (double)cells, products = 0;

    for (size_t i = 0; i < cells; i++)
        m.mean += (double)y[i];
    m.mean /= n;
    if (cells % 2 && fabs((double)y[cells / 2] - m.mean) > eps)
        m.hi = -INFINITY;
    for (size_t i = 0; i < cells / 2 && m.lo <= m.hi; i++) {
        double away = (n - 1) / 2 - (double)i;
        double left = m.mean - (double)y[i], right = (double)y[cells - 1 - i] - m.mean;
        double hi = ((left < right ? left : right) + eps) / away;
        double lo = ((left < right ? right : left) - eps) / away;

        m.hi = hi < m.hi ? hi : m.hi;
        m.lo = lo > m.lo ? lo : m.lo;
        products += away * (left + right);
    }
    m.slope = products / (n * (n * n - 1) / 12);
    return m;
}

static int middle_line(const struct middle *m, double slope, const float *y, double eps,
                       struct mesh_segment *s, double *sum)
{
    double rise = slope * (double)(s->cells - 1) / 2;

    s->kind = MESH_SEGMENT_LINE;
    s->a = (float)(m->mean - rise);
    s->b = (float)(m->mean + rise);
    return mesh_segment_holds(s, y, eps, sum);
}

/* Return the least-squares slope, moved into the interval and away from its ends by at
 * least the fraction `part` of its length: at an end an error is exactly eps, and the
 * rounding of the segment could increase it. */
static double inner_slope(const struct middle *m, double part)
{
    double lo = m->lo + part * (m->hi - m->lo), hi = m->hi - part * (m->hi - m->lo);

    return m->slope < lo ? lo : m->slope > hi ? hi : m->slope;
}

/* Fit y[0 .. s->cells - 1], at least 2 cells, so that no error is owed afterwards.
 * Returns whether that is possible; *sum: sum of the errors. */
static int fit_middle(const float *y, double eps, double owed, struct mesh_segment *s,
                      double *sum)
{
    struct middle m = middle_of(y, s->cells, eps, owed);

    if (!(m.lo <= m.hi))
        return 0;
    if (m.lo <= 0 && m.hi >= 0) {
        s->kind = MESH_SEGMENT_LEVEL;
        s->a = (float)m.mean;
        if (mesh_segment_holds(s, y, eps, sum))
            return 1;
    }
    return middle_line(&m, inner_slope(&m, 0), y, eps, s, sum) ||
           middle_line(&m, inner_slope(&m, .01), y, eps, s, sum) ||
           middle_line(&m, inner_slope(&m, .5), y, eps, s, sum);
}

/* Fit the s->cells cells that one line can cover (rule slide), by the line with slope
 * `slope` that leaves the smallest owed error. */
static int fit_owing(const float *y, double eps, double slope, double owed,
                     struct mesh_segment *s, double *sum)
{
    double least = INFINITY, greatest = -INFINITY, mean = 0, n = (double)s->cells, base;

    for (size_t i = 0; i < s->cells; i++) {
        double d = (double)y[i] - slope * (double)i;

        mean += d;
        least = d < least ? d : least;
        greatest = d > greatest ? d : greatest;
    }
    base = (mean - owed) / n;
    base = base < greatest - eps ? greatest - eps : base;
    base = base > least + eps ? least + eps : base;
    for (int central = 0; central < 2; central++) {
        s->kind = MESH_SEGMENT_LINE;
        s->a = (float)base;
        s->b = (float)(base + slope * (n - 1));
        if (mesh_segment_holds(s, y, eps, sum))
            return 1;
        base = least + (greatest - least) / 2;
    }
    return 0;
}

/* Fit one or two cells, shifted by as much of the owed error as eps allows. */
static struct mesh_segment fit_short(const float *y, size_t left, double eps, double owed,
                                     double *sum)
{
    struct mesh_segment exact = mesh_short_line(y, left), s = exact;
    double most = .99 * eps, move = owed / (double)exact.cells;

    move = move > most ? most : move < -most ? -most : move;
    s.a = (float)((double)s.a - move);
    s.b = (float)((double)s.b - move);
    *sum = 0;
    return owed != 0 && mesh_segment_holds(&s, y, eps, sum) ? s : exact;
}

/* Whether the error `owed` is acceptable after a segment: it is not larger than `before`
 * the segment, or another segment of this length can compensate it; and the `behind`
 * remaining cells can compensate it. Lines of maximal length can usually be shifted by a
 * quarter of the bound. */
static int may_owe(double owed, double before, double eps, size_t cells, size_t behind)
{
    double most = fabs(owed) <= fabs(before) ? fabs(owed) : eps / 4 * (double)cells;

    return fabs(owed) <= most && fabs(owed) <= eps / 4 * (double)behind;
}

/* Fit this number of cells by a line through the centre, which compensates the owed
 * error, or keeps it. */
static int fit_kept(const float *y, size_t left, double eps, double owed,
                    struct mesh_segment *s, double *sum)
{
    return fit_middle(y, eps, owed, s, sum) ||
           (owed != 0 && may_owe(owed, owed, eps, s->cells, left - s->cells) &&
            fit_middle(y, eps, 0, s, sum));
}

struct mesh_segment mesh_fit_least(const float *y, size_t left, double eps,
                                   struct mesh_fit *fit)
{
    enum { ONE_BY_ONE = 8 };
    struct mesh_segment s = {.kind = MESH_SEGMENT_LINE};
    double from, to, sum = 0, owed = fabs(fit->owed) > fit->slack ? fit->owed : 0;
    size_t reach = mesh_slide_reach(y, left, eps, &from, &to), tries = 0;
    size_t clearly_shorter = reach - 1 - reach / 16;

    for (s.cells = reach; s.cells > 2; tries++) {
        if (fit_kept(y, left, eps, owed, &s, &sum))
            break;
        s.cells -= tries < ONE_BY_ONE || s.cells < 20 ? 1 : 1 + s.cells / 16;
        if (s.cells <= clearly_shorter) {
            struct mesh_segment owing = {.cells = reach};
            double slope = (to - from) / (double)(reach - 1);

            clearly_shorter = 0;
            if (fit_owing(y, eps, slope, owed, &owing, &sum) &&
                may_owe(fit->owed + sum, fit->owed, eps, reach, left - reach)) {
                s = owing;
                break;
            }
        }
    }
    if (s.cells <= 2)
        s = fit_short(y, left, eps, owed, &sum);
    fit->owed += sum;
    return s;
}
