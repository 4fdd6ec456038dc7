/* SPDX-License-Identifier: BSD-3-Clause */
/* import_lbaf.c: convert LBDatafiles to an experiment with a mesh profile. */

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/lbaf/import.h"

enum { ALLOW_LOST, OUTPUT };

static const struct cca_option option_table[] = {
    [ALLOW_LOST] = {"--allow-lost", NULL, "phases may be missing, and stay so"},
    [OUTPUT] = {"--output", "EXP",
                "the directory to make; it must not exist, or be empty", "-o"},
};

static void tell(const struct mesh_lbaf_found *found, const char *output)
{
    fprintf(stderr, "experiment %s: profile %s, %s of %s on %s, %s", mm_safe(output),
            found->name, mm_counted(found->phases, "phase"),
            mm_counted(found->tasks, "task"), mm_counted(found->ranks, "rank"),
            found->dims ? "a grid" : "elements");
    if (found->come_and_go)
        fputs(", which come and go", stderr);
    if (found->identical)
        fprintf(stderr, "; %s of ranks identical to the one before",
                mm_counted(found->identical, "phase"));
    if (found->skipped)
        fprintf(stderr, "; %s skipped", mm_counted(found->skipped, "phase"));
    if (found->lost)
        fprintf(stderr, "; %s lost", mm_counted(found->lost, "phase"));
    fputc('\n', stderr);
}

static int import_lbaf_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mesh_look look = {.what = "import"};
    struct mesh_lbaf_found found;
    struct cca_error err = {0};
    int result;

    if (args->count != 1 || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE, "import lbaf takes a directory and -o EXP; "
                                         "mastermind import lbaf -h shows examples");
    result =
        mesh_import_lbaf(args->words[0], cca_given_value(&options[OUTPUT]),
                         options[ALLOW_LOST].given, mesh_look_on, &look, &found, &err);
    mesh_look_end(&look);
    if (result)
        return mm_complain(&err);
    tell(&found, cca_given_value(&options[OUTPUT]));
    return mm_finish_output(MM_EXIT_DONE);
}

const struct cca_verb mm_verb_import_lbaf = {
    .name = "import",
    .formats = (const char *const[]){"lbaf", NULL},
    .examples = "mastermind import lbaf DIR -o run.mm\n"
                "mastermind import lbaf DIR/data -o run.mm\n",
    .about = "Make an experiment with a mesh profile of LBDatafiles, as the run-time "
             "system vt and the load balancing analysis framework write them: "
             "NAME.RANK.json, or .json.br. A phase is a step, the time of a task a value "
             "of probe time, that of subphase N one of time.N. Tasks whose indices fill "
             "a box are cells of a grid, others elements.\n",
    CCA_OPTIONS(option_table),
    .run = import_lbaf_verb,
};
