/* SPDX-License-Identifier: BSD-3-Clause */
/* co_exact.c: a preconditioner that is exact: dear, and one iteration is enough. */
#define CO_NAME "CoExact"
#include "tests/components/known/co_class.h"

static int co_work(struct co *co, int n)
{
    co_spin(co, 64L * n);
    return 1;
}
