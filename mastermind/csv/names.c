/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: number texts by a hash table. */
#include "mastermind/csv/names.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = cca_hash_bytes(CCA_HASH_START, text, length);

    return hash ^ hash >> 29;
}

/* Return the slot of the hash table that has the text, or the free slot for it. */
static size_t place_of(const struct mm_names *names, const char *text, size_t length)
{
    size_t at = hash_text(text, length) & (names->place_count - 1);

    for (; names->places[at]; at = (at + 1) & (names->place_count - 1)) {
        const char *other = names->texts[names->places[at] - 1];

        if (strncmp(other, text, length) == 0 && !other[length])
            break;
    }
    return at;
}

static int grow_places(struct mm_names *names)
{
    size_t count = names->place_count ? 2 * names->place_count : 64;
    uint32_t *places = calloc(count, sizeof *places);

    if (!places)
        return -ENOMEM;
    free(names->places);
    names->places = places;
    names->place_count = count;
    for (size_t i = 0; i < names->count; i++)
        places[place_of(names, names->texts[i], strlen(names->texts[i]))] =
            (uint32_t)(i + 1);
    return 0;
}

long long mm_names_find(const struct mm_names *names, const char *text, size_t length)
{
    return names->place_count
               ? (long long)names->places[place_of(names, text, length)] - 1
               : -1;
}

long long mm_names_add(struct mm_names *names, const char *text, size_t length)
{
    long long known = mm_names_find(names, text, length);
    char *copy;

    if (known >= 0)
        return known;
    if (names->count == UINT32_MAX - 1 ||
        (2 * names->count >= names->place_count && grow_places(names)) ||
        cca_array_reserve(&names->texts, names->count, sizeof *names->texts))
        return -1;
    copy = malloc(length + 1);
    if (!copy)
        return -1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    names->places[place_of(names, text, length)] = (uint32_t)(names->count + 1);
    names->texts[names->count] = copy;
    return (long long)names->count++;
}

void mm_names_done(struct mm_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
    free(names->places);
    memset(names, 0, sizeof *names);
}
