/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c: give the program's communicators ids that are the same on all their processes,
 * and maps from ranks to processes. Messages on communicators without these (made by a
 * library's own PMPI calls) are counted as unknown.
 *
 * Ids: a child's follows from its parent's and the number of creating calls on the
 * parent, which all members make in the same order. The colours of a split share an id
 * but no processes, and channels name processes, so they share no channel. If only some
 * members make the call (MPI_Comm_create_group, MPI_Intercomm_create), the first of them
 * draws an id and broadcasts it on the new communicator. */
#include "tau_port/pmpi/comms.h"
#include "tau_port/pmpi/exchange.h"

#include <stdlib.h>
#include <string.h>

enum { WAITING = 32 };
#define WORLD_ID UINT64_C(0x6d6d2d776f726c64)
#define SELF_ID UINT64_C(0x6d6d2d2d73656c66)
#define JOINED_ID UINT64_C(0x6d6d2d6a6f696e65)

/* A communicator whose description in the file is delayed: the program may name it
 * first. */
struct waiting {
    MPI_Comm comm;
    uint64_t id;
    uint32_t size, flags;
    int taken;
};

static struct {
    int keyval; /* key of an attribute of followed communicators; its delete callback
                 * reports their end */
    int has_keyval, lock;
    struct waiting waiting[WAITING];
    uint64_t drawn;
    MPI_Group world;
} state = {.keyval = MPI_KEYVAL_INVALID};

static int sampling(void)
{
    return __atomic_load_n(&pmpi_sampling, __ATOMIC_ACQUIRE);
}

/* --- Names of communicators, for the file --------------------------------- */

/* The lock is held for a few stores only, so waiting threads spin. */
static void lock(void)
{
    while (pmpi_messages.threads && __atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE))
        continue;
}

static void unlock(void)
{
    __atomic_store_n(&state.lock, 0, __ATOMIC_RELEASE);
}

static void describe(const struct waiting *w)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;

    if (w->comm == MPI_COMM_NULL || PMPI_Comm_get_name(w->comm, name, &length))
        *name = 0;
    mm_keep_comm(pmpi_messages.keep, w->id, w->size, w->flags, name);
}

static int take_waiting(MPI_Comm comm, int any, struct waiting *taken)
{
    int found = 0;

    lock();
    for (int i = 0; i < WAITING && !found; i++) {
        struct waiting *w = &state.waiting[i];

        found = w->taken && (any || w->comm == comm);
        if (found) {
            *taken = *w;
            w->taken = 0;
        }
    }
    unlock();
    return found;
}

/* Describe a communicator in the file later, or at once if the list of waiting ones is
 * full. */
static void describe_later(const struct waiting *w)
{
    int kept = 0;

    lock();
    for (int i = 0; i < WAITING && !kept; i++) {
        kept = !state.waiting[i].taken;
        if (kept)
            state.waiting[i] = *w;
    }
    unlock();
    if (!kept)
        describe(w);
}

void pmpi_comms_describe(void)
{
    struct waiting w;

    while (take_waiting(MPI_COMM_NULL, 1, &w))
        describe(&w);
}

void pmpi_comm_named(MPI_Comm comm)
{
    struct waiting w;

    if (sampling() && take_waiting(comm, 0, &w))
        describe(&w);
}

/* --- The end of a communicator -------------------------------------------- */

void pmpi_comm_gone(MPI_Comm comm)
{
    struct waiting w;

    if (!sampling())
        return;
    if (take_waiting(comm, 0, &w))
        describe(&w);
    mm_engine_comm_forget(pmpi_messages.engine, pmpi_comm_handle(comm));
}

/* Delete callback of the attribute, which MPI calls when a communicator is freed in any
 * way, also by PMPI. */
static int on_delete(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)keyval;
    (void)attribute;
    (void)extra;
    pmpi_comm_gone(comm);
    return MPI_SUCCESS;
}

/* --- Processes of a communicator ------------------------------------------ */

struct members {
    int count, foreign; /* foreign: number of processes of another job */
    int32_t *processes; /* [count] process by rank; freed by the caller */
};

static void name_foreign(struct members *m)
{
    for (int i = 0; i < m->count; i++)
        if (m->processes[i] == MPI_UNDEFINED) {
            m->processes[i] = MM_FOREIGN - i;
            m->foreign++;
        }
}

/* Set the processes of a group's ranks, and free the group. Returns 0 or -1. */
static int translate(MPI_Group group, struct members *m)
{
    int *ranks = NULL, result = -1;

    memset(m, 0, sizeof *m);
    if (PMPI_Group_size(group, &m->count) == MPI_SUCCESS) {
        ranks = malloc((size_t)m->count * sizeof *ranks + 1);
        m->processes = malloc((size_t)m->count * sizeof *m->processes + 1);
    }
    if (ranks && m->processes) {
        for (int i = 0; i < m->count; i++)
            ranks[i] = i;
        result =
            PMPI_Group_translate_ranks(group, m->count, ranks, state.world, m->processes)
                ? -1
                : 0;
    }
    if (result == 0)
        name_foreign(m);
    free(ranks);
    PMPI_Group_free(&group);
    return result;
}

/* Find the peers in a communicator: the processes of its group or, of an
 * intercommunicator, of the remote group. */
static int find_peers(MPI_Comm comm, int inter, struct members *m)
{
    MPI_Group group;

    memset(m, 0, sizeof *m);
    return (inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group))
               ? -1
               : translate(group, m);
}

/* Whether either side of a communicator has processes of another job. */
static int has_foreign(MPI_Comm comm, int inter, const struct members *peers)
{
    struct members own = {0};
    MPI_Group group;
    int foreign = peers->foreign;

    if (inter && PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
        foreign += translate(group, &own) ? 1 : own.foreign;
        free(own.processes);
    }
    return foreign != 0;
}

/* --- Ids ------------------------------------------------------------------ */

/* A unique id from this process's number and a counter. */
static uint64_t draw(void)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t id = (uint64_t)(uint32_t)pmpi_messages.process << 32 |
                  (uint32_t)__atomic_add_fetch(&state.drawn, 1, __ATOMIC_RELAXED);

    id = (id ^ (id >> 31)) * factor;
    return (id ^ (id >> 29)) * factor ^ UINT64_C(0x64726177);
}

/* Agree on the id of an intercommunicator: the first process of each group draws an id,
 * and the groups exchange them. */
static int agree_inter(MPI_Comm comm, uint64_t *id)
{
    uint64_t mine = 0, theirs = 0, own = 0;
    int rank = 0;

    PMPI_Comm_rank(comm, &rank);
    mine = rank == 0 ? draw() : 0;
    if (PMPI_Allreduce(&mine, &theirs, 1, MPI_UINT64_T, MPI_BXOR, comm))
        return -1;
    mine = rank == 0 ? theirs : 0;
    if (PMPI_Allreduce(&mine, &own, 1, MPI_UINT64_T, MPI_BXOR, comm))
        return -1;
    *id = own + theirs;
    return 0;
}

/* Agree on an id that one process draws. Called inside a call that is collective over the
 * new communicator, so it may wait. */
static int agree_drawn(MPI_Comm comm, int inter, uint64_t *id)
{
    int rank = 0;

    if (inter)
        return agree_inter(comm, id);
    PMPI_Comm_rank(comm, &rank);
    *id = rank == 0 ? draw() : 0;
    return PMPI_Bcast(id, 1, MPI_UINT64_T, 0, comm) ? -1 : 0;
}

/* Hash of a text and of the processes of both sides, in an order that is the same on
 * both. */
static uint64_t id_of_group(MPI_Comm comm, int inter, const struct members *peers,
                            const char *tag)
{
    struct members own = {0};
    const struct members *first = peers, *second = NULL;
    MPI_Group group;
    int32_t *both;
    uint64_t id;

    if (!inter)
        return mm_engine_comm_of_group(pmpi_messages.engine, tag, peers->processes,
                                       peers->count);
    if (PMPI_Comm_group(comm, &group) || translate(group, &own)) {
        free(own.processes);
        return 0;
    }
    second = own.count && peers->count && own.processes[0] < peers->processes[0] ? peers
                                                                                 : &own;
    first = second == peers ? &own : peers;
    both = malloc((size_t)(own.count + peers->count) * sizeof *both + 1);
    if (both) {
        memcpy(both, first->processes, (size_t)first->count * sizeof *both);
        memcpy(both + first->count, second->processes,
               (size_t)second->count * sizeof *both);
    }
    id = both ? mm_engine_comm_of_group(pmpi_messages.engine, tag, both,
                                        own.count + peers->count)
              : 0;
    free(both);
    free(own.processes);
    return id;
}

/* --- New communicators ---------------------------------------------------- */

/* Whether messages may overtake each other: then their order has no meaning. */
static int may_overtake(MPI_Comm comm)
{
    char value[8] = "";
    MPI_Info info;
    int found = 0;

    if (PMPI_Comm_get_info(comm, &info))
        return 0;
    PMPI_Info_get(info, "mpi_assert_allow_overtaking", sizeof value - 1, value, &found);
    PMPI_Info_free(&info);
    return found && strcmp(value, "true") == 0;
}

static int is_identity(const struct members *m)
{
    int i = 0;

    while (i < m->count && m->processes[i] == i)
        i++;
    return i == m->count;
}

static void follow(MPI_Comm comm, uint64_t id, const struct members *peers,
                   unsigned flags, int complete)
{
    struct waiting w = {.comm = complete ? comm : MPI_COMM_NULL,
                        .id = id,
                        .size = (uint32_t)peers->count,
                        .flags = flags,
                        .taken = 1};

    if (!mm_engine_comm_add(pmpi_messages.engine, pmpi_comm_handle(comm), id,
                            is_identity(peers) ? NULL : peers->processes, peers->count,
                            flags))
        return;
    if (complete)
        describe_later(&w);
    else
        describe(&w);
    if (complete && state.has_keyval)
        PMPI_Comm_set_attr(comm, state.keyval, NULL);
}

/* Whether two groups met that have no communicator in common: MPI_Comm_accept, connect,
 * join; or MPI_Comm_spawn, whose children are foreign. */
static int is_meeting(enum pmpi_comm_how how, MPI_Comm parent, int inter)
{
    int was_inter = 0;

    if (!inter || how == PMPI_COMM_JOINED)
        return inter;
    return how == PMPI_COMM_CHILD &&
           PMPI_Comm_test_inter(parent, &was_inter) == MPI_SUCCESS && !was_inter;
}

/* The id of a new communicator, which may need communication with its other members; 0:
 * there is none. */
static uint64_t find_id(enum pmpi_comm_how how, uint64_t before, MPI_Comm comm,
                        MPI_Comm parent, int inter, const struct members *peers,
                        const char *tag, unsigned *flags)
{
    uint64_t id = before;

    if (is_meeting(how, parent, inter))
        return has_foreign(comm, inter, peers) ? before
               : agree_drawn(comm, inter, &id) ? 0
                                               : id;
    if (how == PMPI_COMM_DRAWN) {
        /* processes of another job may have no such library */
        if (has_foreign(comm, inter, peers)) {
            *flags |= MM_COMM_OFF;
            return draw();
        }
        return agree_drawn(comm, inter, &id) ? 0 : id;
    }
    return how == PMPI_COMM_GROUP ? id_of_group(comm, inter, peers, tag) : id;
}

uint64_t pmpi_comm_before(enum pmpi_comm_how how, MPI_Comm parent)
{
    struct mm_comm *comm;

    if (!sampling())
        return 0;
    if (how == PMPI_COMM_JOINED)
        return JOINED_ID + __atomic_fetch_add(&state.drawn, 1, __ATOMIC_RELAXED);
    if (how != PMPI_COMM_CHILD && how != PMPI_COMM_IDUP)
        return 1;
    comm = parent == MPI_COMM_NULL ? NULL : pmpi_comm(parent);
    return comm ? mm_engine_comm_child(pmpi_messages.engine, comm) : 0;
}

void pmpi_comm_after(enum pmpi_comm_how how, uint64_t before, MPI_Comm parent,
                     MPI_Comm *made, MPI_Request *request, const char *tag)
{
    int complete = how != PMPI_COMM_IDUP, inter = 0;
    MPI_Comm comm = *made, shape = complete ? comm : parent;
    struct members peers = {0};
    unsigned flags = 0;
    uint64_t id;

    (void)request;
    if (how == PMPI_COMM_GROUP)
        pmpi_messages_missed();
    if (!sampling() || !before || comm == MPI_COMM_NULL ||
        (how == PMPI_COMM_JOINED &&
         mm_engine_comm(pmpi_messages.engine, pmpi_comm_handle(comm))))
        return;
    /* of a communicator that is not complete yet only the handle is known: group and kind
     * are its parent's */
    if (PMPI_Comm_test_inter(shape, &inter) || find_peers(shape, inter, &peers)) {
        free(peers.processes);
        return;
    }
    flags = inter ? MM_COMM_INTER : 0;
    id = find_id(how, before, comm, parent, inter, &peers, tag, &flags);
    if (complete && may_overtake(comm))
        flags |= MM_COMM_OFF;
    if (id)
        follow(comm, id, &peers, flags, complete);
    free(peers.processes);
}

/* If a communicator's new info lets messages overtake each other, follow it again without
 * sampling. */
void pmpi_comm_info(MPI_Comm comm)
{
    struct mm_comm *known;
    struct members peers = {0};
    unsigned flags;

    if (!sampling() || !may_overtake(comm))
        return;
    known = mm_engine_comm(pmpi_messages.engine, pmpi_comm_handle(comm));
    flags = known ? mm_comm_flags(known) : MM_COMM_OFF;
    if (!(flags & MM_COMM_OFF) && find_peers(comm, flags & MM_COMM_INTER, &peers) == 0)
        mm_engine_comm_add(pmpi_messages.engine, pmpi_comm_handle(comm),
                           mm_comm_id(known), peers.processes, peers.count,
                           flags | MM_COMM_OFF);
    free(peers.processes);
}

/* --- Start and end -------------------------------------------------------- */

int pmpi_comms_begin(void)
{
    const struct members world = {.count = pmpi_messages.processes};
    int32_t self = pmpi_messages.process;

    if (PMPI_Comm_group(MPI_COMM_WORLD, &state.world))
        return -1;
    state.has_keyval = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete,
                                               &state.keyval, NULL) == MPI_SUCCESS;
    if (!mm_engine_comm_add(pmpi_messages.engine, pmpi_comm_handle(MPI_COMM_WORLD),
                            WORLD_ID, NULL, world.count, MM_COMM_WORLD) ||
        !mm_engine_comm_add(pmpi_messages.engine, pmpi_comm_handle(MPI_COMM_SELF),
                            SELF_ID, &self, 1, 0))
        return -1;
    mm_keep_comm(pmpi_messages.keep, WORLD_ID, (uint32_t)world.count, MM_COMM_WORLD,
                 "MPI_COMM_WORLD");
    mm_keep_comm(pmpi_messages.keep, SELF_ID, 1, 0, "MPI_COMM_SELF");
    return 0;
}

void pmpi_comms_end(void)
{
    if (state.has_keyval)
        PMPI_Comm_free_keyval(&state.keyval);
    if (pmpi_messages.engine && state.world != MPI_GROUP_NULL)
        PMPI_Group_free(&state.world);
    state.has_keyval = 0;
}

/* Release the lock in a forked child: a thread of the parent may have held it. */
void pmpi_comms_forget(void)
{
    unlock();
}

void pmpi_messages_seldom(uint64_t now)
{
    pmpi_comms_describe();
    pmpi_messages.head->last_ticks = pmpi_clock_shift(now);
}
