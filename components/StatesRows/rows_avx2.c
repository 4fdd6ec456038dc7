/* SPDX-License-Identifier: BSD-3-Clause */
/* rows_avx2.c: rows.c for CPUs with AVX2. The Makefile sets the target of this file. */
#ifdef __AVX2__
#define ROWS_RECONSTRUCT rows_reconstruct_avx2
#include "components/StatesRows/rows.c"
#else
#include "components/StatesRows/rows.h"

int rows_reconstruct_avx2(const struct rows *rows, int axis)
{
    return rows_reconstruct(rows, axis);
}
#endif
