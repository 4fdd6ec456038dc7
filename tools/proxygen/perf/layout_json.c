/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_json.c: write and read layouts in describe documents. */
#include "tools/proxygen/perf/parts.h"

#include <errno.h>
#include <stdint.h>

json_t *pg_layout_write(const struct pg_layout *layout)
{
    const char *name = pg_layout_name(layout);
    json_t *members;

    if (name)
        return json_string(name);
    if (layout->kind == PG_LAYOUT_ARRAY)
        return json_pack("{s:o, s:I}", "array", pg_layout_write(&layout->parts[0]),
                         "count", (json_int_t)layout->count);
    if (layout->kind != PG_LAYOUT_STRUCT)
        return json_pack("{s:s}", "other", layout->why ? layout->why : "");
    members = json_array();
    for (size_t i = 0; members && i < layout->part_count; i++)
        json_array_append_new(members,
                              json_pack("{s:I, s:o}", "offset",
                                        (json_int_t)layout->parts[i].offset, "layout",
                                        pg_layout_write(&layout->parts[i])));
    if (members && json_array_size(members) != layout->part_count) {
        json_decref(members);
        return NULL;
    }
    return json_pack("{s:o, s:I, s:I}", "struct", members, "size",
                     (json_int_t)layout->size, "align", (json_int_t)layout->align);
}

struct reader {
    const char **wrong;
    size_t parts; /* number of parts read so far */
};

static int fail_layout(struct reader *reader, const char *wrong)
{
    *reader->wrong = wrong;
    return -EINVAL;
}

/* Read a number of bytes or elements. */
static int read_number(const json_t *object, const char *key, size_t *number)
{
    const json_t *json = json_object_get(object, key);
    json_int_t value = json_integer_value(json);

    if (!json_is_integer(json) || value < 0 || value > INT32_MAX)
        return -EINVAL;
    *number = (size_t)value;
    return 0;
}

static int read_layout(struct reader *reader, const json_t *json,
                       struct pg_layout *layout, int depth);

static int read_part(struct reader *reader, const json_t *json, struct pg_layout *whole,
                     int depth)
{
    struct pg_layout *part;

    if (++reader->parts > PG_LAYOUT_PARTS || depth >= PG_LAYOUT_DEPTH)
        return fail_layout(reader, "too many parts in one value");
    part = pg_layout_add_part(whole);
    return part ? read_layout(reader, json, part, depth + 1) : -ENOMEM;
}

static int read_struct(struct reader *reader, const json_t *json,
                       struct pg_layout *layout, int depth)
{
    const json_t *members = json_object_get(json, "struct");
    int status = 0;

    layout->kind = PG_LAYOUT_STRUCT;
    if (read_number(json, "size", &layout->size) < 0 ||
        read_number(json, "align", &layout->align) < 0)
        return fail_layout(reader, "expected \"size\" and \"align\" of a struct");
    for (size_t i = 0; status == 0 && i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i);

        status = read_part(reader, json_object_get(member, "layout"), layout, depth);
        if (status == 0 && read_number(member, "offset", &layout->parts[i].offset) < 0)
            status = fail_layout(reader, "expected \"offset\" of a member");
    }
    return status;
}

static int read_array(struct reader *reader, const json_t *json, struct pg_layout *layout,
                      int depth)
{
    int status;

    layout->kind = PG_LAYOUT_ARRAY;
    if (read_number(json, "count", &layout->count) < 0)
        return fail_layout(reader, "expected \"count\" of an array");
    status = read_part(reader, json_object_get(json, "array"), layout, depth);
    if (status == 0) {
        layout->align = layout->parts[0].align;
        if (__builtin_mul_overflow(layout->parts[0].size, layout->count, &layout->size) ||
            layout->size > INT32_MAX)
            return fail_layout(reader, "an array of impossible size");
    }
    return status;
}

static int read_layout(struct reader *reader, const json_t *json,
                       struct pg_layout *layout, int depth)
{
    const char *name = json_string_value(json);
    const char *why = json_string_value(json_object_get(json, "other"));

    if (name && pg_layout_named(name, layout) == 0)
        return 0;
    if (why)
        return pg_layout_give_up(layout, why);
    if (json_is_array(json_object_get(json, "struct")))
        return read_struct(reader, json, layout, depth);
    if (json_object_get(json, "array"))
        return read_array(reader, json, layout, depth);
    return fail_layout(reader, "expected the layout of a value");
}

int pg_layout_read(const json_t *json, struct pg_layout *layout, const char **wrong)
{
    struct reader reader = {.wrong = wrong};

    return read_layout(&reader, json, layout, 0);
}
