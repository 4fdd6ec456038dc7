/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu.h: instructions that the CPU has beyond those that all code is compiled for. */
#ifndef COMPONENTS_CPU_H
#define COMPONENTS_CPU_H

static inline int cpu_has_avx2(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

#endif
