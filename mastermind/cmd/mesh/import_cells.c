/* SPDX-License-Identifier: BSD-3-Clause */
/* import_cells.c: a CSV file of cells as an experiment with a mesh profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/cells.h"

static const char usage[] =
    "mastermind import cells field.csv --shape 30,20,20 -o field.mm\n"
    "mastermind import cells field.csv --shape 64 --probe work,cost:ns --rank rank -o "
    "exp\n"
    "\n"
    "Make an experiment with a mesh profile of a CSV file with a line for each cell of\n"
    "each step, in any order: columns step, i, j, k as far as there are dimensions, "
    "from\n"
    "0, and value. FILE may be -, standard input.\n"
    "\n"
    "  --shape N[,N[,N]]  cells in each dimension\n"
    "  --probe COL[:UNIT] columns that become probes, in place of value; A,B or again;\n"
    "                     a unit as ns or cycles, without one a count\n"
    "  --rank COL         the column of the rank that has the cell\n"
    "  --eps E            bound on the error of each value that is kept; 0, exact\n"
    "  --name NAME        of the profile; by default the file's\n"
    "  --allow-lost       cells and steps may be missing, and stay so\n"
    "  -o EXP             the directory to make; it must not exist, or be empty\n"
    "\n"
    "Values are costs: finite, at least 0.\n";

enum { SHAPE, PROBE, RANK, EPS, NAME, ALLOW_LOST, OUTPUT, OPTIONS };

struct probes {
    struct mesh_cells_probe *items;
    size_t count;
};

/* COL[:UNIT]. -1 to go on, else an exit code. */
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

static int read_probes(struct probes *probes, const struct mm_option *option)
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

int cmd_import_cells(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {[SHAPE] = {.name = "--shape", .takes_value = 1},
                                         [PROBE] = {.name = "--probe", .takes_value = 1},
                                         [RANK] = {.name = "--rank", .takes_value = 1},
                                         [EPS] = {.name = "--eps", .takes_value = 1},
                                         [NAME] = {.name = "--name", .takes_value = 1},
                                         [ALLOW_LOST] = {.name = "--allow-lost"},
                                         [OUTPUT] = {.name = "-o", .takes_value = 1}};
    struct mesh_look look = {.what = "import"};
    struct mesh_cells asked = {.progress = mesh_look_on, .context = &look};
    struct probes probes = {0};
    int count, result = mm_options_read(options, OPTIONS, usage, argc, argv, &count);

    if (result >= 0)
        return result;
    if (count != 1 || !options[SHAPE].given || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "import cells takes a file, --shape N,N,N and -o "
                         "EXP; mastermind import cells -h shows examples");
    asked.file = argv[0];
    asked.rank = mesh_value_of(&options[RANK]);
    asked.name = mesh_value_of(&options[NAME]);
    asked.allow_lost = options[ALLOW_LOST].given;
    asked.dims = mesh_shape_read(&options[SHAPE], asked.shape);
    result = asked.dims ? mm_option_number(&options[EPS], 0, &asked.eps) : MM_EXIT_MISUSE;
    if (result < 0)
        result = read_probes(&probes, &options[PROBE]);
    asked.probes = probes.items;
    asked.probe_count = probes.count;
    if (result < 0)
        result = import(&asked, mesh_value_of(&options[OUTPUT]));
    free(probes.items);
    return result;
}
