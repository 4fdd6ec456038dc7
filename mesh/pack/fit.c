/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c: fit the next segment by the rules RMS, swing and slide.
 *
 * The ends of a segment are rounded to floats; so each rule except RMS checks the values
 * as they will be decoded before it accepts a segment. */
#include "mesh/pack/fit.h"

#include <math.h>

int mesh_segment_holds(const struct mesh_segment *s, const float *y, double eps,
                       double *sum)
{
    double errors = 0;

    for (size_t i = 0; i < s->cells; i++) {
        double error = (double)mesh_segment_value(s, i) - (double)y[i];

        if (!(fabs(error) <= eps))
            return 0;
        errors += error;
    }
    if (sum)
        *sum = errors;
    return 1;
}

struct mesh_segment mesh_short_line(const float *y, size_t left)
{
    if (left < 2 || y[0] == y[1])
        return (struct mesh_segment){MESH_SEGMENT_LEVEL, left < 2 ? 1 : 2, y[0], 0};
    return (struct mesh_segment){MESH_SEGMENT_LINE, 2, y[0], y[1]};
}

struct mesh_segment mesh_fit_rms(const float *y, size_t left, double eps,
                                 struct mesh_fit *fit)
{
    struct mesh_segment s = mesh_short_line(y, left);
    /* sums of d = y - y[0], of d * d, and of d * index of the cell */
    double sum = 0, squares = 0, products = 0;

    (void)fit;
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

/* Return the least-squares slope of lines through the point (-1, last), limited to lo ..
 * hi. */
static double swing_slope(double products, size_t cells, double lo, double hi)
{
    double n = (double)cells, slope = products / (n * (n + 1) * (2 * n + 1) / 6);

    return slope < lo ? lo : slope > hi ? hi : slope;
}

struct mesh_segment mesh_fit_swing(const float *y, size_t left, double eps,
                                   struct mesh_fit *fit)
{
    struct mesh_segment s = {MESH_SEGMENT_LEVEL, 1, y[0], 0};
    double lo = -INFINITY, hi = INFINITY, products = 0, base;
    size_t cells = 0;

    if (!fit->begun)
        return s;
    base = (double)fit->last;
    for (; cells < left && cells < MESH_SEGMENT_CELLS; cells++) {
        double x = (double)(cells + 1), d = (double)y[cells] - base;
        double next_lo = (d - eps) / x, next_hi = (d + eps) / x;

        if (next_lo > hi || next_hi < lo)
            break;
        lo = next_lo > lo ? next_lo : lo;
        hi = next_hi < hi ? next_hi : hi;
        products += x * d;
    }
    for (s = (struct mesh_segment){MESH_SEGMENT_JOINED, cells, fit->last, 0}; s.cells > 1;
         s.cells -= 1 + s.cells / 16) {
        s.b = (float)(base + swing_slope(products, s.cells, lo, hi) * (double)s.cells);
        if (mesh_segment_holds(&s, y, eps, NULL))
            return s;
        s.b = (float)(base + (lo + hi) / 2 * (double)s.cells);
        if (mesh_segment_holds(&s, y, eps, NULL))
            return s;
    }
    s.cells = 1;
    s.b = y[0];
    return s;
}

/* Among the lines with this slope choose the line with the smallest maximum error. */
static void central_line(const float *y, double slope, struct mesh_segment *s)
{
    double least = INFINITY, greatest = -INFINITY, base;

    for (size_t i = 0; i < s->cells; i++) {
        double d = (double)y[i] - slope * (double)i;

        least = d < least ? d : least;
        greatest = d > greatest ? d : greatest;
    }
    base = least + (greatest - least) / 2;
    s->kind = slope == 0 ? MESH_SEGMENT_LEVEL : MESH_SEGMENT_LINE;
    s->a = (float)base;
    s->b = (float)(base + slope * (double)(s->cells - 1));
}

struct mesh_segment mesh_fit_slide(const float *y, size_t left, double eps,
                                   struct mesh_fit *fit)
{
    struct mesh_segment s = {.cells = left};
    double from, to;

    (void)fit;
    while ((s.cells = mesh_slide_reach(y, s.cells, eps, &from, &to)) > 2) {
        central_line(y, 0, &s);
        if (mesh_segment_holds(&s, y, eps, NULL))
            return s;
        central_line(y, (to - from) / (double)(s.cells - 1), &s);
        if (mesh_segment_holds(&s, y, eps, NULL))
            return s;
        s.cells--;
    }
    return mesh_short_line(y, left);
}
