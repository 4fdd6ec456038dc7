/* SPDX-License-Identifier: BSD-3-Clause */
/* riemann.h: the exact solution of the Riemann problem of an ideal gas at the face, for
 * flux classes: Newton's iteration for the pressure between the waves, then the state at
 * the face.
 *
 * The structure is the textbook's (E. F. Toro, Riemann Solvers and Numerical Methods for
 * Fluid Dynamics, chapter 4): three waves; pressure and velocity are equal on both sides
 * of the middle wave, the contact; p* is the root of f(p) = f_left(p) + f_right(p) +
 * u_right - u_left. */
#ifndef COMPONENTS_RIEMANN_H
#define COMPONENTS_RIEMANN_H

#include <float.h>

#include "components/faces.h"

/* Newton's iteration ends when a step changes p by less than this fraction. It converges
 * quadratically, so the remaining error is about its square: rounding. */
#define RIEMANN_TOLERANCE 1e-8
/* f is increasing and concave, so from the second iterate on Newton approaches the root
 * from below and cannot miss it; near a vacuum, where the first iterates are negative, it
 * takes some tens of steps. */
#define RIEMANN_MAX_ITERATIONS 100

/* Functions of gamma that all steps of the solution use. */
struct riemann_powers {
    double gamma;
    double z;     /* (gamma - 1) / (2 gamma) */
    double minus; /* gamma - 1 */
    double plus;  /* gamma + 1 */
};

/* One side of the problem: its state, speed of sound and pressure function. */
struct riemann_side {
    const struct face_state *state;
    double a;
    double f, slope; /* f_side(p) and its derivative at the current iterate of p */
};

/* Compute f_side and its slope: over a shock if p is above the side's pressure
 * (Toro 4.6), else through a rarefaction (4.7). */
static inline void riemann_evaluate(const struct riemann_powers *g,
                                    struct riemann_side *s, double p)
{
    double rho = s->state->rho, p0 = s->state->p;

    if (p > p0) {
        double c = 2. / (g->plus * rho), d = g->minus / g->plus * p0 + p;
        double root = sqrt(c / d);

        s->f = (p - p0) * root;
        s->slope = root * (1. - .5 * (p - p0) / d);
    } else {
        double ratio = p / p0, power = pow(ratio, g->z);

        s->f = 2. * s->a / g->minus * (power - 1.);
        s->slope = power / (ratio * rho * s->a);
    }
}

/* Return the first estimate of p: from linearised equations if the jump is small; else
 * from two rarefactions (exact if there are two) or two shocks (Toro 9.5). `du` is
 * u_right - u_left. */
static inline double riemann_first_pressure(const struct riemann_powers *g,
                                            const struct riemann_side *l,
                                            const struct riemann_side *r, double du)
{
    double pl = l->state->p, pr = r->state->p;
    double low = pl < pr ? pl : pr, high = pl < pr ? pr : pl;
    double linear =
        .5 * (pl + pr) - .125 * du * (l->state->rho + r->state->rho) * (l->a + r->a);

    if (high <= 2. * low && linear >= low && linear <= high)
        return linear;
    if (linear < low) {
        double top = l->a + r->a - .5 * g->minus * du;
        double bottom = l->a / pow(pl, g->z) + r->a / pow(pr, g->z);

        return pow(top / bottom, 1. / g->z);
    } else {
        double wl =
            sqrt(2. / (g->plus * l->state->rho) / (g->minus / g->plus * pl + linear));
        double wr =
            sqrt(2. / (g->plus * r->state->rho) / (g->minus / g->plus * pr + linear));

        return (wl * pl + wr * pr - du) / (wl + wr);
    }
}

/* Find the root of f. Returns the number of iterations or -EDOM; `*u` is the velocity of
 * the contact. */
static inline int riemann_solve(const struct riemann_powers *g, struct riemann_side *l,
                                struct riemann_side *r, double *pressure, double *u)
{
    double ul = l->state->un, ur = r->state->un, du = ur - ul;
    /* rounding error of f at its root */
    double rounding = 4. * DBL_EPSILON * ((l->a + r->a) / g->minus + fabs(ul) + fabs(ur));
    double p;

    if (!(2. * (l->a + r->a) / g->minus > du))
        return -EDOM;
    p = riemann_first_pressure(g, l, r, du);
    if (!(p > 0.))
        p = DBL_EPSILON * (l->state->p + r->state->p);
    for (int n = 1; n <= RIEMANN_MAX_ITERATIONS; n++) {
        double f, step;

        riemann_evaluate(g, l, p);
        riemann_evaluate(g, r, p);
        f = (l->f + r->f) + du;
        step = -f / (l->slope + r->slope);
        if (p + step <= 0.) {
            p *= .01;
            continue;
        }
        p += step;
        if (fabs(step) <= RIEMANN_TOLERANCE * p || fabs(f) <= rounding) {
            /* f_left and f_right are values at the previous iterate: extrapolate with
             * their slopes */
            *pressure = p;
            *u = .5 * (ul + ur) +
                 .5 * ((r->f + r->slope * step) - (l->f + l->slope * step));
            return n;
        }
    }
    return -EDOM;
}

/* Find the state at rest relative to the face, where the contact moves at u >= 0 away
 * from `side`, which is on the left (Toro 4.5). */
static inline void riemann_sample(const struct riemann_powers *g,
                                  const struct riemann_side *side, double p, double u,
                                  struct face_state *at)
{
    const struct face_state *s = side->state;
    double ratio = p / s->p;

    *at = *s;
    if (p > s->p) {
        double k = g->minus / g->plus;
        double shock =
            s->un - side->a * sqrt(.5 * (g->plus * ratio + g->minus) / g->gamma);

        if (shock >= 0.)
            return;
        at->rho = s->rho * ((ratio + k) / (k * ratio + 1.));
    } else {
        double power;

        if (s->un - side->a >= 0.)
            return;
        power = pow(ratio, g->z);
        if (u - side->a * power > 0.) {
            /* the face is in the fan, where the gas moves at the speed of sound */
            double c = 2. / g->plus * (side->a + .5 * g->minus * s->un);

            at->rho = s->rho * pow(c / side->a, 2. / g->minus);
            at->un = c;
            at->p = s->p * pow(c / side->a, 1. / g->z);
            return;
        }
        at->rho = s->rho * (ratio / (power * power));
    }
    at->un = u;
    at->p = p;
}

/* Find the state at x/t = 0 between `left` and `right`; zeta is taken from the upstream
 * side of the contact.
 *
 * Returns Newton iterations done, >= 1; -EDOM if the states recede so fast that a vacuum
 * opens, or if the iteration does not converge. */
static inline int riemann_at_face(double gamma, const struct face_state *left,
                                  const struct face_state *right, struct face_state *at)
{
    struct riemann_powers g = {gamma, .5 * (gamma - 1.) / gamma, gamma - 1., gamma + 1.};
    struct riemann_side l = {.state = left,
                             .a = euler_sound_speed(gamma, left->rho, left->p)};
    struct riemann_side r = {.state = right,
                             .a = euler_sound_speed(gamma, right->rho, right->p)};
    double p, u;
    int iterations = riemann_solve(&g, &l, &r, &p, &u);

    if (iterations < 0)
        return iterations;
    if (u >= 0.) {
        riemann_sample(&g, &l, p, u, at);
    } else {
        struct face_state mirrored = face_mirrored(right);

        r.state = &mirrored;
        riemann_sample(&g, &r, p, -u, at);
        at->un = -at->un;
    }
    return iterations;
}

#endif
