/* SPDX-License-Identifier: BSD-3-Clause */
/* resolve.c: last pass over a parsed model: number the elements, find called
 * activities and the requests of waits, and refuse models that are not allowed. */
#include <string.h>

#include "activity/model/parse.h"

static void count(const struct act_element *e, int *n)
{
    for (; e; e = e->next) {
        ++*n;
        count(e->body, n);
        count(e->otherwise, n);
    }
}

/* Elements in do { } get the number of the element they belong to. */
static void number_code(struct act_element *e, int number)
{
    for (; e; e = e->next) {
        e->number = number;
        number_code(e->body, number);
        number_code(e->otherwise, number);
    }
}

static void number(struct act_model *m, struct act_element *e)
{
    for (; e; e = e->next) {
        e->number = m->element_count;
        m->elements[m->element_count++] = e;
        number_code(e->code, e->number);
        number(m, e->body);
        number(m, e->otherwise);
    }
}

/* Resolve the names of called activities. */
static int find_called(struct act_parse *p)
{
    for (int i = 0; i < p->model->element_count; i++) {
        struct act_element *e = p->model->elements[i];

        if (e->kind != ACT_CALL)
            continue;
        for (struct act_activity *a = p->model->activities; a; a = a->next)
            if (strcmp(a->name, e->called) == 0) {
                e->activity = a;
                a->used = 1;
            }
        if (!e->activity)
            return act_lex_refuse_at(&p->lex, e->place,
                                     "found a call of %.40s, expected an activity of the "
                                     "model",
                                     e->called);
    }
    return 0;
}

/* Find an isend or irecv by its name, in elements and their bodies. */
static struct act_element *find_request(struct act_element *e, const char *name)
{
    struct act_element *found = NULL;

    for (; e && !found; e = e->next) {
        if ((e->kind == ACT_ISEND || e->kind == ACT_IRECV) && strcmp(e->name, name) == 0)
            return e;
        found = find_request(e->body, name);
        found = found ? found : find_request(e->otherwise, name);
    }
    return found;
}

/* Find an isend or irecv that a wait names: in the wait's activity first, then in any
 * other. */
static struct act_element *find_waited(const struct act_model *m,
                                       const struct act_activity *own, const char *name)
{
    struct act_element *found = find_request(own->body, name);

    for (const struct act_activity *a = m->activities; a && !found; a = a->next)
        found = find_request(a->body, name);
    return found;
}

static int find_waits(struct act_parse *p, const struct act_activity *a,
                      struct act_element *e)
{
    int rc = 0;

    for (; e && !rc; e = e->next) {
        for (int i = 0; e->kind == ACT_WAIT && i < e->peer_count; i++) {
            e->waited[i] = find_waited(p->model, a, e->waited_names[i]);
            if (!e->waited[i])
                return act_lex_refuse_at(&p->lex, e->place,
                                         "found a wait for %.40s, expected an isend or "
                                         "irecv of the model",
                                         e->waited_names[i]);
        }
        rc = find_waits(p, a, e->body);
        rc = rc ? rc : find_waits(p, a, e->otherwise);
    }
    return rc;
}

/* State of an activity in the search for cycles. */
enum { UNSEEN, OPEN, DONE };

struct seen {
    const struct act_activity *activity;
    int state, threads; /* state in the search for cycles; threads: 1: reached inside a
                           parallel region or fork */
};

struct search {
    struct act_parse *p;
    struct seen *all;
};

static struct seen *seen_of(const struct search *s, const struct act_activity *a)
{
    struct seen *seen = s->all;

    while (seen->activity != a)
        seen++;
    return seen;
}

static int is_message(enum act_kind kind)
{
    return kind >= ACT_SEND && kind <= ACT_ALLTOALL;
}

static int search_elements(struct search *s, const struct act_element *e, int threads);

/* Refuse an activity that calls itself, directly or through others: a process has only
 * one copy of the variables of each activity. */
static int search_activity(struct search *s, const struct act_activity *a,
                           const struct act_element *call, int threads)
{
    struct seen *seen = seen_of(s, a);
    int rc;

    if (seen->state == OPEN)
        return act_lex_refuse_at(&s->p->lex, call->place,
                                 "found a call of %.40s within itself, expected no "
                                 "recursion",
                                 a->name);
    if (seen->state == DONE && seen->threads >= threads)
        return 0;
    if (++s->p->depth > ACT_DEEPEST)
        return act_lex_refuse_at(&s->p->lex, call->place,
                                 "found more than %d levels, expected fewer",
                                 ACT_DEEPEST);
    seen->state = OPEN;
    rc = search_elements(s, a->body, threads);
    seen->state = DONE;
    seen->threads = threads;
    s->p->depth--;
    return rc;
}

static int search_elements(struct search *s, const struct act_element *e, int threads)
{
    int rc = 0;

    for (; e && !rc; e = e->next) {
        int inner = threads || e->kind == ACT_PARALLEL || e->kind == ACT_FORK;

        if (threads && is_message(e->kind))
            return act_lex_refuse_at(
                &s->p->lex, e->place,
                "found %s within parallel or fork, expected messages "
                "outside of threads",
                act_kind_name(e->kind));
        s->p->model->has_threads |= inner;
        s->p->model->has_raw |= e->raw != NULL;
        if (e->kind == ACT_CALL)
            rc = search_activity(s, e->activity, e, inner);
        rc = rc ? rc : search_elements(s, e->body, inner);
        rc = rc ? rc : search_elements(s, e->otherwise, inner);
    }
    return rc;
}

static int search_all(struct act_parse *p)
{
    struct search s = {.p = p};
    size_t activities = 0, at = 0;
    int rc = 0;

    for (const struct act_activity *a = p->model->activities; a; a = a->next)
        activities++;
    s.all = act_parse_take(p, activities * sizeof *s.all);
    if (!s.all)
        return p->lex.failed;
    for (const struct act_activity *a = p->model->activities; a; a = a->next)
        s.all[at++].activity = a;
    for (const struct act_activity *a = p->model->activities; a && !rc; a = a->next)
        if (seen_of(&s, a)->state == UNSEEN)
            rc = search_activity(&s, a, NULL, 0);
    return rc;
}

int act_parse_resolve(struct act_parse *p)
{
    struct act_model *m = p->model;
    int n = 0, rc;

    for (struct act_activity *a = m->activities; a; a = a->next)
        count(a->body, &n);
    m->elements = act_parse_take(p, (size_t)(n + 1) * sizeof *m->elements);
    if (!m->elements)
        return p->lex.failed;
    for (struct act_activity *a = m->activities; a; a = a->next)
        number(m, a->body);
    m->main->used = 1;
    rc = find_called(p);
    for (struct act_activity *a = m->activities; a && !rc; a = a->next)
        rc = find_waits(p, a, a->body);
    return rc ? rc : search_all(p);
}
