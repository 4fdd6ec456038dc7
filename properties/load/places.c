/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: source files and lines of regions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/reader/wiring.h"
#include "messages/read/lookup.h"
#include "messages/read/names.h"
#include "properties/load/measure/symbols.h"
#include "properties/load/parts.h"

static int mm_load_place(struct mm_load *load, int64_t region, const char *file, int line)
{
    int64_t id = 0;
    int result = mm_put_once(load->store, NULL, load->err,
                             "INSERT INTO source_file (version, path) VALUES (?, ?) ON"
                             " CONFLICT DO NOTHING",
                             "it", load->version, file);

    if (!result)
        result = mm_put_once(load->store, &id, load->err,
                             "SELECT id FROM source_file WHERE version = ? AND path = ?",
                             "it", load->version, file);
    if (!result)
        result =
            mm_put_once(load->store, NULL, load->err,
                        "UPDATE region SET source_file = ?, first_line = ? WHERE id ="
                        " ?",
                        "iii", id, (int64_t)line, region);
    return result;
}

int mm_load_place_of(struct mm_load *load, int64_t region, const char *site)
{
    const char *end = strstr(site, " < "), *colon, *start;
    char file[256];

    end = end ? end : site + strlen(site);
    colon = memrchr(site, ':', (size_t)(end - site));
    start = memrchr(site, ' ', (size_t)(end - site));
    if (!colon || !start || colon < start || atoi(colon + 1) <= 0 ||
        colon - start - 1 >= (ptrdiff_t)sizeof file)
        return 0;
    memcpy(file, start + 1, (size_t)(colon - start - 1));
    file[colon - start - 1] = '\0';
    return mm_load_place(load, region, file, atoi(colon + 1));
}

uint32_t mm_load_id_bytes(const char *hex, uint8_t bytes[20])
{
    uint32_t count = 0;

    for (; count < 20 && hex[2 * count] && hex[2 * count + 1]; count++) {
        unsigned value;

        if (sscanf(hex + 2 * count, "%2x", &value) != 1)
            return 0;
        bytes[count] = (uint8_t)value;
    }
    return count;
}

/* Set the place of a method: the function of its name in the class's object, if the
 * object is still the one that ran and has exactly one such function. */
static int put_method(struct mm_load *load, struct mm_names *names, size_t method)
{
    const struct mm_method_info *m = load->e->methods[method];
    const struct mm_instance *instance = mm_wiring_instance(load->e->wiring, m->instance);
    const char *file = instance ? instance->file : "";
    uint8_t id[20];
    uint32_t bytes = mm_load_id_bytes(m->build_id ? m->build_id : "", id);
    uint64_t offset = 0;

    if (*file != '/' || !bytes || !mm_lookup_is_object(file, id, bytes) ||
        !mm_symbol_find(file, m->method, &offset))
        return 0;
    return mm_load_place_of(load, load->methods[method],
                            mm_names_site(names, file, id, bytes, offset));
}

int mm_load_method_places(struct mm_load *load)
{
    struct mm_names *names;
    int64_t without = 0;
    int result = 0;

    if (load->options->no_places)
        return mm_load_missing(load, "source_file", "places were left out");
    names = mm_names_new();
    if (!names)
        return cca_no_memory(load->err);
    for (size_t i = 0; i < load->e->method_count && !result; i++)
        if (load->methods[i])
            result = put_method(load, names, i);
    mm_names_free(names);
    for (size_t i = 0; i < load->e->method_count && !result && !without; i++)
        if (load->methods[i])
            result = mm_put_once(load->store, &without, load->err,
                                 "SELECT source_file IS NULL FROM region WHERE id = ?",
                                 "i", load->methods[i]);
    return result || !without
               ? result
               : mm_load_missing(load, "source_file",
                                 "some methods have no symbol, or no debug "
                                 "information for it");
}
