/* SPDX-License-Identifier: BSD-3-Clause */
/* statement.c: a choice as a statement in the ledger. */
#include <stdlib.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/predict/forecast_verb.h"

static void recalibrate(struct mm_keeper *keeper, double total_ns, double *low,
                        double *high)
{
    mm_keeper_recalibrate(keeper, MM_FORECAST_LEVEL, total_ns, low, high);
}

/* Recalibrate all totals except the choice's own, which mm_forecast_keep recalibrates. */
static void recalibrate_others(struct mm_keeper *keeper, struct mm_open_choice *choice)
{
    for (size_t s = 0; s < choice->slot_count; s++)
        for (size_t k = 0; k < choice->slots[s].class_count; k++) {
            struct mm_open_class *class = &choice->slots[s].classes[k];

            recalibrate(keeper, class->total_ns, &class->low_ns, &class->high_ns);
        }
    for (size_t i = 1; i < choice->count; i++)
        recalibrate(keeper, choice->items[i].forecast->total_ns,
                    &choice->items[i].forecast->low_ns,
                    &choice->items[i].forecast->high_ns);
    for (size_t i = 0; i < choice->listed_count; i++)
        recalibrate(keeper, choice->listed[i].forecast->total_ns,
                    &choice->listed[i].forecast->low_ns,
                    &choice->listed[i].forecast->high_ns);
}

void mm_open_keep(const struct mm_open_view *view, struct mm_open_choice *choice)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    struct mm_keeper *keeper = view->asked->keeper;
    struct mm_question question = {0};

    if (!keeper->path)
        return;
    recalibrate_others(keeper, choice);
    if (!choice->count)
        return;
    question.text = calloc(axes->count + 1, sizeof *question.text);
    if (!question.text) {
        keeper->failed = mm_no_memory();
        return;
    }
    for (size_t i = 0; i < axes->count; i++)
        question.text[i] = mm_open_text(view, &choice->items[0], i);
    mm_forecast_keep(
        &(struct mm_forecast_report){.input = &view->runs->models,
                                     .metric = view->metric,
                                     .forecaster = choice->items[0].forecast->by,
                                     .forecast = choice->items[0].forecast,
                                     .question = &question,
                                     .keeper = keeper},
        "choose", choice->items[0].forecast);
    mm_question_done(&question);
}
