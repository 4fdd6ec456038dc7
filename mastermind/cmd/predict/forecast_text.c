/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_text.c: print a forecast for people. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/predict/forecast_verb.h"
#include "mastermind/cmd/line.h"

/* instances with a smaller share of the total are summed up as rest */
#define SMALL .02
#define MOST_COUNTED 1e15
#define COLUMNS 100
#define DOUBTS 4   /* most sources of uncertainty that are printed */
#define LEAST .002 /* relative half-width below which a source is not printed */

static const struct mm_cells *cells_of(const struct mm_forecast_report *r)
{
    return &mm_forecaster_structure(r->forecaster)->cells;
}

static const char *instance_of(const struct mm_forecast_report *r, size_t part)
{
    return cells_of(r)->vertices[r->forecast->parts[part].vertex].method->instance;
}

/* Print the shares of instances after the total: "flux 71 %, states 17 %, rest 3 %". */
static void print_shares(const struct mm_forecast_report *r, struct mm_line *line)
{
    const struct mm_forecast *f = r->forecast;
    double rest = 0;

    for (size_t i = 0; i < f->part_count; i++) {
        double share = 0;
        size_t first = 0;

        while (strcmp(instance_of(r, first), instance_of(r, i)) != 0)
            first++;
        for (size_t k = i; k < f->part_count && first == i; k++)
            if (strcmp(instance_of(r, k), instance_of(r, i)) == 0)
                share += f->parts[k].cost_ns / f->total_ns;
        if (first == i && share >= SMALL)
            mm_line_add(line, "%s %.0f %%", mm_safe(instance_of(r, i)), 100 * share);
        else if (first == i)
            rest += share;
    }
    if (f->has_mpi)
        mm_line_add(line, "inside MPI %.0f %%",
                    100 * (f->transfer.number.value + f->waiting.number.value) /
                        f->total_ns);
    if (rest > 0)
        mm_line_add(line, "rest %.2g %%", 100 * rest);
}

static void print_total(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_metric *metric = r->metric;
    struct mm_line line;
    char head[200];

    if (f->unknown) {
        printf("no prediction: %s of the run %s no cost\n",
               mm_counted(f->unknown, "part"), f->unknown == 1 ? "has" : "have");
        return;
    }
    if (isfinite(f->low_ns))
        snprintf(head, sizeof head, "total %s%s%.60s (90 %%: %s to %s)   ",
                 mm_cost(metric, f->total_ns),
                 metric->kind == MM_METRIC_TIME ? "" : " of ",
                 metric->kind == MM_METRIC_TIME ? "" : mm_safe(metric->name),
                 mm_cost(metric, f->low_ns), mm_cost(metric, f->high_ns));
    else
        snprintf(head, sizeof head, "total %s%s%.60s   ", mm_cost(metric, f->total_ns),
                 metric->kind == MM_METRIC_TIME ? "" : " of ",
                 metric->kind == MM_METRIC_TIME ? "" : mm_safe(metric->name));
    mm_line_begin_note(&line, head);
    print_shares(r, &line);
    mm_line_end(&line);
    if (!isfinite(f->low_ns))
        printf("  no interval: %s\n", f->why);
}

static void print_doubts(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    struct mm_line line;
    size_t printed = 0;

    if (!f->doubt_count || f->unknown)
        return;
    mm_line_begin(&line, "uncertainty:");
    for (size_t i = 0; i < f->doubt_count && printed < DOUBTS; i++) {
        if (f->doubts[i].half < LEAST && printed)
            break;
        mm_line_add(&line, "%s %s", mm_safe(f->doubts[i].name),
                    f->doubts[i].half < .2 ? mm_percent(f->doubts[i].half)
                                           : mm_plus_minus(f->doubts[i].half));
        printed++;
    }
    mm_line_end(&line);
}

/* Print compute, transfer and waiting of a run on several ranks. */
static void print_what(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_amount *of[] = {&f->transfer, &f->waiting};
    static const char *const names[] = {"transfer", "waiting"};
    double compute = 0;
    struct mm_line line;

    if (!f->has_mpi)
        return;
    for (size_t i = 0; i < f->part_count; i++)
        compute += f->parts[i].cost_ns;
    mm_line_begin(&line, "of which:");
    mm_line_add(&line, "compute of the busiest rank %s",
                isfinite(compute) ? mm_cost(r->metric, compute) : "not known");
    for (int i = 0; i < 2; i++) {
        if (isfinite(of[i]->number.value))
            mm_line_add(&line, "%s %s", names[i],
                        mm_cost(r->metric, of[i]->number.value));
        else
            mm_line_add(&line, "%s not known: %s", names[i], mm_safe(of[i]->why));
    }
    mm_line_end(&line);
}

/* Print parameters with values outside their range in the runs. */
static void print_beyond(const struct mm_forecast_report *r)
{
    const struct mm_axes *axes = mm_forecaster_axes(r->forecaster);

    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];
        double value, low = INFINITY, high = -INFINITY;

        if (!mm_axis_counts(axes, i) || !axis->varies || !axis->is_number)
            continue;
        value = mm_axis_number(mm_question_text(r->question, axes, i));
        for (size_t k = 0; k < axes->runs; k++) {
            low = fmin(low, axis->number[k]);
            high = fmax(high, axis->number[k]);
        }
        if (value > high && high > 0)
            printf("  %s = %s is %s beyond the runs\n", mm_safe(axis->name),
                   mm_range_number(value), mm_factor(value / high));
        else if (value < low)
            printf("  %s = %s is below the runs, which begin at %s\n",
                   mm_safe(axis->name), mm_range_number(value), mm_range_number(low));
    }
}

/* Print sizes of calls that are beyond the sizes of the models. */
static void print_sizes(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_forecast_cell *leaves = NULL;
    struct mm_line line;
    size_t beyond = 0, models = 0;

    for (size_t i = 0; i < f->part_count; i++) {
        const struct mm_forecast_part *part = &f->parts[i];
        const struct mm_forecast_cell *cell = part->cells;

        for (size_t k = 0; k < part->cell_count; k++)
            models += part->cells[k].model != NULL;
        for (size_t k = 1; k < part->cell_count; k++)
            if (part->cells[k].beyond > cell->beyond)
                cell = &part->cells[k];
        if (cell->beyond <= 1 || part->cost_ns < SMALL * f->total_ns)
            continue;
        leaves = leaves || !cell->cache ? leaves : cell;
        if (!beyond++)
            mm_line_begin(&line, "beyond the sizes of calls seen:");
        mm_line_add(&line, "%s %s up to %s (%s)",
                    mm_safe(cells_of(r)->vertices[part->vertex].method->instance),
                    mm_safe(cell->beyond_name), mm_range_number(cell->largest),
                    mm_factor(cell->beyond));
    }
    if (!beyond) {
        if (models)
            puts("  sizes of calls stay inside those seen");
        return;
    }
    mm_line_end(&line);
    if (leaves)
        printf("    beyond the sizes seen the data may leave the L%d cache (%s)\n",
               leaves->cache, mm_bytes(leaves->model->cache_bytes[leaves->cache - 1]));
}

static void print_errors(const struct mm_forecast_report *r)
{
    const struct mm_metric *metric = r->metric;

    if (!r->errors)
        return;
    printf("%s took %s: ", mm_safe(r->against), mm_cost(metric, r->errors->measured_ns));
    if (!isfinite(r->errors->total)) {
        puts("no error: a part has no prediction");
        return;
    }
    printf("error %+.1f %%", 100 * r->errors->total);
    if (isfinite(r->errors->cost))
        printf(" = cost %+.1f %%, structure %+.1f %%", 100 * r->errors->cost,
               100 * r->errors->structure);
    printf("%s\n", !isfinite(r->forecast->low_ns) ? ""
                   : r->errors->measured_ns < r->forecast->low_ns ||
                           r->errors->measured_ns > r->forecast->high_ns
                       ? "; outside the interval"
                       : "; inside the interval");
}

/* Print the measured time of the base and the predicted change: "measured with
 * flux=GodunovFlux: 1.04 s; predicted change -45 %". */
static void print_base(const struct mm_forecast_report *r)
{
    const struct mm_axes *axes = mm_forecaster_axes(r->forecaster);
    double measured = !r->base     ? 0
                      : r->stretch ? mm_forecast_run_wall(r->base)
                                   : mm_forecast_run_total(r->base);
    struct mm_line line;

    if (!r->base || r->forecast->unknown || !(measured > 0))
        return;
    mm_line_begin_plain(&line);
    mm_line_add(&line, "measured with");
    for (size_t i = 0; i < axes->count; i++) {
        const char *text = mm_question_text(r->question, axes, i);
        const char *base = axes->items[i].text[0];

        if (mm_axis_counts(axes, i) && text && (!base || strcmp(text, base) != 0))
            mm_line_join(&line, "%s=%s", mm_safe(axes->items[i].name),
                         base ? mm_safe(base) : "nothing");
    }
    mm_line_join(&line, "in %s:", mm_safe(r->base->name));
    mm_line_join(&line, "%s; predicted change %+.1f %%", mm_cost(r->metric, measured),
                 100 * (r->forecast->total_ns / measured - 1));
    mm_line_end(&line);
}

/* Format a number of calls; one too large for an integer as a power of ten. */
static const char *calls_text(double calls)
{
    return calls < MOST_COUNTED ? mm_thousands((uint64_t)llround(fmax(calls, 0)))
                                : mm_range_number(calls);
}

static void print_drivers(const struct mm_forecast_report *r)
{
    const struct mm_structure *s = mm_forecaster_structure(r->forecaster);

    for (size_t d = 0; d < s->driver_count; d++) {
        const struct mm_amount *amount = &r->forecast->asked.driver[d];
        struct mm_line line;
        char head[200], name[160];

        mm_driver_print(s, d, name, sizeof name);
        snprintf(head, sizeof head, "  %.120s   ", mm_safe(name));
        mm_line_begin_note(&line, head);
        if (!isfinite(amount->number.value))
            mm_line_add(&line, "not known: %s", mm_safe(amount->why));
        else if (amount->exact)
            mm_line_add(&line, "%s", calls_text(amount->number.value));
        else
            mm_line_add(&line, "%s (%s to %s)", calls_text(amount->number.value),
                        calls_text(amount->number.low), calls_text(amount->number.high));
        if (*amount->law)
            mm_line_add(&line, "%s", mm_safe(amount->law));
        mm_line_end(&line);
    }
}

static void print_part(const struct mm_forecast_report *r,
                       const struct mm_forecast_part *part, int width)
{
    const struct mm_method_info *method = cells_of(r)->vertices[part->vertex].method;
    const struct mm_metric *metric = r->metric;
    double low, high;
    int used = width + 32 + 20 * (r->errors != NULL);

    mm_forecast_part_interval(r->forecast, part, &low, &high);
    printf("%-*s ", width, mm_safe(method->name));
    if (isfinite(part->calls))
        printf("%10s ", calls_text(part->calls));
    else
        printf("%10s ", "?");
    if (isfinite(part->cost_ns))
        printf("%9s %8s", mm_cost(metric, part->cost_ns),
               isfinite(high)
                   ? mm_plus_minus(log(fmax(high / part->cost_ns, part->cost_ns / low)))
                   : "");
    else
        printf("%9s %8s", "no cost", "");
    if (r->errors)
        printf(" %9s %9s",
               isfinite(part->counted_ns) ? mm_cost(metric, part->counted_ns) : "",
               isfinite(part->measured_ns) ? mm_cost(metric, part->measured_ns) : "");
    used += (int)strlen(mm_safe(part->class_name));
    if (used <= COLUMNS)
        printf("  %s", mm_safe(part->class_name));
    putchar('\n');
    if (*part->why)
        printf("    %s\n", mm_safe(part->why));
}

void mm_forecast_print(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    int width = 10;

    if (!f->part_count) {
        puts("nothing was measured: nothing to predict");
        return;
    }
    print_total(r);
    print_what(r);
    print_doubts(r);
    print_beyond(r);
    if (!f->unknown)
        print_sizes(r);
    print_drivers(r);
    print_errors(r);
    print_base(r);
    for (size_t i = 0; i < f->part_count; i++) {
        int length = (int)strlen(mm_safe(cells_of(r)->vertices[f->parts[i].vertex].name));

        width = length > width && length <= 44 ? length : width;
    }
    printf("\n%-*s %10s %9s %8s", width, "method", "calls", "predicted", "90 %");
    puts(r->errors ? "   counted  measured" : "");
    for (size_t i = 0; i < f->part_count; i++)
        print_part(r, &f->parts[i], width);
}
