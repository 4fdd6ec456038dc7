/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger_verb.h: `mastermind ledger`. */
#ifndef MASTERMIND_CMD_LEDGER_LEDGER_VERB_H
#define MASTERMIND_CMD_LEDGER_LEDGER_VERB_H

#include "mastermind/cmd/ledger/keep.h"

/* A score and the data to print it. */
struct mm_score_view {
    const char *path;
    const struct mm_ledger *ledger;
    const struct mm_ledger_score *score;
    const struct mm_outcomes *outcomes;            /* outcomes of the experiments given */
    const struct mm_recalibration *recalibrations; /* [score->share_count]
                                                    * recalibration of the intervals of
                                                    * each level */
};

/* Print the score. Each function returns an exit code. See score_text.c and score_json.c.
 */
int mm_score_print(const struct mm_score_view *view);
int mm_score_print_json(const struct mm_score_view *view);

#endif
