/* SPDX-License-Identifier: BSD-3-Clause */
/* co_flat.c: always the same cost. */
#define CO_NAME "CoFlat"
#include "tests/components/known/co_class.h"

static int co_work(struct co *co, int n)
{
    co_spin(co, 2L * n);
    return 0;
}
