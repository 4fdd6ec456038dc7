/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c: rows of machine, node, cache and unit: the hardware of the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/reader/json.h"
#include "properties/load/parts.h"
#include "properties/load/sums/sums.h"

/* A rank's description of its host; borrowed from `about`. */
struct host {
    json_t *about;
    const char *name, *cpu;
};

static int read_host(struct mm_load *load, int rank, struct host *host)
{
    const json_t *machine;
    int result = mm_experiment_rank_about(load->e, rank, &host->about, load->err);

    if (result)
        return result;
    machine = json_object_get(host->about, "machine");
    host->name = json_string_value(json_object_get(machine, "host"));
    host->cpu = json_string_value(json_object_get(machine, "cpu"));
    return 0;
}

/* --- Machine -------------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
    const struct host *a = left, *b = right;

    return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

/* The machine's name, a new string: the names of all nodes of a run, without
 * duplicates. */
static char *machine_name(const struct host *hosts, int count)
{
    struct host *sorted = calloc((size_t)count, sizeof *sorted);
    struct mm_text text = {0};
    const char *last = NULL, *cpu = NULL;

    if (!sorted)
        return NULL;
    memcpy(sorted, hosts, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_name);
    for (int i = 0; i < count; i++) {
        if (!sorted[i].name || (last && strcmp(last, sorted[i].name) == 0))
            continue;
        mm_text_add(&text, "%s%s", text.length ? "," : "", sorted[i].name);
        last = sorted[i].name;
        cpu = cpu ? cpu : sorted[i].cpu;
    }
    if (!text.length)
        mm_text_add(&text, "unknown");
    if (cpu && *cpu)
        mm_text_add(&text, " (%s)", cpu);
    free(sorted);
    if (!text.failed)
        return text.text;
    free(text.text);
    return NULL;
}

static int put_machine(struct mm_load *load, const struct host *hosts)
{
    char *name = machine_name(hosts, load->e->ranks);
    int result = name ? mm_put_once(load->store, NULL, load->err,
                                    "INSERT INTO machine (name) VALUES (?) ON CONFLICT DO"
                                    " NOTHING",
                                    "t", name)
                      : cca_no_memory(load->err);

    if (!result)
        result = mm_put_once(load->store, &load->machine, load->err,
                             "SELECT id FROM machine WHERE name = ?", "t", name);
    free(name);
    return result;
}

/* --- Nodes ---------------------------------------------------------------- */

/* Write data caches, level by level. */
static int put_caches(struct mm_load *load, int64_t node, const json_t *machine)
{
    const json_t *caches = json_object_get(machine, "caches"), *cache;
    size_t i;
    int result = 0;

    json_array_foreach((json_t *)caches, i, cache)
    {
        const char *type = json_string_value(json_object_get(cache, "type"));

        if (result || !type || strcmp(type, "instruction") == 0)
            continue;
        result = mm_put_once(load->store, NULL, load->err,
                             "INSERT INTO cache (node, level, bytes) VALUES (?, ?, ?) ON"
                             " CONFLICT DO NOTHING",
                             "iir", node,
                             (int64_t)json_integer_value(json_object_get(cache, "level")),
                             json_number_value(json_object_get(cache, "bytes")));
    }
    return result;
}

static int put_node(struct mm_load *load, const struct host *host, int64_t *node)
{
    const json_t *machine = json_object_get(host->about, "machine");
    const json_t *cores = json_object_get(machine, "cores");
    const char *name = host->name ? host->name : "unknown";
    int result = mm_put_once(
        load->store, NULL, load->err,
        "INSERT INTO node (machine, host, cpu, cores) VALUES (?, ?, ?, ?) ON CONFLICT DO"
        " NOTHING",
        "ittr", load->machine, name, host->cpu,
        json_is_integer(cores) ? json_number_value(cores) : (double)NAN);

    if (!result)
        result = mm_put_once(load->store, node, load->err,
                             "SELECT id FROM node WHERE machine = ? AND host = ?", "it",
                             load->machine, name);
    return result ? result : put_caches(load, *node, machine);
}

/* --- All rows ------------------------------------------------------------- */

static int read_hosts(struct mm_load *load, struct host *hosts)
{
    int result = 0;

    for (int rank = 0; rank < load->e->ranks && !result; rank++)
        result = read_host(load, rank, &hosts[rank]);
    return result;
}

int mm_load_machine(struct mm_load *load)
{
    struct host *hosts = calloc((size_t)load->e->ranks, sizeof *hosts);
    int result = hosts ? read_hosts(load, hosts) : cca_no_memory(load->err);
    int64_t node = 0;
    const char *last = NULL;

    if (!result)
        result = put_machine(load, hosts);
    for (size_t i = 0; i < load->unit_count && !result; i++) {
        const struct host *host = &hosts[load->units[i].rank];

        if (!node || strcmp(last ? last : "", host->name ? host->name : "") != 0)
            result = put_node(load, host, &node);
        last = host->name;
        load->units[i].node = node;
    }
    for (int rank = 0; hosts && rank < load->e->ranks; rank++)
        json_decref(hosts[rank].about);
    free(hosts);
    return result;
}
