/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h: which rules a model breaks: what its text shows, and what a run of all
 * processes shows. */
#ifndef ACTIVITY_CHECK_CHECK_H
#define ACTIVITY_CHECK_CHECK_H

#include <stddef.h>

#include "activity/check/rules.h"
#include "activity/machine/machine.h"
#include "activity/model/tree.h"

struct act_finding {
    const struct act_rule *rule; /* of the rules given */
    struct act_place place;      /* line 0: of the file as a whole */
    char text[400];
};

struct act_findings {
    const struct act_rules *rules; /* borrowed */
    struct act_finding *all;       /* owned */
    size_t count;
    int failed; /* -ENOMEM, or 0 */
};

void act_findings_done(struct act_findings *findings);

/* Add a finding of rule `id`, unless it is off. */
void act_find(struct act_findings *findings, const char *id, struct act_place place,
              const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Add what the reader or the estimator said: "name:line:column: text", of the rule that
 * matches it, else of `otherwise`. */
void act_find_error(struct act_findings *findings, const char *text,
                    const char *otherwise);

/* All that the text shows. */
void act_check_text(struct act_findings *findings, const struct act_model *model);
/* What runs of the configurations show; costs of model("..") are taken to be 1 ms.
 * `machine` may be NULL; most_events as of the engine. */
void act_check_runs(struct act_findings *findings, const struct act_model *model,
                    const struct act_machine *machine, const struct act_config *configs,
                    int count, int64_t most_events);

/* By place, then by rule. */
void act_findings_sort(struct act_findings *findings);

#endif
