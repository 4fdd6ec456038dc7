/* SPDX-License-Identifier: BSD-3-Clause */
/* teams.c: a region from the call that begins it to its return. */
#include "tau_port/openmp/openmp.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "common/clock.h"

enum { SMALLEST = 16 };

static struct omp_team *make_team(int capacity)
{
    struct omp_team *team =
        mmap(NULL, sizeof *team + (size_t)capacity * sizeof *team->slots,
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (team == MAP_FAILED)
        return NULL;
    team->capacity = capacity;
    for (int i = 0; i < capacity; i++)
        team->slots[i].team = team;
    return team;
}

/* Take a large enough team from the thread's unused ones, or make one. */
static struct omp_team *take_team(struct omp_thread *mine, int size)
{
    struct omp_team **link = &mine->free, *team;
    int capacity = SMALLEST;

    while (*link && (*link)->capacity < size)
        link = &(*link)->next;
    team = *link;
    if (team) {
        *link = team->next;
        return team;
    }
    while (capacity < size && capacity < 1 << 20)
        capacity *= 2;
    return make_team(capacity);
}

struct omp_team *omp_team_begin(int kind, const void *code, const void *call,
                                const char *source, int size)
{
    struct omp_thread *mine = omp_thread();
    struct omp_team *team;
    int64_t start;

    omp_first_region();
    start = cca_clock_ns(CLOCK_MONOTONIC);
    team = mine ? take_team(mine, size) : NULL;
    if (!team)
        return NULL;
    team->kind = kind;
    team->code = code;
    team->call = call;
    team->source = source;
    team->level = mine->slot ? mine->slot->team->level + 1 : 1;
    team->size = 0;
    for (int i = 0; i < size && i < team->capacity; i++)
        team->slots[i].start = team->slots[i].end = 0;
    team->outer_depth = mine->depth;
    omp_region_begun(team);
    team->begin = cca_clock_ns(CLOCK_MONOTONIC);
    team->own_ns = team->begin - start;
    team->outer_state = omp_switch(mine, OMP_CONTROL, team->begin);
    return team;
}

/* Start a thread in a region. Time that a worker waited before is not part of the region.
 * */
static void start_thread(struct omp_thread *mine, int is_first, int64_t now)
{
    if (is_first) {
        omp_switch(mine, OMP_BUSY, now);
        return;
    }
    mine->state = OMP_BUSY;
    mine->since = now;
    mine->depth = 0;
}

void omp_team_none(void)
{
    struct omp_thread *mine = omp_mine;

    if (!mine)
        return;
    mine->slot = NULL;
    start_thread(mine, 0, cca_clock_ns(CLOCK_MONOTONIC));
}

void omp_team_start(struct omp_team *team, int index, int size, int could)
{
    struct omp_thread *mine = omp_thread();
    struct omp_slot *slot = index < team->capacity ? &team->slots[index] : NULL;
    int64_t now = cca_clock_ns(CLOCK_MONOTONIC);

    if (!mine || !slot) {
        omp_team_none();
        return;
    }
    start_thread(mine, index == 0, now);
    slot->outer = mine->slot;
    slot->start = now;
    slot->end = 0;
    memcpy(slot->before, mine->ns, sizeof slot->before);
    mine->slot = slot;
    if (index)
        return;
    team->size = size;
    if (team->level == 1)
        omp_loss_team(mine, could, size, team->begin);
}

void omp_team_leave(void)
{
    struct omp_thread *mine = omp_mine;

    if (mine)
        omp_switch(mine, OMP_BARRIER, cca_clock_ns(CLOCK_MONOTONIC));
}

/* Complete the slot of a thread whose end in the body was not seen: it counts as working
 * until now. */
static void close_unseen(struct omp_slot *slot, int64_t now)
{
    memset(slot->ns, 0, sizeof slot->ns);
    slot->ns[OMP_BUSY] = now - slot->start;
    slot->end = now;
}

/* Extend the slots' times to the whole time of the region. */
static void complete_slots(struct omp_team *team, int64_t now)
{
    int size = team->size < team->capacity ? team->size : team->capacity;
    int64_t last = team->begin;

    for (int i = 0; i < size; i++) {
        struct omp_slot *slot = &team->slots[i];

        if (slot->start && !slot->end)
            close_unseen(slot, now);
        if (slot->end > last)
            last = slot->end;
    }
    for (int i = 0; i < size; i++) {
        struct omp_slot *slot = &team->slots[i];

        if (!slot->start)
            continue;
        slot->ns[OMP_BARRIER] += last - slot->end;
        slot->ns[OMP_CONTROL] += slot->start - team->begin + now - last;
    }
}

/* Set the first thread's times from its slot, which now has the right division of its
 * wait at the end. */
static void settle_first(struct omp_thread *mine, const struct omp_team *team,
                         int64_t now)
{
    const struct omp_slot *slot = &team->slots[0];

    for (int i = 0; i < OMP_STATES; i++)
        mine->ns[i] = slot->before[i] + slot->ns[i];
    /* the time from the begin of the region to the thread's start was already counted */
    mine->ns[OMP_CONTROL] -= slot->start - team->begin;
    mine->since = now;
}

void omp_team_end(struct omp_team *team, int could)
{
    struct omp_thread *mine = omp_mine;
    struct omp_slot *first = &team->slots[0];
    int64_t now = cca_clock_ns(CLOCK_MONOTONIC);

    if (!mine)
        return;
    if (team->size && mine->slot == first) {
        if (!first->end) /* a team of one thread has no barrier at the end */
            omp_switch(mine, OMP_BARRIER, now);
        complete_slots(team, now);
        settle_first(mine, team, now);
        mine->slot = first->outer;
    } else {
        omp_switch(mine, team->outer_state, now);
    }
    mine->state = team->outer_state;
    mine->depth = team->outer_depth;
    omp_region_ended(team, now - team->begin);
    if (team->level == 1)
        omp_loss_alone(mine, could, now);
    omp_cost_region(mine, team->own_ns + cca_clock_ns(CLOCK_MONOTONIC) - now);
    team->next = mine->free;
    mine->free = team;
}
