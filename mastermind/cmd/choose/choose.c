/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c: the steps of the verb: choose, write the script, run it, print. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/kept.h"

/* --- The script -------------------------------------------------------------------- */

/* A script and the arrays that it points into. */
struct open_script {
    struct mm_script script;
    struct mm_script_class *classes; /* [axes] */
    struct mm_script_value *values;  /* [axes] */
    char remark[600];
};

static int is_other(const char *a, const char *b)
{
    return a && (!b || strcmp(a, b) != 0);
}

/* True if a parameter follows this variable, so that a script can set it. */
static int is_parameter(const struct mm_axes *axes, size_t axis)
{
    for (size_t i = 0; i < axes->count; i++)
        if (i != axis && axes->items[i].same_as == axis &&
            axes->items[i].kind != MM_AXIS_VARIABLE)
            return 1;
    return 0;
}

/* The instance with the chosen class of a slot, in a run where it has another name, and
 * the index of that run; NULL: there is none. */
static const struct mm_instance *chosen_instance(const struct mm_open_view *view,
                                                 size_t axis, size_t *run)
{
    for (size_t s = 0; s < view->choice->slot_count; s++) {
        const struct mm_open_slot *slot = &view->choice->slots[s];
        const struct mm_open_class *c = &slot->classes[view->choice->items[0].at[s]];

        if (slot->axis != axis)
            continue;
        *run = c->run;
        return c->instance;
    }
    return NULL;
}

/* Add the change of one axis against the first run to the script. Returns -1 to go on. */
static int add_axis(const struct mm_open_view *view, struct open_script *s, size_t at)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    const struct mm_axis *axis = &axes->items[at];
    const char *text = mm_open_text(view, &view->choice->items[0], at);
    const struct mm_instance *like = NULL;
    size_t run = 0;

    if (!is_other(text, axis->text[0]))
        return -1;
    if (axis->kind == MM_AXIS_PARAMETER)
        s->values[s->script.value_count++] = (struct mm_script_value){axis->name, text};
    if (axis->kind == MM_AXIS_VARIABLE && axis->same_as == at && !is_parameter(axes, at))
        return mm_refuse(MM_EXIT_MISUSE,
                         "no script can be written: no parameter has the value of '%s'",
                         mm_safe(axis->name));
    if (axis->kind != MM_AXIS_CLASS)
        return -1;
    while (run < axes->runs && (!axis->text[run] || strcmp(axis->text[run], text) != 0))
        run++;
    if (run < axes->runs && view->runs->experiments[run]->wiring)
        like = mm_wiring_instance(view->runs->experiments[run]->wiring, axis->name);
    else if (run == axes->runs)
        like = chosen_instance(view, at, &run);
    if (like)
        s->classes[s->script.class_count++] = (struct mm_script_class){
            axis->name, text, view->runs->experiments[run], like};
    return -1;
}

/* Prepare the script of the chosen run. Returns -1 to go on; call open_script_done
 * either way. */
static int open_script_init(struct open_script *s, const struct mm_open_view *view)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    int result = -1;

    *s = (struct open_script){.classes = calloc(axes->count + 1, sizeof *s->classes),
                              .values = calloc(axes->count + 1, sizeof *s->values)};
    if (!s->classes || !s->values)
        return mm_no_memory();
    mm_open_classes(view->choice, view->choice->items[0].at, s->remark, sizeof s->remark);
    s->script.base = view->runs->experiments[0];
    s->script.classes = s->classes;
    s->script.values = s->values;
    s->script.remark = s->remark;
    for (size_t i = 0; i < axes->count && result < 0; i++)
        result = add_axis(view, s, i);
    return result;
}

static void open_script_done(struct open_script *s)
{
    free(s->classes);
    free(s->values);
}

/* Write the script to `path`. Returns -1 to go on. */
static int write_script(struct mm_open_view *view, const char *path, int force)
{
    struct open_script s;
    struct cca_error err = {0};
    int result = open_script_init(&s, view);
    char *text = result < 0 ? mm_script_text(&s.script, &err) : NULL;

    if (result < 0)
        result = text ? mm_script_write(path, text, force) : mm_complain(&err);
    if (result < 0 && view->runs->has_base && !view->command)
        view->command = mm_script_command(&s.script);
    free(text);
    open_script_done(&s);
    return result;
}

/* --- The run ----------------------------------------------------------------------- */

static int add_option(char **options, size_t *count, const char *option, const char *name,
                      const char *value)
{
    options[*count] = strdup(option);
    if (!options[*count])
        return -1;
    if (asprintf(&options[++*count], "%s=%s", name, value) < 0) {
        options[*count] = NULL;
        return -1;
    }
    ++*count;
    return 0;
}

/* The options of ccafe for the values in which runs of the sweep differ, and the user's
 * own options. The result is new, NULL at its end; NULL: out of memory. */
static char **run_options(const struct mm_open_view *view)
{
    static const char *const words[] = {"-D", "--set", "--class"};
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    const struct mm_choose_asked *asked = view->asked;
    size_t count = 0;
    char **options =
        calloc(2 * axes->count + (size_t)asked->word_count + 1, sizeof *options);

    for (size_t i = 0; options && i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];
        const char *text = mm_open_text(view, &view->choice->items[0], i);

        if (axis->kind == MM_AXIS_RANKS || !mm_axis_counts(axes, i) || !text ||
            (!axis->varies && !is_other(text, axis->text[0])))
            continue;
        if (add_option(options, &count, words[axis->kind], axis->name, text))
            goto fail;
    }
    for (int i = 0; options && i < asked->word_count; i++) {
        options[count] = strdup(asked->words[i]);
        if (!options[count++])
            goto fail;
    }
    return options;
fail:
    sweep_words_free(options);
    return NULL;
}

/* Run the sweep's command. Returns -1 to go on. */
static int run_sweep(const struct mm_open_view *view, const char *dir, const char *ranks,
                     struct mm_choose_run *run)
{
    struct sweep sweep = {.dir = dir, .lock = -1, .run_lock = -1};
    char **options = run_options(view);
    int result = options ? sweep_read_plan(&sweep) : mm_no_memory();

    if (result < 0)
        result = sweep_command_check(&sweep);
    if (result < 0 && (view->asked->launcher || (!sweep.launcher && atoi(ranks) > 1))) {
        free(sweep.launcher);
        sweep.launcher =
            strdup(view->asked->launcher ? view->asked->launcher : "mpirun -n %n");
        result = sweep.launcher ? -1 : mm_no_memory();
    }
    if (result < 0)
        result = mm_choose_run(&sweep, ranks, options, view->asked->output,
                               &view->runs->models.metric, run);
    sweep_words_free(options);
    sweep_done(&sweep);
    return result;
}

/* Run a script that was written for this run. Returns -1 to go on. */
static int run_script(struct mm_open_view *view, const char *ranks,
                      struct mm_choose_run *run)
{
    const struct mm_choose_asked *asked = view->asked;
    char temporary[] = "/tmp/choice-XXXXXX.rc";
    const char *path = view->script;
    int file = path ? -1 : mkstemps(temporary, 3), result = -1;

    if (!path && file < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot make a file in /tmp");
    if (!path) {
        path = temporary;
        close(file);
        result = write_script(view, path, 1);
    }
    if (result < 0)
        result = mm_choose_run_script(path, atoi(ranks), asked->launcher, asked->words,
                                      asked->word_count, asked->output,
                                      &view->runs->models.metric, run);
    if (file >= 0)
        unlink(temporary);
    return result;
}

/* Measure the total of the run, by the metric of the forecast. Returns -1 to go
 * on. */
static int measure(const struct mm_open_view *view, struct mm_choose_run *run)
{
    struct mm_run_input held = {0};
    int result = mm_run_input_open(
        &held, &run->experiment, 1,
        &(struct mm_run_options){.metric = view->asked->from.metric}, view->runs);

    if (result < 0)
        run->measured_ns = isnan(held.runs[0].total_ns)
                               ? (double)held.runs[0].profile->dual->total_ns
                               : held.runs[0].total_ns;
    mm_run_input_done(&held);
    return result;
}

/* The first sweep among the paths; NULL: none. */
static const char *find_sweep(char *const *paths, int count)
{
    for (int i = 0; i < count; i++)
        if (mm_path_is_sweep(paths[i]))
            return paths[i];
    return NULL;
}

static int run_choice(struct mm_open_view *view, const char *sweep,
                      struct mm_choose_run *run)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    const struct mm_open_assembly *choice = &view->choice->items[0];
    size_t axis = mm_axes_find(axes, MM_AXIS_RANKS, "ranks");
    const char *ranks = axis == MM_NO_AXIS ? "1" : mm_open_text(view, choice, axis);
    int result;

    run->predicted_ns = choice->forecast->total_ns;
    run->low_ns = choice->forecast->low_ns;
    run->high_ns = choice->forecast->high_ns;
    result = sweep ? run_sweep(view, sweep, ranks, run) : run_script(view, ranks, run);
    return result < 0 ? measure(view, run) : result;
}

/* --- The steps --------------------------------------------------------------------- */

static int act_and_print(struct mm_open_view *view, const char *sweep)
{
    const struct mm_choose_asked *asked = view->asked;
    struct mm_choose_run run = {0};
    char what[600];
    int result = -1;

    if (view->choice->count && asked->write) {
        result = write_script(view, asked->write, asked->force);
        view->script = result < 0 ? asked->write : NULL;
    }
    if (view->choice->count && asked->run && result < 0) {
        run.what =
            mm_open_classes(view->choice, view->choice->items[0].at, what, sizeof what);
        result = run_choice(view, sweep, &run);
        view->run = result < 0 ? &run : NULL;
        if (view->run)
            mm_keeper_take(asked->keeper, run.experiment);
    }
    if (result < 0)
        result = asked->json    ? mm_open_print_json(view)
                 : asked->quiet ? mm_open_print_quiet(view)
                                : mm_open_print(view);
    mm_choose_run_done(&run);
    free(view->command);
    return result == MM_EXIT_DONE && !view->choice->count ? MM_EXIT_NO : result;
}

/* Refuse a slot that does not exist. Returns -1 to go on. */
static int check_slot(const struct mm_open_view *view)
{
    return view->asked->slot
               ? mm_input_check_instance(&view->runs->models, view->asked->slot)
               : -1;
}

static int choose(struct mm_open_view *view, const char *sweep, struct cca_error *err)
{
    const struct mm_run_input *runs = view->runs;
    const struct mm_choose_asked *asked = view->asked;
    const struct mm_wiring **wirings = calloc(runs->run_count + 1, sizeof *wirings);
    struct mm_open_choice *choice;
    int result;

    if (!wirings)
        return mm_no_memory();
    for (size_t i = 0; i < runs->run_count; i++)
        wirings[i] = runs->experiments[i]->wiring;
    choice = mm_open_choice_new(
        &(struct mm_open_asked){.forecaster = view->forecaster,
                                .runs = runs->runs,
                                .wirings = wirings,
                                .run_count = runs->run_count,
                                .text = view->question->text,
                                .requirements = asked->requirements,
                                .requirement_count = asked->requirement_count,
                                .query = asked->has_query ? &asked->query : NULL},
        err);
    view->choice = choice;
    if (choice) {
        if (mm_input_stretch(&runs->models))
            mm_open_choice_stretch(choice, mm_input_stretch(&runs->models));
        mm_open_keep(view, choice);
        result = act_and_print(view, sweep);
    } else if (err->code == -ENODATA)
        result = mm_refuse(MM_EXIT_NO, "no choice: %s", mm_safe(err->text));
    else
        result = mm_complain(err);
    mm_open_choice_free(choice);
    free(wirings);
    return result;
}

static int ask(struct mm_open_view *view, struct mm_library *library, const char *sweep)
{
    struct mm_question question = {0};
    struct cca_error err = {0};
    int result;

    view->library = library;
    view->question = &question;
    if (mm_kept_note_input(&library->notes, &view->runs->models, &err))
        return mm_complain(&err);
    if (mm_kept_note_host(&library->notes, &view->runs->models))
        return mm_no_memory();
    view->forecaster =
        mm_forecaster_new(view->runs->runs, view->runs->run_count, library, &err);
    if (!view->forecaster)
        return err.code == -ENODATA
                   ? mm_refuse(MM_EXIT_NO, "no choice: %s", mm_safe(err.text))
                   : mm_complain(&err);
    result = check_slot(view);
    if (result < 0)
        result = mm_question_read(
            &question, mm_forecaster_axes(view->forecaster), &view->asked->question,
            &(struct mm_question_rule){view->runs->has_base, 1, view->asked->slot});
    if (result < 0)
        result = mm_question_check_classes(
            &question, mm_forecaster_axes(view->forecaster), &view->runs->models);
    if (result < 0)
        result = choose(view, sweep, &err);
    mm_question_done(&question);
    mm_forecaster_free(view->forecaster);
    return result;
}

int mm_choose_open(char *const *paths, int count, const struct mm_choose_asked *asked)
{
    struct mm_run_input runs = {0};
    struct mm_open_view view = {.runs = &runs, .asked = asked};
    struct cca_error err = {0};
    struct mm_library *library = NULL;
    int result = mm_run_input_open(&runs, paths, count, &asked->from, NULL);

    if (result < 0) {
        view.metric = mm_run_metric(&runs);
        library = mm_input_library(&runs.models, NULL, &err);
        result =
            library ? ask(&view, library, find_sweep(paths, count)) : mm_complain(&err);
    }
    mm_library_free(library);
    mm_run_input_done(&runs);
    return result;
}
