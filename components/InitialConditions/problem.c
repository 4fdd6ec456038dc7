/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.c: the problems of InitialConditions, as functions of position. */
#include "components/InitialConditions/problem.h"

#include <math.h>
#include <string.h>

#include "components/euler.h"

static void state_set(double w[EULER_NVAR], double rho, double u, double v, double p,
                      double zeta)
{
    w[EULER_RHO] = rho;
    w[EULER_U] = u;
    w[EULER_V] = v;
    w[EULER_P] = p;
    w[EULER_ZETA] = zeta;
}

/* Compute the state behind a shock that runs at Mach number `mach` into gas at rest with
 * density 1 and pressure 1 (Rankine-Hugoniot). */
static void state_behind_shock(const struct problem_params *k, double w[EULER_NVAR])
{
    double g = k->gamma, m2 = k->mach * k->mach;
    double rho = (g + 1.) * m2 / ((g - 1.) * m2 + 2.);
    double p = 1. + 2. * g / (g + 1.) * (m2 - 1.);

    state_set(w, rho, k->mach * sqrt(g) * (1. - 1. / rho), 0., p, 0.);
}

/* A shock in air (zeta 0) meets an inclined plane interface to Freon (zeta 1). */
static void shock_interface(const struct problem_params *k,
                            const struct problem_point *at, double w[EULER_NVAR])
{
    if (at->s < k->shock_at)
        state_behind_shock(k, w);
    else if (at->s < k->interface_at + at->t * k->tan_angle)
        state_set(w, 1., 0., 0., 1., 0.);
    else
        state_set(w, k->eta, 0., 0., 1., 1.);
}

/* Sod's shock tube. */
static void sod(const struct problem_params *k, const struct problem_point *at,
                double w[EULER_NVAR])
{
    (void)k;
    if (at->s < .5)
        state_set(w, 1., 0., 0., 1., 1.);
    else
        state_set(w, .125, 0., 0., .1, 0.);
}

/* An isentropic vortex of strength 5 that the flow carries along the diagonal; it returns
 * after 10 s. */
static void vortex(const struct problem_params *k, const struct problem_point *at,
                   double w[EULER_NVAR])
{
    const double pi = 3.14159265358979323846, strength = 5.;
    double x = at->s - 5., y = at->t - 5., r2 = x * x + y * y;
    double swirl = strength / (2. * pi) * exp(.5 * (1. - r2));
    double temperature = 1. - (k->gamma - 1.) / (2. * k->gamma) * swirl * swirl;
    double rho = pow(temperature, 1. / (k->gamma - 1.));

    state_set(w, rho, 1. - swirl * y, 1. + swirl * x, rho * temperature, exp(-r2));
}

/* A contact at rest. */
static void contact(const struct problem_params *k, const struct problem_point *at,
                    double w[EULER_NVAR])
{
    if (at->s < .5)
        state_set(w, 1., 0., 0., 1., 0.);
    else
        state_set(w, k->eta, 0., 0., 1., 1.);
}

/* Return a random number in [-1, 1) for a cell, which does not depend on patches. */
static double cell_noise(int64_t i, int64_t j)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + (uint64_t)j * 0xc2b2ae3d27d4eb4fu;

    for (int round = 0; round < 3; round++) {
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
    }
    return (double)(x >> 11) * 0x1p-52 - 1.;
}

/* Quirk's odd-even decoupling: a plane shock along a duct, with noise in the density. */
static void oddeven(const struct problem_params *k, const struct problem_point *at,
                    double w[EULER_NVAR])
{
    if (at->s < k->shock_at)
        state_behind_shock(k, w);
    else
        state_set(w, 1., 0., 0., 1., 0.);
    w[EULER_RHO] *= 1. + k->noise * cell_noise(at->i, at->j);
}

/* A uniform stream, which must not change. */
static void uniform(const struct problem_params *k, const struct problem_point *at,
                    double w[EULER_NVAR])
{
    (void)k;
    (void)at;
    state_set(w, 1., .5, -.25, 1., .5);
}

static const struct problem problems[] = {
    {"shock_interface", 4., 1., 1, shock_interface},
    {"sod", 1., 1., 0, sod},
    {"vortex", 10., 10., 0, vortex},
    {"contact", 1., 1., 0, contact},
    {"oddeven", 40., 1., 0, oddeven},
    {"uniform", 1., 1., 0, uniform},
};

const struct problem *problem_find(const char *name)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (!strcmp(problems[i].name, name))
            return &problems[i];
    return NULL;
}
