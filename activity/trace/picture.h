/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h: a run as pictures (SVG), and as a trace for viewers. Each file is complete
 * or does not exist: it is written under a temporary name and renamed. */
#ifndef ACTIVITY_TRACE_PICTURE_H
#define ACTIVITY_TRACE_PICTURE_H

#include "activity/run/engine.h"

/* Input of a picture: a run that has ended. Borrowed. */
struct act_picture {
    const struct act_model *model;
    const struct act_result *result;
    struct act_config config;
    int64_t threads_seen; /* lanes per process: the largest tid + 1 */
};

/* Write the time of each element over all processes, at work and waiting, as bars.
 * Returns 0 or an error of files with `err`. */
int act_profile_write(const struct act_picture *picture, const char *path,
                      struct cca_error *err);
/* Write the times of elements as a table, with number of executions, minimum and maximum.
 */
int act_table_write(const struct act_picture *picture, const char *path,
                    struct cca_error *err);

/* Timeline of all processes. Begin, pass its sink to the same run once more, finish. Up
 * to ACT_LANES processes and threads have a lane each; more share lanes, in which each
 * cell shows the element that took most of its time. */
enum { ACT_LANES = 64 };
struct act_timeline; /* writer of a timeline; opaque */
/* Make a timeline, freed by act_timeline_free (NULL is fine); NULL: out of memory. */
struct act_timeline *act_timeline_new(const struct act_picture *picture);
const struct act_sink *act_timeline_sink(struct act_timeline *timeline);
int act_timeline_write(const struct act_timeline *timeline, const char *path,
                       struct cca_error *err);
void act_timeline_free(struct act_timeline *timeline);

/* Write a trace in Chrome's format, for Perfetto: elements and calls of methods as
 * slices, messages as flows. Begin opens a temporary file beside `path`; finish renames
 * it; free removes an unfinished one. */
struct act_chrome; /* writer of a trace for the Chrome browser; opaque */
struct act_chrome *act_chrome_new(const struct act_picture *picture, const char *path,
                                  struct cca_error *err);
const struct act_sink *act_chrome_sink(struct act_chrome *chrome);
int act_chrome_finish(struct act_chrome *chrome, struct cca_error *err);
void act_chrome_free(struct act_chrome *chrome);

#endif
