/* SPDX-License-Identifier: BSD-3-Clause */
/* riemann.h: the exact solution of the Riemann problem of an ideal gas, at the face.
 *
 * The structure is the textbook's (E. F. Toro, Riemann Solvers and Numerical Methods for
 * Fluid Dynamics, chapter 4): three waves; pressure and velocity are equal on both sides
 * of the middle one, the contact; p* is the root of f(p) = f_left(p) + f_right(p) +
 * u_right - u_left. */
#ifndef COMPONENTS_GODUNOVFLUX_RIEMANN_H
#define COMPONENTS_GODUNOVFLUX_RIEMANN_H

#include "components/faces.h"

/* Newton's iteration ends when a step changes p by less than this fraction. It converges
 * quadratically, so the error left is of the order of the square: rounding. */
#define RIEMANN_TOLERANCE 1e-8
/* f is increasing and concave, so from the second iterate on Newton climbs towards the
 * root and cannot miss it; near a vacuum, where the first iterates are negative, it takes
 * some tens of steps. */
#define RIEMANN_MAX_ITERATIONS 100

/* The state at x/t = 0 between `left` and `right`, zeta from the side of the contact.
 *
 * Returns Newton iterations done, >= 1; -EDOM where the states recede so fast that a
 * vacuum opens, or where the iteration does not converge. */
int riemann_at_face(double gamma, const struct face_state *left,
                    const struct face_state *right, struct face_state *at);

#endif
