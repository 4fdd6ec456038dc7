/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.h: partitions: the part that owns each cell.
 *
 * A partition is a list of boxes with their part if that is short, else an owner for each
 * cell. Parts may be empty. */
#ifndef MESH_BALANCE_PARTITION_H
#define MESH_BALANCE_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "mesh/balance/source.h"

enum { MESH_PARTS = 65535 };

struct mesh_part_box {
    int32_t lo[3], hi[3]; /* cells c of the box: lo <= c < hi */
    int32_t part;
};

struct mesh_partition {
    int parts;
    struct mesh_part_box *boxes; /* boxes of cells, sorted by part; NULL: see `owner` */
    size_t box_count;
    uint16_t *owner; /* part of each cell, [cells]; NULL: see `boxes` */
};

/* Free the arrays of a partition and zero it. */
void mesh_partition_free(struct mesh_partition *partition);

/* Copy a partition. Returns 0, or -ENOMEM with *to all zeros. */
int mesh_partition_copy(const struct mesh_source *source,
                        const struct mesh_partition *partition,
                        struct mesh_partition *to);

/* Make a partition from owners[cells], each below `parts`. It is stored as boxes if these
 * are fewer than a sixteenth of the cells. Owners are copied. Returns 0 or -ENOMEM. */
int mesh_partition_make(const struct mesh_source *source, const uint16_t *owners,
                        int parts, struct mesh_partition *partition);

/* Write the owner of each cell into owners[cells]. */
void mesh_partition_owners(const struct mesh_source *source,
                           const struct mesh_partition *partition, uint16_t *owners);

/* Return the number of cells that have another owner in `b` than in `a`; `scratch` has
 * room for 2 * cells owners. */
int64_t mesh_partition_moved(const struct mesh_source *source,
                             const struct mesh_partition *a,
                             const struct mesh_partition *b, uint16_t *scratch);

/* A partitioner: a function that makes a partition from weights, and its context. */
struct mesh_partitioner {
    const char *name;
    /* Partition by weights[cells] into `parts`, 1 to MESH_PARTS. `before` is the current
     * partition, or NULL. The caller frees `out`. Returns 0, -ENOMEM, or another negative
     * errno with `err`. */
    int (*cut)(void *context, const struct mesh_source *source, const float *weights,
               int parts, const struct mesh_partition *before, struct mesh_partition *out,
               struct cca_error *err);
    void *context;
    void (*close)(void *context); /* free the context; NULL: nothing to free */
};

/* Recursive coordinate bisection (Berger and Bokhari 1987; section 4 of the paper of
 * docs/papers/mesh.md): cut the longest side (ties: the first dimension) where the larger
 * of the two sides' loads, each divided by its number of parts, is minimal (ties: the
 * leftmost). P parts become P / 2, rounded down, on the left, the rest on the right.
 * Cells of one plane are divided in ascending order; each side keeps at least one cell.
 */
extern const struct mesh_partitioner mesh_rcb;
/* Like mesh_rcb, but cuts between whole planes only: parts are boxes ("rectangular
 * blocks" in the paper of docs/papers/mesh.md). */
extern const struct mesh_partitioner mesh_rcb_planes;
/* Keep the first partition always; it is made by mesh_rcb. */
extern const struct mesh_partitioner mesh_keep;

/* Partitioners that keep data about their source are opened by name:
 *   hilbert   cells along a Hilbert curve in contiguous parts whose largest load is the
 *             least possible; of such cuts the nearest to equal shares
 *   greedy    blocks of cells (at least 16 for a part, where there are so many cells),
 *             the heaviest first, to the part with the least load */

/* Open a partitioner by name for one source, which is borrowed until the partitioner is
 * closed; it serves `source` only. Returns 0; -EINVAL an unknown name, or it cannot serve
 * elements without a grid; -ENOMEM. Close with mesh_partitioner_close, also after a
 * failure. */
int mesh_partitioner_open(struct mesh_partitioner *partitioner, const char *name,
                          const struct mesh_source *source, struct cca_error *err);
void mesh_partitioner_close(struct mesh_partitioner *partitioner);
/* Return the names of all partitioners in the order of the documentation, ended by NULL.
 */
extern const char *const mesh_partitioner_names[];

#endif
