/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.c: calls of MPI that need no other process. */
#include <mpi.h>

int main(void)
{
    int begun = 1;

    for (int i = 0; i < 3; i++)
        MPI_Initialized(&begun);
    return begun;
}
