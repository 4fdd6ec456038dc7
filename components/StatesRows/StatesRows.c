/* SPDX-License-Identifier: BSD-3-Clause */
/* StatesRows: like States, but works in memory order on several cells at a time.
 *
 * The operations on a cell are those of States in the same order, so results have the
 * same bits. Both modes process the patch row by row (rows.h). */
#include <assert.h>
#include <errno.h>

#include "components/StatesRows/rows.h"
#include "components/cpu.h"
#include "components/gas.h"
#include "ports/gas_port_signature.h"
#include "ports/states_port_signature.h"

struct states_rows {
    struct states_port port;
    struct cca_services *services;
};

static int states_rows_reconstruct(struct states_port *port, int axis, int nx, int ny,
                                   int ghost, ptrdiff_t pitch, ptrdiff_t plane,
                                   const double *u, double *left, double *right)
{
    struct states_rows *self = cca_container_of(port, struct states_rows, port);
    ptrdiff_t width = axis ? nx : nx + 1; /* number of faces in a row */
    struct rows p = {
        .limiter = limiter_current(self->services),
        .nx = nx,
        .ny = ny,
        .pitch = pitch,
        .plane = plane,
        .f_pitch = width,
        .f_plane = width * (axis ? ny + 1 : ny),
        .u = u + ghost * pitch + ghost,
        .left = left,
        .right = right,
    };
    int result;

    assert((axis == 0 || axis == 1) && nx > 0 && ny > 0);
    if (ghost < limiter_ghosts(p.limiter))
        return -EINVAL;
    result = gas_gamma(self->services, &p.gamma);
    if (result)
        return result;
    return cpu_vectors(self->services) == CPU_BASELINE ? rows_reconstruct(&p, axis)
                                                       : rows_reconstruct_avx2(&p, axis);
}

static int states_rows_ghost_needed(struct states_port *port)
{
    struct states_rows *self = cca_container_of(port, struct states_rows, port);

    return limiter_ghosts(limiter_current(self->services));
}

static const struct states_port port = {.base = {STATES_PORT_TYPE, sizeof port},
                                        .reconstruct = states_rows_reconstruct,
                                        .ghost_needed = states_rows_ghost_needed};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct states_rows, services),
    .name = "StatesRows",
    .summary = "slope-limited reconstruction at faces, row by row",
    CCA_SIGNATURES(STATES_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"states", offsetof(struct states_rows, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("states", STATES_PORT_TYPE, struct states_port)),
    CCA_USES(GAS_USES),
    CCA_PARAMS(LIMITER_PARAM, CPU_PARAM),
};
