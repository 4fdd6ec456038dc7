/* SPDX-License-Identifier: BSD-3-Clause */
/* rests.c: suspend the recording of functions that a wildcard matches and that are called
 * too often.
 *
 * A thread may spend 1 / SHARE of its CPU time on recording, plus the cost of CREDIT
 * calls. Once this budget is spent, functions with many calls are suspended: their
 * trampolines jump to code that counts the calls. If even counting takes more than its
 * share, the function's own first bytes are put back, where no other thread can be
 * running them. */
#include "mastermind/preload/calls.h"

#if defined(__x86_64__)

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "common/clock.h"

enum {
    SHARE = 40,
    CREDIT = 4096,
    LEAST_CALL_NS = 60,
    FEW =
        MM_WINDOW / 128, /* functions with fewer calls in a window are never suspended */
    CODE_BYTES = 64,     /* size of the generated code that counts one function's calls */
    /* number of counted calls before their cost is checked first; each later check comes
       after twice as many, up to the largest number */
    FIRST_CHECK = 512,
    LARGEST_CHECK = 65536,
    COUNT_PS = 5000, /* cost of counting a call, roughly: 3 ns in a loop */
    /* largest shares of a thread's time, in millionths, for counting the calls of one
       function, and of all functions */
    MOST_ONE = 5000,
    MOST_ALL = 15000
};

uint64_t mm_rests_ticks;

/* Access needs the lock of slots.c. */
static struct {
    double call_ns;
    uint64_t ticks_per_us;
    unsigned char *code; /* [MM_COUNTERS] generated code that counts calls */
    uintptr_t *targets;  /* [MM_COUNTERS][2] where the code jumps: usually; for a check of
                            its cost */
    struct mm_entry *entries[MM_COUNTERS];
    int count, uncounted;
    uint64_t ended[MM_COUNTERS]; /* number of calls counted in threads that have ended */
    unsigned share[MM_COUNTERS]; /* share of time that counting takes, in millionths */
    unsigned shares;             /* sum of `share` */
    int is_restored[MM_COUNTERS], restored;
} rests = {.call_ns = LEAST_CALL_NS};

static int64_t cpu_ns(void)
{
    return cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t ticks(void)
{
    return mm_rests_ticks ? __rdtsc() : 0;
}

/* --- Suspension ----------------------------------------------------------- */

static void count_calls(struct mm_entry *entry)
{
    struct mm_call_thread *t = &mm_call_here;
    int counter = rests.count++;

    rests.entries[counter] = entry;
    rests.targets[2 * counter] = entry->moved;
    rests.targets[2 * counter + 1] = entry->armed;
    t->left[counter] = t->given[counter] = FIRST_CHECK;
    t->since_ns[counter] = cpu_ns();
    __atomic_store_n(&entry->counter, counter, __ATOMIC_RELEASE);
    __atomic_store_n(entry->word, (uintptr_t)rests.code + (uintptr_t)counter * CODE_BYTES,
                     __ATOMIC_RELEASE);
}

/* Suspend recording of a function; the caller holds the lock of slots.c. */
static void suspend(struct mm_entry *entry)
{
    if (!entry->may_rest ||
        __atomic_load_n(entry->word, __ATOMIC_RELAXED) != entry->armed)
        return;
    if (rests.count < MM_COUNTERS && rests.code) {
        count_calls(entry);
    } else {
        rests.uncounted++;
        entry->is_uncounted = 1;
        __atomic_store_n(entry->word, entry->moved, __ATOMIC_RELEASE);
        mm_entry_restore(entry);
    }
}

void mm_rests_suspend(struct mm_entry *entry)
{
    struct mm_hold held;

    mm_slots_hold(&held);
    suspend(entry);
    mm_slots_release(&held);
}

/* Suspend the functions with the most calls in the thread's window, until the functions
 * that are still recorded have at most `allowed` calls in it. */
static void suspend_most(struct mm_call_thread *t, unsigned allowed)
{
    unsigned left = MM_WINDOW;

    while (left > allowed) {
        size_t most = 0;

        for (size_t i = 1; i < mm_entry_count; i++)
            if (t->calls[i] > t->calls[most])
                most = i;
        if (t->calls[most] < FEW)
            break;
        left -= t->calls[most] < left ? t->calls[most] : left;
        t->calls[most] = 0;
        suspend(&mm_entries[most]);
    }
}

void mm_rests_look(void)
{
    struct mm_call_thread *t = &mm_call_here;
    int number = errno;
    int64_t now = cpu_ns(), call = (int64_t)(rests.call_ns * SHARE), balance;
    struct mm_hold held;

    t->recorded += MM_WINDOW;
    balance = now - t->begin_ns + (CREDIT - (int64_t)t->recorded) * call;
    if (t->calls && balance < 0) {
        mm_slots_hold(&held);
        suspend_most(t, (unsigned)((now - t->window_ns) / call));
        mm_slots_release(&held);
    }
    if (t->calls)
        memset(t->calls, 0, mm_entry_count * sizeof *t->calls);
    t->window = MM_WINDOW;
    t->window_ns = now;
    t->balance = balance / 1000 * (int64_t)rests.ticks_per_us;
    t->window_ticks = ticks();
    errno = number;
}

void mm_rests_begin(struct mm_call_thread *t)
{
    t->window = MM_WINDOW;
    t->begin_ns = t->window_ns = cpu_ns();
    t->balance = CREDIT * (int64_t)mm_rests_ticks;
    t->window_ticks = ticks();
}

/* --- The cost of counting ------------------------------------------------- */

/* Return the share of the thread's time that counting has taken since the last check, in
 * millionths. */
static unsigned counting_share(int64_t spent_ns, int64_t calls)
{
    int64_t share = calls * COUNT_PS * 1000 / (spent_ns > 0 ? spent_ns : 1);

    return share < 1000000 ? (unsigned)share : 1000000;
}

void mm_rests_check(struct mm_entry *entry)
{
    struct mm_call_thread *t = &mm_call_here;
    int counter = entry->counter;
    /* the checks so far were given FIRST_CHECK * (1 + 2 + 4 ...) calls */
    int64_t calls = (t->given[counter] + FIRST_CHECK) / 2, now;
    struct mm_hold held;
    unsigned share;

    if (t->left[counter]) { /* the function was suspended while this call began */
        t->given[counter]++;
        return;
    }
    mm_slots_hold(&held);
    calls = calls < LARGEST_CHECK ? calls : LARGEST_CHECK;
    now = cpu_ns();
    share = counting_share(now - t->since_ns[counter], calls);
    rests.shares -= rests.share[counter];
    rests.share[counter] = 0;
    if ((share > MOST_ONE || rests.shares + share > MOST_ALL) &&
        mm_entry_restore(entry) == 0) {
        rests.is_restored[counter] = 1;
        rests.restored++;
    } else {
        rests.share[counter] = share;
        rests.shares += share;
    }
    calls = 2 * calls < LARGEST_CHECK ? 2 * calls : LARGEST_CHECK;
    t->given[counter] += calls;
    t->left[counter] = calls;
    t->since_ns[counter] = now;
    mm_slots_release(&held);
}

/* --- The end -------------------------------------------------------------- */

void mm_rests_leave(const struct mm_call_thread *t)
{
    for (int i = 0; i < rests.count; i++)
        rests.ended[i] += (uint64_t)(t->given[i] - t->left[i]);
}

static uint64_t counted(int counter)
{
    uint64_t sum = rests.ended[counter];

    for (const struct mm_call_thread *t = mm_slots_threads(); t; t = t->next)
        sum += (uint64_t)(t->given[counter] - t->left[counter]);
    return sum;
}

static int order_counted(const void *a, const void *b)
{
    uint64_t x = counted((*(struct mm_entry *const *)a)->counter),
             y = counted((*(struct mm_entry *const *)b)->counter);

    return (x < y) - (x > y);
}

enum { NAMED = 5 };

/* Append up to NAMED names of suspended functions with their numbers of calls: of those
 * whose first bytes are restored, or, if `are_restored` is 0, of the
 * others. */
static size_t name_some(char *line, size_t size, struct mm_entry *const *entries,
                        int are_restored)
{
    size_t used = 0;
    int named = 0;

    for (int i = 0; i < rests.count && named < NAMED; i++)
        if (rests.is_restored[entries[i]->counter] == are_restored)
            used += (size_t)snprintf(line + used, size - used, "%s %.500s %llu",
                                     named++ ? "," : "", entries[i]->own->name,
                                     (unsigned long long)counted(entries[i]->counter));
    return used;
}

void mm_rests_report(void (*print)(void *context, const char *line), void *context)
{
    struct mm_entry *entries[MM_COUNTERS];
    int all = rests.count + rests.uncounted, without = rests.restored + rests.uncounted;
    char line[8192];
    size_t used;

    if (!all)
        return;
    memcpy(entries, rests.entries, sizeof entries);
    qsort(entries, (size_t)rests.count, sizeof *entries, order_counted);
    used = (size_t)snprintf(line, sizeof line,
                            "%d function%s: too short, and called too often, to be "
                            "recorded each time; later calls are counted alone",
                            all, all == 1 ? "" : "s");
    if (all > without) {
        used += (size_t)snprintf(line + used, sizeof line - used, ":");
        used += name_some(line + used, sizeof line - used, entries, 0);
        if (all - without > NAMED)
            used += (size_t)snprintf(line + used, sizeof line - used, ", and others");
    }
    if (without) {
        used += (size_t)snprintf(
            line + used, sizeof line - used,
            "; of %d even counting would cost too much, and ended at:", without);
        used += name_some(line + used, sizeof line - used, entries, 1);
        if (without > NAMED)
            snprintf(line + used, sizeof line - used, ", and others");
    }
    print(context, line);
}

void mm_rests_counts(void (*take)(const struct mm_own *own, uint64_t calls, int is_least))
{
    for (int i = 0; i < rests.count; i++)
        take(rests.entries[i]->own, counted(i), rests.is_restored[i]);
    for (size_t i = 0; i < mm_entry_count && rests.uncounted; i++)
        if (mm_entries[i].is_uncounted)
            take(mm_entries[i].own, 0, 1);
}

/* --- Code that counts calls of suspended functions ------------------------ */

static unsigned char *put(unsigned char *code, const void *bytes, size_t size)
{
    memcpy(code, bytes, size);
    return code + size;
}

/* jmp *TARGET(%rip) */
static unsigned char *put_jump(unsigned char *code, const uintptr_t *target)
{
    static const unsigned char jump[] = {0xff, 0x25};
    int32_t distance;

    code = put(code, jump, sizeof jump);
    distance = (int32_t)((const unsigned char *)target - (code + 4));
    return put(code, &distance, sizeof distance);
}

/* lea -128(%rsp), %rsp; push %rcx; mov %fs:LEFT, %rcx; lea -1(%rcx), %rcx;
 * mov %rcx, %fs:LEFT; jrcxz 1f; pop %rcx; lea 128(%rsp), %rsp; jmp *TARGETS[0](%rip);
 * 1: pop %rcx; lea 128(%rsp), %rsp; jmp *TARGETS[1](%rip): no flag is changed */
static void write_counting(unsigned char *code, int32_t left, const uintptr_t *targets)
{
    static const unsigned char load[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x51,
                                         0x64, 0x48, 0x8b, 0x0c, 0x25},
                               store[] = {0x48, 0x8d, 0x49, 0xff, 0x64,
                                          0x48, 0x89, 0x0c, 0x25},
                               branch[] = {0xe3, 15},
                               leave[] = {0x59, 0x48, 0x8d, 0xa4, 0x24,
                                          0x80, 0x00, 0x00, 0x00};

    code = put(code, load, sizeof load);
    code = put(code, &left, sizeof left);
    code = put(code, store, sizeof store);
    code = put(code, &left, sizeof left);
    code = put(code, branch, sizeof branch);
    for (int way = 0; way < 2; way++) {
        code = put(code, leave, sizeof leave);
        code = put_jump(code, &targets[way]);
    }
}

void mm_rests_prepare(void)
{
    enum { CODE = MM_COUNTERS * CODE_BYTES, DATA = 2 * MM_COUNTERS * sizeof(uintptr_t) };
    unsigned char *memory = mmap(NULL, CODE + DATA, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t thread;

    if (memory == MAP_FAILED)
        return;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    rests.targets = (uintptr_t *)(void *)(memory + CODE);
    for (int i = 0; i < MM_COUNTERS; i++)
        write_counting(memory + (size_t)i * CODE_BYTES,
                       (int32_t)((uintptr_t)&mm_call_here.left[i] - thread),
                       &rests.targets[2 * (size_t)i]);
    if (mprotect(memory, CODE, PROT_READ | PROT_EXEC) == 0)
        rests.code = memory;
}

void mm_rests_set_cost(double call_ns, double ticks_per_ns)
{
    rests.call_ns = call_ns > LEAST_CALL_NS ? call_ns : LEAST_CALL_NS;
    rests.ticks_per_us = (uint64_t)(ticks_per_ns * 1000);
    mm_rests_ticks = (uint64_t)(rests.call_ns * SHARE * ticks_per_ns);
}
#endif
