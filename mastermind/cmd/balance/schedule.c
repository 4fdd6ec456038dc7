/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c: write a schedule, the steps with a new partition, as a file that a run can
 * follow: docs/guide/balance.md. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"
#include "mastermind/writer/json_file.h"

/* Owners of all cells, in the order of the cells, as [[owner, count], ...]. */
static json_t *runs_json(const uint16_t *owners, int64_t cells)
{
    json_t *runs = json_array();

    for (int64_t c = 0, end; c < cells; c = end) {
        for (end = c + 1; end < cells && owners[end] == owners[c];)
            end++;
        json_array_append_new(runs, json_pack("[iI]", (int)owners[c], end - c));
    }
    return runs;
}

static json_t *steps_json(const struct balance_found *found,
                          const struct mesh_source *source, const unsigned char *schedule,
                          uint16_t *owners)
{
    json_t *steps = json_array();

    for (int64_t t = 0; t < source->steps; t++) {
        if (t > 0 && !schedule[t])
            continue;
        mesh_partition_owners(source, mesh_partition_at(found->loads, t), owners);
        json_array_append_new(steps,
                              json_pack("{sIso}", "step", source->numbers[t], "runs",
                                        runs_json(owners, found->loads->cells)));
    }
    return steps;
}

static json_t *document(const struct balance_verb *verb,
                        const struct balance_found *found,
                        const struct mesh_result *result, uint16_t *owners)
{
    const struct mesh_source *source = &verb->trace.source;
    const struct mm_mesh_about *about = mesh_profile_about(verb->trace.profile);
    json_t *json = json_object(), *shape = json_array();
    char hash[20];

    snprintf(hash, sizeof hash, "%016" PRIx64, mesh_profile_hash(verb->trace.profile));
    for (int d = 0; d < (source->centres ? 1 : source->dims); d++)
        json_array_append_new(shape, json_integer(source->n[d]));
    mm_json_set(json, "mastermind version shape levels parts policy partitioner",
                "mesh schedule", 1, shape, about->levels, found->loads->parts,
                result->policy->text, verb->partitioner);
    if (verb->zoltan_ranks)
        mm_json_put(json, "zoltan_ranks", json_integer(verb->zoltan_ranks));
    mm_json_put(json, "lag", json_integer(found->loads->lag));
    if (verb->every > 1)
        mm_json_put(json, "every", json_integer(verb->every));
    mm_json_set(json, "probe source profile trace",
                mesh_profile_probe(verb->trace.profile, verb->trace.probe)->name,
                verb->trace.experiment, about->name, hash);
    balance_put_price(json, verb, found);
    mm_json_set(json, "cost steps", result->outcome.cost,
                steps_json(found, source, result->schedule, owners));
    return json;
}

/* Replace the file at `path` by a new one with this text. */
static int replace(const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    struct cca_error err = {0};
    int rc;

    if (!folder)
        return mm_no_memory();
    rc = mm_file_replace(folder, slash ? slash + 1 : path, text, strlen(text), &err);
    free(folder);
    return rc ? mm_complain(&err) : -1;
}

int balance_write_schedule(const struct balance_verb *verb,
                           const struct balance_found *found, const char *path,
                           const char **name)
{
    const struct mesh_result *best = balance_cheapest(&found->simulation);
    uint16_t *owners = malloc((size_t)found->loads->cells * sizeof *owners);
    json_t *json = owners ? document(verb, found, best, owners) : NULL;
    char *text = json ? mm_json_dump(json, JSON_COMPACT) : NULL;
    int result = text && !mm_memory_failed() ? replace(path, text) : mm_no_memory();

    *name = best->policy->text;
    free(text);
    json_decref(json);
    free(owners);
    return result;
}
