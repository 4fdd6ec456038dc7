/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: entries that are written once: communicators, callsites and objects. */
#include "messages/keep/pieces.h"

#include "mastermind/format/layout.h"

static void *find(const struct mm_keep *keep, const struct mm_index *index, uint64_t hash)
{
    const struct mm_index_place *place = mm_index_next(index, hash, NULL);

    return place ? mm_keep_at(keep, place->offset) : NULL;
}

void mm_keep_comm(struct mm_keep *keep, uint64_t id, uint32_t size, uint32_t flags,
                  const char *name)
{
    struct mm_messages_comm *comm;

    mm_keep_lock(keep);
    if (!find(keep, &keep->comms, id) &&
        (comm = mm_keep_entry(keep, MM_MESSAGES_COMMS)) != NULL) {
        comm->id = id;
        comm->size = size;
        comm->flags = flags;
        strncpy(comm->name, name ? name : "", sizeof comm->name - 1);
        comm->check = mm_messages_check(comm, offsetof(struct mm_messages_comm, check));
        if (!mm_index_add(&keep->comms, id, mm_keep_offset(keep, comm)))
            mm_keep_entry_done(keep, MM_MESSAGES_COMMS);
    }
    mm_keep_unlock(keep);
}

void mm_keep_site(struct mm_keep *keep, const struct mm_messages_site *site)
{
    struct mm_messages_site *entry;

    mm_keep_lock(keep);
    if (!find(keep, &keep->sites, site->key) &&
        (entry = mm_keep_entry(keep, MM_MESSAGES_SITES)) != NULL) {
        *entry = *site;
        entry->check = mm_messages_check(entry, offsetof(struct mm_messages_site, check));
        if (!mm_index_add(&keep->sites, site->key, mm_keep_offset(keep, entry)))
            mm_keep_entry_done(keep, MM_MESSAGES_SITES);
    }
    mm_keep_unlock(keep);
}

/* Fill in an object's entry, except the check, which covers all else. */
static void describe(struct mm_messages_object *object, const char *path,
                     const uint8_t *build_id, uint32_t build_id_bytes)
{
    size_t length = strlen(path), most = sizeof object->path - 1;

    memset(object, 0, sizeof *object);
    memcpy(object->path, length > most ? path + length - most : path,
           length > most ? most : length);
    if (build_id_bytes > sizeof object->build_id)
        build_id_bytes = sizeof object->build_id;
    if (build_id_bytes)
        memcpy(object->build_id, build_id, build_id_bytes);
    object->build_id_bytes = build_id_bytes;
    object->check = mm_messages_check(object, offsetof(struct mm_messages_object, check));
}

/* Number of an object's entry: the index gives its offset, and the pieces before it give
 * the number of earlier entries. */
static int number_of(const struct mm_keep *keep, const struct mm_messages_object *entry)
{
    uint64_t at = MM_MESSAGES_HEAD_BYTES, offset = mm_keep_offset(keep, entry);
    const struct mm_messages_piece *piece;
    size_t number = 0;

    for (; at < offset; at += piece->bytes) {
        piece = mm_keep_at(keep, at);
        if (piece->type != MM_MESSAGES_OBJECTS)
            continue;
        if (offset < at + piece->bytes)
            return (int)(number + (offset - at - sizeof *piece) / sizeof *entry);
        number += piece->capacity;
    }
    return -1;
}

int mm_keep_object(struct mm_keep *keep, const char *path, const uint8_t *build_id,
                   uint32_t build_id_bytes)
{
    const struct mm_index_place *place = NULL;
    struct mm_messages_object object, *entry = NULL;
    int number = -1;

    describe(&object, path, build_id, build_id_bytes);
    mm_keep_lock(keep);
    while ((place = mm_index_next(&keep->objects, object.check, place)) != NULL) {
        entry = mm_keep_at(keep, place->offset);
        if (!memcmp(entry, &object, sizeof object))
            break;
    }
    if (place) {
        number = number_of(keep, entry);
    } else if ((entry = mm_keep_entry(keep, MM_MESSAGES_OBJECTS)) != NULL &&
               !mm_index_add(&keep->objects, object.check, mm_keep_offset(keep, entry))) {
        *entry = object;
        number = (int)keep->entries[MM_MESSAGES_OBJECTS];
        mm_keep_entry_done(keep, MM_MESSAGES_OBJECTS);
    }
    mm_keep_unlock(keep);
    return number;
}
