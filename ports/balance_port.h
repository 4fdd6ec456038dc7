/* SPDX-License-Identifier: BSD-3-Clause */
/* balance_port.h: who gets which patch of a mesh. A mesh asks through an optional uses
 * port of this type before each step of level 0; unconnected, it decides as it did.
 *
 *     mesh: patches of all levels, their owners ──ask──▶ Balancer: new owners, or none
 */
#ifndef PORTS_BALANCE_PORT_H
#define PORTS_BALANCE_PORT_H

#include "ports/cca_port.h"

#define BALANCE_PORT_TYPE "mesh.BalancePort/1"

/* What is shared: the same on all ranks. */
struct balance_mesh {
    int64_t nx, ny; /* cells of level 0 */
    int levels;
    int ratio; /* of a level to the one below */
    int ranks; /* that share the mesh */
};

struct balance_patch {
    int level;
    int number;       /* among the patches of its level */
    int64_t ilo, jlo; /* its first cell in the cells of its level */
    int64_t nx, ny;
    int rank; /* its owner */
};

struct balance_port {
    struct cca_port base;

    /* Decide who has which patch from this step on.
     *
     *   step     in       steps of level 0 made so far
     *   mesh     in       borrowed
     *   patches  in       [count], of all ranks, by level and then number; the same on
     *                     all ranks; borrowed
     *   owners   in, out  [count]: as they are; the new ones where 1 is returned, 0 to
     *                     ranks - 1, the same on all ranks
     *
     * 1: owners have changed; 0: they stay; or a negative errno with `err`. Collective:
     * all ranks ask at the same steps. */
    int (*ask)(struct balance_port *self, int64_t step, const struct balance_mesh *mesh,
               const struct balance_patch *patches, CCA_PARAM int count, int *owners,
               struct cca_error *err);

    /* Told when the patches have their new owners.
     *
     *   step    in  as in ask
     *   cells   in  that came to this rank, of one field
     *   cpu_ns  in  CPU time that it took this rank, of its thread
     */
    void (*moved)(struct balance_port *self, int64_t step, int64_t cells,
                  int64_t cpu_ns) CCA_UNMEASURED;
};

#endif
