/* SPDX-License-Identifier: BSD-3-Clause */
/* balance_port.h: choose the owner rank of each patch of a mesh. A mesh calls it through
 * an optional uses port before each step of level 0; if the port is not connected, the
 * mesh decides itself.
 *
 *     mesh: patches of all levels, their owners ──ask──▶ Balancer: new owners, or none
 */
#ifndef PORTS_BALANCE_PORT_H
#define PORTS_BALANCE_PORT_H

#include "ports/cca_port.h"

#define BALANCE_PORT_TYPE "mesh.BalancePort/1"

/* Facts about the mesh that are the same on all ranks. */
struct balance_mesh {
    int64_t nx, ny; /* cells of level 0 */
    int levels;
    int ratio; /* refinement ratio of a level to the next coarser level */
    int ranks; /* number of ranks that share the mesh */
};

struct balance_patch {
    int level;
    int number;       /* index among the patches of its level on all ranks */
    int64_t ilo, jlo; /* first cell of the patch, counted in cells of its level */
    int64_t nx, ny;
    int rank; /* its owner */
};

struct balance_port {
    struct cca_port base;

    /* Choose the owners of all patches from this step on.
     *
     *   step     in       steps of level 0 made so far
     *   mesh     in       borrowed
     *   patches  in       [count] patches of all ranks, sorted by level and number; the
     *                     same on all ranks; borrowed
     *   owners   in, out  [count] current owners; if 1 is returned, the new owners, 0 to
     *                     ranks - 1, the same on all ranks
     *
     * Returns 1: owners have changed; 0: they have not; or a negative errno with `err`.
     * Collective: all ranks call it at the same steps. */
    int (*ask)(struct balance_port *self, int64_t step, const struct balance_mesh *mesh,
               const struct balance_patch *patches, CCA_PARAM int count, int *owners,
               struct cca_error *err);

    /* Called by the mesh when the patches have been moved to their new owners.
     *
     *   step    in  as in `ask`
     *   cells   in  cells that this rank received, counted for one field
     *   cpu_ns  in  CPU time of the move in this rank's thread
     */
    void (*moved)(struct balance_port *self, int64_t step, int64_t cells,
                  int64_t cpu_ns) CCA_UNMEASURED;
};

#endif
