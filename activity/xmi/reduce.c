/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c: A control-flow graph is reduced to structured items. Sequences, branches,
 * loops and forks with one entry and one exit collapse into one vertex (`spot`, connected
 * by `way`s), again and again, until one vertex is left. Nodes that do not collapse are
 * named in the error; no goto is introduced. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/xmi/parts.h"
#include "common/array.h"

enum { MOST_NODES = 5000 };

/* --- Building the graph. --- */

static int add_spot(struct xmi_shape *s, enum xmi_spot_kind kind, struct xmi_node *node)
{
    struct xmi_spot *spot = cca_array_add(&s->spots, &s->spot_count, sizeof *spot);

    if (!spot) {
        s->failed = -ENOMEM;
        return 0;
    }
    spot->kind = kind;
    spot->node = node;
    return (int)s->spot_count - 1;
}

static void add_way(struct xmi_shape *s, int from, int to, const char *guard, int line)
{
    struct xmi_way *way = cca_array_add(&s->ways, &s->way_count, sizeof *way);

    if (!way) {
        s->failed = -ENOMEM;
        return;
    }
    *way = (struct xmi_way){.from = from, .to = to, .line = line, .guard = guard};
}

struct xmi_item *xmi_new_item(struct xmi_shape *s, enum xmi_item_kind kind, int line)
{
    struct xmi_item *item = act_arena_take(s->document->arena, sizeof *item);

    if (!item) {
        s->failed = -ENOMEM;
        return NULL;
    }
    item->kind = kind;
    item->line = line;
    return item;
}

static void give_item(struct xmi_spot *spot, struct xmi_item *item)
{
    spot->items = spot->last = item;
}

static const char *name_of(const struct xmi_node *n)
{
    return n->name && *n->name ? n->name : n->id;
}

static int find_spot(const struct xmi_shape *s, const char *id)
{
    for (size_t i = 0; i < s->spot_count; i++)
        if (s->spots[i].node && strcmp(s->spots[i].node->id, id) == 0)
            return (int)i;
    return -1;
}

static void add_nodes(struct xmi_shape *s)
{
    static const enum xmi_spot_kind kinds[XMI_KINDS] = {[XMI_DECISION] = DECISION,
                                                        [XMI_MERGE] = MERGE,
                                                        [XMI_FORK] = FORK,
                                                        [XMI_JOIN] = JOIN};

    for (struct xmi_node *n = s->graph->nodes; n && !s->failed; n = n->next) {
        int at = add_spot(s, kinds[n->kind], n);

        if (s->failed || n->kind > XMI_LOOP)
            continue;
        give_item(&s->spots[at], xmi_new_item(s, XMI_DO, n->line));
        if (s->spots[at].items)
            s->spots[at].items->node = n;
    }
}

static int same_way(const struct xmi_way *a, const struct xmi_way *b)
{
    return a->from == b->from && a->to == b->to && !a->is_gone && !b->is_gone &&
           (a->guard == b->guard ||
            (a->guard && b->guard && strcmp(a->guard, b->guard) == 0));
}

/* Drop an object flow where a control flow leaves the same vertex or enters the same
 * vertex: it adds nothing to the order. */
static void drop_objects(struct xmi_shape *s)
{
    for (size_t i = 0; i < s->way_count; i++) {
        struct xmi_way *w = &s->ways[i];
        int controlled = 0;

        for (size_t k = 0; k < s->way_count && !controlled && w->is_object; k++)
            controlled = !s->ways[k].is_object &&
                         (s->ways[k].from == w->from || s->ways[k].to == w->to);
        for (size_t k = 0; k < i && !controlled; k++)
            controlled = same_way(&s->ways[k], w) && s->spots[w->from].kind != DECISION &&
                         s->spots[w->from].kind != FORK;
        w->is_gone = controlled;
    }
}

static int add_edges(struct xmi_shape *s)
{
    for (const struct xmi_edge *e = s->graph->edges; e && !s->failed; e = e->next) {
        int from = find_spot(s, e->from), to = find_spot(s, e->to);

        if (from < 0 || to < 0)
            return xmi_refuse(s->document, e->line, s->err,
                              "found an edge %s '%.60s', expected a node of activity "
                              "'%.60s'",
                              from < 0 ? "from" : "to", from < 0 ? e->from : e->to,
                              s->graph->name ? s->graph->name : "");
        add_way(s, from, to, e->guard, e->line);
        if (!s->failed)
            s->ways[s->way_count - 1].is_object = e->is_object;
    }
    if (!s->failed)
        drop_objects(s);
    return s->failed;
}

static void count_ways(struct xmi_shape *s)
{
    for (size_t i = 0; i < s->spot_count; i++)
        s->spots[i].in = s->spots[i].out = 0;
    for (size_t i = 0; i < s->way_count; i++)
        if (!s->ways[i].is_gone) {
            s->spots[s->ways[i].from].out++;
            s->spots[s->ways[i].to].in++;
        }
}

static int has_guard(const struct xmi_shape *s, int from)
{
    for (size_t i = 0; i < s->way_count; i++)
        if (!s->ways[i].is_gone && s->ways[i].from == from && s->ways[i].guard)
            return 1;
    return 0;
}

/* Find the vertex where control starts: the initial node, else the only node without
 * incoming edges. */
static int find_start(struct xmi_shape *s)
{
    int first = -1, open = -1, opens = 0;

    for (size_t i = 0; i < s->spot_count; i++) {
        const struct xmi_node *n = s->spots[i].node;

        if (n && n->kind == XMI_INITIAL && first >= 0)
            return xmi_refuse(s->document, n->line, s->err,
                              "found a second initial node in activity '%.60s' (the "
                              "first: line %d), expected one",
                              s->graph->name ? s->graph->name : "",
                              XMI_LINE(s->spots[first].node->line));
        if (n && n->kind == XMI_INITIAL)
            first = (int)i;
        if (n && s->spots[i].in == 0) {
            open = (int)i;
            opens++;
        }
    }
    s->start = first >= 0 ? first : opens == 1 ? open : -1;
    return s->start >= 0
               ? 0
               : xmi_refuse(s->document, s->graph->line, s->err,
                            "found no initial node in activity '%.60s', expected one",
                            s->graph->name ? s->graph->name : "");
}

/* Connect all vertices without outgoing edges to one end vertex. */
static void join_ends(struct xmi_shape *s)
{
    size_t count = s->spot_count;

    s->end = add_spot(s, MERGE, NULL);
    for (size_t i = 0; i < count && !s->failed; i++)
        if (s->spots[i].out == 0)
            add_way(s, (int)i, s->end, NULL,
                    s->spots[i].node ? s->spots[i].node->line : 0);
}

/* Put a merge before each vertex with several incoming edges that is neither merge nor
 * join; put a decision or fork after each vertex with several outgoing edges that is
 * neither decision nor fork. */
static void make_explicit(struct xmi_shape *s)
{
    size_t count = s->spot_count;

    for (size_t i = 0; i < count && !s->failed; i++) {
        enum xmi_spot_kind kind = s->spots[i].kind;

        if (s->spots[i].in > 1 && kind != MERGE && kind != JOIN) {
            int merge = add_spot(s, MERGE, s->spots[i].node);

            for (size_t k = 0; k < s->way_count; k++)
                if (!s->ways[k].is_gone && s->ways[k].to == (int)i)
                    s->ways[k].to = merge;
            add_way(s, merge, (int)i, NULL,
                    s->spots[i].node ? s->spots[i].node->line : 0);
        }
        if (s->spots[i].out > 1 && kind != DECISION && kind != FORK) {
            int behind =
                add_spot(s, has_guard(s, (int)i) || kind == MERGE ? DECISION : FORK,
                         s->spots[i].node);

            for (size_t k = 0; k < s->way_count; k++)
                if (!s->ways[k].is_gone && s->ways[k].from == (int)i)
                    s->ways[k].from = behind;
            add_way(s, (int)i, behind, NULL, s->spots[i].node->line);
        }
    }
    count_ways(s);
}

static void drop_spot(struct xmi_shape *s, int spot);

static int check_reached(struct xmi_shape *s)
{
    char *reached = calloc(s->spot_count + 1, 1);
    int more = 1, rc = 0;

    if (!reached)
        return cca_no_memory(s->err);
    reached[s->start] = 1;
    while (more) {
        more = 0;
        for (size_t i = 0; i < s->way_count; i++)
            if (!s->ways[i].is_gone && reached[s->ways[i].from] &&
                !reached[s->ways[i].to])
                reached[s->ways[i].to] = (char)(more = 1);
    }
    for (size_t i = 0; i < s->spot_count && !rc; i++)
        if (!reached[i] && s->spots[i].node && s->spots[i].node->kind == XMI_FINAL)
            drop_spot(s, (int)i);
        else if (!reached[i] && s->spots[i].node)
            rc = xmi_refuse(s->document, s->spots[i].node->line, s->err,
                            "found node '%.60s', expected a path to it from the initial "
                            "node of activity '%.60s'",
                            name_of(s->spots[i].node),
                            s->graph->name ? s->graph->name : "");
    if (!rc && !reached[s->end])
        s->spots[s->end].kind = GONE;
    free(reached);
    return rc;
}

/* --- Collapsing. --- */

/* The next edge out of vertex `spot` after edge number `after`; -1: none. */
int xmi_way_from(const struct xmi_shape *s, int spot, int after)
{
    for (size_t i = (size_t)after + 1; i < s->way_count; i++)
        if (!s->ways[i].is_gone && s->ways[i].from == spot)
            return (int)i;
    return -1;
}

static int way_to(const struct xmi_shape *s, int spot, int after)
{
    for (size_t i = (size_t)after + 1; i < s->way_count; i++)
        if (!s->ways[i].is_gone && s->ways[i].to == spot)
            return (int)i;
    return -1;
}

static void drop_way(struct xmi_shape *s, int way)
{
    s->ways[way].is_gone = 1;
    s->spots[s->ways[way].from].out--;
    s->spots[s->ways[way].to].in--;
}

static void drop_spot(struct xmi_shape *s, int spot)
{
    int way;

    while ((way = xmi_way_from(s, spot, -1)) >= 0)
        drop_way(s, way);
    while ((way = way_to(s, spot, -1)) >= 0)
        drop_way(s, way);
    s->spots[spot].kind = GONE;
}

/* Turn a merge with one incoming edge, or a decision with one outgoing edge, into a plain
 * vertex. */
static int simplify(struct xmi_shape *s, int at)
{
    struct xmi_spot *p = &s->spots[at];
    int one = (p->kind == MERGE || p->kind == JOIN)      ? p->in <= 1 && p->out <= 1
              : (p->kind == DECISION || p->kind == FORK) ? p->out == 1
                                                         : 0;

    if (one)
        p->kind = PLAIN;
    return one;
}

static int join_sequence(struct xmi_shape *s, int at)
{
    struct xmi_spot *a = &s->spots[at], *b;
    int way = xmi_way_from(s, at, -1), next;

    if (a->kind != PLAIN || a->out != 1)
        return 0;
    next = s->ways[way].to;
    b = &s->spots[next];
    if (next == at || b->kind != PLAIN || b->in != 1)
        return 0;
    if (a->last)
        a->last->next = b->items;
    else
        a->items = b->items;
    if (b->last)
        a->last = b->last;
    drop_way(s, way);
    while ((way = xmi_way_from(s, next, -1)) >= 0) {
        s->ways[way].from = at;
        b->out--;
        a->out++;
    }
    b->kind = GONE;
    if (next == s->end)
        s->end = at;
    return 1;
}

/* The vertex where an edge ends, directly or through one plain vertex with no other
 * incoming edge. *through is that plain vertex, or -1. */
static int end_of(const struct xmi_shape *s, int way, int *through)
{
    int to = s->ways[way].to;
    const struct xmi_spot *p = &s->spots[to];

    *through = -1;
    if (p->kind == PLAIN && p->in == 1 && p->out == 1) {
        *through = to;
        return s->ways[xmi_way_from(s, to, -1)].to;
    }
    return to;
}

/* The vertex where all edges out of `at` meet again. -1: they do not meet. */
static int meeting(const struct xmi_shape *s, int at)
{
    int meet = -1, through;

    for (int way = xmi_way_from(s, at, -1); way >= 0; way = xmi_way_from(s, at, way)) {
        int end = end_of(s, way, &through);

        if (end == at || (meet >= 0 && end != meet))
            return -1;
        meet = end;
    }
    return meet;
}

/* Replace branches that meet again by one item with a single outgoing edge. */
static void close_branches(struct xmi_shape *s, int at, int meet, enum xmi_item_kind kind)
{
    struct xmi_spot *p = &s->spots[at];
    struct xmi_item *item = xmi_new_item(s, kind, p->node ? p->node->line : 0);
    struct xmi_branch **end = item ? &item->branches : NULL;
    int way;

    while (!s->failed && (way = xmi_way_from(s, at, -1)) >= 0) {
        struct xmi_branch *branch = act_arena_take(s->document->arena, sizeof *branch);
        int through;

        end_of(s, way, &through);
        if (!branch) {
            s->failed = -ENOMEM;
            return;
        }
        branch->guard = s->ways[way].guard;
        branch->line = s->ways[way].line;
        if (through >= 0) {
            branch->items = s->spots[through].items;
            drop_spot(s, through);
        } else {
            drop_way(s, way);
        }
        *end = branch;
        end = &branch->next;
    }
    p = &s->spots[at];
    if (item && p->node && (p->node->kind == XMI_DECISION || p->node->kind == XMI_FORK))
        item->node = p->node;
    p->kind = PLAIN;
    give_item(p, item);
    add_way(s, at, meet, NULL, item ? item->line : 0);
    p->out++;
    s->spots[meet].in++;
}

/* Collapse an if. Branches of one decision that meet in a join are refused: the join
 * would wait forever. */
static int close_if(struct xmi_shape *s, int at)
{
    int meet = s->spots[at].kind == DECISION ? meeting(s, at) : -1;

    if (meet < 0 ||
        (s->spots[meet].kind == JOIN && s->spots[meet].in == s->spots[at].out))
        return 0;
    close_branches(s, at, meet, XMI_IF);
    return 1;
}

/* Whether a merge is a node of the diagram, not one that make_explicit added. Such a
 * merge passes each branch of a fork on, so the nodes after it would run once per
 * branch. */
static int is_drawn_merge(const struct xmi_spot *spot)
{
    return spot->node && spot->node->kind == XMI_MERGE;
}

static int close_fork(struct xmi_shape *s, int at)
{
    int meet = s->spots[at].kind == FORK ? meeting(s, at) : -1;

    if (meet < 0 || s->spots[meet].in != s->spots[at].out ||
        is_drawn_merge(&s->spots[meet]) ||
        (s->spots[meet].kind != JOIN && s->spots[meet].kind != MERGE))
        return 0;
    close_branches(s, at, meet, XMI_BOTH);
    return 1;
}

/* Collapse a loop: a merge, then a decision with one edge back to the merge. Nodes
 * between the two run at the start of each iteration. */
static int close_loop(struct xmi_shape *s, int at)
{
    struct xmi_spot *m = &s->spots[at];
    int before = -1, decision, back = -1, out = -1, through = -1, body = -1, loop;
    struct xmi_item *item;

    if (m->kind != MERGE || m->out != 1)
        return 0;
    decision = s->ways[xmi_way_from(s, at, -1)].to;
    if (s->spots[decision].kind == PLAIN && s->spots[decision].in == 1 &&
        s->spots[decision].out == 1) {
        before = decision;
        decision = s->ways[xmi_way_from(s, before, -1)].to;
    }
    if (s->spots[decision].kind != DECISION || s->spots[decision].in != 1 ||
        s->spots[decision].out != 2)
        return 0;
    for (int way = xmi_way_from(s, decision, -1); way >= 0;
         way = xmi_way_from(s, decision, way)) {
        if (end_of(s, way, &through) == at) {
            back = way;
            body = through;
        } else {
            out = way;
        }
    }
    if (back < 0 || out < 0)
        return 0;
    item = xmi_new_item(s, before >= 0 ? XMI_AGAIN : XMI_WHILE,
                        s->spots[decision].node ? s->spots[decision].node->line : 0);
    if (!item)
        return 0;
    item->guard = s->ways[back].guard;
    if (!item->guard || strcmp(item->guard, "else") == 0) {
        item->guard = s->ways[out].guard;
        item->is_negated = 1;
    }
    item->body = before >= 0 ? s->spots[before].items
                 : body >= 0 ? s->spots[body].items
                             : NULL;
    item->rest = before >= 0 && body >= 0 ? s->spots[body].items : NULL;
    out = s->ways[out].to;
    if (body >= 0)
        drop_spot(s, body);
    if (before >= 0)
        drop_spot(s, before);
    drop_spot(s, decision);
    loop = at;
    if (s->spots[at].in > 1) { /* other edges into the merge have to be joined first */
        loop = add_spot(s, PLAIN, s->spots[at].node);
        add_way(s, at, loop, NULL, item->line);
        s->spots[at].out++;
        s->spots[loop].in++;
    }
    s->spots[loop].kind = PLAIN;
    give_item(&s->spots[loop], item);
    add_way(s, loop, out, NULL, item->line);
    s->spots[loop].out++;
    s->spots[out].in++;
    return !s->failed;
}

static int name_rest(struct xmi_shape *s)
{
    char text[400] = "";
    int named = 0, line = s->graph->line;
    size_t used = 0;

    for (size_t i = 0; i < s->spot_count && used < sizeof text - 80; i++) {
        const struct xmi_node *n = s->spots[i].node;
        size_t k = 0;

        while (k < i && (s->spots[k].kind == GONE || s->spots[k].node != n))
            k++;
        if (k < i || s->spots[i].kind == GONE || !n || n->kind == XMI_INITIAL ||
            n->kind == XMI_FINAL)
            continue;
        if (!named)
            line = n->line;
        if (named++ < 6)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s'%.40s' (line %d)",
                                 named > 1 ? ", " : "", name_of(n), XMI_LINE(n->line));
    }
    return xmi_refuse(
        s->document, line, s->err,
        "found a flow of activity '%.60s' that is no sequence, branch, loop "
        "or fork with one entry and one exit: %s%s",
        s->graph->name ? s->graph->name : "", text, named > 6 ? ", .." : "");
}

static int collapse(struct xmi_shape *s, struct xmi_item **items)
{
    int more = 1;
    size_t left = 0;

    while (more && !s->failed) {
        more = 0;
        for (size_t i = 0; i < s->spot_count && !s->failed; i++) {
            int at = (int)i;

            if (s->spots[i].kind == GONE)
                continue;
            more |= simplify(s, at);
            while (join_sequence(s, at))
                more = 1;
            more |= close_if(s, at) || close_fork(s, at) || close_loop(s, at);
        }
    }
    if (s->failed)
        return cca_no_memory(s->err);
    for (size_t i = 0; i < s->spot_count; i++)
        left += s->spots[i].kind != GONE;
    if (left != 1 && xmi_structure_rest(s, items))
        return 0;
    if (left != 1)
        return s->failed ? cca_no_memory(s->err) : name_rest(s);
    for (size_t i = 0; i < s->spot_count; i++)
        if (s->spots[i].kind != GONE)
            *items = s->spots[i].out ? NULL : s->spots[i].items;
    for (size_t i = 0; i < s->way_count; i++)
        if (!s->ways[i].is_gone)
            return name_rest(s);
    return 0;
}

int xmi_reduce(const struct xmi_document *document, const struct xmi_graph *graph,
               struct xmi_item **items, struct cca_error *err)
{
    struct xmi_shape s = {.document = document, .graph = graph, .err = err};
    int rc = 0, nodes = 0;

    *items = NULL;
    for (const struct xmi_node *n = graph->nodes; n; n = n->next)
        nodes++;
    if (!nodes)
        return 0;
    if (nodes > MOST_NODES)
        return xmi_refuse(document, graph->line, err,
                          "found %d nodes in one activity, expected at most %d", nodes,
                          MOST_NODES);
    add_nodes(&s);
    rc = s.failed ? cca_no_memory(err) : add_edges(&s);
    if (!rc) {
        count_ways(&s);
        rc = find_start(&s);
    }
    if (!rc) {
        join_ends(&s);
        count_ways(&s);
        make_explicit(&s);
        rc = s.failed ? cca_no_memory(err) : check_reached(&s);
    }
    if (!rc)
        rc = collapse(&s, items);
    if (rc && !err->code)
        cca_no_memory(err);
    free(s.spots);
    free(s.ways);
    return rc;
}
