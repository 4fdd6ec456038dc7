/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c: what one sampled message costs behind the wrappers, without MPI: its halves
 * added to batches or slots, joined, and kept.
 *
 * In CPU time of the thread, in floors: two clock readings and one indirect call that
 * stores 32 bytes. Batches of all kinds take turns. Halves are 112 bytes, made before. */
#include "bench/bench.h"
#include "mastermind/format/clock.h"
#include "messages/join/batch.h"
#include "messages/join/join.h"
#include "messages/join/slots.h"
#include "messages/keep/keep.h"
#include "messages/words/words.h"

enum { HALVES = 1024, ROUNDS = 20, SITES = 24 };

static struct mm_messages_half sends[HALVES], recvs[HALVES];
static uint64_t counts[MM_MESSAGES_COUNTS];
static int tsc;

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

static void run_floor(void)
{
    for (int i = 0; i < HALVES; i++) {
        uint64_t begin = mm_clock_ticks(tsc);

        store_call(begin, mm_clock_ticks(tsc) - begin, (uint64_t)i, 0);
    }
}

static struct mm_keep *keep_of[4];
static const struct mm_message_clocks clocks = {.same = 1, .ns_per_tick = 0.5};

static void keep_one(void *context, const struct mm_messages_half *send,
                     const struct mm_messages_half *recv)
{
    struct mm_message_times times;

    mm_message_times(send, recv, &clocks, &times);
    mm_keep_sample(*(struct mm_keep **)context, send, recv, &times);
}

static void keep_all(int analysis)
{
    for (int i = 0; i < HALVES; i++)
        keep_one(&keep_of[analysis], &sends[i], &recvs[i]);
}

static void run_off(void)
{
    keep_all(MM_ANALYSIS_OFF);
}

static void run_stat(void)
{
    keep_all(MM_ANALYSIS_STAT);
}

static void run_freq(void)
{
    keep_all(MM_ANALYSIS_FREQ);
}

/* A new one for each batch, so that it does not come to its limit: its pages are touched
 * for the first time, as those of a file are. */
static struct mm_keep *new_keep(int analysis)
{
    struct mm_message_request request = {.analysis = analysis};
    const struct mm_keep_options options = {.request = &request};

    return mm_keep_new(&options, NULL);
}

static void run_write(void)
{
    keep_all(MM_ANALYSIS_WRITE);
}

static struct mm_join *join_alone, *join_freq;

/* The receive waits for a batch of 64, as behind mm_batches. */
static void join_in_batches(struct mm_join *join)
{
    for (int i = 0; i < HALVES; i += MM_BATCH_HALVES) {
        for (int j = i; j < i + MM_BATCH_HALVES; j++)
            mm_join_receive(join, &recvs[j]);
        for (int j = i; j < i + MM_BATCH_HALVES; j++)
            mm_join_send(join, &sends[j]);
    }
}

static void run_join(void)
{
    join_in_batches(join_alone);
}

static void run_join_freq(void)
{
    join_in_batches(join_freq);
}

static void run_ring(void)
{
    static struct mm_messages_half half;
    static uint64_t key;

    half = recvs[0];
    for (int i = 0; i < HALVES; i++) {
        half.key = ++key * 0x9e3779b97f4a7c15ULL;
        mm_join_receive(join_alone, &half);
    }
}

static struct mm_batches *batches;

static void run_batches(void)
{
    for (int i = 0; i < HALVES; i++)
        mm_batches_add(batches, &sends[i]);
}

static struct mm_slots *slots;

static void run_slots(void)
{
    struct mm_messages_half half;
    int64_t slot[4];

    for (int i = 0; i < HALVES; i += 4) {
        for (int j = 0; j < 4; j++)
            slot[j] = mm_slots_put(slots, &sends[i + j]);
        for (int j = 0; j < 4; j++)
            mm_slots_sent(slots, slot[j], sends[i + j].key, sends[i + j].t_end, 1);
        for (int j = 0; j < 4; j++)
            mm_slots_take(slots, sends[i + j].key, &half);
    }
}

static struct kind {
    const char *name;
    void (*run)(void);
    double ns[BATCHES];
} kinds[] = {
    {"floor", run_floor, {0}},
    {"times and keep OFF", run_off, {0}},
    {"times and keep STAT", run_stat, {0}},
    {"times and keep FREQ", run_freq, {0}},
    {"times and keep WRITE", run_write, {0}},
    {"join: receive and send", run_join, {0}},
    {"join and keep FREQ", run_join_freq, {0}},
    {"receive that nobody answers", run_ring, {0}},
    {"batch: add", run_batches, {0}},
    {"slot: put, sent, take", run_slots, {0}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- Set up ----------------------------------------------------------------------------
 */

static int start_nothing(void *context, int process, int buffer, const void *data,
                         size_t bytes)
{
    (void)context, (void)process, (void)buffer, (void)data, (void)bytes;
    return 0;
}

static int always_done(void *context, int buffer)
{
    (void)context, (void)buffer;
    return 1;
}

static void drop(void *context, const struct mm_messages_half *send,
                 const struct mm_messages_half *recv)
{
    (void)context, (void)send, (void)recv;
}

/* Messages of one pair of processes among SITES pairs of callsites, sizes 16 to 512. */
static void make_halves(void)
{
    for (uint64_t i = 0; i < HALVES; i++) {
        uint64_t key = (i + 1) * 0x9e3779b97f4a7c15ULL;
        struct mm_messages_half half = {.key = key ^ key >> 29,
                                        .comm = 1,
                                        .k = i,
                                        .dst = 1,
                                        .bytes = (uint64_t)16 << key % 6,
                                        .t_start = 4000 * i,
                                        .t_enter = 4000 * i,
                                        .t_end = 4000 * i + 300,
                                        .site = 77 * (1 + i % SITES),
                                        .method = -1,
                                        .p = 0.01};

        sends[i] = half;
        half.side = MM_MESSAGES_RECEIVE;
        half.t_start -= 100;
        half.t_end += key >> 44;
        recvs[i] = half;
    }
}

static struct mm_join *new_join(void (*joined)(void *, const struct mm_messages_half *,
                                               const struct mm_messages_half *))
{
    const struct mm_join_options options = {
        .counts = counts, .joined = joined, .context = &keep_of[MM_ANALYSIS_FREQ]};

    return mm_join_new(&options, NULL);
}

static int set_up(void)
{
    const struct mm_batch_transport transport = {start_nothing, always_done, NULL};
    struct mm_clock_origin origin;
    char name[MM_SLOTS_NAME];

    mm_clock_begin(&origin);
    tsc = origin.tsc;
    make_halves();
    for (int i = MM_ANALYSIS_OFF; i <= MM_ANALYSIS_WRITE; i++)
        if (!(keep_of[i] = new_keep(i)))
            return -1;
    join_alone = new_join(drop);
    join_freq = new_join(keep_one);
    batches = mm_batches_new(&transport, 2, 0, counts, NULL);
    slots = mm_slots_make(2 * MM_SLOTS_PER_PROCESS, name, NULL);
    return join_alone && join_freq && batches && slots ? 0 : -1;
}

static double batch_ns(void (*run)(void))
{
    double start;

    mm_keep_free(keep_of[MM_ANALYSIS_WRITE]);
    keep_of[MM_ANALYSIS_WRITE] = new_keep(MM_ANALYSIS_WRITE);
    start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < ROUNDS; i++)
        run();
    return 1e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / (ROUNDS * HALVES);
}

int main(void)
{
    if (set_up()) {
        fprintf(stderr, "join: out of memory\n");
        return 1;
    }
    for (int i = -1; i < BATCHES; i++) /* the first warms up */
        for (int k = 0; k < KINDS; k++)
            kinds[k].ns[i < 0 ? 0 : i] = batch_ns(kinds[k].run);
    printf("%-28s %8s %8s\n", "per message, CPU time", "ns", "floors");
    for (int k = 0; k < KINDS; k++)
        printf("%-28s %8.1f %8.2f\n", kinds[k].name, bench_quantile(kinds[k].ns, .5),
               bench_quantile(kinds[k].ns, .5) / bench_quantile(kinds[0].ns, .5));
    return 0;
}
