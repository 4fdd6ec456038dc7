/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.h: report invocations that were aggregated or lost, with the same sentences in
 * every verb. */
#ifndef MASTERMIND_CMD_KEPT_H
#define MASTERMIND_CMD_KEPT_H

#include "mastermind/cmd/cmd.h"

struct mm_kept {
    const struct mm_experiment *experiment;
    uint64_t rows;    /* invocations with complete rows */
    uint64_t folded;  /* number of invocations in aggregates; it includes the next two: */
    uint64_t sampled; /* invocations in aggregates that also have a row */
    uint64_t other;   /* invocations in aggregates whose values are unknown */
    uint64_t orphans; /* calls whose caller was lost */
    uint64_t clock_back; /* rows in which the clock went back */
    size_t bare;         /* methods in aggregates that have out-parameters */
    struct mm_losses losses;
};

/* Count the invocations of an experiment and its dual; without a dual only the lost ones.
 * Returns 0 or a negative errno with `err`. */
int mm_kept_read(struct mm_kept *kept, const struct mm_experiment *experiment,
                 const struct mm_dual *dual, struct cca_error *err);
/* Add a note for each kind of invocation that has no row; each note begins with `who`.
 * Returns 0 or -ENOMEM. */
int mm_kept_note(struct mm_notes *notes, const char *who, const struct mm_kept *kept);
/* Add a note if the host took most of the wall time of the runs, so that their costs are
 * of a busy host. Returns 0 or -ENOMEM. */
int mm_kept_note_host(struct mm_notes *notes, const struct mm_input *input);
/* How a run ended that is not finished, as a clause; valid until the next call. */
const char *mm_kept_end(const struct mm_experiment *experiment);
/* Like mm_kept_note, but for notes on times and on the end of the run. */
int mm_kept_note_end(struct mm_notes *notes, const char *who, const struct mm_kept *kept);
/* Set the counts as members of a document. */
void mm_kept_put(json_t *document, const struct mm_kept *kept);
/* Add all notes on all experiments; each begins with the experiment's name. Returns 0 or
 * a negative errno with `err`. */
int mm_kept_note_input(struct mm_notes *notes, const struct mm_input *input,
                       struct cca_error *err);

#endif
