/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c: tables of objects, callsites, communicators and unverified channels.
 *
 * Each process has its own tables, and most entries are in all of them. So the common
 * tables are kept sorted and without duplicates: new entries of a file are collected,
 * then merged. */
#include "messages/read/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Order of the channels in `unverified`, in which the member `side` holds the source. */
static int compare_channels(const void *left, const void *right)
{
    const struct mm_messages_channel *a = left, *b = right;

    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_sites(const void *left, const void *right)
{
    const struct mm_messages_known_site *a = left, *b = right;

    return (a->key > b->key) - (a->key < b->key);
}

static int compare_comms(const void *left, const void *right)
{
    const struct mm_messages_comm *a = left, *b = right;

    return (a->id > b->id) - (a->id < b->id);
}

/* Sort an array and remove duplicates. Returns how many elements remain. */
static size_t sort_once(void *array, size_t count, size_t size,
                        int (*compare)(const void *, const void *))
{
    char *bytes = array;
    size_t kept = 0;

    if (count)
        qsort(array, count, size, compare);
    for (size_t i = 0; i < count; i++) {
        if (kept && !compare(bytes + (kept - 1) * size, bytes + i * size))
            continue;
        if (kept != i)
            memcpy(bytes + kept * size, bytes + i * size, size);
        kept++;
    }
    return kept;
}

/* State while one file's tables are added to the common ones. */
struct adding {
    struct mm_messages *m;
    const struct mm_messages_file *file;
    int rank;
    uint32_t *objects; /* [object_count] the common number of each object of the file */
    size_t object_count;
    /* numbers of callsites and communicators that are sorted already */
    size_t sites, comms;
    uint64_t messages[2]; /* by side: number of messages in all channels */
    struct cca_error *err;
};

static int add_object(void *context, const void *entry, uint64_t number)
{
    struct adding *adding = context;
    const struct mm_messages_object *object = entry;
    struct mm_messages_known_object known = {.build_id_bytes = object->build_id_bytes};
    struct mm_messages *m = adding->m;
    size_t i = 0;

    if (object->build_id_bytes > sizeof object->build_id ||
        !memchr(object->path, '\0', sizeof object->path))
        return cca_error_set(adding->err, -EBADMSG,
                             "%s: found object %llu without a good path or build id",
                             adding->file->path, (unsigned long long)number);
    strcpy(known.path, object->path);
    memcpy(known.build_id, object->build_id, object->build_id_bytes);
    while (i < m->object_count && memcmp(&m->objects[i], &known, sizeof known) != 0)
        i++;
    if (i == m->object_count) {
        struct mm_messages_known_object *added =
            cca_array_add(&m->objects, &m->object_count, sizeof *added);

        if (!added)
            return cca_no_memory(adding->err);
        memcpy(added, &known, sizeof known);
    }
    if (number < adding->object_count)
        adding->objects[number] = (uint32_t)i;
    return 0;
}

static int add_site(void *context, const void *entry, uint64_t number)
{
    struct adding *adding = context;
    const struct mm_messages_site *site = entry;
    struct mm_messages_known_site known = {.key = site->key, .frames = site->frames};
    struct mm_messages *m = adding->m;
    struct mm_messages_known_site *added;

    if (adding->sites &&
        bsearch(&known, m->sites, adding->sites, sizeof known, compare_sites))
        return 0;
    if (site->frames < 1 || site->frames > MM_MESSAGES_FRAMES)
        return cca_error_set(adding->err, -EBADMSG,
                             "%s: found callsite %llu of %u frames, expected 1 to %d",
                             adding->file->path, (unsigned long long)number, site->frames,
                             MM_MESSAGES_FRAMES);
    for (uint32_t i = 0; i < site->frames; i++) {
        uint32_t object = site->frame[i].object;

        known.frame[i].offset = site->frame[i].offset;
        known.frame[i].object =
            object < adding->object_count ? adding->objects[object] : UINT32_MAX;
    }
    added = cca_array_add(&m->sites, &m->site_count, sizeof *added);
    if (!added)
        return cca_no_memory(adding->err);
    *added = known;
    return 0;
}

static int add_comm(void *context, const void *entry, uint64_t number)
{
    struct adding *adding = context;
    struct mm_messages *m = adding->m;
    struct mm_messages_comm *added;

    (void)number;
    if (adding->comms &&
        bsearch(entry, m->comms, adding->comms, sizeof *m->comms, compare_comms))
        return 0;
    added = cca_array_add(&m->comms, &m->comm_count, sizeof *added);
    if (!added)
        return cca_no_memory(adding->err);
    memcpy(added, entry, sizeof *added);
    added->name[sizeof added->name - 1] = '\0';
    return 0;
}

static int add_channel(void *context, const void *entry, uint64_t number)
{
    struct adding *adding = context;
    const struct mm_messages_channel *channel = entry;
    struct mm_messages *m = adding->m;
    struct mm_messages_channel *added;
    int is_send = channel->side == MM_MESSAGES_SEND;

    (void)number;
    adding->messages[!is_send] += channel->count;
    if (!channel->flags)
        return 0;
    added = cca_array_add(&m->unverified, &m->unverified_count, sizeof *added);
    if (!added)
        return cca_no_memory(adding->err);
    *added = *channel;
    added->side = (uint32_t)(is_send ? adding->rank : channel->peer);
    added->peer = is_send ? channel->peer : adding->rank;
    return 0;
}

static void add_counts(struct mm_messages *m, const struct adding *adding)
{
    static const enum mm_messages_count counts[] = {MM_MESSAGES_SENT,
                                                    MM_MESSAGES_RECEIVED};

    for (size_t i = 0; i < 2; i++)
        if (adding->messages[i] > adding->file->head.counts[counts[i]])
            m->counts[counts[i]] +=
                adding->messages[i] - adding->file->head.counts[counts[i]];
}

static void sort_tables(struct mm_messages *m)
{
    m->site_count = sort_once(m->sites, m->site_count, sizeof *m->sites, compare_sites);
    m->comm_count = sort_once(m->comms, m->comm_count, sizeof *m->comms, compare_comms);
    m->unverified_count = sort_once(m->unverified, m->unverified_count,
                                    sizeof *m->unverified, compare_channels);
}

int mm_messages_add_tables(struct mm_messages *m, int rank,
                           const struct mm_messages_file *file, struct cca_error *err)
{
    struct adding adding = {.m = m,
                            .file = file,
                            .rank = rank,
                            .object_count = (size_t)file->entries[MM_MESSAGES_OBJECTS],
                            .sites = m->site_count,
                            .comms = m->comm_count,
                            .err = err};
    static const struct {
        enum mm_messages_type type;
        mm_messages_entry_function function;
    } tables[] = {{MM_MESSAGES_OBJECTS, add_object},
                  {MM_MESSAGES_SITES, add_site},
                  {MM_MESSAGES_COMMS, add_comm},
                  {MM_MESSAGES_CHANNELS, add_channel}};
    int code = 0;

    adding.objects = malloc((adding.object_count + 1) * sizeof *adding.objects);
    if (!adding.objects)
        return cca_no_memory(err);
    memset(adding.objects, 0xff, (adding.object_count + 1) * sizeof *adding.objects);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !code; i++)
        code = mm_messages_file_walk(file, tables[i].type, tables[i].function, &adding,
                                     &m->odd, err);
    free(adding.objects);
    if (code)
        return code;
    add_counts(m, &adding);
    sort_tables(m);
    return 0;
}

/* --- Find -------------------------------------------------------------------------- */

const struct mm_messages_known_site *mm_messages_site(const struct mm_messages *m,
                                                      uint64_t key)
{
    struct mm_messages_known_site wanted = {.key = key};

    return m->site_count
               ? bsearch(&wanted, m->sites, m->site_count, sizeof wanted, compare_sites)
               : NULL;
}

const struct mm_messages_comm *mm_messages_comm(const struct mm_messages *m, uint64_t id)
{
    struct mm_messages_comm wanted = {.id = id};

    return m->comm_count
               ? bsearch(&wanted, m->comms, m->comm_count, sizeof wanted, compare_comms)
               : NULL;
}

int mm_messages_unverified(const struct mm_messages *m, uint64_t comm, int src, int dst,
                           int tag)
{
    struct mm_messages_channel wanted = {
        .comm = comm, .side = (uint32_t)src, .peer = dst, .tag = tag};

    return m->unverified_count && bsearch(&wanted, m->unverified, m->unverified_count,
                                          sizeof wanted, compare_channels) != NULL;
}
