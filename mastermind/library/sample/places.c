/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: keep track of processes and their mappings, and count samples by file and
 * offset. */
#include "mastermind/library/sample/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { FIRST_MERGE = 1 << 16 };

/* --- Processes ------------------------------------------------------------ */

static struct sample_process *find_process(struct sample_places *places, int32_t pid)
{
    for (size_t i = places->process_count; i-- > 0;)
        if (places->processes[i].pid == pid)
            return &places->processes[i];
    return NULL;
}

static struct sample_process *find_or_add_process(struct sample_places *places,
                                                  int32_t pid)
{
    struct sample_process *process = find_process(places, pid);

    if (process)
        return process;
    process = cca_array_add(&places->processes, &places->process_count, sizeof *process);
    if (process)
        process->pid = pid;
    return process;
}

static void process_forget(struct sample_process *process)
{
    free(process->mappings);
    process->mappings = NULL;
    process->count = 0;
}

static void process_end(struct sample_places *places, int32_t pid)
{
    struct sample_process *process = find_process(places, pid);

    if (!process)
        return;
    process_forget(process);
    *process = places->processes[--places->process_count];
}

static int process_fork(struct sample_places *places, int32_t pid, int32_t parent)
{
    struct sample_process *child = find_or_add_process(places, pid);
    struct sample_process *from = find_process(places, parent);

    if (!child)
        return -ENOMEM;
    process_forget(child);
    for (size_t i = 0; from && i < from->count; i++) {
        if (cca_array_reserve(&child->mappings, child->count, sizeof *child->mappings))
            return -ENOMEM;
        child->mappings[child->count++] = from->mappings[i];
    }
    return 0;
}

/* --- Mappings ------------------------------------------------------------- */

/* Return the index of the file `path`, which is stolen; or -ENOMEM. */
static int64_t object_of(struct sample_places *places, char *path)
{
    if (!path)
        return -ENOMEM;
    for (size_t i = places->object_count; i-- > 0;)
        if (strcmp(places->objects[i], path) == 0) {
            free(path);
            return (int64_t)i;
        }
    if (cca_array_reserve(&places->objects, places->object_count, sizeof path)) {
        free(path);
        return -ENOMEM;
    }
    places->objects[places->object_count++] = path;
    return (int64_t)places->object_count - 1;
}

static int add_mapping(struct sample_places *places, struct sample_event *event)
{
    int64_t object = object_of(places, event->path);
    struct sample_process *process = find_or_add_process(places, event->pid);
    struct sample_mapping *mapping;

    event->path = NULL;
    if (object < 0 || !process)
        return -ENOMEM;
    mapping = cca_array_add(&process->mappings, &process->count, sizeof *mapping);
    if (!mapping)
        return -ENOMEM;
    *mapping = (struct sample_mapping){event->address, event->length, event->offset,
                                       (uint32_t)object};
    return 0;
}

/* --- Samples -------------------------------------------------------------- */

static int order_places(const void *left, const void *right)
{
    const struct sample_place *a = left, *b = right;

    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void sample_places_merge(struct sample_places *places)
{
    size_t kept = 0;

    if (!places->place_count)
        return;
    qsort(places->places, places->place_count, sizeof *places->places, order_places);
    for (size_t i = 1; i < places->place_count; i++) {
        struct sample_place *last = &places->places[kept];

        if (order_places(last, &places->places[i]) == 0)
            last->count += places->places[i].count;
        else
            places->places[++kept] = places->places[i];
    }
    places->place_count = kept + 1;
}

int sample_places_count(struct sample_places *places, uint32_t object, uint64_t offset)
{
    if (!places->compact)
        places->compact = FIRST_MERGE;
    if (places->place_count == places->compact) {
        sample_places_merge(places);
        if (2 * places->place_count > places->compact)
            places->compact *= 2;
    }
    if (cca_array_extend(&places->places, &places->capacity, sizeof *places->places,
                         places->place_count + 1))
        return -ENOMEM;
    places->places[places->place_count++] = (struct sample_place){object, 1, offset};
    return 0;
}

int sample_places_find(struct sample_places *places, const struct sample_event *event,
                       uint32_t *object, uint64_t *offset)
{
    const struct sample_process *process = find_process(places, event->pid);

    for (size_t i = process ? process->count : 0; i-- > 0;) {
        const struct sample_mapping *mapping = &process->mappings[i];

        if (event->address - mapping->address < mapping->length) {
            *object = mapping->object;
            *offset = event->address - mapping->address + mapping->offset;
            return 1;
        }
    }
    return 0;
}

static int add_sample(struct sample_places *places, const struct sample_event *event)
{
    uint32_t object;
    uint64_t offset;

    places->user++;
    if (sample_places_find(places, event, &object, &offset))
        return sample_places_count(places, object, offset);
    places->unmapped++;
    return 0;
}

int sample_places_add(struct sample_places *places, struct sample_event *event)
{
    struct sample_process *process;

    switch (event->kind) {
    case SAMPLE_USER:
        return add_sample(places, event);
    case SAMPLE_KERNEL:
        places->kernel++;
        return 0;
    case SAMPLE_STACK:
        return 0;
    case SAMPLE_MAP:
        return add_mapping(places, event);
    case SAMPLE_EXEC:
        process = find_process(places, event->pid);
        if (process)
            process_forget(process);
        return 0;
    case SAMPLE_FORK:
        return process_fork(places, event->pid, event->parent);
    case SAMPLE_EXIT:
        process_end(places, event->pid);
        return 0;
    }
    return 0;
}

void sample_places_done(struct sample_places *places)
{
    for (size_t i = 0; i < places->object_count; i++)
        free(places->objects[i]);
    for (size_t i = 0; i < places->process_count; i++)
        process_forget(&places->processes[i]);
    free(places->objects);
    free(places->processes);
    free(places->places);
    *places = (struct sample_places){0};
}
