/* SPDX-License-Identifier: BSD-3-Clause */
/* regions.c: rows of region, added when data for them comes. */
#include <stdlib.h>
#include <string.h>

#include "properties/load/parts.h"

int mm_load_region(struct mm_load *load, const char *kind, const char *name,
                   const struct mm_method_info *m, int64_t parent, int64_t *region)
{
    int result = mm_put_once(
        load->store, NULL, load->err,
        "INSERT INTO region (version, kind, name, instance, port, method, class, parent)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        "ittttttI", load->version, kind, name, m ? m->instance : NULL, m ? m->port : NULL,
        m ? m->method : NULL, m ? m->class_name : NULL, parent);

    return result ? result
                  : mm_put_once(load->store, region, load->err,
                                "SELECT id FROM region WHERE version = ? AND kind = ? AND"
                                " name = ?",
                                "itt", load->version, kind, name);
}

int mm_load_method(struct mm_load *load, const struct mm_method_info *method,
                   int64_t *region)
{
    int64_t *row = &load->methods[load->same[method->index]];
    int result = 0;

    if (!*row)
        result = mm_load_region(load, "method", method->name, method, 0, row);
    *region = *row;
    return result;
}

static int by_name(const void *left, const void *right)
{
    const struct mm_method_info *a = *(struct mm_method_info *const *)left;
    const struct mm_method_info *b = *(struct mm_method_info *const *)right;
    int order = strcmp(a->name, b->name);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

int mm_load_names(struct mm_load *load)
{
    size_t count = load->e->method_count;
    const struct mm_method_info **sorted = calloc(count + 1, sizeof *sorted);

    load->same = calloc(count + 1, sizeof *load->same);
    if (!sorted || !load->same) {
        free(sorted);
        return cca_no_memory(load->err);
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = load->e->methods[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++)
        load->same[sorted[i]->index] =
            i && strcmp(sorted[i]->name, sorted[i - 1]->name) == 0
                ? load->same[sorted[i - 1]->index]
                : sorted[i]->index;
    free(sorted);
    return 0;
}
