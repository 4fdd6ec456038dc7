/* SPDX-License-Identifier: BSD-3-Clause */
/* strategy.c: choose the sends to sample (Vetter, section 3.1). Random: the key decides,
 * at both ends. Counter and timer are known to the sender only, so receivers keep records
 * of all receives. */
#include "mastermind/format/clock.h"
#include "messages/engine/inside.h"
#include "messages/words/words.h"

/* A random number, uniform in [-1, 1]. */
static double draw(struct mm_engine *e)
{
    e->random += MM_HASH_STEP;
    return (double)(mm_hash_mix(e->random) >> 11) * 0x1p-52 - 1;
}

/* Number of sends until the next sample of strategy C. */
static uint64_t draw_count(struct mm_engine *e)
{
    /* variance v: each of the 2 v + 1 whole periods around the mean is equally likely */
    double period = e->period + (e->variance > 0 ? draw(e) * (e->variance + .5) : 0);
    int64_t whole = (int64_t)(period + .5);

    return whole > 1 ? (uint64_t)whole : 1;
}

static uint64_t draw_ticks(struct mm_engine *e)
{
    double seconds = e->period + (e->variance > 0 ? draw(e) * e->variance : 0);

    return seconds > 0 ? (uint64_t)(seconds * 1e9 / e->ns_per_tick) : 0;
}

void mm_strategy_start(struct mm_engine *e, const struct mm_message_request *request)
{
    e->strategy = request->strategy;
    e->random = mm_hash_add(e->seed, (uint64_t)(uint32_t)e->process);
    e->period = request->x;
    e->variance = request->variance;
    e->p = e->p_asked = request->strategy == MM_STRATEGY_P   ? request->x
                        : request->strategy == MM_STRATEGY_C ? 1 / request->x
                                                             : 0;
    if (request->strategy == MM_STRATEGY_C)
        e->left = draw_count(e);
    if (request->strategy == MM_STRATEGY_T)
        e->next_ticks = mm_clock_ticks(e->tsc) + draw_ticks(e);
    e->threshold = request->strategy == MM_STRATEGY_P ? mm_hash_threshold(e->p) : 0;
    e->receive_threshold = request->strategy == MM_STRATEGY_P ? e->threshold : UINT64_MAX;
}

/* The period begins at the last sampled send: in a ping-pong whose sends are farther
 * apart than the period, each send is a sample. */
static int draw_by_timer(struct mm_engine *e)
{
    uint64_t now = mm_clock_ticks(e->tsc);

    if ((int64_t)(now - e->next_ticks) < 0)
        return 0;
    e->next_ticks = now + draw_ticks(e);
    return 1;
}

int mm_strategy_draws(struct mm_engine *e)
{
    if (e->strategy == MM_STRATEGY_T)
        return draw_by_timer(e);
    if (--e->left)
        return 0;
    e->left = draw_count(e);
    return 1;
}

void mm_engine_sampling(struct mm_engine *e, int on)
{
    __atomic_store_n(&e->sampling, on != 0, __ATOMIC_RELAXED);
}

void mm_engine_set_p(struct mm_engine *e, double p)
{
    if (e->strategy != MM_STRATEGY_P)
        return;
    mm_engine_lock(e);
    e->p = p < 0 ? 0 : p > e->p_asked ? e->p_asked : p;
    e->threshold = mm_hash_threshold(e->p);
    for (size_t i = 0; e->sends.slots && i <= e->sends.mask; i++)
        if (e->sends.slots[i].channel)
            e->sends.slots[i].channel->next = 0;
    mm_engine_unlock(e);
}

double mm_engine_p(const struct mm_engine *e)
{
    return e->p;
}

int mm_engine_remembers_all(const struct mm_engine *e)
{
    return e->strategy != MM_STRATEGY_P;
}

int mm_engine_collective(struct mm_engine *e, struct mm_comm *comm, uint64_t *ordinal)
{
    uint64_t key;

    if (!comm || mm_comm_has(comm, MM_COMM_OFF))
        return 0;
    mm_engine_lock(e);
    *ordinal = comm->collectives++;
    mm_engine_unlock(e);
    key = mm_hash_add(mm_hash_add(e->seed + 1, comm->id), *ordinal);
    return mm_hash_chosen(key, e->collective_threshold) &&
           __atomic_load_n(&e->sampling, __ATOMIC_RELAXED);
}
