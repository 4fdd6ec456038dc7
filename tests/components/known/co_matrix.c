/* SPDX-License-Identifier: BSD-3-Clause */
/* co_matrix.c: the product of a sparse matrix. */
#define CO_NAME "CoMatrix"
#include "tests/components/known/co_class.h"

static int co_work(struct co *co, int n)
{
    co_spin(co, 8L * n);
    return 0;
}
