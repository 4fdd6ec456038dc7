/* SPDX-License-Identifier: BSD-3-Clause */
/* script.h: the messages of each process in an expanded collective; script.c names the
 * algorithms. */
#ifndef ACTIVITY_RUN_SCRIPT_H
#define ACTIVITY_RUN_SCRIPT_H

#include "activity/model/tree.h"

/* A message of one process in an expanded collective. */
struct act_line {
    int32_t is_receive, peer;
};

/* Line `number` (from 0) of a process's part in a collective of `count` processes.
 * Returns 1, or 0: there is no such line. */
int act_script_line(enum act_kind kind, int64_t count, int64_t pid, int64_t root,
                    int64_t number, struct act_line *line);

#endif
