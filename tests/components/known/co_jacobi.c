/* SPDX-License-Identifier: BSD-3-Clause */
/* co_jacobi.c: a cheap preconditioner that takes more iterations the larger the problem.
 */
#define CO_NAME "CoJacobi"
#include "tests/components/known/co_class.h"

static int co_work(struct co *co, int n)
{
    co_spin(co, n / 2);
    if (++co->calls < 20 + n / 25)
        return 0;
    co->calls = 0;
    return 1;
}
