/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c: threads that a process starts and joins, shared iterations of loops, locks.
 * Iterations are distributed as in OpenMP: static: blocks of nearly equal size, or chunks
 * round-robin; dynamic: the next chunk to the next free thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/run/ordered_core.h"

enum { MOST_THREADS = 1000000 };

static struct act_team *team_at(const struct act_engine *g, int32_t number)
{
    return (struct act_team *)g->ordered->teams.all + number;
}

/* --- Memory. --- */

/* Make room for the state of all actors. */
static int make_room(struct act_engine *g, int32_t actors)
{
    struct act_ordered *o = g->ordered;
    int32_t room = o->actor_room ? o->actor_room : (int32_t)g->processes;
    struct act_actor *all;
    uint8_t *parts;
    int32_t *waiting;

    if (actors <= o->actor_room)
        return 0;
    while (room < actors)
        room += room / 2 + 16;
    all = realloc(g->actors, (size_t)room * sizeof *all);
    g->actors = all ? all : g->actors;
    parts = realloc(o->parts, (size_t)room);
    o->parts = parts ? parts : o->parts;
    waiting = realloc(o->next_waiting, (size_t)room * sizeof *waiting);
    o->next_waiting = waiting ? waiting : o->next_waiting;
    if (!all || !parts || !waiting)
        return cca_no_memory(g->err);
    memset(parts + o->actor_room, 0, (size_t)(room - o->actor_room));
    o->actor_room = room;
    return 0;
}

/* Take an unused actor (the state of a simulated process or thread) for a new thread of a
 * simulated process; returns its number, or a negative errno. */
static int32_t new_thread(struct act_engine *g)
{
    struct act_pool *pool = &g->ordered->threads;
    int32_t was = pool->count, number = act_pool_take(pool);
    struct act_thread *thread;

    if (number < 0 || make_room(g, (int32_t)g->processes + pool->count))
        return -ENOMEM;
    thread = (struct act_thread *)pool->all + number;
    if (pool->count > was) {
        thread->state = malloc(g->program->state_bytes);
        if (!thread->state)
            pool->count--;
    }
    return thread->state ? (int32_t)g->processes + number : -ENOMEM;
}

/* --- Iterations. --- */

/* Set a thread to the first iteration of its first block or chunk. */
static void deal(const struct act_team *team, struct act_thread *thread, int32_t tid)
{
    int64_t turns = team->last >= team->first ? team->last - team->first + 1 : 0;
    int64_t even = turns / team->threads, more = turns % team->threads;

    thread->turn = 0;
    thread->chunk_end = -1; /* the thread has no chunk yet */
    if (team->is_dynamic)
        return;
    if (team->chunk > 0) {
        thread->chunk_next = tid * team->chunk; /* first iteration of the thread's next
                                                   chunk, relative to `first` */
        return;
    }
    thread->turn = tid * even + (tid < more ? tid : more);
    thread->chunk_end = thread->turn + even + (tid < more) - 1;
    thread->turn--; /* next_turn increments this before the first iteration */
    thread->chunk_next = turns;
}

/* Advance to the thread's next iteration, counted from the loop's first. Returns 1, or 0:
 * there is none. */
static int next_turn(struct act_team *team, struct act_thread *thread)
{
    int64_t turns = team->last - team->first + 1;

    if (thread->turn < thread->chunk_end) {
        thread->turn++;
        return 1;
    }
    if (team->is_dynamic) {
        thread->turn = team->next;
        team->next += team->chunk;
    } else {
        thread->turn = thread->chunk_next;
        thread->chunk_next += team->chunk * team->threads;
    }
    if (thread->turn >= turns || (!team->is_dynamic && team->chunk == 0))
        return 0;
    thread->chunk_end = thread->turn + team->chunk - 1;
    if (thread->chunk_end >= turns)
        thread->chunk_end = turns - 1;
    return 1;
}

/* Start a thread's next iteration. */
static int take_turn(struct act_engine *g, int32_t actor)
{
    struct act_thread *thread = act_thread_at(g, actor);
    struct act_team *team = team_at(g, thread->team);
    int64_t turn;

    if (!next_turn(team, thread))
        return 0;
    turn = team->first + thread->turn;
    memcpy((char *)thread->state + team->turn_at, &turn, sizeof turn);
    thread->state->pc = team->pc;
    return 1;
}

/* --- Teams. --- */

static int check(struct act_engine *g, int32_t actor)
{
    const struct act_event *event = &g->event;
    int32_t pid = g->actors[actor].pid;
    int64_t turns;

    if (event->threads < 1 || event->threads > MOST_THREADS)
        return act_engine_fault(g, pid, event->element,
                                "found %lld threads, expected 1 to %d",
                                (long long)event->threads, MOST_THREADS);
    if (event->chunk < 0 || event->chunk > INT32_MAX ||
        (event->chunk == 0 && g->elements[event->element]->chunk))
        return act_engine_fault(g, pid, event->element,
                                "found a chunk of %lld turns, expected at least 1",
                                (long long)event->chunk);
    if (event->has_turns &&
        (__builtin_sub_overflow(event->last, event->first, &turns) || turns == INT64_MAX))
        return act_engine_fault(g, pid, event->element,
                                "found a loop of more turns than a long can count");
    return 0;
}

/* Number a thread so that numbers in a process are unique: the number modulo the size of
 * the outermost team is the thread's index there, and so on inward. */
static void number_thread(const struct act_engine *g, int32_t parent, int32_t actor,
                          int32_t tid, int32_t threads)
{
    struct act_thread *thread = act_thread_at(g, actor);
    const struct act_thread *of = parent < g->processes ? NULL : act_thread_at(g, parent);
    int64_t stride = of ? of->stride : 1;

    thread->number = (int32_t)(((of ? of->number : 0) + tid * stride) % INT32_MAX);
    thread->stride = stride * threads % INT32_MAX;
}

static int32_t new_team(struct act_engine *g, int32_t actor)
{
    const struct act_event *event = &g->event;
    const struct act_element *e = g->elements[event->element];
    int dynamic = e->schedule == ACT_DYNAMIC;
    int32_t number = act_pool_take(&g->ordered->teams);

    if (number < 0)
        return cca_no_memory(g->err);
    *team_at(g, number) =
        (struct act_team){.parent = actor,
                          .element = event->element,
                          .left = (int32_t)event->threads,
                          .threads = (int32_t)event->threads,
                          .pc = event->pcs[0],
                          .has_turns = event->has_turns,
                          .is_dynamic = dynamic,
                          .turn_at = event->turn_at,
                          .chunk = event->chunk == 0 && dynamic ? 1 : event->chunk,
                          .first = event->first,
                          .last = event->last,
                          .start = g->actors[actor].clock,
                          .end = g->actors[actor].clock};
    return number;
}

/* End a team whose threads have all ended: the actor that started them continues. */
static int join(struct act_engine *g, int32_t number)
{
    struct act_team team = *team_at(g, number);

    act_pool_give(&g->ordered->teams, number);
    g->actors[team.parent].clock = team.end;
    act_engine_wake(g, team.parent);
    return act_engine_done(g, team.parent, team.element, team.start, 0, 0);
}

static int end_thread(struct act_engine *g, int32_t actor)
{
    struct act_thread *thread = act_thread_at(g, actor);
    struct act_team *team = team_at(g, thread->team);
    int32_t number = thread->team;

    g->actors[actor].status = ACT_ENDED;
    if (g->actors[actor].clock > team->end)
        team->end = g->actors[actor].clock;
    act_pool_give(&g->ordered->threads, actor - (int32_t)g->processes);
    return --team->left > 0 ? 0 : join(g, number);
}

int act_threads_end(struct act_engine *g, int32_t actor)
{
    const struct act_team *team = team_at(g, act_thread_at(g, actor)->team);

    if (team->has_turns && take_turn(g, actor))
        return 1;
    return end_thread(g, actor);
}

static int begin_thread(struct act_engine *g, int32_t parent, int32_t team, int32_t tid,
                        int32_t pc)
{
    int32_t actor = new_thread(g);
    struct act_thread *thread;

    if (actor < 0)
        return cca_no_memory(g->err);
    thread = act_thread_at(g, actor);
    thread->team = team;
    memcpy(thread->state, act_ordered_state(g, parent), g->program->state_bytes);
    thread->state->pc = pc;
    thread->state->tid = tid;
    thread->state->nthread = team_at(g, team)->threads;
    number_thread(g, parent, actor, tid, thread->state->nthread);
    g->actors[actor] = (struct act_actor){.clock = g->actors[parent].clock,
                                          .pid = g->actors[parent].pid,
                                          .element = g->actors[parent].element,
                                          .requests = -1,
                                          .peer = -1,
                                          .line = -1,
                                          .draws = g->actors[parent].draws};
    if (team_at(g, team)->has_turns) {
        deal(team_at(g, team), thread, tid);
        if (!take_turn(g, actor))
            return end_thread(g, actor);
    }
    act_ordered_wake(g, actor);
    return 0;
}

int act_threads_begin(struct act_engine *g, int32_t actor)
{
    int32_t count, pcs[ACT_PEERS], is_fork = g->event.kind == ACT_EVENT_FORK, team;
    int rc = check(g, actor);

    if (rc)
        return rc;
    team = new_team(g, actor);
    if (team < 0)
        return team;
    count = team_at(g, team)->threads;
    memcpy(pcs, g->event.pcs, sizeof pcs);
    g->actors[actor].status = ACT_WAITS_THREADS;
    g->actors[actor].element = g->event.element;
    g->actors[actor].peer = -1;
    g->actors[actor].draws++; /* new noise for the threads of the next region */
    for (int32_t tid = 0; tid < count && !rc; tid++)
        rc = begin_thread(g, actor, team, tid, is_fork ? pcs[tid] : pcs[0]);
    return rc;
}

/* --- Locks. --- */

static struct act_lock *lock_at(const struct act_engine *g, int32_t actor,
                                int32_t element)
{
    return &g->ordered
                ->locks[(size_t)g->actors[actor].pid * (size_t)g->ordered->lock_count +
                        (size_t)g->ordered->lock_of[element]];
}

static int hold(struct act_engine *g, int32_t actor)
{
    struct act_actor *a = &g->actors[actor];

    return act_engine_done(g, actor, a->element, a->wait_from, 0,
                           a->clock - a->wait_from);
}

int act_threads_lock(struct act_engine *g, int32_t actor)
{
    struct act_lock *lock = lock_at(g, actor, g->event.element);
    struct act_actor *a = &g->actors[actor];

    a->element = g->event.element;
    a->wait_from = a->clock;
    a->peer = -1;
    if (lock->holder < 0) {
        lock->holder = actor;
        return hold(g, actor);
    }
    a->status = ACT_WAITS_LOCK;
    g->ordered->next_waiting[actor] = -1;
    if (lock->first < 0)
        lock->first = actor;
    else
        g->ordered->next_waiting[lock->last] = actor;
    lock->last = actor;
    return 0;
}

int act_threads_unlock(struct act_engine *g, int32_t actor)
{
    struct act_lock *lock = lock_at(g, actor, g->event.element);
    int32_t next = lock->first;

    lock->holder = next;
    if (next < 0)
        return 0;
    lock->first = g->ordered->next_waiting[next];
    g->actors[next].clock = g->actors[actor].clock;
    act_engine_wake(g, next);
    return hold(g, next);
}

/* Number the locks: critical regions of one name share one lock in each process. */
static int number_locks(struct act_engine *g)
{
    struct act_ordered *o = g->ordered;
    int32_t count = g->program->model->element_count;
    size_t all;

    o->lock_of = calloc((size_t)count + 1, sizeof *o->lock_of);
    if (!o->lock_of)
        return cca_no_memory(g->err);
    for (int32_t i = 0; i < count; i++) {
        int32_t same = 0;

        if (g->elements[i]->kind != ACT_CRITICAL)
            continue;
        while (same < i && (g->elements[same]->kind != ACT_CRITICAL ||
                            strcmp(g->elements[same]->name, g->elements[i]->name) != 0))
            same++;
        o->lock_of[i] = same < i ? o->lock_of[same] : o->lock_count++;
    }
    all = (size_t)o->lock_count * (size_t)g->processes;
    o->locks = malloc((all + 1) * sizeof *o->locks);
    if (!o->locks)
        return cca_no_memory(g->err);
    memset(o->locks, 0xff, (all + 1) * sizeof *o->locks);
    return 0;
}

int act_threads_new(struct act_engine *g)
{
    int rc = make_room(g, (int32_t)g->processes);

    return rc ? rc : number_locks(g);
}

void act_threads_free(struct act_engine *g)
{
    struct act_ordered *o = g->ordered;
    struct act_thread *threads = o->threads.all;

    for (int32_t i = 0; i < o->threads.count; i++)
        free(threads[i].state);
    free(threads);
    free(o->teams.all);
    free(o->parts);
    free(o->next_waiting);
    free(o->locks);
    free(o->lock_of);
}
