/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.h: the problems of InitialConditions, as functions of position.
 *
 * Every problem is written along one direction; `s` runs along it and `t` across. The
 * parameter `axis` rotates the problem, so that a problem along y is the transpose of the
 * same problem along x.
 */
#ifndef COMPONENTS_INITIALCONDITIONS_PROBLEM_H
#define COMPONENTS_INITIALCONDITIONS_PROBLEM_H

#include <stdint.h>

/* The parameters. */
struct problem_params {
    double gamma;
    double mach;         /* Mach number of the shock */
    double eta;          /* density ratio across the interface */
    double tan_angle;    /* tangent of the angle between the planes of shock and
                          * interface */
    double shock_at;     /* position of the shock in the direction "along", at time 0 */
    double interface_at; /* position of the interface in the direction "along", at time
                          * 0 */
    double noise;        /* relative amplitude of the noise in the density */
};

/* A point, with its coordinates along and across, and the indices of its cell in the
 * whole domain. */
struct problem_point {
    double s, t;
    int64_t i, j;
};

/* Function that computes the primitive state w (rho, u, v, p, zeta; u is the velocity
 * along) at a point. */
typedef void (*problem_state)(const struct problem_params *params,
                              const struct problem_point *at, double w[5]);

struct problem {
    const char *name;
    double length, height; /* along and across */
    int averaged; /* true if jumps may be inside cells, so that cells which a jump crosses
                   * are averaged
                   */
    problem_state state;
};

/* Return the problem of that name, or NULL. */
const struct problem *problem_find(const char *name);

/* Names of all problems, as choices of a parameter in the class descriptor. */
#define PROBLEM_NAMES "shock_interface|sod|vortex|contact|oddeven|uniform"

#endif
