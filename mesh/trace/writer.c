/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.c: append frames to the file of a profile. */
#include "mesh/trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "mesh/trace/bricks.h"
#include "mesh/trace/words.h"

enum { BUFFER = 1 << 20, NOTE_BYTES = 400 };

/* Position of a brick's last BLOCK, on which its BLOCK of the next step may depend. */
struct place {
    uint64_t key[10]; /* identity of the brick: rank and level, probe, box */
    uint64_t offset;  /* offset of the BLOCK in the file; 0: the entry is unused */
};

struct open_step {
    int64_t number;
    uint64_t blocks;
};

struct mesh_writer {
    int fd;
    int failed; /* errno of the first failed write */
    char *path;
    struct mm_mesh_about about;
    struct mm_mesh_probe *probes;
    size_t probe_count;
    uint64_t offset; /* offset of the next frame in the file */
    int64_t step;    /* number of the last step that ended */
    int any_step, any_block;
    struct open_step *open; /* steps that have blocks and have not ended */
    size_t open_count;
    struct mesh_bricks *bricks;
    struct place *places; /* last BLOCK of each brick: hash table, open addressing; its
                             size is a power of two */
    size_t place_count, place_capacity;
    unsigned char *buffer;
    size_t held;
};

static int write_failed(struct mesh_writer *w, struct cca_error *err)
{
    return cca_error_set(err, -w->failed, "%s: %s", w->path, strerror(w->failed));
}

static int flush(struct mesh_writer *w, struct cca_error *err)
{
    size_t done = 0;

    while (!w->failed && done < w->held) {
        ssize_t n = write(w->fd, w->buffer + done, w->held - done);

        if (n < 0 && errno != EINTR)
            w->failed = errno;
        else if (n > 0)
            done += (size_t)n;
    }
    w->held = 0;
    return w->failed ? write_failed(w, err) : 0;
}

static int put(struct mesh_writer *w, const void *bytes, size_t size,
               struct cca_error *err)
{
    const unsigned char *from = bytes;

    w->offset += size;
    while (size > 0) {
        size_t room = BUFFER - w->held, part = size < room ? size : room;

        memcpy(w->buffer + w->held, from, part);
        w->held += part;
        from += part;
        size -= part;
        if (w->held == BUFFER && flush(w, err))
            return -w->failed;
    }
    return w->failed ? write_failed(w, err) : 0;
}

/* Write a frame; sets its number of bytes and check values. */
static int put_frame(struct mesh_writer *w, struct mm_mesh_frame *frame,
                     const void *payload, size_t bytes, struct cca_error *err)
{
    static const unsigned char zeros[8];
    int rc;

    frame->bytes = (uint32_t)bytes;
    mesh_frame_seal(frame, payload);
    rc = put(w, frame, sizeof *frame, err);
    if (!rc)
        rc = put(w, payload, bytes, err);
    if (!rc && bytes % 8)
        rc = put(w, zeros, 8 - bytes % 8, err);
    return rc;
}

static int create(struct mesh_writer *w, const char *experiment, struct cca_error *err)
{
    struct mm_mesh_head head = {.order = 0x01020304, .format = 1};
    struct mm_mesh_frame frame = {.type = MM_MESH_ABOUT, .rank = -1};
    int rc;

    if (asprintf(&w->path, "%s/" MM_MESH_FOLDER, experiment) < 0)
        return w->path = NULL, cca_no_memory(err);
    if (mkdir(w->path, 0777) != 0 && errno != EEXIST)
        return w->failed = errno, write_failed(w, err);
    free(w->path);
    if (asprintf(&w->path, "%s/" MM_MESH_FOLDER "/%s" MM_MESH_SUFFIX, experiment,
                 w->about.name) < 0)
        return w->path = NULL, cca_no_memory(err);
    w->fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (w->fd < 0)
        return w->failed = errno, write_failed(w, err);
    memcpy(head.magic, MM_MESH_MAGIC, sizeof head.magic);
    head.check =
        mm_block_check(&head, offsetof(struct mm_mesh_head, check), MM_CHECK_START);
    rc = put(w, &head, sizeof head, err);
    if (!rc)
        rc = put_frame(w, &frame, &w->about, sizeof w->about, err);
    return rc ? rc : flush(w, err);
}

struct mesh_writer *mesh_writer_new(const char *experiment,
                                    const struct mm_mesh_about *about,
                                    struct cca_error *err)
{
    struct mesh_writer *w;

    if (mesh_about_check(about, err))
        return NULL;
    w = calloc(1, sizeof *w);
    if (!w) {
        cca_no_memory(err);
        return NULL;
    }
    w->fd = -1;
    w->about = *about;
    w->buffer = malloc(BUFFER);
    w->bricks = mesh_bricks_new(about->kind == MM_MESH_GRID ? about->dims : 1);
    if (!w->buffer || !w->bricks)
        cca_no_memory(err);
    else if (create(w, experiment, err) == 0)
        return w;
    mesh_writer_close(w, NULL);
    return NULL;
}

int mesh_writer_probe(struct mesh_writer *w, const struct mm_mesh_probe *probe,
                      struct cca_error *err)
{
    struct mm_mesh_frame frame = {.type = MM_MESH_PROBE, .rank = -1};
    struct mm_mesh_probe *own;
    int rc = mesh_probe_check(probe, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < w->probe_count; i++)
        if (strcmp(w->probes[i].name, probe->name) == 0)
            return cca_error_set(err, -EEXIST, "probe %s: found it twice", probe->name);
    if (w->any_block)
        return cca_error_set(err, -EINVAL, "probe %s: found it behind the first values",
                             probe->name);
    if (w->probe_count == MM_MESH_PROBES)
        return cca_error_set(err, -ENOSPC, "probe %s: found more than %d probes",
                             probe->name, MM_MESH_PROBES);
    own = cca_array_add(&w->probes, &w->probe_count, sizeof *own);
    if (!own)
        return cca_no_memory(err);
    *own = *probe;
    own->probe = (int32_t)w->probe_count - 1;
    rc = put_frame(w, &frame, own, sizeof *own, err);
    return rc ? rc : own->probe;
}

int mesh_writer_elements(struct mesh_writer *w, int64_t first, int64_t count,
                         const double *centres, struct cca_error *err)
{
    enum { AT_ONCE = 1 << 16 };
    int rc = 0;

    if (w->about.kind != MM_MESH_UNSTRUCTURED || first < 0 || count < 0 ||
        count > w->about.n[0] - first)
        return cca_error_set(err, -EINVAL, "elements %lld to %lld: outside the mesh",
                             (long long)first, (long long)(first + count));
    for (int64_t done = 0; !rc && done < count;) {
        int64_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        struct mm_mesh_frame frame = {.type = MM_MESH_ELEMENTS,
                                      .rank = -1,
                                      .lo = {first + done, 0, 0},
                                      .hi = {first + done + part, 1, 1}};

        rc = put_frame(w, &frame, centres + 3 * done, (size_t)part * 3 * sizeof *centres,
                       err);
        done += part;
    }
    return rc;
}

static int check_box(const struct mesh_writer *w, int64_t step, int rank, int probe,
                     int level, const int64_t *lo, const int64_t *hi,
                     struct cca_error *err)
{
    int64_t n[3];

    if (w->any_step && step <= w->step)
        return cca_error_set(err, -EINVAL, "step %lld: found behind step %lld",
                             (long long)step, (long long)w->step);
    if (probe < 0 || (size_t)probe >= w->probe_count || level < 0 ||
        level >= w->about.levels || rank < -1)
        return cca_error_set(err, -EINVAL, "probe %d, level %d, rank %d: not there",
                             probe, level, rank);
    mesh_level_size(&w->about, level, n);
    for (int d = 0; d < 3; d++)
        if (lo[d] < 0 || hi[d] <= lo[d] || hi[d] > n[d])
            return cca_error_set(err, -EINVAL,
                                 "level %d, dimension %d: found cells %lld to %lld, "
                                 "expected 0 to %lld",
                                 level, d, (long long)lo[d], (long long)hi[d] - 1,
                                 (long long)n[d] - 1);
    return 0;
}

static uint64_t hash_of(const struct place *place)
{
    return mm_block_check(place->key, sizeof place->key, MM_CHECK_START);
}

/* Return the hash table's entry of a brick, or the unused entry for it. */
static struct place *find_place(struct mesh_writer *w, const struct place *wanted)
{
    size_t mask = w->place_capacity - 1, at = (size_t)hash_of(wanted) & mask;

    while (w->places[at].offset &&
           memcmp(w->places[at].key, wanted->key, sizeof wanted->key) != 0)
        at = (at + 1) & mask;
    return &w->places[at];
}

static int grow_places(struct mesh_writer *w)
{
    struct place *old = w->places;
    size_t count = w->place_capacity;

    if (2 * (w->place_count + 1) <= w->place_capacity)
        return 0;
    w->place_capacity = count ? 2 * count : 256;
    w->places = calloc(w->place_capacity, sizeof *w->places);
    if (!w->places) {
        w->places = old;
        w->place_capacity = count;
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        if (old[i].offset)
            *find_place(w, &old[i]) = old[i];
    free(old);
    return 0;
}

static int count_block(struct mesh_writer *w, int64_t step)
{
    struct open_step *open = NULL;

    for (size_t i = w->open_count; i-- > 0 && !open;)
        if (w->open[i].number == step)
            open = &w->open[i];
    if (!open && !(open = cca_array_add(&w->open, &w->open_count, sizeof *open)))
        return -ENOMEM;
    open->number = step;
    open->blocks++;
    return 0;
}

/* Return the number of blocks of a step that ends; earlier open steps can never end and
 * are dropped. */
static uint64_t blocks_of(struct mesh_writer *w, int64_t step)
{
    uint64_t blocks = 0;
    size_t kept = 0;

    for (size_t i = 0; i < w->open_count; i++)
        if (w->open[i].number == step)
            blocks = w->open[i].blocks;
        else if (w->open[i].number > step)
            w->open[kept++] = w->open[i];
    while (w->open_count > kept)
        w->open_count--;
    return blocks;
}

int mesh_writer_block(struct mesh_writer *w, const struct mm_mesh_frame *given,
                      const void *payload, struct cca_error *err)
{
    struct mm_mesh_frame frame = *given;
    struct place wanted = {{0}, 0}, *place;
    int rc = check_box(w, given->step, given->rank, given->probe, given->level, given->lo,
                       given->hi, err);

    if (rc)
        return rc;
    if (given->bytes > MM_MESH_PAYLOAD)
        return cca_error_set(err, -EINVAL, "found a block of %u bytes", given->bytes);
    if (grow_places(w))
        return cca_no_memory(err);
    wanted.key[0] = (uint64_t)(uint32_t)given->rank << 32 | given->level;
    wanted.key[1] = given->probe;
    memcpy(wanted.key + 2, given->lo, sizeof given->lo);
    memcpy(wanted.key + 5, given->hi, sizeof given->hi);
    place = find_place(w, &wanted);
    if (given->previous && !place->offset)
        return cca_error_set(err, -EINVAL,
                             "a block of step %lld of rank %d needs one "
                             "that never came",
                             (long long)given->step, given->rank);
    if (!place->offset)
        w->place_count++;
    frame.type = MM_MESH_BLOCK;
    frame.previous = given->previous ? place->offset : 0;
    memcpy(place->key, wanted.key, sizeof place->key);
    place->offset = w->offset;
    w->any_block = 1;
    rc = count_block(w, given->step);
    if (rc)
        return cca_no_memory(err);
    return put_frame(w, &frame, payload, given->bytes, err);
}

static int own_block(void *context, const struct mm_mesh_frame *frame,
                     const void *payload, struct cca_error *err)
{
    return mesh_writer_block(context, frame, payload, err);
}

int mesh_writer_values(struct mesh_writer *w, const struct mesh_box *box,
                       const float *values, struct cca_error *err)
{
    int rc =
        check_box(w, box->step, box->rank, box->probe, box->level, box->lo, box->hi, err);

    return rc ? rc
              : mesh_bricks_pack(w->bricks, box, w->probes[box->probe].eps, values,
                                 own_block, w, err);
}

int mesh_writer_step(struct mesh_writer *w, int64_t step,
                     const struct mm_mesh_step_end *end, struct cca_error *err)
{
    struct mm_mesh_frame frame = {.type = MM_MESH_STEP, .rank = -1, .step = step};
    struct mm_mesh_step_end own = *end;
    int rc;

    if (w->any_step && step <= w->step)
        return cca_error_set(err, -EINVAL, "step %lld: found behind step %lld",
                             (long long)step, (long long)w->step);
    own.blocks = blocks_of(w, step);
    rc = put_frame(w, &frame, &own, sizeof own, err);
    w->step = step;
    w->any_step = 1;
    return rc ? rc : flush(w, err);
}

int mesh_writer_lost(struct mesh_writer *w, int rank, const struct mm_mesh_lost *lost,
                     struct cca_error *err)
{
    struct mm_mesh_frame frame = {
        .type = MM_MESH_LOST, .rank = rank, .step = lost->first};
    int rc;

    rc = put_frame(w, &frame, lost, sizeof *lost, err);
    return rc ? rc : flush(w, err);
}

int mesh_writer_note(struct mesh_writer *w, const char *text, struct cca_error *err)
{
    struct mm_mesh_frame frame = {.type = MM_MESH_NOTE, .rank = -1};
    int rc;

    rc = put_frame(w, &frame, text, strnlen(text, NOTE_BYTES), err);
    return rc ? rc : flush(w, err);
}

int mesh_writer_close(struct mesh_writer *w, struct cca_error *err)
{
    int failed;

    if (!w)
        return 0;
    if (w->fd >= 0) {
        flush(w, err);
        if (close(w->fd) != 0 && !w->failed) {
            w->failed = errno;
            write_failed(w, err);
        }
    }
    failed = w->failed;
    mesh_bricks_free(w->bricks);
    free(w->probes);
    free(w->places);
    free(w->open);
    free(w->buffer);
    free(w->path);
    free(w);
    return -failed;
}
