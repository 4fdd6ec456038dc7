/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c: start and end of the engine, and sends. */
#include "messages/engine/hot.h"
#include "messages/words/words.h"

#include <errno.h>
#include <sys/mman.h>

struct mm_engine *mm_engine_new(const struct mm_engine_options *options,
                                struct cca_error *err)
{
    struct mm_engine *e =
        mmap(NULL, sizeof *e, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (e == MAP_FAILED) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    e->seed = mm_hash_mix(options->seed + MM_HASH_STEP);
    e->process = options->process;
    e->locked = options->locked;
    e->tsc = options->tsc;
    e->ns_per_tick = options->ns_per_tick > 0 ? options->ns_per_tick : 1;
    e->channel_new = options->channel_new;
    e->context = options->context;
    e->collective_threshold = mm_hash_threshold(options->request->collectives);
    e->sampling = 1;
    mm_strategy_start(e, options->request);
    e->plain = e->strategy == MM_STRATEGY_P && !e->locked;
    return e;
}

void mm_engine_free(struct mm_engine *e)
{
    if (!e)
        return;
    mm_engine_unmap(e);
    munmap(e, sizeof *e);
}

void mm_engine_send_failed(struct mm_engine *e, struct mm_comm *comm, int rank, int tag)
{
    struct mm_channel *channel = NULL;

    if (!comm || mm_comm_has(comm, MM_COMM_OFF) || rank < 0 || rank >= comm->size)
        return;
    mm_engine_lock(e);
    channel =
        mm_channel_find(e, comm, MM_MESSAGES_SEND, mm_comm_process(comm, rank), tag);
    mm_engine_unlock(e);
    if (channel)
        mm_channel_flag(channel, MM_CHANNEL_FAILED);
}

/* --- Sends ---------------------------------------------------------------------- */

/* Two threads that use one channel at the same time have no order known to both ends. The
 * sends that overlap share a run of consecutive serials, but it is unknown which send has
 * which serial; sends before and after the run are not affected. So a second thread on
 * the channel increases `order`, and all samples of the run are dropped. The same holds
 * for sends started by one MPI_Startall. */
static void enter(struct mm_channel *channel, struct mm_counted *counted)
{
    if (channel->inside++)
        channel->order++;
    counted->order = channel->inside == 1 ? channel->order + 1 : UINT32_MAX;
}

void mm_engine_send(struct mm_engine *e, struct mm_comm *comm, int rank, int tag,
                    uint64_t bytes, struct mm_counted *counted)
{
    struct mm_channel *channel;
    int chosen, wanted;

    counted->channel = NULL;
    counted->sampled = 0;
    counted->order = 0;
    if (!comm || mm_comm_has(comm, MM_COMM_OFF) || rank < 0 || rank >= comm->size)
        return;
    mm_engine_lock(e);
    channel =
        mm_hot_find(e, MM_MESSAGES_SEND, comm, rank, mm_comm_process(comm, rank), tag);
    if (!channel) {
        mm_engine_unlock(e);
        return;
    }
    counted->channel = channel;
    counted->k = channel->count;
    counted->key = mm_hash_key(channel->hash, counted->k);
    mm_channel_counts(channel, counted->k + 1);
    mm_channel_adds(channel, bytes);
    if (mm_engine_several(e))
        enter(channel, counted);
    wanted = __atomic_load_n(&e->sampling, __ATOMIC_RELAXED) &&
             !mm_comm_has(comm, MM_COMM_UNORDERED);
    chosen = e->strategy == MM_STRATEGY_P
                 ? mm_channel_chooses(channel, counted->k, counted->key, e->threshold)
                 : wanted && mm_strategy_draws(e);
    if (__builtin_expect(chosen, 0) && wanted) {
        counted->sampled = 1;
        counted->p = e->p;
    }
    mm_engine_unlock(e);
}

int mm_engine_sent(struct mm_engine *e, const struct mm_counted *counted, int failed)
{
    struct mm_channel *channel = counted->channel;
    int alone = 1;

    if (!channel)
        return 1;
    mm_engine_lock(e);
    if (counted->order) {
        channel->inside--;
        alone = counted->order == channel->order + 1;
    }
    if (failed)
        mm_channel_flag(channel, MM_CHANNEL_FAILED);
    if (counted->sampled && alone && !failed)
        __atomic_store_n(&channel->entry->sampled, ++channel->sampled, __ATOMIC_RELAXED);
    mm_engine_unlock(e);
    return alone;
}

void mm_engine_together(struct mm_engine *e, int on)
{
    if (!e->locked) /* with `locked`, every call is treated as if another thread could be
                     * in a call, too */
        e->together = on != 0;
}
