/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_model.c: the verb model, which prints the costs of methods as functions of their
 * parameters. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/nearest.h"
#include "mastermind/cmd/kept.h"
#include "mastermind/cmd/model/model_verb.h"

enum {
    OF_CLASS,
    AT,
    FORMULA,
    SVG,
    SAVE,
    ANY_MACHINE,
    MAX_POWER,
    METRIC,
    INCLUSIVE,
    JSON
};

static const struct cca_option option_table[] = {
    [OF_CLASS] = {"--of-class", "CLASS", "models of this class only"},
    [AT] = {"--at", "NAME=VALUE,...",
            "the cost of one call with these parameters; a mode by its label or number, "
            "all modes if none is given; may be repeated"},
    [FORMULA] = {"--formula", "LANG", "print the formulas as text, c, python or latex"},
    [SVG] = {"--svg", "FILE", "draw calls, curves, their intervals and breaks into FILE"},
    [SAVE] = {"--save", "DIR",
              "keep the models in this repository, a directory that can then be given in "
              "place of an experiment"},
    [ANY_MACHINE] = {"--any-machine", NULL,
                     "take models of other machines out of repositories, too"},
    [MAX_POWER] = {"--max-power", "P",
                   "the largest exponent of a parameter; 3 if not given"},
    [METRIC] = {"--metric", "NAME",
                "model this instead of own time: " MM_METRIC_TIMES
                ", a counter or an out-parameter (o.NAME)"},
    [INCLUSIVE] = {"--inclusive", NULL,
                   "model a call with all that it calls, not its own time alone"},
    [JSON] = {"--json", NULL, "print one document, mastermind/model/1"},
};

static const char *const languages[] = {"text", "c", "python", "latex"};

/* Read the language named by --formula; -1 with an exit code in `*code`. */
static int read_language(const struct cca_given *option, int *code)
{
    const char *name = cca_given_value(option);
    char hint[128];

    for (int i = 0; i < 4; i++)
        if (strcmp(languages[i], name) == 0)
            return i;
    *code = mm_refuse(
        MM_EXIT_MISUSE, "'%s' for --formula, expected text, c, python or latex%s",
        mm_safe(name),
        cca_nearest_hint(cca_nearest(name, languages, 4), hint, sizeof hint));
    return -1;
}

/* Print a comment line above a function: method, unit, and the measured ranges. */
static void print_remark(const struct mm_model *model, enum mm_formula_language language,
                         const char *mode)
{
    const struct mm_method_info *method = model->method;
    const char *open = language == MM_FORMULA_C        ? "/* "
                       : language == MM_FORMULA_PYTHON ? "# "
                                                       : "% ";
    char text[1600];
    size_t used;

    used = (size_t)snprintf(text, sizeof text, "%.300s %.300s%s%.250s: %s",
                            mm_safe(method->class_name), mm_safe(method->method),
                            *mode ? ", " : "", mm_safe(mode),
                            model->counts                  ? "a count"
                            : language == MM_FORMULA_LATEX ? "us a call"
                                                           : "ns a call");
    for (size_t i = 0; i < method->in_count && used < sizeof text - 200; i++)
        if (mm_form_uses(&model->forms.form[0], i))
            used += (size_t)snprintf(
                text + used, sizeof text - used, "; measured for %.100s from %s to %s",
                mm_safe(method->values[i].name), mm_range_number(model->low[i]),
                mm_range_number(model->high[i]));
    /* a name may have the end mark of a comment, which must not end this comment */
    for (char *at = text; language == MM_FORMULA_C && (at = strstr(at, "*/"));)
        *at = '_';
    printf("%s%s%s\n", open, text, language == MM_FORMULA_C ? " */" : "");
}

/* Names of the functions printed so far, which must differ. */
struct functions {
    char (*names)[MM_FORMULA_NAME];
    size_t count;
};

/* Write a function name made of `text`, with a number appended if it is used. Returns 0
 * or -ENOMEM. */
static int name_function(struct functions *functions, const char *text,
                         char name[MM_FORMULA_NAME])
{
    char first[MM_FORMULA_NAME];
    int number = 1;

    mm_formula_identifier(text, first);
    snprintf(name, MM_FORMULA_NAME, "%s", first);
    for (size_t i = 0; i < functions->count; i++)
        if (strcmp(functions->names[i], name) == 0) {
            snprintf(name, MM_FORMULA_NAME, "%.60s_%d", first, ++number);
            i = (size_t)-1;
        }
    if (cca_array_reserve(&functions->names, functions->count, sizeof *functions->names))
        return -ENOMEM;
    memcpy(functions->names[functions->count++], name, MM_FORMULA_NAME);
    return 0;
}

static int print_formula(const struct mm_model *model, enum mm_formula_language language,
                         struct functions *functions)
{
    const struct mm_method_info *method = model->method;
    char mode[256], name[1024], function[MM_FORMULA_NAME] = "t";

    mm_mode_print(method, model->modes, mode, sizeof mode);
    if (language == MM_FORMULA_TEXT) {
        mm_model_print(model, name, sizeof name);
        printf("%s %s%s%s: %s\n", mm_safe(method->class_name), mm_safe(method->method),
               *mode ? ", " : "", mm_safe(mode), mm_safe(name));
        return 0;
    }
    if (language != MM_FORMULA_LATEX)
        putchar('\n');
    print_remark(model, language, mode);
    snprintf(name, sizeof name, "%.300s_%.300s%s%.250s", method->class_name,
             method->method, *mode ? "_" : "", mode);
    if (language != MM_FORMULA_LATEX && name_function(functions, name, function))
        return -ENOMEM;
    mm_formula_write_model(stdout, language, model, function);
    return 0;
}

static int print_formulas(const struct mm_model_view *view,
                          enum mm_formula_language language)
{
    struct functions functions = {0};
    int result = 0;

    if (language == MM_FORMULA_C)
        puts("#include <math.h>");
    if (language == MM_FORMULA_PYTHON)
        puts("import math");
    for (size_t i = 0; i < view->library->count && !result; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        for (size_t k = 0; mm_model_wanted(view, set) && k < set->model_count; k++)
            if (!result)
                result = print_formula(&set->models[k], language, &functions);
    }
    free(functions.names);
    return result;
}

/* Refuse a class of --of-class that no model has. Returns -1 to go on. */
static int check_class(const struct mm_model_view *view, const struct mm_input *input)
{
    size_t wanted = 0;
    int result;

    for (size_t i = 0; i < view->library->count; i++)
        wanted += (size_t)mm_model_wanted(view, &view->library->sets[i]);
    if (wanted || !view->only->given)
        return -1;
    result = mm_input_check_class(input, view->only->values[0]);
    return result >= 0 ? result
                       : mm_refuse(MM_EXIT_INPUT, "no invocation of a class '%s'",
                                   mm_safe(view->only->values[0]));
}

static int print_view(const struct mm_model_view *view, const struct cca_given *options,
                      int language)
{
    if (options[AT].given)
        return mm_model_print_at(view, &options[AT], options[JSON].given);
    if (options[JSON].given)
        return mm_model_print_document(view, NULL, NULL);
    if (language < 0)
        mm_model_print_text(view);
    else if (print_formulas(view, (enum mm_formula_language)language))
        return mm_no_memory();
    mm_print_notes(&view->library->notes);
    return mm_finish_output(MM_EXIT_DONE);
}

static int is_wanted(const void *context, const struct mm_model_set *set)
{
    return mm_model_wanted(context, set);
}

static int run_model(const struct mm_input *input, const struct cca_given *options,
                     int language, double max_power)
{
    struct cca_error err = {0};
    struct mm_search_options search = {.max_power = max_power};
    struct mm_library *library = mm_input_library(input, &search, &err);
    struct mm_model_view view = {.library = library,
                                 .metric = &input->metric,
                                 .only = &options[OF_CLASS],
                                 .stretch = mm_input_stretch(input),
                                 .inclusive = input->inclusive};
    int result;

    if (!library || mm_kept_note_input(&library->notes, input, &err) ||
        (mm_library_note_apart(library) && cca_no_memory(&err))) {
        mm_library_free(library);
        return mm_complain(&err);
    }
    if (!library->count && input->repository_count) {
        mm_print_notes(&library->notes);
        mm_library_free(library);
        return mm_refuse(MM_EXIT_NO, "no model of %s for this machine",
                         mm_safe(input->metric.name));
    }
    result = check_class(&view, input);
    if (result < 0 && options[SVG].given)
        result = mm_model_draw(&view, cca_given_value(&options[SVG]));
    if (result < 0 && options[SAVE].given)
        result = mm_input_save(input, library, is_wanted, &view,
                               cca_given_value(&options[SAVE]));
    if (result < 0)
        result = print_view(&view, options, language);
    mm_library_free(library);
    return result;
}

static int model_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mm_input input;
    int result, language = -1;
    double max_power = 0;

    if (options[FORMULA].given && (options[JSON].given || options[AT].given))
        return mm_refuse(MM_EXIT_MISUSE, "--formula goes with neither --json nor --at");
    if (options[FORMULA].given &&
        (language = read_language(&options[FORMULA], &result)) < 0)
        return result;
    if (options[INCLUSIVE].given && options[SAVE].given)
        return mm_refuse(MM_EXIT_MISUSE, "--inclusive goes without --save: repositories "
                                         "have exclusive times");
    result = mm_option_number(&options[MAX_POWER], 1, &max_power);
    if (result >= 0)
        return result;
    result = mm_input_open_models(
        &input, args->words, args->count, &options[METRIC], &options[ANY_MACHINE],
        MM_INPUT_ALONE | (options[INCLUSIVE].given ? MM_INPUT_INCLUSIVE : 0));
    if (result < 0 && options[INCLUSIVE].given && input.repository_count)
        result = mm_refuse(MM_EXIT_MISUSE, "--inclusive takes experiments, no "
                                           "repositories: they have exclusive times");
    if (result < 0)
        result = run_model(&input, options, language, max_power);
    mm_input_done(&input);
    return result;
}

const struct cca_verb mm_verb_model = {
    .name = "model",
    .summary = "the cost of a call, as a function of its parameters",
    .examples =
        "mastermind model shock-1.mm\n"
        "mastermind model run-1.mm run-2.mm --of-class EFMFlux --at Q=1e6,axis=x\n"
        "mastermind model shock-1.mm --of-class EFMFlux --formula c > efm.c\n",
    .about =
        "Print the cost of a call as a function of its parameters: a formula for the "
        "exclusive time of each method, class and mode; with --inclusive for the time of "
        "a call with all that it calls. All experiments are pooled.\n",
    CCA_OPTIONS(option_table),
    .notes =
        "A formula is the typical cost of a call. Sums over many calls use the mean.\n",
    .run = model_verb,
};
