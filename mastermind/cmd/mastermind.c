/* SPDX-License-Identifier: BSD-3-Clause */
/* mastermind.c: the program mastermind: find the verb. */
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"

#define VERSION "0.1"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} verbs[] = {
    {"report", cmd_report, "where the time of a run went"},
    {"graph", cmd_graph, "who called whom, for Graphviz or as JSON"},
    {"model", cmd_model, "what a call costs, as a function of its parameters"},
    {"predict", cmd_predict, "what a run would cost with other classes in its slots"},
    {"choose", cmd_choose, "which classes to plug in"},
    {"sweep", cmd_sweep, "run a program with many parameters"},
    {"diff", cmd_diff, "how two groups of runs differ, and what made them dearer"},
    {"ledger", cmd_ledger, "how good predictions were"},
    {"messages", cmd_messages, "who waited for whom, from sampled messages of MPI"},
    {"properties", cmd_properties, "what is wrong with a run, how badly, how sure"},
    {"search", cmd_search, "make the runs that decide what is wrong"},
    {"mesh", cmd_mesh, "what every cell of a mesh costs, step by step"},
    {"balance", cmd_balance, "when to move the cells of a mesh between ranks"},
    {"activity", cmd_activity, "a run as an activity model, to edit and simulate"},
    {"records", cmd_records, "every row, as CSV or JSON lines"},
    {"record", cmd_record, "run a program and record its calls of library functions"},
    {"import", cmd_import, "make an experiment of samples or cells of other tools"},
    {"pack", cmd_pack, "make an experiment small; all verbs read it as it is"},
    {"export", cmd_export, "write profiles of TAU, and files of SQLite, VTK, LBAF"},
};
#define VERBS (sizeof verbs / sizeof *verbs)

static int help(void)
{
    puts("usage: mastermind VERB EXPERIMENT... [options]\n");
    for (size_t i = 0; i < VERBS; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    puts("\nThe first experiment is the base, further ones supply models.\n"
         "mastermind VERB -h prints examples and options of a verb.\n"
         "Exit status: 0 done, 1 the answer is no, 2 misuse, 3 bad input, 5 I/O or "
         "memory.");
    return mm_finish_output(MM_EXIT_DONE);
}

static int unknown_verb(const char *name)
{
    struct cca_nearest nearest;
    char hint[128] = "; mastermind -h lists them";

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < VERBS; i++)
        cca_nearest_offer(&nearest, verbs[i].name);
    if (nearest.best)
        cca_nearest_hint(nearest.best, hint, sizeof hint);
    return mm_refuse(MM_EXIT_MISUSE, "unknown verb '%s'%s", mm_safe(name), hint);
}

int main(int argc, char **argv)
{
    char help_option[] = "--help", *asked[] = {help_option};

    mm_memory_watch();
    if (argc < 2)
        return mm_refuse(MM_EXIT_MISUSE, "expected a verb; mastermind -h lists them");
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2))
        return help();
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        puts("mastermind " VERSION);
        return mm_finish_output(MM_EXIT_DONE);
    }
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 2, argv + 2);
        if (argc == 3 && !strcmp(argv[1], "help") && !strcmp(argv[2], verbs[i].name))
            return verbs[i].run(1, asked);
    }
    return unknown_verb(argv[!strcmp(argv[1], "help") ? 2 : 1]);
}
