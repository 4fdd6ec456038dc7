/* SPDX-License-Identifier: BSD-3-Clause */
/* values_read.c: copy values from files to the patches of a mesh, cell by cell, so that
 * the patches may differ from the patches that were written. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "components/Checkpoint/parts.h"

/* A patch of this rank, and a flag for each of its cells: whether it has been filled. */
struct target {
    const struct mesh_patch *patch;
    double *u;
    unsigned char *filled; /* [ny][nx] */
};

struct reading {
    const struct index *x;
    char *(*path_of)(const void *context, int file);
    const void *context;
    struct stream stream;
    int file; /* index of the file that is open, or -1 */
    double *row;
    size_t row_room;
    struct target *targets; /* patches of the level */
    int target_count;
    int *touched; /* [target_count] indices of the patches that have cells of the current
                     record */
    int touched_count;
    int64_t bytes;
    struct cca_error *err;
};

/* --- Targets --------------------------------------------------------------- */

static void targets_free(struct reading *r)
{
    for (int k = 0; k < r->target_count; k++)
        free(r->targets[k].filled);
    free(r->targets);
    free(r->touched);
    r->targets = NULL;
    r->touched = NULL;
    r->target_count = 0;
}

static int targets_make(struct reading *r, struct mesh_port *mesh, int level, int field)
{
    int count = mesh->patch_count(mesh, level);

    targets_free(r);
    r->targets = calloc((size_t)count + 1, sizeof *r->targets);
    r->touched = calloc((size_t)count + 1, sizeof *r->touched);
    if (!r->targets || !r->touched)
        return cca_no_memory(r->err);
    r->target_count = count;
    for (int k = 0; k < count; k++) {
        struct target *t = &r->targets[k];

        t->patch = mesh->patch(mesh, level, k);
        t->u = mesh->field(mesh, level, k, field);
        t->filled = calloc((size_t)t->patch->nx, (size_t)t->patch->ny);
        if (!t->filled)
            return cca_no_memory(r->err);
    }
    return 0;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int targets_touch(struct reading *r, const struct index_patch *p)
{
    r->touched_count = 0;
    for (int k = 0; k < r->target_count; k++) {
        const struct mesh_patch *t = r->targets[k].patch;

        if (p->ilo < t->ilo + t->nx && t->ilo < p->ilo + p->nx &&
            p->jlo < t->jlo + t->ny && t->jlo < p->jlo + p->ny)
            r->touched[r->touched_count++] = k;
    }
    return r->touched_count;
}

/* Copy a patch's part of one row of a record, and mark its cells as filled. */
static int row_take(struct reading *r, const struct target *t,
                    const struct index_patch *p, int component, int64_t j)
{
    const struct mesh_patch *to = t->patch;
    int64_t begin = most(p->ilo, to->ilo), end = least(p->ilo + p->nx, to->ilo + to->nx);
    ptrdiff_t row = j - to->jlo, column = begin - to->ilo;
    size_t cells = (size_t)(end - begin);
    unsigned char *filled = t->filled + row * to->nx + column;

    if (row < 0 || row >= to->ny)
        return 0;
    memcpy(t->u + component * to->plane + (row + to->ghost) * to->pitch + to->ghost +
               column,
           r->row + (begin - p->ilo), cells * sizeof *r->row);
    if (component)
        return 0;
    if (memchr(filled, 1, cells))
        return cca_error_set(r->err, -EBADMSG,
                             "'%s': found cells of level %d a second time in a patch "
                             "from %" PRId64 ", %" PRId64 ", expected one value a cell",
                             r->stream.path, to->level, p->ilo, p->jlo);
    memset(filled, 1, cells);
    return 0;
}

static int targets_check(const struct reading *r)
{
    for (int k = 0; k < r->target_count; k++) {
        const struct mesh_patch *p = r->targets[k].patch;
        const unsigned char *none =
            memchr(r->targets[k].filled, 0, (size_t)p->nx * (size_t)p->ny);
        int64_t at = none ? none - r->targets[k].filled : 0;

        if (none)
            return cca_error_set(r->err, -EBADMSG,
                                 "found no patch with the cell %" PRId64 ", %" PRId64
                                 " of level %d, expected one value a cell",
                                 p->ilo + at % p->nx, p->jlo + at / p->nx, p->level);
    }
    return 0;
}

/* --- Records --------------------------------------------------------------- */

static int file_open(struct reading *r, int file)
{
    char *path;
    int code;

    if (r->file == file)
        return 0;
    stream_close(&r->stream);
    r->file = -1;
    path = r->path_of(r->context, file);
    code = path ? stream_open(&r->stream, path, r->err) : cca_no_memory(r->err);
    free(path);
    if (!code)
        r->file = file;
    return code;
}

/* Allocate a row of the record. */
static int row_reserve(struct reading *r, int64_t nx)
{
    return cca_array_extend(&r->row, &r->row_room, sizeof *r->row, (size_t)nx)
               ? cca_no_memory(r->err)
               : 0;
}

static int record_values(struct reading *r, const struct index_patch *p)
{
    for (int n = 0; n < r->x->components; n++)
        for (int64_t j = p->jlo; j < p->jlo + p->ny; j++) {
            int code =
                stream_read(&r->stream, r->row, (size_t)p->nx * sizeof *r->row, r->err);

            for (int k = 0; k < r->touched_count && !code; k++)
                code = row_take(r, &r->targets[r->touched[k]], p, n, j);
            if (code)
                return code;
        }
    return 0;
}

static int record_read(struct reading *r, int level, int patch)
{
    const struct index_patch *p = &r->x->patches[patch];
    struct record_head expected = record_head_make(r->x, level, patch), found;
    uint64_t sum, checksum;
    int code = file_open(r, p->file);

    if (!code)
        code = row_reserve(r, p->nx);
    if (!code)
        code = stream_seek(&r->stream, p->offset, r->err);
    stream_check_begin(&r->stream);
    if (!code)
        code = stream_read(&r->stream, &found, sizeof found, r->err);
    if (!code && memcmp(&found, &expected, sizeof found) != 0)
        return cca_error_set(r->err, -EBADMSG,
                             "'%s': found no patch of level %d from %" PRId64 ", %" PRId64
                             " at byte %" PRId64 ", expected one as in the index",
                             r->stream.path, level, p->ilo, p->jlo, p->offset);
    if (!code)
        code = record_values(r, p);
    checksum = r->stream.checksum;
    if (!code)
        code = stream_read(&r->stream, &sum, sizeof sum, r->err);
    if (!code && sum != checksum)
        return cca_error_set(r->err, -EBADMSG,
                             "'%s': found checksum %08" PRIx64
                             " of the patch at byte %" PRId64 ", expected %08" PRIx64,
                             r->stream.path, checksum, p->offset, sum);
    r->bytes += values_record_bytes(r->x->components, p->nx, p->ny);
    return code;
}

static int level_read(struct reading *r, struct mesh_port *mesh, int level, int field)
{
    int code = targets_make(r, mesh, level, field);

    for (int k = r->x->first[level]; k < r->x->first[level + 1] && !code; k++)
        if (targets_touch(r, &r->x->patches[k]))
            code = record_read(r, level, k);
    return code ? code : targets_check(r);
}

int values_read(const struct index *x, char *(*path_of)(const void *context, int file),
                const void *context, struct mesh_port *mesh, int field, int64_t *bytes,
                struct cca_error *err)
{
    struct reading r = {.x = x,
                        .path_of = path_of,
                        .context = context,
                        .stream.fd = -1,
                        .file = -1,
                        .err = err};
    int code = 0;

    for (int l = 0; l < x->level_count && !code; l++)
        code = level_read(&r, mesh, l, field);
    targets_free(&r);
    free(r.row);
    stream_close(&r.stream);
    *bytes = r.bytes;
    return code;
}
