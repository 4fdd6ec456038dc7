/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c: read samples.json and stacks.json. */
#include "mastermind/reader/samples.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/reader/json.h"

static uint64_t count_of(const json_t *object, const char *name)
{
    json_int_t value = json_integer_value(json_object_get(object, name));

    return value > 0 ? (uint64_t)value : 0;
}

static void read_methods(struct mm_run_samples *samples, const json_t *methods,
                         const struct mm_experiment *experiment)
{
    const json_t *item;
    size_t i;

    json_array_foreach(methods, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "method"));

        for (size_t k = 0; name && k < experiment->method_count; k++)
            if (strcmp(experiment->methods[k]->name, name) == 0) {
                samples->methods[k] += count_of(item, "samples");
                break;
            }
    }
}

static void read_rest(struct mm_run_samples *samples, const json_t *rest)
{
    const json_t *item;
    size_t i;

    json_array_foreach(rest, i, item)
    {
        const char *file = json_string_value(json_object_get(item, "file"));

        if (file)
            samples->rest[samples->rest_count++] = (struct mm_sampled_line){
                file, json_string_value(json_object_get(item, "function")),
                json_string_value(json_object_get(item, "line")),
                count_of(item, "samples")};
    }
}

int mm_run_samples_read(struct mm_run_samples *samples,
                        const struct mm_experiment *experiment, struct cca_error *err)
{
    const json_t *rest;
    char *path = NULL;
    json_t *root;
    int code = 0;

    *samples = (struct mm_run_samples){.root = NULL};
    if (asprintf(&path, "%s/samples.json", experiment->path) < 0)
        return cca_no_memory(err);
    samples->root = root = mm_json_load(path, &code, err);
    free(path);
    if (!root)
        return code == -ENOENT ? 0 : code;
    rest = json_object_get(root, "rest");
    samples->rest = calloc(json_array_size(rest) + 1, sizeof *samples->rest);
    samples->methods = calloc(experiment->method_count + 1, sizeof *samples->methods);
    if (!samples->rest || !samples->methods)
        return cca_no_memory(err);
    samples->period_ns = (int64_t)count_of(root, "period_ns");
    samples->count = count_of(root, "samples");
    samples->lost = count_of(root, "lost");
    samples->cost_ns = json_number_value(json_object_get(root, "cost_ns"));
    samples->peak_bytes = (int64_t)count_of(root, "peak_bytes");
    samples->loading = count_of(root, "loading");
    samples->other_processes = count_of(root, "other_processes");
    read_rest(samples, rest);
    read_methods(samples, json_object_get(root, "methods"), experiment);
    return 0;
}

void mm_run_samples_done(struct mm_run_samples *samples)
{
    json_decref(samples->root);
    free(samples->rest);
    free(samples->methods);
    *samples = (struct mm_run_samples){.root = NULL};
}

/* --- Stacks ----------------------------------------------------------------- */

/* Read a node, [parent, function, stacks]. Returns 0 or -EBADMSG. */
static int read_node(struct mm_run_stacks *stacks, const json_t *item,
                     const json_t *functions)
{
    struct mm_run_stack_node *node = &stacks->nodes[stacks->count];
    json_int_t count = json_integer_value(json_array_get(item, 2)),
               index = json_integer_value(json_array_get(item, 1));
    const json_t *function;

    if (json_array_size(item) != 3 || count < 0 || index < 0)
        return -EBADMSG;
    function = json_array_get(functions, (size_t)index);
    node->parent = json_integer_value(json_array_get(item, 0));
    node->function = json_string_value(json_object_get(function, "name"));
    node->file = json_string_value(json_object_get(function, "file"));
    node->stacks = (uint64_t)count;
    if (!node->function || node->parent < -1 || node->parent >= (int64_t)stacks->count)
        return -EBADMSG;
    stacks->count++;
    return 0;
}

int mm_run_stacks_read(struct mm_run_stacks *stacks,
                       const struct mm_experiment *experiment, struct cca_error *err)
{
    const json_t *nodes, *item;
    char *path = NULL;
    json_t *root;
    int code = 0;
    size_t i;

    *stacks = (struct mm_run_stacks){.root = NULL};
    if (asprintf(&path, "%s/stacks.json", experiment->path) < 0)
        return cca_no_memory(err);
    stacks->root = root = mm_json_load(path, &code, err);
    free(path);
    if (!root)
        return code == -ENOENT ? 0 : code;
    nodes = json_object_get(root, "nodes");
    stacks->period_ns = json_integer_value(json_object_get(root, "period_ns"));
    stacks->nodes = calloc(json_array_size(nodes) + 1, sizeof *stacks->nodes);
    if (!stacks->nodes)
        return cca_no_memory(err);
    json_array_foreach(nodes, i, item)
    {
        if (read_node(stacks, item, json_object_get(root, "functions")))
            return cca_error_set(err, -EBADMSG, "%s/stacks.json: node %zu is damaged",
                                 experiment->path, i);
    }
    return 0;
}

void mm_run_stacks_done(struct mm_run_stacks *stacks)
{
    json_decref(stacks->root);
    free(stacks->nodes);
    *stacks = (struct mm_run_stacks){.root = NULL};
}
