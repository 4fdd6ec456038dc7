/* SPDX-License-Identifier: BSD-3-Clause */
/* wrap.h: the common part of all wrappers around functions of gcc's OpenMP. */
#ifndef TAU_PORT_OPENMP_WRAP_H
#define TAU_PORT_OPENMP_WRAP_H

#include "tau_port/openmp/openmp.h"

#include "common/clock.h"

#define OMP_EXPORT __attribute__((visibility("default")))

/* State of the calling thread during a call. */
struct omp_call {
    struct omp_thread *thread; /* the calling thread; NULL: the call is not counted */
    int before;
};

static inline struct omp_call omp_call_begin(int state)
{
    struct omp_call call = {0};

    if (omp_on && !__atomic_load_n(&omp_through, __ATOMIC_RELAXED))
        call.thread = omp_thread();
    if (call.thread)
        call.before = omp_switch(call.thread, state, cca_clock_ns(CLOCK_MONOTONIC));
    return call;
}

static inline void omp_call_end(struct omp_call call)
{
    if (call.thread)
        omp_switch(call.thread, call.before, cca_clock_ns(CLOCK_MONOTONIC));
}

/* Declare `real`, the function behind the wrapper. At the first call OMP_REAL also finds
 * out whether OMPT measures the runtime. */
#define OMP_REAL(result, name, types)                                                    \
    static void *cell;                                                                   \
    result(*real) types;                                                                 \
    *(void **)&real = omp_real(&cell, #name)

/* Define the wrapper of a function whose whole time is a state.
 *
 *   types      in  its parameters, in parentheses: (long start, long end)
 *   arguments  in  their names, in parentheses */
#define OMP_WRAP(result, name, types, arguments, state)                                  \
    OMP_EXPORT result name types;                                                        \
    OMP_EXPORT result name types                                                         \
    {                                                                                    \
        struct omp_call call;                                                            \
        result value;                                                                    \
        OMP_REAL(result, name, types);                                                   \
                                                                                         \
        call = omp_call_begin(state);                                                    \
        value = real arguments;                                                          \
        omp_call_end(call);                                                              \
        return value;                                                                    \
    }

#define OMP_WRAP_VOID(name, types, arguments, state)                                     \
    OMP_EXPORT void name types;                                                          \
    OMP_EXPORT void name types                                                           \
    {                                                                                    \
        struct omp_call call;                                                            \
        OMP_REAL(void, name, types);                                                     \
                                                                                         \
        call = omp_call_begin(state);                                                    \
        real arguments;                                                                  \
        omp_call_end(call);                                                              \
    }

#endif
