/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_mesh.c: the verb mesh, which prints the costs of a mesh's cells step by step. */
#include <errno.h>

#include "mastermind/cmd/mesh/ask.h"
#include "mesh/balance/partition.h"

enum {
    PROFILE,
    PROBE,
    STEP,
    LEVEL,
    BOX,
    CELL,
    COARSE,
    ERRORS,
    EPS,
    PARTS,
    PARTITIONER,
    LIMIT,
    CSV,
    JSON
};

static const struct cca_option option_table[] = {
    [PROFILE] = {"--profile", "NAME", "where the experiment has several"},
    [PROBE] = {"--probe", "P", "only this probe; A,B or again: several"},
    [STEP] = {"--step", "A:B", "steps from A to B; A:, :B or A"},
    [LEVEL] = {"--level", "L", "cells of this level; 0, the coarsest, is the default"},
    [BOX] = {"--box", "R,R,R", "cells of a range in each dimension: A:B, A or :"},
    [CELL] = {"--cell", "I,J,K", "one cell"},
    [COARSE] = {"--coarse", "N", "means of N cells in each dimension"},
    [ERRORS] =
        {"--errors", NULL,
         "print the cost of bounds on the error of a value, in bytes and in balance"},
    [EPS] = {"--eps", "E,E", "for --errors: the bounds, in the unit of the probe"},
    [PARTS] = {"--parts", "P",
               "for --errors: parts whose balance is judged (default 16)"},
    [PARTITIONER] = {"--partitioner",
                     "N for --errors: partitioner that makes them (default rcb)", ""},
    [LIMIT] = {"--limit", "N", "print N lines of text (default 40)"},
    [CSV] = {"--csv", NULL, "print a line for each cell; import cells reads it"},
    [JSON] = {"--json", NULL, "print one document, mastermind/mesh/1"},
};

static int answer_errors(struct mesh_ask *ask, const struct cca_given *options)
{
    struct mesh_errors wish = {.eps = &options[EPS], .partitioner = "rcb"};
    double parts = 16;
    int result = mm_option_count(&options[PARTS], 1, &parts);

    if (result >= 0)
        return result;
    if (parts > MESH_PARTS)
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for --parts, expected at most %d",
                         mm_safe(cca_given_value(&options[PARTS])), MESH_PARTS);
    if (ask->form == MESH_CSV)
        return mm_refuse(MM_EXIT_MISUSE, "found --errors and --csv, expected --json");
    for (int i = LEVEL; i <= COARSE; i++)
        if (options[i].given)
            return mm_refuse(MM_EXIT_MISUSE,
                             "found --errors and %s, expected one of them",
                             options[i].name);
    wish.parts = (int)parts;
    if (options[PARTITIONER].given)
        wish.partitioner = cca_given_value(&options[PARTITIONER]);
    return mesh_errors(ask, &wish);
}

static int answer(struct mesh_ask *ask, const struct cca_given *options)
{
    const struct mesh_ask_options asked = {&options[PROBE], &options[STEP],
                                           &options[LEVEL], &options[BOX],
                                           &options[CELL],  &options[COARSE]};
    int result;

    ask->about = mesh_profile_about(ask->profile);
    result = mesh_ask_read(ask, &asked);
    if (result >= 0)
        return result;
    if (options[ERRORS].given)
        return answer_errors(ask, options);
    for (int i = EPS; i <= PARTITIONER; i++)
        if (options[i].given)
            return mm_refuse(MM_EXIT_MISUSE, "found %s without --errors",
                             options[i].name);
    return ask->selected || ask->form == MESH_CSV ? mesh_values(ask) : mesh_summary(ask);
}

static int mesh_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mesh_ask ask = {.look = {.what = "mesh"}};
    double limit = 40;
    int result;

    if (args->count != 1)
        return mm_refuse(MM_EXIT_MISUSE, "mesh takes one experiment, found %d",
                         args->count);
    if (options[JSON].given && options[CSV].given)
        return mm_refuse(MM_EXIT_MISUSE, "found --csv and --json, expected one of them");
    result = mm_option_count(&options[LIMIT], 1, &limit);
    if (result >= 0)
        return result;
    ask.form = options[JSON].given  ? MESH_JSON
               : options[CSV].given ? MESH_CSV
                                    : MESH_TEXT;
    ask.limit = limit < 1e15 ? (size_t)limit : SIZE_MAX;
    ask.experiment = args->words[0];
    ask.profile = mesh_open(args->words[0], &options[PROFILE], &result);
    if (!ask.profile)
        return result;
    result = answer(&ask, options);
    mesh_profile_close(ask.profile);
    return result;
}

const struct cca_verb mm_verb_mesh = {
    .name = "mesh",
    .summary = "the cost of every cell of a mesh, step by step",
    .examples =
        "mastermind mesh field.mm\n"
        "mastermind mesh field.mm --cell 4,10,10\n"
        "mastermind mesh field.mm --probe work --step 20:40 --box 0:9,0:9,5 --csv\n"
        "mastermind mesh field.mm --step 100 --coarse 5 --json\n",
    .about = "Print the contents of a mesh profile: shape, probes, steps, losses, "
             "errors; or values of cells. The run may be under way: whole steps count.\n",
    CCA_OPTIONS(option_table),
    .notes =
        "Both ends of a range are included; cells count from 0. Only requested values "
        "are decoded. A cell that was not reported has no value; it is not zero.\n",
    .run = mesh_verb,
};
