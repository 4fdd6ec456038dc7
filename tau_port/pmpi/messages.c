/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: delivery of records of sampled messages, and the functions of struct
 * meas_messages. */
#include "tau_port/pmpi/messages.h"
#include "tau_port/pmpi/exchange.h"
#include "tau_port/pmpi/pmpi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int pmpi_sampling, pmpi_messages_begun, pmpi_messages_off;
unsigned pmpi_ticks;
struct pmpi_messages pmpi_messages;

/* After this time batches are sent even if they are not full, and arrived batches are
 * received. */
enum { FRESH_MS = 50 };

static struct {
    pthread_mutex_t lock; /* protects `path`, `why` and `keeping` */
    char why[160];        /* the reason if nothing is sampled */
    /* path requested for the file of messages; "": none yet */
    char path[PATH_MAX];
    /* 1: the file of messages, or its image in memory, exists */
    int keeping;
    /* header of the file of messages; NULL without a file or image; accessed with
     * __atomic */
    const struct mm_messages_head *head;
    /* function of the recorder that returns its innermost open call; accessed with
     * __atomic */
    void (*caller)(void *, uintptr_t, struct meas_caller *);
    void *context;
    int working; /* 1: a thread is doing periodic work; accessed with __atomic */
    uint64_t worked_ticks; /* time of the last periodic work */
    /* time at which a hook last began work for a sample; accessed with __atomic */
    uint64_t asked_ticks;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Periodic work -------------------------------------------------------- */

/* Do the periodic work. If another thread is doing it, return at once. */
static void work(uint64_t now)
{
    struct pmpi_messages *m = &pmpi_messages;
    int stale = (double)(now - __atomic_load_n(&state.worked_ticks, __ATOMIC_RELAXED)) *
                    m->clock.ns_per_tick >
                FRESH_MS * 1e6;

    if (__atomic_exchange_n(&state.working, 1, __ATOMIC_ACQUIRE))
        return;
    pmpi_exchange_poll(stale);
    if (m->request.budget_percent > 0)
        pmpi_budget_seldom(now);
    if (stale) {
        __atomic_store_n(&state.worked_ticks, now, __ATOMIC_RELAXED);
        pmpi_messages_seldom(now);
    }
    __atomic_store_n(&state.working, 0, __ATOMIC_RELEASE);
}

void pmpi_messages_tick_now(void)
{
    work(mm_clock_ticks(pmpi_tsc));
}

/* Do the periodic work if it is due: a program with few messages calls few hooks, which
 * would do it. */
static void keep_fresh(uint64_t now)
{
    if (pmpi_exchange_asked() ||
        (double)(now - __atomic_load_n(&state.worked_ticks, __ATOMIC_RELAXED)) *
                pmpi_messages.clock.ns_per_tick >
            FRESH_MS * 1e6)
        work(now);
}

/* --- Records -------------------------------------------------------------- */

/* Whether a message is smaller than min=. Both ends have its size, so both drop its
 * record. */
static int too_small(const struct mm_messages_half *half)
{
    return half->bytes < (uint64_t)pmpi_messages.request.min_bytes &&
           !(half->flags & (MM_HALF_BYTES_UNKNOWN | MM_HALF_TRUNCATED));
}

static int shares_slots(int process)
{
    return pmpi_messages.slots && process >= 0 && pmpi_messages.slot_peer[process];
}

static void shift(struct mm_messages_half *half)
{
    half->t_start = pmpi_clock_shift(half->t_start);
    half->t_enter = pmpi_clock_shift(half->t_enter);
    half->t_end = pmpi_clock_shift(half->t_end);
}

/* Add the time of work for a sample to the budget: the time before the call of PMPI,
 * since the hook began to find the running method, and the time after the call. */
static void spend(const struct mm_messages_half *half, int sends)
{
    uint64_t asked = __atomic_load_n(&state.asked_ticks, __ATOMIC_RELAXED),
             now = mm_clock_ticks(pmpi_tsc);

    pmpi_budget_spend(now - half->t_end);
    if (sends && half->t_start > asked)
        pmpi_budget_spend(half->t_start - asked);
}

static int has_budget(void)
{
    return pmpi_messages.request.budget_percent > 0;
}

/* Count a sample. Returns 1: its record is to be kept or sent. */
static int leaves(const struct mm_messages_half *half)
{
    if (too_small(half)) {
        pmpi_messages_count(MM_MESSAGES_FILTERED, 1);
        return 0;
    }
    pmpi_messages_count(MM_MESSAGES_SAMPLED, 1);
    if (half->dst < 0)
        pmpi_messages_count(MM_MESSAGES_DROPPED_FOREIGN, 1);
    return half->dst >= 0;
}

static void route(const struct mm_messages_half *half)
{
    struct pmpi_messages *m = &pmpi_messages;

    if (!m->join)
        mm_keep_half(m->keep, half);
    else if (half->dst == m->process)
        mm_join_send(m->join, half);
    else
        mm_batches_add(m->batches, half);
}

void pmpi_half_send(const struct mm_messages_half *half)
{
    struct mm_messages_half shifted;

    if (!leaves(half))
        return;
    if (pmpi_clock_shifted) {
        shifted = *half;
        shift(&shifted);
        route(&shifted);
    } else {
        route(half);
    }
    keep_fresh(half->t_start);
    if (has_budget())
        spend(half, 1);
}

enum { LATE = -1, GONE = -2 };

int64_t pmpi_half_send_early(const struct mm_messages_half *half)
{
    struct mm_messages_half early;
    int64_t slot;

    if (!shares_slots(half->dst))
        return LATE;
    if (!leaves(half))
        return GONE;
    early = *half;
    early.t_end = 0;
    if (pmpi_clock_shifted) {
        shift(&early);
        early.t_end = 0;
    }
    slot = mm_slots_put(pmpi_messages.slots, &early);
    if (slot >= 0)
        return slot;
    pmpi_messages_count(MM_MESSAGES_DROPPED_POOL, 1);
    return GONE;
}

void pmpi_half_sent(int64_t early, const struct mm_messages_half *half, int keep)
{
    if (early >= 0)
        mm_slots_sent(pmpi_messages.slots, early, half->key,
                      pmpi_clock_shifted ? pmpi_clock_shift(half->t_end) : half->t_end,
                      keep);
    else if (early == LATE && keep)
        pmpi_half_send(half);
    if (early != LATE && has_budget())
        spend(half, 1);
}

/* If a message has no record in the slots, its sender did not sample it. */
static void take_slot(const struct mm_messages_half *half)
{
    struct mm_messages_half send;

    if (!mm_slots_take(pmpi_messages.slots, half->key, &send))
        return;
    mm_join_receive(pmpi_messages.join, half);
    mm_join_send(pmpi_messages.join, &send);
}

void pmpi_half_receive(const struct mm_messages_half *half)
{
    struct pmpi_messages *m = &pmpi_messages;
    struct mm_messages_half shifted;
    const struct mm_messages_half *given = half;
    uint64_t now = half->t_end;

    if (half->src < 0 || too_small(half))
        return;
    if (pmpi_clock_shifted) {
        shifted = *half;
        shift(&shifted);
        half = &shifted;
    }
    if (!m->join)
        mm_keep_half(m->keep, half);
    else if (shares_slots(half->src))
        take_slot(half);
    else
        mm_join_receive(m->join, half);
    keep_fresh(now);
    if (has_budget())
        spend(given, 0);
}

void pmpi_collective_part(const struct mm_messages_collective *part)
{
    struct mm_messages_collective shifted = *part;

    shifted.t_enter = pmpi_clock_shift(part->t_enter);
    shifted.t_wait = pmpi_clock_shift(part->t_wait);
    shifted.t_exit = pmpi_clock_shift(part->t_exit);
    mm_keep_collective(pmpi_messages.keep, pmpi_clock_shifted ? &shifted : part);
}

void pmpi_messages_joined(void *context, const struct mm_messages_half *send,
                          const struct mm_messages_half *recv)
{
    struct mm_message_clocks clocks;
    struct mm_message_times times;

    (void)context;
    pmpi_clocks_between(send->src, recv->t_end, &clocks);
    mm_message_times(send, recv, &clocks, &times);
    mm_keep_sample(pmpi_messages.keep, send, recv, &times);
}

/* --- The caller ----------------------------------------------------------- */

static void set_caller(void (*function)(void *, uintptr_t, struct meas_caller *),
                       void *context)
{
    if (!function && __atomic_load_n(&state.context, __ATOMIC_ACQUIRE) != context)
        return;
    __atomic_store_n(&state.caller, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&state.context, context, __ATOMIC_RELEASE);
    __atomic_store_n(&state.caller, function, __ATOMIC_RELEASE);
}

void pmpi_caller_now(struct meas_caller *caller)
{
    void (*function)(void *, uintptr_t, struct meas_caller *) =
        __atomic_load_n(&state.caller, __ATOMIC_ACQUIRE);

    if (has_budget())
        __atomic_store_n(&state.asked_ticks, mm_clock_ticks(pmpi_tsc), __ATOMIC_RELAXED);
    caller->method = caller->thread = -1;
    caller->invocation = 0;
    caller->named = *pmpi_messages.request.method != 0;
    caller->name = NULL;
    if (function)
        function(__atomic_load_n(&state.context, __ATOMIC_ACQUIRE),
                 (uintptr_t)__builtin_frame_address(0), caller);
}

void pmpi_messages_missed(void)
{
    struct mm_message_request request;

    if (!__atomic_exchange_n(&pmpi_messages_begun, 1, __ATOMIC_ACQ_REL) &&
        mm_message_request_wanted(&request, NULL) == 1)
        pmpi_messages_unsampled("the program has sessions and no MPI_Init");
}

void pmpi_messages_switch(int on)
{
    __atomic_store_n(&pmpi_messages_off, !on, __ATOMIC_RELAXED);
    if (pmpi_messages.engine)
        mm_engine_sampling(pmpi_messages.engine, on);
}

/* --- The file ------------------------------------------------------------- */

/* Write the reason why nothing is sampled to a file of its own, beside the path requested
 * for the file of messages. If that fails, the reason is lost. */
static void keep_why(void)
{
    char path[sizeof state.path + sizeof MM_MESSAGES_WHY];
    int file;

    if (!*state.path || !*state.why)
        return;
    snprintf(path, sizeof path, "%.*s" MM_MESSAGES_WHY,
             (int)(strlen(state.path) - strlen(MM_MESSAGES_FILE)), state.path);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    if (dprintf(file, "%s\n", state.why) < 0)
        unlink(path);
    close(file);
}

void pmpi_messages_unsampled(const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&state.lock);
    va_start(arguments, format);
    vsnprintf(state.why, sizeof state.why, format, arguments);
    va_end(arguments);
    keep_why();
    pthread_mutex_unlock(&state.lock);
    fprintf(stderr, "mastermind: messages are not sampled: %s\n", state.why);
}

static int keep_in(const char *rank_path)
{
    int result = 0;

    pthread_mutex_lock(&state.lock);
    if (*state.path)
        result = -EALREADY;
    else if (snprintf(state.path, sizeof state.path, "%s/" MM_MESSAGES_FILE, rank_path) >=
             (int)sizeof state.path) {
        *state.path = 0;
        result = -ENAMETOOLONG;
    } else if (state.keeping) {
        result = mm_keep_file(pmpi_messages.keep, state.path);
    } else {
        keep_why();
    }
    pthread_mutex_unlock(&state.lock);
    return result;
}

void pmpi_messages_kept(void)
{
    int result;

    pthread_mutex_lock(&state.lock);
    state.keeping = 1;
    result = *state.path ? mm_keep_file(pmpi_messages.keep, state.path) : 0;
    pthread_mutex_unlock(&state.lock);
    __atomic_store_n(&state.head, pmpi_messages.head, __ATOMIC_RELEASE);
    if (result)
        fprintf(stderr, "mastermind: messages would be lost with the process: %s: %s\n",
                state.path, strerror(-result));
}

void pmpi_messages_unkept(void)
{
    __atomic_store_n(&state.head, NULL, __ATOMIC_RELEASE);
    pthread_mutex_lock(&state.lock);
    state.keeping = 0;
    pthread_mutex_unlock(&state.lock);
}

static const struct mm_messages_head *head(void)
{
    return __atomic_load_n(&state.head, __ATOMIC_ACQUIRE);
}

extern const struct meas_messages meas_messages_1;
__attribute__((visibility("default"))) const struct meas_messages meas_messages_1 = {
    .keep = keep_in,
    .set_caller = set_caller,
    .enable = pmpi_messages_switch,
    .head = head,
};
