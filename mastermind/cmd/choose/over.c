/* SPDX-License-Identifier: BSD-3-Clause */
/* over.c: read a sweep, forecast the requested run with each value, and rank them. */
#include "mastermind/cmd/choose/over.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/nearest.h"

/* --- The axes ----------------------------------------------------------------------- */

static int add_axis(struct mm_over *over, const char *name, size_t length)
{
    const struct sweep *sweep = &over->sweep;
    char text[200], hint[128];
    struct cca_nearest nearest;
    size_t *axis, at = 0;

    snprintf(text, sizeof text, "%.*s", (int)length, name);
    cca_nearest_init(&nearest, text);
    for (size_t a = 0; a < sweep->axis_count; a++)
        cca_nearest_offer(&nearest, sweep->axes[a].name);
    while (at < sweep->axis_count && strcmp(sweep->axes[at].name, text) != 0)
        at++;
    if (at == sweep->axis_count)
        return mm_refuse(MM_EXIT_MISUSE, "--over: '%s' is no axis of the sweep%s",
                         mm_safe(text),
                         mm_safe(cca_nearest_hint(nearest.best, hint, sizeof hint)));
    for (size_t i = 0; i < over->axis_count; i++)
        if (over->axes[i] == at)
            return mm_refuse(MM_EXIT_MISUSE, "--over: '%s' twice", mm_safe(text));
    axis = cca_array_add(&over->axes, &over->axis_count, sizeof *axis);
    if (!axis)
        return mm_no_memory();
    *axis = at;
    return -1;
}

/* Refuse a value that an option sets for an axis of --over. Returns -1 to go on. */
static int check_option(const struct mm_over *over, const struct cca_given *option)
{
    for (int i = 0; i < option->given; i++)
        for (size_t k = 0; k < over->axis_count; k++) {
            const struct sweep_axis *axis = &over->sweep.axes[over->axes[k]];
            const char *name = sweep_axis_parameter(axis), *value = option->values[i];
            size_t length = strlen(name);
            int sets = option == over->asked->question.ranks
                           ? axis->kind == SWEEP_RANKS
                           : strncmp(value, name, length) == 0 && value[length] == '=';

            if (sets)
                return mm_refuse(MM_EXIT_MISUSE, "%s %s: its value is chosen, --over %s",
                                 option->name, mm_safe(value), mm_safe(name));
        }
    return -1;
}

/* Refuse values for axes of --over, and options that the sweep has no use for. Returns -1
 * to go on. */
static int check_set(const struct mm_over *over)
{
    const struct mm_question_options *question = &over->asked->question;
    const struct cca_given *given[] = {question->set, question->variable,
                                       question->class_of, question->ranks};
    int result = -1;

    for (size_t i = 0; i < sizeof given / sizeof *given && result < 0; i++)
        result = i > 1 && given[i]->given && over->sweep.is_plain
                     ? mm_refuse(MM_EXIT_MISUSE,
                                 "%s with --over: this sweep is of a command without "
                                 "classes and ranks of ccafe",
                                 given[i]->name)
                     : check_option(over, given[i]);
    return result;
}

static int read_axes(struct mm_over *over)
{
    const struct mm_choose_asked *asked = over->asked;
    int result = -1;

    for (int i = 0; i < asked->over->given && result < 0; i++)
        for (const char *at = asked->over->values[i]; result < 0;) {
            size_t length = strcspn(at, ",");

            result = add_axis(over, at, length);
            at += length;
            if (!*at++)
                break;
        }
    if (result < 0 && asked->uses) {
        result = add_axis(over, asked->uses, strlen(asked->uses));
        if (result < 0 && !over->sweep.axes[over->axes[over->axis_count - 1]].numbers)
            result =
                mm_refuse(MM_EXIT_MISUSE, "--uses: the values of '%s' are no numbers",
                          mm_safe(asked->uses));
    }
    return result < 0 ? check_set(over) : result;
}

/* --- The values --------------------------------------------------------------------- */

/* The index of a point's value on an axis of --over. */
static size_t value_at(const struct mm_over *over, size_t point, size_t axis)
{
    return mm_plan_value(over->sweep.plan, point, over->axes[axis]);
}

static int is_same(const struct mm_over *over, size_t a, size_t b)
{
    for (size_t i = 0; i < over->axis_count; i++)
        if (value_at(over, a, i) != value_at(over, b, i))
            return 0;
    return 1;
}

char *mm_over_name(const struct mm_over *over, size_t point, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct sweep_axis *axis = &over->sweep.axes[over->axes[i]];

        fprintf(stream, "%s%s=%s", i ? " " : "", axis->name,
                axis->texts[value_at(over, point, i)]);
    }
    if (fclose(stream)) {
        free(text);
        return NULL;
    }
    return text;
}

/* The value of a point, which is added if it is new; NULL: out of memory. */
static struct mm_over_value *find_value(struct mm_over *over, size_t point)
{
    struct mm_over_value *value;

    for (size_t i = 0; i < over->count; i++)
        if (is_same(over, over->values[i].point, point))
            return &over->values[i];
    value = cca_array_add(&over->values, &over->count, sizeof *value);
    if (!value)
        return NULL;
    *value = (struct mm_over_value){.point = point,
                                    .text = mm_over_name(over, point, over->axis_count)};
    return value->text ? value : NULL;
}

static int value_order(const void *left, const void *right)
{
    const struct mm_over_value *a = left, *b = right;

    return (a->point > b->point) - (a->point < b->point);
}

static int add_run(struct mm_over *over, size_t at)
{
    const struct sweep_run *run = &over->sweep.runs[at];
    struct mm_over_value *value = find_value(over, over->sweep.plan->runs[at].point);
    char **path;

    if (!value)
        return mm_no_memory();
    value->failures += run->failures;
    value->wrong += run->wrong;
    if (run->error)
        value->error = run->error;
    if (run->state != SWEEP_DONE)
        return -1;
    path = cca_array_add(&value->paths, &value->done, sizeof *path);
    if (!path)
        return mm_no_memory();
    *path = sweep_run_path(&over->sweep, at, ".mm");
    return *path ? -1 : mm_no_memory();
}

static int read_values(struct mm_over *over)
{
    int result = -1;

    for (size_t i = 0; i < over->sweep.plan->run_count && result < 0; i++)
        result = add_run(over, i);
    if (result < 0 && over->count > MM_OVER_VALUES)
        result =
            mm_refuse(MM_EXIT_MISUSE, "--over: found %zu values, expected at most %d",
                      over->count, MM_OVER_VALUES);
    if (over->count)
        qsort(over->values, over->count, sizeof *over->values, value_order);
    return result < 0 ? mm_over_find_failures(over) : result;
}

/* Judge the results of all finished runs by --check. Returns -1 to go on. */
static int check_results(struct mm_over *over)
{
    char *cwd = over->asked->check ? getcwd(NULL, 0) : NULL;
    int result = !over->asked->check || cwd ? -1 : mm_no_memory();

    if (cwd)
        sweep_hold_signals();
    for (size_t i = 0; cwd && i < over->sweep.plan->run_count && result < 0; i++) {
        struct sweep_run *run = &over->sweep.runs[i];
        char *wrong = NULL;

        if (run->state != SWEEP_DONE)
            continue;
        result = sweep_check_result(&over->sweep, over->asked->check, cwd, i, &wrong);
        if (!wrong)
            continue;
        free(run->error);
        run->error = wrong;
        run->state = SWEEP_FAILED;
        run->failures++;
        run->wrong++;
    }
    free(cwd);
    return result;
}

/* --- Forecasts ---------------------------------------------------------------------- */

/* Forecast the requested run with one value. Returns -1 to go on, also if the cost is
 * unknown. */
static int forecast(struct mm_over *over, struct mm_over_value *value)
{
    static const char *elapsed[] = {"WALL_TIME"};
    /* a run of ccafe has own time, to which the host adds nothing */
    static const struct cca_given by_elapsed = {"--metric", 1, elapsed},
                                  by_default = {"--metric", 0, NULL};
    const struct mm_choose_asked *asked = over->asked;
    const struct mm_question_rule rule = {.has_base = 0};
    const struct cca_given *metric = asked->from.metric->given ? asked->from.metric
                                     : over->sweep.is_plain    ? &by_elapsed
                                                               : &by_default;
    struct cca_error err = {0};
    int result;

    if (!value->done) {
        snprintf(value->why, sizeof value->why, "it has no finished run");
        return -1;
    }
    result = mm_run_input_open(&value->runs, value->paths, (int)value->done,
                               &(struct mm_run_options){.metric = metric}, NULL);
    if (result >= 0)
        return result;
    over->metric = mm_run_metric(&value->runs);
    value->library = mm_input_library(&value->runs.models, NULL, &err);
    if (value->library)
        value->forecaster = mm_forecaster_new(value->runs.runs, value->runs.run_count,
                                              value->library, &err);
    if (value->forecaster)
        result = mm_question_read(&value->question, mm_forecaster_axes(value->forecaster),
                                  &asked->question, &rule);
    if (value->forecaster && result < 0)
        value->forecast = mm_forecast_new(value->forecaster, value->question.text, &err);
    if (result < 0 && !value->forecast && err.code != -ENODATA)
        return mm_complain(&err);
    if (value->forecast && (value->forecast->unknown || !value->forecast->part_count))
        snprintf(value->why, sizeof value->why, "%.390s",
                 value->forecast->part_count ? value->forecast->parts[0].why
                                             : "its runs have no calls");
    else if (result < 0 && !value->forecast)
        snprintf(value->why, sizeof value->why, "%.390s", err.text);
    return result;
}

/* --- The choice --------------------------------------------------------------------- */

/* Add a value as a class of the slot and an item of the choice. The slot is the whole
 * run. Errors of the value's models are its own: the class of each part is the value. */
static int add_item(struct mm_over *over, size_t at)
{
    struct mm_over_value *value = &over->values[at];
    struct mm_open_choice *choice = &over->choice;
    struct mm_open_assembly *item;

    over->slot.classes[at] = (struct mm_open_class){
        .name = value->text, .runs = value->runs.run_count, .known = !*value->why};
    if (!value->may_be_chosen || *value->why)
        return -1;
    item = cca_array_add(&choice->items, &choice->count, sizeof *item);
    if (!item)
        return mm_no_memory();
    *item = (struct mm_open_assembly){.forecast = value->forecast,
                                      .value = NAN,
                                      .best = NAN,
                                      .at = malloc(sizeof *item->at)};
    if (!item->at)
        return mm_no_memory();
    item->at[0] = at;
    for (size_t i = 0; i < value->forecast->part_count; i++)
        value->forecast->parts[i].class_name = value->text;
    return -1;
}

/* Find the front of cost and share of failures. */
static void find_front(struct mm_over *over)
{
    for (size_t i = 0; i < over->count; i++) {
        struct mm_over_value *a = &over->values[i];

        a->is_on_front = !*a->why;
        for (size_t k = 0; k < over->count && a->is_on_front; k++) {
            const struct mm_over_value *b = &over->values[k];

            if (*b->why)
                continue;
            a->is_on_front = !((b->forecast->total_ns <= a->forecast->total_ns &&
                                b->fails.share < a->fails.share) ||
                               (b->forecast->total_ns < a->forecast->total_ns &&
                                b->fails.share <= a->fails.share));
        }
    }
}

static int rank(struct mm_over *over)
{
    int result = -1;

    over->slot.class_count = over->count;
    over->slot.classes = calloc(over->count + 1, sizeof *over->slot.classes);
    if (!over->slot.classes)
        return mm_no_memory();
    for (size_t i = 0; i < over->count && result < 0; i++)
        result = add_item(over, i);
    over->choice.slots = &over->slot;
    over->choice.slot_count = 1;
    if (result < 0 &&
        (mm_open_choice_rank(&over->choice) || mm_open_choice_best(&over->choice)))
        result = mm_no_memory();
    find_front(over);
    return result;
}

/* --- The steps ---------------------------------------------------------------------- */

static void value_done(struct mm_over_value *value)
{
    mm_forecast_free(value->forecast);
    mm_question_done(&value->question);
    mm_forecaster_free(value->forecaster);
    mm_library_free(value->library);
    if (value->done)
        mm_run_input_done(&value->runs);
    for (size_t i = 0; i < value->done; i++)
        free(value->paths[i]);
    free(value->paths);
    free(value->text);
}

static void over_done(struct mm_over *over)
{
    for (size_t i = 0; i < over->choice.count; i++)
        free(over->choice.items[i].at);
    free(over->choice.items);
    free(over->slot.classes);
    for (size_t i = 0; i < over->count; i++)
        value_done(&over->values[i]);
    free(over->values);
    free(over->axes);
    sweep_done(&over->sweep);
}

static int choose_over(struct mm_over *over)
{
    const struct mm_choose_asked *asked = over->asked;
    int result = sweep_read(&over->sweep);

    if (result < 0)
        result = read_axes(over);
    if (result < 0)
        result = check_results(over);
    if (result < 0)
        result = read_values(over);
    for (size_t i = 0; i < over->count && result < 0; i++)
        result = forecast(over, &over->values[i]);
    if (result < 0 && !asked->uses)
        result = rank(over);
    if (result >= 0)
        return result;
    if (over->metric && asked->uses)
        return mm_over_uses(over);
    if (!over->metric)
        return mm_refuse(MM_EXIT_NO, "no choice: no value has a finished run");
    result = asked->json    ? mm_over_print_json(over)
             : asked->quiet ? mm_over_print_quiet(over)
                            : mm_over_print(over);
    return result == MM_EXIT_DONE && !over->choice.count ? MM_EXIT_NO : result;
}

int mm_choose_over(char *const *paths, int count, const struct mm_choose_asked *asked)
{
    struct mm_over over = {.asked = asked, .sweep = {.lock = -1, .run_lock = -1}};
    int result;

    if (count != 1 || !mm_path_is_sweep(paths[0]))
        return mm_refuse(MM_EXIT_MISUSE, "--over: expected one directory of a sweep");
    over.sweep.dir = paths[0];
    result = choose_over(&over);
    over_done(&over);
    return result;
}
