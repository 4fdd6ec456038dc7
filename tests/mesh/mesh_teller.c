/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_teller.c: a program that tells of its cells what a formula gives, for tests of the
 * agents: mesh_teller NAME STEPS PAUSE_US. Each step it prints its number. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mesh/probe/mm_mesh.h"

int main(int argc, char **argv)
{
    static const int64_t lo[3], n[3] = {8, 6, 5};
    struct cca_error err = {0};
    int steps = argc == 4 ? atoi(argv[2]) : 0;
    useconds_t pause = argc == 4 ? (useconds_t)atoi(argv[3]) : 0;
    struct mm_mesh *m = argc == 4 ? mm_mesh_open(argv[1], 3, n, &err) : NULL;
    int work = mm_mesh_probe(m, "work", "given");

    if (err.code)
        fprintf(stderr, "%s\n", err.text);
    mm_mesh_box(m, 0, lo, n);
    for (int step = 0; step < steps; step++) {
        mm_mesh_step(m, step, .5 * step);
        for (int64_t cell = 0; cell < 240; cell++)
            mm_mesh_value(m, work, cell, (double)((step * 31 + cell * 7) % 1009) + .25);
        printf("%d\n", step);
        fflush(stdout);
        if (pause)
            usleep(pause);
    }
    mm_mesh_close(m);
    return err.code != 0;
}
