/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.c: slots of shared memory become packets. */
#include "mesh/agent/segments_core.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Find, in one pass, the slot with the smallest control word among the slots that are
 * FULL, or were left TAKING by an agent that died; NULL: there is none. */
static struct mesh_slot *least_slot(const struct segment *segment, uint64_t *word)
{
    struct mesh_slot *least = NULL;

    for (uint32_t s = 0; s < segment->head.slots; s++) {
        struct mesh_slot *slot = segment_slot(segment, s);
        uint64_t now = atomic_load_explicit(&slot->word, memory_order_acquire);
        unsigned state = (unsigned)(now % MESH_SLOT_STATES);

        if ((state == MESH_SLOT_FULL || state == MESH_SLOT_TAKING) &&
            (!least || now < *word)) {
            least = slot;
            *word = now;
        }
    }
    return least;
}

/* Mark the FULL slot with the earliest step as TAKING and return it; NULL: no slot is
 * FULL. One pass can see a later step and miss an earlier one that became FULL behind the
 * pass; but in a second pass every slot with an earlier step than that one is FULL. A
 * slot that a dead agent left TAKING counts as FULL, since there is one agent at a time.
 */
static struct mesh_slot *oldest_slot(const struct segment *segment, uint64_t *word)
{
    struct mesh_slot *oldest = least_slot(segment, word);

    if (oldest)
        oldest = least_slot(segment, word);
    if (oldest)
        atomic_store_explicit(
            &oldest->word, *word / MESH_SLOT_STATES * MESH_SLOT_STATES + MESH_SLOT_TAKING,
            memory_order_relaxed);
    return oldest;
}

struct sending {
    struct mesh_segments *segments;
    struct wire_place place;
};

static int send_block(void *context, const struct mm_mesh_frame *frame,
                      const void *payload, struct cca_error *err)
{
    const struct sending *sending = context;
    int rc =
        wire_send(sending->segments->wire, WIRE_BLOCK, &sending->place,
                  sizeof sending->place, frame, sizeof *frame, payload, frame->bytes);

    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

static int send_box(struct mesh_segments *segments, struct segment *segment,
                    const struct mesh_slot *slot, const struct mesh_slot *head,
                    const struct mesh_slot_box *box, struct cca_error *err)
{
    struct sending sending = {segments, {segment->number, 0}};
    int rc = 0;

    for (uint32_t p = 0; p < segment->head.probes && !rc; p++) {
        struct mesh_box to = {.step = head->step,
                              .rank = segment->head.rank,
                              .probe = (int)p,
                              .level = box->level};
        const float *values =
            (const void *)((const char *)slot + segment->head.value_first);

        if (!(head->told >> p & 1))
            continue;
        memcpy(to.lo, box->lo, sizeof to.lo);
        memcpy(to.hi, box->hi, sizeof to.hi);
        rc = mesh_bricks_pack(segment->bricks, &to, segment->head.probe[p].eps,
                              values + p * segment->head.cell_room + box->first,
                              send_block, &sending, err);
    }
    return rc;
}

/* Send the step in a slot. Returns 0; -EBADMSG: the slot is damaged; a negative errno of
 * the wire. */
static int send_slot(struct mesh_segments *segments, struct segment *segment,
                     const struct mesh_slot *slot, struct cca_error *err)
{
    const struct mesh_slot_box *boxes =
        (const void *)((const char *)slot + segment->head.box_first);
    struct known_mesh *mesh = &segments->meshes[segment->number];
    struct wire_place place = {segment->number, 0};
    struct mesh_slot head;
    struct wire_step told;
    int rc;

    memcpy(&head, (const void *)slot, sizeof head);
    rc = mesh_slot_check(&segment->head, &head, err);
    if (!rc && mesh->any && head.step <= mesh->last)
        rc = cca_error_set(err, -EBADMSG, "found step %" PRId64 " behind step %" PRId64,
                           head.step, mesh->last);
    for (uint32_t b = 0; b < head.boxes && !rc; b++) {
        struct mesh_slot_box box = boxes[b];

        rc = mesh_slot_box_check(&segment->head, &head, &box, err);
        if (!rc)
            rc = send_box(segments, segment, slot, &head, &box, err);
    }
    if (rc)
        return rc;
    mesh->any = 1;
    mesh->last = head.step;
    told = (struct wire_step){head.step, head.time_s, head.every, 0};
    rc = wire_send(segments->wire, WIRE_STEP, &place, sizeof place, &told, sizeof told,
                   NULL, 0);
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

/* Send the coordinates of elements. They fill the only slot of their segment; the mesh's
 * steps follow in other segments. */
static int send_centres(struct mesh_segments *segments, struct segment *segment,
                        struct cca_error *err)
{
    const struct mesh_slot *slot = segment_slot(segment, 0);
    const struct mesh_slot_box *boxes =
        (const void *)((const char *)slot + segment->head.box_first);
    const double *values = (const void *)((const char *)slot + segment->head.value_first);
    struct wire_place place = {segment->number, 0};
    struct mesh_slot head;
    int rc;

    memcpy(&head, (const void *)slot, sizeof head);
    rc = mesh_slot_check(&segment->head, &head, err);
    for (uint32_t b = 0; b < head.boxes && !rc; b++) {
        struct mesh_slot_box box = boxes[b];

        rc = mesh_slot_box_check(&segment->head, &head, &box, err);
        for (int64_t at = box.lo[0]; at < box.hi[0] && !rc;) {
            enum { AT_ONCE = 1 << 15 };
            int64_t part = box.hi[0] - at < AT_ONCE ? box.hi[0] - at : AT_ONCE;
            int64_t range[2] = {at, part};

            rc = wire_send(segments->wire, WIRE_CENTRES, &place, sizeof place, range,
                           sizeof range,
                           values + 3 * ((int64_t)box.first + at - box.lo[0]),
                           (size_t)part * 3 * sizeof *values);
            at += part;
        }
    }
    return rc && !err->code
               ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc))
               : rc;
}

int segment_take_slots(struct mesh_segments *segments, struct segment *segment,
                       struct cca_error *err)
{
    struct mesh_slot *slot;
    uint64_t word = 0;
    int taken = 0, rc = 0;

    while (!rc && (slot = oldest_slot(segment, &word))) {
        rc = segment->head.kind == MESH_SHARED_CENTRES
                 ? send_centres(segments, segment, err)
                 : send_slot(segments, segment, slot, err);
        if (!rc)
            atomic_store_explicit(
                &slot->word, word / MESH_SLOT_STATES * MESH_SLOT_STATES + MESH_SLOT_FREE,
                memory_order_release);
        /* the program may fill slots as fast as they are taken: let other segments have
         * their turn */
        if (++taken == 2 * MESH_SHARED_SLOTS)
            break;
    }
    return rc ? rc : taken;
}
