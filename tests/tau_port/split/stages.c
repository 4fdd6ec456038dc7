/* SPDX-License-Identifier: BSD-3-Clause */
/* stages.c: all stages, one after the other, with a barrier outside the library between.
 */
#include "stage.h"

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int stages = argc > 1 ? atoi(argv[1]) : 12;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < stages; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        stage(i, 40);
    }
    MPI_Finalize();
    return 0;
}
