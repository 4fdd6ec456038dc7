/* SPDX-License-Identifier: BSD-3-Clause */
/* methods.c: write methods.json, the names and values of the recorded methods.
 *
 * The file is rewritten for each new method, so its text is kept in memory: one line for
 * each object, formatted once. */
#include "mastermind/writer/parts.h"

#include "mastermind/writer/json_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static const char file_start[] = "{\"format\": 1, \"methods\": [";
static const char file_end[] = "\n]}\n";

static json_t *labels_json(const struct monitor_value_decl *value)
{
    json_t *labels = json_array();

    for (size_t i = 0; labels && i < value->label_count; i++)
        labels = mm_json_append(
            labels, json_pack("{s:I, s:o}", "value", (json_int_t)value->labels[i].value,
                              "text", mm_json_text(value->labels[i].text)));
    return labels;
}

static json_t *value_json(const struct monitor_value_decl *value)
{
    static const char *const kinds[] = {"param", "mode", "out", "hint"};
    json_t *json = json_pack("{s:o, s:s, s:s}", "name", mm_json_text(value->name), "type",
                             value->type == MONITOR_DOUBLE ? "double" : "int64", "kind",
                             kinds[value->kind]);

    if (json &&
        ((value->expression &&
          json_object_set_new(json, "expression", mm_json_text(value->expression))) ||
         (value->label_count &&
          json_object_set_new(json, "labels", labels_json(value))))) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *method_json(uint32_t id, enum mm_entry_kind entry,
                           const struct monitor_method_decl *decl)
{
    json_t *values = json_array();

    for (size_t i = 0; values && i < decl->in_count + decl->out_count; i++) {
        if (json_array_append_new(values, value_json(&decl->values[i]))) {
            json_decref(values);
            values = NULL;
        }
    }
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "id", (json_int_t)id, "instance",
        mm_json_text(decl->instance), "port", mm_json_text(decl->port), "method",
        mm_json_text(decl->method), "class", mm_json_text(decl->class_name), "build_id",
        mm_json_text(decl->build_id), "port_type", mm_json_text(decl->port_type), "entry",
        mm_entry_names[entry], "values", values);
}

/* Append to the text of methods.json, and leave space for `file_end` after it. Returns 0
 * or -ENOMEM. */
static int append_bytes(struct mm_methods *methods, const char *text, size_t length)
{
    if (cca_array_extend(&methods->text, &methods->capacity, 1,
                         methods->size + length + sizeof file_end))
        return -ENOMEM;
    memcpy(methods->text + methods->size, text, length);
    methods->size += length;
    return 0;
}

static int append(struct mm_methods *methods, const char *text)
{
    return append_bytes(methods, text, strlen(text));
}

static int write_file(struct mm_methods *methods, const char *dir, struct cca_error *err)
{
    memcpy(methods->text + methods->size, file_end, sizeof file_end);
    return mm_json_replace_text(dir, "methods.json", methods->text, err);
}

int mm_methods_start(struct mm_methods *methods, const char *dir, struct cca_error *err)
{
    /* if the text is not empty, an earlier rank has begun it */
    if (!methods->size && append(methods, file_start))
        return cca_no_memory(err);
    return write_file(methods, dir, err);
}

int mm_methods_copy(struct mm_methods *methods, const char *object, size_t bytes)
{
    size_t size_before = methods->size;

    if ((!methods->size && append(methods, file_start)) ||
        append(methods, methods->count ? ",\n " : "\n ") ||
        append_bytes(methods, object, bytes)) {
        methods->size = size_before;
        return -ENOMEM;
    }
    methods->count++;
    methods->unwritten = 1;
    return 0;
}

int mm_methods_note(struct mm_methods *methods, uint32_t id, enum mm_entry_kind entry,
                    const struct monitor_method_decl *decl, struct cca_error *err)
{
    size_t size_before = methods->size;
    json_t *json = method_json(id, entry, decl);
    char *text = mm_json_dump(json, JSON_COMPACT);
    int result = 0;

    json_decref(json);
    if (!text || (!methods->size && append(methods, file_start)) ||
        append(methods, methods->count ? ",\n " : "\n ") || append(methods, text)) {
        methods->size = size_before;
        result = cca_error_set(err, -ENOMEM, "out of memory");
    } else {
        methods->count++;
        methods->unwritten = 1;
    }
    free(text);
    return result;
}

int mm_methods_write(struct mm_methods *methods, const char *dir, struct cca_error *err)
{
    int result = methods->unwritten ? write_file(methods, dir, err) : 0;

    if (!result)
        methods->unwritten = 0;
    return result;
}

int mm_methods_add(struct mm_methods *methods, const char *dir, uint32_t id,
                   enum mm_entry_kind entry, const struct monitor_method_decl *decl,
                   struct cca_error *err)
{
    struct mm_methods before = *methods;
    int result = mm_methods_note(methods, id, entry, decl, err);

    if (!result && (result = mm_methods_write(methods, dir, err))) {
        methods->size = before.size;
        methods->count = before.count;
        methods->unwritten = before.unwritten;
    }
    return result;
}

void mm_methods_done(struct mm_methods *methods)
{
    free(methods->text);
    memset(methods, 0, sizeof *methods);
}
