/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_choose.c: which classes to plug in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/composite/choose.h"
#include "mastermind/cmd/kept.h"
#include "mastermind/cmd/line.h"

static const char usage[] =
    "mastermind choose efm.mm godunov.mm hllc.mm\n"
    "mastermind choose efm.mm godunov.mm hllc.mm --require 'oddeven_m6 <= .05'\n"
    "\n"
    "Rank the classes of each slot by the predicted time of the whole run. A slot is\n"
    "an instance of the first experiment for which another experiment has another\n"
    "class with the same ports.\n"
    "\n"
    "  --require 'QUALITY <= X'   bound a quality of the assembly (< <= == >= >); may\n"
    "                             be repeated\n"
    "  --slot SLOT                exchange this instance only\n"
    "  --any-machine              take models of other machines out of repositories\n"
    "  --metric NAME              rank by this instead of wall time: CPU_TIME,\n"
    "                             MPI_TIME, COMPUTE_TIME, a counter or an\n"
    "                             out-parameter (o.NAME)\n"
    "  --quiet                    print SLOT=CLASS only, a line for each slot\n"
    "  --json                     print one document, mastermind/choose/1\n"
    "\n"
    "Exit status 1: no class fulfils the requirements, or no slot has another class.\n";

struct view {
    const struct mm_input *input;
    const struct mm_library *library;
    const struct mm_choice *choice;
    const struct mm_requirement *requirements;
    size_t requirement_count;
};

#define COLUMNS 12

/* Collect the names of the qualities that candidates of a slot state. */
static size_t quality_names(const struct mm_slot *slot, const char *names[COLUMNS])
{
    size_t count = 0;

    for (size_t i = 0; i < slot->candidate_count; i++) {
        const struct mm_instance *instance = slot->candidates[i].instance;

        for (size_t k = 0; k < instance->quality_count; k++) {
            size_t seen = 0;

            while (seen < count && strcmp(names[seen], instance->qualities[k].name) != 0)
                seen++;
            if (seen == count && count < COLUMNS)
                names[count++] = instance->qualities[k].name;
        }
    }
    return count;
}

static void print_candidate(const struct mm_metric *metric, const struct mm_slot *slot,
                            size_t at, const char *const *names, size_t name_count)
{
    const struct mm_candidate *c = &slot->candidates[at];
    char half[40] = "", label[200];

    snprintf(label, sizeof label, "%s%s", mm_safe(c->class_name),
             c->current ? " (ran)" : "");
    if (c->known)
        snprintf(half, sizeof half, "%s",
                 isfinite(c->half_ns) ? mm_cost(metric, c->half_ns) : "unknown");
    if (c->known)
        printf("%3zu  %-22s %10s %10s", at + 1, label, mm_cost(metric, c->total_ns),
               half);
    else
        printf("  -  %-22s %10s %10s", label, "no model", "");
    for (size_t i = 0; i < name_count; i++) {
        const struct mm_quality *quality = mm_instance_quality(c->instance, names[i]);
        char value[32] = "-";

        if (quality)
            snprintf(value, sizeof value, "%.3g", quality->value);
        printf(" %*s", (int)(strlen(names[i]) > 8 ? strlen(names[i]) : 8) + 1, value);
    }
    putchar('\n');
}

/* Print why the number of a candidate is weaker than it looks. */
static void print_reasons(const struct mm_metric *metric, const struct mm_candidate *c)
{
    unsigned flags = c->flags & ~(unsigned)(MM_BEYOND | MM_RIVALS | MM_ONE_RUN);
    struct mm_line line;
    char head[200];

    if (!c->known)
        return;
    snprintf(head, sizeof head, "   %s:", mm_safe(c->class_name));
    if (c->beyond > 1)
        printf("%s %s is %s beyond the sizes that it was seen with\n", head,
               mm_safe(c->beyond_name), mm_factor(c->beyond));
    if (c->flags & MM_RIVALS)
        printf("%s or %s, by a formula that fits as well\n", head,
               mm_cost(metric, c->rival_ns));
    if (c->unmarked)
        printf("%s nothing of %s is marked: the mean of all calls stands for each\n",
               head, mm_safe(c->unmarked));
    if (!flags)
        return;
    mm_line_begin_note(&line, head);
    mm_line_add_reasons(&line, flags, metric);
    mm_line_end(&line);
}

static void print_slot(const struct mm_metric *metric, const struct mm_slot *slot)
{
    const char *names[COLUMNS];
    size_t count = quality_names(slot, names);
    char head[200];

    snprintf(head, sizeof head, "slot %s", mm_safe(slot->instance));
    printf("%-27s %10s %10s", head, "predicted", "+-95 %");
    for (size_t i = 0; i < count; i++)
        printf(" %*s", (int)(strlen(names[i]) > 8 ? strlen(names[i]) : 8) + 1,
               mm_safe(names[i]));
    putchar('\n');
    for (size_t i = 0; i < slot->candidate_count; i++)
        print_candidate(metric, slot, i, names, count);
    for (size_t i = 0; i < slot->candidate_count; i++)
        print_reasons(metric, &slot->candidates[i]);
}

/* The class of a slot that differs between the two best and whose cost is less sure. */
static const struct mm_candidate *doubtful(const struct mm_choice *choice)
{
    const struct mm_candidate *found = NULL;
    double widest = -1;

    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_candidate *two[2] = {
            &choice->slots[i].candidates[choice->chosen[i]],
            &choice->slots[i].candidates[choice->second[i]]};

        for (int k = 0; k < 2 && two[0] != two[1]; k++) {
            double half = isnan(two[k]->own_half_ns) ? INFINITY : two[k]->own_half_ns;

            if (half > widest) {
                widest = half;
                found = two[k];
            }
        }
    }
    return found;
}

/* "EFMFlux", or "flux=EFMFlux, states=States" */
static void print_classes(const struct mm_choice *choice, const size_t *at)
{
    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_slot *slot = &choice->slots[i];
        const char *class_name = slot->candidates[at[i]].class_name;

        if (choice->slot_count == 1)
            printf(" %s", mm_safe(class_name));
        else
            printf("%s %s=%s", i ? "," : "", mm_safe(slot->instance),
                   mm_safe(class_name));
    }
}

/* Print that the two best cannot be told apart, and what would decide. */
static void print_undecided(const struct mm_choice *choice)
{
    const struct mm_candidate *measure = doubtful(choice);

    if (mm_choice_is_decided(choice))
        return;
    printf("not decided:");
    print_classes(choice, choice->second);
    if (isnan(choice->probability))
        printf(" may be better; one of them has no interval");
    else
        printf(" is better with %.0f %%", 100 * (1 - choice->probability));
    if (measure && *measure->doubt)
        printf("\n  measure %s %s at %s", mm_safe(measure->class_name),
               mm_safe(measure->doubt_method), mm_safe(measure->doubt));
    else if (measure)
        printf("\n  measure %s again", mm_safe(measure->class_name));
    putchar('\n');
}

static void print_choice(const struct view *view)
{
    const struct mm_metric *metric = &view->input->metric;
    const struct mm_choice *choice = view->choice;

    if (choice->slot_count && !choice->found) {
        printf("choice: none");
        for (size_t i = 0; i < view->requirement_count; i++)
            printf("%s %s %s %.6g", i ? "," : "; no assembly has",
                   mm_safe(view->requirements[i].quality),
                   mm_relation_text(view->requirements[i].relation),
                   view->requirements[i].bound);
        putchar('\n');
        return;
    }
    printf("choice:");
    print_classes(choice, choice->chosen);
    /* Several slots, or another metric than time, take a line of their own. */
    printf("%spredicted %s",
           choice->slot_count > 1 || metric->kind >= MM_METRIC_COUNTER ? "\n  " : "   ",
           mm_cost(metric, choice->total_ns));
    if (!isfinite(choice->half_ns))
        printf(" (no interval)");
    else
        printf(" (95 %%: %s to %s)",
               mm_cost(metric, fmax(choice->total_ns - choice->half_ns, 0)),
               mm_cost(metric, choice->total_ns + choice->half_ns));
    printf(", the run took %s%s%s\n", mm_cost(metric, choice->measured_ns),
           metric->kind == MM_METRIC_TIME ? "" : " of ",
           metric->kind == MM_METRIC_TIME ? "" : mm_safe(metric->name));
    print_undecided(choice);
    if (view->library->runs.from_parts)
        printf("how runs differ is not in the intervals, only how parts of them do: %s\n",
               mm_percent(view->library->runs.relative));
    else if (choice->without_runs)
        puts("how runs differ is not in the intervals: no two runs have the same calls");
}

static int print_text(const struct view *view)
{
    if (!view->choice->slot_count)
        puts("no slot: no class in the further experiments could stand where one of the "
             "first does");
    for (size_t i = 0; i < view->choice->slot_count; i++)
        print_slot(&view->input->metric, &view->choice->slots[i]);
    if (view->choice->slot_count)
        print_choice(view);
    mm_print_notes(&view->library->notes);
    mm_print_notes(&view->choice->notes);
    return mm_finish_output(MM_EXIT_DONE);
}

static int print_quiet(const struct view *view)
{
    const struct mm_choice *choice = view->choice;

    if (choice->found && !mm_choice_is_decided(choice))
        fputs("mastermind: note: not decided: the intervals of the two best overlap\n",
              stderr);
    for (size_t i = 0; choice->found && i < choice->slot_count; i++)
        printf("%s=%s\n", choice->slots[i].instance,
               choice->slots[i].candidates[choice->chosen[i]].class_name);
    return mm_finish_output(MM_EXIT_DONE);
}

static json_t *candidate_json(const struct mm_candidate *c,
                              const struct mm_metric *metric)
{
    json_t *object = json_object(), *qualities = json_object();

    mm_json_put(object, "class", mm_json_escaped(c->class_name));
    mm_json_put(object, "ran", json_boolean(c->current));
    mm_json_put(object, "has_model", json_boolean(c->known));
    if (c->known) {
        mm_json_put_seconds(object, "total", metric, c->total_ns);
        mm_json_put_seconds(object, "half_95", metric, c->half_ns);
        mm_json_put_seconds(object, "own_half_95", metric, c->own_half_ns);
        if (c->flags & MM_RIVALS)
            mm_json_put_seconds(object, "rival", metric, c->rival_ns);
        mm_json_put(object, "reasons", mm_json_reasons(c->flags));
        mm_json_put(object, "error", mm_json_finite(c->error));
    }
    if (c->beyond > 1) {
        mm_json_put(object, "beyond", mm_json_finite(c->beyond));
        mm_json_put(object, "beyond_parameter", mm_json_escaped(c->beyond_name));
    }
    for (size_t i = 0; i < c->instance->quality_count; i++)
        mm_json_put(qualities, c->instance->qualities[i].name,
                    mm_json_finite(c->instance->qualities[i].value));
    mm_json_put(object, "qualities", qualities);
    return object;
}

static int print_json(const struct view *view)
{
    const struct mm_choice *choice = view->choice;
    const struct mm_metric *metric = &view->input->metric;
    json_t *document = mm_json_metric_document("choose", metric), *slots = json_array();
    json_t *chosen = json_object();

    mm_json_put(document, "experiment",
                mm_json_escaped(view->input->experiments[0]->name));
    mm_json_put_seconds(document, "measured", metric, choice->measured_ns);
    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_slot *slot = &choice->slots[i];
        json_t *item = json_object(), *candidates = json_array();

        mm_json_put(item, "slot", mm_json_escaped(slot->instance));
        mm_json_put_seconds(item, "measured", metric, slot->measured_ns);
        for (size_t k = 0; k < slot->candidate_count; k++)
            json_array_append_new(candidates,
                                  candidate_json(&slot->candidates[k], metric));
        mm_json_put(item, "candidates", candidates);
        json_array_append_new(slots, item);
        if (choice->found)
            mm_json_put(chosen, slot->instance,
                        mm_json_escaped(slot->candidates[choice->chosen[i]].class_name));
    }
    mm_json_put(document, "slots", slots);
    if (choice->found && choice->slot_count) {
        mm_json_put(document, "choice", chosen);
        mm_json_put_seconds(document, "total", metric, choice->total_ns);
        mm_json_put_seconds(document, "half_95", metric, choice->half_ns);
        mm_json_put(document, "runs_in_interval", json_boolean(!choice->without_runs));
        mm_json_put(document, "decided", json_boolean(mm_choice_is_decided(choice)));
        if (choice->has_second)
            mm_json_put(document, "probability", mm_json_finite(choice->probability));
    } else {
        json_decref(chosen);
    }
    mm_json_put(document, "notes", mm_json_notes(&view->library->notes, &choice->notes));
    return mm_json_print(document);
}

static int run_choose(struct view *view, const char *slot, int quiet, int json)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_input_library(view->input, NULL, &err);
    struct mm_choice *choice = NULL;
    int result;

    if (library && !mm_kept_note_input(&library->notes, view->input, &err))
        choice = mm_choice_new(view->input->profiles, view->input->count, library, slot,
                               view->requirements, view->requirement_count, &err);
    view->library = library;
    view->choice = choice;
    if (!choice)
        result = mm_complain(&err);
    else
        result = json ? print_json(view) : quiet ? print_quiet(view) : print_text(view);
    if (choice && result == MM_EXIT_DONE && (!choice->found || !choice->slot_count))
        result = MM_EXIT_NO;
    mm_choice_free(choice);
    mm_library_free(library);
    return result;
}

int cmd_choose(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "--json"},
                                  {.name = "--quiet"},
                                  {.name = "--slot", .takes_value = 1},
                                  {.name = "--require", .takes_value = 1},
                                  {.name = "--metric", .takes_value = 1},
                                  {.name = "--any-machine"}};
    struct mm_requirement requirements[MM_OPTION_VALUES];
    struct mm_input input;
    struct view view = {.input = &input, .requirements = requirements};
    struct cca_error err = {0};
    int count, result;

    result = mm_options_read(options, 6, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    view.requirement_count = (size_t)options[3].given;
    for (size_t i = 0; i < view.requirement_count; i++) {
        if (mm_requirement_parse(&requirements[i], options[3].values[i], &err) < 0)
            return mm_complain(&err);
    }
    result = mm_input_open_models(&input, argv, count, &options[4], &options[5], 0);
    if (result < 0 && options[2].given)
        result = mm_input_check_instance(&input, options[2].values[0]);
    if (result < 0)
        result = run_choose(&view, options[2].given ? options[2].values[0] : NULL,
                            options[1].given, options[0].given);
    mm_input_done(&input);
    return result;
}
