/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.c: compute the circulation in a band of cells around the interface, as a whole
 * and by rows. */
#include "components/CirculationGauge/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/euler.h"

/* Return component `c` of a cell per unit of mass: a velocity, or zeta. */
static double specific(const struct raster *r, int c, int64_t i, int64_t j)
{
    return raster_at(r, c, i, j) / raster_at(r, EULER_RHO, i, j);
}

static int64_t at_least(int64_t least, int64_t i)
{
    return i > least ? i : least;
}

static int64_t at_most(int64_t most, int64_t i)
{
    return i < most ? i : most;
}

static void band_mark(const struct raster *r, unsigned char *band)
{
    for (int64_t j = 0; j < r->ny; j++)
        for (int64_t i = 0; i < r->nx; i++) {
            double zeta = specific(r, EULER_ZETA, i, j);
            int64_t left = at_least(0, i - SHEET_MARGIN);
            int64_t right = at_most(r->nx - 1, i + SHEET_MARGIN);
            int64_t top = at_most(r->ny - 1, j + SHEET_MARGIN);

            if (zeta > SHEET_ZETA && zeta < 1. - SHEET_ZETA)
                for (int64_t row = at_least(0, j - SHEET_MARGIN); row <= top; row++)
                    memset(band + row * r->nx + left, 1, (size_t)(right - left + 1));
        }
}

static double vorticity(const struct raster *r, int64_t i, int64_t j)
{
    int64_t left = at_least(0, i - 1), right = at_most(r->nx - 1, i + 1);
    int64_t below = at_least(0, j - 1), above = at_most(r->ny - 1, j + 1);
    double dv = specific(r, EULER_V, right, j) - specific(r, EULER_V, left, j);
    double du = specific(r, EULER_U, i, above) - specific(r, EULER_U, i, below);

    return (right > left ? dv / ((double)(right - left) * r->dx) : 0.) -
           (above > below ? du / ((double)(above - below) * r->dy) : 0.);
}

/* Compute the circulation of the band's cells in one row. */
static double row_circulation(const struct sheet *s, const struct raster *r, int64_t j)
{
    double sum = 0.;

    for (int64_t i = 0; i < r->nx; i++)
        if (s->band[j * r->nx + i])
            sum -= vorticity(r, i, j) * r->dx * r->dy;
    return sum;
}

int sheet_find(const struct raster *r, struct sheet *s)
{
    *s = (struct sheet){.nx = r->nx, .ny = r->ny};
    s->band = calloc((size_t)r->nx, (size_t)r->ny);
    if (!s->band)
        return -ENOMEM;
    band_mark(r, s->band);
    for (int64_t k = 0; k < r->nx * r->ny; k++)
        s->cells += s->band[k];
    for (int64_t j = 0; j < r->ny; j++)
        s->circulation += row_circulation(s, r, j);
    return 0;
}

void sheet_done(struct sheet *s)
{
    free(s->band);
    s->band = NULL;
}

/* Find the position between cell centres where zeta is 1/2 in row `j`. Returns 0 if there
 * is none. */
static int crossing_find(const struct raster *r, int64_t j, double *x)
{
    for (int64_t i = 0; i + 1 < r->nx; i++) {
        double zeta = specific(r, EULER_ZETA, i, j);
        double next = specific(r, EULER_ZETA, i + 1, j);

        if (zeta < .5 && next >= .5) {
            *x = r->xlo + ((double)i + .5 + (.5 - zeta) / (next - zeta)) * r->dx;
            return 1;
        }
    }
    return 0;
}

int sheet_strength(const struct sheet *s, const struct raster *r, double low, double high,
                   double *strength)
{
    double n = 0., sx = 0., sy = 0., syy = 0., sxy = 0., circulation = 0., slope;

    for (int64_t j = 0; j < r->ny; j++) {
        double x, y = r->ylo + ((double)j + .5) * r->dy;

        if (y < low || y > high || !crossing_find(r, j, &x))
            continue;
        n += 1.;
        sx += x;
        sy += y;
        syy += y * y;
        sxy += x * y;
        circulation += row_circulation(s, r, j);
    }
    if (n < SHEET_ROWS)
        return -ENOENT;
    slope = (n * sxy - sx * sy) / (n * syy - sy * sy); /* dx/dy */
    *strength = circulation / (n * r->dy * sqrt(1. + slope * slope));
    return 0;
}
