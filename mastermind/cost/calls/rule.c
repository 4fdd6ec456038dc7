/* SPDX-License-Identifier: BSD-3-Clause */
/* rule.c: the calls that match a rule, and its text. */
#include <math.h>
#include <stdio.h>

#include "mastermind/cost/calls/rules.h"

int mm_rule_names(const struct mm_rule *rule, const struct mm_sample_table *table,
                  const struct mm_member *call)
{
    uint32_t number = call->call->number;
    double value;

    switch (rule->kind) {
    case MM_RULE_FIRST:
        return number && number <= rule->period;
    case MM_RULE_LATER:
        return number >= rule->period;
    case MM_RULE_FRESH:
        return call->call->nth && call->call->nth <= rule->period;
    case MM_RULE_EVERY:
        return number && number % rule->period == rule->phase % rule->period;
    case MM_RULE_PARAMETER:
        value = table->x[rule->value][call->row];
        break;
    case MM_RULE_OUT:
        value = call->outs ? call->outs[rule->value - table->method->in_count] : NAN;
        break;
    default:
        return 0;
    }
    return rule->above ? value >= rule->at : value <= rule->at;
}

int mm_rule_allows(const struct mm_rule *rule, const double *x)
{
    if (rule->kind != MM_RULE_PARAMETER)
        return 1;
    return rule->above ? x[rule->value] >= rule->at : x[rule->value] <= rule->at;
}

int mm_rule_is_by_number(const struct mm_rule *rule)
{
    return rule->kind == MM_RULE_FIRST || rule->kind == MM_RULE_LATER ||
           rule->kind == MM_RULE_FRESH || rule->kind == MM_RULE_EVERY;
}

static const char *ordinal_suffix(uint32_t number)
{
    static const char *const suffixes[] = {"th", "st", "nd", "rd"};
    uint32_t last = number % 100;

    return last > 10 && last < 14 ? "th" : number % 10 < 4 ? suffixes[number % 10] : "th";
}

int mm_rule_print(const struct mm_rule *rule, const struct mm_method_info *method,
                  char *text, size_t size)
{
    const char *of_size = rule->kind == MM_RULE_FRESH ? " of each size" : "";

    switch (rule->kind) {
    case MM_RULE_FIRST:
    case MM_RULE_FRESH:
        if (rule->period == 1)
            return snprintf(text, size, "first call%s", of_size);
        return snprintf(text, size, "first %u calls%s", rule->period, of_size);
    case MM_RULE_LATER:
        return snprintf(text, size, "from call %u on", rule->period);
    case MM_RULE_EVERY:
        return snprintf(text, size, "every %u%s call", rule->period,
                        ordinal_suffix(rule->period));
    case MM_RULE_PARAMETER:
    case MM_RULE_OUT:
        return snprintf(text, size, "%s%s %s %.6g", rule->kind == MM_RULE_OUT ? "o." : "",
                        method->values[rule->value].name,
                        rule->above ? ">=" : "<=", rule->at);
    default:
        return snprintf(text, size, "%s", "");
    }
}
