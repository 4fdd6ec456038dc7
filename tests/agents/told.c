/* SPDX-License-Identifier: BSD-3-Clause */
/* told.c: a program that tells values of cells that its test can compute:
 * told STEPS MICROSECONDS [die STEP]. Ranks by the launcher's variables share the rows:
 * ROWS of 50 cells.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/probe/mm_mesh.h"

#ifndef ROWS
#define ROWS 24
#endif

static int variable(const char *a, const char *b, int otherwise)
{
    const char *text = getenv(a) ? getenv(a) : getenv(b);

    return text ? atoi(text) : otherwise;
}

int main(int argc, char **argv)
{
    int rank = variable("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
    int ranks = variable("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
    int steps = argc > 1 ? atoi(argv[1]) : 10, us = argc > 2 ? atoi(argv[2]) : 1000;
    int dies = argc > 4 && !strcmp(argv[3], "die") ? atoi(argv[4]) : -1;
    const int64_t n[2] = {ROWS, 50};
    int64_t lo[2] = {n[0] * rank / ranks, 0}, hi[2] = {n[0] * (rank + 1) / ranks, 50};
    struct cca_error err = {0};
    struct mm_mesh *m = mm_mesh_open("told", 2, n, &err);
    int work = mm_mesh_probe(m, "work", "given");

    if (err.code)
        fprintf(stderr, "told: %s\n", err.text);
    mm_mesh_rank(m, rank, ranks);
    mm_mesh_box(m, 0, lo, hi);
    for (int s = 0; s < steps; s++) {
        mm_mesh_step(m, s, .5 * s);
        for (int64_t c = lo[0] * 50; c < hi[0] * 50; c++)
            mm_mesh_value(m, work, c, (double)((c * 7 + s * 13) % 101));
        if (s == dies && rank == ranks - 1)
            raise(SIGKILL);
        usleep((useconds_t)us);
    }
    mm_mesh_close(m);
    printf("told %d steps\n", steps);
    return 0;
}
