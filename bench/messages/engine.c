/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c: what the engine adds to a message, without MPI: a send and a receive as the
 * wrappers count them.
 *
 * In CPU time of the thread, in floors: two clock readings and one indirect call that
 * stores 32 bytes. Batches of all kinds take turns. */
#include "bench/bench.h"
#include "mastermind/format/clock.h"
#include "messages/engine/hot.h"
#include "messages/words/words.h"

enum { MESSAGES = 20000, CHANNELS = 8, HANDLE = 0x44000000, ENTRIES = 1024 };

static struct mm_messages_channel entries[ENTRIES];
static int entry_count, tsc;
static volatile size_t seen;

/* --- What is measured --------------------------------------------------------------- */

static uint64_t rows[4096][4];
static unsigned next;

static __attribute__((noinline)) void store(uint64_t start, uint64_t wall, uint64_t a,
                                            uint64_t b)
{
    uint64_t *row = rows[next++ & 4095];

    row[0] = start;
    row[1] = wall;
    row[2] = a;
    row[3] = b;
}

static void (*volatile store_call)(uint64_t, uint64_t, uint64_t, uint64_t) = store;

static void run_floor(struct mm_engine *e)
{
    (void)e;
    for (int i = 0; i < MESSAGES; i++) {
        uint64_t begin = mm_clock_ticks(tsc);

        store_call(begin, mm_clock_ticks(tsc) - begin, (uint64_t)i, 0);
    }
}

static void drain(struct mm_engine *e)
{
    for (struct mm_receive *r; (r = mm_engine_next(e)) != NULL;)
        mm_engine_release(e, r);
}

static void send_one(struct mm_engine *e, struct mm_comm *comm, int tag)
{
    struct mm_counted counted;

    if (mm_hot_send(e, HANDLE, 1, tag, 8))
        return;
    mm_engine_send(e, comm, 1, tag, 8, &counted);
    if (counted.sampled || e->locked)
        mm_engine_sent(e, &counted, 0);
}

static void end_one(struct mm_engine *e, uintptr_t request, int tag)
{
    struct mm_receive *r = mm_engine_following(e) ? mm_engine_followed(e, request) : NULL;

    if (!r)
        return;
    mm_engine_completed(e, r, 1, tag, 0);
    drain(e);
}

/* Irecv, Send, Wait. */
static void run_pairs_from(struct mm_engine *e, int source)
{
    struct mm_comm *comm = mm_engine_comm(e, HANDLE);

    for (int i = 0; i < MESSAGES; i++) {
        uintptr_t request = 0x1000 + 16 * (uintptr_t)(i % 4);
        struct mm_counted counted;
        struct mm_receive *r = NULL;
        int tag = i % CHANNELS;

        counted.channel = mm_hot_post(e, HANDLE, source, tag, &counted.k);
        if (!counted.channel ||
            !mm_hot_remember(e, request, counted.channel, counted.k)) {
            if (!counted.channel) {
                r = mm_engine_post(e, comm, source, tag, &counted);
                mm_engine_posted(e, comm, &counted, r);
            }
            mm_engine_follow(e, comm, r, &counted, request);
        }
        send_one(e, comm, tag);
        end_one(e, request, tag);
    }
}

static void run_pairs(struct mm_engine *e)
{
    run_pairs_from(e, 1);
}

static void run_wild(struct mm_engine *e)
{
    run_pairs_from(e, MM_ANY_SOURCE);
}

static void run_sends(struct mm_engine *e)
{
    struct mm_comm *comm = mm_engine_comm(e, HANDLE);

    for (int i = 0; i < MESSAGES; i++)
        send_one(e, comm, i % CHANNELS);
}

static void run_comms(struct mm_engine *e)
{
    for (int i = 0; i < MESSAGES; i++)
        seen += mm_engine_comm(e, HANDLE + (uintptr_t)(i & 1)) != NULL;
}

static struct kind {
    const char *name;
    void (*run)(struct mm_engine *e);
    int strategy;
    double x;
    int locked;
    struct mm_engine *engine;
    double ns[BATCHES];
} kinds[] = {
    {"floor", run_floor, MM_STRATEGY_P, 0, 0, NULL, {0}},
    {"pair, P-0", run_pairs, MM_STRATEGY_P, 0, 0, NULL, {0}},
    {"pair, P-0.01", run_pairs, MM_STRATEGY_P, .01, 0, NULL, {0}},
    {"pair, P-0.1", run_pairs, MM_STRATEGY_P, .1, 0, NULL, {0}},
    {"pair, P-1", run_pairs, MM_STRATEGY_P, 1, 0, NULL, {0}},
    {"pair, any source, P-0", run_wild, MM_STRATEGY_P, 0, 0, NULL, {0}},
    {"pair, any source, P-1", run_wild, MM_STRATEGY_P, 1, 0, NULL, {0}},
    {"pair, locked, P-0.01", run_pairs, MM_STRATEGY_P, .01, 1, NULL, {0}},
    {"send, C-100", run_sends, MM_STRATEGY_C, 100, 0, NULL, {0}},
    {"send, T-0.001", run_sends, MM_STRATEGY_T, .001, 0, NULL, {0}},
    {"pair, C-100", run_pairs, MM_STRATEGY_C, 100, 0, NULL, {0}},
    {"another communicator", run_comms, MM_STRATEGY_P, 0, 0, NULL, {0}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- Set up ------------------------------------------------------------------------- */

static struct mm_messages_channel *new_entry(void *context)
{
    (void)context;
    return entry_count < ENTRIES ? &entries[entry_count++] : NULL;
}

static struct mm_engine *new_engine(const struct kind *kind)
{
    struct mm_message_request request = {.strategy = kind->strategy, .x = kind->x};
    struct mm_engine_options options = {.request = &request,
                                        .seed = 1,
                                        .locked = kind->locked,
                                        .tsc = tsc,
                                        .ns_per_tick = .5,
                                        .channel_new = new_entry};
    struct mm_engine *e = mm_engine_new(&options, NULL);

    if (!e || !mm_engine_comm_add(e, HANDLE, 1, NULL, 2, MM_COMM_WORLD) ||
        !mm_engine_comm_add(e, HANDLE + 1, 2, NULL, 2, 0)) {
        fprintf(stderr, "engine: out of memory\n");
        exit(1);
    }
    return e;
}

int main(void)
{
    struct mm_clock_origin origin;
    double floor;

    mm_clock_begin(&origin);
    tsc = origin.tsc;
    for (int k = 0; k < KINDS; k++)
        kinds[k].engine = new_engine(&kinds[k]);
    for (int b = -1; b < BATCHES; b++) /* the first one is not counted */
        for (int k = 0; k < KINDS; k++) {
            double begin = bench_seconds(CLOCK_THREAD_CPUTIME_ID);

            kinds[k].run(kinds[k].engine);
            if (b >= 0)
                kinds[k].ns[b] =
                    (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / MESSAGES;
        }
    floor = bench_quantile(kinds[0].ns, .5);
    printf("engine: %s, ns of CPU time of one message (median of %d batches of %d)\n",
           bench_processor(), BATCHES, MESSAGES);
    for (int k = 0; k < KINDS; k++) {
        double ns = bench_quantile(kinds[k].ns, .5);

        printf("  %-24s %7.1f  spread %4.1f %%  %5.2f floors\n", kinds[k].name, ns,
               100 * bench_spread(kinds[k].ns), ns / floor);
        mm_engine_free(kinds[k].engine);
    }
    return 0;
}
