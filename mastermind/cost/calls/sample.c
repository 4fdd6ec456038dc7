/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.c: the largest calls of a size, and a reservoir of the others. */
#include "mastermind/cost/calls/sample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

/* Approximate limit of the number of calls in all samples of a method together. */
#define BUDGET (1u << 19)
#define LEAST_TOP 4
#define LEAST_REST 8

void mm_sampler_init(struct mm_sampler *sampler, size_t out_count)
{
    *sampler = (struct mm_sampler){
        .out_count = out_count < MM_SAMPLE_OUTS ? out_count : MM_SAMPLE_OUTS,
        .most_top = MM_SAMPLE_TOP,
        .most_rest = MM_SAMPLE_REST,
        .random = 0x9e3779b97f4a7c15u};
}

static uint32_t share_of(size_t budget, size_t sizes, uint32_t least, uint32_t most)
{
    size_t share = budget / sizes;

    return share < least ? least : share > most ? most : (uint32_t)share;
}

void mm_sampler_sizes(struct mm_sampler *sampler, size_t sizes)
{
    sampler->most_top = share_of(BUDGET / 4, sizes, LEAST_TOP, MM_SAMPLE_TOP);
    sampler->most_rest = share_of(BUDGET, sizes, LEAST_REST, MM_SAMPLE_REST);
}

/* A random number, uniform in [0, below). */
static uint64_t random_below(struct mm_sampler *s, uint64_t below)
{
    cca_random_shift(&s->random);
    return below >> 32 ? s->random % below : ((s->random >> 32) * below) >> 32;
}

static int sample_grow(struct mm_sample *s, size_t out_count)
{
    uint32_t capacity = s->capacity ? 2 * s->capacity : 1;
    struct mm_call *call = realloc(s->call, capacity * sizeof *call);

    if (!call)
        return -ENOMEM;
    s->call = call;
    if (out_count) {
        double *outs = realloc(s->outs, capacity * out_count * sizeof *outs);

        if (!outs)
            return -ENOMEM;
        s->outs = outs;
    }
    s->capacity = capacity;
    return 0;
}

static void call_put(struct mm_sample *s, size_t out_count, uint32_t at,
                     const struct mm_call *call, const double *outs)
{
    s->call[at] = *call;
    for (size_t k = 0; k < out_count; k++)
        s->outs[at * out_count + k] = outs ? outs[k] : NAN;
}

static void call_swap(struct mm_sample *s, size_t out_count, uint32_t a, uint32_t b)
{
    struct mm_call call = s->call[a];

    s->call[a] = s->call[b];
    s->call[b] = call;
    for (size_t k = 0; k < out_count; k++) {
        double out = s->outs[a * out_count + k];

        s->outs[a * out_count + k] = s->outs[b * out_count + k];
        s->outs[b * out_count + k] = out;
    }
}

/* Restore the heap of the largest calls (the top), smallest first, below position
 * `at`. */
static void top_sink(struct mm_sample *s, size_t out_count, uint32_t at)
{
    for (;;) {
        uint32_t least = at, left = 2 * at + 1;

        if (left < s->top && s->call[left].ns < s->call[least].ns)
            least = left;
        if (left + 1 < s->top && s->call[left + 1].ns < s->call[least].ns)
            least = left + 1;
        if (least == at)
            return;
        call_swap(s, out_count, at, least);
        at = least;
    }
}

/* Turn the full array of the largest calls (the top) into a heap. */
static void top_close(struct mm_sample *s, size_t out_count)
{
    for (uint32_t i = s->heap ? 0 : s->top / 2; i-- > 0;)
        top_sink(s, out_count, i);
    s->heap = 1;
}

/* Reservoir sampling of the calls that are not among the largest. */
static int rest_add(struct mm_sample *s, struct mm_sampler *sampler,
                    const struct mm_call *call, const double *outs)
{
    uint64_t at;

    s->rest_seen++;
    if (s->rest == s->rest_seen - 1 && s->rest < sampler->most_rest) {
        if (mm_sample_count(s) == s->capacity && sample_grow(s, sampler->out_count) < 0)
            return -ENOMEM;
        call_put(s, sampler->out_count, s->top + s->rest++, call, outs);
        return 0;
    }
    at = random_below(sampler, s->rest_seen);
    if (at < s->rest)
        call_put(s, sampler->out_count, s->top + (uint32_t)at, call, outs);
    return 0;
}

int mm_sample_add(struct mm_sample *s, struct mm_sampler *sampler,
                  const struct mm_call *call, const double *outs)
{
    if (!s->heap && s->top < sampler->most_top) {
        if (s->top == s->capacity && sample_grow(s, sampler->out_count) < 0)
            return -ENOMEM;
        call_put(s, sampler->out_count, s->top++, call, outs);
        return 0;
    }
    top_close(s, sampler->out_count);
    if (s->top && call->ns > s->call[0].ns) {
        struct mm_call least = s->call[0];
        double kept[MM_SAMPLE_OUTS];

        if (s->outs)
            memcpy(kept, s->outs, sampler->out_count * sizeof *kept);
        call_put(s, sampler->out_count, 0, call, outs);
        top_sink(s, sampler->out_count, 0);
        return rest_add(s, sampler, &least, s->outs ? kept : NULL);
    }
    return rest_add(s, sampler, call, outs);
}

/* Merge a uniform sample of calls into this size's uniform sample (the rest), which stays
 * uniform. */
int mm_sample_add_fair(struct mm_sample *s, struct mm_sampler *sampler,
                       const struct mm_call *calls, const double *outs, uint32_t count,
                       uint64_t seen)
{
    size_t k = sampler->out_count;
    uint32_t room = sampler->most_rest, taken = 0;

    if (!count)
        return 0;
    top_close(s, k);
    while (s->capacity < s->top + room && s->capacity < s->top + s->rest + count)
        if (sample_grow(s, k) < 0)
            return -ENOMEM;
    if (s->rest == s->rest_seen && count == seen && s->rest + count <= room) {
        for (uint32_t i = 0; i < count; i++)
            call_put(s, k, s->top + s->rest++, &calls[i], outs ? outs + i * k : NULL);
        s->rest_seen += seen;
        return 0;
    }
    for (uint32_t i = 0; i < room && taken < count; i++) {
        int other = random_below(sampler, s->rest_seen + seen) < seen;

        if (i >= s->rest) {
            if (!other && s->rest_seen)
                break; /* the merged sample takes this call from the size's earlier
                          sample, which has no more calls */
            s->rest = i + 1;
        } else if (!other) {
            continue;
        }
        call_put(s, k, s->top + i, &calls[taken], outs ? outs + taken * k : NULL);
        taken++;
    }
    s->rest_seen += seen;
    return 0;
}

int mm_sample_merge(struct mm_sample *s, struct mm_sampler *sampler,
                    const struct mm_sample *from, const uint16_t *runs)
{
    size_t k = sampler->out_count;
    uint32_t count = mm_sample_count(from);
    struct mm_call *calls = malloc((count + 1) * sizeof *calls);
    int result = 0;

    if (!calls)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = from->call[i];
        calls[i].run = runs ? runs[calls[i].run] : calls[i].run;
    }
    for (uint32_t i = 0; i < from->top && !result; i++)
        result =
            mm_sample_add(s, sampler, &calls[i], from->outs ? from->outs + i * k : NULL);
    if (!result)
        result = mm_sample_add_fair(s, sampler, calls + from->top,
                                    from->outs ? from->outs + from->top * k : NULL,
                                    from->rest, from->rest_seen);
    free(calls);
    return result;
}

void mm_sample_done(struct mm_sample *sample)
{
    free(sample->call);
    free(sample->outs);
    *sample = (struct mm_sample){0};
}
