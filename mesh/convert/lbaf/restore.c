/* SPDX-License-Identifier: BSD-3-Clause */
/* restore.c: LBDatafiles from the lines that were kept of them. */
#include "mesh/convert/lbaf/keep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/format/json_check.h"
#include "mastermind/format/mesh_file.h"
#include "mesh/convert/lbaf/import.h"

struct restore {
    char *path; /* of the lines */
    FILE *from;
    int line;
    const struct mesh_folder *folder;
    json_t *elements;
    char stem[256];
    int64_t ranks;
    struct cca_error *err;
};

static int damaged(const struct restore *r, const char *found, const char *expected)
{
    return cca_error_set(r->err, -EBADMSG, "%s:%d: found %s, expected %s", r->path,
                         r->line, found, expected);
}

/* The next line; NULL with `err`. */
static json_t *next_line(struct restore *r)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t size = (errno = 0, getline(&text, &room, r->from));
    int failed = errno;
    json_error_t error;
    json_t *json = NULL;

    r->line++;
    if (size > 0 && text[size - 1] == '\n')
        size--;
    if (size < 0 && failed == ENOMEM) {
        cca_no_memory(r->err);
    } else if (size < 0 && ferror(r->from)) {
        failed = failed ? failed : EIO;
        cca_error_set(r->err, -failed, "%s: %s", r->path, strerror(failed));
    } else if (size <= 0) {
        damaged(r, "the end of the file", "a line of JSON for each rank");
    } else if (!mm_json_check_holds(text, (size_t)size)) {
        damaged(r, "a line that does not fit its check", "it as it was written");
    } else {
        json = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, &error);
        if (!json && json_error_code(&error) == json_error_out_of_memory)
            cca_no_memory(r->err);
        else if (!json)
            damaged(r, error.text, "an object of JSON");
    }
    free(text);
    return json;
}

/* --- Tasks ---------------------------------------------------------------- */

/* [[SUBPHASE,TIME],..] as LBDatafiles have it; NULL: it is something else, or memory. */
static json_t *restore_subphases(const json_t *list)
{
    json_t *subs = json_array();
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const json_t *id = json_array_get(item, 0), *time = json_array_get(item, 1);
        json_t *sub = json_is_integer(id) && json_is_number(time)
                          ? json_pack("{s:I, s:f}", "id", json_integer_value(id), "time",
                                      json_number_value(time))
                          : NULL;

        if (!sub || json_array_append_new(subs, sub)) {
            json_decref(subs);
            return NULL;
        }
    }
    return subs;
}

/* [ELEMENT,TIME,SUBPHASES,MORE]; NULL: it is something else, or memory. */
static json_t *restore_task(const struct restore *r, int64_t rank, const json_t *kept)
{
    const json_t *number = json_array_get(kept, 0), *time = json_array_get(kept, 1);
    const json_t *subs = json_array_get(kept, 2);
    json_t *entity, *task;
    int failed = 0;

    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        !json_is_number(time))
        return NULL;
    entity = json_array_get(r->elements, (size_t)json_integer_value(number));
    if (!entity)
        return NULL;
    task = json_pack("{s:O, s:I, s:s, s:f}", "entity", entity, "node", (json_int_t)rank,
                     "resource", "cpu", "time", json_number_value(time));
    if (task && json_array_size(subs))
        failed = json_object_set_new(task, "subphases", restore_subphases(subs));
    if (task && json_is_object(json_array_get(kept, 3)))
        failed |= json_object_update(task, json_array_get(kept, 3));
    if (!failed)
        return task;
    json_decref(task);
    return NULL;
}

static json_t *restore_phase(const struct restore *r, int64_t rank, const json_t *kept)
{
    json_t *tasks = json_array(), *item, *phase;
    const json_t *id = json_object_get(kept, "id");
    size_t i;

    json_array_foreach(json_object_get(kept, "tasks"), i, item)
    {
        json_t *task = restore_task(r, rank, item);

        if (!task || json_array_append_new(tasks, task)) {
            json_decref(tasks);
            return NULL;
        }
    }
    if (!json_is_integer(id)) {
        json_decref(tasks);
        return NULL;
    }
    phase = json_pack("{s:I, s:o}", "id", json_integer_value(id), "tasks", tasks);
    if (phase && json_is_object(json_object_get(kept, "more")))
        json_object_update(phase, json_object_get(kept, "more"));
    return phase;
}

/* --- Files ---------------------------------------------------------------- */

static json_t *restore_document(const struct restore *r, int64_t rank, const json_t *line)
{
    json_t *document = json_deep_copy(json_object_get(line, "head"));
    json_t *phases = json_array(), *item;
    size_t i;

    json_array_foreach(json_object_get(line, "phases"), i, item)
    {
        json_t *phase = restore_phase(r, rank, item);

        if (!phase || json_array_append_new(phases, phase)) {
            json_decref(phases);
            json_decref(document);
            return NULL;
        }
    }
    if (json_is_object(document) && json_object_set_new(document, "phases", phases) == 0)
        return document;
    json_decref(phases);
    json_decref(document);
    return NULL;
}

static int write_document(const struct restore *r, int64_t rank, const json_t *document)
{
    char name[300];
    FILE *to;
    int failed;

    snprintf(name, sizeof name, "%s.%" PRId64 ".json", r->stem, rank);
    to = mesh_folder_open(r->folder, name, r->err);
    if (!to)
        return r->err->code;
    failed = json_dumpf(document, to, JSON_COMPACT);
    fputc('\n', to);
    if (mesh_folder_close(r->folder, name, to, r->err))
        return r->err->code;
    return failed ? cca_no_memory(r->err) : 0;
}

static int restore_rank(struct restore *r, int64_t rank)
{
    json_t *line = next_line(r), *document;
    int result;

    if (!line)
        return r->err->code;
    if (json_integer_value(json_object_get(line, "rank")) != rank) {
        json_decref(line);
        return damaged(r, "another rank", "ranks in their order");
    }
    document = restore_document(r, rank, line);
    json_decref(line);
    if (!document)
        return damaged(r, "tasks or phases of another form", "a rank's as it was kept");
    result = write_document(r, rank, document);
    json_decref(document);
    return result;
}

static int take_head(struct restore *r)
{
    json_t *head = next_line(r);
    const char *stem, *schema;
    int result = 0;

    if (!head)
        return r->err->code;
    schema = json_string_value(json_object_get(head, "schema"));
    stem = json_string_value(json_object_get(head, "stem"));
    r->ranks = json_integer_value(json_object_get(head, "ranks"));
    r->elements = json_incref(json_object_get(head, "elements"));
    if (!schema || strcmp(schema, "mastermind/mesh-tasks/1") != 0 || !stem || !*stem ||
        strlen(stem) >= sizeof r->stem || strchr(stem, '/') ||
        !json_is_array(r->elements))
        result = damaged(r, "another first line", "one of mastermind/mesh-tasks/1");
    else
        snprintf(r->stem, sizeof r->stem, "%s", stem);
    json_decref(head);
    return result;
}

int mesh_lbaf_restore(const char *experiment, const char *name,
                      const struct mesh_folder *folder, struct cca_error *err)
{
    struct restore r = {.folder = folder, .err = err};
    int result;

    if (asprintf(&r.path, "%s/" MM_MESH_FOLDER "/%s" MESH_TASKS_SUFFIX, experiment,
                 name) < 0)
        return cca_no_memory(err);
    r.from = fopen(r.path, "re");
    if (!r.from) {
        result = errno == ENOENT
                     ? -ENOENT
                     : cca_error_set(err, -errno, "%s: %s", r.path, strerror(errno));
    } else {
        result = take_head(&r);
        for (int64_t rank = 0; !result && rank < r.ranks; rank++)
            result = restore_rank(&r, rank);
        fclose(r.from);
    }
    json_decref(r.elements);
    free(r.path);
    return result;
}
