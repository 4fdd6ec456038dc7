/* SPDX-License-Identifier: BSD-3-Clause */
/* kmpc.c: wrappers around functions of LLVM's OpenMP, for data that its OMPT does not
 * report: the body of a region, and the distribution of chunks of loops. A loop with a
 * static schedule calls none of the latter. */
#include "tau_port/openmp/wrap.h"

#include "common/clock.h"

/* --- Chunks of loops ------------------------------------------------------ */

/* A place in the source, part of LLVM's binary interface. */
struct omp_place {
    int32_t unused[4];
    const char *source; /* file, function, line and column: ";relax.c;main;12;5;;", or
                         * ";unknown;unknown;0;0;;" */
};

/* OMPT reports the GOMP_* calls in LLVM's runtime, but not these. */
static inline struct omp_call begin(void)
{
    struct omp_call call = {0};

    if (omp_on)
        call.thread = omp_thread();
    if (call.thread)
        call.before = omp_switch(call.thread, OMP_CONTROL, cca_clock_ns(CLOCK_MONOTONIC));
    return call;
}

#define NEXT(name, number, distance)                                                     \
    OMP_EXPORT int name(void *place, int32_t thread, int32_t *is_last, number *lower,    \
                        number *upper, distance *stride);                                \
    OMP_EXPORT int name(void *place, int32_t thread, int32_t *is_last, number *lower,    \
                        number *upper, distance *stride)                                 \
    {                                                                                    \
        struct omp_call call;                                                            \
        int value;                                                                       \
        OMP_REAL(int, name,                                                              \
                 (void *, int32_t, int32_t *, number *, number *, distance *));          \
                                                                                         \
        call = begin();                                                                  \
        value = real(place, thread, is_last, lower, upper, stride);                      \
        omp_call_end(call);                                                              \
        return value;                                                                    \
    }

NEXT(__kmpc_dispatch_next_4, int32_t, int32_t)
NEXT(__kmpc_dispatch_next_4u, uint32_t, int32_t)
NEXT(__kmpc_dispatch_next_8, int64_t, int64_t)
NEXT(__kmpc_dispatch_next_8u, uint64_t, int64_t)

/* --- The body of a region ------------------------------------------------- */

/* Note the body of the region that is about to begin. Returns the runtime's function. */
__attribute__((used)) void *omp_kmpc_fork(void *body, const struct omp_place *place);
__attribute__((used)) void *omp_kmpc_fork(void *body, const struct omp_place *place)
{
    static void *cell;

    omp_body = (struct omp_body){body, place ? place->source : NULL};
    return omp_real(&cell, "__kmpc_fork_call");
}

/* void __kmpc_fork_call(place, count, body, ...): jumps to the runtime's function with
 * all arguments unchanged, which is impossible in C. All arguments are integers and
 * addresses, six of them in registers. On other architectures a region is identified by
 * the call that begins it. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl __kmpc_fork_call\n"
        ".type __kmpc_fork_call, @function\n"
        "__kmpc_fork_call:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    push %rax\n    .cfi_adjust_cfa_offset 8\n"
        "    push %rdi\n    .cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n    .cfi_adjust_cfa_offset 8\n"
        "    push %rdx\n    .cfi_adjust_cfa_offset 8\n"
        "    push %rcx\n    .cfi_adjust_cfa_offset 8\n"
        "    push %r8\n    .cfi_adjust_cfa_offset 8\n"
        "    push %r9\n    .cfi_adjust_cfa_offset 8\n"
        "    mov %rdi, %rsi\n"
        "    mov %rdx, %rdi\n"
        "    call omp_kmpc_fork\n"
        "    mov %rax, %r11\n"
        "    pop %r9\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %r8\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %rcx\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdx\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n    .cfi_adjust_cfa_offset -8\n"
        "    pop %rax\n    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        ".size __kmpc_fork_call, . - __kmpc_fork_call\n");
#endif
