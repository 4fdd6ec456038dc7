/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h: the rules of the model checker as data: a model checking file (MCF in Pllana's
 * paper).
 *
 *     # a comment
 *     [guards]
 *     severity = warning          error, warning, note or off
 *     says = a process may come to no branch
 *     hint = else { } states that nothing is to be done there
 *     match = expected no recursion
 *
 * `match` is a part of an error message of the reader or the estimator: a model that is
 * refused with this message breaks the rule. */
#ifndef ACTIVITY_CHECK_RULES_H
#define ACTIVITY_CHECK_RULES_H

#include "ports/cca_error.h"

enum act_severity { ACT_OFF, ACT_NOTE, ACT_WARNING, ACT_ERROR, ACT_SEVERITIES };
extern const char *const act_severity_names[ACT_SEVERITIES];

enum { ACT_RULE_NAME = 32, ACT_RULE_TEXT = 200, ACT_RULES = 64, ACT_RULE_MATCHES = 8 };

struct act_rule {
    char id[ACT_RULE_NAME];
    enum act_severity severity;
    char says[ACT_RULE_TEXT], hint[ACT_RULE_TEXT];
    char match[ACT_RULE_MATCHES][ACT_RULE_TEXT];
    int matches;
};

struct act_rules {
    struct act_rule all[ACT_RULES];
    int count;
};

/* The built-in rules as the text of a model checking file, in pieces; NULL ends the list.
 */
extern const char *const act_rules_usual_text[];

/* Initialise `rules` with the built-in rules. */
void act_rules_usual(struct act_rules *rules);
/* Change rules by a file; rules and keys that the file lacks stay as they are. Returns
 * 0; -EINVAL "path:line: found ..., expected ..."; -ENOENT and other errors of files. */
int act_rules_load(struct act_rules *rules, const char *path, struct cca_error *err);

/* The rule with this `id`; NULL: there is none. */
const struct act_rule *act_rules_find(const struct act_rules *rules, const char *id);
/* The first rule with a `match` that occurs in `text`; NULL: none. */
const struct act_rule *act_rules_match(const struct act_rules *rules, const char *text);

#endif
