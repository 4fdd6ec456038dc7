/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_check.c: ccafe check [options] SCRIPT: report every mistake, run no component
 * code. */
#include "framework/cmd/cmd.h"

static void count_parts(struct cca_framework *framework, size_t *instances,
                        size_t *connections)
{
    struct builder_port *builder = cca_framework_builder(framework);
    struct builder_instance instance;
    struct builder_connection connection;

    for (*instances = 0; builder->instance(builder, *instances, 0, &instance) == 0;)
        ++*instances;
    for (*connections = 0; builder->connection(builder, *connections, &connection) == 0;)
        ++*connections;
}

static int check_scripts(const struct ccafe_options *options)
{
    const struct cca_script_options how = {.check = 1,
                                           .compat = options->compat,
                                           .allow_shell = options->allow_shell,
                                           .load = options->load,
                                           .path = options->path};
    struct ccafe_assembly assembly;
    int status = ccafe_assembly_init(&assembly, options, &how);
    size_t instances, connections;

    if (status == 0) {
        status = ccafe_run_scripts(assembly.script, options);
        if (status == 0) {
            count_parts(assembly.framework, &instances, &connections);
            printf("%s: no mistakes: %zu instance%s, %zu connection%s\n",
                   ccafe_script_name(options), instances, instances == 1 ? "" : "s",
                   connections, connections == 1 ? "" : "s");
        }
    }
    ccafe_assembly_done(&assembly);
    return status;
}

static int check_verb(const struct cca_args *args)
{
    struct ccafe_options options;
    int status = ccafe_options_read(&options, args);

    if (status < 0 && !options.script)
        status =
            ccafe_complain(CCA_EXIT_MISUSE, "check: no script given; - means standard "
                                            "input");
    return status < 0 ? check_scripts(&options) : status;
}

const struct cca_verb ccafe_verb_check = {
    .name = "check",
    .summary = "find all mistakes of a script; runs no component",
    .usage = "ccafe check [options] SCRIPT\n",
    .about = "Find all mistakes; SCRIPT may be -, standard input. Runs no component. The "
             "options are those of run.\n",
    .options = ccafe_run_options,
    .option_count = CCAFE_RUN_OPTIONS,
    .recording = RECORDING_OPTIONS,
    .options_first = 1,
    .run = check_verb,
};
