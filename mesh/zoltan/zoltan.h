/* SPDX-License-Identifier: BSD-3-Clause */
/* zoltan.h: partitioners of Zoltan, in a child process: the program mesh-zoltan.
 *
 * A partition depends on the number of ranks that Zoltan ran on. So it runs on as many
 * as the profiled program had, each with an equal share of the cells in C order; an
 * imported trace has one. REMAP is off: a partition depends on one step's weights alone.
 * A step without any weight is partitioned by equal weights. */
#ifndef MESH_ZOLTAN_ZOLTAN_H
#define MESH_ZOLTAN_ZOLTAN_H

#include "mesh/balance/partition.h"

struct mesh_zoltan_wish {
    const char *program; /* mesh-zoltan; borrowed during the call */
    int ranks;           /* 1 to MESH_ZOLTAN_RANKS */
    double seconds;      /* for the start, and for each partition; 0: 60 */
};
enum { MESH_ZOLTAN_RANKS = 1024 };

/* True where `name` begins as the name of such a partitioner: "zoltan:". */
int mesh_zoltan_is(const char *name);

/* Open "zoltan:METHOD" (RCB, RIB, HSFC, BLOCK, GRAPH, HYPERGRAPH, SCOTCH) or
 * "zoltan:RCB:planes" (RCB_RECTILINEAR_BLOCKS: parts are boxes) for one source, as
 * mesh_partitioner_open. `name` and `source` are borrowed until it is closed. 0; -EINVAL
 * an unknown method, ranks out of bounds, or one that needs a grid; -ENOTSUP there is no
 * such program: "zoltan: not built in"; -EPROTO the child died; -ETIMEDOUT it did not
 * answer; -ENOMEM. `cut` returns the last three, and -EREMOTEIO where Zoltan reports an
 * error. Closed by mesh_partitioner_close, also after a failure. */
int mesh_zoltan_open(struct mesh_partitioner *partitioner, const char *name,
                     const struct mesh_source *source,
                     const struct mesh_zoltan_wish *wish, struct cca_error *err);

#endif
