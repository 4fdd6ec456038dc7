/* SPDX-License-Identifier: BSD-3-Clause */
/* co_cache.c: cheap in nine calls of ten, and a hundred times as dear as CoFlat in the
 * tenth. */
#define CO_NAME "CoCache"
#include "tests/components/known/co_class.h"

static int co_work(struct co *co, int n)
{
    co_spin(co, ++co->calls % 10 ? n / 5 : 200L * n);
    return 0;
}
