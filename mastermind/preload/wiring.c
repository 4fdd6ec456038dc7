/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.c: wiring.json of a recorded program: a library is an instance with a port of
 * functions. */
#include "mastermind/preload/wiring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/writer/json_file.h"

/* Find the JSON object in an array whose member "name" equals `name`. Borrowed, or
 * NULL. */
static json_t *find_named(const json_t *array, const char *name)
{
    json_t *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0)
            return item;
    }
    return NULL;
}

/* New instance, owned by the wiring; NULL: out of memory. */
static json_t *new_instance(struct mm_session *session, const struct mm_object *object,
                            const char *name, int is_table)
{
    json_t *json = json_pack(
        "{s:o, s:o, s:s, s:o, s:o, s:[], s:[], s:[], s:[]}", "name", mm_json_text(name),
        "class", mm_json_text(object->name), "summary",
        is_table ? "tables of functions that were wrapped"
                 : "a library whose functions were interposed",
        "file", mm_json_text(object->file), "build_id", mm_json_text(object->build_id),
        "provides", "uses", "parameters", "qualities");

    return json_array_append_new(json_object_get(session->wiring.assembly, "instances"),
                                 json)
               ? NULL
               : json;
}

/* Write wiring.json. The file of rank 0 is final; another rank's file is used until rank
 * 0 has written its own. */
static int write_wiring(struct mm_session *session, struct cca_error *err)
{
    return session->rank == 0
               ? mm_wiring_write(&session->wiring, session->directory.path, err)
               : mm_wiring_offer(&session->wiring, &session->directory, err);
}

/* Add the qualities (such as accuracy) that the JSON file beside a library states.
 * Returns 0 or -ENOMEM. */
static int add_qualities(json_t *instance, const struct interpose_library *library)
{
    static const char *const rules[] = {"max", "min", "sum"};
    json_t *qualities = json_object_get(instance, "qualities");

    for (size_t i = 0; i < library->quality_count; i++) {
        const struct interpose_quality *quality = &library->qualities[i];

        if (json_array_append_new(qualities,
                                  json_pack("{s:o, s:o, s:s, s:s}", "name",
                                            mm_json_text(quality->name), "value",
                                            mm_json_real(quality->value), "compose",
                                            rules[quality->compose], "command", "")))
            return -ENOMEM;
    }
    return 0;
}

int mm_preload_wire(struct mm_session *session, const struct interpose_library *library,
                    const struct mm_object *object, const char *name, const char *port,
                    const char *port_type, struct cca_error *err)
{
    json_t *instance =
        find_named(json_object_get(session->wiring.assembly, "instances"), name);
    json_t *provides;
    char measured[600];

    if (!instance)
        instance = new_instance(session, object, name, strcmp(port, "c") != 0);
    provides = json_object_get(instance, "provides");
    if (find_named(provides, port))
        return 0;
    snprintf(measured, sizeof measured, "%.255s.%.255s", name, port);
    if (add_qualities(instance, library) ||
        json_array_append_new(provides,
                              json_pack("{s:o, s:o}", "name", mm_json_text(port), "type",
                                        mm_json_text(port_type))) ||
        json_array_append_new(session->wiring.measured, mm_json_text(measured)))
        return cca_no_memory(err);
    return write_wiring(session, err) ? err->code : mm_session_update(session, err);
}

void mm_preload_instance_name(const struct mm_object *object, char name[256])
{
    char *end;

    snprintf(name, 256, "%s", object->name);
    end = strstr(name, ".so");
    if (end && end > name)
        *end = 0;
    for (char *c = name; *c; c++)
        if (*c == '.')
            *c = '_';
}
