/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_contexts.c: the tree of calling contexts as a picture. */
#include <errno.h>
#include <stdlib.h>

#include "mastermind/cmd/graph/graph_svg.h"

enum { READABLE = 60 }; /* largest number of contexts in a picture without --prune */

struct drawing {
    struct mm_picture *picture;
    const struct mm_contexts *contexts;
    const struct mm_core *core;
    size_t *node; /* [contexts->count] picture nodes of the contexts */
    double total_ns;
};

static size_t count_kept(const struct mm_contexts *contexts, const struct mm_core *core)
{
    size_t count = 0;

    for (size_t i = 0; i < contexts->count; i++)
        count += !core->rules[i];
    return count;
}

int mm_svg_contexts_core(struct mm_core *core, struct mm_graph_contexts *g)
{
    static const double percent[] = {0, .1, .2, .5, 1, 2, 5, 10, 20, 50};
    size_t i = 0, last = sizeof percent / sizeof *percent - 1;
    int result;

    if (g->svg->has_prune)
        return mm_core_find(core, g->contexts, &g->prune);
    for (;; i++) {
        g->prune = (struct mm_core_options){percent[i] / 100, percent[i] / 100};
        result = mm_core_find(core, g->contexts, &g->prune);
        if (result || i == last || count_kept(g->contexts, core) <= READABLE)
            return result;
        mm_core_done(core);
    }
}

static double share(const struct drawing *d, double ns)
{
    return d->total_ns > 0 ? ns / d->total_ns : 0;
}

static void add_context(struct drawing *d, size_t at)
{
    const struct mm_calling_context *c = &d->contexts->items[at];
    const struct mm_calling_context *parent =
        c->parent == MM_NO_CONTEXT ? NULL : &d->contexts->items[c->parent];
    struct mm_picture_node *node;
    struct mm_picture_edge *edge;
    char hover[3600];

    snprintf(hover, sizeof hover,
             "%s\n%s%s\ncalls %s\nexclusive %s, %.1f %%\nwith all below %s, %.1f %%\n",
             mm_safe(c->name), c->method ? "class " : "no method",
             c->method ? mm_safe(c->method->class_name) : "", mm_thousands(c->calls),
             mm_time((double)c->exclusive_ns), 100 * share(d, (double)c->exclusive_ns),
             mm_time((double)c->total_ns), 100 * share(d, (double)c->total_ns));
    d->node[at] = d->picture->node_count;
    node = mm_picture_node(d->picture, c->method ? MM_NODE_BOX : MM_NODE_WORD,
                           mm_safe(c->name),
                           c->method ? mm_safe(c->method->class_name) : "", hover);
    node->bars = c->method ? 1 : 0;
    node->measured = share(d, (double)c->exclusive_ns);
    if (!parent)
        return;
    snprintf(hover, sizeof hover,
             "%s\n  calls %s\ncalls %s, %s per call\nwith all below %s, %.1f %%\n",
             mm_safe(parent->name), mm_safe(c->name), mm_thousands(c->calls),
             parent->calls ? mm_amount((double)c->calls / (double)parent->calls)
                           : mm_thousands(c->calls),
             mm_time((double)c->total_ns), 100 * share(d, (double)c->total_ns));
    edge = mm_picture_edge(d->picture, d->node[c->parent], d->node[at],
                           c->calls ? mm_thousands(c->calls) : "", hover);
    edge->weight = share(d, (double)c->total_ns);
}

static void add_cuts(struct drawing *d)
{
    const struct mm_core *core = d->core;
    struct mm_picture_node *node;
    size_t rest = d->picture->node_count;
    char title[80], subtitle[120], hover[600];

    snprintf(title, sizeof title, "%s cut", mm_counted(core->contexts, "context"));
    snprintf(subtitle, sizeof subtitle, "%s, at most %s", mm_counted(core->calls, "call"),
             mm_percent(share(d, core->limit_ns)));
    snprintf(hover, sizeof hover,
             "%s cut\ncalls %s\nexclusive %s, %.1f %%\nthe rules allow %s\n",
             mm_counted(core->contexts, "context"), mm_thousands(core->calls),
             mm_time((double)core->total_ns), 100 * share(d, (double)core->total_ns),
             mm_percent(share(d, core->limit_ns)));
    node = mm_picture_node(d->picture, MM_NODE_REST, title, subtitle, hover);
    node->bars = 1;
    node->measured = share(d, (double)core->total_ns);
    for (size_t i = 0; i < core->cut_count; i++) {
        const struct mm_cut *cut = &core->cuts[i];
        struct mm_picture_edge *edge;

        snprintf(hover, sizeof hover, "%s cut\ncalls %s\nexclusive %s\n%s\n",
                 mm_counted(cut->contexts, "context"), mm_thousands(cut->calls),
                 mm_time((double)cut->total_ns),
                 cut->rule == MM_CORE_TOGETHER ? "together small against the caller"
                                               : "small against their siblings");
        edge = mm_picture_edge(d->picture, d->node[cut->parent], rest,
                               mm_thousands(cut->calls), hover);
        edge->weight = share(d, (double)cut->total_ns);
        edge->is_rest = 1;
    }
}

static int build(struct drawing *d, const char *note)
{
    mm_picture_init(d->picture, "contexts", "Calling contexts: paths of calls", note);
    d->node = calloc(d->contexts->count + 1, sizeof *d->node);
    if (!d->node)
        return -ENOMEM;
    for (size_t i = 0; i < d->contexts->count; i++)
        if (!d->core->rules[i])
            add_context(d, i);
    if (d->core->cut_count)
        add_cuts(d);
    free(d->node);
    return d->picture->failed ? -ENOMEM : 0;
}

/* Write "--prune 1,1 cut 12 contexts, 0.8 % of the time; the rules allow 3.1 %", or
 * "". */
static void print_cut(const struct mm_graph_contexts *g, char *text, size_t size)
{
    const struct mm_core *core = g->core;

    *text = '\0';
    if (core->cut_count)
        snprintf(text, size,
                 "--prune %.6g,%.6g%s cut %s, %s of the time; the rules allow %s",
                 100 * g->prune.parent, 100 * g->prune.sibling,
                 g->svg->has_prune ? "" : " (chosen for a readable picture)",
                 mm_counted(core->contexts, "context"),
                 mm_percent(mm_graph_share(g, (double)core->total_ns)),
                 mm_percent(mm_graph_share(g, core->limit_ns)));
}

int mm_svg_contexts(const struct mm_graph_contexts *g)
{
    static const char *const legend[] = {
        "A bar of full length is 100 % of the run's exclusive time. The number at an "
        "arrow is how many calls there were.",
        "The thicker the arrow, the more time passed inside these calls. Hover for "
        "details."};
    const struct mm_contexts *contexts = g->contexts;
    char title[300], subtitle[80], note[400], cut[300];
    struct mm_picture picture = {0};
    struct drawing d = {&picture, contexts, g->core, NULL, (double)contexts->total_ns};
    struct mm_picture_sheet sheet = {title, subtitle, legend, 2, 1};
    int result;

    snprintf(title, sizeof title, "%s", mm_safe(g->experiment->name));
    snprintf(subtitle, sizeof subtitle, "measured %s",
             mm_time((double)contexts->total_ns));
    print_cut(g, cut, sizeof cut);
    if (*cut)
        fprintf(stderr, "mastermind: note: %s\n", cut);
    snprintf(note, sizeof note, "%s in %s%s%s%s", mm_counted(contexts->calls, "call"),
             mm_counted(mm_graph_contexts_called(contexts), "context"),
             contexts->folded ? ", recursion folded" : "", *cut ? "; " : "", cut);
    result =
        build(&d, note) ? mm_no_memory() : mm_svg_output(g->svg, &sheet, &picture, 1);
    mm_picture_done(&picture);
    return result;
}
