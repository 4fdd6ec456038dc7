/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_export.c: an experiment in the file formats of other tools. */
#include <string.h>

#include "mastermind/export/tau_profile.h"
#include "mastermind/cmd/cmd.h"

static const char usage[] =
    "mastermind export tau shock-1.mm -o profiles\n"
    "\n"
    "Write profiles for other tools.\n"
    "\n"
    "  tau      profiles of TAU (pprof, ParaProf, Hatchet): a file for each thread,\n"
    "           with counters a directory for each metric\n"
    "  -o DIR   the directory for them; new or empty\n"
    "\n"
    "The cost of recording is subtracted from the times of callers.\n";

int cmd_export(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "-o", .takes_value = 1}};
    struct mm_experiment *experiment;
    struct mm_notes notes = {0};
    struct cca_error err = {0};
    int count, result;

    result = mm_options_read(options, 1, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    if (count != 2 || !options[0].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "export takes a format, an experiment and -o DIR");
    if (strcmp(argv[0], "tau") != 0)
        return mm_refuse(MM_EXIT_MISUSE, "unknown format '%s'; expected tau",
                         mm_safe(argv[0]));
    experiment = mm_experiment_open(argv[1], &err);
    if (!experiment)
        return mm_complain(&err);
    result = mm_tau_profiles(experiment, options[0].values[options[0].given - 1], &notes,
                             &err);
    mm_print_notes(&notes);
    mm_notes_done(&notes);
    mm_experiment_free(experiment);
    return result < 0 ? mm_complain(&err) : mm_finish_output(MM_EXIT_DONE);
}
