/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.c: write wiring.json, the assembly of the script and the parameters of each `go`
 * command. */
#include "mastermind/writer/parts.h"

#include "framework/cca.h"
#include "mastermind/writer/json_file.h"
#include "ports/swap_port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALWAYS_WRITTEN = 256 };

/* The port through which the framework serves parameters (parameter_port.h). */
static const char parameter_port_name[] = "config";

int mm_wiring_init(struct mm_wiring_record *wiring)
{
    memset(wiring, 0, sizeof *wiring);
    wiring->assembly = json_pack("{s:[], s:[]}", "instances", "connections");
    wiring->measured = json_array();
    wiring->gos = json_array();
    wiring->swaps = json_array();
    if (wiring->assembly && wiring->measured && wiring->gos && wiring->swaps)
        return 0;
    mm_wiring_done(wiring);
    return -ENOMEM;
}

void mm_wiring_done(struct mm_wiring_record *wiring)
{
    json_decref(wiring->assembly);
    json_decref(wiring->measured);
    json_decref(wiring->gos);
    json_decref(wiring->swaps);
    memset(wiring, 0, sizeof *wiring);
}

static json_t *port_json(const char *name, const char *type)
{
    return json_pack("{s:o, s:o}", "name", mm_json_text(name), "type",
                     mm_json_text(type));
}

static json_t *parameters_json(struct builder_port *builder,
                               const struct builder_instance *instance)
{
    const struct cca_param_decl *decl = instance->cls ? instance->cls->params : NULL;
    json_t *parameters = json_array();

    for (; parameters && decl && decl->name; decl++) {
        const char *value = builder->parameter(builder, instance->name, decl->name);

        if (value)
            parameters = mm_json_append(
                parameters,
                json_pack("{s:s, s:o, s:o}", "port", parameter_port_name, "name",
                          mm_json_text(decl->name), "value", mm_json_text(value)));
    }
    return parameters;
}

static json_t *qualities_json(const struct cca_class *cls)
{
    static const char *const rules[] = {"max", "min", "sum"};
    const struct cca_quality *quality = cls ? cls->quality : NULL;
    json_t *qualities = json_array();

    for (; qualities && quality && quality->name; quality++)
        qualities =
            mm_json_append(qualities, json_pack("{s:o, s:o, s:s, s:o}", "name",
                                                mm_json_text(quality->name), "value",
                                                mm_json_real(quality->value), "compose",
                                                rules[quality->compose], "command",
                                                mm_json_text(quality->command)));
    return qualities;
}

/* Append an item to a JSON array; if that fails, increment `*failed`. */
static void append(json_t *array, json_t *item, int *failed)
{
    if (json_array_append_new(array, item))
        ++*failed;
}

static void append_name(json_t *array, const char *instance, const char *port,
                        int *failed)
{
    char *both = NULL;

    if (asprintf(&both, "%s.%s", instance, port) < 0)
        both = NULL;
    append(array, both ? mm_json_text(both) : NULL, failed);
    free(both);
}

/* Return a JSON array of the ports that an instance provides, or of the ports that it
 * uses. Names of provided ports with a proxy in front are added to `measured`. */
static json_t *ports_json(struct builder_port *builder, const char *instance,
                          int provided, json_t *measured, int *failed)
{
    json_t *ports = json_array();
    const char *name, *type;

    for (size_t i = 0; ports; i++) {
        if ((provided ? builder->provided_port : builder->used_port)(builder, instance, i,
                                                                     &name, &type))
            break;
        ports = mm_json_append(ports, port_json(name, type));
        if (provided && builder->interposed(builder, instance, name))
            append_name(measured, instance, name, failed);
    }
    return ports;
}

static json_t *instance_json(struct builder_port *builder,
                             const struct builder_instance *instance, json_t *measured,
                             int *failed)
{
    const struct cca_class *cls = instance->cls;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
        mm_json_text(instance->name), "class", mm_json_text(cls ? cls->name : NULL),
        "summary", mm_json_text(cls ? cls->summary : NULL), "file",
        mm_json_text(instance->file), "build_id", mm_json_text(instance->build_id),
        "provides", ports_json(builder, instance->name, 1, measured, failed), "uses",
        ports_json(builder, instance->name, 0, measured, failed), "parameters",
        parameters_json(builder, instance), "qualities", qualities_json(cls));
}

static json_t *connection_json(const struct builder_connection *connection)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "user", mm_json_text(connection->user),
                     "uses", mm_json_text(connection->uses_port), "provider",
                     mm_json_text(connection->provider), "provides",
                     mm_json_text(connection->provides_port));
}

int mm_wiring_snapshot(struct mm_wiring_record *wiring, struct builder_port *builder)
{
    json_t *instances = json_array(), *connections = json_array(),
           *measured = json_array();
    struct builder_instance instance;
    struct builder_connection connection;
    json_t *assembly;
    int failed = 0;

    for (size_t i = 0; !builder->instance(builder, i, 0, &instance); i++)
        append(instances, instance_json(builder, &instance, measured, &failed), &failed);
    for (size_t i = 0; !builder->connection(builder, i, &connection); i++)
        append(connections, connection_json(&connection), &failed);
    assembly =
        json_pack("{s:o, s:o}", "instances", instances, "connections", connections);
    if (failed || !assembly || !measured) {
        json_decref(assembly);
        json_decref(measured);
        return -ENOMEM;
    }
    json_decref(wiring->assembly);
    json_decref(wiring->measured);
    wiring->assembly = assembly;
    wiring->measured = measured;
    return 0;
}

/* Return the parameters of all instances of the snapshot as a JSON object:
 * {"driver.config.nx": "256", ...}. */
static json_t *all_parameters(const struct mm_wiring_record *wiring)
{
    json_t *all = json_object(), *instance, *parameter;
    size_t i, j;

    json_array_foreach(json_object_get(wiring->assembly, "instances"), i, instance)
    {
        const char *name = json_string_value(json_object_get(instance, "name"));

        json_array_foreach(json_object_get(instance, "parameters"), j, parameter)
        {
            char *key = NULL;

            if (asprintf(&key, "%s.%s.%s", name,
                         json_string_value(json_object_get(parameter, "port")),
                         json_string_value(json_object_get(parameter, "name"))) < 0)
                key = NULL;
            if (!key || json_object_set(all, key, json_object_get(parameter, "value"))) {
                free(key);
                json_decref(all);
                return NULL;
            }
            free(key);
        }
    }
    return all;
}

int mm_wiring_go_begins(struct mm_wiring_record *wiring, struct builder_port *builder,
                        const char *instance, const char *port)
{
    int result = mm_wiring_snapshot(wiring, builder);
    json_t *go = json_pack("{s:o, s:o, s:b, s:o}", "instance", mm_json_text(instance),
                           "port", mm_json_text(port), "measured",
                           builder->interposed(builder, instance, port), "parameters",
                           all_parameters(wiring));

    if (json_array_append_new(wiring->gos, go))
        return -ENOMEM;
    return result;
}

int mm_wiring_go_ends(struct mm_wiring_record *wiring, const char *instance,
                      const char *port, int result)
{
    for (size_t i = json_array_size(wiring->gos); i-- > 0;) {
        json_t *go = json_array_get(wiring->gos, i);

        if (json_object_get(go, "result") ||
            strcmp(json_string_value(json_object_get(go, "instance")), instance) ||
            strcmp(json_string_value(json_object_get(go, "port")), port))
            continue;
        return json_object_set_new(go, "result", json_integer(result)) ? -ENOMEM : 0;
    }
    return 0;
}

int mm_wiring_swapped(struct mm_wiring_record *wiring, const struct swap_outcome *swap)
{
    static const char *const stages[SWAP_STAGES] = {
        [SWAP_CHECK] = "check",     [SWAP_MAKE] = "make",  [SWAP_READY] = "ready",
        [SWAP_CLOSE] = "close",     [SWAP_GIVE] = "give",  [SWAP_TAKE] = "take",
        [SWAP_CONNECT] = "connect", [SWAP_AGREE] = "agree"};
    json_t *steps = json_array();
    int last = swap->status ? (int)swap->stage : SWAP_STAGES - 1;

    for (int i = 0; steps && i <= last; i++)
        steps = mm_json_append(
            steps, json_pack("{s:s, s:I}", "name", stages[i], "ns", swap->ns[i]));
    return json_array_append_new(
               wiring->swaps,
               json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:i, s:o, s:o}", "instance",
                         mm_json_text(swap->instance), "from", mm_json_text(swap->from),
                         "to", mm_json_text(swap->to), "to_instance",
                         mm_json_text(swap->to_instance), "reason",
                         mm_json_text(swap->reason), "step", (json_int_t)swap->step,
                         "status", swap->status, "failure", mm_json_text(swap->text),
                         "steps", steps))
               ? -ENOMEM
               : 0;
}

int mm_wiring_due(struct mm_wiring_record *wiring)
{
    size_t count = json_array_size(wiring->gos);

    if (count <= ALWAYS_WRITTEN)
        return 1;
    if (count < wiring->next_write)
        return 0;
    wiring->next_write = count + count / 8;
    return 1;
}

int mm_wiring_write(const struct mm_wiring_record *wiring, const char *dir,
                    struct cca_error *err)
{
    json_t *json =
        json_pack("{s:i, s:O, s:O, s:O, s:O}", "format", 1, "instances",
                  json_object_get(wiring->assembly, "instances"), "connections",
                  json_object_get(wiring->assembly, "connections"), "gos", wiring->gos,
                  "swaps", wiring->swaps);
    int result = mm_json_replace(dir, "wiring.json", json, err);

    json_decref(json);
    return result;
}

int mm_wiring_offer(const struct mm_wiring_record *wiring,
                    const struct mm_directory *directory, struct cca_error *err)
{
    char *own = NULL, *shared = NULL;
    int result = 0;

    if (asprintf(&own, "%s/wiring.json", directory->rank_path) < 0)
        own = NULL;
    if (asprintf(&shared, "%s/wiring.json", directory->path) < 0)
        shared = NULL;
    if (!own || !shared) {
        result = cca_no_memory(err);
    } else if (access(shared, F_OK)) {
        /* Other ranks do this at the same time: each rank writes the file to its own
         * folder, then links it into the shared one, where only the first link succeeds.
         * Some file systems have no links. */
        result = mm_wiring_write(wiring, directory->rank_path, err);
        if (!result && link(own, shared) && errno != EEXIST && rename(own, shared))
            result = cca_error_set(err, -errno, "cannot write '%s': %s", shared,
                                   strerror(errno));
        unlink(own);
    }
    free(own);
    free(shared);
    return result;
}
