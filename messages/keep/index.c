/* SPDX-License-Identifier: BSD-3-Clause */
/* index.c: find the entry of a hash. */
#include "messages/keep/index.h"

#include "messages/join/parts.h"

#include <errno.h>

enum { PLACES = 256 };

static size_t place_bytes(size_t places)
{
    return places * sizeof(struct mm_index_place);
}

void mm_index_done(struct mm_index *index)
{
    mm_memory_free(index->places, place_bytes(index->mask + 1));
    *index = (struct mm_index){0};
}

static void put(struct mm_index *index, uint64_t hash, uint64_t offset)
{
    size_t at = hash & index->mask;

    while (index->places[at].offset)
        at = (at + 1) & index->mask;
    index->places[at] = (struct mm_index_place){hash, offset};
    index->count++;
}

static int grow(struct mm_index *index)
{
    size_t places = index->places ? 2 * (index->mask + 1) : PLACES;
    struct mm_index more = {mm_memory_new(place_bytes(places)), places - 1, 0};

    if (!more.places)
        return -ENOMEM;
    for (size_t i = 0; index->places && i <= index->mask; i++)
        if (index->places[i].offset)
            put(&more, index->places[i].hash, index->places[i].offset);
    mm_index_done(index);
    *index = more;
    return 0;
}

int mm_index_add(struct mm_index *index, uint64_t hash, uint64_t offset)
{
    if (!index->places || 2 * (index->count + 1) > index->mask + 1) {
        int result = grow(index);

        if (result)
            return result;
    }
    put(index, hash, offset);
    return 0;
}
