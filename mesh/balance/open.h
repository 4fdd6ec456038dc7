/* SPDX-License-Identifier: BSD-3-Clause */
/* open.h: partitioners that keep data about their source. Each as mesh_partitioner_open
 * (partition.h). */
#ifndef MESH_BALANCE_OPEN_H
#define MESH_BALANCE_OPEN_H

#include "mesh/balance/partition.h"

int mesh_rcb_open(struct mesh_partitioner *partitioner, const struct mesh_source *source,
                  struct cca_error *err);
int mesh_hilbert_open(struct mesh_partitioner *partitioner,
                      const struct mesh_source *source, struct cca_error *err);
int mesh_greedy_open(struct mesh_partitioner *partitioner,
                     const struct mesh_source *source, struct cca_error *err);

#endif
