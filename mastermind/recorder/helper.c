/* SPDX-License-Identifier: BSD-3-Clause */
/* helper.c: a thread that packs full windows in place of the measured threads.
 *
 * It is created when the first window is full, handles no signals, and sleeps while no
 * window is full. It has its own table of file descriptors, so that it never takes a
 * descriptor number that the program expects to get. If the thread cannot be created, the
 * measured threads pack their windows themselves. */
#include "mastermind/recorder/parts.h"

#include "mastermind/format/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"

enum { NONE, RUNNING, REFUSED, STOPPED };
enum {
    ENOUGH = MM_WINDOWS / 2
}; /* number of full windows of a thread at which the helper is woken */
enum { STACK_BYTES = 256 * 1024, UNSHARE = 1 << 1 /* CLOSE_RANGE_UNSHARE */ };

static int cores_here(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

int mm_helper_decide(struct mm_recorder *r, struct cca_error *err)
{
    enum mm_packing packing = r->options.packing;
    const char *wish = getenv("MM_PACKING");
    int cores = cores_here(), code = mm_clock_check(err);

    if (code)
        return code;
    if (packing == MM_PACK_AUTO && wish && *wish && strcmp(wish, "auto")) {
        if (strcmp(wish, "caller") && strcmp(wish, "helper"))
            return cca_error_set(
                err, -EINVAL, "MM_PACKING: found '%s', expected auto, caller or helper",
                wish);
        packing = strcmp(wish, "caller") ? MM_PACK_HELPER : MM_PACK_CALLER;
    }
    r->helper.wanted =
        packing == MM_PACK_HELPER || (packing == MM_PACK_AUTO && cores > 1);
    r->helper.most_threads = packing == MM_PACK_HELPER ? INT_MAX : cores - 1;
    return 0;
}

static long futex(uint32_t *word, int operation, uint32_t value)
{
    return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Return the thread with the most full windows, with its pack_lock held, or NULL. A
 * thread whose lock is taken is packing its windows, and calls the helper when it
 * releases the lock. */
static struct mm_thread *choose_thread(struct mm_recorder *r)
{
    struct mm_thread *t, *best = NULL;
    uint64_t most = 0, full;

    pthread_mutex_lock(&r->lock);
    for (t = r->threads; t; t = t->next) {
        full = mm_thread_full(t);
        if (full <= most || pthread_mutex_trylock(&t->pack_lock))
            continue;
        if (best)
            pthread_mutex_unlock(&best->pack_lock);
        most = full;
        best = t;
    }
    pthread_mutex_unlock(&r->lock);
    return best;
}

static void sleep_until_called(struct mm_helper *helper, uint32_t seen)
{
    __atomic_store_n(&helper->sleeping, 1, __ATOMIC_SEQ_CST);
    futex(&helper->calls, FUTEX_WAIT, seen);
    __atomic_store_n(&helper->sleeping, 0, __ATOMIC_SEQ_CST);
}

static void *helper_main(void *argument)
{
    struct mm_recorder *r = argument;
    struct mm_thread *t;
    uint32_t seen;

    /* Close the program's descriptors in the helper's own table, because a copy of a
     * pipe's end would keep the pipe open. */
    if (syscall(SYS_close_range, 0, UINT_MAX, UNSHARE)) {
        __atomic_store_n(&r->helper.state, REFUSED, __ATOMIC_SEQ_CST);
        return NULL;
    }
    pthread_setname_np(pthread_self(), "mm-helper");
    for (;;) {
        seen = __atomic_load_n(&r->helper.calls, __ATOMIC_SEQ_CST);
        t = choose_thread(r);
        if (t) {
            /* pack half of the windows at a time, so that a thread which waits for room
             * can continue sooner */
            mm_thread_pack(t, MM_WINDOWS / 2);
            pthread_mutex_unlock(&t->pack_lock);
            __atomic_store_n(&r->helper.cpu_ns, cca_clock_ns(CLOCK_THREAD_CPUTIME_ID),
                             __ATOMIC_RELAXED);
        } else if (__atomic_load_n(&r->helper.stop, __ATOMIC_SEQ_CST)) {
            return NULL;
        } else {
            sleep_until_called(&r->helper, seen);
        }
    }
}

/* Create the helper thread. Signals must be blocked, because the new thread inherits the
 * signal mask. */
static void make_helper_thread(struct mm_recorder *r)
{
    struct mm_helper *helper = &r->helper;
    pthread_attr_t attributes;

    pthread_mutex_lock(&r->lock);
    if (helper->state == NONE && !r->stopped && !pthread_attr_init(&attributes)) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        __atomic_store_n(&helper->state, RUNNING, __ATOMIC_SEQ_CST);
        if (pthread_create(&helper->thread, &attributes, helper_main, r))
            __atomic_store_n(&helper->state, REFUSED, __ATOMIC_SEQ_CST);
        else
            helper->made = 1;
        pthread_attr_destroy(&attributes);
    }
    pthread_mutex_unlock(&r->lock);
}

static void wake(struct mm_helper *helper)
{
    __atomic_fetch_add(&helper->calls, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&helper->sleeping, __ATOMIC_SEQ_CST))
        futex(&helper->calls, FUTEX_WAKE, 1);
}

int mm_helper_call(struct mm_recorder *r, uint64_t full, int calm)
{
    struct mm_helper *helper = &r->helper;

    if (!helper->wanted ||
        __atomic_load_n(&r->live_threads, __ATOMIC_RELAXED) > helper->most_threads)
        return 0;
    if (calm && __atomic_load_n(&helper->state, __ATOMIC_SEQ_CST) == NONE)
        make_helper_thread(r);
    if (__atomic_load_n(&helper->state, __ATOMIC_SEQ_CST) != RUNNING)
        return 0;
    if (full >= ENOUGH)
        wake(helper);
    return 1;
}

void mm_helper_stop(struct mm_recorder *r)
{
    struct mm_helper *helper = &r->helper;
    int made;

    pthread_mutex_lock(&r->lock);
    made = helper->made;
    helper->made = 0;
    pthread_mutex_unlock(&r->lock);
    if (!made)
        return;
    __atomic_store_n(&helper->stop, 1, __ATOMIC_SEQ_CST);
    wake(helper);
    pthread_join(helper->thread, NULL);
    if (helper->state == RUNNING)
        __atomic_store_n(&helper->state, STOPPED, __ATOMIC_SEQ_CST);
}

const char *mm_helper_name(const struct mm_recorder *r)
{
    int state = __atomic_load_n(&r->helper.state, __ATOMIC_SEQ_CST);

    return r->helper.wanted && state != REFUSED ? "helper" : "caller";
}
