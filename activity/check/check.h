/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h: find the rules that a model breaks, from its text and from a run of all
 * processes. */
#ifndef ACTIVITY_CHECK_CHECK_H
#define ACTIVITY_CHECK_CHECK_H

#include <stddef.h>

#include "activity/check/rules.h"
#include "activity/machine/machine.h"
#include "activity/model/tree.h"

struct act_finding {
    /* the broken rule, from the rules of struct act_findings */
    const struct act_rule *rule;
    /* position of the finding in the model's text; line 0: the whole file */
    struct act_place place;
    char text[400];
};

struct act_findings {
    const struct act_rules *rules; /* the rules to check, borrowed */
    struct act_finding *all;       /* list of findings, owned */
    size_t count;
    int failed; /* -ENOMEM, or 0 */
};

void act_findings_done(struct act_findings *findings);

/* Add a finding of rule `id`, unless the severity of this rule is "off". */
void act_find(struct act_findings *findings, const char *id, struct act_place place,
              const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Add an error message of the reader or the estimator, "name:line:column: text", under
 * the rule that matches it, else under rule `otherwise`. */
void act_find_error(struct act_findings *findings, const char *text,
                    const char *otherwise);

/* Add the findings that need no run of the model. */
void act_check_text(struct act_findings *findings, const struct act_model *model);
/* Add findings from runs of the configurations, in which costs of model("..") are 1 ms.
 * `machine` may be NULL; `most_events` limits the events of a run, as in struct
 * act_run_options. */
void act_check_runs(struct act_findings *findings, const struct act_model *model,
                    const struct act_machine *machine, const struct act_config *configs,
                    int count, int64_t most_events);

/* Sort the findings by their place in the text, then by rule. */
void act_findings_sort(struct act_findings *findings);

#endif
