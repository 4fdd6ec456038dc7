/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c: print progress on standard error. */
#include <time.h>
#include <unistd.h>

#include "mastermind/cmd/mesh/mesh_verb.h"

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void mesh_look_on(void *context, double done)
{
    struct mesh_look *look = context;
    double now = now_s();

    if (look->begun_s == 0)
        look->begun_s = look->shown_s = now;
    if (now - look->begun_s < 1 || (look->shown && now - look->shown_s < .2) ||
        !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[Kmastermind: %s: %.0f %%", look->what, 100 * done);
    look->shown = 1;
    look->shown_s = now;
}

void mesh_look_end(struct mesh_look *look)
{
    if (look->shown)
        fputs("\r\033[K", stderr);
    look->shown = 0;
}
