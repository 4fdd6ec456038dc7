/* SPDX-License-Identifier: BSD-3-Clause */
/* slide.c: find how many cells one line can represent within a bound.
 *
 * O'Rourke (CACM 1981): each value is a vertical range y - eps .. y + eps. Two of all
 * lines through the ranges so far are kept, the steepest and the flattest; a range that
 * lies entirely above the first or below the second ends the segment. Each of these lines
 * rotates around a point of a convex hull: the steepest around the hull of the lower
 * ends, the flattest around that of the upper ends. Each point enters and leaves a hull
 * once, so a value takes constant time on average. */
#include "mesh/pack/fit.h"

/* A convex hull of range ends. `sign` is 1 for the upper side of the hull of the lower
 * ends; -1 for the hull of the upper ends, where all values are negated. */
struct hull {
    const float *y;
    double eps;
    int sign;
    int first, count;
    uint16_t at[MESH_SEGMENT_CELLS];
    /* The line that rotates around the hull: it has the value `base` at cell `anchor`. */
    int anchor;
    double base, slope;
};

/* Return the end of range i that belongs to the hull; the next function returns its
 * opposite end. Both are negated for sign -1. */
static inline double near_end(const struct hull *h, int i)
{
    return h->sign * (double)h->y[i] - h->eps;
}

static inline double far_end(const struct hull *h, int i)
{
    return h->sign * (double)h->y[i] + h->eps;
}

static inline double line_at(const struct hull *h, int i)
{
    return h->base + h->slope * (i - h->anchor);
}

static void hull_begin(struct hull *h, const float *y, double eps, int sign)
{
    h->y = y;
    h->eps = eps;
    h->sign = sign;
    h->first = 0;
    h->count = 2;
    h->at[0] = 0;
    h->at[1] = 1;
    h->anchor = 0;
    h->base = near_end(h, 0);
    h->slope = far_end(h, 1) - h->base;
}

/* Rotate the line so that it does not pass above the far end of range i. */
static void hull_turn(struct hull *h, int i)
{
    double far = far_end(h, i), slope, next;

    if (far >= line_at(h, i))
        return;
    slope = (far - near_end(h, h->at[h->first])) / (i - h->at[h->first]);
    while (h->first + 1 < h->count) {
        int q = h->at[h->first + 1];

        next = (far - near_end(h, q)) / (i - q);
        if (next > slope)
            break;
        slope = next;
        h->first++;
    }
    h->anchor = h->at[h->first];
    h->base = near_end(h, h->anchor);
    h->slope = slope;
}

static void hull_add(struct hull *h, int i)
{
    double end = near_end(h, i);

    while (h->count - h->first >= 2) {
        int p = h->at[h->count - 2], q = h->at[h->count - 1];
        double low = near_end(h, p);

        if ((near_end(h, q) - low) * (i - p) > (end - low) * (q - p))
            break;
        h->count--;
    }
    h->at[h->count++] = (uint16_t)i;
}

size_t mesh_slide_reach(const float *y, size_t left, double eps, double *from, double *to)
{
    struct hull steep, flat;
    int cells = left < MESH_SEGMENT_CELLS ? (int)left : MESH_SEGMENT_CELLS, i = 2;

    *from = *to = (double)y[0];
    if (cells < 2)
        return 1;
    hull_begin(&steep, y, eps, 1);
    hull_begin(&flat, y, eps, -1);
    for (; i < cells; i++) {
        if (near_end(&steep, i) > line_at(&steep, i) ||
            near_end(&flat, i) > line_at(&flat, i))
            break;
        hull_turn(&steep, i);
        hull_turn(&flat, i);
        hull_add(&steep, i);
        hull_add(&flat, i);
    }
    *from = (line_at(&steep, 0) - line_at(&flat, 0)) / 2;
    *to = (line_at(&steep, i - 1) - line_at(&flat, i - 1)) / 2;
    return (size_t)i;
}
