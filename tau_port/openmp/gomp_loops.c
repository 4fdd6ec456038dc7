/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_loops.c: wrappers around the functions of gcc's OpenMP that distribute work:
 * chunks of loops, sections, singles. A loop with a static schedule calls none of
 * them. */
#include "tau_port/openmp/wrap.h"

#include <stdbool.h>

typedef unsigned long long wide;

#define CONTROL(result, name, types, arguments)                                          \
    OMP_WRAP(result, name, types, arguments, OMP_CONTROL)

/* --- Loops with a variable of type long ----------------------------------- */

#define START(name)                                                                      \
    CONTROL(bool, name,                                                                  \
            (long from, long to, long step, long chunk, long *first, long *last),        \
            (from, to, step, chunk, first, last))
#define RUNTIME_START(name)                                                              \
    CONTROL(bool, name, (long from, long to, long step, long *first, long *last),        \
            (from, to, step, first, last))
#define ANY_START(name)                                                                  \
    CONTROL(bool, name,                                                                  \
            (long from, long to, long step, long schedule, long chunk, long *first,      \
             long *last, uintptr_t *reductions, void **memory),                          \
            (from, to, step, schedule, chunk, first, last, reductions, memory))
#define NEXT(name) CONTROL(bool, name, (long *first, long *last), (first, last))

START(GOMP_loop_static_start)
START(GOMP_loop_dynamic_start)
START(GOMP_loop_guided_start)
START(GOMP_loop_nonmonotonic_dynamic_start)
START(GOMP_loop_nonmonotonic_guided_start)
START(GOMP_loop_ordered_static_start)
START(GOMP_loop_ordered_dynamic_start)
START(GOMP_loop_ordered_guided_start)
RUNTIME_START(GOMP_loop_runtime_start)
RUNTIME_START(GOMP_loop_nonmonotonic_runtime_start)
RUNTIME_START(GOMP_loop_maybe_nonmonotonic_runtime_start)
RUNTIME_START(GOMP_loop_ordered_runtime_start)
ANY_START(GOMP_loop_start)
ANY_START(GOMP_loop_ordered_start)
NEXT(GOMP_loop_static_next)
NEXT(GOMP_loop_dynamic_next)
NEXT(GOMP_loop_guided_next)
NEXT(GOMP_loop_runtime_next)
NEXT(GOMP_loop_nonmonotonic_dynamic_next)
NEXT(GOMP_loop_nonmonotonic_guided_next)
NEXT(GOMP_loop_nonmonotonic_runtime_next)
NEXT(GOMP_loop_maybe_nonmonotonic_runtime_next)
NEXT(GOMP_loop_ordered_static_next)
NEXT(GOMP_loop_ordered_dynamic_next)
NEXT(GOMP_loop_ordered_guided_next)
NEXT(GOMP_loop_ordered_runtime_next)

/* --- Loops with a variable of type unsigned long long --------------------- */

#define WIDE_START(name)                                                                 \
    CONTROL(                                                                             \
        bool, name,                                                                      \
        (bool up, wide from, wide to, wide step, wide chunk, wide *first, wide *last),   \
        (up, from, to, step, chunk, first, last))
#define WIDE_RUNTIME_START(name)                                                         \
    CONTROL(bool, name,                                                                  \
            (bool up, wide from, wide to, wide step, wide *first, wide *last),           \
            (up, from, to, step, first, last))
#define WIDE_ANY_START(name)                                                             \
    CONTROL(bool, name,                                                                  \
            (bool up, wide from, wide to, wide step, long schedule, wide chunk,          \
             wide *first, wide *last, uintptr_t *reductions, void **memory),             \
            (up, from, to, step, schedule, chunk, first, last, reductions, memory))
#define WIDE_NEXT(name) CONTROL(bool, name, (wide * first, wide * last), (first, last))

WIDE_START(GOMP_loop_ull_static_start)
WIDE_START(GOMP_loop_ull_dynamic_start)
WIDE_START(GOMP_loop_ull_guided_start)
WIDE_START(GOMP_loop_ull_nonmonotonic_dynamic_start)
WIDE_START(GOMP_loop_ull_nonmonotonic_guided_start)
WIDE_START(GOMP_loop_ull_ordered_static_start)
WIDE_START(GOMP_loop_ull_ordered_dynamic_start)
WIDE_START(GOMP_loop_ull_ordered_guided_start)
WIDE_RUNTIME_START(GOMP_loop_ull_runtime_start)
WIDE_RUNTIME_START(GOMP_loop_ull_nonmonotonic_runtime_start)
WIDE_RUNTIME_START(GOMP_loop_ull_maybe_nonmonotonic_runtime_start)
WIDE_RUNTIME_START(GOMP_loop_ull_ordered_runtime_start)
WIDE_ANY_START(GOMP_loop_ull_start)
WIDE_ANY_START(GOMP_loop_ull_ordered_start)
WIDE_NEXT(GOMP_loop_ull_static_next)
WIDE_NEXT(GOMP_loop_ull_dynamic_next)
WIDE_NEXT(GOMP_loop_ull_guided_next)
WIDE_NEXT(GOMP_loop_ull_runtime_next)
WIDE_NEXT(GOMP_loop_ull_nonmonotonic_dynamic_next)
WIDE_NEXT(GOMP_loop_ull_nonmonotonic_guided_next)
WIDE_NEXT(GOMP_loop_ull_nonmonotonic_runtime_next)
WIDE_NEXT(GOMP_loop_ull_maybe_nonmonotonic_runtime_next)
WIDE_NEXT(GOMP_loop_ull_ordered_static_next)
WIDE_NEXT(GOMP_loop_ull_ordered_dynamic_next)
WIDE_NEXT(GOMP_loop_ull_ordered_guided_next)
WIDE_NEXT(GOMP_loop_ull_ordered_runtime_next)

/* --- Ends that do not wait, sections, singles ----------------------------- */

OMP_WRAP_VOID(GOMP_loop_end_nowait, (void), (), OMP_CONTROL)
CONTROL(unsigned, GOMP_sections_start, (unsigned count), (count))
CONTROL(unsigned, GOMP_sections2_start,
        (unsigned count, uintptr_t *reductions, void **memory),
        (count, reductions, memory))
CONTROL(unsigned, GOMP_sections_next, (void), ())
OMP_WRAP_VOID(GOMP_sections_end_nowait, (void), (), OMP_CONTROL)
CONTROL(bool, GOMP_single_start, (void), ())
OMP_WRAP_VOID(GOMP_scope_start, (uintptr_t * reductions), (reductions), OMP_CONTROL)
OMP_WRAP_VOID(GOMP_taskgroup_start, (void), (), OMP_CONTROL)
