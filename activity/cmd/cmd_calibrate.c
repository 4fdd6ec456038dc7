/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_calibrate.c: activity calibrate. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "activity/calibrate/calibrate.h"
#include "activity/cmd/cmd.h"

enum { OUTPUT, MPI };
static const struct cca_option option_table[] = {
    [OUTPUT] = {"--output", "FILE", "write FILE (default: standard output)", "-o"},
    [MPI] = {"--mpi", "openmpi|mpich", "where both are there (default: openmpi)"},
};

static int write_file(const struct act_calibration *c, const char *path,
                      struct cca_error *err)
{
    char fresh[4200];
    FILE *out;
    int bad;

    snprintf(fresh, sizeof fresh, "%.4190s.new", path);
    out = fopen(fresh, "we");
    if (!out)
        return cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    bad = act_calibration_print(c, out) != 0;
    bad |= fclose(out) != 0;
    if (!bad && rename(fresh, path) == 0)
        return 0;
    cca_error_set(err, -EIO, "%s: %s", path, strerror(errno ? errno : EIO));
    unlink(fresh);
    return -EIO;
}

static int calibrate_verb(const struct cca_args *args)
{
    const char *path = cca_given_value(&args->options[OUTPUT]);
    const char *flavour = cca_given_value(&args->options[MPI]);
    struct act_calibration calibration;
    struct cca_error err = {0};

    if (args->count)
        return act_refuse(ACT_EXIT_MISUSE,
                          "found '%.60s', expected options alone; activity calibrate -h",
                          args->words[0]);
    if (flavour && strcmp(flavour, "openmpi") != 0 && strcmp(flavour, "mpich") != 0)
        return act_refuse(ACT_EXIT_MISUSE,
                          "found '%.60s' for --mpi, expected openmpi or mpich", flavour);
    if (isatty(STDERR_FILENO))
        fputs("activity: measuring memory and messages, some seconds\n", stderr);
    if (act_calibrate(&calibration, flavour, &err) ||
        (path && write_file(&calibration, path, &err)))
        return act_complain(&err);
    if (!path && act_calibration_print(&calibration, stdout))
        return act_refuse(ACT_EXIT_SYSTEM, "standard output: %s", strerror(EIO));
    if (*calibration.missing)
        fprintf(stderr, "activity: note: messages were not measured: %s\n",
                calibration.missing);
    return act_finish_output(ACT_EXIT_DONE);
}

const struct cca_verb act_verb_calibrate = {
    .name = "calibrate",
    .summary = "this machine as a machine file",
    .usage = "activity calibrate [-o FILE] [--mpi openmpi|mpich]\n",
    .examples = "activity calibrate -o here.ini\n"
                "activity run model.act --machine here.ini\n",
    .about = "Measure this machine's memory (a triad on all cores) and its messages "
             "within the node (two ranks of MPI), and write it as a machine file, with "
             "the spread of each figure as a comment. The file names figures that could "
             "not be measured. Takes some seconds, on a machine that has nothing else to "
             "do.\n",
    CCA_OPTIONS(option_table),
    .notes = "Exit status: 0 done, 2 misuse, 5 I/O or memory.\n",
    .run = calibrate_verb,
};
