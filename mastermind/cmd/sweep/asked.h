/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h: the options of the verb sweep. */
#ifndef MASTERMIND_CMD_SWEEP_ASKED_H
#define MASTERMIND_CMD_SWEEP_ASKED_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

/* Positions of options; those of axes come first, by enum sweep_kind. */
enum {
    ASKED_VARY = SWEEP_SET,
    ASKED_RANKS = SWEEP_RANKS,
    ASKED_LAUNCHER = SWEEP_KINDS,
    ASKED_REPEAT,
    ASKED_BUDGET,
    ASKED_GRID,
    ASKED_SEED,
    ASKED_OUTPUT,
    ASKED_DRY,
    ASKED_JSON,
    ASKED_OPTIONS
};

/* Read the budget, "90s", "10m", "1.5h" or "90"; INFINITY: none. -1 to go on. */
int sweep_budget(const struct mm_option *option, double *seconds);
/* Read what is asked into an empty sweep: from the options and the words of the command,
 * which end with NULL; or, where there are none, from the plan in the directory. Returns
 * -1 to go on. */
int sweep_asked(const struct mm_option *options, char **words, struct sweep *sweep);

#endif
