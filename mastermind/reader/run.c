/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c: the parameters of a run, from experiment.json; classes of older experiments from
 * wiring.json. */
#include "mastermind/reader/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/reader/json.h"

static int value_order(const void *left, const void *right)
{
    const struct mm_run_value *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static void sort_values(struct mm_run_values *values)
{
    qsort(values->items, values->count, sizeof *values->items, value_order);
}

/* Read the names and values of the member `key`; if it is absent there are no values.
 * Returns 0, -EBADMSG or -ENOMEM. */
static int read_values(struct mm_run_values *values, const json_t *about, const char *key,
                       const char *path, struct cca_error *err)
{
    json_t *object = json_object_get(about, key), *value;
    const char *name;

    values->items = calloc(json_object_size(object) + 1, sizeof *values->items);
    if (!values->items)
        return cca_no_memory(err);
    if (object && !json_is_object(object))
        return cca_error_set(err, -EBADMSG, "%s: found no good '%s', expected an object",
                             path, key);
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value))
            return cca_error_set(err, -EBADMSG,
                                 "%s: found no good '%s', expected strings in it", path,
                                 key);
        values->items[values->count++] =
            (struct mm_run_value){name, json_string_value(value)};
    }
    sort_values(values);
    return 0;
}

int mm_run_read(struct mm_run *run, const json_t *about, const char *path,
                struct cca_error *err)
{
    int result = read_values(&run->variables, about, "variables", path, err);

    if (!result)
        result = read_values(&run->set, about, "set", path, err);
    if (!result)
        result = read_values(&run->classes, about, "classes", path, err);
    run->is_known = json_object_get(about, "variables") != NULL;
    return result;
}

int mm_run_complete(struct mm_run *run, const struct mm_wiring *wiring,
                    struct cca_error *err)
{
    if (run->classes.count || !wiring)
        return 0;
    free(run->classes.items);
    run->classes.items = calloc(wiring->instance_count + 1, sizeof *run->classes.items);
    if (!run->classes.items)
        return cca_no_memory(err);
    for (size_t i = 0; i < wiring->instance_count; i++)
        run->classes.items[run->classes.count++] = (struct mm_run_value){
            wiring->instances[i].name, wiring->instances[i].class_name};
    sort_values(&run->classes);
    return 0;
}

void mm_run_done(struct mm_run *run)
{
    free(run->variables.items);
    free(run->set.items);
    free(run->classes.items);
}

int mm_run_is_crowded(const struct mm_run *run)
{
    int ranks = run->local_ranks > 0 ? run->local_ranks : run->ranks;

    return run->cores > 0 && ranks > run->cores;
}

const char *mm_run_value(const struct mm_run_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->items[i].name, name) == 0)
            return values->items[i].text;
    }
    return NULL;
}
