/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h: what explains that a call belongs to a population. */
#ifndef MASTERMIND_COST_CALLS_RULES_H
#define MASTERMIND_COST_CALLS_RULES_H

#include "mastermind/cost/calls/sample_table.h"

enum mm_rule_kind {
    MM_RULE_NONE,
    MM_RULE_FIRST,     /* the first `period` calls of the method in a thread */
    MM_RULE_LATER,     /* its calls from number `period` on */
    MM_RULE_FRESH,     /* the first `period` calls of a size */
    MM_RULE_EVERY,     /* calls number phase, phase + period, ... of the method */
    MM_RULE_PARAMETER, /* some of the calls with in-value `value` on one side of `at` */
    MM_RULE_OUT        /* calls with value `value`, an out-value, on one side of `at` */
};

struct mm_rule {
    enum mm_rule_kind kind;
    size_t value;           /* index in the method's values */
    uint32_t period, phase; /* phase in 1 .. period */
    double at;
    int above;        /* 1: values >= at, 0: values <= at */
    double precision; /* share of the calls that the rule names that are members */
    double recall;    /* share of the members that it names */
};

/* A call that is kept, and whether it is of the population in question. */
struct mm_member {
    const struct mm_call *call;
    const double *outs; /* [out_count] or NULL */
    size_t row;         /* its size in the table */
    double weight;
    int member;
};

/* Find the rule that explains membership among `calls`; MM_RULE_NONE where none does so
 * better than chance does, by the number of rules tried. 0 or -ENOMEM. */
int mm_rule_find(const struct mm_sample_table *table, const struct mm_member *calls,
                 size_t count, struct mm_rule *rule);

/* True if the rule names a call. */
int mm_rule_names(const struct mm_rule *rule, const struct mm_sample_table *table,
                  const struct mm_member *call);
/* True if a rule by a parameter lets calls with parameters `x` be members; other rules
 * let all. */
int mm_rule_allows(const struct mm_rule *rule, const double *x);

/* True where the numbers of calls decide, so that calls to come are known. */
int mm_rule_is_by_number(const struct mm_rule *rule);

/* "first call", "every 10th call", "Q >= 4096", "o.rehashed > 0"; "" for none. */
int mm_rule_print(const struct mm_rule *rule, const struct mm_method_info *method,
                  char *text, size_t size);

#endif
