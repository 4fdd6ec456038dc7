/* SPDX-License-Identifier: BSD-3-Clause */
/* method.c: copy, free and compare methods. */
#include "mastermind/reader/rows.h"

#include <stdlib.h>
#include <string.h>

#include "mastermind/format/aggregate.h"

/* Set `*to` to a copy of `text`, which may be NULL. Returns 0, or -1: out of memory. */
static int copy_text(const char **to, const char *text)
{
    if (!text)
        return 0;
    *to = strdup(text);
    return *to ? 0 : -1;
}

static int copy_value(struct mm_value_info *to, const struct mm_value_info *from)
{
    to->type = from->type;
    to->kind = from->kind;
    if (copy_text(&to->name, from->name) || copy_text(&to->expression, from->expression))
        return -1;
    if (!from->label_count)
        return 0;
    to->labels = calloc(from->label_count, sizeof *to->labels);
    if (!to->labels)
        return -1;
    for (; to->label_count < from->label_count; to->label_count++) {
        struct monitor_label *label = &to->labels[to->label_count];

        label->value = from->labels[to->label_count].value;
        if (copy_text(&label->text, from->labels[to->label_count].text))
            return -1;
    }
    return 0;
}

void mm_method_drop_hints(const struct mm_method_info *method,
                          union monitor_value *values)
{
    for (size_t i = mm_method_stored_in(method); i < method->in_count; i++)
        values[i].i = method->values[i].type == MONITOR_DOUBLE ? MONITOR_ABSENT_BITS
                                                               : MONITOR_ABSENT;
}

struct mm_method_info *mm_method_copy(const struct mm_method_info *method)
{
    struct mm_method_info *copy = calloc(1, sizeof *copy);

    if (!copy)
        return NULL;
    copy->index = method->index;
    copy->in_count = method->in_count;
    copy->hint_count = method->hint_count;
    copy->entry = method->entry;
    copy->values = calloc(method->value_count + 1, sizeof *copy->values);
    if (!copy->values || copy_text(&copy->instance, method->instance) ||
        copy_text(&copy->port, method->port) ||
        copy_text(&copy->method, method->method) ||
        copy_text(&copy->class_name, method->class_name) ||
        copy_text(&copy->build_id, method->build_id) ||
        copy_text(&copy->port_type, method->port_type) ||
        copy_text((const char **)&copy->name, method->name))
        goto fail;
    while (copy->value_count < method->value_count) {
        size_t at = copy->value_count++;

        if (copy_value(&copy->values[at], &method->values[at]))
            goto fail;
    }
    return copy;
fail:
    mm_method_free(copy);
    return NULL;
}

static void value_done(struct mm_value_info *value)
{
    for (size_t i = 0; value->labels && i < value->label_count; i++)
        free((char *)value->labels[i].text);
    free(value->labels);
    free((char *)value->name);
    free((char *)value->expression);
}

void mm_method_free(struct mm_method_info *method)
{
    if (!method)
        return;
    for (size_t i = 0; method->values && i < method->value_count; i++)
        value_done(&method->values[i]);
    free(method->values);
    free((char *)method->instance);
    free((char *)method->port);
    free((char *)method->method);
    free((char *)method->class_name);
    free((char *)method->build_id);
    free((char *)method->port_type);
    free(method->name);
    free(method);
}

int mm_value_is_derived(const struct mm_value_info *value)
{
    return value->kind == MONITOR_PARAM && value->expression &&
           strcmp(value->expression, value->name) != 0;
}

int mm_same_modes(const struct mm_method_info *method, const union monitor_value *a,
                  const union monitor_value *b)
{
    for (size_t i = 0; i < method->in_count; i++) {
        if (method->values[i].kind != MONITOR_PARAM && a[i].i != b[i].i)
            return 0;
    }
    return 1;
}

size_t mm_missing_parameter(const struct mm_method_info *method,
                            const union monitor_value *in)
{
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_PARAM &&
            monitor_value_absent(in[i], method->values[i].type))
            return i + 1;
    return 0;
}

uint64_t mm_in_values_hash(const union monitor_value *in, size_t count)
{
    /* like the recorder, which hashes values as 64-bit words */
    return mm_values_hash((const uint64_t *)(const void *)in, (uint32_t)count);
}
