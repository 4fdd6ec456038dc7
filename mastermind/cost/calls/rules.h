/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h: rules that explain why a call belongs to a population. */
#ifndef MASTERMIND_COST_CALLS_RULES_H
#define MASTERMIND_COST_CALLS_RULES_H

#include "mastermind/cost/calls/sample_table.h"

enum mm_rule_kind {
    MM_RULE_NONE,
    MM_RULE_FIRST, /* the first `period` calls of the method in a thread */
    MM_RULE_LATER, /* calls of the method in a thread from number `period` on */
    MM_RULE_FRESH, /* the first `period` calls of a size */
    MM_RULE_EVERY, /* calls of the method with the numbers phase, phase + period, ... */
    MM_RULE_PARAMETER, /* some of the calls with in-value `value` on one side of `at` */
    MM_RULE_OUT        /* calls with out-value `value` on one side of `at` */
};

struct mm_rule {
    enum mm_rule_kind kind;
    size_t value;           /* index of an in-value or out-value in the method's values */
    uint32_t period, phase; /* period: number of calls, see mm_rule_kind; phase: from 1
                               to `period` */
    double at;
    int above; /* true if values >= `at` match, false if values <= `at` */
    /* Of the calls that the rule matches, the share that belongs to the population. */
    double precision;
    /* Of the calls that belong to the population, the share that the rule matches. */
    double recall;
};

/* A kept call, and whether it belongs to the population for which a rule is sought. */
struct mm_member {
    const struct mm_call *call;
    const double *outs; /* [out_count] out-values of the call, or NULL */
    size_t row;         /* index of the call's size (tuple of in-values) in the table */
    double weight;
    int member; /* true if the call belongs to the population */
};

/* Find the rule that best separates the population's calls (`member`) from the other ones
 * of `calls`; MM_RULE_NONE if no rule does better than chance, given the number of rules
 * tried. Returns 0 or -ENOMEM. */
int mm_rule_find(const struct mm_sample_table *table, const struct mm_member *calls,
                 size_t count, struct mm_rule *rule);

/* True if a call matches the rule. */
int mm_rule_names(const struct mm_rule *rule, const struct mm_sample_table *table,
                  const struct mm_member *call);
/* False where a rule by a parameter excludes members at parameters `x`; other rules
 * exclude none. */
int mm_rule_allows(const struct mm_rule *rule, const double *x);

/* True for rules by call number, which determine the members among future calls. */
int mm_rule_is_by_number(const struct mm_rule *rule);

/* Print "first call", "every 10th call", "Q >= 4096", "o.rehashed > 0"; "" for none. */
int mm_rule_print(const struct mm_rule *rule, const struct mm_method_info *method,
                  char *text, size_t size);

#endif
