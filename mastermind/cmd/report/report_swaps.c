/* SPDX-License-Identifier: BSD-3-Clause */
/* report_swaps.c: the classes that were exchanged in the run, and swaps that failed. */
#include "mastermind/cmd/report/report.h"

static const struct mm_swap *swaps_of(const struct report *report, size_t *count)
{
    const struct mm_wiring *wiring = report->experiment->wiring;

    *count = wiring ? wiring->swap_count : 0;
    return wiring ? wiring->swaps : NULL;
}

void mm_report_print_swaps(const struct report *report)
{
    size_t count;
    const struct mm_swap *swaps = swaps_of(report, &count);

    for (size_t i = 0; i < count; i++) {
        const struct mm_swap *swap = &swaps[i];

        printf("step %lld: %s ", (long long)swap->step, mm_safe(swap->instance));
        if (*swap->failure) {
            printf("stays %s", mm_safe(swap->from));
            printf(", no %s: %s", mm_safe(swap->to), mm_safe(swap->failure));
            printf(" (%s", mm_safe(swap->stage));
        } else {
            printf("is %s", mm_safe(swap->to));
            printf(" instead of %s (in", mm_safe(swap->from));
        }
        printf(" %s); reason: %s\n", mm_time(swap->ns),
               *swap->reason ? mm_safe(swap->reason) : "none given");
    }
}

void mm_report_put_swaps(const struct report *report, json_t *document)
{
    size_t count;
    const struct mm_swap *swaps = swaps_of(report, &count);
    json_t *array = count ? json_array() : NULL;

    for (size_t i = 0; i < count; i++) {
        const struct mm_swap *swap = &swaps[i];

        json_array_append_new(
            array,
            mm_json_object("instance from to reason step failure stage", swap->instance,
                           swap->from, swap->to, swap->reason, (int64_t)swap->step,
                           *swap->failure ? swap->failure : NULL, swap->stage));
        mm_json_put(json_array_get(array, i), "ns", json_integer((json_int_t)swap->ns));
    }
    if (array)
        mm_json_put(document, "swaps", array);
}
