/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h: write steps of a profile from values that come cell by cell in any order.
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

/* Begin a profile of one level; arguments as for mesh_writer_new and mesh_writer_probe.
 * Returns a new object, or NULL with `err`. */
struct mesh_steps *mesh_steps_new(const char *experiment,
                                  const struct mm_mesh_about *about,
                                  const struct mm_mesh_probe *probes, size_t probe_count,
                                  struct cca_error *err);

/* Set a value of the current step. `cell` counts in C order (dimension 0 slowest),
 * `value` is finite, `rank` is from 0, or -1: no rank. All must be within their
 * bounds. */
void mesh_steps_value(struct mesh_steps *s, int64_t cell, size_t probe, int rank,
                      float value);
/* Whether a cell already has a value of the probe in the current step. */
int mesh_steps_has(const struct mesh_steps *s, int64_t cell, size_t probe);
/* Set the value 0 in cells that have no value of `probe`; a cell keeps the rank that was
 * set with another probe, else it has none. */
void mesh_steps_fill(struct mesh_steps *s, size_t probe);
/* Return the first cell without a value of the probe in this step; -1: all cells have
 * one. `*missing`: number of such cells. */
int64_t mesh_steps_missing(const struct mesh_steps *s, size_t probe, int64_t *missing);

/* Write the step and begin the next one without values, or, with `keep`, with the values
 * of this one. `lost`: number of ranks with missing data. Returns 0, -ENOMEM or the
 * writer's error. */
int mesh_steps_end(struct mesh_steps *s, int64_t step, double time_s, unsigned lost,
                   int keep, struct cca_error *err);

/* Return the profile's writer, to record losses of ranks and notes. */
struct mesh_writer *mesh_steps_writer(struct mesh_steps *s);

/* Close the file and free; NULL is fine. Returns 0 or the first I/O error of all calls.
 */
int mesh_steps_close(struct mesh_steps *s, struct cca_error *err);

#endif
