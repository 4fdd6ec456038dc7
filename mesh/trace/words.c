/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: limits of a profile's fields, check values of frames. */
#include "mesh/trace/words.h"

#include <math.h>
#include <string.h>

static int name_check(const char *name, const char *what, struct cca_error *err)
{
    size_t length = strnlen(name, MM_MESH_NAME_BYTES);

    if (length == 0 || length == MM_MESH_NAME_BYTES)
        return cca_error_set(err, -EINVAL,
                             "found a name of %s of %zu bytes, expected 1 "
                             "to %d",
                             what, length, MM_MESH_NAME_BYTES - 1);
    if (name[0] == '.' || name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")])
        return cca_error_set(err, -EINVAL,
                             "found the name %.64s of %s, expected letters, "
                             "digits, _ . + -, not . first",
                             name, what);
    return 0;
}

void mesh_level_size(const struct mm_mesh_about *about, int level, int64_t n[3])
{
    for (int d = 0; d < 3; d++) {
        n[d] = about->n[d];
        for (int l = 0; l < level && d < about->dims && n[d] <= MM_MESH_CELLS; l++)
            n[d] *= about->ratio;
    }
}

int mesh_about_check(const struct mm_mesh_about *about, struct cca_error *err)
{
    int rc = name_check(about->name, "the profile", err);
    int grid = about->kind == MM_MESH_GRID;
    int64_t n[3];
    double cells = 1;

    if (rc)
        return rc;
    if (!grid && about->kind != MM_MESH_UNSTRUCTURED)
        return cca_error_set(err, -EINVAL, "found a mesh of kind %d", about->kind);
    if (about->dims < 1 || about->dims > 3)
        return cca_error_set(err, -EINVAL, "found %d dimensions, expected 1 to 3",
                             about->dims);
    if (about->levels < 1 || about->levels > (grid ? MM_MESH_LEVELS : 1) ||
        about->ratio < 1 || about->ratio > 64)
        return cca_error_set(err, -EINVAL, "found %d levels of ratio %d", about->levels,
                             about->ratio);
    for (int d = 0; d < 3; d++)
        if (about->n[d] < 1 || about->n[d] > MM_MESH_CELLS ||
            ((d >= about->dims || (!grid && d > 0)) && about->n[d] != 1))
            return cca_error_set(err, -EINVAL, "dimension %d: found %lld cells", d,
                                 (long long)about->n[d]);
    mesh_level_size(about, about->levels - 1, n);
    for (int d = 0; d < 3; d++)
        if (n[d] > MM_MESH_CELLS)
            return cca_error_set(err, -EINVAL, "level %d: found too many cells",
                                 about->levels - 1);
    for (int d = 0; d < 3; d++)
        cells *= (double)about->n[d];
    if (cells > (double)MM_MESH_CELLS)
        return cca_error_set(err, -EINVAL, "found %.3g cells, expected at most %.3g",
                             cells, (double)MM_MESH_CELLS);
    for (int d = 0; d < about->dims; d++)
        if (!isfinite(about->origin[d]) || !isfinite(about->spacing[d]) ||
            about->spacing[d] <= 0)
            return cca_error_set(err, -EINVAL, "dimension %d: found spacing %g from %g",
                                 d, about->spacing[d], about->origin[d]);
    return 0;
}

int mesh_probe_check(const struct mm_mesh_probe *probe, struct cca_error *err)
{
    int rc = name_check(probe->name, "a probe", err);

    if (rc)
        return rc;
    if (!(probe->eps >= 0) || !isfinite(probe->eps))
        return cca_error_set(err, -EINVAL, "probe %s: found eps %g, expected at least 0",
                             probe->name, probe->eps);
    if (strnlen(probe->unit, sizeof probe->unit) == sizeof probe->unit)
        return cca_error_set(err, -EINVAL, "probe %s: found a unit without end",
                             probe->name);
    return 0;
}

static uint64_t payload_check(const struct mm_mesh_frame *frame, const void *payload)
{
    size_t whole = frame->bytes & ~(size_t)7, rest = frame->bytes & 7;
    uint64_t check = mm_block_check(payload, whole, MM_CHECK_START + frame->bytes);
    uint64_t last = 0;

    if (rest) {
        memcpy(&last, (const char *)payload + whole, rest);
        check = mm_block_check(&last, sizeof last, check);
    }
    return check;
}

static uint64_t head_check(const struct mm_mesh_frame *frame)
{
    return mm_block_check(frame, offsetof(struct mm_mesh_frame, check), MM_CHECK_START);
}

void mesh_frame_seal(struct mm_mesh_frame *frame, const void *payload)
{
    frame->mark = MM_MESH_FRAME_MARK;
    frame->payload_check = payload_check(frame, payload);
    frame->check = head_check(frame);
}

int mesh_frame_head_holds(const struct mm_mesh_frame *frame)
{
    return frame->mark == MM_MESH_FRAME_MARK && frame->check == head_check(frame) &&
           frame->bytes <= MM_MESH_PAYLOAD;
}

int mesh_frame_payload_holds(const struct mm_mesh_frame *frame, const void *payload)
{
    return frame->payload_check == payload_check(frame, payload);
}
