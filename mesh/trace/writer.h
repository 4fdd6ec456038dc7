/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.h: write a mesh profile into a file of an experiment, step by step.
 *
 *     struct mesh_writer *w = mesh_writer_new("run.mm", &about, err);
 *     int work = mesh_writer_probe(w, &probe, err);
 *     for each step: for each box: mesh_writer_values(w, &box, values, err);
 *                    mesh_writer_step(w, step, &end, err);
 *     mesh_writer_close(w, err);
 *
 * The file is EXPERIMENT/mesh/NAME.cells (mastermind/format/mesh_file.h). It only grows;
 * a reader finds complete steps at any moment, also after the writer was killed. One
 * thread at a time. */
#ifndef MESH_TRACE_WRITER_H
#define MESH_TRACE_WRITER_H

#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

struct mesh_writer;

/* A box of cells whose values are written, with their rank, probe and level. */
struct mesh_box {
    int64_t step;
    int rank;  /* owner of the cells; -1: none */
    int probe; /* index of the probe, the result of mesh_writer_probe */
    int level;
    /* cells c of the box: lo <= c < hi; unused dimensions 0 and 1 */
    int64_t lo[3], hi[3];
};

/* Begin the profile `about->name` of the experiment at `experiment`, an existing
 * directory. `about` is borrowed for the call. Returns a new object, or NULL with `err`:
 * -EINVAL with the field that is out of bounds, -EEXIST: the profile exists, -ENOMEM or
 * an I/O error. */
struct mesh_writer *mesh_writer_new(const char *experiment,
                                    const struct mm_mesh_about *about,
                                    struct cca_error *err);

/* Declare a probe, before the first values; `probe->probe` is ignored. Returns its index,
 * from 0; -EINVAL; -EEXIST: the name is taken; -ENOSPC, -ENOMEM or an I/O error. */
int mesh_writer_probe(struct mesh_writer *w, const struct mm_mesh_probe *probe,
                      struct cca_error *err);

/* Set the centres of elements first <= e < first + count: 3 doubles each. Returns 0,
 * -EINVAL or an I/O error. */
int mesh_writer_elements(struct mesh_writer *w, int64_t first, int64_t count,
                         const double *centres, struct cca_error *err);

/* Write the values of a box, dimension 0 slowest (C order); they are packed in bricks
 * within the probe's eps. Returns 0; -EINVAL: the box is outside of the mesh, or before a
 * step that has ended; -ENOMEM or an I/O error. Values that are not finite are kept
 * exactly. */
int mesh_writer_values(struct mesh_writer *w, const struct mesh_box *box,
                       const float *values, struct cca_error *err);

/* Write a BLOCK that another process packed: `frame` as it was made there (`previous`
 * other than 0 means the last BLOCK before it of the same rank, probe, level and box),
 * `check` is ignored. Returns like mesh_writer_values; -EINVAL, too, if it depends on a
 * BLOCK that never came. */
int mesh_writer_block(struct mesh_writer *w, const struct mm_mesh_frame *frame,
                      const void *payload, struct cca_error *err);

/* End a step; steps ascend. `end->blocks` is ignored. Returns 0, -EINVAL or an I/O error.
 */
int mesh_writer_step(struct mesh_writer *w, int64_t step,
                     const struct mm_mesh_step_end *end, struct cca_error *err);

/* Record which steps a rank has lost. Returns 0 or an I/O error. */
int mesh_writer_lost(struct mesh_writer *w, int rank, const struct mm_mesh_lost *lost,
                     struct cca_error *err);

/* Record a line of text for readers, at most 400 bytes. Returns 0 or an I/O error. */
int mesh_writer_note(struct mesh_writer *w, const char *text, struct cca_error *err);

/* Write buffered data and close. Returns 0, or the first I/O error of all calls. Frees
 * `w` in both cases; NULL is fine. */
int mesh_writer_close(struct mesh_writer *w, struct cca_error *err);

#endif
