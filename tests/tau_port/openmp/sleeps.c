/* SPDX-License-Identifier: BSD-3-Clause */
/* sleeps.c: a function NAME, with a team that calls nothing of OpenMP by name: so two
 * libraries made from it by two compilers bear one program. */
#include <unistd.h>

void NAME(void);
void NAME(void)
{
    int number = 0;

#pragma omp parallel num_threads(3)
    {
        int mine;

#pragma omp atomic capture
        mine = ++number;
        usleep(20000 * (useconds_t)mine);
    }
}
