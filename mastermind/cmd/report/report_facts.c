/* SPDX-License-Identifier: BSD-3-Clause */
/* report_facts.c: small functions shared by several parts of a report. */
#include "mastermind/cmd/report/report.h"

#include <string.h>

int mm_report_is_own(const struct report *report)
{
    return report->metric->kind == MM_METRIC_TIME;
}

int mm_report_is_time(const struct report *report)
{
    return strcmp(mm_metric_unit(report->metric), "ns") == 0;
}

struct oddities mm_report_oddities(const struct report *report)
{
    struct oddities odd = {0};

    for (size_t i = 0; i < report->count; i++) {
        odd.broken += report->lines[i]->broken;
        odd.clock_back += report->lines[i]->clock_back;
        odd.negative += report->lines[i]->exclusive_ns < 0;
    }
    return odd;
}

double mm_report_call_ns(const struct mm_dual *dual)
{
    uint64_t calls = dual->rows + dual->folded;

    return calls ? dual->recording_ns / (double)calls : 0;
}

void mm_report_print_left(const char *noun, size_t count, const char *cost,
                          uint64_t calls)
{
    printf(" ... %s left out  %s  %s\n", mm_counted(count, noun), cost,
           mm_counted(calls, "call"));
}
