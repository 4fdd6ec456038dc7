/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_contexts_json.c: calling contexts as one JSON document. */
#include "mastermind/cmd/graph/graph_contexts.h"

static void put_count(json_t *object, const char *key, uint64_t value)
{
    mm_json_put(object, key, json_integer((json_int_t)value));
}

/* The modes of a cell by name, with their labels if any; {} for a method without modes;
 * NULL for the cell of all calls whose modes have no cell of their own (MM_MODE_OTHER).
 */
static json_t *modes_json(const struct mm_graph_contexts *g,
                          const struct mm_calling_context *c,
                          const struct mm_context_cell *cell)
{
    const union monitor_value *values =
        mm_modes_of(&g->contexts->modes[c->vertex], cell->mode);
    json_t *modes;

    if (cell->mode == MM_MODE_OTHER)
        return NULL;
    modes = json_object();
    for (size_t i = 0; values && i < c->method->in_count; i++) {
        const struct mm_value_info *info = &c->method->values[i];
        const char *label = NULL;

        if (info->kind != MONITOR_MODE || values[i].i == MONITOR_ABSENT)
            continue;
        for (size_t k = 0; k < info->label_count; k++)
            if (info->labels[k].value == values[i].i)
                label = info->labels[k].text;
        mm_json_put(modes, info->name,
                    label ? mm_json_escaped(label) : json_integer(values[i].i));
    }
    return modes;
}

static json_t *cells_json(const struct mm_graph_contexts *g,
                          const struct mm_calling_context *c)
{
    json_t *cells = json_array();

    for (size_t i = 0; i < c->cell_count; i++) {
        const struct mm_context_cell *cell = &c->cells[i];
        json_t *item = json_object();

        mm_json_set(item, "rank modes", cell->rank, modes_json(g, c, cell));
        put_count(item, "calls", cell->calls);
        put_count(item, "open", cell->open);
        mm_json_put(item, "exclusive_ns", json_integer(cell->exclusive_ns));
        json_array_append_new(cells, item);
    }
    return cells;
}

static void put_identity(json_t *object, const struct mm_graph_contexts *g, size_t at)
{
    const struct mm_calling_context *c = &g->contexts->items[at];

    mm_json_put(object, "id", json_integer((json_int_t)at));
    if (c->parent != MM_NO_CONTEXT)
        mm_json_put(object, "parent", json_integer((json_int_t)c->parent));
    if (c->method)
        mm_json_put_method(object, c->method);
    else
        mm_json_put(object, "name", json_string(c->name));
}

static json_t *context_json(const struct mm_graph_contexts *g, size_t at)
{
    const struct mm_calling_context *c = &g->contexts->items[at];
    json_t *object = json_object();

    put_identity(object, g, at);
    put_count(object, "calls", c->calls);
    put_count(object, "open", c->open);
    mm_json_set(object, "exclusive_ns inclusive_ns share cells", c->exclusive_ns,
                c->total_ns, mm_graph_share(g, (double)c->exclusive_ns),
                cells_json(g, c));
    return object;
}

static json_t *cut_json(const struct mm_graph_contexts *g, const struct mm_cut *cut)
{
    size_t end = cut->parent + g->contexts->items[cut->parent].extent;
    json_t *object = json_object(), *children = json_array();

    mm_json_set(object, "parent rule", (json_int_t)cut->parent,
                cut->rule == MM_CORE_TOGETHER ? "together" : "sibling");
    put_count(object, "contexts", cut->contexts);
    put_count(object, "calls", cut->calls);
    mm_json_set(object, "inclusive_ns limit_ns", cut->total_ns, cut->limit_ns);
    for (size_t i = cut->parent + 1; i < end; i += g->contexts->items[i].extent) {
        json_t *child;

        if (g->core->rules[i] != cut->rule)
            continue;
        child = json_object();
        put_identity(child, g, i);
        mm_json_put(child, "inclusive_ns", json_integer(g->contexts->items[i].total_ns));
        json_array_append_new(children, child);
    }
    mm_json_put(object, "children", children);
    return object;
}

static json_t *prune_json(const struct mm_graph_contexts *g)
{
    const struct mm_core *core = g->core;
    json_t *prune = json_object(), *cuts = json_array();

    mm_json_set(prune, "parent sibling", g->prune.parent, g->prune.sibling);
    put_count(prune, "contexts", core->contexts);
    put_count(prune, "calls", core->calls);
    mm_json_set(prune, "inclusive_ns limit_ns rank rank_share", core->total_ns,
                core->limit_ns, core->rank, core->rank_share);
    for (size_t i = 0; i < core->cut_count; i++)
        json_array_append_new(cuts, cut_json(g, &core->cuts[i]));
    mm_json_put(prune, "cuts", cuts);
    return prune;
}

int mm_graph_contexts_json(const struct mm_graph_contexts *g)
{
    const struct mm_contexts *c = g->contexts;
    json_t *document = mm_json_document("graph-contexts"), *contexts = json_array();

    mm_json_set(document, "experiment finished folded total_ns", g->experiment->name,
                json_boolean(g->experiment->finished), json_boolean(c->folded),
                c->total_ns);
    put_count(document, "calls", c->calls);
    put_count(document, "caller_lost", c->lost);
    put_count(document, "caller_uncertain", c->uncertain);
    put_count(document, "began_threads", c->begun);
    put_count(document, "folded_by_recorder", c->recursive);
    mm_kept_put(document, &g->kept);
    for (size_t i = 0; i < c->count; i++)
        if (!g->core->rules[i])
            json_array_append_new(contexts, context_json(g, i));
    mm_json_set(document, "contexts prune", contexts, prune_json(g));
    return mm_json_print(document);
}
