/* SPDX-License-Identifier: BSD-3-Clause */
/* leave.c: the end of a segment. A running program never waits for the agent. If agents
 * were started for it, the exiting process waits until the agent has taken and removed
 * each segment: at most MOST_NS, at most ALONE_NS if no agent came, and not at all for a
 * stopped agent. Then it removes the names of all remaining segments. A stopped agent
 * that has mapped a segment still takes its data when it goes on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "mesh/probe/mesh.h"

#define MOST_NS INT64_C(5000000000)
#define ALONE_NS INT64_C(2000000000)

/* A closed segment that the agent has not removed yet. */
struct leaving {
    struct mesh_shared *shared;
    uint64_t bytes;
    struct mesh_segment_name name; /* name of the segment with the mesh's last part */
    char mesh[MM_MESH_NAME_BYTES];
    struct layout layout;
    struct leaving *next;
};

/* Closed segments. Any thread may push one; only the end of the process, or a forked
 * child, removes them. */
static _Atomic(struct leaving *) all;

void mesh_segment_leave(struct mm_mesh *m, enum mesh_shared_state state)
{
    const char *started = getenv(MESH_STARTED_VARIABLE);
    struct leaving *leaving = NULL;

    if (!m->shared)
        return;
    if (state == MESH_SHARED_CLOSED && started && *started)
        leaving = calloc(1, sizeof *leaving);
    if (leaving) {
        leaving->shared = m->shared;
        leaving->bytes = m->layout.bytes;
        leaving->layout = m->layout;
        mesh_segment_own(m, m->parts - 1, &leaving->name);
        memcpy(leaving->mesh, m->about.name, sizeof leaving->mesh);
        leaving->next = atomic_load(&all);
        while (!atomic_compare_exchange_weak(&all, &leaving->next, leaving))
            continue;
    }
    atomic_store_explicit(&m->shared->state, (uint32_t)state, memory_order_release);
    if (!leaving)
        munmap(m->shared, m->layout.bytes);
    m->shared = NULL;
    m->slot = NULL;
}

static void path_of(const struct leaving *leaving, int part, char path[256])
{
    struct mesh_segment_name name = leaving->name;
    char text[MESH_SEGMENT_NAME];

    name.part = part;
    mesh_segment_name(&name, text);
    snprintf(path, 256, MESH_SHARED_FOLDER "/%s", text);
}

/* Return the number of steps that no agent has taken. */
static int full_slots(const struct leaving *leaving)
{
    int count = 0;

    for (uint32_t s = 0; s < leaving->layout.slots; s++) {
        const struct mesh_slot *slot =
            (const struct mesh_slot *)(const void *)((const char *)leaving->shared +
                                                     leaving->layout.slot_first +
                                                     s * leaving->layout.slot_bytes);
        uint64_t state =
            atomic_load_explicit(&slot->word, memory_order_relaxed) % MESH_SLOT_STATES;

        count += state == MESH_SLOT_FULL || state == MESH_SLOT_TAKING;
    }
    return count;
}

/* Return the time to wait for the agent that serves the segment, ns; 0: the agent is
 * stopped; -1: it is dead. */
static int64_t patience(const struct leaving *leaving)
{
    uint64_t taker = atomic_load(&leaving->shared->taker), start = 0;
    char state;

    if (taker == 0)
        return ALONE_NS;
    state = mesh_process_state((int64_t)(taker >> 32), &start);
    if (!state || state == 'Z' || state == 'X' || (uint32_t)start != (uint32_t)taker)
        return -1;
    return state == 'T' || state == 't' ? 0 : MOST_NS;
}

/* Remove the files of all parts of the mesh, and report steps that no agent will take. */
static void give_up(const struct leaving *leaving, int stopped)
{
    int steps = full_slots(leaving);
    char path[256];

    for (int part = 0; part <= leaving->name.part; part++) {
        path_of(leaving, part, path);
        unlink(path);
    }
    if (steps > 0)
        fprintf(stderr,
                stopped ? "mm_mesh: %s: the agent is stopped; the last %d steps are lost "
                          "unless it goes on\n"
                        : "mm_mesh: %s: no agent took the last %d steps; they are lost\n",
                leaving->mesh, steps);
}

static void wait_for(const struct leaving *leaving, int64_t begun)
{
    struct timespec pause = {.tv_nsec = 500000};
    struct stat st;
    char path[256];
    int64_t most;

    path_of(leaving, leaving->name.part, path);
    while (stat(path, &st) == 0) {
        most = patience(leaving);
        if (most == 0 || cca_clock_ns(CLOCK_MONOTONIC) - begun > most) {
            give_up(leaving, most == 0);
            return;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000)
            pause.tv_nsec *= 2;
    }
}

static void forget_one(void)
{
    struct leaving *leaving = atomic_load(&all);

    atomic_store(&all, leaving->next);
    munmap(leaving->shared, leaving->bytes);
    free(leaving);
}

void mesh_leaving_wait(void)
{
    int64_t begun = cca_clock_ns(CLOCK_MONOTONIC);

    while (atomic_load(&all)) {
        wait_for(atomic_load(&all), begun);
        forget_one();
    }
}

void mesh_leaving_forget(void)
{
    while (atomic_load(&all))
        forget_one();
}
