/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h: the calls of one size that are kept: the largest, and a fair sample of the
 * rest.
 *
 *   call[0 .. top)          known one by one, each stands for itself
 *   call[top .. top+rest)   a fair sample of `rest_seen` further calls
 *
 * A population of few large calls is known from the first part, all others from the
 * second. The memory of a size is bounded. */
#ifndef MASTERMIND_COST_CALLS_SAMPLE_H
#define MASTERMIND_COST_CALLS_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define MM_SAMPLE_TOP 64   /* most calls known one by one */
#define MM_SAMPLE_REST 512 /* most calls of the fair sample */

#define MM_SAMPLE_OUTS 8

/* One finished call. */
struct mm_call {
    double ns;        /* exclusive time, or count */
    int64_t start_ns; /* since the start of the experiment's clock */
    float lost_ns;    /* of `ns` the host took at most this; negative: no evidence */
    uint32_t number;  /* in its method and thread, from 1; 0: unknown */
    uint32_t nth;     /* among the calls of its size, from 1; 0: unknown */
    uint16_t run;     /* index of the experiment */
    uint8_t waited;   /* the thread left the CPU of its own accord */
};

struct mm_sample {
    struct mm_call *call; /* [top + rest] */
    double *outs; /* [top + rest][out_count] out-values; NaN: absent; NULL: none */
    uint32_t top, rest, capacity;
    int heap; /* the top takes only larger calls than its least, call[0] */
    uint64_t rest_seen;
};

/* State that the samples of a method share. Deterministic: the same calls, the same
 * samples. */
struct mm_sampler {
    size_t out_count; /* values kept of a call: at most the first MM_SAMPLE_OUTS */
    uint32_t most_top, most_rest; /* of a size; they shrink with the number of sizes */
    uint64_t random;
};

void mm_sampler_init(struct mm_sampler *sampler, size_t out_count);
/* Bound the memory of `sizes` samples together. */
void mm_sampler_sizes(struct mm_sampler *sampler, size_t sizes);

/* Offer a call; `outs` [out_count] or NULL. 0 or -ENOMEM. */
int mm_sample_add(struct mm_sample *sample, struct mm_sampler *sampler,
                  const struct mm_call *call, const double *outs);
/* Offer `count` calls that are a fair sample of `seen`. 0 or -ENOMEM. */
int mm_sample_add_fair(struct mm_sample *sample, struct mm_sampler *sampler,
                       const struct mm_call *calls, const double *outs, uint32_t count,
                       uint64_t seen);
/* Offer all that `from` has; its run number i becomes runs[i]. NULL: they stay. 0 or
 * -ENOMEM. */
int mm_sample_merge(struct mm_sample *sample, struct mm_sampler *sampler,
                    const struct mm_sample *from, const uint16_t *runs);
void mm_sample_done(struct mm_sample *sample);

/* Number of calls kept. */
static inline uint32_t mm_sample_count(const struct mm_sample *sample)
{
    return sample->top + sample->rest;
}
/* How many calls number `at` stands for. */
static inline double mm_sample_weight(const struct mm_sample *sample, uint32_t at)
{
    return at < sample->top ? 1 : (double)sample->rest_seen / sample->rest;
}

#endif
