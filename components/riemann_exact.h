/* SPDX-License-Identifier: BSD-3-Clause */
/* riemann_exact.h: the exact solution of a one-dimensional Riemann problem, the reference
 * for the errors of schemes.
 *
 * Deliberately simple and slow. It shares no code with GodunovFlux: bisection on the
 * pressure, jumps from the Hugoniot's specific volumes, rarefactions from the
 * invariants. */
#ifndef COMPONENTS_RIEMANN_EXACT_H
#define COMPONENTS_RIEMANN_EXACT_H

#include <math.h>

struct exact_state {
    double rho, u, p;
};

struct exact_problem {
    double gamma;
    struct exact_state left, right;
    double p, u; /* pressure and velocity between the outer waves, from exact_solve */
};

/* Return the specific volume and the change of speed, away from the contact, of gas `s`
 * after a wave that brings it to pressure `p`. */
static inline double exact_volume(double gamma, const struct exact_state *s, double p)
{
    if (p <= s->p)
        return pow(s->p / p, 1. / gamma) / s->rho;
    return ((gamma + 1.) * s->p + (gamma - 1.) * p) /
           (((gamma - 1.) * s->p + (gamma + 1.) * p) * s->rho);
}

static inline double exact_speed_change(double gamma, const struct exact_state *s,
                                        double p)
{
    double volume = exact_volume(gamma, s, p);

    if (p > s->p)
        return sqrt((p - s->p) * (1. / s->rho - volume));
    return 2. / (gamma - 1.) * (sqrt(gamma * p * volume) - sqrt(gamma * s->p / s->rho));
}

/* Find p and u. Returns 0, or -1 if a vacuum opens. */
static inline int exact_solve(struct exact_problem *e)
{
    const struct exact_state *l = &e->left, *r = &e->right;
    double escape = 2. / (e->gamma - 1.) *
                    (sqrt(e->gamma * l->p / l->rho) + sqrt(e->gamma * r->p / r->rho));
    double low = -700., high = 700.; /* interval with the solution, as logarithms of
                                      * the pressure */

    if (r->u - l->u >= escape)
        return -1;
    for (int i = 0; i < 200; i++) {
        double middle = .5 * (low + high), p = exp(middle);

        if (exact_speed_change(e->gamma, l, p) + exact_speed_change(e->gamma, r, p) >
            l->u - r->u)
            high = middle;
        else
            low = middle;
    }
    e->p = exp(.5 * (low + high));
    e->u = .5 * (l->u - exact_speed_change(e->gamma, l, e->p) + r->u +
                 exact_speed_change(e->gamma, r, e->p));
    return 0;
}

/* Return the solution at x/t = xi <= u on the left of a contact that moves at `u` and
 * pressure `p`. */
static inline struct exact_state exact_left_of_contact(double gamma, struct exact_state s,
                                                       double p, double u, double xi)
{
    double a = sqrt(gamma * s.p / s.rho);
    double volume = exact_volume(gamma, &s, p);
    struct exact_state star = {1. / volume, u, p};

    if (p > s.p) {
        double shock = (u / s.rho - s.u * volume) / (1. / s.rho - volume);

        return xi < shock ? s : star;
    }
    if (xi <= s.u - a)
        return s;
    if (xi < u - sqrt(gamma * p * volume)) {
        double speed = ((gamma - 1.) * s.u + 2. * (a + xi)) / (gamma + 1.);
        double ratio = (speed - xi) / a;

        return (struct exact_state){s.rho * pow(ratio, 2. / (gamma - 1.)), speed,
                                    s.p * pow(ratio, 2. * gamma / (gamma - 1.))};
    }
    return star;
}

/* Return the solution at x/t = xi, after exact_solve. */
static inline struct exact_state exact_sample(const struct exact_problem *e, double xi)
{
    struct exact_state s = e->right;

    if (xi <= e->u)
        return exact_left_of_contact(e->gamma, e->left, e->p, e->u, xi);
    s.u = -s.u;
    s = exact_left_of_contact(e->gamma, s, e->p, -e->u, -xi);
    s.u = -s.u;
    return s;
}

/* Return the mean density over low <= x/t <= high. In a self-similar solution the density
 * is the derivative of rho (xi - u) by xi, across shocks and contacts, too, so no
 * quadrature is needed. */
static inline double exact_mean_density(const struct exact_problem *e, double low,
                                        double high)
{
    struct exact_state l = exact_sample(e, low), h = exact_sample(e, high);

    return (h.rho * (high - h.u) - l.rho * (low - l.u)) / (high - low);
}

#endif
