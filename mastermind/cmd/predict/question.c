/* SPDX-License-Identifier: BSD-3-Clause */
/* question.c: look up the names of --set, -D, --class and --ranks among the axes of the
 * runs. */
#include "mastermind/cmd/predict/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/nearest.h"

/* --- Names ------------------------------------------------------------------------- */

static char *keep(struct mm_question *question, const char *text, size_t length)
{
    char *copy;

    if (cca_array_reserve(&question->copies, question->copy_count,
                          sizeof *question->copies))
        return NULL;
    copy = strndup(text, length);
    if (copy)
        question->copies[question->copy_count++] = copy;
    return copy;
}

static const char *const kind_words[] = {"variable", "parameter", "instance"};
static const char *const kind_options[] = {"-D ", "--set ", "--class "};

/* Refuse a name that no axis of `kind` (-1: any) has. */
static int refuse_unknown(const struct mm_axes *axes, const char *name, int kind)
{
    struct cca_nearest nearest;
    char hint[128];

    for (int k = MM_AXIS_VARIABLE; k <= MM_AXIS_CLASS && kind >= 0; k++)
        if (mm_axes_find(axes, (enum mm_axis_kind)k, name) != MM_NO_AXIS)
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' is %s %s, expected %s %s: %s%s=VALUE sets it",
                             mm_safe(name), k == MM_AXIS_CLASS ? "an" : "a",
                             kind_words[k], kind == MM_AXIS_CLASS ? "an" : "a",
                             kind_words[kind], kind_options[k], mm_safe(name));
    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < axes->count; i++)
        cca_nearest_offer(&nearest, axes->items[i].name);
    return mm_refuse(MM_EXIT_MISUSE,
                     "'%s' is no instance, parameter or variable of these runs%s "
                     "(parameters of calls: "
                     "mastermind model --at)",
                     mm_safe(name),
                     mm_safe(cca_nearest_hint(nearest.best, hint, sizeof hint)));
}

/* Find the axis with a name, of `kind` or of the only kind that has it (-1). Returns -1
 * to go on. */
static int find_axis(const struct mm_axes *axes, const char *name, int kind, size_t *axis)
{
    size_t found[3], count = 0;
    int kinds[3];

    for (int k = MM_AXIS_VARIABLE; k <= MM_AXIS_CLASS; k++) {
        size_t at = kind < 0 || kind == k ? mm_axes_find(axes, (enum mm_axis_kind)k, name)
                                          : MM_NO_AXIS;

        if (at == MM_NO_AXIS)
            continue;
        kinds[count] = k;
        found[count++] = at;
    }
    if (!count)
        return refuse_unknown(axes, name, kind);
    if (count > 1)
        return mm_refuse(
            MM_EXIT_MISUSE, "'%s' is a %s and an %s: use %s%s=VALUE or %s%s=VALUE",
            mm_safe(name), kind_words[kinds[0]], kind_words[kinds[1]],
            kind_options[kinds[0]], mm_safe(name), kind_options[kinds[1]], mm_safe(name));
    *axis = found[0];
    return -1;
}

static int set_axis(struct mm_question *question, const struct mm_axes *axes, size_t axis,
                    const char *value)
{
    const struct mm_axis *own = &axes->items[axis];
    size_t at = own->same_as;

    if (own->names_classes)
        return mm_refuse(MM_EXIT_MISUSE,
                         "'%s' names classes, and --class overruled it in some runs: set "
                         "the class of an instance, --class INSTANCE=%s",
                         mm_safe(own->name), mm_safe(value));
    if (axes->items[at].is_number && axes->items[at].varies &&
        isnan(mm_axis_number(value)))
        return mm_refuse(MM_EXIT_MISUSE, "%s: found '%s', expected a number",
                         mm_safe(own->name), mm_safe(value));
    if (question->text[at] && strcmp(question->text[at], value) != 0)
        return mm_refuse(MM_EXIT_MISUSE, "%s is set twice, to '%s' and '%s'%s%s%s",
                         mm_safe(own->name), mm_safe(question->text[at]), mm_safe(value),
                         at == axis ? "" : ": it is the value of ",
                         at == axis ? "" : mm_safe(axes->items[at].name),
                         at == axis ? "" : " in all runs");
    question->text[at] = value;
    return -1;
}

/* Read the values of one option; `kind` -1: any. */
static int read_option(struct mm_question *question, const struct mm_axes *axes,
                       const struct cca_given *option, int kind)
{
    for (int i = 0; option && i < option->given; i++) {
        const char *equals = strchr(option->values[i], '=');
        size_t axis = 0;
        char *name;
        int result;

        if (!equals || equals == option->values[i] || !equals[1])
            return mm_refuse(MM_EXIT_MISUSE, "%s: found '%s', expected NAME=VALUE",
                             option->name, mm_safe(option->values[i]));
        name = keep(question, option->values[i], (size_t)(equals - option->values[i]));
        if (!name)
            return mm_no_memory();
        result = find_axis(axes, name, kind, &axis);
        if (result < 0)
            result = set_axis(question, axes, axis, equals + 1);
        if (result >= 0)
            return result;
    }
    return -1;
}

/* --- Values that are not set ------------------------------------------------------- */

static int value_order(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    double x = mm_axis_number(*a), y = mm_axis_number(*b);

    return isnan(x) || isnan(y) ? strcmp(*a, *b) : (x > y) - (x < y);
}

static int refuse_unset(const struct mm_axes *axes, size_t axis)
{
    const struct mm_axis *item = &axes->items[axis];
    const char **texts = calloc(axes->runs + 1, sizeof *texts);
    char values[300] = "";
    size_t used = 0, count = 0;

    if (!texts)
        return mm_no_memory();
    for (size_t r = 0; r < axes->runs; r++)
        if (item->text[r])
            texts[count++] = item->text[r];
    qsort(texts, count, sizeof *texts, value_order);
    for (size_t r = 0; r < count && used < sizeof values - 60; r++)
        if (!r || strcmp(texts[r], texts[r - 1]) != 0)
            used += (size_t)snprintf(values + used, sizeof values - used, "%s%.40s",
                                     used ? ", " : "", texts[r]);
    free(texts);
    return mm_refuse(MM_EXIT_MISUSE, "%s varied and is not set: %s%s=VALUE; it was %s",
                     mm_safe(item->name), item->kind == MM_AXIS_RANKS ? "--" : "--set ",
                     mm_safe(item->name), mm_safe(values));
}

/* True for the class of an instance (`slot`, or any if NULL), and for a variable that
 * sets this class. */
static int is_class(const struct mm_axes *axes, size_t axis, const char *slot)
{
    for (size_t i = 0; i < axes->count; i++)
        if (axes->items[i].kind == MM_AXIS_CLASS && axes->items[i].same_as == axis &&
            (!slot || strcmp(axes->items[i].name, slot) == 0))
            return 1;
    return 0;
}

static int complete(struct mm_question *question, const struct mm_axes *axes,
                    const struct mm_question_rule *rule)
{
    for (size_t i = 0; i < axes->count; i++) {
        if (question->text[i] || !mm_axis_counts(axes, i))
            continue;
        if (axes->items[i].varies && rule->free_classes && is_class(axes, i, rule->slot))
            continue;
        if (axes->items[i].varies && !rule->has_base)
            return refuse_unset(axes, i);
        question->text[i] = axes->items[i].text[0];
    }
    return -1;
}

int mm_question_is_base(const struct mm_question *question, const struct mm_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        const char *text = question->text[i], *base = axes->items[i].text[0];

        if (mm_axis_counts(axes, i) && text != base &&
            (!text || !base || strcmp(text, base) != 0))
            return 0;
    }
    return 1;
}

static int begin(struct mm_question *question, const struct mm_axes *axes)
{
    *question = (struct mm_question){0};
    question->text = calloc(axes->count + 1, sizeof *question->text);
    return question->text ? -1 : mm_no_memory();
}

int mm_question_read(struct mm_question *question, const struct mm_axes *axes,
                     const struct mm_question_options *options,
                     const struct mm_question_rule *rule)
{
    int result = begin(question, axes);
    double ranks;

    if (result < 0)
        result = read_option(question, axes, options->set, -1);
    if (result < 0)
        result = read_option(question, axes, options->variable, MM_AXIS_VARIABLE);
    if (result < 0)
        result = read_option(question, axes, options->class_of, MM_AXIS_CLASS);
    if (result < 0 && options->ranks && options->ranks->given) {
        result = mm_option_count(options->ranks, 1, &ranks);
        if (result < 0)
            result = set_axis(question, axes, mm_axes_find(axes, MM_AXIS_RANKS, "ranks"),
                              options->ranks->values[options->ranks->given - 1]);
    }
    return result < 0 ? complete(question, axes, rule) : result;
}

int mm_question_of_run(struct mm_question *question, const struct mm_axes *axes,
                       const struct mm_run *run)
{
    int result = begin(question, axes);
    char ranks[16];

    for (size_t i = 0; i < axes->count && result < 0; i++) {
        const struct mm_axis *axis = &axes->items[i];
        const char *text =
            axis->kind == MM_AXIS_VARIABLE    ? mm_run_value(&run->variables, axis->name)
            : axis->kind == MM_AXIS_PARAMETER ? mm_run_value(&run->set, axis->name)
            : axis->kind == MM_AXIS_CLASS     ? mm_run_value(&run->classes, axis->name)
                                              : NULL;

        if (axis->kind == MM_AXIS_RANKS) {
            snprintf(ranks, sizeof ranks, "%d", run->ranks);
            text = keep(question, ranks, strlen(ranks));
            if (!text)
                return mm_no_memory();
        }
        question->text[i] = text;
    }
    return result;
}

void mm_question_done(struct mm_question *question)
{
    for (size_t i = 0; i < question->copy_count; i++)
        free(question->copies[i]);
    free(question->copies);
    free(question->text);
    *question = (struct mm_question){0};
}

const char *mm_question_text(const struct mm_question *question,
                             const struct mm_axes *axes, size_t axis)
{
    return question->text[axes->items[axis].same_as];
}

int mm_question_check_classes(const struct mm_question *question,
                              const struct mm_axes *axes, const struct mm_input *input)
{
    int result = -1;

    for (size_t i = 0; i < axes->count && result < 0; i++) {
        const char *name = mm_question_text(question, axes, i);

        if (axes->items[i].kind == MM_AXIS_CLASS && name)
            result = mm_input_check_class(input, name);
    }
    return result;
}

json_t *mm_question_json(const struct mm_question *question, const struct mm_axes *axes)
{
    static const char *const keys[] = {"variables", "set", "classes"};
    json_t *object = json_object(), *kinds[3];

    for (int k = 0; k < 3; k++)
        mm_json_put(object, keys[k], kinds[k] = json_object());
    for (size_t i = 0; i < axes->count; i++) {
        const char *text = mm_question_text(question, axes, i);

        if (axes->items[i].kind == MM_AXIS_RANKS)
            mm_json_put(object, "ranks", json_integer((json_int_t)mm_axis_number(text)));
        else if (text)
            mm_json_put(kinds[axes->items[i].kind], axes->items[i].name,
                        mm_json_escaped(text));
    }
    return object;
}
