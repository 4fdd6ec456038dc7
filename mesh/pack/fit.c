/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c: the next segment by least squares, by its RMS, by swing and by slide.
 *
 * The ends of a segment are rounded to floats; so each rule but that of the RMS looks at
 * the values as they will be decoded before it says yes. */
#include "mesh/pack/fit.h"

#include <math.h>

int mesh_segment_holds(const struct mesh_segment *s, const float *y, double eps)
{
    double worst = 0;

    for (size_t i = 0; i < s->cells; i++) {
        double error = fabs((double)mesh_segment_value(s, i) - (double)y[i]);

        if (!(error <= eps))
            return 0;
        worst = error > worst ? error : worst;
    }
    return worst <= eps;
}

/* One or two cells: a line through both. */
static struct mesh_segment short_line(const float *y, size_t left)
{
    if (left < 2 || y[0] == y[1])
        return (struct mesh_segment){MESH_SEGMENT_LEVEL, left < 2 ? 1 : 2, y[0], 0};
    return (struct mesh_segment){MESH_SEGMENT_LINE, 2, y[0], y[1]};
}

/* What lines through the middle of some points may do. */
struct middle {
    double mean;   /* of the values: every line is told by it and the slope */
    double slope;  /* of least squares */
    double lo, hi; /* slopes that keep all values within eps; lo > hi: none does */
};

/* Two points as far from the middle on either side bound the slope alike. */
static struct middle middle_of(const float *y, size_t cells, double eps)
{
    struct middle m = {0, 0, -INFINITY, INFINITY};
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
                       struct mesh_segment *s)
{
    double rise = slope * (double)(s->cells - 1) / 2;

    s->kind = MESH_SEGMENT_LINE;
    s->a = (float)(m->mean - rise);
    s->b = (float)(m->mean + rise);
    return mesh_segment_holds(s, y, eps);
}

/* Fit y[0 .. s->cells - 1], at least 3 cells. Returns whether that can be. */
static int fit_middle(const float *y, double eps, struct mesh_segment *s)
{
    struct middle m = middle_of(y, s->cells, eps);
    double slope = m.slope < m.lo ? m.lo : m.slope > m.hi ? m.hi : m.slope;

    if (!(m.lo <= m.hi))
        return 0;
    if (m.lo <= 0 && m.hi >= 0) {
        s->kind = MESH_SEGMENT_LEVEL;
        s->a = (float)m.mean;
        if (mesh_segment_holds(s, y, eps))
            return 1;
    }
    return middle_line(&m, slope, y, eps, s) ||
           middle_line(&m, (m.lo + m.hi) / 2, y, eps, s);
}

/* That a line through the middle exists for some cells does not mean that one exists for
 * fewer; none exists for more than slide reaches. So it is sought from there downwards.
 */
struct mesh_segment mesh_fit_least(const float *y, size_t left, double eps,
                                   const float *last)
{
    enum { ONE_BY_ONE = 8 };
    struct mesh_segment s = {.kind = MESH_SEGMENT_LINE};
    double from, to;
    size_t tries = 0;

    (void)last;
    s.cells = mesh_slide_reach(y, left, eps, &from, &to);
    while (s.cells > 2) {
        if (fit_middle(y, eps, &s))
            return s;
        tries++;
        s.cells -= tries < ONE_BY_ONE ? 1 : 1 + s.cells / 16;
    }
    return short_line(y, left);
}

struct mesh_segment mesh_fit_rms(const float *y, size_t left, double eps,
                                 const float *last)
{
    struct mesh_segment s = short_line(y, left);
    /* Sums of y - y[0], its square, and times the cell's number. */
    double sum = 0, squares = 0, products = 0;

    (void)last;
    for (size_t i = 1; i < left && i < MESH_SEGMENT_CELLS; i++) {
        double d = (double)y[i] - (double)y[0], n = (double)(i + 1), x = (double)i;
        double mean, slope, rest, rise;

        sum += d;
        squares += d * d;
        products += d * x;
        mean = sum / n;
        slope = (products - sum * x / 2) / (n * (n * n - 1) / 12);
        rest = squares - sum * mean - slope * (products - sum * x / 2);
        if (i > 1 && rest > eps * eps * n)
            break;
        if (i == 1)
            continue;
        rise = slope * x / 2;
        s = (struct mesh_segment){MESH_SEGMENT_LINE, i + 1,
                                  (float)((double)y[0] + mean - rise),
                                  (float)((double)y[0] + mean + rise)};
    }
    return s;
}

/* Slope of least squares of lines through (-1, last), kept between lo and hi. */
static double swing_slope(double products, size_t cells, double lo, double hi)
{
    double n = (double)cells, slope = products / (n * (n + 1) * (2 * n + 1) / 6);

    return slope < lo ? lo : slope > hi ? hi : slope;
}

struct mesh_segment mesh_fit_swing(const float *y, size_t left, double eps,
                                   const float *last)
{
    struct mesh_segment s = {MESH_SEGMENT_LEVEL, 1, y[0], 0};
    double lo = -INFINITY, hi = INFINITY, products = 0, base;
    size_t cells = 0;

    if (!last)
        return s;
    base = (double)*last;
    for (; cells < left && cells < MESH_SEGMENT_CELLS; cells++) {
        double x = (double)(cells + 1), d = (double)y[cells] - base;
        double next_lo = (d - eps) / x, next_hi = (d + eps) / x;

        if (next_lo > hi || next_hi < lo)
            break;
        lo = next_lo > lo ? next_lo : lo;
        hi = next_hi < hi ? next_hi : hi;
        products += x * d;
    }
    for (s = (struct mesh_segment){MESH_SEGMENT_JOINED, cells, *last, 0}; s.cells > 1;
         s.cells -= 1 + s.cells / 16) {
        s.b = (float)(base + swing_slope(products, s.cells, lo, hi) * (double)s.cells);
        if (mesh_segment_holds(&s, y, eps))
            return s;
        s.b = (float)(base + (lo + hi) / 2 * (double)s.cells);
        if (mesh_segment_holds(&s, y, eps))
            return s;
    }
    s.cells = 1;
    s.b = y[0];
    return s;
}

struct mesh_segment mesh_fit_slide(const float *y, size_t left, double eps,
                                   const float *last)
{
    struct mesh_segment s = {.kind = MESH_SEGMENT_LINE};
    float least = y[0], greatest = y[0];
    double from, to;

    (void)last;
    s.cells = mesh_slide_reach(y, left, eps, &from, &to);
    for (size_t i = 1; i < s.cells; i++) {
        least = y[i] < least ? y[i] : least;
        greatest = y[i] > greatest ? y[i] : greatest;
    }
    for (; s.cells > 2; s.cells = mesh_slide_reach(y, s.cells - 1, eps, &from, &to)) {
        struct mesh_segment level = {
            MESH_SEGMENT_LEVEL, s.cells,
            (float)((double)least + ((double)greatest - (double)least) / 2), 0};

        if (mesh_segment_holds(&level, y, eps))
            return level;
        s.a = (float)from;
        s.b = (float)to;
        if (mesh_segment_holds(&s, y, eps))
            return s;
    }
    return short_line(y, left);
}
