/* SPDX-License-Identifier: BSD-3-Clause */
/* changes.c: the changes of settings that are open in each thread. */
#include "mastermind/preload/choice/changes.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "common/clock.h"
#include "common/random.h"

enum { DEEPEST = 16 }; /* most open changes of a thread */

struct mm_change {
    const struct mm_setting *setting;
    struct monitor_frame *frame;
    uintptr_t stack; /* address on the stack of the call */
    int before;      /* value of the setting before the change */
};

static __thread struct {
    struct mm_change open[DEEPEST];
    size_t depth;
    uint64_t random;
} here __attribute__((tls_model("initial-exec")));

/* `here` of the thread whose changes of shared settings are open; NULL: none is; access
 * by __atomic. */
static void *holder;

/* The shared setting that the holder has changed, and its value before, for children. */
static struct {
    const struct mm_setting *setting; /* NULL: none; access by __atomic */
    int before;
} held, left; /* `left` by a thread that is not in this process */

/* The thread that forks is the only one in the child. The setting that another one had
 * changed is set back in the child's next call of the library, where it may call that. */
static void forget_others(void)
{
    if (holder == &here)
        return;
    if (holder && held.setting)
        left = held;
    held.setting = NULL;
    holder = NULL;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_others);
}

/* Become the thread that may change shared settings. */
static int hold(void)
{
    void *now = __atomic_load_n(&holder, __ATOMIC_RELAXED), *none = NULL;

    return now == &here ||
           (!now && __atomic_compare_exchange_n(&holder, &none, (void *)&here, 0,
                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}

static void release(void)
{
    if (here.depth || __atomic_load_n(&holder, __ATOMIC_RELAXED) != &here)
        return;
    __atomic_store_n(&held.setting, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&holder, NULL, __ATOMIC_RELEASE);
}

void mm_changes_settle(uintptr_t stack)
{
    const struct mm_setting *setting =
        __atomic_load_n(&left.setting, __ATOMIC_RELAXED)
            ? __atomic_exchange_n(&left.setting, NULL, __ATOMIC_RELAXED)
            : NULL;

    if (setting)
        setting->set(left.before);
    while (here.depth && here.open[here.depth - 1].stack <= stack)
        mm_change_end(&here.open[here.depth - 1]);
}

int mm_change_begin(const struct mm_setting *setting, int value, int is_kept,
                    uintptr_t stack, struct mm_change **change)
{
    int before;

    *change = NULL;
    is_kept = is_kept && setting->is_shared;
    if (!is_kept && setting->get() == value)
        return 0;
    if (here.depth == DEEPEST || (setting->is_shared && !hold()))
        return -EBUSY;
    before = setting->get(); /* another thread may have set it back by now */
    if (!is_kept && before == value) {
        release();
        return 0;
    }
    if (setting->is_shared && !held.setting) {
        held.before = before;
        __atomic_store_n(&held.setting, setting, __ATOMIC_RELEASE);
    }
    if (before != value)
        setting->set(value);
    *change = &here.open[here.depth++];
    **change = (struct mm_change){setting, NULL, stack, before};
    return 0;
}

void mm_change_end(struct mm_change *change)
{
    /* changes above it are of calls that longjmp has left */
    while (here.depth && &here.open[here.depth - 1] >= change) {
        const struct mm_change *last = &here.open[--here.depth];

        if (last->setting->get() != last->before)
            last->setting->set(last->before);
    }
    release();
}

struct monitor_frame *mm_change_frame(struct mm_change *change,
                                      struct monitor_frame *frame)
{
    change->frame = frame;
    return (struct monitor_frame *)(void *)change;
}

struct mm_change *mm_change_of(struct monitor_frame **frame)
{
    const uintptr_t at = (uintptr_t)*frame - (uintptr_t)here.open;
    struct mm_change *change;

    if (at >= sizeof here.open)
        return NULL;
    change = &here.open[at / sizeof *change];
    *frame = change->frame;
    return change;
}

size_t mm_change_draw(size_t count)
{
    if (!here.random)
        here.random = (uint64_t)cca_clock_ns(CLOCK_MONOTONIC) ^ (uintptr_t)&here;
    return (size_t)(cca_random_next(&here.random) >> 33) % count;
}
