/* SPDX-License-Identifier: BSD-3-Clause */
/* reservoir.c: choose the aggregated invocations whose rows are kept; store rows in
 * reservoirs.
 *
 * A sample is uniform although the number of invocations is not known in advance. Li's
 * algorithm L computes how many invocations to skip next, so that most invocations cost
 * only one comparison. */
#include <fenv.h>
#include <math.h>

#include "mastermind/recorder/fold.h"
#include "mastermind/recorder/wide_row.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * mm_check_k[4];
}

uint64_t mm_random_below(uint64_t *state, uint64_t limit)
{
    return (uint64_t)((mm_wide_sum)next_random(state) * limit >> 64);
}

/* Return a random number in (0, 1). */
static double uniform(uint64_t *state)
{
    return ((double)(next_random(state) >> 12) + .5) * 0x1p-52;
}

uint64_t mm_sample_next(uint64_t *random, double *weight, uint64_t number, uint32_t room)
{
    double skip;
    fenv_t environment;

    feholdexcept(&environment);
    *weight = (*weight > 0 ? *weight : 1) * exp(log(uniform(random)) / room);
    skip = floor(log(uniform(random)) / log1p(-*weight));
    /* also reached if the weight is so small that no further value is taken */
    number += skip >= 0 && skip < 0x1p62 ? (uint64_t)skip + 1 : UINT64_C(1) << 62;
    fesetenv(&environment);
    return number;
}

static struct mm_fold_method *state_of(struct mm_thread *t,
                                       const struct mm_method *method)
{
    struct mm_fold_method *m = &t->fold->methods[method->id];

    if (!m->random)
        m->random =
            (mm_check_k[3] * (t->number + 1) ^ mm_check_k[5] * (method->id + 1)) | 1;
    return m;
}

/* Choose one call at random of every `count` calls of a method. */
int mm_sample_row(struct mm_thread *t, const struct mm_method *method)
{
    struct mm_fold_method *m;

    if (!mm_fold_of(t))
        return 0;
    m = state_of(t, method);
    if (!m->left) {
        m->left = t->count;
        m->pick = mm_random_below(&m->random, t->count);
    }
    m->left--;
    return m->left == m->pick;
}

/* Return the address of the row with index `place` in a method's reservoir; NULL: no
 * space. */
static uint64_t *place_of(struct mm_thread *t, struct mm_fold_method *m,
                          const struct mm_method *method, uint64_t place, uint32_t words)
{
    uint64_t first = 0, places = MM_RESERVOIR_FIRST;
    struct mm_reservoir *block;
    uint32_t i, line, lines;

    for (i = 0; place - first >= places; i++) {
        first += places;
        places *= 2;
    }
    if (i >= MM_RESERVOIR_BLOCKS ||
        i > m->block_count) /* there was no space for an earlier block */
        return NULL;
    if (i == m->block_count) {
        lines = 1 + (uint32_t)((places * words + 7) / 8);
        block = mm_fold_allows(t, lines) ? mm_fold_place(t, lines, &line) : NULL;
        if (!block)
            return NULL;
        block->method = method->id;
        block->words = words;
        block->places = (uint32_t)places;
        __atomic_store_n(
            &block->word0,
            mm_agg_word0(block, MM_AGG_RESERVOIR, lines, MM_RESERVOIR_FIXED, line),
            __ATOMIC_RELEASE);
        m->blocks[m->block_count++] = line;
    }
    return (uint64_t *)mm_fold_at(t->fold, m->blocks[i] + 1) + (place - first) * words;
}

/* Return the index of the reservoir's slot for this invocation's row; UINT64_MAX:
 * none. */
static uint64_t reservoir_place(struct mm_fold_method *m, uint64_t count)
{
    uint64_t number = ++m->seen;

    if (number > count && number != m->next)
        return UINT64_MAX;
    if (number >= count)
        m->next = mm_sample_next(&m->random, &m->weight, number, (uint32_t)count);
    return number <= count ? number - 1 : mm_random_below(&m->random, count);
}

int mm_reservoir_row(struct mm_thread *t, const struct mm_frame *frame,
                     const struct mm_facts *facts, const uint64_t *out)
{
    const struct mm_method *method = frame->process[MM_FRAME_METHOD];
    struct mm_fold_method *m = state_of(t, method);
    uint64_t place = reservoir_place(m, t->count), row[MM_ROW_MAX_WORDS], number, *slot;
    struct mm_agg_journal *j = t->fold->journal;
    struct mm_facts counted = *facts;
    size_t room, words, i;
    int fresh;

    if (place == UINT64_MAX)
        return 0;
    room = mm_wide_words(t->recorder, method);
    slot = place_of(t, m, method, place, (uint32_t)room);
    if (!slot)
        return 0;
    counted.flags |= MM_ROW_COUNTED;
    row[0] = mm_fill_wide_row(t, frame, method, &counted, out, row);
    words = mm_row_words(row[0]);
    number = (uint64_t)((char *)slot - t->fold->base) / 8;
    row[0] |= mm_row_sum(row, words, number) >> 32 << 32;
    fresh = !*slot;
    j->slot = number * 8;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
    for (i = 1; i < words; i++)
        slot[i] = row[i];
    __atomic_store_n(slot, row[0], __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    j->slot = 0;
    return fresh;
}
