/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_text.c: a choice for people. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/line.h"

enum { QUALITIES = 8, WIDEST = 45 };

const char *mm_open_classes(const struct mm_open_choice *choice, const size_t *at,
                            char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (size_t s = 0; s < choice->slot_count && used < size; s++) {
        const struct mm_open_slot *slot = &choice->slots[s];

        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", s ? ", " : "",
                                 choice->slot_count > 1 ? mm_safe(slot->instance) : "",
                                 choice->slot_count > 1 ? "=" : "",
                                 mm_safe(slot->classes[at[s]].name));
    }
    return text;
}

const char *mm_choose_next(const struct mm_axes *axes, size_t at, const char *asked,
                           char *text, size_t size)
{
    const struct mm_axis *axis = &axes->items[at];
    double value = asked ? mm_axis_number(asked) : NAN, most = -INFINITY,
           second = -INFINITY;

    for (size_t r = 0; r < axes->runs && axis->is_number; r++) {
        double number = axis->number[r];

        if (number > most) {
            second = most;
            most = number;
        } else if (number < most && number > second) {
            second = number;
        }
    }
    snprintf(text, size, "%s", asked ? asked : "");
    if (value > most && second > 0 && most * most / second < value)
        snprintf(text, size, "%.6g", round(most * most / second));
    return text;
}

/* --- The run to predict ------------------------------------------------------------ */

/* True if the axis is printed: it varied in the runs, and differs from the base, if there
 * is one. */
static int is_named(const struct mm_open_view *view, size_t at, const char *text)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    const char *base = axes->items[at].text[0];

    return axes->items[at].varies && text && mm_axis_counts(axes, at) &&
           !(view->runs->has_base && base && strcmp(text, base) == 0);
}

/* Print "at NX=1024 PATCH=16", and by which factor a value is beyond the runs. */
static void print_asked(const struct mm_open_view *view)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    struct mm_line line;
    int printed = 0;

    mm_line_begin_plain(&line);
    mm_line_add(&line, "at");
    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];
        const char *text = mm_question_text(view->question, axes, i);
        double most = -INFINITY, value = text ? mm_axis_number(text) : NAN;

        if (!is_named(view, i, text))
            continue;
        for (size_t r = 0; r < axes->runs && axis->is_number; r++)
            most = fmax(most, axis->number[r]);
        if (axis->is_number && most > 0 && value > most)
            mm_line_join(&line, "%s=%s (%s beyond the runs)", mm_safe(axis->name),
                         mm_safe(text), mm_factor(value / most));
        else
            mm_line_join(&line, "%s=%s", mm_safe(axis->name), mm_safe(text));
        printed = 1;
    }
    if (!printed)
        mm_line_join(&line, "the parameters of %s",
                     view->runs->has_base ? mm_safe(view->runs->runs[0].name)
                                          : "the runs");
    mm_line_end(&line);
}

/* --- Slots ------------------------------------------------------------------------- */

static size_t find_qualities(const struct mm_open_slot *slot,
                             const char *names[QUALITIES])
{
    size_t count = 0;

    for (size_t i = 0; i < slot->class_count; i++) {
        const struct mm_instance *instance = slot->classes[i].instance;

        for (size_t k = 0; instance && k < instance->quality_count; k++) {
            size_t seen = 0;

            while (seen < count && strcmp(names[seen], instance->qualities[k].name) != 0)
                seen++;
            if (seen == count && count < QUALITIES)
                names[count++] = instance->qualities[k].name;
        }
    }
    return count;
}

static int column(const char *name)
{
    return (int)(strlen(name) > 8 ? strlen(name) : 8) + 1;
}

void mm_choose_interval(char *text, size_t size, const struct mm_metric *metric,
                        double low, double high)
{
    if (isfinite(low))
        snprintf(text, size, "%s to %s", mm_cost(metric, low), mm_cost(metric, high));
    else
        snprintf(text, size, "no interval");
}

static int is_met(const struct mm_requirement *r, double value)
{
    switch (r->relation) {
    case MM_LESS:
        return value < r->bound;
    case MM_LESS_EQUAL:
        return value <= r->bound;
    case MM_EQUAL:
        return value == r->bound;
    case MM_GREATER_EQUAL:
        return value >= r->bound;
    default:
        return value > r->bound;
    }
}

/* Print a line for each requirement with the classes of the only slot that it excludes.
 */
static void print_excluded(const struct mm_open_view *view,
                           const struct mm_open_slot *slot)
{
    for (size_t i = 0; i < view->asked->requirement_count; i++) {
        const struct mm_requirement *r = &view->asked->requirements[i];
        const char *last = NULL;
        struct mm_line line;

        for (size_t k = 0; k < slot->class_count && view->choice->slot_count == 1; k++) {
            const struct mm_open_class *c = &slot->classes[k];
            const struct mm_quality *q =
                c->instance ? mm_instance_quality(c->instance, r->quality) : NULL;

            if (!q || is_met(r, q->value))
                continue;
            if (last) {
                mm_line_join(&line, "%s,", mm_safe(last));
            } else {
                mm_line_begin_plain(&line);
                mm_line_add(&line, "  not %s %s %.6g:", mm_safe(r->quality),
                            mm_relation_text(r->relation), r->bound);
            }
            last = c->name;
        }
        if (last) {
            mm_line_join(&line, "%s", mm_safe(last));
            mm_line_end(&line);
        }
    }
}

static void print_class(const struct mm_open_view *view, const struct mm_open_slot *slot,
                        size_t at, size_t place, const char *const *names, size_t count)
{
    const struct mm_open_class *c = &slot->classes[at];
    char interval[80] = "";
    struct mm_line line;

    if (!c->known) {
        mm_line_begin_plain(&line);
        mm_line_add(&line, "  -  %s: no cost:", mm_safe(c->name));
        mm_line_join(&line, "%s", mm_safe(c->why));
        mm_line_end(&line);
        return;
    }
    if (!isnan(c->total_ns))
        mm_choose_interval(interval, sizeof interval, view->metric, c->low_ns,
                           c->high_ns);
    printf("%3zu  %-22s %10s  %-*s", place, mm_safe(c->name),
           isnan(c->total_ns) ? "" : mm_cost(view->metric, c->total_ns), count ? 20 : 0,
           interval);
    for (size_t i = 0; i < count; i++) {
        const struct mm_quality *q =
            c->instance ? mm_instance_quality(c->instance, names[i]) : NULL;
        char value[32] = "-";

        if (q)
            snprintf(value, sizeof value, "%.3g", q->value);
        printf(" %*s", column(names[i]), value);
    }
    putchar('\n');
}

/* Index of the class in line `place` of a slot's table: classes with a known cost first,
 * by cost. */
static size_t class_at(const struct mm_open_slot *slot, size_t place)
{
    for (size_t i = 0; i < slot->class_count; i++) {
        size_t before = 0;

        for (size_t k = 0; k < slot->class_count; k++) {
            double a = slot->classes[k].total_ns, b = slot->classes[i].total_ns;

            a = isnan(a) ? INFINITY : a;
            b = isnan(b) ? INFINITY : b;
            before += a != b ? a < b : k < i;
        }
        if (before == place)
            return i;
    }
    return place;
}

static void print_slot(const struct mm_open_view *view, const struct mm_open_slot *slot)
{
    const char *names[QUALITIES];
    size_t count = find_qualities(slot, names);
    char head[200];

    snprintf(head, sizeof head, "slot %s", mm_safe(slot->instance));
    printf("%-27s %10s  %-*s", head, "predicted", count ? 20 : 0, "90 %");
    for (size_t i = 0; i < count; i++)
        printf(" %*s", column(names[i]), mm_safe(names[i]));
    putchar('\n');
    for (size_t i = 0; i < slot->class_count; i++)
        print_class(view, slot, class_at(slot, i), i + 1, names, count);
    print_excluded(view, slot);
}

/* --- The choice -------------------------------------------------------------------- */

static void print_list(const struct mm_open_view *view)
{
    const struct mm_open_choice *choice = view->choice;
    const struct mm_choice_query *query = &view->asked->query;
    char head[200], text[600];
    int width = 25;

    if (query->front)
        snprintf(head, sizeof head, "front with %s", mm_safe(query->front));
    else
        snprintf(head, sizeof head, "at most %s the least", mm_factor(query->within));
    for (size_t i = 0; i < choice->listed_count; i++) {
        int length =
            (int)strlen(mm_open_classes(choice, choice->listed[i].at, text, sizeof text));

        width = length > width ? length : width;
    }
    width = width > WIDEST ? 25 : width; /* longer classes take a line of their own */
    printf("%-*s %10s  %-*s", width + 2, head, "predicted", query->front ? 20 : 0,
           "90 %");
    if (query->front)
        printf(" %s, %s is better", mm_safe(query->front),
               choice->listed_greater ? "greater" : "smaller");
    putchar('\n');
    for (size_t i = 0; i < choice->listed_count; i++) {
        const struct mm_open_assembly *item = &choice->listed[i];
        char interval[80];

        mm_choose_interval(interval, sizeof interval, view->metric,
                           item->forecast->low_ns, item->forecast->high_ns);
        mm_open_classes(choice, item->at, text, sizeof text);
        if ((int)strlen(text) > width) {
            printf("  %s\n", text);
            *text = '\0';
        }
        printf("  %-*s %10s  %-*s", width, text,
               mm_cost(view->metric, item->forecast->total_ns), query->front ? 20 : 0,
               interval);
        if (query->front)
            printf(" %.3g", item->value);
        putchar('\n');
    }
    if (choice->listed_more)
        printf("  and more: the first %d are listed\n", MM_CHOICE_LISTED);
}

/* Write how few runs have a class, "only one run with GodunovFlux". */
static void print_runs_of(const struct mm_open_choice *choice, const char *class_name,
                          char *text, size_t size)
{
    size_t runs = 1;

    for (size_t s = 0; s < choice->slot_count; s++)
        for (size_t k = 0; k < choice->slots[s].class_count; k++)
            if (strcmp(choice->slots[s].classes[k].name, class_name) == 0)
                runs = choice->slots[s].classes[k].runs;
    if (runs == 1)
        snprintf(text, size, "only one run with %.80s", mm_safe(class_name));
    else
        snprintf(text, size, "only %zu runs with %.80s", runs, mm_safe(class_name));
}

static void print_decider(const struct mm_open_view *view)
{
    const struct mm_open_choice *choice = view->choice;
    const struct mm_decider *d = &choice->decider;
    const struct mm_structure *structure =
        mm_forecaster_structure(view->choice->items[0].forecast->by);
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    struct mm_line line;
    char text[200];

    mm_line_begin_plain(&line);
    mm_line_add(&line, "  to decide: a run with");
    for (size_t i = 0; i < axes->count; i++) {
        const char *class_name = mm_open_text(view, &choice->items[d->item], i);
        int open = !mm_question_text(view->question, axes, i);

        if (axes->items[i].varies && mm_axis_counts(axes, i) && class_name)
            mm_line_join(
                &line, "%s=%s", mm_safe(axes->items[i].name),
                mm_safe(open ? class_name
                             : mm_choose_next(axes, i,
                                              mm_question_text(view->question, axes, i),
                                              text, sizeof text)));
    }
    mm_line_end(&line);
    switch (d->kind) {
    case MM_DOUBT_COST:
        snprintf(text, sizeof text, "the cost of %.80s with %.80s",
                 mm_safe(structure->cells.vertices[d->vertex].name),
                 d->class_name ? mm_safe(d->class_name) : "its class");
        break;
    case MM_DOUBT_COUNTS:
        snprintf(text, sizeof text,
                 "scaling functions of the numbers and sizes of calls");
        break;
    case MM_DOUBT_DRIVER:
        mm_driver_print(structure, d->driver, text, sizeof text);
        break;
    case MM_DOUBT_MPI:
        snprintf(text, sizeof text, "transfer and waiting inside MPI");
        break;
    case MM_DOUBT_RUNS:
        print_runs_of(choice, d->class_name, text, sizeof text);
        break;
    }
    printf("  %.0f %% of the uncertainty: %s\n", 100 * d->share, text);
}

/* Add the words of a text, then `ending`, so that the line can break between words. */
static void add_words(struct mm_line *line, const char *text, const char *ending)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        int last = !text[length];

        mm_line_join(line, "%.*s%s", length, text, last ? ending : "");
        text += length + !last;
    }
}

/* half of a tie's interval, percent, from which on it is no knowledge of equality */
#define WIDE_TIE 20

void mm_choose_print_tie(const char *text, double apart, double low, double high)
{
    double half = (high - low) / 2;
    int digits = half < 1 ? 2 : half < 10 ? 1 : 0;
    struct mm_line line;

    mm_line_begin_plain(&line);
    mm_line_add(&line, half < WIDE_TIE ? "tie with" : "not decided against");
    add_words(&line, text, ":");
    mm_line_join(&line, "%.*f %% %s%s", digits, fabs(apart), apart < 0 ? "less" : "more",
                 isnan(half) ? "; too uncertain for an interval" : "");
    if (!isnan(half))
        mm_line_join(&line, "(90 %%: %+.*f to %+.*f %%)", digits, low, digits, high);
    mm_line_end(&line);
}

static void print_ties(const struct mm_open_view *view)
{
    const struct mm_open_choice *choice = view->choice;

    for (size_t i = 1; i < choice->count; i++) {
        const struct mm_open_assembly *item = &choice->items[i];
        double total = choice->items[0].forecast->total_ns;
        char text[600];

        if (!item->is_tie)
            continue;
        mm_open_classes(choice, item->at, text, sizeof text);
        mm_choose_print_tie(text, 100 * item->apart_ns / total,
                            100 * item->apart_low_ns / total,
                            100 * item->apart_high_ns / total);
    }
    if (choice->ties)
        print_decider(view);
}

static void print_none(const struct mm_open_view *view)
{
    const struct mm_choose_asked *asked = view->asked;

    printf("choice: none");
    for (size_t i = 0; i < asked->requirement_count; i++)
        printf("%s %s %s %.6g", i ? "," : "; no assembly has",
               mm_safe(asked->requirements[i].quality),
               mm_relation_text(asked->requirements[i].relation),
               asked->requirements[i].bound);
    putchar('\n');
}

double mm_open_measured_ns(const struct mm_open_view *view)
{
    const struct mm_forecast_run *base = &view->runs->runs[0];

    return mm_input_stretch(&view->runs->models) ? mm_forecast_run_wall(base)
                                                 : mm_forecast_run_total(base);
}

/* Print the measured time of the base and the change that the choice predicts. */
static void print_base(const struct mm_open_view *view)
{
    const struct mm_forecast_run *base = &view->runs->runs[0];
    double total = view->choice->items[0].forecast->total_ns;
    double measured = mm_open_measured_ns(view);

    if (view->runs->has_base && measured > 0)
        printf("  measured in %s: %s; predicted change %+.1f %%\n", mm_safe(base->name),
               mm_cost(view->metric, measured), 100 * (total / measured - 1));
}

static void print_choice(const struct mm_open_view *view)
{
    const struct mm_open_assembly *item = &view->choice->items[0];
    struct mm_line line;
    char text[600], interval[80];

    mm_choose_interval(interval, sizeof interval, view->metric, item->forecast->low_ns,
                       item->forecast->high_ns);
    mm_line_begin_plain(&line);
    mm_line_add(&line, "choice:");
    add_words(&line, mm_open_classes(view->choice, item->at, text, sizeof text), "");
    if (view->choice->slot_count > 1)
        mm_line_end(&line);
    printf("  %spredicted %s%s%s (%s%s)\n", view->choice->slot_count > 1 ? "" : " ",
           mm_cost(view->metric, item->forecast->total_ns),
           view->metric->kind == MM_METRIC_TIME ? "" : " of ",
           view->metric->kind == MM_METRIC_TIME ? "" : mm_safe(view->metric->name),
           isfinite(item->forecast->low_ns) ? "90 %: " : "", interval);
    if (item->forecast->why && !isfinite(item->forecast->low_ns))
        printf("  no interval, so ties are not known: %s\n",
               mm_safe(item->forecast->why));
    print_base(view);
    mm_stretch_print(mm_input_stretch(&view->runs->models));
    print_ties(view);
    if (view->choice->residual > 1e-6)
        printf("  more than two classes interact: sums over pairs are off by up to %s\n",
               mm_percent(view->choice->residual));
}

int mm_open_print(const struct mm_open_view *view)
{
    const struct mm_open_choice *choice = view->choice;

    print_asked(view);
    if (!choice->slot_count)
        puts("no slot, nothing to choose from: no instance had several classes in these "
             "runs, or each is named\n(choose --over NAME ranks the values of a sweep of "
             "any "
             "command)");
    for (size_t s = 0; s < choice->slot_count; s++)
        print_slot(view, &choice->slots[s]);
    if (choice->slot_count && view->asked->has_query && choice->count)
        print_list(view);
    if (choice->slot_count && !choice->count)
        print_none(view);
    if (choice->count)
        print_choice(view);
    if (view->script)
        printf("%s makes the choice: ccafe %s\n", mm_safe(view->script),
               mm_safe(view->script));
    if (view->script && view->command)
        printf("the same run by options:\n  %s\n", view->command);
    if (view->run)
        mm_choose_run_print(view->run, view->metric);
    mm_print_notes(&view->library->notes);
    mm_print_notes(&choice->notes);
    return mm_finish_output(MM_EXIT_DONE);
}

int mm_open_print_quiet(const struct mm_open_view *view)
{
    const struct mm_open_choice *choice = view->choice;

    if (choice->ties)
        fputs("mastermind: note: tie: the intervals of the best ones overlap\n", stderr);
    for (size_t s = 0; choice->count && s < choice->slot_count; s++)
        printf("%s=%s\n", choice->slots[s].instance,
               choice->slots[s].classes[choice->items[0].at[s]].name);
    return mm_finish_output(MM_EXIT_DONE);
}

const char *mm_open_text(const struct mm_open_view *view,
                         const struct mm_open_assembly *item, size_t axis)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    size_t root = axes->items[axis].same_as;

    for (size_t s = 0; s < view->choice->slot_count; s++)
        if (view->choice->slots[s].axis == root)
            return view->choice->slots[s].classes[item->at[s]].name;
    return mm_question_text(view->question, axes, axis);
}
