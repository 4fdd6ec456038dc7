/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_methods.c: read methods.json and check its members; all ranks share one
 * struct for each method. */
#include "mastermind/reader/experiment_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/file.h"
#include "mastermind/format/called_file.h"
#include "mastermind/reader/json.h"

enum { MAX_METHODS = 65535, MAX_CALLED = 256 << 20 };

/* The file and the id of a method, for messages. */
struct place {
    const char *path;
    size_t id;
    struct cca_error *err;
};

static int report_wrong(const struct place *place, const char *field,
                        const char *expected)
{
    return cca_error_set(place->err, -EBADMSG,
                         "%s: method %zu: found no good '%s', expected %s", place->path,
                         place->id, field, expected);
}

static int copy_string(const struct place *place, const json_t *object, const char *field,
                       int optional, const char **copy)
{
    const json_t *value = json_object_get(object, field);

    if (optional && (!value || json_is_null(value)))
        return 0;
    if (!json_is_string(value))
        return report_wrong(place, field, "a string");
    *copy = strdup(json_string_value(value));
    return *copy ? 0 : cca_no_memory(place->err);
}

static int find_word(const json_t *object, const char *field, const char *const *words)
{
    const char *word = json_string_value(json_object_get(object, field));
    int i;

    for (i = 0; word && words[i]; i++)
        if (!strcmp(word, words[i]))
            return i;
    return -1;
}

static int read_labels(const struct place *place, const json_t *object,
                       struct mm_value_info *value)
{
    const json_t *labels = json_object_get(object, "labels"), *label;
    size_t i, n;
    int code;

    if (!labels || json_is_null(labels))
        return 0;
    if (!json_is_array(labels))
        return report_wrong(place, "labels", "an array");
    n = json_array_size(labels);
    value->labels = calloc(n + 1, sizeof *value->labels);
    if (!value->labels)
        return cca_no_memory(place->err);
    value->label_count = n;
    for (i = 0; i < n; i++) {
        label = json_array_get(labels, i);
        if (!json_is_integer(json_object_get(label, "value")))
            return report_wrong(place, "labels", "an integer 'value' in each");
        value->labels[i].value = json_integer_value(json_object_get(label, "value"));
        code = copy_string(place, label, "text", 0, &value->labels[i].text);
        if (code)
            return code;
    }
    return 0;
}

static int read_value(const struct place *place, const json_t *object,
                      struct mm_value_info *value)
{
    static const char *const types[] = {"int64", "double", NULL};
    static const char *const kinds[] = {"param", "mode", "out", "hint", NULL};
    int type = find_word(object, "type", types), kind = find_word(object, "kind", kinds);
    int code;

    if (type < 0)
        return report_wrong(place, "type", "\"int64\" or \"double\"");
    if (kind < 0)
        return report_wrong(place, "kind", "\"param\", \"mode\", \"out\" or \"hint\"");
    if (kind == MONITOR_MODE && type != MONITOR_INT64)
        return report_wrong(place, "type", "\"int64\" of a mode");
    value->type = (enum monitor_type)type;
    value->kind = (enum monitor_kind)kind;
    code = copy_string(place, object, "name", 0, &value->name);
    if (!code)
        code = copy_string(place, object, "expression", 1, &value->expression);
    return code ? code : read_labels(place, object, value);
}

static int read_values(const struct place *place, const json_t *object,
                       struct mm_method_info *m)
{
    const json_t *values = json_object_get(object, "values");
    size_t i, n = json_array_size(values);
    int code;

    if (!json_is_array(values) || n > MONITOR_MAX_IN + MONITOR_MAX_OUT)
        return report_wrong(place, "values", "an array of at most 24");
    m->values = calloc(n + 1, sizeof *m->values);
    if (!m->values)
        return cca_no_memory(place->err);
    m->value_count = n;
    for (i = 0; i < n; i++) {
        code = read_value(place, json_array_get(values, i), &m->values[i]);
        if (code)
            return code;
        if (!monitor_kind_is_out(m->values[i].kind)) {
            if (m->in_count != i)
                return report_wrong(place, "values", "in-values before out-values");
            m->in_count++;
        }
    }
    if (m->in_count > MONITOR_MAX_IN || n - m->in_count > MONITOR_MAX_OUT)
        return report_wrong(place, "values", "at most 16 in-values and 8 out-values");
    return 0;
}

static int read_method(const struct place *place, const json_t *object,
                       struct mm_method_info *m)
{
    const struct {
        const char *field, **copy;
    } strings[] = {{"instance", &m->instance}, {"port", &m->port},
                   {"method", &m->method},     {"class", &m->class_name},
                   {"build_id", &m->build_id}, {"port_type", &m->port_type}};
    int entry = find_word(object, "entry", mm_entry_names), code;
    size_t i, room;

    for (i = 0; i < sizeof strings / sizeof *strings; i++) {
        code = copy_string(place, object, strings[i].field, 0, strings[i].copy);
        if (code)
            return code;
    }
    room = strlen(m->instance) + strlen(m->port) + strlen(m->method) + 3;
    m->name = malloc(room);
    if (!m->name)
        return cca_no_memory(place->err);
    snprintf(m->name, room, "%s.%s.%s", m->instance, m->port, m->method);
    /* older experiments lack the member */
    m->entry = entry < 0 ? MM_ENTRY_PROXY : (enum mm_entry_kind)entry;
    return read_values(place, object, m);
}

static int same_values(const struct mm_method_info *a, const struct mm_method_info *b)
{
    const struct mm_value_info *v, *w;
    size_t i;

    if (a->value_count != b->value_count || a->in_count != b->in_count)
        return 0;
    for (i = 0; i < a->value_count; i++) {
        v = &a->values[i];
        w = &b->values[i];
        if (strcmp(v->name, w->name) || v->type != w->type || v->kind != w->kind ||
            !v->expression != !w->expression ||
            (v->expression && strcmp(v->expression, w->expression)))
            return 0;
    }
    return 1;
}

static int same_method(const struct mm_method_info *a, const struct mm_method_info *b)
{
    return !strcmp(a->instance, b->instance) && !strcmp(a->port, b->port) &&
           !strcmp(a->method, b->method) && !strcmp(a->class_name, b->class_name) &&
           !strcmp(a->build_id, b->build_id) && !strcmp(a->port_type, b->port_type) &&
           same_values(a, b);
}

/* Add method `m`, which is stolen; if an equal method exists, free `m` and return the
 * equal one. NULL: out of memory. */
static struct mm_method_info *admit_method(struct mm_experiment *e,
                                           struct mm_method_info *m)
{
    size_t i;

    for (i = 0; i < e->method_count; i++) {
        if (same_method(e->methods[i], m)) {
            mm_method_free(m);
            return e->methods[i];
        }
    }
    if (cca_array_reserve(&e->methods, e->method_count, sizeof m)) {
        mm_method_free(m);
        return NULL;
    }
    m->index = e->method_count;
    return e->methods[e->method_count++] = m;
}

/* Store a method under its id. An id may have no method, if the method was refused, or if
 * the process was killed at the method's first call. */
static int place_method(struct mm_rank_methods *rank, const struct place *place,
                        struct mm_method_info *m)
{
    if (cca_array_extend(&rank->by_id, &rank->room, sizeof *rank->by_id, place->id + 1))
        return -ENOMEM;
    if (rank->count <= place->id)
        rank->count = place->id + 1;
    if (rank->by_id[place->id])
        return report_wrong(place, "id", "a number that no other method has");
    rank->by_id[place->id] = m;
    return 0;
}

/* Add a method from its JSON object, which has the index `position` in the file
 * `path`. */
static int add_method(struct mm_experiment *e, struct mm_rank_methods *rank,
                      const char *path, size_t position, const json_t *object,
                      struct cca_error *err)
{
    const json_t *id = json_object_get(object, "id");
    struct place place = {.path = path, .id = position, .err = err};
    struct mm_method_info *m;
    int code;

    if (!json_is_integer(id) || json_integer_value(id) < 0 ||
        json_integer_value(id) >= MAX_METHODS)
        return report_wrong(&place, "id", "a number below 65535");
    place.id = (size_t)json_integer_value(id);
    m = calloc(1, sizeof *m);
    code = m ? read_method(&place, object, m) : -ENOMEM;
    if (code) {
        mm_method_free(m);
        return code;
    }
    m = admit_method(e, m);
    return m ? place_method(rank, &place, m) : -ENOMEM;
}

int mm_methods_read(struct mm_experiment *e, struct mm_rank_methods *rank,
                    const char *path, struct cca_error *err)
{
    const json_t *methods;
    json_t *json;
    int code;

    json = mm_json_load(path, &code, err);
    if (!json)
        return code;
    methods = json_object_get(json, "methods");
    if (!json_is_array(methods) || json_array_size(methods) > MAX_METHODS)
        code = cca_error_set(err, -EBADMSG,
                             "%s: found no good 'methods', expected an array", path);
    for (size_t i = 0; !code && i < json_array_size(methods); i++)
        code = add_method(e, rank, path, i, json_array_get(methods, i), err);
    json_decref(json);
    return code == -ENOMEM ? cca_no_memory(err) : code;
}

/* Return the next entry of the file methods.called, or NULL at its end, or NULL with
 * -EBADMSG in `*code`. */
static const struct mm_called_entry *next_called(const char *text, size_t length,
                                                 size_t *at, int *code)
{
    struct mm_called_head head;
    const struct mm_called_entry *entry;
    size_t left;

    memcpy(&head, text, sizeof head);
    left = head.used > length - sizeof head ? SIZE_MAX : (size_t)head.used - *at;
    if (!left)
        return NULL;
    entry = (const struct mm_called_entry *)(const void *)(text + sizeof head + *at);
    if (left == SIZE_MAX || left < sizeof *entry || entry->bytes > left - sizeof *entry ||
        entry->check != mm_block_check(entry + 1, (size_t)entry->bytes,
                                       MM_CHECK_START + entry->bytes)) {
        *code = -EBADMSG;
        return NULL;
    }
    *at += sizeof *entry + (size_t)entry->bytes;
    return entry;
}

int mm_methods_read_called(struct mm_experiment *e, struct mm_rank_methods *rank,
                           const char *path, struct cca_error *err)
{
    const struct mm_called_entry *entry;
    uint64_t magic = 0;
    char *text = NULL;
    size_t length = 0, at = 0;
    int code = cca_file_read_plain(path, MAX_CALLED, &text, &length);

    if (code == -ENOENT || code == -ENOTDIR)
        return -ENOENT;
    if (code)
        return cca_error_set(err, code == -ENOMEM ? code : -EIO, "%s: %s", path,
                             strerror(-code));
    if (length >= sizeof(struct mm_called_head))
        memcpy(&magic, text, sizeof magic);
    if (magic && magic != MM_CALLED_MAGIC)
        code = -EBADMSG;
    while (magic && !code && (entry = next_called(text, length, &at, &code))) {
        json_t *json =
            json_loadb((const char *)(entry + 1), (size_t)entry->bytes, 0, NULL);
        json_int_t id = json_integer_value(json_object_get(json, "id"));

        if (!json)
            code = -EBADMSG;
        /* if the id has a method, that was read from methods.json */
        else if (id < 0 || (size_t)id >= rank->count || !rank->by_id[id])
            code = add_method(e, rank, path, 0, json, err);
        json_decref(json);
    }
    free(text);
    return code == -ENOMEM    ? cca_no_memory(err)
           : code == -EBADMSG ? cca_error_set(err, code, "%s: found damage", path)
                              : code;
}
