/* SPDX-License-Identifier: BSD-3-Clause */
/* block_avx512.c: block.c for CPUs with AVX-512. The Makefile sets the target of this
 * file. */
#ifdef __AVX512DQ__
#define BLOCK_COMPUTE block_compute_avx512
#include "components/GodunovVector/block.c"
#else
#include "components/GodunovVector/block.h"

int block_compute_avx512(const struct block *block)
{
    return block_compute_avx2(block);
}
#endif
