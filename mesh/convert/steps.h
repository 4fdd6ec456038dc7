/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h: steps of a profile from lists of values, cell by cell in any order.
 *
 *     struct mesh_steps *s = mesh_steps_new(folder, &about, probes, count, err);
 *     for each step: mesh_steps_value(s, cell, probe, rank, value);
 *                    mesh_steps_end(s, step, NAN, err);
 *     mesh_steps_close(s, err);
 *
 * One thread at a time. */
#ifndef MESH_CONVERT_STEPS_H
#define MESH_CONVERT_STEPS_H

#include <math.h>

#include "mesh/trace/writer.h"

struct mesh_steps;

/* Begin a profile of one level; arguments as of mesh_writer_new and mesh_writer_probe.
 * New, or NULL with `err`. */
struct mesh_steps *mesh_steps_new(const char *experiment,
                                  const struct mm_mesh_about *about,
                                  const struct mm_mesh_probe *probes, size_t probe_count,
                                  struct cca_error *err);

/* A value of the step that is being given: `cell` counts in C order (dimension 0
 * slowest), `value` is finite, `rank` from 0, or -1: of none. All in their bounds. */
void mesh_steps_value(struct mesh_steps *s, int64_t cell, size_t probe, int rank,
                      float value);
/* Whether the step has a value already. */
int mesh_steps_has(const struct mesh_steps *s, int64_t cell, size_t probe);
/* Give cells of `probe` without a value the value 0, of the rank that the cell has by
 * another probe, else of none. */
void mesh_steps_fill(struct mesh_steps *s, size_t probe);
/* The first cell that the step has no value of, -1: it has all. `*missing`: how many it
 * lacks. */
int64_t mesh_steps_missing(const struct mesh_steps *s, size_t probe, int64_t *missing);

/* Write the step and begin the next, without values. With `keep` the next begins with
 * the values of this one. `lost`: ranks that lack something. 0, -ENOMEM or as the
 * writer's. */
int mesh_steps_end(struct mesh_steps *s, int64_t step, double time_s, unsigned lost,
                   int keep, struct cca_error *err);

/* What a rank lost, a note: as of the writer. */
struct mesh_writer *mesh_steps_writer(struct mesh_steps *s);

/* Close the file and free; NULL is fine. 0 or the first I/O error of all calls. */
int mesh_steps_close(struct mesh_steps *s, struct cca_error *err);

#endif
