/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the program activity: find and run the verb. */
#include <stdio.h>
#include <string.h>

#include "activity/cmd/cmd.h"
#include "common/nearest.h"

#define VERSION "0.1"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} verbs[] = {
    {"calibrate", act_cmd_calibrate, "this machine as a machine file"},
    {"check", act_cmd_check, "which rules a model breaks"},
    {"import", act_cmd_import, "UML activities (XMI) as models"},
    {"print", act_cmd_print, "a model in another form"},
    {"run", act_cmd_run, "how long a model's program lasts on nodes and processes"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int help(void)
{
    puts("usage: activity VERB FILE... [options]\n");
    for (int i = 0; i < VERBS; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    puts("\nactivity VERB -h prints examples and options of a verb.\n"
         "Exit status: 0 done, 1 the answer is no, 2 misuse, 3 bad input, 4 a fault of "
         "the\n"
         "model while it runs, 5 I/O or memory.");
    return act_finish_output(ACT_EXIT_DONE);
}

static int unknown_verb(const char *name)
{
    struct cca_nearest nearest;
    char hint[128] = "; activity -h lists them";

    cca_nearest_init(&nearest, name);
    for (int i = 0; i < VERBS; i++)
        cca_nearest_offer(&nearest, verbs[i].name);
    if (nearest.best)
        cca_nearest_hint(nearest.best, hint, sizeof hint);
    return act_refuse(ACT_EXIT_MISUSE, "unknown verb '%.60s'%s", name, hint);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return act_refuse(ACT_EXIT_MISUSE, "expected a verb; activity -h lists them");
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)
        return help();
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        puts("activity " VERSION);
        return act_finish_output(ACT_EXIT_DONE);
    }
    for (int i = 0; i < VERBS; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    return unknown_verb(argv[1]);
}
