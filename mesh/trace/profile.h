/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h: read a mesh profile of an experiment: its steps and boxes, and the values of
 * any box of cells; other cells are not decoded.
 *
 * Opening maps the file and indexes the frames it has at that time. One thread at a
 * time. */
#ifndef MESH_TRACE_PROFILE_H
#define MESH_TRACE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

struct mesh_profile;

/* One complete step. */
struct mesh_step {
    int64_t number; /* the program's step number */
    struct mm_mesh_step_end end;
    /* first_block: index for mesh_profile_block; blocks: number of blocks */
    size_t first_block, blocks;
};

/* List the names of the profiles of an experiment, sorted: (*names)[0 .. n-1], one block
 * of memory that the caller frees. Returns n; 0: there is none; -ENOMEM or an I/O error.
 */
int mesh_profile_names(const char *experiment, char ***names, struct cca_error *err);

/* Open the profile `name`, or the only one if `name` is NULL. The caller frees it by
 * mesh_profile_close. Returns NULL with `err`: -ENOENT with the nearest name; -EINVAL:
 * there are several and `name` is NULL; -EBADMSG: a damaged file, with the offset, found
 * and expected; -ENOMEM or an I/O error. A file with an incomplete end is read up to
 * there (mesh_profile_torn). */
struct mesh_profile *mesh_profile_open(const char *experiment, const char *name,
                                       struct cca_error *err);
void mesh_profile_close(struct mesh_profile *p);

/* Return the properties of the profile; owned by the profile. */
const struct mm_mesh_about *mesh_profile_about(const struct mesh_profile *p);
const char *mesh_profile_path(const struct mesh_profile *p);
int mesh_profile_probes(const struct mesh_profile *p);
const struct mm_mesh_probe *mesh_profile_probe(const struct mesh_profile *p, int probe);
/* Return the index of the probe `name`, or -1. */
int mesh_profile_find_probe(const struct mesh_profile *p, const char *name);

/* Return the number of complete steps; they have indices from 0 and ascend. */
size_t mesh_profile_steps(const struct mesh_profile *p);
const struct mesh_step *mesh_profile_step(const struct mesh_profile *p, size_t i);
/* Return the first index whose step number is at least `number`;
 * mesh_profile_steps(profile) if there is none. */
size_t mesh_profile_find_step(const struct mesh_profile *p, int64_t number);

/* Return the header of BLOCK frame `b`: its rank, probe, level, box, sum and errors. */
const struct mm_mesh_frame *mesh_profile_block(const struct mesh_profile *p, size_t b);

/* Return the centres of elements, 3 doubles each; NULL: the mesh is a grid, or centres
 * were never written. */
const double *mesh_profile_centres(const struct mesh_profile *p);

size_t mesh_profile_losses(const struct mesh_profile *p);
const struct mm_mesh_lost *mesh_profile_loss(const struct mesh_profile *p, size_t i,
                                             int *rank);
size_t mesh_profile_notes(const struct mesh_profile *p);
const char *mesh_profile_note(const struct mesh_profile *p, size_t i);

/* Return the size of the file, and of its incomplete end, in bytes. */
uint64_t mesh_profile_bytes(const struct mesh_profile *p);
uint64_t mesh_profile_torn(const struct mesh_profile *p);
/* Return the bytes of packed payloads that were decoded since the profile was opened. */
uint64_t mesh_profile_decoded(const struct mesh_profile *p);
/* Return a hash of all complete steps, their values and the mesh. */
uint64_t mesh_profile_hash(const struct mesh_profile *p);

/* Write the values of the cells lo <= c < hi of a level in step i, dimension 0 slowest,
 * into values[]; NAN in cells without value. `owner`, if not NULL, gets the rank of each
 * cell, -1: none. Returns the number of cells without value; -EINVAL: out of bounds;
 * -EBADMSG: a damaged block; -ENOMEM. */
int64_t mesh_profile_values(struct mesh_profile *p, size_t i, int probe, int level,
                            const int64_t lo[3], const int64_t hi[3], float *values,
                            int32_t *owner, struct cca_error *err);

#endif
