/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.c: readings of CPU time and context switches, which show how much time the host
 * took from the program. */
#include "mastermind/recorder/parts.h"

#include <sys/resource.h>

#include "common/clock.h"

/* Set the words of a reading from word 1 on. The two clocks are read one immediately
 * after the other, because time between the two would look like lost time. */
static void take_reading(const struct mm_recorder *r, uint64_t *words)
{
    struct rusage use = {0};

    words[MM_READING_TICKS] = mm_clock_ticks(r->tsc);
    words[MM_READING_CPU] = (uint64_t)cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    getrusage(RUSAGE_THREAD, &use);
    words[MM_READING_SWITCHES] = (uint32_t)use.ru_nvcsw | (uint64_t)use.ru_nivcsw << 32;
}

/* Copy the reading of CPU time and switches that was taken for the ending row. */
static void newest_reading(const struct mm_core *core, uint64_t *words)
{
    words[MM_READING_TICKS] = core->ticks;
    words[MM_READING_CPU] = (uint64_t)core->cpu_ns;
    words[MM_READING_SWITCHES] = core->voluntary | (uint64_t)core->involuntary << 32;
}

/* Store a reading of CPU time and context switches at the cursor like a row: its first
 * word last, which makes the others valid; then move the cursor. */
static void put_reading(struct mm_thread *t, uint32_t kind, const uint64_t *words)
{
    uint64_t *at = t->cursor, sum;
    uint32_t word0 = mm_reading_word0(kind);

    memcpy(at + 1, words + 1, sizeof *at * (MM_READING_WORDS - 1));
    sum = mm_row_sum_with(word0, at, MM_READING_WORDS, t->rows);
    __atomic_store_n(at, word0 | (sum >> 32 << 32), __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->cursor = at + MM_READING_WORDS;
}

void mm_reading_of_window(struct mm_thread *t, uint32_t kind, int anew)
{
    if (!t->on_file)
        return;
    if (anew)
        take_reading(t->recorder, t->reading);
    put_reading(t, kind, t->reading);
}

/* True if there is space for this reading and for the reading at the end of the window.
 * If longjmp out of signal handlers undoes rows, many readings may remain without
 * rows. */
static int has_room(const struct mm_thread *t)
{
    const uint64_t *end = (const uint64_t *)((const char *)t->window + MM_WINDOW_BYTES);

    return end - t->cursor >= 2 * MM_READING_WORDS;
}

void mm_reading_at_row(struct mm_thread *t)
{
    uint64_t words[MM_READING_WORDS];

    if (__atomic_load_n(&t->failed, __ATOMIC_RELAXED) || !has_room(t))
        return;
    if (t->core.ticks < t->last_end + (uint64_t)t->gap_ticks)
        take_reading(t->recorder, words);
    else
        newest_reading(&t->core, words);
    put_reading(t, MM_READING_ROW, words);
    __atomic_fetch_add(&t->recorder->files_ns, t->recorder->reading_ns, __ATOMIC_RELAXED);
}

int64_t mm_reading_cost(const struct mm_recorder *r)
{
    enum { BATCHES = 4, READINGS = 8 };
    uint64_t words[MM_READING_WORDS];
    int64_t least = INT64_MAX, start;

    for (int i = 0; i < BATCHES; i++) {
        start = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int k = 0; k < READINGS; k++)
            take_reading(r, words);
        start = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
        if (start < least)
            least = start;
    }
    return least / READINGS;
}
