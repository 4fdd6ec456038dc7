/* SPDX-License-Identifier: BSD-3-Clause */
/* block.c: compute the fluxes through a block of faces, with vectors of the width of this
 * file's target. block_avx2.c and block_avx512.c compile it again. */
#include "components/GodunovVector/block.h"

#include <errno.h>
#include <float.h>

#include "components/faces.h"
#include "components/riemann.h"
#include "components/simd_pow.h"

#ifndef BLOCK_COMPUTE
#define BLOCK_COMPUTE block_compute
#endif
#define VECTORS (BLOCK / SIMD_LANES)

/* The gas on one side of SIMD_LANES faces. */
struct side {
    simd rho, un, ut, p, zeta, a;
};

/* State of the iteration on all faces of a block. */
struct newton {
    simd p[VECTORS], u[VECTORS];   /* iterate of the pressure; velocity of the contact,
                                    * set at the end */
    simd al[VECTORS], ar[VECTORS]; /* speeds of sound */
    simd rounding[VECTORS];        /* rounding error of f at its root */
    simd_mask done[VECTORS];
    simd_mask waves; /* -1 times the number of faces with waves, in each lane */
};

static inline struct side side_load(const struct block *b, const double *q, int i)
{
    struct side s;

    q += i * SIMD_LANES;
    s.rho = simd_load(q + EULER_RHO * b->plane);
    s.un = simd_load(q + (EULER_U + b->axis) * b->plane);
    s.ut = simd_load(q + (EULER_V - b->axis) * b->plane);
    s.p = simd_load(q + EULER_P * b->plane);
    s.zeta = simd_load(q + EULER_ZETA * b->plane);
    return s;
}

static inline simd_mask side_is_gas(const struct side *s)
{
    return (simd_mask)(s->rho > 0.) & (simd_mask)(s->p > 0.) &
           (simd_mask)(s->rho + s->p < HUGE_VAL) &
           (simd_mask)(simd_abs(s->un) + simd_abs(s->ut) + simd_abs(s->zeta) < HUGE_VAL);
}

/* Compute f_side and its slope at pressure `p`: over a shock if p is above the side's own
 * pressure, else through a rarefaction. */
static inline void side_evaluate(const struct riemann_powers *g, const struct side *s,
                                 simd p, simd *f, simd *slope)
{
    simd_mask shock = (simd_mask)(p > s->p);
    simd ratio = p / s->p;

    *f = *slope = simd_set(0.);
    if (simd_any(shock)) {
        simd d = g->minus / g->plus * s->p + p;
        simd root = simd_sqrt(2. / (g->plus * s->rho) / d);

        *f = (p - s->p) * root;
        *slope = root * (1. - .5 * (p - s->p) / d);
    }
    if (simd_any(~shock)) {
        simd power = simd_pow(ratio, g->z);

        *f = simd_select(shock, *f, 2. * s->a / g->minus * (power - 1.));
        *slope = simd_select(shock, *slope, power / (ratio * s->rho * s->a));
    }
}

/* Return the first estimate of p: from linearised equations, two rarefactions or two
 * shocks. */
static inline simd first_pressure(const struct riemann_powers *g, const struct side *l,
                                  const struct side *r)
{
    simd du = r->un - l->un;
    simd_mask rising = (simd_mask)(l->p < r->p);
    simd low = simd_select(rising, l->p, r->p), high = simd_select(rising, r->p, l->p);
    simd linear = .5 * (l->p + r->p) - .125 * du * (l->rho + r->rho) * (l->a + r->a);
    simd_mask fits = (simd_mask)(high <= 2. * low) & (simd_mask)(linear >= low) &
                     (simd_mask)(linear <= high);
    simd_mask fans = ~fits & (simd_mask)(linear < low), shocks = ~fits & ~fans;
    simd p = linear;

    if (simd_any(fans)) {
        simd top = l->a + r->a - .5 * g->minus * du;
        simd bottom = l->a / simd_pow(l->p, g->z) + r->a / simd_pow(r->p, g->z);

        p = simd_select(fans, simd_pow(top / bottom, 1. / g->z), p);
    }
    if (simd_any(shocks)) {
        simd wl =
            simd_sqrt(2. / (g->plus * l->rho) / (g->minus / g->plus * l->p + linear));
        simd wr =
            simd_sqrt(2. / (g->plus * r->rho) / (g->minus / g->plus * r->p + linear));

        p = simd_select(shocks, (wl * l->p + wr * r->p - du) / (wl + wr), p);
    }
    return simd_select((simd_mask)(p > 0.), p, DBL_EPSILON * (l->p + r->p));
}

/* As face_is_quiet. */
static inline simd_mask side_is_quiet(const struct side *l, const struct side *r)
{
    simd rho = simd_select((simd_mask)(l->rho > r->rho), l->rho, r->rho);
    simd p = simd_select((simd_mask)(l->p < r->p), l->p, r->p), du = r->un - l->un;

    return (simd_mask)(simd_abs(r->p - l->p) <= FACE_QUIET * p) &
           (simd_mask)(rho * du * du <= FACE_QUIET * FACE_QUIET * p);
}

/* Initialise SIMD vector `i`. Returns a mask of faces without a solution. */
static inline simd_mask newton_begin(const struct riemann_powers *g,
                                     const struct block *b, int i, struct newton *n)
{
    struct side l = side_load(b, b->left, i), r = side_load(b, b->right, i);

    l.a = n->al[i] = simd_sqrt(g->gamma * l.p / l.rho);
    r.a = n->ar[i] = simd_sqrt(g->gamma * r.p / r.rho);
    n->rounding[i] =
        4. * DBL_EPSILON * ((l.a + r.a) / g->minus + simd_abs(l.un) + simd_abs(r.un));
    n->done[i] = (simd_mask){0};
    n->u[i] = simd_set(0.);
    n->p[i] = first_pressure(g, &l, &r);
    n->waves += ~side_is_quiet(&l, &r);
    return ~(side_is_gas(&l) & side_is_gas(&r) &
             (simd_mask)(2. * (l.a + r.a) / g->minus > r.un - l.un));
}

/* Make one step of Newton's iteration for SIMD vector `i`, in the lanes that are not
 * done. */
static inline void newton_step(const struct riemann_powers *g, const struct block *b,
                               int i, struct newton *n)
{
    struct side l = side_load(b, b->left, i), r = side_load(b, b->right, i);
    simd p = n->p[i], fl, fr, slope_l, slope_r, f, step, next;
    simd_mask active = ~n->done[i], below, ends;

    l.a = n->al[i];
    r.a = n->ar[i];
    side_evaluate(g, &l, p, &fl, &slope_l);
    side_evaluate(g, &r, p, &fr, &slope_r);
    f = (fl + fr) + (r.un - l.un);
    step = -f / (slope_l + slope_r);
    below = (simd_mask)(p + step <= 0.);
    next = simd_select(below, p * .01, p + step);
    ends = active & ~below &
           ((simd_mask)(simd_abs(step) <= RIEMANN_TOLERANCE * next) |
            (simd_mask)(simd_abs(f) <= n->rounding[i]));
    n->p[i] = simd_select(active, next, p);
    n->u[i] = simd_select(
        ends, .5 * (l.un + r.un) + .5 * ((fr + slope_r * step) - (fl + slope_l * step)),
        n->u[i]);
    n->done[i] |= ends;
}

/* Iterate until the slowest face is done. Returns the number of iterations or -EDOM. */
static int newton_iterate(const struct riemann_powers *g, const struct block *b,
                          struct newton *n)
{
    for (int count = 1; count <= RIEMANN_MAX_ITERATIONS; count++) {
        simd_mask left = {0};

        for (int i = 0; i < VECTORS; i++) {
            newton_step(g, b, i, n);
            left |= ~n->done[i];
        }
        if (!simd_any(left))
            return count;
    }
    return -EDOM;
}

/* Find the state at rest relative to the face: `s` is the gas on the side from which the
 * contact comes, as seen from the left, `u` >= 0 the velocity of the contact. `s` is
 * replaced by the state. */
static inline void side_sample(const struct riemann_powers *g, struct side *s, simd p,
                               simd u)
{
    simd_mask shock = (simd_mask)(p > s->p);
    simd ratio = p / s->p, k = simd_set(g->minus / g->plus);
    simd rho = s->rho * ((ratio + k) / (k * ratio + 1.));
    simd front = s->un - s->a * simd_sqrt(.5 * (g->plus * ratio + g->minus) / g->gamma);
    simd_mask outside;

    if (simd_any(~shock)) {
        simd power = simd_pow(ratio, g->z);
        simd_mask fan = ~shock & (simd_mask)(u - s->a * power > 0.);

        rho = simd_select(shock, rho, s->rho * (ratio / (power * power)));
        front = simd_select(shock, front, s->un - s->a);
        if (simd_any(fan)) {
            /* the face is in the fan, where the gas moves at the speed of sound */
            simd c = 2. / g->plus * (s->a + .5 * g->minus * s->un);

            rho = simd_select(fan, s->rho * simd_pow(c / s->a, 2. / g->minus), rho);
            p = simd_select(fan, s->p * simd_pow(c / s->a, 1. / g->z), p);
            u = simd_select(fan, c, u);
        }
    }
    outside = (simd_mask)(front >= 0.);
    s->rho = simd_select(outside, s->rho, rho);
    s->un = simd_select(outside, s->un, u);
    s->p = simd_select(outside, s->p, p);
}

/* Sample the solution at the faces of SIMD vector `i` and store their fluxes. */
static inline void flux_store(const struct riemann_powers *g, const struct block *b,
                              int i, const struct newton *n)
{
    struct side l = side_load(b, b->left, i), r = side_load(b, b->right, i), s;
    simd_mask from_left = (simd_mask)(n->u[i] >= 0.);
    double *out = b->flux + i * SIMD_LANES;
    simd mass;

    s.rho = simd_select(from_left, l.rho, r.rho);
    s.un = simd_select(from_left, l.un, -r.un);
    s.ut = simd_select(from_left, l.ut, r.ut);
    s.p = simd_select(from_left, l.p, r.p);
    s.zeta = simd_select(from_left, l.zeta, r.zeta);
    s.a = simd_select(from_left, n->al[i], n->ar[i]);
    side_sample(g, &s, n->p[i], simd_select(from_left, n->u[i], -n->u[i]));
    s.un = simd_select(from_left, s.un, -s.un);

    mass = s.rho * s.un;
    simd_store(out + EULER_RHO * b->plane, mass);
    simd_store(out + (EULER_U + b->axis) * b->plane, mass * s.un + s.p);
    simd_store(out + (EULER_V - b->axis) * b->plane, mass * s.ut);
    simd_store(
        out + EULER_P * b->plane,
        s.un * (g->gamma / g->minus * s.p + .5 * s.rho * (s.un * s.un + s.ut * s.ut)));
    simd_store(out + EULER_ZETA * b->plane, mass * s.zeta);
}

int BLOCK_COMPUTE(const struct block *b)
{
    struct riemann_powers g = {b->gamma, .5 * (b->gamma - 1.) / b->gamma, b->gamma - 1.,
                               b->gamma + 1.};
    struct newton n;
    simd_mask refused = {0};
    int iterations;

    n.waves = (simd_mask){0};
    for (int i = 0; i < VECTORS; i++)
        refused |= newton_begin(&g, b, i, &n);
    if (simd_any(refused))
        return -EDOM;
    *b->active = 0;
    for (int i = 0; i < SIMD_LANES; i++)
        *b->active -= (int)n.waves[i];
    iterations = newton_iterate(&g, b, &n);
    for (int i = 0; i < VECTORS && iterations > 0; i++)
        flux_store(&g, b, i, &n);
    return iterations;
}
