/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_port.h: components report the costs of the mesh cells that they compute.
 *
 * A component that works on steps, patches or faces has an optional uses port `probe` of
 * this type; without a connection it costs one test of a pointer. MeshProbe provides it
 * in a run with --cells.
 *
 *     driver:      step ──────────────────────────────────────── step ...
 *     integrator:       begin(patch) ......... end  begin ... end
 *     rhs:                  begin(patch) ... end
 *     flux:                     faces, faces
 *
 * Call all functions in the framework's thread. */
#ifndef PORTS_PROBE_PORT_H
#define PORTS_PROBE_PORT_H

#include "ports/mesh_port.h"

#define PROBE_PORT_TYPE "mesh.ProbePort/1"

struct probe_port {
    struct cca_port base;

    /* Report the begin of a step of level 0, with the current patches of the mesh.
     *
     *   mesh    in  borrowed for the call
     *   step    in  steps of level 0 made so far
     *   time_s  in  simulated time */
    void (*step)(struct probe_port *self, struct mesh_port *mesh, int64_t step,
                 double time_s) CCA_UNMEASURED;

    /* Report the begin and the end of the work on a patch, which is borrowed for the
     * call. Calls nest: the time is recorded for the outermost patch, faces for the
     * innermost patch. */
    void (*begin)(struct probe_port *self, const struct mesh_patch *patch) CCA_UNMEASURED;
    void (*end)(struct probe_port *self) CCA_UNMEASURED;

    /* Report the work at the faces of the patch that was begun last, in the order of
     * faces in the flux port: nx + 1 by ny along axis 0, nx by ny + 1 along axis 1. Each
     * of a face's two cells gets half of its work; at the patch's border only the cell
     * inside the patch gets its half.
     *
     *   work  in  [ny][nx] work of each face, for instance iterations; borrowed */
    void (*faces)(struct probe_port *self, int axis, int nx, int ny,
                  const int32_t *work) CCA_UNMEASURED;

    /* Return memory for the work of `count` faces, borrowed until the next call; NULL:
     * faces are not recorded, or out of memory. */
    int32_t *(*room)(struct probe_port *self, int64_t count)CCA_UNMEASURED;
};

#endif
