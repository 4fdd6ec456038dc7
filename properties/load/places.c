/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: source files and lines of regions. */
#include <stdlib.h>
#include <string.h>

#include "properties/load/parts.h"
#include "properties/load/put.h"

int mm_load_place(struct mm_load *load, int64_t region, const char *file, int line)
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
