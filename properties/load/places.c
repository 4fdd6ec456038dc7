/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: source files and lines of regions. */
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
