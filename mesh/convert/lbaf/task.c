/* SPDX-License-Identifier: BSD-3-Clause */
/* task.c: tasks of LBDatafiles, and identification of tasks over phases. */
#include "mesh/convert/lbaf/parts.h"

#include <string.h>

#include "common/array.h"

/* --- Elements: one task in several phases --------------------------------- */

static uint64_t hash_of(const struct mesh_lbaf *lbaf, const struct mesh_lbaf_element *e)
{
    uint64_t hash = (uint64_t)e->id * 2 + (uint64_t)e->is_seq;

    if (e->is_seq)
        hash = hash * 0x9e3779b97f4a7c15u + (uint64_t)e->collection;
    if (e->is_seq && lbaf->by_home)
        hash =
            hash * 0x9e3779b97f4a7c15u + 2 * (uint64_t)e->home + (uint64_t)e->migratable;
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Whether two entries are the same task. An id is unique among all tasks; a seq_id is
 * unique in its collection, and with by_home only in its home. */
static int is_same(const struct mesh_lbaf *lbaf, const struct mesh_lbaf_element *a,
                   const struct mesh_lbaf_element *b)
{
    return a->id == b->id && a->is_seq == b->is_seq &&
           (!a->is_seq ||
            (a->collection == b->collection &&
             (!lbaf->by_home || (a->home == b->home && a->migratable == b->migratable))));
}

static int grow_table(struct mesh_lbaf *lbaf)
{
    size_t size = lbaf->table_size ? 2 * lbaf->table_size : 1024;
    size_t *table;

    if (lbaf->element_count < lbaf->table_size)
        return 0;
    table = calloc(size, sizeof *table);
    if (!table)
        return -ENOMEM;
    free(lbaf->table);
    lbaf->table = table;
    lbaf->table_size = size;
    for (size_t i = 0; i < lbaf->element_count; i++) {
        size_t *slot = &table[hash_of(lbaf, &lbaf->elements[i]) & (size - 1)];

        lbaf->elements[i].next = *slot;
        *slot = i + 1;
    }
    return 0;
}

/* Return the number of an element, which is added if it is new. */
static int64_t number_of(struct mesh_lbaf *lbaf, const struct mesh_lbaf_element *wanted)
{
    struct mesh_lbaf_element *added;
    size_t *slot;

    if (grow_table(lbaf))
        return -ENOMEM;
    slot = &lbaf->table[hash_of(lbaf, wanted) & (lbaf->table_size - 1)];
    for (size_t i = *slot; i; i = lbaf->elements[i - 1].next)
        if (is_same(lbaf, &lbaf->elements[i - 1], wanted))
            return (int64_t)i - 1;
    added = cca_array_add(&lbaf->elements, &lbaf->element_count, sizeof *added);
    if (!added)
        return -ENOMEM;
    *added = *wanted;
    added->number = -1;
    added->next = *slot;
    *slot = lbaf->element_count;
    return (int64_t)lbaf->element_count - 1;
}

/* --- Entities ------------------------------------------------------------- */

static int read_index(const struct mesh_lbaf_at *at, const json_t *entity,
                      struct mesh_lbaf_element *element)
{
    const json_t *index = json_object_get(entity, "index"), *item;
    size_t i;

    if (!index)
        return 0;
    if (!json_is_array(index))
        return mesh_lbaf_refuse_member(at, entity, "index", "an array of whole numbers");
    json_array_foreach(index, i, item)
    {
        if (!json_is_integer(item))
            return mesh_lbaf_refuse_member(at, entity, "index",
                                           "an array of whole numbers");
        if (i < MESH_LBAF_INDEX)
            element->index[i] = json_integer_value(item);
    }
    element->dims = (int)json_array_size(index);
    return 0;
}

/* Read id, or seq_id and collection_id (newer files). */
static int read_identity(const struct mesh_lbaf_at *at, const json_t *entity,
                         struct mesh_lbaf_element *element)
{
    int has = mesh_lbaf_integer(at, entity, "id", INT64_MIN, &element->id);

    if (!has) {
        has = mesh_lbaf_integer(at, entity, "seq_id", INT64_MIN, &element->id);
        element->is_seq = 1;
    }
    if (has == 0)
        return mesh_lbaf_refuse(at, "an entity without 'id' and 'seq_id'",
                                "one of the two");
    element->collection = -1;
    if (has > 0)
        has = mesh_lbaf_integer(at, entity, "collection_id", INT64_MIN,
                                &element->collection);
    element->migratable = json_is_true(json_object_get(entity, "migratable"));
    return has < 0 ? has : 0;
}

static int read_entity(const struct mesh_lbaf_at *at, const json_t *task,
                       struct mesh_lbaf_element *element)
{
    const json_t *entity = json_object_get(task, "entity");
    const char *type = json_string_value(json_object_get(entity, "type"));
    int result;

    memset(element, 0, sizeof *element);
    if (!json_is_object(entity))
        return mesh_lbaf_refuse_member(at, task, "entity", "an object");
    if (!type || strcmp(type, "object") != 0)
        return mesh_lbaf_refuse_member(at, entity, "type", "\"object\"");
    result = read_identity(at, entity, element);
    if (!result)
        result = mesh_lbaf_integer(at, entity, "home", 0, &element->home);
    if (result >= 0)
        result = read_index(at, entity, element);
    return result;
}

int mesh_lbaf_check_end(const struct mesh_lbaf_at *at, const json_t *communication,
                        const char *name)
{
    const json_t *end = json_object_get(communication, name);
    int64_t id;
    int has;

    if (!json_is_object(end))
        return mesh_lbaf_refuse_member(at, communication, name, "an object");
    if (!json_is_string(json_object_get(end, "type")))
        return mesh_lbaf_refuse_member(at, end, "type", "\"object\" or \"node\"");
    has = mesh_lbaf_integer(at, end, "id", INT64_MIN, &id);
    if (!has)
        has = mesh_lbaf_integer(at, end, "seq_id", INT64_MIN, &id);
    return has == 0 ? mesh_lbaf_refuse_member(at, end, "id", "it, or 'seq_id'")
                    : (has < 0 ? has : 0);
}

/* --- Tasks ---------------------------------------------------------------- */

static int read_subphases(struct mesh_lbaf_at *at, const json_t *task,
                          struct mesh_lbaf_task *to)
{
    const json_t *list = json_object_get(task, "subphases"), *item;
    size_t i;

    to->first_subphase = at->rank->subphase_count;
    if (list && !json_is_array(list))
        return mesh_lbaf_refuse_member(at, task, "subphases", "an array");
    json_array_foreach(list, i, item)
    {
        struct mesh_lbaf_subphase *sub =
            cca_array_add(&at->rank->subphases, &at->rank->subphase_count, sizeof *sub);
        int has;

        if (!sub)
            return cca_no_memory(at->err);
        has = mesh_lbaf_integer(at, item, "id", 0, &sub->id);
        if (has == 0)
            return mesh_lbaf_refuse_member(at, item, "id", "that of a subphase");
        if (has > 0)
            has = mesh_lbaf_amount(at, item, "time", &sub->time);
        if (has == 0)
            return mesh_lbaf_refuse_member(at, item, "time", "that of a subphase, s");
        if (has < 0)
            return has;
        to->subphases++;
    }
    return 0;
}

int mesh_lbaf_take_task(struct mesh_lbaf_at *at, const json_t *task)
{
    struct mesh_lbaf_element element;
    struct mesh_lbaf_task *to;
    int64_t number;
    int result;

    if (!json_is_object(task))
        return mesh_lbaf_refuse(at, "a task that is no object", "an object");
    result = read_entity(at, task, &element);
    if (result < 0)
        return result;
    number = number_of(at->lbaf, &element);
    if (number < 0)
        return cca_no_memory(at->err);
    to = cca_array_add(&at->rank->tasks, &at->rank->task_count, sizeof *to);
    if (!to)
        return cca_no_memory(at->err);
    to->element = (size_t)number;
    result = mesh_lbaf_amount(at, task, "time", &to->time);
    if (result == 0)
        result = mesh_lbaf_refuse_member(at, task, "time", "seconds, at least 0");
    if (result > 0)
        result = read_subphases(at, task, to);
    return result < 0 ? result : 0;
}
