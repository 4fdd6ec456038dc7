/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu.h: choose the SIMD vector width of a component class that is compiled for several
 * widths.
 *
 * Results have the same bits for all widths (simd.h). */
#ifndef COMPONENTS_CPU_H
#define COMPONENTS_CPU_H

#include <string.h>

#include "framework/cca.h"

enum cpu_vectors { CPU_BASELINE, CPU_AVX2, CPU_AVX512 };

/* Declaration of the parameter that limits the vector width, for CCA_PARAMS. */
#define CPU_PARAM                                                                        \
    {                                                                                    \
        .name = "vectors", .type = CCA_STRING, .value = "auto",                          \
        .choices = "auto|baseline|avx2|avx512",                                          \
        .help = "widest vectors used, as far as the CPU has them; results are the same"  \
    }

/* Return the widest vectors that the CPU supports and the parameter allows. */
static inline enum cpu_vectors cpu_vectors(struct cca_services *services)
{
#ifdef __x86_64__
    const char *most = cca_services_param_string(services, "vectors");

    if (!strcmp(most, "baseline") || !__builtin_cpu_supports("avx2"))
        return CPU_BASELINE;
    return strcmp(most, "avx2") && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? CPU_AVX512
               : CPU_AVX2;
#else
    (void)services;
    return CPU_BASELINE;
#endif
}

#endif
