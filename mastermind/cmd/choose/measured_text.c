/* SPDX-License-Identifier: BSD-3-Clause */
/* measured_text.c: a choice for a run as it was measured, for people. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/line.h"

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
    mm_line_add_reasons(&line, flags);
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

/* The class of a slot that differs between the choice and `other` and whose cost is less
 * sure. */
static const struct mm_candidate *doubtful(const struct mm_choice *choice,
                                           const size_t *other)
{
    const struct mm_candidate *found = NULL;
    double widest = -1;

    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_candidate *two[2] = {
            &choice->slots[i].candidates[choice->chosen[i]],
            &choice->slots[i].candidates[other[i]]};

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

/* Print the assemblies that cannot be told from the choice, and what would decide. */
static void print_ties(const struct mm_choice *choice)
{
    const struct mm_candidate *measure;

    for (size_t i = 0; i < choice->tie_count; i++) {
        printf("tie with");
        print_classes(choice, choice->ties[i].at);
        if (isnan(choice->ties[i].probability))
            puts(", which may be better: one of them has no interval");
        else
            printf(", which is better with %.0f %%\n",
                   100 * (1 - choice->ties[i].probability));
    }
    if (!choice->tie_count)
        return;
    measure = doubtful(choice, choice->ties[0].at);
    if (measure && *measure->doubt)
        printf("  measure %s %s at %s\n", mm_safe(measure->class_name),
               mm_safe(measure->doubt_method), mm_safe(measure->doubt));
    else if (measure)
        printf("  measure %s again\n", mm_safe(measure->class_name));
}

/* "flux=EFMFlux, states=States" in the caller's buffer. */
static const char *classes_text(const struct mm_choice *choice, const size_t *at,
                                char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (size_t i = 0; i < choice->slot_count && used < size; i++) {
        const struct mm_slot *slot = &choice->slots[i];

        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", i ? ", " : "",
                                 choice->slot_count > 1 ? mm_safe(slot->instance) : "",
                                 choice->slot_count > 1 ? "=" : "",
                                 mm_safe(slot->candidates[at[i]].class_name));
    }
    return text;
}

/* Print the front, or the assemblies within a factor of the least cost. */
static void print_list(const struct mm_choose_view *view)
{
    const struct mm_choice *choice = view->choice;
    const struct mm_metric *metric = &view->input->metric;
    const char *front = view->query->front;
    char head[200], text[600];
    int width = 25;

    if (front)
        snprintf(head, sizeof head, "front with %s", mm_safe(front));
    else
        snprintf(head, sizeof head, "at most %s the least",
                 mm_factor(view->query->within));
    for (size_t i = 0; i < choice->listed_count; i++) {
        int length =
            (int)strlen(classes_text(choice, choice->listed[i].at, text, sizeof text));

        width = length > width ? length : width;
    }
    printf("%-*s %10s %10s", width + 2, head, "predicted", "+-95 %");
    if (front)
        printf("  %s, %s is better", mm_safe(front),
               choice->listed_greater ? "greater" : "smaller");
    putchar('\n');
    for (size_t i = 0; i < choice->listed_count; i++) {
        const struct mm_assembly *item = &choice->listed[i];

        printf("  %-*s %10s %10s", width,
               classes_text(choice, item->at, text, sizeof text),
               mm_cost(metric, item->total_ns),
               isfinite(item->half_ns) ? mm_cost(metric, item->half_ns) : "unknown");
        if (front)
            printf("  %.3g", item->value);
        putchar('\n');
    }
    if (choice->listed_more)
        printf("  and more: the first %d are listed\n", MM_CHOICE_LISTED);
}

static void print_choice(const struct mm_choose_view *view)
{
    const struct mm_metric *metric = &view->input->metric;
    const struct mm_choice *choice = view->choice;

    if (choice->slot_count && !choice->found) {
        printf("choice: none");
        for (size_t i = 0; i < view->asked->requirement_count; i++)
            printf("%s %s %s %.6g", i ? "," : "; no assembly has",
                   mm_safe(view->asked->requirements[i].quality),
                   mm_relation_text(view->asked->requirements[i].relation),
                   view->asked->requirements[i].bound);
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
        printf(" (95 %%: %s to %s)", mm_cost(metric, view->asked->keeper->low),
               mm_cost(metric, view->asked->keeper->high));
    printf(", the run took %s%s%s\n", mm_cost(metric, choice->measured_ns),
           metric->kind == MM_METRIC_TIME ? "" : " of ",
           metric->kind == MM_METRIC_TIME ? "" : mm_safe(metric->name));
    print_ties(choice);
}

int mm_choose_print(const struct mm_choose_view *view)
{
    if (!view->choice->slot_count)
        puts("no slot: no class in the further experiments could stand where one of the "
             "first does");
    for (size_t i = 0; i < view->choice->slot_count; i++)
        print_slot(&view->input->metric, &view->choice->slots[i]);
    if (view->choice->slot_count && view->query)
        print_list(view);
    if (view->choice->slot_count)
        print_choice(view);
    mm_print_notes(&view->library->notes);
    mm_print_notes(&view->choice->notes);
    return mm_finish_output(MM_EXIT_DONE);
}

int mm_choose_print_quiet(const struct mm_choose_view *view)
{
    const struct mm_choice *choice = view->choice;

    if (choice->found && !mm_choice_is_decided(choice))
        fputs("mastermind: note: tie: the intervals of the two best overlap\n", stderr);
    for (size_t i = 0; choice->found && i < choice->slot_count; i++)
        printf("%s=%s\n", choice->slots[i].instance,
               choice->slots[i].candidates[choice->chosen[i]].class_name);
    return mm_finish_output(MM_EXIT_DONE);
}
