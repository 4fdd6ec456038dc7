/* SPDX-License-Identifier: BSD-3-Clause */
/* euler.h: the Euler equations of an ideal gas in two dimensions, for all shock
 * components: order of the variables, conversion between conserved and primitive, speed
 * of sound.
 *
 *   conserved   rho, rho u, rho v, rho E, rho zeta
 *   primitive   rho, u, v, p, zeta
 *
 * with E = p / ((gamma - 1) rho) + (u^2 + v^2) / 2.
 *
 * Every formula is symmetric in u and v, also in the order of sums, so that a problem and
 * its transpose give the same bits. */
#ifndef COMPONENTS_EULER_H
#define COMPONENTS_EULER_H

#include <math.h>

/* Indices of the variables; EULER_RHO is the first conserved and the first primitive
 * variable. */
enum {
    EULER_RHO = 0,
    EULER_U = 1, /* rho u */
    EULER_V = 2, /* rho v */
    EULER_P = 3, /* rho E */
    EULER_ZETA = 4,
    EULER_NVAR = 5
};

/* True if density and pressure are positive numbers. False for NaN. */
static inline int euler_positive(double rho, double p)
{
    return rho > 0. && p > 0. && rho + p < HUGE_VAL;
}

static inline double euler_sound_speed(double gamma, double rho, double p)
{
    return sqrt(gamma * p / rho);
}

/* Convert conserved variables `u` to primitive `w`. Meaningless if u[EULER_RHO] is 0. */
static inline void euler_primitive(double gamma, const double u[EULER_NVAR],
                                   double w[EULER_NVAR])
{
    double rho = u[EULER_RHO];

    w[EULER_RHO] = rho;
    w[EULER_U] = u[EULER_U] / rho;
    w[EULER_V] = u[EULER_V] / rho;
    w[EULER_P] =
        (gamma - 1.) *
        (u[EULER_P] - .5 * (u[EULER_U] * u[EULER_U] + u[EULER_V] * u[EULER_V]) / rho);
    w[EULER_ZETA] = u[EULER_ZETA] / rho;
}

/* Convert primitive variables `w` to conserved `u`. */
static inline void euler_conserved(double gamma, const double w[EULER_NVAR],
                                   double u[EULER_NVAR])
{
    double rho = w[EULER_RHO];

    u[EULER_RHO] = rho;
    u[EULER_U] = rho * w[EULER_U];
    u[EULER_V] = rho * w[EULER_V];
    u[EULER_P] = w[EULER_P] / (gamma - 1.) +
                 .5 * rho * (w[EULER_U] * w[EULER_U] + w[EULER_V] * w[EULER_V]);
    u[EULER_ZETA] = rho * w[EULER_ZETA];
}

#endif
