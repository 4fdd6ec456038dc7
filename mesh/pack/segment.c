/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c: segments as bytes. */
#include "mesh/pack/parts.h"

#include "mesh/pack/fit.h"

/* Cells of kind `given` that are not written yet. */
struct waiting {
    const struct mesh_job *job;
    struct mesh_bytes *bytes;
    size_t first, count;
};

static void put_head(struct mesh_bytes *bytes, enum mesh_segment_kind kind, size_t cells)
{
    mesh_put_varint(bytes, (uint64_t)cells << 3 | kind);
}

static void put_waiting(struct waiting *w)
{
    const struct mesh_job *job = w->job;

    if (!w->count)
        return;
    put_head(w->bytes, MESH_SEGMENT_GIVEN, w->count);
    if (!w->bytes->to)
        w->bytes->size += w->count * sizeof(float);
    for (size_t i = w->first; w->bytes->to && i < w->first + w->count; i++)
        mesh_put_float(
            w->bytes, job->given[mesh_order_place(&job->shape, job->method, (int64_t)i)]);
    w->count = 0;
}

static void put_segment(struct mesh_bytes *bytes, const struct mesh_segment *s)
{
    int zero = s->kind == MESH_SEGMENT_LEVEL && s->a == 0;

    put_head(bytes, zero ? MESH_SEGMENT_ZERO : s->kind, s->cells);
    if (!zero && s->kind != MESH_SEGMENT_JOINED)
        mesh_put_float(bytes, s->a);
    if (s->kind == MESH_SEGMENT_LINE || s->kind == MESH_SEGMENT_JOINED)
        mesh_put_float(bytes, s->b);
}

/* Whether the segment represents its values exactly, and storing them as floats takes no
 * more bytes. */
static int better_given(const struct mesh_segment *s, const float *y)
{
    return s->a == y[0] &&
           ((s->kind == MESH_SEGMENT_LINE && s->cells == 2 && s->b == y[1]) ||
            (s->kind == MESH_SEGMENT_LEVEL && s->cells == 1 && s->a != 0));
}

static void put_fitted(const struct mesh_job *job, mesh_fit_fn *rule,
                       struct mesh_bytes *bytes)
{
    struct waiting waiting = {job, bytes, 0, 0};
    size_t cells = (size_t)job->shape.cells, at = 0;
    struct mesh_fit fit = {.slack = 1e-7 * job->magnitudes};

    for (struct mesh_segment s; at < cells && !mesh_bytes_full(bytes); at += s.cells) {
        s = rule(job->stored + at, cells - at, job->eps, &fit);
        fit.begun = 1;
        fit.last = mesh_segment_value(&s, s.cells - 1);
        if (rule != mesh_fit_swing && better_given(&s, job->stored + at)) {
            waiting.first = waiting.count ? waiting.first : at;
            waiting.count += s.cells;
            continue;
        }
        put_waiting(&waiting);
        put_segment(bytes, &s);
    }
    put_waiting(&waiting);
}

static int is_same(const float *a, const float *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void put_changes(const struct mesh_job *job, struct mesh_bytes *bytes)
{
    struct waiting waiting = {job, bytes, 0, 0};
    size_t cells = (size_t)job->shape.cells;

    for (size_t at = 0, end = 0; at < cells && !mesh_bytes_full(bytes); at = end) {
        int same = is_same(job->given + at, job->previous + at);

        for (end = at + 1; end < cells; end++)
            if (is_same(job->given + end, job->previous + end) != same)
                break;
        if (same)
            put_head(bytes, MESH_SEGMENT_ZERO, end - at);
        waiting.first = at;
        waiting.count = same ? 0 : end - at;
        put_waiting(&waiting);
    }
}

void mesh_segments_put(const struct mesh_job *job, struct mesh_bytes *bytes)
{
    switch (mesh_method_base(job->method)) {
    case MESH_PACK_LEAST:
        put_fitted(job, mesh_fit_least, bytes);
        break;
    case MESH_PACK_RMS:
        put_fitted(job, mesh_fit_rms, bytes);
        break;
    case MESH_PACK_SWING:
        put_fitted(job, mesh_fit_swing, bytes);
        break;
    case MESH_PACK_SLIDE:
        put_fitted(job, mesh_fit_slide, bytes);
        break;
    default:
        put_changes(job, bytes);
        break;
    }
}
