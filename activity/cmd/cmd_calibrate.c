/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_calibrate.c: activity calibrate. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "activity/calibrate/calibrate.h"
#include "activity/cmd/cmd.h"

static const char help[] =
    "usage: activity calibrate [-o FILE] [--mpi openmpi|mpich]\n"
    "\n"
    "  $ activity calibrate -o here.ini && activity run model.act --machine here.ini\n"
    "\n"
    "Measure this machine's memory (a triad on all cores) and its messages within the\n"
    "node (two ranks of MPI), and write it as a machine file, with the spread of each\n"
    "figure as a comment. What cannot be measured is said there. Takes some seconds, on\n"
    "a machine that has nothing else to do.\n"
    "\n"
    "  -o FILE           write there; usual: standard output\n"
    "  --mpi NAME        of two that are there; usual: openmpi\n"
    "\n"
    "Exit status: 0 done, 2 misuse, 5 I/O or memory.\n";

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

int act_cmd_calibrate(int argc, char **argv)
{
    static const struct option options[] = {
        {"mpi", required_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *path = NULL, *flavour = NULL;
    struct act_calibration calibration;
    struct cca_error err = {0};
    int option;

    while ((option = getopt_long(argc, argv, "ho:", options, NULL)) != -1) {
        if (option == 'o')
            path = optarg;
        else if (option == 'm')
            flavour = optarg;
        else
            return act_usage(option, "calibrate", help);
    }
    if (argc != optind)
        return act_refuse(ACT_EXIT_MISUSE,
                          "found '%.60s', expected options alone; activity calibrate -h",
                          argv[optind]);
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
