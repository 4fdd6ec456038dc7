/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.h: the file of OpenMP regions in a rank's folder, where OpenMP is measured. */
#ifndef MASTERMIND_WRITER_OPENMP_H
#define MASTERMIND_WRITER_OPENMP_H

#include <stdint.h>

/* Keep the regions in the folder from now on. 0, also where OpenMP is not measured, or a
 * negative errno: the regions stay in memory. */
int mm_openmp_keep(const char *rank_path);
/* Call `function` before the first region. 0; 1: a region was begun before; -ENOENT:
 * OpenMP is not measured. */
int mm_openmp_tell(void (*function)(void));

/* CPU time that measuring OpenMP has cost the process so far, ns. */
int64_t mm_openmp_cost(void);

#endif
