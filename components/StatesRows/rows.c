/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c: reconstruction row by row, with vectors of the width of this file's target.
 * rows_avx2.c compiles it again. */
#include "components/StatesRows/rows.h"

#include <errno.h>

#include "components/euler.h"
#include "components/simd.h"

#ifndef ROWS_RECONSTRUCT
#define ROWS_RECONSTRUCT rows_reconstruct
#endif
#define STRIP 256

/* Room for the primitive variables of a part of a row, in cells: the columns of a strip,
 * two more on either side, and padding of the last vector. */
#define WIDTH (STRIP + 4 + SIMD_LANES)
struct cells {
    double w[EULER_NVAR][WIDTH];
};

/* --- A part of a row --------------------------------------------------------- */

static inline simd_mask lanes_positive(simd rho, simd p)
{
    return (simd_mask)(rho > 0.) & (simd_mask)(p > 0.) & (simd_mask)(rho + p < HUGE_VAL);
}

static inline simd lanes_difference(enum limiter limiter, simd a, simd b)
{
    simd difference = limiter == LIMITER_MINMOD
                          ? simd_select(simd_abs(a) < simd_abs(b), a, b)
                          : 2. * a * b / (a + b);

    return simd_select(a * b > 0., difference, (simd){0.});
}

/* Load primitive variables of `count` cells from `u` on into `cells`, from index `at` on.
 * Returns 0, or -EDOM if one is no gas. */
static int cells_load(const struct rows *p, const double *u, int count, int at,
                      struct cells *cells)
{
    simd_mask bad = {0};

    for (int i = 0; i < count; i = simd_next(i, count)) {
        simd c[EULER_NVAR], w[EULER_NVAR];

#pragma GCC unroll 5
        for (int k = 0; k < EULER_NVAR; k++)
            c[k] = simd_load_part(u + k * p->plane + i, count - i);
        w[EULER_RHO] = c[EULER_RHO];
        w[EULER_U] = c[EULER_U] / c[EULER_RHO];
        w[EULER_V] = c[EULER_V] / c[EULER_RHO];
        w[EULER_P] =
            (p->gamma - 1.) *
            (c[EULER_P] -
             .5 * (c[EULER_U] * c[EULER_U] + c[EULER_V] * c[EULER_V]) / c[EULER_RHO]);
        w[EULER_ZETA] = c[EULER_ZETA] / c[EULER_RHO];
        bad |= ~lanes_positive(w[EULER_RHO], w[EULER_P]);
#pragma GCC unroll 5
        for (int k = 0; k < EULER_NVAR; k++)
            simd_store(cells->w[k] + at + i, w[k]);
    }
    return simd_any(bad) ? -EDOM : 0;
}

/* Extrapolate SIMD_LANES cells to their lower and upper faces. If the results in a cell
 * are no gas, the state in the cell is constant. */
__attribute__((always_inline)) static inline void
lanes_extrapolate(enum limiter limiter, const double *before, const double *here,
                  const double *after, simd low[EULER_NVAR], simd high[EULER_NVAR])
{
    simd w[EULER_NVAR];
    simd_mask gas;

#pragma GCC unroll 5
    for (int k = 0; k < EULER_NVAR; k++) {
        simd half;

        w[k] = simd_load(here + k * WIDTH);
        half = .5 * lanes_difference(limiter, w[k] - simd_load(before + k * WIDTH),
                                     simd_load(after + k * WIDTH) - w[k]);
        low[k] = w[k] - half;
        high[k] = w[k] + half;
    }
    gas = lanes_positive(low[EULER_RHO], low[EULER_P]) &
          lanes_positive(high[EULER_RHO], high[EULER_P]);
#pragma GCC unroll 5
    for (int k = 0; k < EULER_NVAR; k++) {
        low[k] = simd_select(gas, low[k], w[k]);
        high[k] = simd_select(gas, high[k], w[k]);
    }
}

/* Extrapolate `count` cells to their lower and upper faces; inlined once for each
 * limiter. */
__attribute__((always_inline)) static inline void
run_extrapolate(enum limiter limiter, const struct rows *p, int count,
                const double *before, const double *here, const double *after,
                double *low, double *high)
{
    for (int i = 0; i < count; i = simd_next(i, count)) {
        simd at_low[EULER_NVAR], at_high[EULER_NVAR];

        if (limiter == LIMITER_NONE)
#pragma GCC unroll 5
            for (int k = 0; k < EULER_NVAR; k++)
                at_low[k] = at_high[k] = simd_load(here + k * WIDTH + i);
        else
            lanes_extrapolate(limiter, before + i, here + i, after + i, at_low, at_high);
#pragma GCC unroll 5
        for (int k = 0; k < EULER_NVAR; k++) {
            if (low)
                simd_store_part(low + k * p->f_plane + i, at_low[k], count - i);
            if (high)
                simd_store_part(high + k * p->f_plane + i, at_high[k], count - i);
        }
    }
}

/* Extrapolate `count` cells from `here` on to their lower faces, from `low` on, and upper
 * faces, from `high` on. NULL: the patch does not have these faces. */
static void cells_extrapolate(const struct rows *p, int count, const double *before,
                              const double *here, const double *after, double *low,
                              double *high)
{
    switch (p->limiter) {
    case LIMITER_NONE:
        run_extrapolate(LIMITER_NONE, p, count, before, here, after, low, high);
        break;
    case LIMITER_MINMOD:
        run_extrapolate(LIMITER_MINMOD, p, count, before, here, after, low, high);
        break;
    default:
        run_extrapolate(LIMITER_VANLEER, p, count, before, here, after, low, high);
    }
}

/* --- Strips of a patch ------------------------------------------------------- */

/* Write the faces normal to x of `count` cells of row `j`, from column `i` on, whose
 * primitive variables begin at `w`. A cell next to the patch has one such face. */
static void faces_in_row(const struct rows *p, int j, int i, int count, const double *w)
{
    ptrdiff_t face = j * p->f_pitch + i;

    if (i == 0)
        cells_extrapolate(p, 1, w - 2, w - 1, w, NULL, p->left + face);
    cells_extrapolate(p, count, w - 1, w, w + 1, p->right + face, p->left + face + 1);
    w += count;
    if (i + count == p->nx)
        cells_extrapolate(p, 1, w - 1, w, w + 1, p->right + face + count, NULL);
}

/* Write the faces normal to x of `count` columns from column `i` on. As many rows as fit
 * into `cells` are loaded before the first one is used: a vector load that overlaps two
 * recent stores would have to wait for the cache. */
static int strip_along_rows(const struct rows *p, int i, int count)
{
    struct cells cells;
    int reach = limiter_ghosts(p->limiter), width = count + 4;
    int batch = (STRIP + 4) / width;

    for (int j = 0; j < p->ny; j += batch) {
        int rows = p->ny - j < batch ? p->ny - j : batch;

        for (int r = 0; r < rows; r++)
            if (cells_load(p, p->u + (j + r) * p->pitch + i - reach, count + 2 * reach,
                           r * width + 2 - reach, &cells))
                return -EDOM;
        for (int r = 0; r < rows; r++)
            faces_in_row(p, j + r, i, count, cells.w[0] + r * width + 2);
    }
    return 0;
}

/* Write the faces normal to y of `count` columns from column `i` on, row by row. */
static int strip_across_rows(const struct rows *p, int i, int count)
{
    struct cells rows[3];
    int reach = limiter_ghosts(p->limiter);

    for (int j = -reach; j < p->ny + reach; j++) {
        /* row j is the last row that the faces of row `at` need */
        int at = j - reach + 1;
        const double *before = rows[(at + 5) % 3].w[0];
        const double *here = rows[(at + 3) % 3].w[0];
        const double *after = rows[(at + 4) % 3].w[0];
        ptrdiff_t face = at * p->f_pitch + i;

        if (cells_load(p, p->u + j * p->pitch + i, count, 0, &rows[(j + 3) % 3]))
            return -EDOM;
        if (at >= -1)
            cells_extrapolate(p, count, before, here, after,
                              at >= 0 ? p->right + face : NULL,
                              at < p->ny ? p->left + face + p->f_pitch : NULL);
    }
    return 0;
}

int ROWS_RECONSTRUCT(const struct rows *p, int axis)
{
    int result = 0;

    for (int i = 0; i < p->nx && !result; i += STRIP) {
        int count = p->nx - i < STRIP ? p->nx - i : STRIP;

        result = axis ? strip_across_rows(p, i, count) : strip_along_rows(p, i, count);
    }
    return result;
}
