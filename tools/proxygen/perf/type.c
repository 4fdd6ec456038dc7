/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c: build and free types. */
#include "tools/proxygen/perf/type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
void pg_type_free(struct pg_type *type)
{
    if (!type)
        return;
    for (size_t i = 0; i < type->field_count; i++)
        free(type->fields[i].name);
    for (size_t i = 0; i < type->label_count; i++)
        free(type->labels[i].text);
    free(type->fields);
    free(type->labels);
    free(type->name);
    free(type);
}

struct pg_field *pg_type_add_field(struct pg_type *type)
{
    return cca_array_add(&type->fields, &type->field_count, sizeof *type->fields);
}

int pg_type_add_label(struct pg_type *type, int64_t value, const char *text)
{
    struct pg_label *label;

    if (type->label_count >
        PG_LABELS_MAX) /* an enumeration with more names than a mode can have labels: its
                          values stay plain numbers */
        return 0;
    for (size_t i = 0; i < type->label_count; i++)
        if (type->labels[i].value == value)
            return 0;
    label = cca_array_add(&type->labels, &type->label_count, sizeof *label);
    if (!label)
        return -ENOMEM;
    *label = (struct pg_label){value, strdup(text)};
    return label->text ? 0 : -ENOMEM;
}

int pg_type_is_string(const struct pg_type *type)
{
    return type && (type->kind == PG_TYPE_POINTER || type->kind == PG_TYPE_ARRAY) &&
           type->to && type->to->is_text;
}
