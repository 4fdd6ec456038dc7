/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: read the frames of a profile's file and index them by step. */
#include "mesh/trace/profile_core.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "mesh/trace/words.h"

/* Read `size` bytes at `offset`. Returns 1; 0: the file ends before `offset` + `size`; or
 * a negative errno. */
static int read_at(const struct mesh_profile *p, void *to, size_t size, uint64_t offset)
{
    char *at = to;

    while (size > 0) {
        ssize_t n = pread(p->fd, at, size, (off_t)offset);

        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            return 0;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
            offset += (uint64_t)n;
        }
    }
    return 1;
}

static int damaged(const struct mesh_profile *p, uint64_t offset, const char *what,
                   struct cca_error *err)
{
    return cca_error_set(err, -EBADMSG, "%s: at byte %" PRIu64 ": found %s", p->path,
                         offset, what);
}

int mesh_profile_payload(struct mesh_profile *p, const struct mesh_block *block,
                         void **payload, struct cca_error *err)
{
    size_t size = block->frame.bytes;
    int rc;

    if (cca_array_extend(&p->payload, &p->payload_capacity, 1, size))
        return cca_no_memory(err);
    *payload = p->payload;
    rc = read_at(p, p->payload, size, block->offset + sizeof block->frame);
    if (rc < 0)
        return cca_error_set(err, rc, "%s: %s", p->path, strerror(-rc));
    if (rc == 0 || !mesh_frame_payload_holds(&block->frame, p->payload))
        return damaged(p, block->offset, "a frame whose payload is not as it was written",
                       err);
    return 0;
}

int mesh_profile_head(const struct mesh_profile *p, uint64_t offset,
                      struct mesh_block *block, struct cca_error *err)
{
    int rc = read_at(p, &block->frame, sizeof block->frame, offset);

    block->offset = offset;
    if (rc < 0)
        return cca_error_set(err, rc, "%s: %s", p->path, strerror(-rc));
    if (rc == 0 || !mesh_frame_head_holds(&block->frame) ||
        block->frame.type != MM_MESH_BLOCK)
        return damaged(p, offset, "no block where a later one has the one before", err);
    return 0;
}

static int take_about(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                      const void *payload, uint64_t offset, struct cca_error *err)
{
    struct cca_error why = {0};

    if (p->about.dims || frame->bytes != sizeof p->about)
        return damaged(p, offset,
                       "a second description of the mesh, or one of another "
                       "format",
                       err);
    memcpy(&p->about, payload, sizeof p->about);
    if (mesh_about_check(&p->about, &why)) {
        damaged(p, offset, why.text, err);
        memset(&p->about, 0, sizeof p->about);
        return -EBADMSG;
    }
    return 0;
}

static int take_probe(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                      const void *payload, uint64_t offset, struct cca_error *err)
{
    struct cca_error why = {0};
    struct mm_mesh_probe *probe;

    if (frame->bytes != sizeof *probe || p->probe_count == MM_MESH_PROBES)
        return damaged(p, offset, "a probe too many, or one of another format", err);
    probe = cca_array_add(&p->probes, &p->probe_count, sizeof *probe);
    if (!probe)
        return cca_no_memory(err);
    memcpy(probe, payload, sizeof *probe);
    if (mesh_probe_check(probe, &why))
        return damaged(p, offset, why.text, err);
    if (probe->probe != (int)p->probe_count - 1)
        return damaged(p, offset, "probes out of their order", err);
    return 0;
}

static int take_elements(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                         const void *payload, uint64_t offset, struct cca_error *err)
{
    int64_t first = frame->lo[0], count = frame->hi[0] - first;
    size_t all = (size_t)p->about.n[0] * 3;

    if (p->about.kind != MM_MESH_UNSTRUCTURED || first < 0 || count < 0 ||
        frame->hi[0] > p->about.n[0] ||
        frame->bytes != (uint64_t)count * 3 * sizeof(double))
        return damaged(p, offset, "coordinates of elements that the mesh lacks", err);
    /* Refuse to allocate memory for a mesh that is too large for a file of this size. */
    if (!p->centres && all * sizeof *p->centres > MESH_FREE_BYTES &&
        all * sizeof *p->centres / MESH_FREE_BYTES > p->size)
        return damaged(p, offset, "coordinates in a file too small for its mesh", err);
    if (!p->centres) {
        p->centres = malloc(all * sizeof *p->centres);
        if (!p->centres)
            return cca_no_memory(err);
        for (size_t i = 0; i < all; i++)
            p->centres[i] = (double)NAN;
    }
    memcpy(p->centres + 3 * first, payload, frame->bytes);
    return 0;
}

static int take_block(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                      uint64_t offset, struct cca_error *err)
{
    struct mesh_block *block;
    int64_t n[3], cells = 1;

    if (!p->about.dims || frame->probe >= p->probe_count ||
        frame->level >= p->about.levels || frame->rank < -1 || frame->previous >= offset)
        return damaged(p, offset, "a block of no probe or level", err);
    mesh_level_size(&p->about, frame->level, n);
    for (int d = 0; d < 3; d++) {
        if (frame->lo[d] < 0 || frame->hi[d] <= frame->lo[d] || frame->hi[d] > n[d] ||
            frame->hi[d] - frame->lo[d] > MESH_BLOCK_CELLS / cells)
            return damaged(p, offset, "a block outside the mesh, or too large", err);
        cells *= frame->hi[d] - frame->lo[d];
    }
    block = cca_array_add(&p->pending, &p->pending_count, sizeof *block);
    if (!block)
        return cca_no_memory(err);
    block->frame = *frame;
    block->offset = offset;
    return 0;
}

/* Move the blocks of a step that ended from the list `pending` into the index. */
static int take_step(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                     const void *payload, uint64_t offset, struct cca_error *err)
{
    struct mesh_step *step;
    size_t kept = 0;

    if (frame->bytes != sizeof step->end ||
        (p->step_count && frame->step <= p->steps[p->step_count - 1].number))
        return damaged(p, offset, "the end of a step out of its order", err);
    step = cca_array_add(&p->steps, &p->step_count, sizeof *step);
    if (!step)
        return cca_no_memory(err);
    step->number = frame->step;
    step->first_block = p->block_count;
    memcpy(&step->end, payload, sizeof step->end);
    for (size_t i = 0; i < p->pending_count; i++) {
        struct mesh_block *to = &p->pending[kept];

        if (p->pending[i].frame.step == frame->step) {
            to = cca_array_add(&p->blocks, &p->block_count, sizeof *to);
            if (!to)
                return cca_no_memory(err);
        } else if (p->pending[i].frame.step > frame->step) {
            kept++;
        } else {
            continue; /* the block's step never ended */
        }
        *to = p->pending[i];
    }
    while (p->pending_count > kept)
        p->pending_count--;
    step->blocks = p->block_count - step->first_block;
    if (step->blocks != step->end.blocks)
        return damaged(p, offset, "the end of a step that lacks blocks", err);
    return 0;
}

static int take_lost(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                     const void *payload, uint64_t offset, struct cca_error *err)
{
    struct mesh_loss *loss;

    if (frame->bytes != sizeof loss->lost)
        return damaged(p, offset, "a loss of another format", err);
    loss = cca_array_add(&p->losses, &p->loss_count, sizeof *loss);
    if (!loss)
        return cca_no_memory(err);
    loss->rank = frame->rank;
    memcpy(&loss->lost, payload, sizeof loss->lost);
    loss->lost.why[sizeof loss->lost.why - 1] = 0;
    return 0;
}

static int take_note(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                     const void *payload, struct cca_error *err)
{
    char **note = cca_array_add(&p->notes, &p->note_count, sizeof *note);

    if (!note || !(*note = strndup(payload, frame->bytes))) {
        if (note)
            p->note_count--;
        return cca_no_memory(err);
    }
    return 0;
}

static int take_frame(struct mesh_profile *p, const struct mm_mesh_frame *frame,
                      uint64_t offset, struct cca_error *err)
{
    struct mesh_block whole = {*frame, offset};
    void *payload;
    int rc;

    if (frame->type == MM_MESH_BLOCK)
        return take_block(p, frame, offset, err);
    rc = mesh_profile_payload(p, &whole, &payload, err);
    if (rc)
        return rc;
    switch (frame->type) {
    case MM_MESH_ABOUT:
        return take_about(p, frame, payload, offset, err);
    case MM_MESH_PROBE:
        return take_probe(p, frame, payload, offset, err);
    case MM_MESH_ELEMENTS:
        return take_elements(p, frame, payload, offset, err);
    case MM_MESH_STEP:
        return take_step(p, frame, payload, offset, err);
    case MM_MESH_LOST:
        return take_lost(p, frame, payload, offset, err);
    case MM_MESH_NOTE:
        return take_note(p, frame, payload, err);
    default:
        return damaged(p, offset, "a frame of an unknown type", err);
    }
}

/* Whether the bytes from `offset` on are an incomplete write: no complete frame
 * follows. */
static int is_torn(const struct mesh_profile *p, uint64_t offset)
{
    struct mm_mesh_frame frame;

    for (uint64_t at = offset; at + sizeof frame <= p->size; at += 8)
        if (at - offset > MESH_TORN_BYTES ||
            (read_at(p, &frame, sizeof frame, at) == 1 && mesh_frame_head_holds(&frame)))
            return 0;
    return 1;
}

static int index_frames(struct mesh_profile *p, struct cca_error *err)
{
    struct mm_mesh_frame frame;
    struct stat st;
    int taken = 0, rc;

    if (fstat(p->fd, &st) != 0)
        return cca_error_set(err, -errno, "%s: %s", p->path, strerror(errno));
    p->size = (uint64_t)st.st_size;
    while (p->end + sizeof frame <= p->size) {
        rc = read_at(p, &frame, sizeof frame, p->end);
        if (rc < 0)
            return cca_error_set(err, rc, "%s: %s", p->path, strerror(-rc));
        if (rc == 0)
            break;
        if (!mesh_frame_head_holds(&frame)) {
            if (is_torn(p, p->end))
                break;
            return damaged(p, p->end, "a frame whose head is not as it was written", err);
        }
        if (p->end + mesh_frame_size(&frame) > p->size)
            break;
        rc = take_frame(p, &frame, p->end, err);
        if (rc)
            return rc;
        p->end += mesh_frame_size(&frame);
        taken = 1;
    }
    return taken;
}

static int open_file(struct mesh_profile *p, struct cca_error *err)
{
    struct mm_mesh_head head;
    int rc;

    p->fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (p->fd < 0)
        return cca_error_set(err, -errno, "%s: %s", p->path, strerror(errno));
    rc = read_at(p, &head, sizeof head, 0);
    if (rc < 0)
        return cca_error_set(err, rc, "%s: %s", p->path, strerror(-rc));
    if (rc == 0 || memcmp(head.magic, MM_MESH_MAGIC, sizeof head.magic) != 0 ||
        head.format != 1 || head.order != 0x01020304 ||
        head.check !=
            mm_block_check(&head, offsetof(struct mm_mesh_head, check), MM_CHECK_START))
        return damaged(p, 0, "no head of a mesh profile", err);
    p->end = sizeof head;
    rc = index_frames(p, err);
    if (rc >= 0 && !p->about.dims)
        return damaged(p, p->end, "no description of the mesh", err);
    return rc < 0 ? rc : 0;
}

struct mesh_profile *mesh_profile_open(const char *experiment, const char *name,
                                       struct cca_error *err)
{
    struct mesh_profile *p = calloc(1, sizeof *p);

    if (!p) {
        cca_no_memory(err);
        return NULL;
    }
    p->fd = -1;
    if (mesh_profile_find(experiment, name, &p->path, err) == 0 && open_file(p, err) == 0)
        return p;
    mesh_profile_close(p);
    return NULL;
}

void mesh_profile_close(struct mesh_profile *p)
{
    if (!p)
        return;
    if (p->fd >= 0)
        close(p->fd);
    for (size_t i = 0; i < p->note_count; i++)
        free(p->notes[i]);
    free(p->notes);
    free(p->losses);
    free(p->probes);
    free(p->centres);
    free(p->steps);
    free(p->blocks);
    free(p->pending);
    free(p->payload);
    free(p->part);
    mesh_kept_free(p->kept);
    free(p->path);
    free(p);
}
