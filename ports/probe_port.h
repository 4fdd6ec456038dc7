/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_port.h: what the cells of a mesh cost, told by the components that compute them.
 *
 * A component that knows of steps, patches or faces has an optional uses port `probe` of
 * this type; unconnected, that is one test of a pointer. MeshProbe serves it where a run
 * has --cells.
 *
 *     driver:      step ──────────────────────────────────────── step ...
 *     integrator:       begin(patch) ......... end  begin ... end
 *     rhs:                  begin(patch) ... end
 *     flux:                     faces, faces
 *
 * Functions are for the thread of the framework. */
#ifndef PORTS_PROBE_PORT_H
#define PORTS_PROBE_PORT_H

#include "ports/mesh_port.h"

#define PROBE_PORT_TYPE "mesh.ProbePort/1"

struct probe_port {
    struct cca_port base;

    /* A step of level 0 begins, with the patches that the mesh has now.
     *
     *   mesh    in  borrowed for the call
     *   step    in  steps of level 0 made so far
     *   time_s  in  the program's time */
    void (*step)(struct probe_port *self, struct mesh_port *mesh, int64_t step,
                 double time_s) CCA_UNMEASURED;

    /* Work on a patch begins and ends; borrowed for the call. Calls nest: time is that of
     * the outermost, faces are of the innermost patch. */
    void (*begin)(struct probe_port *self, const struct mesh_patch *patch) CCA_UNMEASURED;
    void (*end)(struct probe_port *self) CCA_UNMEASURED;

    /* The work of the faces of the patch that has begun, as the flux port orders them:
     * nx + 1 by ny along axis 0, nx by ny + 1 along axis 1. Each face gives half to each
     * of its two cells; of the patch's border to that inside.
     *
     *   work  in  [ny][nx] counts of faces, iterations for instance; borrowed */
    void (*faces)(struct probe_port *self, int axis, int nx, int ny,
                  const int32_t *work) CCA_UNMEASURED;

    /* Room for the work of `count` faces, borrowed until the next call; NULL: they are
     * not wanted, or no memory. */
    int32_t *(*room)(struct probe_port *self, int64_t count)CCA_UNMEASURED;
};

#endif
