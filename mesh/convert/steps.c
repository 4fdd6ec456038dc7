/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: write the values of a step as boxes of one rank each. */
#include "mesh/convert/steps.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/convert/parts.h"

struct mesh_steps {
    struct mesh_writer *writer;
    int64_t n[3], cells;
    size_t probe_count;
    float *values;  /* values of the step, [probe_count][cells]; NAN: no value */
    int32_t *ranks; /* [cells] owner of each cell */
    int32_t *keys;  /* [cells], scratch buffer */
    float *box;     /* [cells], scratch buffer */
};

static void forget_values(struct mesh_steps *s)
{
    for (size_t i = 0; i < s->probe_count * (size_t)s->cells; i++)
        s->values[i] = NAN;
    for (int64_t c = 0; c < s->cells; c++)
        s->ranks[c] = -1;
}

struct mesh_steps *mesh_steps_new(const char *experiment,
                                  const struct mm_mesh_about *about,
                                  const struct mm_mesh_probe *probes, size_t probe_count,
                                  struct cca_error *err)
{
    struct mesh_steps *s = calloc(1, sizeof *s);
    size_t cells;

    if (!s) {
        cca_no_memory(err);
        return NULL;
    }
    s->writer = mesh_writer_new(experiment, about, err);
    if (!s->writer)
        goto fail;
    for (size_t i = 0; i < probe_count; i++)
        if (mesh_writer_probe(s->writer, &probes[i], err) < 0)
            goto fail;
    memcpy(s->n, about->n, sizeof s->n);
    s->cells = s->n[0] * s->n[1] * s->n[2];
    s->probe_count = probe_count;
    cells = (size_t)s->cells;
    s->values = calloc(cells, probe_count * sizeof *s->values);
    s->ranks = calloc(cells, sizeof *s->ranks);
    s->keys = calloc(cells, sizeof *s->keys);
    s->box = calloc(cells, sizeof *s->box);
    if (!s->values || !s->ranks || !s->keys || !s->box) {
        cca_no_memory(err);
        goto fail;
    }
    forget_values(s);
    return s;
fail:
    mesh_steps_close(s, NULL);
    return NULL;
}

void mesh_steps_value(struct mesh_steps *s, int64_t cell, size_t probe, int rank,
                      float value)
{
    s->values[probe * (size_t)s->cells + (size_t)cell] = value;
    s->ranks[cell] = rank;
}

int mesh_steps_has(const struct mesh_steps *s, int64_t cell, size_t probe)
{
    return !isnan(s->values[probe * (size_t)s->cells + (size_t)cell]);
}

void mesh_steps_fill(struct mesh_steps *s, size_t probe)
{
    for (int64_t c = 0; c < s->cells; c++)
        if (!mesh_steps_has(s, c, probe))
            s->values[probe * (size_t)s->cells + (size_t)c] = 0;
}

int64_t mesh_steps_missing(const struct mesh_steps *s, size_t probe, int64_t *missing)
{
    int64_t first = -1;

    *missing = 0;
    for (int64_t c = 0; c < s->cells; c++) {
        if (mesh_steps_has(s, c, probe))
            continue;
        if (first < 0)
            first = c;
        ++*missing;
    }
    return first;
}

/* Write the values of a probe in a box. */
static int write_box(struct mesh_steps *s, int64_t step, size_t probe,
                     const struct mesh_key_box *box, struct cca_error *err)
{
    struct mesh_box to = {.step = step, .rank = box->key, .probe = (int)probe};
    const float *from = s->values + probe * (size_t)s->cells;
    float *at = s->box;
    size_t row = (size_t)(box->hi[2] - box->lo[2]);

    memcpy(to.lo, box->lo, sizeof to.lo);
    memcpy(to.hi, box->hi, sizeof to.hi);
    for (int64_t i = box->lo[0]; i < box->hi[0]; i++) {
        for (int64_t j = box->lo[1]; j < box->hi[1]; j++) {
            memcpy(at, from + (i * s->n[1] + j) * s->n[2] + box->lo[2], row * sizeof *at);
            at += row;
        }
    }
    return mesh_writer_values(s->writer, &to, s->box, err);
}

static int write_probe(struct mesh_steps *s, int64_t step, size_t probe,
                       struct cca_error *err)
{
    struct mesh_key_box *boxes = NULL;
    int64_t count;
    int result = 0;

    for (int64_t c = 0; c < s->cells; c++)
        s->keys[c] = mesh_steps_has(s, c, probe) ? s->ranks[c] : MESH_NO_KEY;
    count = mesh_boxes_cover(s->n, s->keys, &boxes);
    if (count < 0)
        return cca_no_memory(err);
    for (int64_t i = 0; !result && i < count; i++)
        result = write_box(s, step, probe, &boxes[i], err);
    free(boxes);
    return result;
}

/* Return the number of ranks that have cells in the current step; `keys` is overwritten.
 */
static unsigned count_ranks(struct mesh_steps *s)
{
    unsigned count = 0;
    int32_t most = -1;

    for (int64_t c = 0; c < s->cells; c++) {
        s->keys[c] = 0;
        most = s->ranks[c] > most ? s->ranks[c] : most;
    }
    /* ranks are usually few small numbers: mark them in `keys` if it is large enough */
    if (most >= s->cells)
        return (unsigned)most + 1;
    for (int64_t c = 0; c < s->cells; c++)
        if (s->ranks[c] >= 0)
            count += s->keys[s->ranks[c]]++ == 0;
    return count;
}

int mesh_steps_end(struct mesh_steps *s, int64_t step, double time_s, unsigned lost,
                   int keep, struct cca_error *err)
{
    struct mm_mesh_step_end end = {.time_s = time_s, .lost = lost};
    int result = 0;

    end.ranks = count_ranks(s);
    for (size_t p = 0; !result && p < s->probe_count; p++)
        result = write_probe(s, step, p, err);
    if (!result)
        result = mesh_writer_step(s->writer, step, &end, err);
    if (!keep)
        forget_values(s);
    return result;
}

struct mesh_writer *mesh_steps_writer(struct mesh_steps *s)
{
    return s->writer;
}

int mesh_steps_close(struct mesh_steps *s, struct cca_error *err)
{
    int result;

    if (!s)
        return 0;
    result = mesh_writer_close(s->writer, err);
    free(s->values);
    free(s->ranks);
    free(s->keys);
    free(s->box);
    free(s);
    return result;
}
