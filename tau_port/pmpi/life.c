/* SPDX-License-Identifier: BSD-3-Clause */
/* life.c: sampling of messages from MPI_Init to MPI_Finalize.
 *
 * Counting is right only if all processes begin with the first message of each channel.
 * So all processes agree in MPI_Init; if one of them cannot sample, none does. A process
 * whose environment requests no sampling takes no part: such a run must behave as without
 * this library. */
#include "tau_port/pmpi/comms.h"
#include "tau_port/pmpi/exchange.h"
#include "tau_port/pmpi/hooks_fortran.h"
#include "tau_port/pmpi/pmpi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hash.h"

static struct {
    uint64_t seed, job;
    struct pmpi_messages made; /* state of sampling while pmpi_messages_begin makes it */
} state;

/* --- Agreement of all processes ------------------------------------------- */

/* Indices of values that are combined to their minimum over all processes. */
enum agreed { WANTED, UNWANTED, DIGEST, MINUS_DIGEST, SEED, JOB, FIRST_WITHOUT, AGREED };

static int64_t draw(void)
{
    uint64_t drawn;

    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        drawn = (uint64_t)cca_clock_ns(CLOCK_REALTIME) * UINT64_C(0x9e3779b97f4a7c15) +
                (uint64_t)getpid();
    return (int64_t)(drawn >> 2);
}

/* Combine each value to its minimum over all processes. Waits until all processes have
 * called MPI_Init, and reports if that takes long, since some may never call it. */
static int combine(int64_t values[AGREED])
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int64_t start = cca_clock_ns(CLOCK_MONOTONIC), waited;
    MPI_Request request;
    int done = 0, reported = 0;

    if (PMPI_Iallreduce(MPI_IN_PLACE, values, AGREED, MPI_INT64_T, MPI_MIN,
                        MPI_COMM_WORLD, &request))
        return -1;
    for (;;) {
        if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE))
            return -1;
        if (done)
            return 0;
        waited = cca_clock_ns(CLOCK_MONOTONIC) - start;
        if (waited > INT64_C(10000000000) && !reported) {
            fprintf(stderr,
                    "mastermind: messages: MPI_Init has waited 10 s for other ranks; all "
                    "must be started with --messages\n");
            reported = 1;
        }
        if (waited > 1000000)
            nanosleep(&pause, NULL);
    }
}

/* Compare the requests of all processes, and report differences. Returns 1 if all are
 * equal. */
static int agree(struct pmpi_messages *m)
{
    char text[MM_REQUEST_TEXT] = "";
    struct cca_error err = {0};
    int wanted = mm_message_request_wanted(&m->request, &err) == 1;
    int64_t values[AGREED];

    if (err.code)
        fprintf(stderr, "mastermind: %s\n", err.text);
    if (wanted)
        mm_message_request_text(&m->request, text);
    values[WANTED] = wanted;
    values[UNWANTED] = -wanted;
    values[DIGEST] =
        wanted ? (int64_t)(cca_hash_text(CCA_HASH_START, text) >> 2) : INT64_MAX;
    values[MINUS_DIGEST] = wanted ? -values[DIGEST] : INT64_MAX;
    values[SEED] = m->process ? INT64_MAX : draw();
    values[JOB] = m->process ? INT64_MAX : draw();
    values[FIRST_WITHOUT] = wanted ? INT64_MAX : m->process;
    if (combine(values))
        return 0;
    state.seed = m->request.has_seed ? m->request.seed : (uint64_t)values[SEED];
    state.job = (uint64_t)values[JOB];
    if (values[WANTED] && values[DIGEST] == -values[MINUS_DIGEST])
        return 1;
    if (m->process == 0 && values[WANTED])
        pmpi_messages_unsampled("ranks ask for different things");
    else if (m->process == 0 && values[UNWANTED])
        pmpi_messages_unsampled("rank %" PRId64
                                " does not ask for it, expected all or none",
                                values[FIRST_WITHOUT]);
    return 0;
}

/* --- State of a process --------------------------------------------------- */

static struct mm_messages_channel *new_channel(void *context)
{
    return mm_keep_channel(context);
}

static void describe(struct pmpi_messages *m)
{
    struct mm_messages_head *head = m->head;

    mm_message_request_text(&m->request, head->request);
    head->seed = state.seed;
    head->job = state.job;
    head->process = m->process;
    head->processes = m->processes;
    head->flags =
        (pmpi_tsc ? MM_MESSAGES_TSC : 0u) | (m->threads ? MM_MESSAGES_THREADS : 0u);
    if (pmpi_f08_unseen())
        head->flags |= MM_MESSAGES_F08;
    head->frames = (uint32_t)m->request.frames;
    gethostname(head->host, sizeof head->host - 1);
    head->ns_per_tick = m->clock.ns_per_tick;
    head->epoch_ticks = m->clock.epoch_ticks;
    head->epoch_ns = m->clock.epoch_ns;
    head->last_ticks = m->clock.epoch_ticks;
    head->p_now = m->request.strategy == MM_STRATEGY_P ? m->request.x : 0;
}

/* Start the clock with its epoch at the present time. Its ns_per_tick is known better
 * later, and times near the epoch then change little. */
static void start_clock(struct pmpi_messages *m)
{
    uint64_t now;

    pmpi_clock_now(&m->clock);
    now = pmpi_clock_shift(mm_clock_ticks(pmpi_tsc));
    m->clock.epoch_ns = cca_clock_ns(CLOCK_REALTIME);
    m->clock.epoch_ticks = now;
}

static int make(struct pmpi_messages *m, struct cca_error *err)
{
    /* Any thread may call functions that use the file while others wait in MPI. So the
     * file, which is used for samples only, always has a lock. */
    struct mm_keep_options keep = {.request = &pmpi_messages.request, .locked = 1};
    struct mm_engine_options engine = {.request = &pmpi_messages.request,
                                       .seed = state.seed,
                                       .process = m->process,
                                       .locked = m->threads,
                                       .tsc = pmpi_tsc,
                                       .ns_per_tick = m->clock.ns_per_tick,
                                       .channel_new = new_channel};
    struct mm_join_options join = {.locked = m->threads, .joined = pmpi_messages_joined};

    m->keep = mm_keep_new(&keep, err);
    if (!m->keep)
        return -ENOMEM;
    m->head = mm_keep_head(m->keep);
    describe(m);
    engine.context = m->keep;
    m->engine = mm_engine_new(&engine, err);
    if (!m->engine || pmpi_comms_begin())
        return cca_error_set(err, -ENOMEM, "out of memory");
    if (m->request.via == MM_VIA_FILES)
        return 0;
    join.counts = m->head->counts;
    join.remembers_all = mm_engine_remembers_all(m->engine);
    m->join = mm_join_new(&join, err);
    return m->join ? pmpi_exchange_begin(err) : -ENOMEM;
}

static void unmake(struct pmpi_messages *m)
{
    pmpi_exchange_end();
    pmpi_clocks_free();
    pmpi_comms_end();
    mm_join_free(m->join);
    if (m->engine)
        mm_engine_free(m->engine);
    if (m->keep)
        mm_keep_free(m->keep);
    memset(m, 0, sizeof *m);
}

/* --- From MPI_Init to MPI_Finalize ---------------------------------------- */

static void start(struct pmpi_messages *m)
{
    struct cca_error err = {0};
    int failed;

    start_clock(m);
    pmpi_clocks_begin();
    failed = make(m, &err) != 0;
    if (failed)
        pmpi_messages_unsampled("rank %d: %s", m->process, err.text);
    if (pmpi_world_least(!failed) != 1) {
        unmake(m);
        pmpi_world_close();
        return;
    }
    if (pmpi_world_least(pmpi_exchange_meet() == 0) != 1) {
        unmake(m);
        pmpi_world_close();
        return;
    }
    pmpi_clocks_meet();
    pmpi_messages_kept();
    pmpi_messages_switch(!__atomic_load_n(&pmpi_messages_off, __ATOMIC_RELAXED));
    __atomic_store_n(&pmpi_sampling, 1, __ATOMIC_RELEASE);
}

void pmpi_messages_begin(void)
{
    struct pmpi_messages *m = &pmpi_messages;
    int provided = MPI_THREAD_SINGLE;

    if (!getenv(MM_MESSAGES_VARIABLE) ||
        __atomic_exchange_n(&pmpi_messages_begun, 1, __ATOMIC_ACQ_REL))
        return;
    PMPI_Query_thread(&provided);
    m->threads = provided == MPI_THREAD_MULTIPLE;
    PMPI_Comm_rank(MPI_COMM_WORLD, &m->process);
    PMPI_Comm_size(MPI_COMM_WORLD, &m->processes);
    if (!agree(m))
        return;
    if (pmpi_world_open() == 0)
        start(m);
}

static void add_up(void *context, struct mm_channel *channel)
{
    const struct mm_messages_channel *entry = mm_channel_entry(channel);
    uint64_t *counts = context;

    counts[entry->side == MM_MESSAGES_SEND ? MM_MESSAGES_SENT : MM_MESSAGES_RECEIVED] +=
        entry->count;
}

/* Set the counts of the header that can be computed from the channels. */
static void finish_counts(struct pmpi_messages *m)
{
    uint64_t counts[MM_MESSAGES_COUNTS] = {0};

    mm_engine_channels(m->engine, add_up, counts);
    for (int i = 0; i < MM_MESSAGES_COUNTS; i++)
        if (counts[i])
            __atomic_store_n(&m->head->counts[i], counts[i], __ATOMIC_RELAXED);
}

void pmpi_messages_end(void)
{
    struct pmpi_messages *m = &pmpi_messages;

    if (!__atomic_exchange_n(&pmpi_sampling, 0, __ATOMIC_ACQ_REL))
        return;
    pmpi_exchange_drain();
    mm_engine_store(m->engine);
    pmpi_exchange_compare();
    if (m->join)
        mm_join_end(m->join);
    pmpi_comms_describe();
    pmpi_clocks_end();
    finish_counts(m);
    pmpi_messages_unkept();
    mm_keep_seal(m->keep);
    unmake(m);
    pmpi_world_close();
}

void pmpi_messages_forget(void)
{
    __atomic_store_n(&pmpi_sampling, 0, __ATOMIC_RELAXED);
    if (pmpi_messages.keep)
        mm_keep_forget(pmpi_messages.keep);
    pmpi_comms_forget();
}
