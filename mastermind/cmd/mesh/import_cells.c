/* SPDX-License-Identifier: BSD-3-Clause */
/* import_cells.c: convert a CSV file of cells to an experiment with a mesh profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/cells.h"

enum { SHAPE, PROBE, RANK, EPS, NAME, ALLOW_LOST, OUTPUT };

static const struct cca_option option_table[] = {
    [SHAPE] = {"--shape", "N[,N[,N]]", "cells in each dimension"},
    [PROBE] = {"--probe", "COL[:UNIT]",
               "columns that become probes, in place of value; A,B or again; "
               "a unit as ns or cycles, without one a count"},
    [RANK] = {"--rank-column", "COL", "the column of the rank that has the cell"},
    [EPS] = {"--eps", "E", "bound on the error of each value that is kept; 0, exact"},
    [NAME] = {"--name", "NAME", "of the profile; by default the file's"},
    [ALLOW_LOST] = {"--allow-lost", NULL, "cells and steps may be missing, and stay so"},
    [OUTPUT] = {"--output", "EXP",
                "the directory to make; it must not exist, or be empty", "-o"},
};

struct probes {
    struct mesh_cells_probe *items;
    size_t count;
};

/* Read COL[:UNIT]. Returns -1 to go on, else an exit code. */
static int add_probe(struct probes *probes, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    struct mesh_cells_probe *probe;

    if (probes->count == MM_MESH_PROBES)
        return mm_refuse(MM_EXIT_MISUSE, "found more than %d probes", MM_MESH_PROBES);
    if (!length || length >= sizeof probe->column ||
        (colon && (!colon[1] || strlen(colon + 1) >= sizeof probe->unit)))
        return mm_refuse(MM_EXIT_MISUSE,
                         "'%s' for --probe, expected COL or COL:UNIT, a column of at "
                         "most %zu bytes and a unit of at most %zu",
                         mm_safe(text), sizeof probe->column - 1, sizeof probe->unit - 1);
    probe = cca_array_add(&probes->items, &probes->count, sizeof *probe);
    if (!probe)
        return mm_no_memory();
    memcpy(probe->column, text, length);
    if (colon)
        memcpy(probe->unit, colon + 1, strlen(colon + 1));
    return -1;
}

static int read_probes(struct probes *probes, const struct cca_given *option)
{
    int result = -1;

    for (int i = 0; result < 0 && i < option->given; i++) {
        char *list = strdup(option->values[i]), *rest = list, *name;

        if (!list)
            return mm_no_memory();
        while (result < 0 && (name = strsep(&rest, ",")))
            result = add_probe(probes, name);
        free(list);
    }
    return result;
}

static void tell_lost(const struct mesh_cells_found *found)
{
    if (found->lost_steps)
        fprintf(stderr, "mastermind: note: %s missing\n",
                found->lost_steps == 1 ? "1 step is"
                                       : mm_counted(found->lost_steps, "step"));
    if (found->lost_cells)
        fprintf(stderr, "mastermind: note: %s of steps missing\n",
                mm_counted(found->lost_cells, "value"));
}

static int import(const struct mesh_cells *asked, const char *output)
{
    struct mesh_cells_found found;
    struct cca_error err = {0};
    int result = mesh_import_cells(asked, output, &found, &err);

    mesh_look_end(asked->context);
    if (result)
        return mm_complain(&err);
    tell_lost(&found);
    fprintf(stderr, "experiment %s: profile %s, %s, %s, from %s\n", mm_safe(output),
            found.name, mm_counted(found.steps, "step"), mm_counted(found.lines, "line"),
            mm_safe(asked->file));
    return mm_finish_output(MM_EXIT_DONE);
}

static int import_cells_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mesh_look look = {.what = "import"};
    struct mesh_cells asked = {.progress = mesh_look_on, .context = &look};
    struct probes probes = {0};
    int result;

    if (args->count != 1 || !options[SHAPE].given || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "import cells takes a file, --shape N,N,N and -o "
                         "EXP; mastermind import cells -h shows examples");
    asked.file = args->words[0];
    asked.rank = cca_given_value(&options[RANK]);
    asked.name = cca_given_value(&options[NAME]);
    asked.allow_lost = options[ALLOW_LOST].given;
    asked.dims = mesh_shape_read(&options[SHAPE], asked.shape);
    result = asked.dims ? mm_option_number(&options[EPS], 0, &asked.eps) : MM_EXIT_MISUSE;
    if (result < 0)
        result = read_probes(&probes, &options[PROBE]);
    asked.probes = probes.items;
    asked.probe_count = probes.count;
    if (result < 0)
        result = import(&asked, cca_given_value(&options[OUTPUT]));
    free(probes.items);
    return result;
}

const struct cca_verb mm_verb_import_cells = {
    .name = "import",
    .formats = (const char *const[]){"cells", NULL},
    .examples = "mastermind import cells field.csv --shape 30,20,20 -o field.mm\n"
                "mastermind import cells field.csv --shape 64 --probe work,cost:ns "
                "--rank-column rank -o exp\n",
    .about = "Make an experiment with a mesh profile of a CSV file with a line for each "
             "cell of each step, in any order: columns step, i, j, k as far as there are "
             "dimensions, from 0, and value. FILE may be -, standard input.\n",
    CCA_OPTIONS(option_table),
    .notes = "Values are costs: finite, at least 0.\n",
    .run = import_cells_verb,
};
