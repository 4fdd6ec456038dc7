/* SPDX-License-Identifier: BSD-3-Clause */
/* results.c: read a sweep as it is, for verbs that use its results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

int sweep_read(struct sweep *sweep)
{
    int missing, result = sweep_read_plan(sweep);
    json_t *plan;

    if (result < 0)
        result = sweep_command_check(sweep);
    if (result < 0)
        result = sweep_make_plan(sweep);
    if (result >= 0)
        return result;
    sweep->path = realpath(sweep->dir, NULL);
    if (!sweep->path)
        return mm_refuse(MM_EXIT_INPUT, "%s: %s", mm_safe(sweep->dir), strerror(errno));
    plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
    result = sweep_compare_plan(sweep, plan);
    if (result < 0)
        result = sweep_read_results(sweep, 1);
    if (result < 0)
        result = sweep_queue_read(sweep);
    json_decref(plan);
    return result;
}
