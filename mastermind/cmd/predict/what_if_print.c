/* SPDX-License-Identifier: BSD-3-Clause */
/* what_if_print.c: print changed runs, as text and as a document, mastermind/whatif/1. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/line.h"
#include "mastermind/cmd/predict/what_if.h"

/* --- Text --------------------------------------------------------------------------- */

static void print_changes(const struct what_report *r)
{
    for (size_t i = 0; i < r->change_count; i++) {
        const struct mm_change *change = &r->changes[i];
        const char *name = mm_safe(change->name);

        if (isnan(change->call_ns))
            printf("%s %+.4g %%: ", name, 100 * (change->factor - 1));
        else
            printf("%s %s a call: ", name, mm_cost(r->metric, change->call_ns));
        printf("%s become %s in %s\n", mm_cost(r->metric, change->cost_ns),
               mm_cost(r->metric, mm_change_cost(change)),
               mm_counted((uint64_t)llround(fmax(change->calls, 0)), "call"));
    }
}

static void print_changed_total(const struct what_report *r)
{
    const struct mm_what_if *w = &r->changed;
    double total = r->forecast->total_ns;

    printf("total %s becomes %s: %+.2f %%", mm_cost(r->metric, total),
           mm_cost(r->metric, w->total_ns), 100 * w->change_ns / total);
    printf(" (90 %%: %+.2f to %+.2f %%)\n", 100 * (w->change_ns - w->half_ns) / total,
           100 * (w->change_ns + w->half_ns) / total);
    if (isfinite(w->low_ns))
        printf("  such a run: 90 %%: %s to %s\n", mm_cost(r->metric, w->low_ns),
               mm_cost(r->metric, w->high_ns));
    else
        printf("  no interval of the run: %s\n",
               r->forecast->why ? r->forecast->why : "nothing remains");
}

static void print_trial(const char *how, const struct what_trial *trial)
{
    if (!trial->rounds)
        return;
    printf("  %s: %+.2f %%", how, 100 * trial->change);
    if (isfinite(trial->low))
        printf(" (90 %%: %+.2f to %+.2f %%; ", 100 * trial->low, 100 * trial->high);
    else
        printf(" (");
    printf("%s of runs)\n", mm_counted(trial->rounds, "pair"));
}

static void print_trials(const struct what_report *r)
{
    char classes[400] = "by the swap";
    size_t used = strlen(classes);

    print_trial("by delays", &r->by_delays);
    for (size_t i = 0; r->swaps && i < r->change_count && used < sizeof classes; i++)
        used += (size_t)snprintf(classes + used, sizeof classes - used, "%s%.100s",
                                 i ? ", " : " ", mm_safe(r->swaps[i]));
    print_trial(classes, &r->by_swap);
}

static void print_total(const struct what_report *r)
{
    const struct mm_forecast *f = r->forecast;

    printf("total %s", mm_cost(r->metric, f->total_ns));
    if (isfinite(f->low_ns))
        printf(" (90 %%: %s to %s)", mm_cost(r->metric, f->low_ns),
               mm_cost(r->metric, f->high_ns));
    puts("; what 10 % less of a method's own cost gains:");
}

/* Print where the ranks wait, and the busiest one after the changes. */
static void print_ranks(const struct what_report *r)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_what_if *w = &r->changed;
    double compute = 0;

    if (!f->has_mpi)
        return;
    for (size_t i = 0; i < f->part_count; i++)
        compute += f->parts[i].cost_ns;
    printf("  compute of the busiest rank %s, inside MPI %s", mm_cost(r->metric, compute),
           mm_cost(r->metric, f->transfer.number.value + f->waiting.number.value));
    if (r->phases && r->phases->count > 1)
        printf("; %s of the ranks, of which %.0f %% follow",
               mm_counted(r->phases->count - 1, "wait"), 100 * w->follows);
    putchar('\n');
    if (r->change_count && w->busiest >= 0 &&
        w->busiest != mm_phases_busiest(r->phases, NULL))
        printf("  rank %d becomes the busiest\n", w->busiest);
}

static void print_assumed(const struct what_report *r)
{
    for (size_t i = 0; r->assumed[i]; i++)
        printf("  assumed: %s\n", r->assumed[i]);
    if (r->phases && r->phases->why)
        printf("    because %s\n", r->phases->why);
}

static void print_row(const struct what_report *r, const struct what_row *row)
{
    const struct mm_change *method = &row->method->change;
    double total = r->forecast->total_ns, gain = 0 - row->less.change_ns;

    /* one printf for each text: mm_cost has one buffer after the other */
    printf("%8s  ", mm_cost(r->metric, fabs(gain) < .5 ? 0 : gain));
    printf("%6.2f %%  ", 100 * gain / total);
    printf("%+6.2f to %+6.2f %%  ", 100 * (gain - row->less.half_ns) / total,
           100 * (gain + row->less.half_ns) / total);
    printf("%6.1f %%  ", 100 * (0 - row->none.change_ns) / total);
    printf("%9s  ", mm_cost(r->metric, method->cost_ns));
    printf("%10s  ", mm_thousands((uint64_t)llround(fmax(method->calls, 0))));
    printf("%s%s\n", mm_safe(method->name),
           row->method->is_elsewhere ? " (not on the busiest rank)" : "");
}

static void print_rows(const struct what_report *r)
{
    double gain = 0;

    printf("\n%8s  %8s  %18s  %8s  %9s  %10s  %s\n", "gains", "of run", "90 %", "at most",
           "own", "calls", "method");
    for (size_t i = 0; i < r->row_count; i++) {
        if (i < r->limit)
            print_row(r, &r->rows[i]);
        else
            gain = fmax(gain, -r->rows[i].less.change_ns);
    }
    if (r->row_count > r->limit)
        printf("... %s left out, each gains at most %s\n",
               mm_counted(r->row_count - r->limit, "method"), mm_cost(r->metric, gain));
}

void what_print(const struct what_report *r)
{
    if (r->change_count) {
        print_changes(r);
        print_changed_total(r);
        print_trials(r);
    } else {
        print_total(r);
    }
    print_ranks(r);
    print_assumed(r);
    if (!r->change_count)
        print_rows(r);
}

/* --- The document ------------------------------------------------------------------- */

static json_t *method_json(const struct what_report *r, const struct what_method *method)
{
    json_t *object = mm_json_object("name class calls", method->change.name,
                                    method->info->class_name, method->change.calls);

    mm_json_set_seconds(object, r->metric, "own", method->change.cost_ns);
    if (method->is_elsewhere)
        mm_json_put(object, "elsewhere", json_true());
    return object;
}

static json_t *changes_json(const struct what_report *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->change_count; i++) {
        const struct mm_change *change = &r->changes[i];
        json_t *object = method_json(r, r->changed_methods[i]);

        mm_json_set(object, "percent", 100 * (change->factor - 1));
        mm_json_set_ns(object, r->metric, "call", change->call_ns);
        mm_json_set_seconds(object, r->metric, "then", mm_change_cost(change));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *rows_json(const struct what_report *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->row_count; i++) {
        const struct what_row *row = &r->rows[i];
        json_t *object = method_json(r, row->method);
        double gain = 0 - row->less.change_ns, half = row->less.half_ns;

        mm_json_set(object, "share", row->method->change.cost_ns / r->forecast->total_ns);
        mm_json_set_seconds(object, r->metric, "gain gain_low gain_high most", gain,
                            gain - half, gain + half, 0 - row->none.change_ns);
        if (row->less.busiest >= 0)
            mm_json_set(object, "busiest", (json_int_t)row->less.busiest);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *trial_json(const struct what_trial *trial)
{
    return trial->rounds
               ? mm_json_object("change low high pairs", trial->change, trial->low,
                                trial->high, (json_int_t)trial->rounds)
               : NULL;
}

static json_t *what_json(const struct what_report *r)
{
    json_t *object = mm_forecast_times_json(r->forecast, r->metric);

    mm_json_set(object, "phases follows why",
                (json_int_t)(r->phases ? r->phases->count : 1), r->changed.follows,
                r->phases ? r->phases->why : NULL);
    if (r->changed.busiest >= 0)
        mm_json_set(object, "busiest", (json_int_t)r->changed.busiest);
    return object;
}

int what_print_json(const struct what_report *r)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_what_if *w = &r->changed;
    json_t *document = mm_json_metric_document("whatif", r->metric);
    json_t *assumed = json_array();

    mm_json_set(document, "runs experiment asked level", (json_int_t)r->runs->run_count,
                r->runs->runs[0].name,
                mm_question_json(r->question, mm_forecaster_axes(r->forecaster)),
                MM_FORECAST_LEVEL);
    mm_json_set_seconds(document, r->metric, "base_total total low high", f->total_ns,
                        w->total_ns, w->low_ns, w->high_ns);
    mm_json_set(document, "no_interval", f->why);
    if (f->has_mpi)
        mm_json_put(document, "what", what_json(r));
    if (r->change_count) {
        mm_json_set_seconds(document, r->metric, "change change_low change_high",
                            w->change_ns, w->change_ns - w->half_ns,
                            w->change_ns + w->half_ns);
        mm_json_put(document, "changes", changes_json(r));
        mm_json_set(document, "by_delays by_swap", trial_json(&r->by_delays),
                    trial_json(&r->by_swap));
    } else {
        mm_json_put(document, "methods", rows_json(r));
    }
    for (size_t i = 0; r->assumed[i]; i++)
        json_array_append_new(assumed, json_string(r->assumed[i]));
    mm_json_put(document, "assumed", assumed);
    mm_stretch_put(document, r->stretch);
    mm_json_set(document, "notes", mm_json_notes(r->notes, &f->notes));
    return mm_json_print(document);
}
