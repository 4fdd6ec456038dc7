/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c: read samples.json. */
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
