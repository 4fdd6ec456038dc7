/* SPDX-License-Identifier: BSD-3-Clause */
/* context_rows.c: calling contexts become regions, with a summary for each unit. */
#include <stdlib.h>
#include <string.h>

#include "properties/load/parts.h"
#include "properties/load/sums/sums.h"
#include "properties/load/sums/tree.h"

/* Contexts with a smaller share of the run are no regions; their time belongs to the
 * enclosing one. */
static const double least_share = .0005;

/* Make the region of a context that is large enough, below its parent's region. */
static int put_region(struct mm_load *load, uint32_t at)
{
    struct mm_load_tree *t = load->tree;
    struct mm_tree_context *c = &t->contexts[at];
    struct mm_text name = {0};
    uint32_t *path = NULL, up;
    size_t depth = 0;
    int result = 0;

    if (c->total_ns < least_share * t->contexts[0].total_ns ||
        (c->parent && !t->contexts[c->parent].region))
        return 0;
    for (up = at; up; up = t->contexts[up].parent)
        depth++;
    path = calloc(depth, sizeof *path);
    if (!path)
        return cca_no_memory(load->err);
    up = at;
    for (size_t i = depth; i-- > 0; up = t->contexts[up].parent)
        path[i] = up;
    for (size_t i = 0; i < depth; i++)
        mm_text_add(&name, "%s%s", i ? " > " : "",
                    load->e->methods[t->contexts[path[i]].method]->name);
    result =
        name.failed
            ? cca_no_memory(load->err)
            : mm_load_region(load, "context", name.text, load->e->methods[c->method],
                             c->parent ? t->contexts[c->parent].region : load->program,
                             &c->region);
    free(path);
    free(name.text);
    return result;
}

/* Add the sums of inner contexts to each context: parents come before their children. */
static void add_up(const struct mm_load_tree *t, struct mm_load_sum *sums)
{
    for (size_t i = t->context_count; i-- > 1;) {
        struct mm_load_sum *up = &sums[t->contexts[i].parent];
        const struct mm_load_sum *s = &sums[i];

        up->lacks |= s->lacks;
        for (size_t k = 0; k < t->metrics; k++)
            up->all[k] += s->all[k];
    }
}

static int put_unit(struct mm_load *load, struct mm_load_rows *rows,
                    const struct mm_load_unit *unit, const struct mm_load_sum *sums)
{
    const struct mm_load_tree *t = load->tree;
    int result = 0;

    for (size_t i = 1; i < t->context_count && !result; i++) {
        double columns[MM_COLUMNS];

        if (!t->contexts[i].region || !sums[i].calls)
            continue;
        mm_load_columns(load, &sums[i], columns);
        result = mm_load_rows_put(rows, t->contexts[i].region, unit, &sums[i], columns);
    }
    return result;
}

static int put_cells(struct mm_load *load, struct mm_load_rows *rows,
                     struct mm_load_sum *sums)
{
    const struct mm_load_tree *t = load->tree;
    int result = 0;

    for (size_t i = 0; i < t->cell_count && !result;) {
        uint32_t unit = t->cells[i].unit;

        memset(sums, 0, t->context_count * sizeof *sums);
        for (; i < t->cell_count && t->cells[i].unit == unit; i++) {
            const struct mm_tree_cell *c = &t->cells[i];
            struct mm_load_sum *s = &sums[c->context];

            s->calls = c->calls;
            s->open = c->open;
            s->lacks = s->own_lacks = c->own_lacks;
            memcpy(s->own, c->own, sizeof s->own);
            memcpy(s->all, c->own, sizeof s->all);
        }
        add_up(t, sums);
        result = put_unit(load, rows, &load->units[unit], sums);
    }
    return result;
}

int mm_load_end_contexts(struct mm_load *load)
{
    if (load->tree)
        mm_tree_end(load->tree);
    return 0;
}

int mm_load_contexts(struct mm_load *load)
{
    struct mm_load_rows *rows;
    struct mm_load_sum *sums;
    int result = 0;

    if (!load->tree)
        return 0;
    for (uint32_t i = 1; i < load->tree->context_count && !result; i++)
        result = put_region(load, i);
    if (result)
        return result;
    rows = mm_load_rows_new(load);
    sums = calloc(load->tree->context_count, sizeof *sums);
    if (rows)
        result = sums ? put_cells(load, rows, sums) : cca_no_memory(load->err);
    else
        result = load->err->code;
    free(sums);
    mm_load_rows_free(rows);
    return result;
}
