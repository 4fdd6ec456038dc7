/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_export.c: an experiment in the file formats of other tools. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/export/tau_profile.h"
#include "mastermind/cmd/cmd.h"
#include "properties/load/load.h"

enum { OUTPUT, PENALTIES };

static const struct cca_option option_table[] = {
    [OUTPUT] = {"--output", "PATH",
                "tau: the directory for them, new or empty; sqlite: the file, new", "-o"},
    [PENALTIES] =
        {"--penalties", NULL,
         "sqlite: measure the cost of cache misses on this machine, once: a few seconds"},
};

static int export_tau(const char *path, const char *output)
{
    struct cca_error err = {0};
    struct mm_notes notes = {0};
    struct mm_experiment *experiment = mm_experiment_open(path, &err);
    int result;

    if (!experiment)
        return mm_complain(&err);
    result = mm_tau_profiles(experiment, output, &notes, &err);
    mm_print_notes(&notes);
    mm_notes_done(&notes);
    mm_experiment_free(experiment);
    return result < 0 ? mm_complain(&err) : mm_finish_output(MM_EXIT_DONE);
}

static void print_progress(void *context, const char *line)
{
    (void)context;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kmastermind: %s%s", line, *line ? "" : "\r");
    else if (*line)
        fprintf(stderr, "mastermind: %s\n", line);
}

static int export_sqlite(const struct mm_paths *paths, const char *output, int penalties)
{
    struct mm_load_options options = {.penalties = penalties, .progress = print_progress};
    struct mm_store *store = NULL;
    struct cca_error err = {0};
    int result = mm_store_new(&store, output, &err);

    if (result == -EEXIST)
        return mm_refuse(MM_EXIT_SYSTEM, "%s: exists, expected the name of a new file",
                         mm_safe(output));
    for (size_t i = 0; i < paths->count && !result; i++)
        result = mm_store_load(store, paths->items[i], &options, &err);
    if (!result && mm_memory_failed()) /* out of memory: data may be missing in the
                                        * output */
        result = cca_no_memory(&err);
    if (!result)
        result = mm_store_finish(store, &err);
    mm_store_free(store);
    if (!result)
        return mm_finish_output(MM_EXIT_DONE);
    if (result == -EEXIST)
        return mm_refuse(MM_EXIT_INPUT, "%s", mm_safe(err.text));
    if (!err.code)
        cca_no_memory(&err);
    return mm_complain(&err);
}

static int export_all(const char *format, char *const *given, int count,
                      const char *output, int penalties)
{
    struct mm_paths paths;
    int result;

    if (strcmp(format, "tau") == 0 && count == 1 && !penalties)
        return export_tau(given[0], output);
    if (strcmp(format, "tau") == 0)
        return mm_refuse(MM_EXIT_MISUSE, "export tau takes one experiment and -o DIR");
    result = mm_paths_expand(&paths, given, count);
    if (result < 0)
        result = export_sqlite(&paths, output, penalties);
    mm_paths_done(&paths);
    return result;
}

static int export_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;

    if (args->count < 2 || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "export takes a format, experiments and -o PATH");
    if (strcmp(args->words[0], "tau") != 0 && strcmp(args->words[0], "sqlite") != 0)
        return mm_refuse(
            MM_EXIT_MISUSE,
            "unknown format '%s'; expected folded, speedscope, chrome, "
            "callgrind, caliper, openmetrics, csv, extra-p, tau, sqlite, vtk "
            "or lbaf",
            mm_safe(args->words[0]));
    return export_all(args->words[0], args->words + 1, args->count - 1,
                      cca_given_value(&options[OUTPUT]), options[PENALTIES].given);
}

const struct cca_verb mm_verb_export = {
    .name = "export",
    .summary = "write profiles of TAU, and files of SQLite, VTK, LBAF",
    .examples = "mastermind export tau shock-1.mm -o profiles\n"
                "mastermind export sqlite shock-1.mm shock-2.mm -o shock.sqlite\n",
    .about =
        "Write experiments in formats of other tools. `mastermind export folded -h` "
        "is about folded, speedscope, chrome, callgrind, caliper, openmetrics, csv "
        "and extra-p; `mastermind export vtk -h` and `mastermind export lbaf -h` are "
        "about mesh profiles.\n"
        "\n"
        "  tau      profiles of TAU (pprof, ParaProf, Hatchet): a file for each thread,\n"
        "           with counters a directory for each metric\n"
        "  sqlite   one SQLite file of all experiments: regions, processing units, and "
        "what\n"
        "           each spent where (docs/reference/property-files.md); another such "
        "file may stand among\n"
        "           the experiments\n",
    CCA_OPTIONS(option_table),
    .notes = "The cost of recording is subtracted from the times of callers.\n",
    .run = export_verb,
};
