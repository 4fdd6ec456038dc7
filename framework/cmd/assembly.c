/* SPDX-License-Identifier: BSD-3-Clause */
/* assembly.c: create the framework and the script interpreter as the options require. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"
#include "framework/crash/probe.h"
#include "framework/assembly/params.h"

/* Append the folder of components for the run's implementation of MPI to the path. */
static int flavoured_components(struct ccafe_assembly *assembly, const char *dir,
                                const char *flavour, struct cca_error *err)
{
    char *flavoured;
    int status;

    if (asprintf(&flavoured, "%s/%s", dir, flavour) < 0)
        return cca_no_memory(err);
    status = ccafe_component_path(cca_framework_repository(assembly->framework),
                                  flavoured, err);
    free(flavoured);
    return status;
}

/* Define $CCA_LIB, and append the folder of this program's own components to the path. */
static int own_components(struct ccafe_assembly *assembly,
                          const struct cca_cohort *cohort, struct cca_error *err)
{
    const char *dir = assembly->own;
    int status = 0;

    if (cca_script_define_default(assembly->script, "CCA_LIB", dir) < 0)
        status = cca_no_memory(err);
    if (status == 0)
        status =
            ccafe_component_path(cca_framework_repository(assembly->framework), dir, err);
    if (status == 0 && cohort)
        status = flavoured_components(assembly, dir, cohort->flavour, err);
    return status;
}

static int define_variable(struct cca_script *script, const char *text)
{
    const char *equals = strchr(text, '=');
    char *name = strndup(text, equals ? (size_t)(equals - text) : 0);
    int status =
        name ? cca_script_define(script, name, equals ? equals + 1 : "") : -ENOMEM;

    free(name);
    if (status == -EINVAL)
        return ccafe_complain(CCA_EXIT_MISUSE, "-D '%s': expected NAME=VALUE", text);
    return status < 0 ? ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory") : 0;
}

static int bad_override(int code, const char *option, const char *text, const char *form)
{
    return code == -EINVAL ? ccafe_complain(CCA_EXIT_MISUSE, "%s '%s': expected %s",
                                            option, text, form)
                           : ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
}

/* Pass --set and --class to the script. */
static int set_overrides(struct cca_script *script, const struct ccafe_options *options)
{
    int code;

    for (int i = 0; i < options->settings->given; i++)
        if ((code = cca_script_override_parameter(script, options->settings->values[i])) <
            0)
            return bad_override(code, "--set", options->settings->values[i],
                                "INSTANCE.PORT.NAME=VALUE");
    for (int i = 0; i < options->classes->given; i++)
        if ((code = cca_script_override_class(script, options->classes->values[i])) < 0)
            return bad_override(code, "--class", options->classes->values[i],
                                "INSTANCE=CLASS");
    return 0;
}

/* Check option `key` against the parameters of that name in classes that the framework
 * instantiates by itself: the option replaces the parameter there. */
static int check_option(const struct cca_repository *repository, const char *key,
                        const char *value, struct cca_error *err)
{
    const struct cca_class_info *info;
    int status = 0;

    for (size_t i = 0; !status && (info = cca_repository_class(repository, i)); i++)
        for (const struct cca_param_decl *decl = info->cls.serves ? info->cls.params
                                                                  : NULL;
             decl && decl->name && !status; decl++)
            if (!strcmp(decl->name, key))
                status = cca_params_check(decl, value, info->cls.name, err);
    return status;
}

static int check_options(const struct ccafe_assembly *assembly,
                         const struct ccafe_options *options)
{
    const struct cca_repository *repository =
        cca_framework_repository(assembly->framework);
    struct cca_error err = {0};

    for (int i = 0; i < RECORDING_OPTIONS; i++)
        if (options->recording[i] && check_option(repository, recording_options[i].key,
                                                  options->recording[i], &err))
            return ccafe_complain(err.code == -ENOMEM ? CCA_EXIT_IO_OR_MEMORY
                                                      : CCA_EXIT_MISUSE,
                                  "%s", err.text);
    return 0;
}

int ccafe_assembly_init(struct ccafe_assembly *assembly,
                        const struct ccafe_options *options,
                        const struct cca_script_options *how)
{
    const struct cca_framework_options setup = {
        .dry = how->check,
        .strict = !options->trust,
        .measure = options->measure,
        .shadows = options->shadows->values,
        .shadow_count = options->shadows->given,
        .served = how->check ? NULL : ccafe_messages_serve(options),
        .cohort = how->check ? NULL : options->cohort};
    struct cca_error err = {0};
    int status = 0;

    *assembly = (struct ccafe_assembly){.own = ccafe_component_dir()};
    if (!assembly->own)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "where this program lies: %s",
                              strerror(errno));
    assembly->framework = cca_framework_new(&setup, &err);
    ccafe_signals_watch(assembly->framework);
    if (assembly->framework && !how->check)
        ccafe_probe_begin(cca_framework_repository(assembly->framework), assembly->own);
    if (assembly->framework)
        assembly->script = cca_script_new(assembly->framework, how);
    if (!assembly->script)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    if (own_components(assembly, options->cohort, &err) < 0)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s", err.text);
    for (int i = 0; status == 0 && i < options->defines->given; i++)
        status = define_variable(assembly->script, options->defines->values[i]);
    if (status == 0)
        status = set_overrides(assembly->script, options);
    for (int i = 0; status == 0 && i < options->dirs->given; i++)
        if (cca_script_path(assembly->script, options->dirs->values[i], &err) < 0)
            return ccafe_complain(ccafe_bad_directory(err.code), "--path: %s", err.text);
    return status ? status : check_options(assembly, options);
}

void ccafe_assembly_done(struct ccafe_assembly *assembly)
{
    cca_script_free(assembly->script);
    cca_framework_free(assembly->framework);
    ccafe_signals_watch(NULL);
    free(assembly->own);
}
