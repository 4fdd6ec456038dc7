/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_dual.c: the dual as a picture: methods by their shares, edges by their counts. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/cost.h"
#include "mastermind/cmd/graph/graph_svg.h"

enum { MODES = 8 }; /* largest number of modes whose formulas are shown */

struct drawing {
    struct mm_picture *picture;
    const struct mm_svg_run *run;
    size_t *node; /* [vertex_count] picture node of a method; SIZE_MAX: not drawn */
    size_t rest;  /* picture node that stands for all cut methods */
    struct cca_error *err;
};

double mm_svg_share(const struct mm_svg_run *run, double ns)
{
    return run->dual->total_ns > 0 ? ns / (double)run->dual->total_ns : 0;
}

/* Share of a vertex in the exclusive time, as measured. */
static double mm_svg_measured(const struct mm_svg_run *run, size_t vertex)
{
    return mm_svg_share(run, (double)run->dual->vertices[vertex].exclusive_ns);
}

double mm_svg_predicted(const struct mm_svg_run *run, size_t vertex)
{
    const struct mm_modelled *m = &run->modelled[vertex];

    if (!m->set || m->unknown_calls > 0 || !(run->predicted_ns > 0))
        return NAN;
    return m->cost_ns / run->predicted_ns;
}

/* --- Tooltips ---------------------------------------------------------------- */

static void write_models(FILE *to, const struct mm_model_set *set)
{
    size_t shown = set->model_count < MODES ? set->model_count : MODES;

    for (size_t i = 0; i < shown; i++) {
        const struct mm_model *model = &set->models[i];
        char mode[256], form[1024];

        mm_mode_print(set->method, model->modes, mode, sizeof mode);
        mm_model_print(model, form, sizeof form);
        fprintf(to, "a call%s%s: %s\n", *mode ? ", " : "", mm_safe(mode), mm_safe(form));
    }
    if (shown < set->model_count)
        fprintf(to, "and %zu more modes\n", set->model_count - shown);
}

static void write_prediction(FILE *to, const struct mm_svg_run *run, size_t vertex)
{
    const struct mm_modelled *m = &run->modelled[vertex];
    double share = mm_svg_predicted(run, vertex);

    if (!isnan(share))
        fprintf(to, "by the models %s, %.1f %%\n", mm_time(m->cost_ns), 100 * share);
    else if (m->set && m->unknown_calls > 0)
        fprintf(to, "no model of %s\n",
                mm_counted((uint64_t)llround(m->unknown_calls), "call"));
    else
        fputs("no model\n", to);
    if (m->set)
        write_models(to, m->set);
}

static void write_vertex(FILE *to, const struct mm_svg_run *run, size_t vertex)
{
    const struct mm_vertex *v = &run->dual->vertices[vertex];

    fprintf(to, "%s\n", mm_safe(v->name));
    if (!v->method)
        return;
    fprintf(to, "class %s", mm_safe(v->method->class_name));
    fprintf(to, ", port %s\n", mm_safe(v->method->port_type));
    fprintf(to, "calls %s%s\n", mm_thousands(v->calls),
            v->open ? ", not all of them finished" : "");
    fprintf(to, "inclusive %s, %s per call\n", mm_time((double)v->inclusive_ns),
            mm_time(v->calls ? (double)v->inclusive_ns / (double)v->calls : 0));
    fprintf(to, "exclusive %s, %.1f %%\n", mm_time((double)v->exclusive_ns),
            100 * mm_svg_measured(run, vertex));
    write_prediction(to, run, vertex);
}

/* Write the counts of an edge, or of all edges between a method and the cut methods. */
static void write_counts(FILE *to, const struct mm_svg_run *run, size_t caller,
                         uint64_t calls, double inclusive_ns)
{
    const struct mm_vertex *from =
        caller == SIZE_MAX ? NULL : &run->dual->vertices[caller];

    fprintf(to, "calls %s", mm_thousands(calls));
    if (from && from->calls)
        fprintf(to, ", %s per call of %s", mm_amount((double)calls / (double)from->calls),
                mm_safe(from->name));
    fprintf(to, "\ninclusive %s, %.1f %%\n", mm_time(inclusive_ns),
            100 * mm_svg_share(run, inclusive_ns));
}

/* --- Nodes and edges --------------------------------------------------------- */

static void add_vertex(struct drawing *d, size_t vertex)
{
    const struct mm_vertex *v = &d->run->dual->vertices[vertex];
    struct mm_picture_node *node;
    char *hover = NULL;
    size_t size;
    FILE *to = open_memstream(&hover, &size);

    if (!to) {
        d->picture->failed = 1;
        return;
    }
    write_vertex(to, d->run, vertex);
    if (fclose(to))
        d->picture->failed = 1;
    d->node[vertex] = d->picture->node_count;
    node = mm_picture_node(d->picture, v->method ? MM_NODE_BOX : MM_NODE_WORD,
                           mm_safe(v->name),
                           v->method ? mm_safe(v->method->class_name) : "", hover);
    free(hover);
    if (!v->method)
        return;
    node->bars = 2;
    node->measured = mm_svg_measured(d->run, vertex);
    node->predicted = mm_svg_predicted(d->run, vertex);
}

/* Share of the cut methods by their models; NaN if a method has none. */
static double cut_predicted(const struct mm_svg_run *run)
{
    double share = 0;

    for (size_t i = 0; i < run->dual->thread_vertex; i++)
        if (!run->core->keep[i] && run->dual->vertices[i].calls)
            share += mm_svg_predicted(run, i);
    return share;
}

static void add_rest(struct drawing *d)
{
    const struct mm_svg_core *core = d->run->core;
    struct mm_picture_node *node;
    char title[80], subtitle[80], hover[1600];
    double share = cut_predicted(d->run);

    snprintf(title, sizeof title, "%s cut", mm_counted(core->cut, "method"));
    snprintf(subtitle, sizeof subtitle, "%s, at most %s", mm_counted(core->calls, "call"),
             mm_percent(mm_svg_share(d->run, core->limit_ns)));
    snprintf(hover, sizeof hover,
             "%s cut by %s\ncalls %s\nexclusive %s, %.1f %%\nthe rule allows %s\n%s",
             mm_counted(core->cut, "method"), core->rule, mm_thousands(core->calls),
             mm_time(core->cut_ns), 100 * mm_svg_share(d->run, core->cut_ns),
             mm_percent(mm_svg_share(d->run, core->limit_ns)),
             isnan(share) ? "no model of one of them\n" : "");
    d->rest = d->picture->node_count;
    node = mm_picture_node(d->picture, MM_NODE_REST, title, subtitle, hover);
    node->bars = 2;
    node->measured = mm_svg_share(d->run, core->cut_ns);
    node->predicted = share;
}

static struct mm_picture_edge *add_edge(struct drawing *d, size_t caller, size_t from,
                                        size_t to_node, const struct mm_edge *edge,
                                        const char *heading)
{
    struct mm_picture_edge *added = NULL;
    char *hover = NULL;
    size_t size;
    FILE *to = open_memstream(&hover, &size);

    if (!to) {
        d->picture->failed = 1;
        return NULL;
    }
    fputs(heading, to);
    write_counts(to, d->run, caller, edge->calls, (double)edge->inclusive_ns);
    if (d->run->laws)
        mm_svg_laws_write(d->run->laws, to, d->err);
    if (fclose(to)) {
        d->picture->failed = 1;
    } else {
        added =
            mm_picture_edge(d->picture, from, to_node, mm_thousands(edge->calls), hover);
        added->weight = mm_svg_share(d->run, (double)edge->inclusive_ns);
    }
    free(hover);
    return added;
}

/* Add the edges between drawn methods. */
static void add_edges(struct drawing *d)
{
    const struct mm_dual *dual = d->run->dual;

    for (size_t i = 0; i < dual->edge_count; i++) {
        const struct mm_edge *edge = &dual->edges[i];
        size_t from = d->node[edge->caller], to = d->node[edge->callee];
        char heading[2200];

        if (from == SIZE_MAX || to == SIZE_MAX)
            continue;
        snprintf(heading, sizeof heading, "%s\n  calls %s\n",
                 mm_safe(dual->vertices[edge->caller].name),
                 mm_safe(dual->vertices[edge->callee].name));
        if (d->run->laws) {
            mm_svg_laws_begin(d->run->laws);
            mm_svg_laws_add(d->run->laws, edge);
        }
        add_edge(d, edge->caller, from, to, edge, heading);
    }
}

/* Add one dashed edge between a drawn method and the node of the cut ones. */
static void add_rest_edge(struct drawing *d, size_t vertex, int to_rest)
{
    const struct mm_dual *dual = d->run->dual;
    struct mm_edge sum = {.caller = vertex, .callee = vertex};
    struct mm_picture_edge *added;
    char heading[2200];

    if (d->run->laws)
        mm_svg_laws_begin(d->run->laws);
    for (size_t i = 0; i < dual->edge_count; i++) {
        const struct mm_edge *edge = &dual->edges[i];
        size_t own = to_rest ? edge->caller : edge->callee;
        size_t other = to_rest ? edge->callee : edge->caller;

        if (own != vertex || d->node[other] != SIZE_MAX)
            continue;
        if (d->run->laws)
            mm_svg_laws_add(d->run->laws, edge);
        sum.calls += edge->calls;
        sum.inclusive_ns += edge->inclusive_ns;
    }
    if (!sum.calls)
        return;
    snprintf(heading, sizeof heading,
             to_rest ? "%s\n  calls cut methods\n" : "cut methods\n  calls %s\n",
             mm_safe(dual->vertices[vertex].name));
    added = add_edge(d, SIZE_MAX, to_rest ? d->node[vertex] : d->rest,
                     to_rest ? d->rest : d->node[vertex], &sum, heading);
    if (added)
        added->is_rest = 1;
}

int mm_svg_dual(struct mm_picture *picture, const struct mm_svg_run *run)
{
    struct cca_error err = {0};
    struct drawing d = {.picture = picture, .run = run, .rest = SIZE_MAX, .err = &err};
    const struct mm_dual *dual = run->dual;
    char note[400];

    mm_svg_core_print(run->core, dual, note, sizeof note);
    mm_picture_init(picture, "dual", "Dual: which method called which", note);
    d.node = malloc((dual->vertex_count + 1) * sizeof *d.node);
    if (!d.node)
        return -ENOMEM;
    for (size_t i = 0; i < dual->vertex_count; i++)
        d.node[i] = SIZE_MAX;
    for (size_t i = dual->vertex_count; i-- > 0;) /* callers come last */
        if (run->core->keep[i])
            add_vertex(&d, i);
    add_edges(&d);
    if (run->core->cut) {
        add_rest(&d);
        for (size_t i = 0; i < dual->vertex_count * 2; i++)
            if (d.node[i / 2] != SIZE_MAX)
                add_rest_edge(&d, i / 2, i % 2);
    }
    free(d.node);
    return picture->failed || err.code ? -ENOMEM : 0;
}
