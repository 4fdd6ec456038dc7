/* SPDX-License-Identifier: BSD-3-Clause */
/* block_avx2.c: block.c for CPUs with AVX2. The Makefile sets the target of this file. */
#ifdef __AVX2__
#define BLOCK_COMPUTE block_compute_avx2
#include "components/GodunovVector/block.c"
#else
#include "components/GodunovVector/block.h"

int block_compute_avx2(const struct block *block)
{
    return block_compute(block);
}
#endif
