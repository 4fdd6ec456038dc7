/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c: print a model as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/print.h"

struct print {
    FILE *out;
    int indent;
};

static void print_indent(const struct print *p)
{
    for (int i = 0; i < p->indent; i++)
        fputs("  ", p->out);
}

/* Print comments on lines of their own. */
static void print_comment(const struct print *p, const char *comment)
{
    while (comment) {
        const char *end = strchr(comment, '\n');
        int length = end ? (int)(end - comment) : (int)strlen(comment);

        print_indent(p);
        fprintf(p->out, length ? "// %.*s\n" : "//\n", length, comment);
        comment = end ? end + 1 : NULL;
    }
}

static void print_expr(const struct print *p, const struct act_expr *e)
{
    act_expr_print(e, p->out);
}

static void print_clause(const struct print *p, const char *name,
                         const struct act_expr *e)
{
    if (!e)
        return;
    fprintf(p->out, " %s ", name);
    print_expr(p, e);
}

static void print_elements(struct print *p, const struct act_element *e);

static void print_block(struct print *p, const struct act_element *body,
                        const char *comment)
{
    fputs(" {\n", p->out);
    p->indent++;
    print_elements(p, body);
    print_comment(p, comment);
    p->indent--;
    print_indent(p);
    fputc('}', p->out);
}

static void print_if(struct print *p, const struct act_element *e)
{
    fputs("if ", p->out);
    print_expr(p, e->value);
    print_block(p, e->body, e->body_comment);
    while (e->is_elif) {
        e = e->otherwise;
        fputs(" elif ", p->out);
        print_expr(p, e->value);
        print_block(p, e->body, e->body_comment);
    }
    if (e->has_else) {
        fputs(" else", p->out);
        print_block(p, e->otherwise, e->else_comment);
    }
}

static void print_applied(const struct print *p, const struct act_applied *a)
{
    for (; a; a = a->next) {
        fprintf(p->out, " <<%s", a->stereotype->name);
        for (const struct act_applied_tag *t = a->tags; t; t = t->next) {
            const char *quote = t->tag->type == ACT_TAG_TEXT ? "\"" : "";

            fprintf(p->out, "%s %s = %s%s%s", t == a->tags ? "" : ",", t->tag->name,
                    quote, t->value, quote);
        }
        fputs(">>", p->out);
    }
}

static void print_quoted(const struct print *p, const char *clause, const char *text)
{
    if (text)
        fprintf(p->out, " %s \"%s\"", clause, text);
}

/* Print the neighbours of an exchange, or the requests of a wait. */
static void print_peers(const struct print *p, const struct act_element *e)
{
    if (!e->peer_count)
        return;
    fputs(e->kind == ACT_EXCHANGE ? " with " : " for ", p->out);
    act_print_peers(e, p->out);
}

/* Print the clauses of an element that has a name. */
static void print_named(struct print *p, const struct act_element *e)
{
    int to = e->kind == ACT_SEND || e->kind == ACT_ISEND;
    int from = e->kind == ACT_RECV || e->kind == ACT_IRECV;

    fprintf(p->out, "%s %s", act_kind_name(e->kind), e->name);
    if (e->id >= 0)
        fprintf(p->out, " id %" PRId64, e->id);
    print_quoted(p, "type", e->type);
    print_quoted(p, "method", e->method);
    print_applied(p, e->applied);
    print_clause(p, to ? "to" : from ? "from" : "root", e->peer);
    print_peers(p, e);
    print_clause(p, "time", e->time);
    print_clause(p, "cost", e->cost);
    print_clause(p, "memory", e->memory);
    print_clause(p, "bytes", e->bytes);
    print_clause(p, "tag", e->tag);
    if (e->as != ACT_AS_USUAL)
        fprintf(p->out, " as %s", e->as == ACT_AS_COST ? "cost" : "expanded");
    if (e->code) {
        fputs(" do", p->out);
        print_block(p, e->code, NULL);
    }
    if (e->raw)
        fprintf(p->out, " {{%s}}", e->raw);
}

static void print_turns(const struct print *p, const struct act_element *e)
{
    fprintf(p->out, "loop %s = ", e->variable->name);
    print_expr(p, e->value);
    fputs("..", p->out);
    print_expr(p, e->last);
}

/* Print parallel, critical and fork. */
static void print_region(struct print *p, const struct act_element *e)
{
    print_named(p, e);
    if (e->kind == ACT_PARALLEL) {
        print_clause(p, "threads", e->threads);
        if (e->variable) {
            fputc(' ', p->out);
            print_turns(p, e);
        }
        if (e->schedule_given)
            fprintf(p->out, " schedule %s",
                    e->schedule == ACT_STATIC ? "static" : "dynamic");
        print_clause(p, "chunk", e->chunk);
    }
    print_block(p, e->body, e->body_comment);
}

static void print_element(struct print *p, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_CALL:
        fprintf(p->out, "call %s", e->called);
        if (e->id >= 0)
            fprintf(p->out, " id %" PRId64, e->id);
        print_quoted(p, "type", e->type);
        print_applied(p, e->applied);
        break;
    case ACT_IF:
        print_if(p, e);
        break;
    case ACT_LOOP:
        print_turns(p, e);
        print_block(p, e->body, e->body_comment);
        break;
    case ACT_WHILE:
        fputs("while ", p->out);
        print_expr(p, e->value);
        print_block(p, e->body, e->body_comment);
        break;
    case ACT_SET:
        fprintf(p->out, "%s = ", e->variable->name);
        print_expr(p, e->value);
        fputc(';', p->out);
        break;
    case ACT_DO:
        fputs("code", p->out);
        print_block(p, e->code, NULL);
        break;
    case ACT_PARALLEL:
    case ACT_CRITICAL:
    case ACT_FORK:
        print_region(p, e);
        break;
    case ACT_BRANCH:
        fputs("branch", p->out);
        print_block(p, e->body, e->body_comment);
        break;
    default:
        print_named(p, e);
    }
}

static void print_elements(struct print *p, const struct act_element *e)
{
    for (; e; e = e->next) {
        /* Comments of later branches are printed before the whole if. */
        print_comment(p, e->comment);
        for (const struct act_element *b = e; b->kind == ACT_IF && b->is_elif;
             b = b->otherwise)
            print_comment(p, b->otherwise->comment);
        print_indent(p);
        print_element(p, e);
        if (e->tail)
            fprintf(p->out, "  // %s", e->tail);
        fputc('\n', p->out);
    }
}

static void print_variable(const struct print *p, const char *word,
                           const struct act_variable *v)
{
    print_comment(p, v->comment);
    print_indent(p);
    fprintf(p->out, "%s %s %s", word, v->type == ACT_LONG ? "long" : "double", v->name);
    if (v->value) {
        fputs(" = ", p->out);
        print_expr(p, v->value);
    }
    fputc('\n', p->out);
}

static void print_stereotype(const struct print *p, const struct act_stereotype *s)
{
    static const char *const types[] = {"long", "double", "text"};

    print_comment(p, s->comment);
    fprintf(p->out, "stereotype %s of %s {", s->name, s->base);
    for (const struct act_tag *t = s->tags; t; t = t->next) {
        const char *quote = t->type == ACT_TAG_TEXT ? "\"" : "";

        fprintf(p->out, " %s %s", types[t->type], t->name);
        if (t->value)
            fprintf(p->out, " = %s%s%s", quote, t->value, quote);
    }
    fputs(" }\n", p->out);
}

/* Print a table in lines of at most 100 characters. */
static void print_table(const struct print *p, const struct act_table *t)
{
    int column;

    print_comment(p, t->comment);
    column = fprintf(p->out, "table %s %s = {", t->type == ACT_LONG ? "long" : "double",
                     t->name);
    for (int64_t i = 0; i < t->count; i++) {
        int length = (int)strlen(t->texts[i]) + 2;

        if (column + length > 97) {
            fputs("\n ", p->out);
            column = 1;
        }
        column += fprintf(p->out, " %s%s", t->texts[i], i < t->count - 1 ? "," : "");
    }
    fputs(" }\n", p->out);
}

static void print_function(const struct print *p, const struct act_function *f)
{
    print_comment(p, f->comment);
    fprintf(p->out, "cost %s(", f->name);
    for (const struct act_variable *v = f->parameters; v; v = v->next)
        fprintf(p->out, "%s %s%s", v->type == ACT_LONG ? "long" : "double", v->name,
                v->next ? ", " : "");
    fputs(") = ", p->out);
    print_expr(p, f->body);
    fputc('\n', p->out);
}

static void print_activity(struct print *p, const struct act_activity *a)
{
    fputc('\n', p->out);
    print_comment(p, a->comment);
    fprintf(p->out, "activity %s", a->name);
    if (a->id >= 0)
        fprintf(p->out, " id %" PRId64, a->id);
    print_quoted(p, "type", a->type);
    print_quoted(p, "method", a->method);
    print_applied(p, a->applied);
    fputs(" {\n", p->out);
    p->indent = 1;
    for (const struct act_variable *v = a->locals; v; v = v->next)
        print_variable(p, "local", v);
    print_elements(p, a->body);
    print_comment(p, a->end_comment);
    p->indent = 0;
    fputs("}\n", p->out);
}

char *act_model_print(const struct act_model *model)
{
    char *text = NULL;
    size_t size;
    struct print p = {open_memstream(&text, &size), 0};
    int bad;

    if (!p.out)
        return NULL;
    print_comment(&p, model->comment);
    fprintf(p.out, "model %s\n", model->name);
    act_print_declarations(model, p.out);
    for (const struct act_activity *a = model->activities; a; a = a->next)
        print_activity(&p, a);
    print_comment(&p, model->end_comment);
    bad = ferror(p.out);
    if (fclose(p.out) || bad) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- Parts. --- */

int act_print_declarations(const struct act_model *model, FILE *out)
{
    const struct print p = {out, 0};

    for (const struct act_stereotype *t = model->stereotypes; t; t = t->next)
        print_stereotype(&p, t);
    for (const struct act_variable *v = model->globals; v; v = v->next)
        print_variable(&p, "global", v);
    for (const struct act_table *t = model->tables; t; t = t->next)
        print_table(&p, t);
    for (const struct act_function *f = model->functions; f; f = f->next)
        print_function(&p, f);
    return ferror(out) ? -EIO : 0;
}

int act_print_locals(const struct act_activity *activity, FILE *out)
{
    const struct print p = {out, 0};

    for (const struct act_variable *v = activity->locals; v; v = v->next)
        print_variable(&p, "local", v);
    return ferror(out) ? -EIO : 0;
}

int act_print_code(const struct act_element *e, FILE *out)
{
    struct print p = {out, 0};

    print_elements(&p, e->code);
    return ferror(out) ? -EIO : 0;
}

int act_print_applied(const struct act_applied *applied, FILE *out)
{
    const struct print p = {out, 0};

    print_applied(&p, applied);
    return ferror(out) ? -EIO : 0;
}

int act_print_peers(const struct act_element *e, FILE *out)
{
    for (int i = 0; i < e->peer_count; i++) {
        fputs(i ? ", " : "", out);
        if (e->kind == ACT_EXCHANGE)
            act_expr_print(e->peers[i], out);
        else
            fputs(e->waited_names[i], out);
    }
    return ferror(out) ? -EIO : 0;
}
