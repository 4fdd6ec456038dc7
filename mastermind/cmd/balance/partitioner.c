/* SPDX-License-Identifier: BSD-3-Clause */
/* partitioner.c: open the partitioner, in this process or in a child. */
#include <string.h>

#include "common/beside.h"
#include "mastermind/cmd/balance/balance_verb.h"
#include "mesh/zoltan/zoltan.h"

/* The number of ranks that sent values in the first step; 0: no rank did. */
static int ranks_told(const struct balance_trace *trace)
{
    const struct mesh_step *step = mesh_profile_step(trace->profile, trace->first);
    int most = -1;

    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++)
        if (mesh_profile_block(trace->profile, b)->rank > most)
            most = mesh_profile_block(trace->profile, b)->rank;
    return most + 1;
}

/* True if the experiment was imported: no program of it ran on this machine. */
static int is_imported(const struct balance_trace *trace)
{
    char path[4200];
    json_t *about;
    const char *origin;
    int imported;

    snprintf(path, sizeof path, "%s/experiment.json", trace->experiment);
    about = json_load_file(path, 0, NULL);
    origin = json_string_value(json_object_get(about, "origin"));
    imported = origin && strcmp(origin, "imported") == 0;
    json_decref(about);
    return imported;
}

int balance_ranks(const struct balance_trace *trace)
{
    return ranks_told(trace);
}

/* The number of ranks to run Zoltan on: its partition depends on that number, so it is
 * the number of ranks that the program had. */
static int zoltan_ranks(const struct balance_trace *trace)
{
    int ranks = is_imported(trace) ? 1 : ranks_told(trace);

    return ranks < 1 ? 1 : ranks > MESH_ZOLTAN_RANKS ? MESH_ZOLTAN_RANKS : ranks;
}

static int open_plugin(const struct balance_verb *verb, int parts,
                       struct mesh_partitioner *partitioner, struct cca_error *err)
{
    struct cca_error fault = {0};
    struct mesh_plugin *plugin =
        mesh_plugin_open(verb->partitioner, MESH_PLUGIN_PARTITION, &verb->trace.source,
                         parts, BALANCE_SECONDS, &fault);

    memset(partitioner, 0, sizeof *partitioner);
    if (!plugin)
        return cca_error_set(err, fault.code, "%s", fault.text);
    mesh_plugin_partitioner(plugin, partitioner);
    return 0;
}

int balance_partitioner_open(struct balance_verb *verb, int parts,
                             struct mesh_partitioner *partitioner, struct cca_error *err)
{
    char program[4200];
    struct mesh_zoltan_wish wish = {.program = program};

    if (mesh_plugin_is(verb->partitioner))
        return open_plugin(verb, parts, partitioner, err);
    if (!mesh_zoltan_is(verb->partitioner))
        return mesh_partitioner_open(partitioner, verb->partitioner, &verb->trace.source,
                                     err);
    cca_path_beside(program, sizeof program, "../libexec/mastermind/mesh-zoltan");
    wish.ranks = verb->zoltan_ranks = zoltan_ranks(&verb->trace);
    return mesh_zoltan_open(partitioner, verb->partitioner, &verb->trace.source, &wish,
                            err);
}
