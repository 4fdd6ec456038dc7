/* SPDX-License-Identifier: BSD-3-Clause */
/* measured.c: a choice for a run as it was measured: choose, write, run, print. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/choose/script.h"
#include "mastermind/cmd/kept.h"

/* The experiment that has the wiring of an instance. */
static const struct mm_experiment *experiment_of(const struct mm_input *input,
                                                 const struct mm_instance *instance)
{
    for (size_t i = 0; i < input->count; i++) {
        const struct mm_wiring *wiring = input->experiments[i]->wiring;

        for (size_t k = 0; wiring && k < wiring->instance_count; k++)
            if (&wiring->instances[k] == instance)
                return input->experiments[i];
    }
    return input->experiments[0];
}

/* The script of the choice; classes [slot_count] and remark are the caller's memory. */
static struct mm_script script_of(const struct mm_choose_view *view,
                                  struct mm_script_class *classes, char *remark,
                                  size_t size)
{
    const struct mm_choice *choice = view->choice;
    size_t used = 0;

    *remark = '\0';
    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_candidate *c = &choice->slots[i].candidates[choice->chosen[i]];

        classes[i] = (struct mm_script_class){choice->slots[i].instance, c->class_name,
                                              experiment_of(view->input, c->instance),
                                              c->instance};
        if (used < size)
            used +=
                (size_t)snprintf(remark + used, size - used, "%s%s%s%s", i ? ", " : "",
                                 choice->slot_count > 1 ? classes[i].instance : "",
                                 choice->slot_count > 1 ? "=" : "", c->class_name);
    }
    return (struct mm_script){.base = view->input->experiments[0],
                              .classes = classes,
                              .class_count = choice->slot_count,
                              .remark = remark};
}

/* Run the script at `path`. -1 to go on. */
static int run_script(const struct mm_choose_view *view, const char *path,
                      struct mm_choose_run *run)
{
    const struct mm_choose_asked *asked = view->asked;
    const struct mm_choice *choice = view->choice;

    run->predicted_ns = choice->total_ns;
    run->low_ns = asked->keeper->low;
    run->high_ns = asked->keeper->high;
    run->percent = 95;
    return mm_choose_run_script(path, view->input->experiments[0]->ranks, asked->launcher,
                                asked->words, asked->word_count, asked->output,
                                &view->input->metric, run);
}

/* Write the script where it is asked for, or for the run alone, and run it. -1 to go on.
 */
static int write_and_run(struct mm_choose_view *view, const struct mm_script *script,
                         struct mm_choose_run *run)
{
    const struct mm_choose_asked *asked = view->asked;
    char temporary[] = "/tmp/choice-XXXXXX.rc";
    const char *path = asked->write;
    struct cca_error err = {0};
    char *text = mm_script_text(script, &err);
    int file = -1, result = -1;

    if (!text)
        return mm_complain(&err);
    if (!path) {
        path = temporary;
        file = mkstemps(temporary, 3);
        if (file < 0)
            result = mm_refuse(MM_EXIT_SYSTEM, "cannot make a file in /tmp");
        else
            close(file);
    }
    if (result < 0)
        result = mm_script_write(path, text, asked->force || file >= 0);
    if (result < 0 && asked->write)
        view->script = asked->write;
    if (result < 0 && asked->run)
        result = run_script(view, path, run);
    if (result < 0 && asked->run)
        result = mm_choose_run_measure(run, &view->input->metric);
    if (result < 0 && asked->run) {
        view->run = run;
        mm_keeper_take(asked->keeper, run->experiment);
    }
    if (file >= 0)
        unlink(temporary);
    free(text);
    return result;
}

static int act_and_print(struct mm_choose_view *view)
{
    const struct mm_choose_asked *asked = view->asked;
    const struct mm_choice *choice = view->choice;
    struct mm_script_class *classes = calloc(choice->slot_count + 1, sizeof *classes);
    struct mm_choose_run run = {0};
    struct mm_script script;
    char remark[600];
    char *command = NULL;
    int result = classes ? -1 : mm_no_memory();

    if (classes && choice->found) {
        mm_choose_keep(view);
        script = script_of(view, classes, remark, sizeof remark);
        run.what = remark;
        if (asked->write || asked->run)
            result = write_and_run(view, &script, &run);
        command = asked->write ? mm_script_command(&script) : NULL;
    }
    if (result < 0)
        result = asked->json    ? mm_choose_print_json(view)
                 : asked->quiet ? mm_choose_print_quiet(view)
                                : mm_choose_print(view);
    if (result == MM_EXIT_DONE && !asked->json && !asked->quiet) {
        if (view->script)
            printf("%s has it: ccafe %s\n", mm_safe(asked->write), mm_safe(asked->write));
        if (command)
            printf("the same by options:\n  %s\n", command);
        if (view->run)
            mm_choose_run_print(view->run, &view->input->metric);
        result = mm_finish_output(result);
    }
    free(command);
    free(classes);
    mm_choose_run_done(&run);
    return result;
}

int mm_choose_measured(const struct mm_input *input, const struct mm_choose_asked *asked)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_input_library(input, NULL, &err);
    struct mm_choice *choice = NULL;
    struct mm_choose_view view = {.input = input, .asked = asked, .library = library};
    int result;

    if (library && !mm_kept_note_input(&library->notes, input, &err))
        choice = mm_choice_new(input->profiles, input->count, library, asked->slot,
                               asked->requirements, asked->requirement_count, &err);
    view.choice = choice;
    view.query = asked->has_query ? &asked->query : NULL;
    if (choice && choice->found && view.query)
        mm_choice_list(choice, input->profiles[0], library, asked->requirements,
                       asked->requirement_count, view.query, &err);
    result = !choice || err.code ? mm_complain(&err) : act_and_print(&view);
    if (choice && result == MM_EXIT_DONE && (!choice->found || !choice->slot_count))
        result = MM_EXIT_NO;
    mm_choice_free(choice);
    mm_library_free(library);
    return result;
}
