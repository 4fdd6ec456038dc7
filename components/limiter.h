/* SPDX-License-Identifier: BSD-3-Clause */
/* limiter.h: slope limiters, for classes that reconstruct states at faces.
 *
 * A straight line in each cell for each primitive variable, with van Leer's harmonic or
 * the minmod slope (B. van Leer, J. Comput. Phys. 32 (1979) 101-136; P. L. Roe, Annu.
 * Rev. Fluid Mech. 18 (1986)), or constant: first order. */
#ifndef COMPONENTS_LIMITER_H
#define COMPONENTS_LIMITER_H

#include <math.h>
#include <string.h>

#include "framework/cca.h"

enum limiter { LIMITER_NONE, LIMITER_MINMOD, LIMITER_VANLEER };

/* Declaration of the parameter that selects the limiter, for CCA_PARAMS. */
#define LIMITER_PARAM                                                                    \
    {                                                                                    \
        .name = "limiter", .type = CCA_STRING, .value = "vanleer",                       \
        .choices = "none|minmod|vanleer",                                                \
        .help = "slope limiter; none: constant in each cell, first order"                \
    }

/* Return the limiter that the parameter selects. */
static inline enum limiter limiter_current(struct cca_services *services)
{
    const char *name = cca_services_param_string(services, "limiter");

    if (!strcmp(name, "none"))
        return LIMITER_NONE;
    return strcmp(name, "minmod") ? LIMITER_VANLEER : LIMITER_MINMOD;
}

/* Return the number of ghost layers that a reconstruction reads. */
static inline int limiter_ghosts(enum limiter limiter)
{
    return limiter == LIMITER_NONE ? 1 : 2;
}

/* Return the limited difference over a cell, from the difference `a` to the cell before
 * it and `b` to the cell after it. */
static inline double limiter_difference(enum limiter limiter, double a, double b)
{
    if (!(a * b > 0.))
        return 0.;
    if (limiter == LIMITER_MINMOD)
        return fabs(a) < fabs(b) ? a : b;
    return 2. * a * b / (a + b);
}

#endif
