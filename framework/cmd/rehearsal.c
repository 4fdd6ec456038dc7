/* SPDX-License-Identifier: BSD-3-Clause */
/* rehearsal.c: find mistakes in --set and --class before the run. */
#include <string.h>

#include "framework/cmd/cmd.h"

/* Check the script and report only mistakes in --set and --class: the run itself finds
 * other mistakes. The check makes no proxies. One rank checks for all ranks. */
static int check_alone(const struct ccafe_options *options)
{
    const struct cca_script_options how = {.check = 1,
                                           .only_overrides = 1,
                                           .compat = options->compat,
                                           .allow_shell = options->allow_shell,
                                           .load = options->load,
                                           .path = options->path,
                                           .words = ccafe_ranks_words(options)};
    struct ccafe_options alone = *options;
    struct ccafe_assembly assembly;
    int status;

    alone.measure = 0;
    status = ccafe_assembly_init(&assembly, &alone, &how);
    if (status == 0) {
        alone.cohort = NULL;
        status = ccafe_run_scripts(assembly.script, &alone);
        if (status != CCA_EXIT_MISUSE && cca_script_ended(assembly.script))
            status = 0; /* other mistakes are not reported here: the run will find them */
    }
    ccafe_assembly_done(&assembly);
    return status;
}

int ccafe_rehearse(const struct ccafe_options *options)
{
    int is_stdin = !options->script || strcmp(options->script, "-") == 0;
    int status = 0;

    if (is_stdin || options->settings->given + options->classes->given == 0)
        return 0;
    if (!options->cohort || options->cohort->rank == 0)
        status = check_alone(options);
    return ccafe_ranks_agree(options, status);
}
