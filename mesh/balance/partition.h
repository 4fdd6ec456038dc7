/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.h: which part has which cell.
 *
 * A partition is a list of boxes with their part where that is short, else an owner for
 * each cell. Parts may be empty. */
#ifndef MESH_BALANCE_PARTITION_H
#define MESH_BALANCE_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "mesh/balance/source.h"

enum { MESH_PARTS = 65535 };

struct mesh_part_box {
    int32_t lo[3], hi[3]; /* lo <= c < hi */
    int32_t part;
};

struct mesh_partition {
    int parts;
    struct mesh_part_box *boxes; /* sorted by part; NULL: see `owner` */
    size_t box_count;
    uint16_t *owner; /* [cells]; NULL: see `boxes` */
};

/* Free what a partition holds; it is all zeros then. */
void mesh_partition_free(struct mesh_partition *partition);

/* A copy of a partition. 0, or -ENOMEM with *to all zeros. */
int mesh_partition_copy(const struct mesh_source *source,
                        const struct mesh_partition *partition,
                        struct mesh_partition *to);

/* A partition from owners[cells], each below `parts`: boxes where these are fewer than a
 * sixteenth of the cells. Owners are copied. 0 or -ENOMEM. */
int mesh_partition_make(const struct mesh_source *source, const uint16_t *owners,
                        int parts, struct mesh_partition *partition);

/* The owner of each cell, into owners[cells]. */
void mesh_partition_owners(const struct mesh_source *source,
                           const struct mesh_partition *partition, uint16_t *owners);

/* Cells that have another owner in `b` than in `a`; `scratch` has room for 2 * cells
 * owners. */
int64_t mesh_partition_moved(const struct mesh_source *source,
                             const struct mesh_partition *a,
                             const struct mesh_partition *b, uint16_t *scratch);

/* A way to partition. */
struct mesh_partitioner {
    const char *name;
    /* Partition by weights[cells] into `parts`, 1 to MESH_PARTS. `before` is the
     * partition that stands, or NULL. The caller frees `out`. 0, -ENOMEM, or another
     * negative errno with `err`. */
    int (*cut)(void *context, const struct mesh_source *source, const float *weights,
               int parts, const struct mesh_partition *before, struct mesh_partition *out,
               struct cca_error *err);
    void *context;
    void (*close)(void *context); /* NULL: nothing to close */
};

/* Recursive coordinate bisection (Berger and Bokhari 1987; the paper, section 4): the
 * longest side of what is divided, the first of equals, is cut where the larger of both
 * sides, each over its number of parts, is least; of equal cuts the leftmost. P parts
 * become P / 2, rounded down, on the left and the rest. Cells of one plane are divided in
 * ascending order; each side keeps at least one cell. */
extern const struct mesh_partitioner mesh_rcb;
/* The same with whole planes alone: parts are boxes ("rectangular blocks" of the paper).
 */
extern const struct mesh_partitioner mesh_rcb_planes;
/* The first partition for ever; that is one of mesh_rcb. */
extern const struct mesh_partitioner mesh_keep;

/* By name only, since they remember something about their source:
 *   hilbert   cells along a Hilbert curve in contiguous parts whose largest load is the
 *             least that is possible; of those the nearest to equal shares
 *   greedy    blocks of cells (at least 16 for a part, where there are so many cells),
 *             the heaviest first, to the part with the least load */

/* Open the partitioner of a name for one source, which is borrowed until it is closed; it
 * serves `source` alone. 0; -EINVAL an unknown name, or one that cannot serve elements
 * without a grid; -ENOMEM. Closed by mesh_partitioner_close, also after a failure. */
int mesh_partitioner_open(struct mesh_partitioner *partitioner, const char *name,
                          const struct mesh_source *source, struct cca_error *err);
void mesh_partitioner_close(struct mesh_partitioner *partitioner);
/* The names of all, in the order of the documentation, ended by NULL. */
extern const char *const mesh_partitioner_names[];

#endif
