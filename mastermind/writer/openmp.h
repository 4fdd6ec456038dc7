/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.h: keep OpenMP regions in a file in the rank's folder, if OpenMP is measured. */
#ifndef MASTERMIND_WRITER_OPENMP_H
#define MASTERMIND_WRITER_OPENMP_H

#include <stdint.h>

/* From now on keep the OpenMP regions in a file in the folder `rank_path`. Returns 0,
 * also if OpenMP is not measured; or a negative errno: the regions stay in memory. */
int mm_openmp_keep(const char *rank_path);
/* Let `function` be called before the first OpenMP region. Returns 0; 1: a region has
 * begun already; -ENOENT: OpenMP is not measured. */
int mm_openmp_tell(void (*function)(void));

/* Return the CPU time in ns that the process has spent on measuring OpenMP so far. */
int64_t mm_openmp_cost(void);

#endif
