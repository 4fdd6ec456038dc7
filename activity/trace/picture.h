/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h: a run as pictures (SVG), and as a trace for viewers. All files are whole or
 * not there: written beside and renamed. */
#ifndef ACTIVITY_TRACE_PICTURE_H
#define ACTIVITY_TRACE_PICTURE_H

#include "activity/run/engine.h"

/* What a picture is of: a run that has ended. Borrowed. */
struct act_picture {
    const struct act_model *model;
    const struct act_result *result;
    struct act_config config;
    int64_t threads_seen; /* lanes of a process: the largest tid + 1 */
};

/* Time of each element over all processes: at work and waiting, as bars. 0 or an error of
 * files with `err`. */
int act_profile_write(const struct act_picture *picture, const char *path,
                      struct cca_error *err);
/* The same as a table with calls, least and largest. */
int act_table_write(const struct act_picture *picture, const char *path,
                    struct cca_error *err);

/* What processes did when. Begin, let it listen to the same run once more, finish. Up to
 * ACT_LANES processes and threads are lanes; more are bands of several, in which each
 * cell shows what most of its time went to. */
enum { ACT_LANES = 64 };
struct act_timeline; /* opaque */
/* New, freed by act_timeline_free (NULL is fine); NULL: out of memory. */
struct act_timeline *act_timeline_new(const struct act_picture *picture);
const struct act_sink *act_timeline_sink(struct act_timeline *timeline);
int act_timeline_write(const struct act_timeline *timeline, const char *path,
                       struct cca_error *err);
void act_timeline_free(struct act_timeline *timeline);

/* A trace of Chrome's format, for Perfetto: elements and calls of methods as slices,
 * messages as flows. Begin opens the file beside `path`; finish gives it its name; free
 * removes what was not finished. */
struct act_chrome; /* opaque */
struct act_chrome *act_chrome_new(const struct act_picture *picture, const char *path,
                                  struct cca_error *err);
const struct act_sink *act_chrome_sink(struct act_chrome *chrome);
int act_chrome_finish(struct act_chrome *chrome, struct cca_error *err);
void act_chrome_free(struct act_chrome *chrome);

#endif
