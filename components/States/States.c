/* SPDX-License-Identifier: BSD-3-Clause */
/* States: slope-limited (MUSCL) reconstruction of the states on both sides of each face.
 *
 * States are linear in each cell and each primitive variable (limiter.h), or constant. */
#include <assert.h>
#include <errno.h>

#include "components/euler.h"
#include "components/gas.h"
#include "components/limiter.h"
#include "ports/gas_port_signature.h"
#include "ports/states_port_signature.h"

struct states {
    struct states_port port;
    struct cca_services *services;
};

/* A line of cells along the axis and the faces between them: addresses of the first cell
 * and face, and distances to the next. */
struct pencil {
    int cells;         /* number of interior cells; there are cells + 1 faces */
    ptrdiff_t along;   /* distance between cells, doubles */
    ptrdiff_t plane;   /* distance between components of u, doubles */
    ptrdiff_t f_along; /* distance between faces, doubles */
    ptrdiff_t f_plane;
    const double *u;      /* density of the first interior cell */
    double *left, *right; /* density at the first face */
};

struct cell {
    double w[EULER_NVAR];
};

/* Load the primitive state of cell `i`. Returns 0 if it is no gas. */
static inline int load_cell(double gamma, const struct pencil *p, int i,
                            struct cell *cell)
{
    const double *at = p->u + i * p->along;
    double u[EULER_NVAR];

    for (int k = 0; k < EULER_NVAR; k++)
        u[k] = at[k * p->plane];
    euler_primitive(gamma, u, cell->w);
    return euler_positive(cell->w[EULER_RHO], cell->w[EULER_P]);
}

/* Write cell `i` to the faces on both sides, if the pencil has them: as the right state
 * of face i and the left state of face i + 1. */
static inline void store_cell(const struct pencil *p, int i, const struct cell *low,
                              const struct cell *high)
{
    if (i >= 0) {
        double *out = p->right + i * p->f_along;

        for (int k = 0; k < EULER_NVAR; k++)
            out[k * p->f_plane] = low->w[k];
    }
    if (i < p->cells) {
        double *out = p->left + (i + 1) * p->f_along;

        for (int k = 0; k < EULER_NVAR; k++)
            out[k * p->f_plane] = high->w[k];
    }
}

/* Extrapolate the state in the cell `here` to its lower and its upper face. If the
 * results are no gas (differences overflowed), the cell is constant. */
static inline void extrapolate(enum limiter limiter, const struct cell *before,
                               const struct cell *here, const struct cell *after,
                               struct cell *low, struct cell *high)
{
    for (int k = 0; k < EULER_NVAR; k++) {
        double half = .5 * limiter_difference(limiter, here->w[k] - before->w[k],
                                              after->w[k] - here->w[k]);

        low->w[k] = here->w[k] - half;
        high->w[k] = here->w[k] + half;
    }
    if (!euler_positive(low->w[EULER_RHO], low->w[EULER_P]) ||
        !euler_positive(high->w[EULER_RHO], high->w[EULER_P]))
        *low = *high = *here;
}

/* Reconstruct the states along one axis: the common function of both modes (x and y),
 * inlined once for each limiter. */
__attribute__((always_inline)) static inline int
reconstruct_pencil(enum limiter limiter, double gamma, const struct pencil *p)
{
    struct cell before, here, after, low, high;

    if (limiter == LIMITER_NONE) {
        for (int i = -1; i <= p->cells; i++) {
            if (!load_cell(gamma, p, i, &here))
                return -EDOM;
            store_cell(p, i, &here, &here);
        }
        return 0;
    }
    if (!load_cell(gamma, p, -2, &before) || !load_cell(gamma, p, -1, &here))
        return -EDOM;
    for (int i = -1; i <= p->cells; i++) {
        if (!load_cell(gamma, p, i + 1, &after))
            return -EDOM;
        extrapolate(limiter, &before, &here, &after, &low, &high);
        store_cell(p, i, &low, &high);
        before = here;
        here = after;
    }
    return 0;
}

static int reconstruct(enum limiter limiter, double gamma, const struct pencil *p)
{
    switch (limiter) {
    case LIMITER_NONE:
        return reconstruct_pencil(LIMITER_NONE, gamma, p);
    case LIMITER_MINMOD:
        return reconstruct_pencil(LIMITER_MINMOD, gamma, p);
    default:
        return reconstruct_pencil(LIMITER_VANLEER, gamma, p);
    }
}

static int states_ghost_needed(struct states_port *port)
{
    struct states *self = cca_container_of(port, struct states, port);

    return limiter_ghosts(limiter_current(self->services));
}

static int states_reconstruct(struct states_port *port, int axis, int nx, int ny,
                              int ghost, ptrdiff_t pitch, ptrdiff_t plane,
                              const double *u, double *left, double *right)
{
    struct states *self = cca_container_of(port, struct states, port);
    enum limiter limiter = limiter_current(self->services);
    int width = axis ? nx : nx + 1; /* number of faces in a row */
    int pencils = axis ? nx : ny;
    struct pencil p = {
        .cells = axis ? ny : nx,
        .along = axis ? pitch : 1,
        .plane = plane,
        .f_along = axis ? width : 1,
        .f_plane = (ptrdiff_t)width * (axis ? ny + 1 : ny),
    };
    double gamma;
    int result;

    assert((axis == 0 || axis == 1) && nx > 0 && ny > 0);
    if (ghost < limiter_ghosts(limiter))
        return -EINVAL;
    result = gas_gamma(self->services, &gamma);
    for (int k = 0; k < pencils && result == 0; k++) {
        ptrdiff_t first = ghost * pitch + ghost + k * (axis ? 1 : pitch);
        ptrdiff_t face = k * (ptrdiff_t)(axis ? 1 : width);

        p.u = u + first;
        p.left = left + face;
        p.right = right + face;
        result = reconstruct(limiter, gamma, &p);
    }
    return result;
}

static const struct states_port port = {.base = {STATES_PORT_TYPE, sizeof port},
                                        .reconstruct = states_reconstruct,
                                        .ghost_needed = states_ghost_needed};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct states, services),
    .name = "States",
    .summary = "slope-limited reconstruction at faces, pencil by pencil",
    CCA_SIGNATURES(STATES_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"states", offsetof(struct states, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("states", STATES_PORT_TYPE, struct states_port)),
    CCA_USES(GAS_USES),
    CCA_PARAMS(LIMITER_PARAM),
};
