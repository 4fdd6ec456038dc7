/* SPDX-License-Identifier: BSD-3-Clause */
/* profiles.h: experiments with mesh profiles whose values follow from their place. */
#ifndef TESTS_MESH_PROFILES_H
#define TESTS_MESH_PROFILES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/convert/parts.h"
#include "mesh/trace/writer.h"

/* The value of a cell: any other cell, level or step has another. */
static inline float profile_value(int64_t step, int level, const int64_t c[3])
{
    return (float)(step * 1000 + level * 500) + (float)c[0] + (float)c[1] / 32 +
           (float)c[2] / 1024;
}

/* Write one box of probe 0. 0 or an error. */
static inline int profile_box(struct mesh_writer *w, int64_t step, int rank, int level,
                              const int64_t lo[3], const int64_t hi[3])
{
    struct mesh_box box = {.step = step, .rank = rank, .level = level};
    float *values =
              malloc((size_t)((hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2])) * 4),
          *at;
    int64_t c[3];
    int result;

    memcpy(box.lo, lo, sizeof box.lo);
    memcpy(box.hi, hi, sizeof box.hi);
    at = values;
    for (c[0] = lo[0]; c[0] < hi[0]; c[0]++)
        for (c[1] = lo[1]; c[1] < hi[1]; c[1]++)
            for (c[2] = lo[2]; c[2] < hi[2]; c[2]++)
                *at++ = profile_value(step, level, c);
    result = mesh_writer_values(w, &box, values, NULL);
    free(values);
    return result;
}

/* Make the experiment `path` with the profile `about`, one probe work, and `steps` steps;
 * `boxes` writes the values of one. 0, or the step that failed. */
static inline int profile_make(const char *path, const struct mm_mesh_about *about,
                               int steps, int (*boxes)(struct mesh_writer *w, int step))
{
    struct mm_given *given = mesh_given_new(path, "made", 2, NULL);
    struct mm_mesh_probe probe = {.name = "work"};
    struct mesh_writer *w =
        given ? mesh_writer_new(mm_given_folder(given), about, NULL) : NULL;
    int failed = !w || mesh_writer_probe(w, &probe, NULL) != 0;

    for (int s = 0; s < steps && !failed; s++) {
        struct mm_mesh_step_end end = {.time_s = .5 * s, .ranks = 2};

        failed = boxes(w, s) || mesh_writer_step(w, s, &end, NULL);
    }
    if (about->kind == MM_MESH_UNSTRUCTURED && !failed) {
        double *centres = calloc((size_t)about->n[0], 3 * sizeof *centres);

        for (int64_t e = 0; e < about->n[0]; e++) {
            centres[3 * e] = .5 * (double)e;
            centres[3 * e + 1] = (double)(e % 3);
        }
        failed = mesh_writer_elements(w, 0, about->n[0], centres, NULL);
        free(centres);
    }
    failed |= mesh_writer_close(w, NULL) != 0;
    failed |= !failed && mm_given_finish(given, NULL);
    mm_given_free(given);
    return failed;
}

/* Two dimensions, three levels: level 1 in two boxes, level 2 in one that moves. */
static inline int profile_amr2_boxes(struct mesh_writer *w, int s)
{
    return profile_box(w, s, 0, 0, (int64_t[]){0, 0, 0}, (int64_t[]){8, 8, 1}) ||
           profile_box(w, s, 1, 0, (int64_t[]){8, 0, 0}, (int64_t[]){16, 8, 1}) ||
           profile_box(w, s, 0, 1, (int64_t[]){4, 4, 0}, (int64_t[]){12, 12, 1}) ||
           profile_box(w, s, 1, 1, (int64_t[]){20, 2, 0}, (int64_t[]){26, 8, 1}) ||
           profile_box(w, s, 1, 2, (int64_t[]){12 + 2 * s, 12, 0},
                       (int64_t[]){18 + 2 * s, 20, 1});
}
static const struct mm_mesh_about profile_amr2 = {.dims = 2,
                                                  .n = {16, 8, 1},
                                                  .levels = 3,
                                                  .ratio = 2,
                                                  .origin = {1, 2, 0},
                                                  .spacing = {.5, .25, 0},
                                                  .name = "amr2"};

/* Three dimensions, two levels. */
static inline int profile_amr3_boxes(struct mesh_writer *w, int s)
{
    return profile_box(w, s, 0, 0, (int64_t[]){0, 0, 0}, (int64_t[]){4, 5, 6}) ||
           profile_box(w, s, 1, 1, (int64_t[]){2, 2, 2}, (int64_t[]){6, 8, 4});
}
static const struct mm_mesh_about profile_amr3 = {.dims = 3,
                                                  .n = {4, 5, 6},
                                                  .levels = 2,
                                                  .ratio = 2,
                                                  .spacing = {1, 1, 1},
                                                  .name = "amr3"};

/* 12 elements with centres; the last is not told in step 1. */
static inline int profile_elements_boxes(struct mesh_writer *w, int s)
{
    return profile_box(w, s, 0, 0, (int64_t[]){0, 0, 0}, (int64_t[]){7, 1, 1}) ||
           profile_box(w, s, 1, 0, (int64_t[]){7, 0, 0},
                       (int64_t[]){s == 1 ? 11 : 12, 1, 1});
}
static const struct mm_mesh_about profile_elements = {.kind = MM_MESH_UNSTRUCTURED,
                                                      .dims = 2,
                                                      .n = {12, 1, 1},
                                                      .levels = 1,
                                                      .ratio = 1,
                                                      .spacing = {1, 1, 1},
                                                      .name = "elements"};

/* A grid of many bricks, no two alike. */
static inline int profile_grid_boxes(struct mesh_writer *w, int s)
{
    return profile_box(w, s, 0, 0, (int64_t[]){0, 0, 0}, (int64_t[]){32, 48, 64}) ||
           profile_box(w, s, 1, 0, (int64_t[]){32, 0, 0}, (int64_t[]){64, 48, 64});
}
static const struct mm_mesh_about profile_grid = {.dims = 3,
                                                  .n = {64, 48, 64},
                                                  .levels = 1,
                                                  .ratio = 1,
                                                  .spacing = {1, 1, 1},
                                                  .name = "grid"};

#endif
