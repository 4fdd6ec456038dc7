/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c: write the files of values of a checkpoint, and check their heads. */
#include "components/Checkpoint/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

int64_t values_record_bytes(int components, int64_t nx, int64_t ny)
{
    int64_t bytes;

    if (__builtin_mul_overflow(nx, ny, &bytes) ||
        __builtin_mul_overflow(bytes, components * (int64_t)sizeof(double), &bytes) ||
        bytes > INT64_MAX / 2)
        return -1;
    return bytes + (int64_t)(sizeof(struct record_head) + sizeof(uint64_t));
}

static struct values_head head_make(const struct index *x, int file)
{
    struct values_head head = {
        .magic = VALUES_MAGIC,
        .order = VALUES_ORDER,
        .version = VALUES_VERSION,
        .serial = x->serial,
        .file = file,
        .bytes = x->file_bytes[file],
    };

    head.checksum = checksum_add(0, &head, offsetof(struct values_head, checksum));
    return head;
}

struct record_head record_head_make(const struct index *x, int level, int patch)
{
    const struct index_patch *p = &x->patches[patch];

    return (struct record_head){level, p->ilo, p->jlo, p->nx, p->ny, x->components};
}

/* --- Writing --------------------------------------------------------------- */

static int record_write(struct stream *s, const struct index *x,
                        const struct mesh_patch *patch, const double *u,
                        struct cca_error *err)
{
    int at = x->first[patch->level] + patch->number, code;
    struct record_head head = record_head_make(x, patch->level, at);
    uint64_t checksum;

    code = stream_seek(s, x->patches[at].offset, err);
    stream_check_begin(s);
    if (!code)
        code = stream_write(s, &head, sizeof head, err);
    for (int n = 0; n < x->components && !code; n++)
        for (int j = 0; j < patch->ny && !code; j++)
            code = stream_write(s,
                                u + n * patch->plane + (j + patch->ghost) * patch->pitch +
                                    patch->ghost,
                                (size_t)patch->nx * sizeof *u, err);
    checksum = s->checksum;
    return code ? code : stream_write(s, &checksum, sizeof checksum, err);
}

static int file_write(struct stream *s, const struct index *x, int rank,
                      struct mesh_port *mesh, int field, struct cca_error *err)
{
    struct values_head head = head_make(x, rank);
    int code = stream_write(s, &head, sizeof head, err);

    for (int l = 0; l < x->level_count; l++)
        for (int i = 0; i < mesh->patch_count(mesh, l) && !code; i++)
            code = record_write(s, x, mesh->patch(mesh, l, i),
                                mesh->field(mesh, l, i, field), err);
    return code ? code : stream_sync(s, err);
}

int values_write(const struct index *x, int rank, const char *path,
                 struct mesh_port *mesh, int field, struct cca_error *err)
{
    struct stream s;
    int code = stream_create(&s, path, err);

    if (!code) {
        code = file_write(&s, x, rank, mesh, field, err);
        if (code)
            unlink(path);
    }
    stream_close(&s);
    return code;
}

/* --- Checking -------------------------------------------------------------- */

static int head_check(struct stream *s, const struct index *x, int file,
                      struct cca_error *err)
{
    struct values_head expected = head_make(x, file), found;
    int64_t bytes = stream_size(s, err);
    int code;

    if (bytes < 0)
        return (int)bytes;
    if (bytes != expected.bytes)
        return cca_error_set(err, -EBADMSG,
                             "'%s': found %" PRId64 " bytes, expected %" PRId64, s->path,
                             bytes, expected.bytes);
    code = stream_read(s, &found, sizeof found, err);
    if (code)
        return code;
    if (memcmp(found.magic, expected.magic, sizeof found.magic) != 0)
        return cca_error_set(err, -EBADMSG, "'%s' is no file of values of a checkpoint",
                             s->path);
    if (found.order != expected.order || found.version != expected.version)
        return cca_error_set(err, -EBADMSG,
                             "'%s': found byte order %016" PRIx64 " and version %" PRId64
                             ", expected %016" PRIx64 " and %" PRId64,
                             s->path, found.order, found.version, expected.order,
                             expected.version);
    if (memcmp(&found, &expected, sizeof found) != 0)
        return cca_error_set(
            err, -EBADMSG,
            "'%s': found file %" PRId64 " of checkpoint %" PRId64 ", %" PRId64
            " bytes, checksum %" PRIx64 ", expected %" PRId64 " of %" PRId64 ", %" PRId64
            " bytes, %" PRIx64,
            s->path, found.file, found.serial, found.bytes, found.checksum, expected.file,
            expected.serial, expected.bytes, expected.checksum);
    return 0;
}

int values_check(const struct index *x, int file, const char *path, struct cca_error *err)
{
    struct stream s;
    int code = stream_open(&s, path, err);

    if (!code)
        code = head_check(&s, x, file, err);
    stream_close(&s);
    return code;
}
