/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h: the calls kept for one size: the largest, and a uniform random sample of the
 * rest.
 *
 *   call[0 .. top)          the largest, each with weight 1
 *   call[top .. top+rest)   a uniform sample of `rest_seen` further calls
 *
 * The first part reveals populations of few large calls, the second part all others. The
 * memory of a size is bounded. */
#ifndef MASTERMIND_COST_CALLS_SAMPLE_H
#define MASTERMIND_COST_CALLS_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define MM_SAMPLE_TOP 64   /* largest number of calls kept as the largest */
#define MM_SAMPLE_REST 512 /* largest number of calls of the uniform sample */

#define MM_SAMPLE_OUTS 8

/* One finished call. */
struct mm_call {
    double ns;        /* exclusive time of the call, or its count */
    int64_t start_ns; /* start of the call, since the start of the experiment's clock */
    float lost_ns;    /* upper limit of the part of `ns` that the host took; negative: no
                         evidence */
    uint32_t number; /* serial number, from 1, of the call among its thread's calls of the
                        method; 0: unknown */
    uint32_t nth;    /* serial number, from 1, of the call among the calls of its size; 0:
                        unknown */
    uint16_t run;    /* index of the call's experiment */
    uint8_t waited;  /* true if the thread left the CPU of its own accord */
};

struct mm_sample {
    struct mm_call *call; /* [top + rest] the largest calls, then the uniform sample of
                             the others */
    double *outs;         /* [top + rest][out_count] out-values of the calls; NaN: absent;
                             NULL: none */
    uint32_t top, rest, capacity;
    int heap; /* true if the largest calls are a min-heap, which accepts only calls larger
                 than call[0] */
    uint64_t rest_seen;
};

/* State shared by all samples of a method. Deterministic: equal calls give equal samples.
 */
struct mm_sampler {
    size_t out_count; /* out-values kept for a call: at most the first MM_SAMPLE_OUTS */
    uint32_t most_top, most_rest; /* limits for one size; they shrink with the number
                                     of sizes */
    uint64_t random;
};

void mm_sampler_init(struct mm_sampler *sampler, size_t out_count);
/* Set the limits on the kept calls for `sizes` samples, so that their memory together is
 * bounded. */
void mm_sampler_sizes(struct mm_sampler *sampler, size_t sizes);

/* Add a call, which the sample may drop; `outs` is [out_count] or NULL. Returns 0 or
 * -ENOMEM. */
int mm_sample_add(struct mm_sample *sample, struct mm_sampler *sampler,
                  const struct mm_call *call, const double *outs);
/* Add `count` calls that are a uniform sample of `seen` calls. Returns 0 or -ENOMEM. */
int mm_sample_add_fair(struct mm_sample *sample, struct mm_sampler *sampler,
                       const struct mm_call *calls, const double *outs, uint32_t count,
                       uint64_t seen);
/* Add all calls of `from`; its run with index i becomes runs[i]; `runs` NULL: indexes
 * stay. Returns 0 or -ENOMEM. */
int mm_sample_merge(struct mm_sample *sample, struct mm_sampler *sampler,
                    const struct mm_sample *from, const uint16_t *runs);
void mm_sample_done(struct mm_sample *sample);

/* Number of calls kept. */
static inline uint32_t mm_sample_count(const struct mm_sample *sample)
{
    return sample->top + sample->rest;
}
/* Number of calls that call `at` represents. */
static inline double mm_sample_weight(const struct mm_sample *sample, uint32_t at)
{
    return at < sample->top ? 1 : (double)sample->rest_seen / sample->rest;
}

#endif
