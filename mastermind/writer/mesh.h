/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.h: between the recorder and the agents that keep mesh profiles. */
#ifndef MASTERMIND_WRITER_MESH_H
#define MASTERMIND_WRITER_MESH_H

#include "ports/cca_error.h"

/* Have what this process tells of its meshes kept in the experiment whose folder of the
 * rank is `rank_path`, absolute. 0, also where no profile is wanted; or a negative errno
 * with `err`: it is not kept. */
int mm_mesh_keep(const char *rank_path, struct cca_error *err);

#endif
