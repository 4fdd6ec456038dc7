/* SPDX-License-Identifier: BSD-3-Clause */
/* parse.c: parse a model: its variables, functions and activities. */
#include "activity/model/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

enum { LARGEST = 16 << 20 };

int act_parse_is(const struct act_parse *p, const char *text)
{
    return (p->lex.word.kind == CCA_TOKEN_NAME || p->lex.word.kind == CCA_TOKEN_SIGN) &&
           strcmp(p->lex.word.text, text) == 0;
}

const char *act_parse_join(struct act_parse *p, const char *a, const char *b)
{
    size_t length;
    char *text;

    if (!a || !b)
        return a ? a : b;
    length = strlen(a);
    text = act_parse_take(p, length + strlen(b) + 2);
    if (!text)
        return a;
    memcpy(text, a, length);
    text[length] = '\n';
    strcpy(text + length + 1, b);
    return text;
}

int act_parse_next(struct act_parse *p)
{
    p->inner = act_parse_join(p, p->inner, p->lex.word.comment);
    if (p->tail)
        p->inner = act_parse_join(p, p->inner, p->tail);
    p->tail = p->lex.word.tail;
    return act_lex_next(&p->lex);
}

int act_parse_expect(struct act_parse *p, const char *text)
{
    char quoted[16];

    if (p->lex.failed)
        return p->lex.failed;
    if (act_parse_is(p, text))
        return act_parse_next(p);
    snprintf(quoted, sizeof quoted, "'%s'", text);
    return act_lex_refuse(&p->lex, quoted);
}

void *act_parse_take(struct act_parse *p, size_t size)
{
    void *memory = act_arena_take(p->lex.arena, size);

    if (!memory)
        act_lex_no_memory(&p->lex);
    return memory;
}

static int is_taken(const struct act_parse *p, const char *name)
{
    if (act_parse_variable(p, name))
        return 1;
    for (const struct act_function *f = p->model->functions; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return 1;
    for (const struct act_table *t = p->model->tables; t; t = t->next)
        if (strcmp(t->name, name) == 0)
            return 1;
    return 0;
}

int act_parse_free(struct act_parse *p, const char *name, int may_hide)
{
    /* a parameter may hide a builtin: Pllana's paper has FSA2(long pid) */
    int taken = !may_hide && (act_builtin_named(name) >= 0 || is_taken(p, name));

    if (p->lex.word.kind != CCA_TOKEN_NAME || taken || act_name_is_own(name))
        return act_lex_refuse(&p->lex, "a name that is free");
    return 0;
}

const char *act_parse_text(struct act_parse *p, const char *of)
{
    const char *text = p->lex.word.text;
    char expected[60];

    snprintf(expected, sizeof expected, "%s in quotes", of);
    if (p->lex.word.kind != CCA_TOKEN_STRING) {
        act_lex_refuse(&p->lex, expected);
        return NULL;
    }
    return act_parse_next(p) ? NULL : text;
}

/* Read "long NAME" or "double NAME". */
static struct act_variable *read_declared(struct act_parse *p, int may_hide)
{
    struct act_variable *v = act_parse_take(p, sizeof *v);

    if (!v)
        return NULL;
    if (!act_parse_is(p, "long") && !act_parse_is(p, "double")) {
        act_lex_refuse(&p->lex, "long or double");
        return NULL;
    }
    v->type = act_parse_is(p, "long") ? ACT_LONG : ACT_DOUBLE;
    if (act_parse_next(p))
        return NULL;
    if (act_parse_free(p, p->lex.word.text, may_hide))
        return NULL;
    v->name = p->lex.word.text;
    v->place = p->lex.word.place;
    v->slot = p->model->slots++;
    return act_parse_next(p) ? NULL : v;
}

/* Read a variable and its value, after "global" or "local". */
static struct act_variable *read_variable(struct act_parse *p)
{
    const char *comment = p->lex.word.comment;
    struct act_variable *v;

    p->lex.word.comment = NULL;
    p->inner = p->tail = NULL;
    if (act_parse_next(p) || !(v = read_declared(p, 0)))
        return NULL;
    if (act_parse_is(p, "=")) {
        if (act_parse_next(p) || !(v->value = act_parse_expression(p)) ||
            (v->type == ACT_LONG && act_parse_long(p, v->value, v->name)))
            return NULL;
    }
    v->comment = act_parse_join(p, act_parse_join(p, comment, p->inner), p->tail);
    return v;
}

static void append(struct act_variable **list, struct act_variable *v)
{
    while (*list)
        list = &(*list)->next;
    *list = v;
}

static int read_parameters(struct act_parse *p, struct act_function *f)
{
    while (!act_parse_is(p, ")")) {
        struct act_variable *v = read_declared(p, 1);

        if (!v)
            return p->lex.failed;
        for (const struct act_variable *other = f->parameters; other; other = other->next)
            if (strcmp(other->name, v->name) == 0)
                return act_lex_refuse_at(
                    &p->lex, v->place,
                    "found the parameter %.40s twice, expected each once", v->name);
        append(&f->parameters, v);
        if (++f->parameter_count > ACT_PARAMETERS)
            return act_lex_refuse_at(&p->lex, v->place,
                                     "found more than %d parameters, expected fewer",
                                     ACT_PARAMETERS);
        if (!act_parse_is(p, ")") && act_parse_expect(p, ","))
            return p->lex.failed;
    }
    return act_parse_next(p);
}

static int read_function(struct act_parse *p)
{
    struct act_function *f = act_parse_take(p, sizeof *f), **last = &p->model->functions;

    if (!f)
        return p->lex.failed;
    f->comment = p->lex.word.comment;
    p->lex.word.comment = NULL;
    p->inner = p->tail = NULL;
    if (act_parse_next(p))
        return p->lex.failed;
    if (act_parse_free(p, p->lex.word.text, 0))
        return p->lex.failed;
    f->name = p->lex.word.text;
    f->place = p->lex.word.place;
    while (*last)
        last = &(*last)->next;
    *last = f;
    if (act_parse_next(p) || act_parse_expect(p, "(") || read_parameters(p, f) ||
        act_parse_expect(p, "="))
        return p->lex.failed;
    p->parameters = f->parameters;
    p->costs++;
    f->body = act_parse_expression(p);
    p->costs--;
    p->parameters = NULL;
    f->comment = act_parse_join(p, act_parse_join(p, f->comment, p->inner), p->tail);
    return f->body ? 0 : p->lex.failed;
}

/* Read a number with its sign and append it to a table. */
static int read_entry(struct act_parse *p, struct act_table *t, size_t *room)
{
    int negative = act_parse_is(p, "-");
    char *text;

    if (negative && act_parse_next(p))
        return p->lex.failed;
    if (p->lex.word.kind != CCA_TOKEN_INTEGER &&
        !(p->lex.word.kind == CCA_TOKEN_REAL && t->type == ACT_DOUBLE))
        return act_lex_refuse(&p->lex,
                              t->type == ACT_LONG ? "a whole number" : "a number");
    if ((size_t)t->count == *room) {
        size_t more = *room ? 2 * *room : 16;
        union act_number *values = act_parse_take(p, more * sizeof *values);
        const char **texts = act_parse_take(p, more * sizeof *texts);

        if (!values || !texts)
            return p->lex.failed;
        if (t->count) {
            memcpy(values, t->values, *room * sizeof *values);
            memcpy(texts, t->texts, *room * sizeof *texts);
        }
        t->values = values;
        t->texts = texts;
        *room = more;
    }
    text = act_parse_take(p, strlen(p->lex.word.text) + 2);
    if (!text)
        return p->lex.failed;
    strcpy(text, negative ? "-" : "");
    strcat(text, p->lex.word.text);
    if (t->type == ACT_LONG)
        t->values[t->count].whole = negative ? -p->lex.word.whole : p->lex.word.whole;
    else
        t->values[t->count].real =
            (negative ? -1 : 1) * (p->lex.word.kind == CCA_TOKEN_INTEGER
                                       ? (double)p->lex.word.whole
                                       : p->lex.word.real);
    t->texts[t->count++] = text;
    return act_parse_next(p);
}

/* Read "table double NAME = { 5, 4.5 }". */
static int read_table(struct act_parse *p)
{
    struct act_table *t = act_parse_take(p, sizeof *t), **last = &p->model->tables;
    size_t room = 0;

    if (!t)
        return p->lex.failed;
    t->comment = p->lex.word.comment;
    p->lex.word.comment = NULL;
    p->inner = p->tail = NULL;
    if (act_parse_next(p))
        return p->lex.failed;
    if (!act_parse_is(p, "long") && !act_parse_is(p, "double"))
        return act_lex_refuse(&p->lex, "long or double");
    t->type = act_parse_is(p, "long") ? ACT_LONG : ACT_DOUBLE;
    if (act_parse_next(p) || act_parse_free(p, p->lex.word.text, 0))
        return p->lex.failed;
    t->name = p->lex.word.text;
    t->place = p->lex.word.place;
    if (act_parse_next(p) || act_parse_expect(p, "=") || act_parse_expect(p, "{"))
        return p->lex.failed;
    do {
        if (read_entry(p, t, &room))
            return p->lex.failed;
    } while (act_parse_is(p, ",") && act_parse_next(p) == 0);
    while (*last)
        last = &(*last)->next;
    *last = t;
    t->number = p->model->table_count++;
    if (act_parse_expect(p, "}"))
        return p->lex.failed;
    t->comment = act_parse_join(p, act_parse_join(p, t->comment, p->inner), p->tail);
    return 0;
}

/* Read "id N", "method TEXT", "<<STEREOTYPE>>" of an activity. */
static int read_header(struct act_parse *p, struct act_activity *a)
{
    int rc = 0;

    a->id = -1;
    while (!rc && !act_parse_is(p, "{")) {
        if (act_parse_is(p, "id") && a->id < 0) {
            rc = act_parse_next(p);
            if (!rc && p->lex.word.kind != CCA_TOKEN_INTEGER)
                return act_lex_refuse(&p->lex, "a whole number");
            a->id = p->lex.word.whole;
            rc = rc ? rc : act_parse_next(p);
        } else if (act_parse_is(p, "method") && !a->method) {
            rc = act_parse_next(p);
            a->method = rc ? NULL : act_parse_text(p, "the method's name");
            rc = a->method ? 0 : p->lex.failed;
        } else if (act_parse_is(p, "type") && !a->type) {
            rc = act_parse_next(p);
            a->type = rc ? NULL : act_parse_text(p, "a type");
            rc = a->type ? 0 : p->lex.failed;
        } else if (act_parse_is(p, "<<")) {
            rc = act_parse_applied(p, "activity", &a->applied);
        } else {
            rc = act_lex_refuse(&p->lex, "id, type, method, << or {");
        }
    }
    return rc;
}

static int read_activity(struct act_parse *p)
{
    struct act_activity *a = act_parse_take(p, sizeof *a), **last = &p->model->activities;

    if (!a)
        return p->lex.failed;
    a->comment = p->lex.word.comment;
    p->lex.word.comment = NULL;
    p->inner = p->tail = NULL;
    if (act_parse_next(p))
        return p->lex.failed;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->name, p->lex.word.text) == 0)
            return act_lex_refuse(&p->lex, "another name: this activity is there");
    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "the name of the activity");
    a->name = p->lex.word.text;
    a->place = p->lex.word.place;
    *last = a;
    if (act_parse_next(p) || read_header(p, a) || act_parse_expect(p, "{"))
        return p->lex.failed;
    a->comment = act_parse_join(p, act_parse_join(p, a->comment, p->inner), p->tail);
    while (act_parse_is(p, "local")) {
        struct act_variable *v = read_variable(p);

        if (!v)
            return p->lex.failed;
        append(&a->locals, v);
        p->locals = a->locals;
    }
    if (act_parse_elements(p, &a->body, &a->end_comment, 0))
        return p->lex.failed;
    p->locals = NULL;
    if (act_parse_expect(p, "}"))
        return p->lex.failed;
    a->end_comment = act_parse_join(p, a->end_comment, p->tail);
    p->tail = NULL;
    return 0;
}

static int read_all(struct act_parse *p)
{
    struct act_model *m = p->model;
    int rc = 0;

    m->comment = p->lex.word.comment;
    p->lex.word.comment = NULL;
    if (act_parse_expect(p, "model"))
        return p->lex.failed;
    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "the name of the model");
    m->name = p->lex.word.text;
    rc = act_parse_next(p);
    m->comment = act_parse_join(p, act_parse_join(p, m->comment, p->inner), p->tail);
    while (!rc && p->lex.word.kind != CCA_TOKEN_END) {
        if (act_parse_is(p, "global")) {
            struct act_variable *v = read_variable(p);

            rc = v ? 0 : p->lex.failed;
            if (v)
                append(&m->globals, v);
        } else if (act_parse_is(p, "stereotype")) {
            rc = act_parse_stereotype(p);
        } else if (act_parse_is(p, "table")) {
            rc = read_table(p);
        } else if (act_parse_is(p, "cost")) {
            rc = read_function(p);
        } else if (act_parse_is(p, "activity")) {
            rc = read_activity(p);
        } else {
            rc = act_lex_refuse(&p->lex, "stereotype, global, table, cost or activity");
        }
    }
    m->end_comment = p->lex.word.comment;
    for (struct act_activity *a = m->activities; a && !rc; a = a->next)
        if (strcmp(a->name, "Main") == 0)
            m->main = a;
    if (!rc && !m->main)
        rc = act_lex_refuse_at(&p->lex, p->lex.word.place,
                               "found no activity Main, expected one");
    return rc ? rc : act_parse_resolve(p);
}

struct act_model *act_model_read(const char *name, const char *text, size_t size,
                                 struct cca_error *err)
{
    struct act_parse p = {.depth = 0};
    struct act_arena *arena = act_arena_new();

    p.model = arena ? act_arena_take(arena, sizeof *p.model) : NULL;
    if (!p.model) {
        act_arena_free(arena);
        cca_no_memory(err);
        return NULL;
    }
    p.model->arena = arena;
    p.model->file = act_arena_text(arena, name, strlen(name));
    if (!p.model->file) {
        act_arena_free(arena);
        cca_no_memory(err);
        return NULL;
    }
    if (act_lex_begin(&p.lex, name, text, size, arena, err) == 0 && read_all(&p) == 0 &&
        !p.lex.failed)
        return p.model;
    act_model_free(p.model);
    return NULL;
}

struct act_model *act_model_load(const char *path, struct cca_error *err)
{
    struct act_model *model = NULL;
    char *text = NULL;
    size_t size;
    int rc = cca_file_read(path, LARGEST, &text, &size);

    if (rc == -ENOMEM)
        cca_no_memory(err);
    else if (rc == -EFBIG)
        cca_error_set(err, -EINVAL, "%s: found more than 16 MiB, expected a model", path);
    else if (rc)
        cca_error_set(err, rc, "%s: %s", path, strerror(-rc));
    else
        model = act_model_read(path, text, size, err);
    free(text);
    return model;
}

void act_model_free(struct act_model *model)
{
    if (model)
        act_arena_free(model->arena);
}
