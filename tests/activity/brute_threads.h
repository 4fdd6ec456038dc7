/* SPDX-License-Identifier: BSD-3-Clause */
/* brute_threads.h: threads and locks of the second simulator. */
#ifndef TESTS_ACTIVITY_BRUTE_THREADS_H
#define TESTS_ACTIVITY_BRUTE_THREADS_H

#include "tests/activity/brute_core.h"

static inline int brute_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* A thread's next turn. 1, or 0: there is none. */
static inline int brute_turn(struct brute *b, struct brute_actor *a, int is_first)
{
    struct brute_team *t = &b->teams[a->team];
    const struct act_element *e = brute_element(b, t->element);
    int tid = a->state->tid;
    int64_t turn;

    if (a->chunk_left > 0) {
        a->turn++;
    } else if (e->schedule == ACT_DYNAMIC) {
        b->is_tied |= !is_first && brute_near(t->last_take, a->clock);
        t->last_take = is_first ? -1 : a->clock;
        a->turn = t->next;
        t->next += t->chunk;
        a->chunk_left = t->chunk;
    } else if (t->chunk > 0) { /* chunk number dealt*threads + tid */
        a->turn = (a->dealt++ * t->threads + tid) * t->chunk;
        a->chunk_left = t->chunk;
    } else { /* blocks as even as can be, the larger ones first */
        if (!is_first)
            return 0;
        a->turn = 0;
        for (int i = 0; i <= tid; i++) {
            a->turn += a->chunk_left;
            a->chunk_left = t->turns / t->threads + (i < t->turns % t->threads);
        }
        if (a->chunk_left == 0)
            return 0;
    }
    a->chunk_left--;
    if (a->turn >= t->turns)
        return 0;
    turn = t->first + a->turn;
    memcpy((char *)a->state + t->turn_at, &turn, sizeof turn);
    a->state->pc = t->pc;
    return 1;
}

static inline void brute_end(struct brute *b, struct brute_actor *a)
{
    struct brute_team *t;

    if (a->team >= 0 && b->teams[a->team].has_turns && brute_turn(b, a, 0))
        return;
    a->status = BRUTE_ENDED;
    if (a->team < 0)
        return;
    t = &b->teams[a->team];
    if (--t->left == 0) { /* it is the last one, so the latest */
        struct brute_actor *parent = &b->actors[a->parent];

        parent->element = t->element;
        parent->start = t->start;
        brute_ready(b, parent, a->clock);
        parent->busy = a->clock - t->start; /* a region does not wait */
        brute_done(b, parent);
    }
}

static inline int brute_begin(struct brute *b, int number, const struct act_event *event)
{
    struct brute_actor *parent = &b->actors[number];
    const struct act_element *e = brute_element(b, event->element);
    struct brute_team *t = &b->teams[b->team_count];

    if (event->threads < 1 || event->threads > 1000000 || event->chunk < 0 ||
        (e->chunk && event->chunk == 0))
        return -EDOM;
    if (b->actor_count + event->threads > BRUTE_ACTORS ||
        b->team_count + 1 == BRUTE_ACTORS) {
        b->is_too_large = 1;
        return 0;
    }
    *t = (struct brute_team){.left = (int)event->threads,
                             .threads = (int)event->threads,
                             .element = event->element,
                             .pc = event->pcs[0],
                             .has_turns = event->has_turns,
                             .turn_at = event->turn_at,
                             .first = event->first,
                             .start = parent->clock,
                             .last_take = -1};
    t->turns = event->last >= event->first ? event->last - event->first + 1 : 0;
    t->chunk = event->chunk ? event->chunk : e->schedule == ACT_DYNAMIC;
    parent->status = BRUTE_JOINS;
    for (int i = 0; i < event->threads; i++) {
        struct brute_actor *a = &b->actors[b->actor_count++];

        *a = (struct brute_actor){
            .pid = parent->pid, .team = b->team_count, .parent = number};
        a->state = malloc(b->program->state_bytes);
        assert_non_null(a->state);
        memcpy(a->state, parent->state, b->program->state_bytes);
        a->state->tid = i;
        a->state->nthread = t->threads;
        a->state->pc = event->pcs[event->kind == ACT_EVENT_FORK ? i : 0];
        brute_ready(b, a, parent->clock);
    }
    b->team_count++;
    for (int i = b->actor_count - (int)event->threads; i < b->actor_count; i++)
        if (t->has_turns && !brute_turn(b, &b->actors[i], 1))
            brute_end(b, &b->actors[i]);
    return 0;
}

static inline struct brute_lock *brute_lock(struct brute *b, int pid, const char *name)
{
    int i = 0;

    while (i < b->lock_count &&
           (b->locks[i].pid != pid || strcmp(b->locks[i].name, name) != 0))
        i++;
    assert_true(i < 256);
    if (i == b->lock_count)
        b->locks[b->lock_count++] = (struct brute_lock){pid, -1, name, -1};
    return &b->locks[i];
}

/* Of those that wait for a lock, who has waited longest gets it. */
static inline void brute_grant(struct brute *b, struct brute_lock *lock, double time)
{
    int first = -1;

    for (int i = 0; i < b->actor_count && lock->holder < 0; i++) {
        const struct brute_actor *a = &b->actors[i];

        if (a->status == BRUTE_LOCKS && a->pid == lock->pid &&
            strcmp(brute_element(b, a->element)->name, lock->name) == 0 &&
            (first < 0 || a->since < b->actors[first].since))
            first = i;
    }
    if (first < 0)
        return;
    lock->holder = first;
    brute_ready(b, &b->actors[first], fmax(time, b->actors[first].clock));
    brute_done(b, &b->actors[first]);
}

#endif
