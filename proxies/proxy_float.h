/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_float.h: compute values with floating-point numbers without changing the
 * program's floating-point environment: exception flags are preserved, and the program's
 * traps are disabled. */
#ifndef PROXIES_PROXY_FLOAT_H
#define PROXIES_PROXY_FLOAT_H

#include <stdint.h>

#if defined __x86_64__

struct proxy_float {
    uint32_t sse;
    uint16_t x87;
};

enum {
    PROXY_FLOAT_MASKS = 0x1f80
}; /* SSE control bits (MXCSR): no exception traps,
    * rounding to nearest */

static inline struct proxy_float proxy_float_save(void)
{
    struct proxy_float saved;
    uint32_t quiet = PROXY_FLOAT_MASKS;

    __asm__ volatile("stmxcsr %0\n\tfnstsw %1"
                     : "=m"(saved.sse), "=m"(saved.x87)
                     :
                     : "memory");
    if ((saved.sse & 0xffc0) != PROXY_FLOAT_MASKS)
        __asm__ volatile("ldmxcsr %0" : : "m"(quiet) : "memory");
    return saved;
}

/* Compute as the program does, by its rounding and its treatment of tiny numbers, but
 * without traps; until proxy_float_quiet. */
static inline void proxy_float_work(const struct proxy_float *saved)
{
    const uint32_t sse = (saved->sse & ~0x3fu) | 0x1f80;

    __asm__ volatile("ldmxcsr %0" : : "m"(sse) : "memory");
}

static inline void proxy_float_quiet(void)
{
    const uint32_t quiet = PROXY_FLOAT_MASKS;

    __asm__ volatile("ldmxcsr %0" : : "m"(quiet) : "memory");
}

/* Restore the environment. The asm statement makes the compiler compute `values` before
 * it, in the changed environment. */
static inline void proxy_float_restore(const struct proxy_float *saved,
                                       const void *values)
{
    struct {
        uint32_t control, status, rest[5];
    } x87;
    struct proxy_float now;

    __asm__ volatile("stmxcsr %0\n\tfnstsw %1"
                     : "=m"(now.sse), "=m"(now.x87)
                     : "r"(values)
                     : "memory");
    if (now.sse != saved->sse)
        __asm__ volatile("ldmxcsr %0" : : "m"(saved->sse) : "memory");
    if ((now.x87 ^ saved->x87) & 0x3f) { /* exception flags of the x87 unit, which
                                          * computes numbers of type long double */
        __asm__ volatile("fnstenv %0" : "=m"(x87) : : "memory");
        x87.status = (x87.status & ~0x3fu) | (saved->x87 & 0x3fu);
        __asm__ volatile("fldenv %0" : : "m"(x87) : "memory");
    }
}

#elif defined __aarch64__

struct proxy_float {
    uint64_t control, status;
};

static inline struct proxy_float proxy_float_save(void)
{
    struct proxy_float saved;
    uint64_t quiet = 0;

    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(saved.control), "=r"(saved.status)
                     :
                     : "memory");
    if (saved.control)
        __asm__ volatile("msr fpcr, %0" : : "r"(quiet) : "memory");
    return saved;
}

static inline void proxy_float_work(const struct proxy_float *saved)
{
    const uint64_t control = saved->control & ~UINT64_C(0x9f00); /* no traps */

    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

static inline void proxy_float_quiet(void)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)) : "memory");
}

static inline void proxy_float_restore(const struct proxy_float *saved,
                                       const void *values)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(saved->status), "r"(values) : "memory");
    if (saved->control)
        __asm__ volatile("msr fpcr, %0" : : "r"(saved->control) : "memory");
}

#else
#include <fenv.h>

struct proxy_float {
    fenv_t environment;
};

static inline struct proxy_float proxy_float_save(void)
{
    struct proxy_float saved;

    feholdexcept(&saved.environment);
    return saved;
}

/* feholdexcept leaves the rounding alone. */
static inline void proxy_float_work(const struct proxy_float *saved)
{
    (void)saved;
}

static inline void proxy_float_quiet(void)
{
}

static inline void proxy_float_restore(const struct proxy_float *saved,
                                       const void *values)
{
    __asm__ volatile("" : : "r"(values) : "memory");
    fesetenv(&saved->environment);
}

#endif

/* Make the compiler compute values that depend on this variable after this point. */
#define PROXY_FLOAT_FROM(what) __asm__ volatile("" : : "r"(&(what)) : "memory")

#endif
