/* SPDX-License-Identifier: BSD-3-Clause */
/* simd.h: vectors of doubles, as wide as the file's target supports, by the vector
 * extensions of gcc and clang.
 *
 * An operation on a vector gives each lane the bits that the same operation on a double
 * gives: no operations are fused (-ffp-contract=off) and no sum runs across lanes. Arrays
 * whose length is not a multiple of the lanes end with a partial vector. */
#ifndef COMPONENTS_SIMD_H
#define COMPONENTS_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif
#define SIMD_LANES (SIMD_BYTES / 8)

typedef double simd __attribute__((vector_size(SIMD_BYTES)));
typedef int64_t simd_mask __attribute__((vector_size(SIMD_BYTES))); /* lanes: 0 or -1 */
typedef uint64_t simd_bits __attribute__((vector_size(SIMD_BYTES)));

static inline simd simd_load(const double *from)
{
    simd v;

    memcpy(&v, from, sizeof v);
    return v;
}

/* Load `count` >= 1 doubles, at most SIMD_LANES. Further lanes repeat the last one. */
static inline simd simd_load_part(const double *from, int count)
{
    simd v;

    if (count >= SIMD_LANES)
        return simd_load(from);
    for (int k = 0; k < SIMD_LANES; k++)
        v[k] = from[k < count ? k : count - 1];
    return v;
}

static inline void simd_store(double *to, simd v)
{
    memcpy(to, &v, sizeof v);
}

/* Store the first `count` lanes, at most SIMD_LANES. */
static inline void simd_store_part(double *to, simd v, int count)
{
    if (count >= SIMD_LANES) {
        simd_store(to, v);
        return;
    }
    for (int k = 0; k < count; k++)
        to[k] = v[k];
}

/* Select `a` in lanes where the mask is set, else `b`. Without a blend instruction, gcc
 * 12 splits the general form into lanes. */
static inline simd simd_select(simd_mask mask, simd a, simd b)
{
#if defined(__SSE2__) && SIMD_BYTES == 16
    return _mm_or_pd(_mm_and_pd((simd)mask, a), _mm_andnot_pd((simd)mask, b));
#else
    return (simd)((mask & (simd_mask)a) | (~mask & (simd_mask)b));
#endif
}

static inline simd simd_set(double value)
{
    return value - (simd){0.}; /* subtracting 0 keeps all bits, also of -0 */
}

static inline simd simd_sqrt(simd v)
{
#if SIMD_BYTES == 64
    return _mm512_sqrt_pd(v);
#elif SIMD_BYTES == 32
    return _mm256_sqrt_pd(v);
#elif defined(__SSE2__)
    return _mm_sqrt_pd(v);
#else
    for (int k = 0; k < SIMD_LANES; k++)
        v[k] = sqrt(v[k]);
    return v;
#endif
}

static inline simd simd_abs(simd v)
{
    return (simd)((simd_mask)v & INT64_MAX);
}

/* Return the index of the vector after the vector at `i` in an array of `count`. The last
 * vector overlaps the vector before it, so that only an array shorter than a vector needs
 * a partial vector. */
static inline int simd_next(int i, int count)
{
    int next = i + SIMD_LANES;

    return next < count && count - next < SIMD_LANES ? count - SIMD_LANES : next;
}

/* True if some lane of the mask is set. */
static inline int simd_any(simd_mask mask)
{
    int64_t any = 0;

    for (int k = 0; k < SIMD_LANES; k++)
        any |= mask[k];
    return any != 0;
}

#endif
