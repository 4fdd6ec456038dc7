/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.c: map the counts of each run to cells that all runs share. */
#include "mastermind/counts/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* In-values of calls, and the node (method with these in-values) of the profile's counts.
 */
struct tuple_at {
    struct mm_call_node node;
    const union monitor_value *in;
};

struct gathering {
    struct mm_cells *cells;
    const struct mm_profile *profile;
    size_t run;
    size_t *vertex_of;      /* [methods + 2] index in the cells' vertices for each
                               vertex of the profile */
    struct tuple_at *index; /* [index_count] in-values, ascending by node */
    size_t index_count;
    size_t last; /* index of the cell found last */
    int flat;
};

/* --- Vertices ---------------------------------------------------------------------- */

static int same_method(const struct mm_method_info *a, const struct mm_method_info *b)
{
    return strcmp(a->instance, b->instance) == 0 && strcmp(a->port, b->port) == 0 &&
           strcmp(a->method, b->method) == 0;
}

static int add_vertex(struct mm_cells *cells, const struct mm_method_info *method,
                      const char *name)
{
    struct mm_cell_vertex *vertex =
        cca_array_add(&cells->vertices, &cells->vertex_count, sizeof *vertex);

    if (!vertex)
        return -ENOMEM;
    vertex->method = method;
    vertex->name = name;
    return 0;
}

static int map_vertices(struct gathering *g)
{
    const struct mm_row_source *source = &g->profile->source;

    for (size_t i = 0; i < source->method_count; i++) {
        size_t at = MM_CELL_LOST + 1;

        while (at < g->cells->vertex_count &&
               !same_method(g->cells->vertices[at].method, source->methods[i]))
            at++;
        if (at == g->cells->vertex_count &&
            add_vertex(g->cells, source->methods[i], source->methods[i]->name))
            return -ENOMEM;
        g->vertex_of[i] = at;
    }
    g->vertex_of[source->method_count] = MM_CELL_THREAD;
    g->vertex_of[source->method_count + 1] = MM_CELL_LOST;
    return 0;
}

/* --- In-values --------------------------------------------------------------------- */

static int tuple_order(const void *left, const void *right)
{
    const struct tuple_at *a = left, *b = right;

    return mm_node_order(&a->node, &b->node);
}

static int index_tuples(struct gathering *g)
{
    const struct mm_profile *profile = g->profile;
    size_t room = 0;

    for (size_t i = 0; i < profile->source.method_count; i++)
        room += profile->points[i].count;
    g->index = calloc(room + 1, sizeof *g->index);
    if (!g->index)
        return -ENOMEM;
    for (size_t i = 0; i < profile->source.method_count; i++)
        for (size_t k = 0; k < profile->points[i].count; k++) {
            const union monitor_value *in = profile->points[i].points[k].in;
            uint64_t key = mm_in_values_hash(in, profile->source.methods[i]->in_count);

            g->index[g->index_count++] = (struct tuple_at){{i, key}, in};
        }
    qsort(g->index, g->index_count, sizeof *g->index, tuple_order);
    return 0;
}

static const union monitor_value *find_tuple(const struct gathering *g,
                                             const struct mm_call_node *node)
{
    struct tuple_at wanted = {*node, NULL};
    const struct tuple_at *found;

    if (node->key == MM_NO_KEY)
        return NULL;
    found = bsearch(&wanted, g->index, g->index_count, sizeof *g->index, tuple_order);
    return found ? found->in : NULL;
}

/* Put the in-values `in` into the order of the vertex's own method; `*to` is NULL if the
 * method lacks one of them. Returns 0 or -ENOMEM. */
static int map_values(struct gathering *g, const struct mm_method_info *from,
                      const struct mm_method_info *method, const union monitor_value **to)
{
    union monitor_value *mapped;

    if (!*to || mm_same_in_values(from, method))
        return 0;
    if (cca_array_reserve(&g->cells->mapped, g->cells->mapped_count,
                          sizeof *g->cells->mapped))
        return -ENOMEM;
    mapped = calloc(method->in_count + 1, sizeof *mapped);
    if (!mapped)
        return -ENOMEM;
    g->cells->mapped[g->cells->mapped_count++] = mapped;
    for (size_t i = 0; i < method->in_count; i++) {
        size_t k = 0;

        while (k < from->in_count &&
               (strcmp(from->values[k].name, method->values[i].name) != 0 ||
                from->values[k].type != method->values[i].type))
            k++;
        if (k == from->in_count) {
            *to = NULL;
            return 0;
        }
        mapped[i] = (*to)[k];
    }
    *to = mapped;
    return 0;
}

/* True if the mesh level is a mode (in-value that selects behaviour) of the method. */
static int has_level_mode(const struct mm_method_info *method)
{
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_MODE &&
            strcmp(method->values[i].name, "level") == 0)
            return 1;
    return 0;
}

static int level_of(const struct mm_method_info *method, const union monitor_value *in)
{
    for (size_t i = 0; in && i < method->in_count; i++)
        if (strcmp(method->values[i].name, "level") == 0 &&
            method->values[i].type != MONITOR_DOUBLE && in[i].i >= 0 &&
            in[i].i < MM_CELL_LEVELS)
            return (int)in[i].i;
    return MM_NO_LEVEL;
}

/* --- Cells ------------------------------------------------------------------------- */

static int is_cell(const struct mm_cells *cells, const struct mm_cell *cell,
                   size_t caller, size_t vertex, int level, const union monitor_value *in)
{
    if (cell->vertex != vertex || cell->caller != caller || cell->level != level ||
        !cell->mode != !in)
        return 0;
    return !in || mm_same_modes(cells->vertices[vertex].method, cell->mode, in);
}

static struct mm_cell *cell_of(struct gathering *g, size_t caller, size_t vertex,
                               int level, const union monitor_value *in)
{
    struct mm_cells *cells = g->cells;
    struct mm_cell *cell;

    if (g->last < cells->count &&
        is_cell(cells, &cells->items[g->last], caller, vertex, level, in))
        return &cells->items[g->last];
    for (size_t i = 0; i < cells->count; i++)
        if (is_cell(cells, &cells->items[i], caller, vertex, level, in)) {
            g->last = i;
            return &cells->items[i];
        }
    cell = cca_array_add(&cells->items, &cells->count, sizeof *cell);
    if (!cell)
        return NULL;
    cell->runs = calloc(cells->runs + 1, sizeof *cell->runs);
    if (!cell->runs) {
        cells->count--;
        return NULL;
    }
    cell->vertex = vertex;
    cell->caller = caller;
    cell->level = level;
    cell->mode = in;
    g->last = cells->count - 1;
    return cell;
}

static int add_calls(struct gathering *g, const struct mm_count *count)
{
    const struct mm_row_source *source = &g->profile->source;
    const struct mm_method_info *own = source->methods[count->callee.vertex];
    size_t vertex = g->vertex_of[count->callee.vertex];
    const struct mm_method_info *method = g->cells->vertices[vertex].method;
    const union monitor_value *in = find_tuple(g, &count->callee);
    int level = level_of(own, in);
    struct mm_cell_tuple *tuple;
    struct mm_cell_run *run;
    struct mm_cell *cell;

    if (level == MM_NO_LEVEL && count->caller.vertex < source->method_count)
        level = level_of(source->methods[count->caller.vertex],
                         find_tuple(g, &count->caller));
    if (map_values(g, own, method, &in))
        return -ENOMEM;
    if (in && mm_missing_parameter(method, in))
        in = NULL; /* basis functions are undefined at these in-values */
    if (level > g->cells->most_level[g->run])
        g->cells->most_level[g->run] = level;
    if (g->flat && level != MM_NO_LEVEL) {
        level = MM_NO_LEVEL;
        in = has_level_mode(method) ? NULL : in;
    }
    cell = cell_of(g, g->vertex_of[count->caller.vertex], vertex, level, in);
    if (!cell)
        return -ENOMEM;
    run = &cell->runs[g->run];
    run->calls += (double)count->calls;
    if (!in) {
        run->unknown += (double)count->calls;
        return 0;
    }
    if (run->count && run->tuples[run->count - 1].in == in) {
        run->tuples[run->count - 1].calls += (double)count->calls;
        return 0;
    }
    tuple = cca_array_add(&run->tuples, &run->count, sizeof *tuple);
    if (!tuple)
        return -ENOMEM;
    *tuple = (struct mm_cell_tuple){in, (double)count->calls};
    return 0;
}

static int gather(struct mm_cells *cells, const struct mm_profile *profile, size_t run,
                  int flat)
{
    struct gathering g = {.cells = cells, .profile = profile, .run = run, .flat = flat};
    int result = 0;

    g.vertex_of = calloc(profile->source.method_count + 2, sizeof *g.vertex_of);
    if (!g.vertex_of || map_vertices(&g) || index_tuples(&g))
        result = -ENOMEM;
    for (size_t i = 0; i < profile->counts.count && !result; i++)
        if (profile->counts.items[i].callee.vertex < profile->source.method_count)
            result = add_calls(&g, &profile->counts.items[i]);
    free(g.vertex_of);
    free(g.index);
    return result;
}

int mm_cells_init(struct mm_cells *cells, const struct mm_profile *const *profiles,
                  size_t count, int flat)
{
    int result;

    *cells = (struct mm_cells){.runs = count};
    cells->most_level = malloc((count + 1) * sizeof *cells->most_level);
    if (!cells->most_level)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        cells->most_level[i] = MM_NO_LEVEL;
    result = add_vertex(cells, NULL, "<thread>");
    if (!result)
        result = add_vertex(cells, NULL, "<not recorded>");
    for (size_t i = 0; i < count && !result; i++)
        result = gather(cells, profiles[i], i, flat);
    return result;
}

void mm_cells_done(struct mm_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        for (size_t r = 0; r < cells->runs; r++)
            free(cells->items[i].runs[r].tuples);
        free(cells->items[i].runs);
    }
    for (size_t i = 0; i < cells->mapped_count; i++)
        free(cells->mapped[i]);
    free(cells->mapped);
    free(cells->most_level);
    free(cells->items);
    free(cells->vertices);
    *cells = (struct mm_cells){0};
}

void mm_cells_numbers(const struct mm_method_info *method, const union monitor_value *in,
                      double *x)
{
    memset(x, 0, MONITOR_MAX_IN * sizeof *x);
    for (size_t i = 0; i < method->in_count; i++)
        x[i] = mm_in_value(method, in, i);
}

double mm_cells_sum(const struct mm_cells *cells, size_t cell, size_t run,
                    double (*function)(const void *context, const double *x),
                    const void *context)
{
    const struct mm_cell *c = &cells->items[cell];
    const struct mm_cell_run *of = &c->runs[run];
    double sum = 0, x[MONITOR_MAX_IN];

    for (size_t i = 0; i < of->count; i++) {
        mm_cells_numbers(cells->vertices[c->vertex].method, of->tuples[i].in, x);
        sum += of->tuples[i].calls * function(context, x);
    }
    return sum;
}
