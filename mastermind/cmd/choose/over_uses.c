/* SPDX-License-Identifier: BSD-3-Clause */
/* over_uses.c: set-up against number of uses: a line of cost for each value, and from how
 * many uses on each costs least. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/choose/over.h"

/* --- Ways --------------------------------------------------------------------------- */

/* Index of the way of a value, which is added if it is new; SIZE_MAX: out of memory. */
static size_t find_way(const struct mm_over *over, struct mm_over_uses *uses,
                       size_t value)
{
    char *text = mm_over_name(over, over->values[value].point, over->axis_count - 1);
    struct mm_over_way *way;

    for (size_t i = 0; text && i < uses->count; i++)
        if (strcmp(uses->ways[i].text, text) == 0) {
            free(text);
            return i;
        }
    way = text ? cca_array_add(&uses->ways, &uses->count, sizeof *way) : NULL;
    if (!way) {
        free(text);
        return SIZE_MAX;
    }
    *way = (struct mm_over_way){.text = text, .value = value};
    return uses->count - 1;
}

static double uses_of(const struct mm_over *over, const struct mm_over_value *value)
{
    size_t axis = over->axes[over->axis_count - 1];

    return over->sweep.axes[axis]
        .numbers[mm_plan_value(over->sweep.plan, value->point, axis)];
}

/* --- Costs at the requested size ---------------------------------------------------- */

/* The value of a run on an axis; NULL: unknown. `text` has room for a number. */
static const char *run_text(const struct mm_run *run, const struct sweep_axis *axis,
                            char text[24])
{
    switch (axis->kind) {
    case SWEEP_RANKS:
        snprintf(text, 24, "%d", run->ranks);
        return text;
    case SWEEP_CLASS:
        return mm_run_value(&run->classes, axis->name);
    case SWEEP_SET:
        return mm_run_value(&run->set, axis->name);
    default:
        return mm_run_value(&run->variables, axis->name);
    }
}

/* True if a run had the requested values of all axes that are not named by --over. */
static int is_asked(const struct mm_over *over, const struct mm_run *run)
{
    for (size_t a = 0; a < over->sweep.axis_count; a++) {
        const struct sweep_axis *axis = &over->sweep.axes[a];
        const char *asked = mm_over_asked(over, a);
        char text[24];
        const char *found = asked ? run_text(run, axis, text) : NULL;

        if (asked &&
            (!found || (axis->numbers ? strtod(found, NULL) != strtod(asked, NULL)
                                      : strcmp(found, asked) != 0)))
            return 0;
    }
    return 1;
}

/* Mean cost of the runs with the requested values, and the sum of the squares of their
 * relative distances from it. Returns the number of runs. */
static size_t measured_cost(const struct mm_over *over, const struct mm_over_value *value,
                            double *mean, double *squares)
{
    size_t count = 0;

    *mean = *squares = 0;
    for (size_t i = 0; value->done && i < value->runs.run_count; i++)
        if (is_asked(over, value->runs.runs[i].run)) {
            *mean += mm_forecast_run_total(&value->runs.runs[i]);
            count++;
        }
    *mean /= (double)count;
    for (size_t i = 0; value->done && i < value->runs.run_count; i++)
        if (is_asked(over, value->runs.runs[i].run)) {
            double apart = mm_forecast_run_total(&value->runs.runs[i]) / *mean - 1;

            *squares += apart * apart;
        }
    return count;
}

/* Standard deviation between equal runs, relative to their mean, of all values, with its
 * degrees of freedom. NaN: a value has no run of the requested size, or too few runs have
 * an equal. */
static double measured_spread(const struct mm_over *over, double *freedom)
{
    enum { LEAST = 4 };
    double sum = 0, mean, squares;

    *freedom = 0;
    for (size_t i = 0; i < over->count; i++) {
        size_t runs = measured_cost(over, &over->values[i], &mean, &squares);

        if (!runs && over->values[i].done)
            return NAN;
        sum += runs ? squares : 0;
        *freedom += runs ? (double)(runs - 1) : 0;
    }
    return *freedom < LEAST ? NAN : fmax(sqrt(sum / *freedom), 1e-6);
}

/* Standard deviation of a forecast's mean cost: the errors of its model, and how runs
 * differ divided by the runs that it is from. */
static double forecast_deviation(const struct mm_over_value *value)
{
    double model = 0, runs = value->forecast->run_sd * value->forecast->total_ns;

    for (size_t i = 0; i < value->forecast->part_count; i++)
        model += value->forecast->parts[i].half_ns;
    return hypot(model / 1.6448536269514722,
                 isnan(runs) ? 0 : runs / sqrt((double)value->runs.run_count));
}

/* Make the line of a way from its values. Returns 0 or -ENOMEM. */
static int fit_way(const struct mm_over *over, struct mm_over_way *way, double spread,
                   double freedom)
{
    struct mm_use_point *points = NULL, *point;
    size_t count = 0, length = strlen(way->text);

    for (size_t i = 0; i < over->count; i++) {
        const struct mm_over_value *value = &over->values[i];
        double mean, squares;
        size_t runs;

        if (strncmp(value->text, way->text, length) != 0 || value->text[length] != ' ' ||
            *value->why)
            continue;
        point = cca_array_add(&points, &count, sizeof *point);
        if (!point) {
            free(points);
            return -ENOMEM;
        }
        runs = measured_cost(over, value, &mean, &squares);
        *point =
            isnan(spread)
                ? (struct mm_use_point){uses_of(over, value), value->forecast->total_ns,
                                        forecast_deviation(value)}
                : (struct mm_use_point){uses_of(over, value), mean,
                                        mean * spread / sqrt((double)runs)};
    }
    if (mm_use_line_fit(points, count, isnan(spread) ? INFINITY : freedom, &way->line))
        snprintf(way->why, sizeof way->why, "%s",
                 count ? "runs with two numbers of uses are needed (sweep --grid N)"
                       : over->values[way->value].why);
    free(points);
    return 0;
}

/* --- Ranges ------------------------------------------------------------------------- */

static int is_chosen_from(const struct mm_over *over, const struct mm_over_way *way)
{
    return !*way->why && over->values[way->value].may_be_chosen;
}

/* Index of the way that costs least with one use, or `count`. */
static size_t find_first(const struct mm_over *over, const struct mm_over_uses *uses)
{
    size_t best = uses->count;
    double least = INFINITY, sd;

    for (size_t i = 0; i < uses->count; i++) {
        double cost = mm_use_line_at(&uses->ways[i].line, 1, &sd);

        if (is_chosen_from(over, &uses->ways[i]) && cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* Find the lower envelope of the lines from one use on. */
static int find_ranges(const struct mm_over *over, struct mm_over_uses *uses)
{
    struct mm_over_range next = {.way = find_first(over, uses)}, *range;

    while (next.way < uses->count) {
        const struct mm_use_line *few = &uses->ways[next.way].line;
        struct mm_over_range best = {.way = uses->count, .even.uses = INFINITY};

        range = cca_array_add(&uses->ranges, &uses->range_count, sizeof *range);
        if (!range)
            return mm_no_memory();
        *range = next;
        for (size_t i = 0; i < uses->count; i++) {
            struct mm_over_range other = {.way = i};

            if (is_chosen_from(over, &uses->ways[i]) &&
                mm_use_break_even(few, &uses->ways[i].line, MM_FORECAST_LEVEL,
                                  &other.even) == 0 &&
                other.even.uses < best.even.uses)
                best = other;
        }
        next = best;
    }
    return -1;
}

int mm_over_uses(const struct mm_over *over)
{
    struct mm_over_uses uses = {.count = 0};
    double freedom, spread = measured_spread(over, &freedom);
    int result = -1;

    uses.is_measured = !isnan(spread);
    for (size_t i = 0; i < over->count && result < 0; i++)
        if (find_way(over, &uses, i) == SIZE_MAX)
            result = mm_no_memory();
    for (size_t i = 0; i < uses.count && result < 0; i++)
        if (fit_way(over, &uses.ways[i], spread, freedom))
            result = mm_no_memory();
    if (result < 0)
        result = find_ranges(over, &uses);
    if (result < 0)
        result = over->asked->json ? mm_over_uses_print_json(over, &uses)
                                   : mm_over_uses_print(over, &uses);
    if (result == MM_EXIT_DONE && !uses.range_count)
        result = MM_EXIT_NO;
    for (size_t i = 0; i < uses.count; i++)
        free(uses.ways[i].text);
    free(uses.ways);
    free(uses.ranges);
    return result;
}
