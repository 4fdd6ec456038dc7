/* SPDX-License-Identifier: BSD-3-Clause */
/* score_text.c: print a score for people. */
#include <math.h>
#include <stdlib.h>

#include "mastermind/cmd/ledger/ledger_verb.h"
#include "mastermind/cmd/line.h"

/* median relative error below which predictions are "right" */
#define LEVEL_IN_WORDS .005
#define NAMED 5 /* largest number of quantities that are listed */
#define LEAST 3 /* least number of runs of a quantity that is listed */

static void print_shares(const struct mm_score_view *view)
{
    const struct mm_ledger_score *score = view->score;

    for (size_t i = 0; i < score->share_count; i++) {
        const struct mm_ledger_share *share = &score->shares[i];

        printf("of %s at %.3g %%, %s held: %.1f %% (95 %%: %.1f to %.1f)\n",
               mm_counted(share->count, "statement"), 100 * share->level,
               mm_thousands(share->held),
               100 * (double)share->held / (double)share->count, 100 * share->low,
               100 * share->high);
    }
    for (size_t i = 0; i < score->share_count; i++) {
        const struct mm_recalibration *r = &view->recalibrations[i];

        if (r->count >= MM_RECALIBRATE_LEAST)
            printf("  the next intervals at %.3g %% are recalibrated by %.2f\n",
                   100 * r->level, r->factor);
        else
            printf("  from %d statements on the next intervals at %.3g %% are "
                   "recalibrated\n",
                   MM_RECALIBRATE_LEAST, 100 * r->level);
    }
}

/* Print "4.0 % low (12)": the median of predicted / measured - 1, and the number of
 * runs. */
static void add_bias(struct mm_line *line, const struct mm_ledger_bias *bias)
{
    double share = expm1(-bias->median); /* predicted / measured - 1 */

    if (fabs(share) < LEVEL_IN_WORDS)
        mm_line_add(line, "%.*s right (%zu)", (int)bias->name_length, mm_safe(bias->name),
                    bias->count);
    else
        mm_line_add(line, "%.*s %s %s (%zu)", (int)bias->name_length, mm_safe(bias->name),
                    mm_percent(fabs(share)), share < 0 ? "low" : "high", bias->count);
}

static void print_group(const struct mm_ledger_score *score, enum mm_ledger_group group,
                        const char *head)
{
    struct mm_line line;
    size_t printed = 0;

    for (size_t i = 0; i < score->bias_count; i++) {
        if (score->biases[i].group != group)
            continue;
        if (!printed++)
            mm_line_begin(&line, head);
        add_bias(&line, &score->biases[i]);
    }
    if (printed)
        mm_line_end(&line);
}

static int worse(const void *left, const void *right)
{
    const struct mm_ledger_bias *const *a = left, *const *b = right;
    double x = fabs((*a)->median), y = fabs((*b)->median);

    return (x < y) - (x > y);
}

/* Print the quantities with the largest errors. */
static void print_worst(const struct mm_ledger_score *score)
{
    const struct mm_ledger_bias **list = calloc(score->bias_count + 1, sizeof *list);
    struct mm_line line;
    size_t count = 0;

    for (size_t i = 0; i < score->bias_count && list; i++)
        if (score->biases[i].group == MM_BY_QUANTITY && score->biases[i].count >= LEAST &&
            fabs(score->biases[i].median) >= LEVEL_IN_WORDS)
            list[count++] = &score->biases[i];
    if (count) {
        qsort(list, count, sizeof *list, worse);
        mm_line_begin(&line, "  most off: ");
        for (size_t i = 0; i < count && i < NAMED; i++)
            add_bias(&line, list[i]);
        mm_line_end(&line);
    }
    free(list);
}

static void print_left_out(const struct mm_ledger_score *score)
{
    const struct {
        size_t count;
        const char *why;
    } of[] = {{score->not_run, "not yet run"},
              {score->no_interval, "without an interval"},
              {score->other_machine, "run on another machine only"},
              {score->superseded, "stated anew before the run"},
              {score->unknown, "of a run whose parameters are not known"}};
    struct mm_line line;
    int printed = 0;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (!of[i].count)
            continue;
        if (!printed++)
            mm_line_begin(&line, "left out:");
        mm_line_add(&line, "%s %s", mm_thousands(of[i].count), of[i].why);
    }
    if (printed)
        mm_line_end(&line);
    if (score->further)
        printf("%s of statements that had one already; a statement counts once\n",
               mm_counted(score->further, "further run"));
}

static void print_outcomes(const struct mm_score_view *view)
{
    const struct mm_outcomes *o = view->outcomes;
    struct mm_line line;

    if (!o->experiments)
        return;
    mm_line_begin_plain(&line);
    mm_line_add(&line, "%s read", mm_counted(o->experiments, "experiment"));
    mm_line_add(&line, "%s new", mm_counted(o->added, "outcome"));
    if (o->unfinished)
        mm_line_add(&line, "%zu not finished", o->unfinished);
    if (o->unknown)
        mm_line_add(&line, "%zu with unknown parameters", o->unknown);
    if (o->without_metric)
        mm_line_add(&line, "%s not measured", mm_counted(o->without_metric, "metric"));
    mm_line_end(&line);
}

int mm_score_print(const struct mm_score_view *view)
{
    const struct mm_ledger_score *score = view->score;

    print_outcomes(view);
    if (view->ledger->cut)
        printf("%s:%zu: a line is cut, skipped: a writer was killed\n",
               mm_safe(view->path), view->ledger->cut_line);
    if (!score->pair_count)
        printf("none of %s has run\n", mm_counted(score->statements, "statement"));
    print_shares(view);
    print_group(score, MM_BY_METRIC, "totals:    ");
    print_group(score, MM_BY_KIND, "sums:      ");
    print_worst(score);
    print_group(score, MM_BY_VERB, "by verb:   ");
    print_group(score, MM_BY_BEYOND, "by size:   ");
    print_left_out(score);
    return mm_finish_output(MM_EXIT_DONE);
}
