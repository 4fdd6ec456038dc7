/* SPDX-License-Identifier: BSD-3-Clause */
/* followed.c: followed receives by request, and a ring of other requests. */
#include "messages/engine/inside.h"

enum { FIRST_FOLLOWED = 256 };

static int grow(struct mm_engine *e)
{
    size_t before = e->followed ? e->followed_mask + 1 : 0,
           size = before ? 2 * before : FIRST_FOLLOWED;
    struct mm_followed_slot *old = e->followed,
                            *slots = mm_engine_map(e, size * sizeof *old);

    if (!slots)
        return -1;
    e->followed = slots;
    e->followed_mask = size - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].receive)
            *mm_followed_slot(e, old[i].request) = old[i];
    return 0;
}

int mm_followed_put(struct mm_engine *e, struct mm_receive *r, uintptr_t request)
{
    struct mm_followed_slot *slot;

    r->request = 0;
    if ((!e->followed || 2 * (e->following + 1) > e->followed_mask) && grow(e))
        return -1;
    slot = mm_followed_slot(e, request);
    __atomic_store_n(&e->following, e->following + (slot->receive == NULL),
                     __ATOMIC_RELAXED);
    slot->request = r->request = request;
    slot->receive = r;
    return 0;
}

void mm_followed_remove(struct mm_engine *e, uintptr_t request)
{
    struct mm_followed_slot *slot = e->followed ? mm_followed_slot(e, request) : NULL;
    size_t hole, at, home;

    if (!slot || !slot->receive)
        return;
    __atomic_store_n(&e->following, e->following - 1, __ATOMIC_RELAXED);
    hole = at = (size_t)(slot - e->followed);
    for (;;) {
        e->followed[hole].receive = NULL;
        do {
            at = (at + 1) & e->followed_mask;
            if (!e->followed[at].receive)
                return;
            home = mm_followed_place(e->followed[at].request, e->followed_mask);
        } while (((at - home) & e->followed_mask) < ((at - hole) & e->followed_mask));
        e->followed[hole] = e->followed[at];
        hole = at;
    }
}

struct mm_remembered *mm_ring_find(struct mm_engine *e, uintptr_t request)
{
    uint64_t oldest = e->ring_next > MM_RING ? e->ring_next - MM_RING : 0;

    for (uint64_t i = e->ring_next; i-- > oldest;) {
        struct mm_remembered *entry = &e->ring[i % MM_RING];

        if (entry->request == request)
            return entry;
    }
    return NULL;
}
