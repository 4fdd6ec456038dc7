/* SPDX-License-Identifier: BSD-3-Clause */
/* script_pairs.c: pairs of strings: variables with their values, and lists for
 * `check`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "framework/script/script_core.h"

const struct cca_script_pair *cca_script_pairs_find(const struct cca_script_pairs *pairs,
                                                    const char *name, const char *value)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct cca_script_pair *item = &pairs->items[i];

        if (strcmp(item->name, name) == 0 &&
            (!value || (item->value && strcmp(item->value, value) == 0)))
            return item;
    }
    return NULL;
}

int cca_script_pairs_add(struct cca_script_pairs *pairs, const char *name,
                         const char *value)
{
    struct cca_script_pair item;

    if (cca_array_reserve(&pairs->items, pairs->count, sizeof *pairs->items))
        return -ENOMEM;
    item = (struct cca_script_pair){.name = strdup(name),
                                    .value = value ? strdup(value) : NULL};
    if (!item.name || (value && !item.value)) {
        free(item.name);
        free(item.value);
        return -ENOMEM;
    }
    pairs->items[pairs->count++] = item;
    return 0;
}

void cca_script_pairs_remove(struct cca_script_pairs *pairs, const char *name)
{
    size_t kept = 0;

    for (size_t i = 0; i < pairs->count; i++) {
        if (strcmp(pairs->items[i].name, name) == 0) {
            free(pairs->items[i].name);
            free(pairs->items[i].value);
        } else {
            pairs->items[kept++] = pairs->items[i];
        }
    }
    pairs->count = kept;
}

void cca_script_pairs_done(struct cca_script_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        free(pairs->items[i].name);
        free(pairs->items[i].value);
    }
    free(pairs->items);
    *pairs = (struct cca_script_pairs){0};
}
