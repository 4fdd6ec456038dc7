/* SPDX-License-Identifier: BSD-3-Clause */
/* ProlongRestrict.c: compute cells of a finer level by limited linear interpolation, and
 * cells of a coarser level as means of four fine cells.
 *
 * Slopes are limited by van Leer's monotonized central limiter, component by component:
 * no fine value exceeds the neighbours of its coarse cell along the axes. At an end of
 * the domain the slope is zero. The mean of the four fine cells is the coarse cell, so
 * interpolation is conservative.
 *
 * Density, momentum and energy that are limited separately can still give a negative
 * pressure together. In a field of 5 components, which are assumed to be those of
 * euler.h, a coarse cell gets zero slopes in all components if one of its four fine cells
 * would have a density or an internal energy that is not positive. No gas is needed for
 * this test: the pressure has the sign of the internal energy for any gamma above 1. All
 * four cells are tested, also outside the rectangle, so that the result does not depend
 * on patches. */
#include <errno.h>
#include <math.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/mesh_port.h"
#include "ports/prolong_restrict_port_signature.h"

enum { COMPONENTS_MAX = 64, RATIO = 2 };

struct icc {
    struct prolong_restrict_port port;
};

/* Differences between a coarse cell and its fine cells, for each component: -x or +x in
 * direction x, and -y or +y in direction y. */
struct slopes {
    double x[COMPONENTS_MAX], y[COMPONENTS_MAX];
};

/* --- Prolong --------------------------------------------------------------- */

/* Compute van Leer's monotonized central slope from the differences to both neighbours.
 */
static double slope_limit(double low, double high)
{
    double middle = .5 * (low + high), most, least;

    if (!(low * high > 0.))
        return 0.;
    least = fabs(low) < fabs(high) ? fabs(low) : fabs(high);
    most = 2. * least;
    return fabs(middle) < most ? middle : copysign(most, middle);
}

/* Compute the slopes of the coarse cell at `at`. */
static void slopes_find(const double *at, const struct prolong_restrict_cells *coarse,
                        int components, int has_x, int has_y, struct slopes *s)
{
    for (int c = 0; c < components; c++, at += coarse->plane) {
        const double *low = at - coarse->pitch, *high = at + coarse->pitch;

        s->x[c] = has_x ? .25 * slope_limit(at[0] - at[-1], at[1] - at[0]) : 0.;
        s->y[c] = has_y ? .25 * slope_limit(at[0] - *low, *high - at[0]) : 0.;
    }
}

/* Return the value of a fine cell. `high_x`, `high_y`: true if it is in the upper half of
 * its coarse cell. */
static double fine_value(double u, const struct slopes *s, int c, int high_x, int high_y)
{
    return u + ((high_x ? s->x[c] : -s->x[c]) + (high_y ? s->y[c] : -s->y[c]));
}

/* True if a fine cell has positive density and internal energy. */
static int fine_is_gas(const double *at, ptrdiff_t plane, const struct slopes *s,
                       int high_x, int high_y)
{
    double u[EULER_NVAR];

    for (int c = 0; c < EULER_NVAR; c++)
        u[c] = fine_value(at[c * plane], s, c, high_x, high_y);
    return u[EULER_RHO] > 0. &&
           u[EULER_P] - .5 * (u[EULER_U] * u[EULER_U] + u[EULER_V] * u[EULER_V]) /
                            u[EULER_RHO] >
               0.;
}

static void slopes_check(const double *at, ptrdiff_t plane, struct slopes *s)
{
    for (int quarter = 0; quarter < 4; quarter++)
        if (!fine_is_gas(at, plane, s, quarter & 1, quarter >> 1)) {
            for (int c = 0; c < EULER_NVAR; c++)
                s->x[c] = s->y[c] = 0.;
            return;
        }
}

/* Write the fine cells i0 <= i < i1, j0 <= j < j1 of a coarse cell, where i and j are 0
 * or 1. `to` is its fine cell (0, 0), which may be outside the rectangle. */
static void cell_write(const double *at, ptrdiff_t coarse_plane, const struct slopes *s,
                       int components, const int i_of[2], const int j_of[2], double *to,
                       const struct prolong_restrict_cells *fine)
{
    for (int c = 0; c < components; c++)
        for (int j = j_of[0]; j < j_of[1]; j++)
            for (int i = i_of[0]; i < i_of[1]; i++)
                to[c * fine->plane + j * fine->pitch + i] =
                    fine_value(at[c * coarse_plane], s, c, i, j);
}

/* Along one axis a coarse cell has two fine cells. Find out which of the two in coarse
 * cell `k` of `n` belong to the rectangle, which begins at fine cell `odd` and has
 * `cells`. */
static void halves_find(int k, int odd, int cells, int halves[2])
{
    int last = odd + cells - RATIO * k;

    halves[0] = k ? 0 : odd;
    halves[1] = last < RATIO ? last : RATIO;
}

static void target_compute(const struct prolong_restrict_target *t, int components)
{
    const struct prolong_restrict_cells *coarse = &t->coarse, *fine = &t->fine;
    int odd_x = t->place.odd_x, odd_y = t->place.odd_y;
    int columns = (odd_x + t->nx + 1) / RATIO, rows = (odd_y + t->ny + 1) / RATIO;
    unsigned ends = t->place.ends;
    struct slopes s;

    for (int j = 0; j < rows; j++) {
        int has_y = !((j == 0 && ends >> MESH_YLO & 1) ||
                      (j == rows - 1 && ends >> MESH_YHI & 1));
        int j_of[2];

        halves_find(j, odd_y, t->ny, j_of);
        for (int i = 0; i < columns; i++) {
            const double *at = coarse->at + j * coarse->pitch + i;
            int has_x = !((i == 0 && ends >> MESH_XLO & 1) ||
                          (i == columns - 1 && ends >> MESH_XHI & 1));
            int i_of[2];

            halves_find(i, odd_x, t->nx, i_of);
            slopes_find(at, coarse, components, has_x, has_y, &s);
            if (components == EULER_NVAR)
                slopes_check(at, coarse->plane, &s);
            cell_write(at, coarse->plane, &s, components, i_of, j_of,
                       fine->at + (RATIO * j - odd_y) * fine->pitch + RATIO * i - odd_x,
                       fine);
        }
    }
}

static int icc_prolong(struct prolong_restrict_port *self, int64_t cells, int count,
                       int components, const struct prolong_restrict_target *targets)
{
    (void)self;
    (void)cells;
    if (count < 0 || components < 1 || components > COMPONENTS_MAX)
        return -EINVAL;
    for (int k = 0; k < count; k++) {
        if (targets[k].nx < 0 || targets[k].ny < 0)
            return -EINVAL;
        target_compute(&targets[k], components);
    }
    return 0;
}

/* --- Restrict -------------------------------------------------------------- */

/* Compute means of four cells. Cells on a diagonal are added first, so that a transposed
 * field gives the same bits. */
static void row_average(const double *low, const double *high, double *mean, int n)
{
    for (int i = 0; i < n; i++)
        mean[i] = .25 * ((low[2 * i] + high[2 * i + 1]) + (low[2 * i + 1] + high[2 * i]));
}

static int icc_restrict(struct prolong_restrict_port *self, int nx, int ny,
                        int components, const struct prolong_restrict_cells *fine,
                        const struct prolong_restrict_cells *coarse)
{
    (void)self;
    for (int c = 0; c < components; c++)
        for (int j = 0; j < ny; j++) {
            const double *low = fine->at + c * fine->plane + RATIO * j * fine->pitch;

            row_average(low, low + fine->pitch,
                        coarse->at + c * coarse->plane + j * coarse->pitch, nx);
        }
    return 0;
}

static const struct prolong_restrict_port port = {
    .base = {PROLONG_RESTRICT_PORT_TYPE, sizeof port},
    .prolong = icc_prolong,
    .restrict_cells = icc_restrict,
};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct icc),
    .name = "ProlongRestrict",
    .summary = "cells between two levels: limited linear interpolation, means",
    CCA_SIGNATURES(PROLONG_RESTRICT_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"prolong_restrict", offsetof(struct icc, port), &port.base}),
};
