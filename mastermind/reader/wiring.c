/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.c: read wiring.json. */
#include "mastermind/reader/wiring.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/reader/json.h"

/* Name of the document that is being read, for messages. */
struct reader {
    const char *where;
    struct cca_error *err;
};

/* Return a string member of a JSON object; `otherwise` if it is absent. If `otherwise` is
 * NULL, an absent member is an error. */
static const char *text_of(struct reader *r, const json_t *object, const char *key,
                           const char *otherwise)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_string(value))
        return json_string_value(value);
    if ((!value || json_is_null(value)) && otherwise)
        return otherwise;
    cca_error_set(r->err, -EBADMSG, "%s: %s where a string '%s' was expected", r->where,
                  value ? "another type" : "nothing", key);
    return NULL;
}

/* Allocate an element for each item of the array `key`; an absent array counts as empty.
 * Returns 0, -EBADMSG or -ENOMEM. */
static int array_of(struct reader *r, const json_t *object, const char *key,
                    size_t item_size, const json_t **array, void *items, size_t *count)
{
    void *memory;

    *array = json_object_get(object, key);
    *count = 0;
    if (!*array)
        return 0;
    if (!json_is_array(*array))
        return cca_error_set(r->err, -EBADMSG, "%s: '%s' is not an array", r->where, key);
    memory = calloc(json_array_size(*array) + 1, item_size);
    if (!memory)
        return cca_no_memory(r->err);
    memcpy(items, &memory, sizeof memory);
    *count = json_array_size(*array);
    return 0;
}

static int read_ports(struct reader *r, const json_t *object, const char *key,
                      struct mm_wiring_port **ports, size_t *count)
{
    const json_t *array;
    int result = array_of(r, object, key, sizeof **ports, &array, ports, count);

    for (size_t i = 0; result == 0 && i < *count; i++) {
        const json_t *item = json_array_get(array, i);

        (*ports)[i].name = text_of(r, item, "name", NULL);
        (*ports)[i].type = text_of(r, item, "type", NULL);
        if (!(*ports)[i].name || !(*ports)[i].type)
            result = -EBADMSG;
    }
    return result;
}

static int read_quality(struct reader *r, const json_t *item, struct mm_quality *quality)
{
    const char *compose = text_of(r, item, "compose", "max");
    const json_t *value = json_object_get(item, "value");

    quality->name = text_of(r, item, "name", NULL);
    quality->command = text_of(r, item, "command", "");
    if (!quality->name || !compose || !quality->command)
        return -EBADMSG;
    if (!json_is_number(value))
        return cca_error_set(r->err, -EBADMSG, "%s: quality '%s' has no number", r->where,
                             quality->name);
    quality->value = json_number_value(value);
    if (strcmp(compose, "max") == 0)
        quality->compose = MM_COMPOSE_MAX;
    else if (strcmp(compose, "min") == 0)
        quality->compose = MM_COMPOSE_MIN;
    else if (strcmp(compose, "sum") == 0)
        quality->compose = MM_COMPOSE_SUM;
    else
        return cca_error_set(
            r->err, -EBADMSG,
            "%s: quality '%s' composes by '%s', expected max, min or sum", r->where,
            quality->name, compose);
    return 0;
}

static int read_instance(struct reader *r, const json_t *item,
                         struct mm_instance *instance)
{
    const json_t *array;
    int result;

    instance->name = text_of(r, item, "name", NULL);
    instance->class_name = text_of(r, item, "class", NULL);
    instance->build_id = text_of(r, item, "build_id", "");
    instance->file = text_of(r, item, "file", "");
    if (!instance->name || !instance->class_name || !instance->build_id ||
        !instance->file)
        return -EBADMSG;
    result =
        read_ports(r, item, "provides", &instance->provides, &instance->provides_count);
    if (!result)
        result = read_ports(r, item, "uses", &instance->uses, &instance->uses_count);
    if (!result)
        result = array_of(r, item, "qualities", sizeof *instance->qualities, &array,
                          &instance->qualities, &instance->quality_count);
    for (size_t i = 0; result == 0 && i < instance->quality_count; i++)
        result = read_quality(r, json_array_get(array, i), &instance->qualities[i]);
    return result;
}

static int read_connection(struct reader *r, const json_t *item, struct mm_connection *c)
{
    c->user = text_of(r, item, "user", NULL);
    c->uses = text_of(r, item, "uses", NULL);
    c->provider = text_of(r, item, "provider", NULL);
    c->provides = text_of(r, item, "provides", NULL);
    return c->user && c->uses && c->provider && c->provides ? 0 : -EBADMSG;
}

static int parameter_order(const void *left, const void *right)
{
    const struct mm_run_parameter *a = left, *b = right;

    if (a->go != b->go)
        return a->go < b->go ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Read the parameters at the start of each `go` command; older experiments lack them. */
static int read_gos(struct reader *r, const json_t *root, struct mm_wiring *wiring)
{
    json_t *gos = json_object_get(root, "gos");
    size_t count = 0;

    if (!json_is_array(gos))
        return 0;
    wiring->go_count = json_array_size(gos);
    for (size_t i = 0; i < wiring->go_count; i++)
        count += json_object_size(json_object_get(json_array_get(gos, i), "parameters"));
    wiring->parameters = calloc(count + 1, sizeof *wiring->parameters);
    wiring->gos = calloc(wiring->go_count + 1, sizeof *wiring->gos);
    if (!wiring->parameters || !wiring->gos)
        return cca_no_memory(r->err);
    for (size_t i = 0; i < wiring->go_count; i++) {
        const json_t *go = json_array_get(gos, i);
        json_t *parameters = json_object_get(go, "parameters");
        json_t *value;
        const char *name;

        wiring->gos[i] =
            (struct mm_go){text_of(r, go, "instance", ""), text_of(r, go, "port", "")};
        if (!wiring->gos[i].instance || !wiring->gos[i].port)
            return -EBADMSG;

        json_object_foreach(parameters, name, value)
        {
            if (json_is_string(value))
                wiring->parameters[wiring->parameter_count++] =
                    (struct mm_run_parameter){i, name, json_string_value(value)};
        }
    }
    qsort(wiring->parameters, wiring->parameter_count, sizeof *wiring->parameters,
          parameter_order);
    return 0;
}

/* Read a swap with the time of all its steps. */
static int read_swap(struct reader *r, const json_t *json, struct mm_swap *swap)
{
    const json_t *steps = json_object_get(json, "steps");
    const size_t count = json_array_size(steps);

    *swap = (struct mm_swap){.instance = text_of(r, json, "instance", NULL),
                             .from = text_of(r, json, "from", NULL),
                             .to = text_of(r, json, "to", NULL),
                             .reason = text_of(r, json, "reason", ""),
                             .failure = text_of(r, json, "failure", ""),
                             .stage = "",
                             .step = json_integer_value(json_object_get(json, "step"))};
    for (size_t i = 0; i < count; i++) {
        const json_t *step = json_array_get(steps, i);

        swap->ns += (double)json_integer_value(json_object_get(step, "ns"));
        swap->stage = text_of(r, step, "name", "");
    }
    return swap->instance && swap->from && swap->to && swap->reason && swap->failure &&
                   swap->stage
               ? 0
               : -EBADMSG;
}

struct mm_wiring *mm_wiring_new(const json_t *root, const char *where,
                                struct cca_error *err)
{
    struct mm_wiring *wiring = calloc(1, sizeof *wiring);
    struct reader r = {where, err};
    const json_t *array;
    int result;

    if (!wiring) {
        cca_no_memory(err);
        return NULL;
    }
    result = array_of(&r, root, "instances", sizeof *wiring->instances, &array,
                      &wiring->instances, &wiring->instance_count);
    for (size_t i = 0; result == 0 && i < wiring->instance_count; i++)
        result = read_instance(&r, json_array_get(array, i), &wiring->instances[i]);
    if (!result)
        result = array_of(&r, root, "connections", sizeof *wiring->connections, &array,
                          &wiring->connections, &wiring->connection_count);
    for (size_t i = 0; result == 0 && i < wiring->connection_count; i++)
        result = read_connection(&r, json_array_get(array, i), &wiring->connections[i]);
    if (!result)
        result = read_gos(&r, root, wiring);
    if (!result)
        result = array_of(&r, root, "swaps", sizeof *wiring->swaps, &array,
                          &wiring->swaps, &wiring->swap_count);
    for (size_t i = 0; result == 0 && i < wiring->swap_count; i++)
        result = read_swap(&r, json_array_get(array, i), &wiring->swaps[i]);
    if (result) {
        cca_error_set(err, result, "%s: damaged", where);
        mm_wiring_free(wiring);
        return NULL;
    }
    return wiring;
}

void mm_wiring_free(struct mm_wiring *wiring)
{
    if (!wiring)
        return;
    for (size_t i = 0; wiring->instances && i < wiring->instance_count; i++) {
        free(wiring->instances[i].provides);
        free(wiring->instances[i].uses);
        free(wiring->instances[i].qualities);
    }
    free(wiring->instances);
    free(wiring->connections);
    free(wiring->parameters);
    free(wiring->gos);
    free(wiring->swaps);
    free(wiring);
}

const struct mm_instance *mm_wiring_instance(const struct mm_wiring *wiring,
                                             const char *name)
{
    for (size_t i = 0; wiring && i < wiring->instance_count; i++) {
        if (strcmp(wiring->instances[i].name, name) == 0)
            return &wiring->instances[i];
    }
    return NULL;
}

const struct mm_quality *mm_instance_quality(const struct mm_instance *instance,
                                             const char *name)
{
    for (size_t i = 0; instance && i < instance->quality_count; i++) {
        if (strcmp(instance->qualities[i].name, name) == 0)
            return &instance->qualities[i];
    }
    return NULL;
}

const struct mm_wiring_port *mm_wiring_port_named(const struct mm_wiring_port *ports,
                                                  size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ports[i].name, name) == 0)
            return &ports[i];
    }
    return NULL;
}

/* True for a parameter of the instance `instance`. */
static int is_of(const struct mm_run_parameter *parameter, const char *instance)
{
    size_t length = instance ? strlen(instance) : 0;

    return instance && strncmp(parameter->name, instance, length) == 0 &&
           parameter->name[length] == '.';
}

/* True for a text that looks like the name of a file: with a directory or with letters
 * after a dot. */
static int is_file(const char *text)
{
    const char *dot = strrchr(text, '.');

    return strchr(text, '/') || (dot && dot > text && isalpha((unsigned char)dot[1]));
}

struct mm_parameter_difference mm_wiring_compare(const struct mm_wiring *a,
                                                 const struct mm_wiring *b,
                                                 const char *skip_a, const char *skip_b)
{
    struct mm_parameter_difference difference = {NULL, NULL};
    size_t i = 0, k = 0;

    if (a->go_count != b->go_count)
        difference.differs = "go";
    while (!difference.differs) {
        const struct mm_run_parameter *x, *y;

        while (i < a->parameter_count && is_of(&a->parameters[i], skip_a))
            i++;
        while (k < b->parameter_count && is_of(&b->parameters[k], skip_b))
            k++;
        x = i < a->parameter_count ? &a->parameters[i++] : NULL;
        y = k < b->parameter_count ? &b->parameters[k++] : NULL;
        if (!x && !y)
            break;
        if (!x || !y || parameter_order(x, y) != 0)
            difference.differs = x ? x->name : y->name;
        else if (strcmp(x->text, y->text) != 0 && is_file(x->text) && is_file(y->text))
            difference.file = x->name;
        else if (strcmp(x->text, y->text) != 0)
            difference.differs = x->name;
    }
    return difference;
}
