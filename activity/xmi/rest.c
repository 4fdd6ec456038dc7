/* SPDX-License-Identifier: BSD-3-Clause */
/* rest.c: reducible control flow whose branches and loops overlap: an edge leaves a loop
 * in the middle, or enters another branch. Vertices (`spot`s) are written in the order of
 * the flow, each once. Where an edge (`way`) skips vertices, a global variable holds the
 * number of the vertex that comes next:
 *
 *   a -> d1 -[x]-> b -> d2 -[y]-> c       a   if x { next = 2; } else { next = 3; }
 *        d1 -[else]-> c, d2 -[else]-> e   if next == 2 { b  if y { next = 3; } .. }
 *                                         if next == 3 { c  next = 4; }   e
 *
 * A loop is `while next == HEAD`. A loop with two entries is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/xmi/parts.h"

enum { MOST_SPOTS = 500 };

struct rest {
    struct xmi_shape *s;
    const char *next; /* name of the global variable that selects the next vertex */
    int count;        /* number of vertices */
    int line;
    int is_tangled; /* 1: a loop has two entries */
};

/* A part of the graph: vertices that are reached through one entry, in the order of the
 * flow. Each loop among them is a group. */
struct part {
    int *member;  /* by vertex: 1: the vertex is in this part */
    int *place;   /* by vertex: number of its group, from 0 */
    int *size;    /* by group: number of its vertices */
    int *first;   /* by group: the head of a loop, or its only vertex */
    int *certain; /* by group: 1: every path through the part passes the group */
    int groups;
    int head;
    /* scratch arrays of Tarjan's search for groups (strongly connected components) */
    int *low, *number, *stack;
    int depth, numbers;
};

static void part_done(struct part *p)
{
    free(p->member);
    free(p->place);
    free(p->size);
    free(p->first);
    free(p->certain);
    free(p->low);
    free(p->number);
    free(p->stack);
}

static int part_init(struct part *p, int count)
{
    int **arrays[] = {&p->member,  &p->place, &p->size,   &p->first,
                      &p->certain, &p->low,   &p->number, &p->stack};

    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = calloc((size_t)count + 1, sizeof(int))))
            return -1;
    return 0;
}

/* Whether `to` is in the part and not its head (an edge to the head starts another
 * iteration). */
static int is_ahead(const struct part *p, int to)
{
    return p->member[to] && to != p->head;
}

/* Find groups of vertices that reach each other: Tarjan's strongly connected components,
 * last one of the flow first. */
static void find_groups(const struct rest *r, struct part *p, int at)
{
    p->low[at] = p->number[at] = ++p->numbers;
    p->stack[p->depth++] = at;
    p->place[at] = -1;
    for (int way = xmi_way_from(r->s, at, -1); way >= 0;
         way = xmi_way_from(r->s, at, way)) {
        int to = r->s->ways[way].to;

        if (!is_ahead(p, to))
            continue;
        if (!p->number[to])
            find_groups(r, p, to);
        if (p->place[to] == -1 && p->low[to] < p->low[at])
            p->low[at] = p->low[to];
    }
    if (p->low[at] != p->number[at])
        return;
    for (int spot = -1; spot != at; p->size[p->groups]++) {
        spot = p->stack[--p->depth];
        p->place[spot] = p->groups;
    }
    p->groups++;
}

/* Whether a vertex has an edge to itself. */
static int leads_back(const struct rest *r, int at)
{
    for (int way = xmi_way_from(r->s, at, -1); way >= 0;
         way = xmi_way_from(r->s, at, way))
        if (r->s->ways[way].to == at)
            return 1;
    return 0;
}

static int is_loop(const struct rest *r, const struct part *p, int group)
{
    return p->size[group] > 1 ||
           (p->first[group] != p->head && leads_back(r, p->first[group]));
}

/* Sort the groups in the order of the flow; find their heads, and the groups that every
 * path passes. */
static void order_groups(struct rest *r, struct part *p)
{
    int far = 0;

    for (int i = 0; i < r->count; i++)
        if (p->member[i])
            p->place[i] = p->groups - 1 - p->place[i];
    for (int a = 0, b = p->groups - 1; a < b; a++, b--) {
        int size = p->size[a];

        p->size[a] = p->size[b];
        p->size[b] = size;
    }
    for (int g = 0; g < p->groups; g++)
        p->first[g] = -1;
    p->first[0] = p->head;
    for (int i = 0; i < r->count; i++) {
        if (!p->member[i])
            continue;
        if (p->size[p->place[i]] == 1)
            p->first[p->place[i]] = i;
        for (int way = xmi_way_from(r->s, i, -1); way >= 0;
             way = xmi_way_from(r->s, i, way)) {
            int to = r->s->ways[way].to;

            if (!is_ahead(p, to) || p->place[to] == p->place[i])
                continue;
            if (p->first[p->place[to]] >= 0 && p->first[p->place[to]] != to)
                r->is_tangled = 1;
            p->first[p->place[to]] = to;
        }
    }
    for (int g = 0; g < p->groups; g++) {
        p->certain[g] = far <= g;
        for (int i = 0; i < r->count; i++) {
            if (!p->member[i] || p->place[i] != g)
                continue;
            for (int way = xmi_way_from(r->s, i, -1); way >= 0;
                 way = xmi_way_from(r->s, i, way)) {
                int to = r->s->ways[way].to;
                int place = is_ahead(p, to) ? p->place[to] : p->groups;

                far = place > far ? place : far;
            }
        }
    }
}

static struct xmi_item **behind(struct xmi_item **at)
{
    while (*at)
        at = &(*at)->next;
    return at;
}

/* Make the assignment "next = TO"; NULL where the flow reaches TO without it. */
static struct xmi_item *go(const struct rest *r, const struct part *p, int from, int to)
{
    struct xmi_item *set;

    if (is_ahead(p, to) && p->place[to] == p->place[from] + 1 &&
        p->certain[p->place[to]] && !is_loop(r, p, p->place[to]))
        return NULL;
    set = xmi_new_item(r->s, XMI_SET, r->line);
    if (set) {
        set->guard = r->next;
        set->value = to + 1;
    }
    return set;
}

static struct xmi_item *spot_items(const struct rest *r, const struct part *p, int at)
{
    struct xmi_spot *spot = &r->s->spots[at];
    struct xmi_item *items = spot->items, *choice;
    int way = xmi_way_from(r->s, at, -1);
    struct xmi_branch **end;

    if (spot->kind != DECISION) {
        if (way >= 0)
            *behind(&items) = go(r, p, at, r->s->ways[way].to);
        return items;
    }
    choice = xmi_new_item(r->s, XMI_IF, spot->node ? spot->node->line : r->line);
    if (!choice)
        return NULL;
    end = &choice->branches;
    for (; way >= 0 && !r->s->failed; way = xmi_way_from(r->s, at, way)) {
        struct xmi_branch *b = act_arena_take(r->s->document->arena, sizeof *b);

        if (!b) {
            r->s->failed = 1;
            return NULL;
        }
        b->guard = r->s->ways[way].guard;
        b->line = r->s->ways[way].line;
        b->items = go(r, p, at, r->s->ways[way].to);
        *end = b;
        end = &b->next;
    }
    *behind(&items) = choice;
    return items;
}

static const char *asks(const struct rest *r, int spot)
{
    char text[80];
    char *copy;

    snprintf(text, sizeof text, "%s == %d", r->next, spot + 1);
    copy = act_arena_text(r->s->document->arena, text, strlen(text));
    if (!copy)
        r->s->failed = 1;
    return copy;
}

/* Make the item "if next == SPOT { items }". */
static struct xmi_item *asked(const struct rest *r, int spot, struct xmi_item *items)
{
    struct xmi_item *choice = xmi_new_item(r->s, XMI_IF, r->line);
    struct xmi_branch *b =
        choice ? act_arena_take(r->s->document->arena, sizeof *b) : NULL;

    if (!b) {
        r->s->failed = 1;
        return NULL;
    }
    b->guard = asks(r, spot);
    b->line = r->line;
    b->items = items;
    choice->branches = b;
    return choice;
}

/* Make the items of a part: its vertices have `member` equal to `group` and are all
 * reached from `head`. */
static struct xmi_item *structure(struct rest *r, const int *member, int group, int head)
{
    struct part p;
    struct xmi_item *items = NULL;

    if (part_init(&p, r->count)) {
        r->s->failed = 1;
        part_done(&p);
        return NULL;
    }
    p.head = head;
    for (int i = 0; i < r->count; i++)
        p.member[i] = member[i] == group;
    find_groups(r, &p, head);
    for (int i = 0; i < r->count; i++)
        r->is_tangled |= p.member[i] && !p.number[i];
    if (!r->is_tangled)
        order_groups(r, &p);
    for (int i = 0; i < r->count; i++) /* vertices outside the part are in no group */
        if (!p.member[i])
            p.place[i] = -1;
    for (int g = 0; g < p.groups && !r->s->failed && !r->is_tangled; g++) {
        int first = p.first[g];
        struct xmi_item *own = NULL;

        if (first < 0)
            r->is_tangled = 1;
        else if (is_loop(r, &p, g) && (own = xmi_new_item(r->s, XMI_WHILE, r->line))) {
            own->guard = asks(r, first);
            own->body = structure(r, p.place, g, first);
        } else {
            own = spot_items(r, &p, first);
            if (own && !p.certain[g])
                own = asked(r, first, own);
        }
        *behind(&items) = own;
    }
    part_done(&p);
    return items;
}

/* Join vertices that are connected by their only edge. */
static void join_spots(struct xmi_shape *s)
{
    for (size_t i = 0; i < s->spot_count; i++)
        if (s->spots[i].kind == MERGE)
            s->spots[i].kind = PLAIN;
    for (size_t w = 0; w < s->way_count; w++) {
        int from = s->ways[w].from, to = s->ways[w].to;
        struct xmi_spot *a = &s->spots[from], *b = &s->spots[to];

        if (s->ways[w].is_gone || from == to || a->kind != PLAIN || a->out != 1 ||
            b->in != 1)
            continue;
        *behind(&a->items) = b->items;
        b->items = a->items;
        b->in = a->in;
        a->kind = GONE;
        s->ways[w].is_gone = 1;
        for (size_t k = 0; k < s->way_count; k++)
            if (!s->ways[k].is_gone && s->ways[k].to == from)
                s->ways[k].to = to;
    }
}

/* The vertex without incoming edges. -1: there are several, or the graph has forks or
 * joins, or is too large. */
static int find_head(const struct xmi_shape *s)
{
    int head = -1, left = 0;

    for (int i = 0; i < (int)s->spot_count; i++) {
        const struct xmi_spot *spot = &s->spots[i];

        if (spot->kind == GONE)
            continue;
        if (spot->kind == FORK || spot->kind == JOIN || ++left > MOST_SPOTS ||
            (spot->in == 0 && head >= 0))
            return -1;
        if (spot->in == 0)
            head = i;
    }
    return head;
}

static int structure_rest(struct xmi_shape *s, struct xmi_item **items)
{
    struct rest r = {.s = s, .count = (int)s->spot_count, .line = s->graph->line};
    int *member, head;
    char name[40];

    join_spots(s);
    head = find_head(s);
    snprintf(name, sizeof name, "next_%d", XMI_LINE(r.line));
    r.next = act_arena_text(s->document->arena, name, strlen(name));
    member = calloc((size_t)r.count + 1, sizeof *member);
    if (head < 0 || !r.next || !member) {
        s->failed = !r.next || !member;
        free(member);
        return 0;
    }
    for (int i = 0; i < r.count; i++)
        member[i] = s->spots[i].kind != GONE;
    *items = structure(&r, member, 1, head);
    free(member);
    return !r.is_tangled && !s->failed;
}

int xmi_structure_rest(struct xmi_shape *s, struct xmi_item **items)
{
    struct xmi_spot *spots = s->spots;
    struct xmi_way *ways = s->ways;
    size_t spots_size = s->spot_count * sizeof *spots;
    size_t ways_size = s->way_count * sizeof *ways;
    int done;

    if (s->spots[s->end].kind == GONE || find_head(s) < 0)
        return 0;
    /* a graph that is refused stays unchanged for the error message */
    s->spots = malloc(spots_size);
    s->ways = malloc(ways_size + 1);
    if (s->spots && s->ways) {
        memcpy(s->spots, spots, spots_size);
        memcpy(s->ways, ways, ways_size);
        done = structure_rest(s, items);
    } else {
        s->failed = 1;
        done = 0;
    }
    free(s->spots);
    free(s->ways);
    s->spots = spots;
    s->ways = ways;
    return done;
}
