/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_print.c: activity print. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/cmd/cmd.h"
#include "activity/walk/forms.h"
#include "common/nearest.h"

/* Built-in output formats: a new one is a line here. Other formats are shared objects. */
static const struct {
    const char *name, *summary;
    act_form_write write;
} forms[] = {
    {"text", "the model as it is written", act_form_text},
    {"c", "the C that activity run compiles", act_form_c},
    {"prophet", "C++ as in Figure 4.2 of the paper", act_form_prophet},
    {"mpi", "a program in C and MPI that spins for the model's costs", act_form_mpi},
    {"xmi", "UML 2 in XMI, with tags of our profile", act_form_xmi},
    {"goal", "the operations of each process of --config, for LogGOPSim", act_form_goal},
    {"svg", "activity diagrams", act_form_svg},
    {"json", "the tree: docs/schemas/activity-model.json", act_form_json},
};
enum { FORMS = sizeof forms / sizeof *forms };

const char *act_form_name(const void *table, size_t i, const char **summary)
{
    (void)table;
    if (i >= FORMS)
        return NULL;
    *summary = forms[i].summary;
    return forms[i].name;
}

enum { AS, OUTPUT, CONFIG };
static const struct cca_option option_table[] = {
    [AS] = {"--as", "FORM",
            "one of the forms below (default: text), or ./mine.so, a form of your own "
            "(docs/reference/activity-language.md)"},
    [OUTPUT] = {"--output", "FILE",
                "write FILE; nothing where the form cannot express the model", "-o"},
    [CONFIG] = {"--config", "N2P8", "of goal: nodes, processes in all (default: N1P4)"},
};

static int unknown_form(const char *name)
{
    struct cca_nearest nearest;
    char hint[128] = "; activity print -h lists them";

    cca_nearest_init(&nearest, name);
    for (int i = 0; i < FORMS; i++)
        cca_nearest_offer(&nearest, forms[i].name);
    if (nearest.best)
        cca_nearest_hint(nearest.best, hint, sizeof hint);
    return act_refuse(ACT_EXIT_MISUSE, "unknown form '%.60s'%s", name, hint);
}

static int write_form(const struct act_model *model, const char *form,
                      const struct act_form_options *options, FILE *out,
                      struct cca_error *err)
{
    for (int i = 0; i < FORMS; i++)
        if (strcmp(form, forms[i].name) == 0)
            return forms[i].write(model, options, out, err);
    return act_form_plugin(form, model, out, err);
}

/* Print a model into a buffer first, so that a failure prints nothing. Returns an exit
 * code. */
static int print_model(const struct act_model *model, const char *form,
                       const struct act_form_options *options, const char *path)
{
    struct cca_error err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size), *out = stdout;
    int rc =
        memory ? write_form(model, form, options, memory, &err) : cca_no_memory(&err);

    if (memory && fclose(memory) != 0 && !rc)
        rc = cca_no_memory(&err);
    if (!rc && path && !(out = fopen(path, "we")))
        rc = cca_error_set(&err, -EIO, "%s: %s", path, strerror(errno));
    if (!rc)
        fwrite(text, 1, size, out);
    if (!rc && path && fclose(out) != 0)
        rc = cca_error_set(&err, -EIO, "%s: %s", path, strerror(errno));
    free(text);
    return rc ? act_complain(&err) : act_finish_output(ACT_EXIT_DONE);
}

static int is_known(const char *form)
{
    for (int i = 0; i < FORMS; i++)
        if (strcmp(form, forms[i].name) == 0)
            return 1;
    return strchr(form, '/') != NULL;
}

static int print_verb(const struct cca_args *args)
{
    struct act_form_options form_options = {.config = {1, 4, 0}};
    const char *config = cca_given_value(&args->options[CONFIG]);
    const char *form = cca_given_value(&args->options[AS]);
    struct cca_error err = {0};
    struct act_model *model;
    int rc;

    form = form ? form : forms[0].name;
    if (config && act_configs_read(config, &form_options.config, 1, &err) != 1)
        return act_refuse(ACT_EXIT_MISUSE, "%s", err.code ? err.text : config);
    if (args->count != 1)
        return act_refuse(ACT_EXIT_MISUSE, "expected one model; activity print -h");
    if (!is_known(form))
        return unknown_form(form);
    model = act_model_load(args->words[0], &err);
    if (!model)
        return act_complain(&err);
    rc = print_model(model, form, &form_options, cca_given_value(&args->options[OUTPUT]));
    act_model_free(model);
    return rc;
}

const struct cca_verb act_verb_print = {
    .name = "print",
    .summary = "a model in another form",
    .usage = "activity print FILE.act [--as FORM] [-o FILE] [--config N1P4]\n",
    CCA_OPTIONS(option_table),
    .columns = forms,
    .notes =
        "Exit status: 0 done, 2 misuse, 3 bad input, or a model that the form cannot "
        "express, 4 a fault of the model, 5 I/O or memory.\n",
    .run = print_verb,
};
