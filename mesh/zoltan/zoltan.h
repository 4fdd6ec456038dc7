/* SPDX-License-Identifier: BSD-3-Clause */
/* zoltan.h: partitioners of Zoltan, in a child process: the program mesh-zoltan.
 *
 * A partition depends on the number of ranks on which Zoltan ran. So it runs on as many
 * ranks as the profiled program had, each with an equal share of the cells in C order;
 * for an imported trace it runs on one rank. REMAP is off, so a partition depends on one
 * step's weights alone. A step whose weights are all 0 is partitioned by equal weights.
 */
#ifndef MESH_ZOLTAN_ZOLTAN_H
#define MESH_ZOLTAN_ZOLTAN_H

#include "mesh/balance/partition.h"

struct mesh_zoltan_wish {
    const char *program; /* path of the program mesh-zoltan; borrowed during the call */
    int ranks;           /* number of ranks of the program, 1 to MESH_ZOLTAN_RANKS */
    double seconds; /* time limit of the start, and of each partition; 0 counts as 60 */
};
enum { MESH_ZOLTAN_RANKS = 1024 };

/* Whether `name` begins with "zoltan:". */
int mesh_zoltan_is(const char *name);

/* Open "zoltan:METHOD" (RCB, RIB, HSFC, BLOCK, GRAPH, HYPERGRAPH, SCOTCH) or
 * "zoltan:RCB:planes" (RCB_RECTILINEAR_BLOCKS: parts are boxes) for one source, as
 * mesh_partitioner_open. `name` and `source` are borrowed until the partitioner is
 * closed. Returns 0; -EINVAL: an unknown method, ranks out of bounds, or the method needs
 * a grid; -ENOTSUP: there is no such program: "zoltan: not built in"; -EPROTO: the child
 * died; -ETIMEDOUT: it did not answer; -ENOMEM. The partitioner's `cut` returns -EPROTO,
 * -ETIMEDOUT or -ENOMEM, and -EREMOTEIO if Zoltan reports an error. Closed by
 * mesh_partitioner_close, also after a failure. */
int mesh_zoltan_open(struct mesh_partitioner *partitioner, const char *name,
                     const struct mesh_source *source,
                     const struct mesh_zoltan_wish *wish, struct cca_error *err);

#endif
