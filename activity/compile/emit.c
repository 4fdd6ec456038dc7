/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.c: write a model as C: its variables, functions and control flow. */
#include "activity/compile/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "activity/compile/emit_core.h"

/* --- Lines. --- */

static void indent(const struct act_emit *m)
{
    for (int i = 0; i < m->indent; i++)
        fputs("    ", m->out);
}

static void line(const struct act_emit *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void line(const struct act_emit *m, const char *format, ...)
{
    va_list args;

    indent(m);
    va_start(args, format);
    vfprintf(m->out, format, args);
    va_end(args);
    fputc('\n', m->out);
}

/* A #line directive, so that the compiler's messages name the model's file. */
static void place(const struct act_emit *m, struct act_place place)
{
    if (!m->lines)
        return;
    fprintf(m->out, "#line %d \"", place.line);
    for (const char *at = m->model->file; *at; at++)
        fprintf(m->out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    fputs("\"\n", m->out);
}

/* Write "NAME = EXPRESSION;" for a variable. */
static void assign(const struct act_emit *m, const struct act_variable *v,
                   const struct act_expr *value)
{
    indent(m);
    fprintf(m->out, "L->%s = ", act_emit_variable(m, v));
    if (value)
        act_emit_expression(m, value);
    else
        fputs(v->type == ACT_LONG ? "0" : "0.0", m->out);
    fputs(";\n", m->out);
}

static void expression_or(const struct act_emit *m, const struct act_expr *e,
                          const char *otherwise)
{
    if (e)
        act_emit_expression(m, e);
    else
        fputs(otherwise, m->out);
}

/* --- Elements. --- */

static void emit_elements(struct act_emit *m, const struct act_element *e);

static void emit_block(struct act_emit *m, const struct act_element *e, int is_loop)
{
    line(m, "{");
    m->indent++;
    if (is_loop)
        line(m, "ACT_ROUND;");
    emit_elements(m, e);
    m->indent--;
    line(m, "}");
}

static void emit_if(struct act_emit *m, const struct act_element *e)
{
    const char *word = "if";

    for (;; e = e->otherwise, word = "else if") {
        place(m, e->place);
        indent(m);
        fprintf(m->out, "%s (", word);
        act_emit_expression(m, e->value);
        fputs(")\n", m->out);
        emit_block(m, e->body, 0);
        if (!e->is_elif)
            break;
    }
    if (e->has_else) {
        line(m, "else");
        emit_block(m, e->otherwise, 0);
    }
}

/* Write a loop. Its upper bound is a member of its own, named after the variable's
 * slot. */
static void emit_loop(struct act_emit *m, const struct act_element *e)
{
    const char *name = act_emit_variable(m, e->variable);

    place(m, e->place);
    indent(m);
    fprintf(m->out, "for (L->last_%d = ", e->variable->slot);
    act_emit_expression(m, e->last);
    fprintf(m->out, ", L->%s = ", name);
    act_emit_expression(m, e->value);
    fprintf(m->out, "; L->%s <= L->last_%d; L->%s++)\n", name, e->variable->slot, name);
    m->turns[m->turn_count] = e->variable;
    m->turn_count += m->turn_count < ACT_EMIT_TURNS - 1;
    emit_block(m, e->body, 1);
    m->turn_count--;
}

/* Define a macro with a variable's own name, for C code in the model; inner variables
 * hide outer ones. */
static void define(const struct act_emit *m, const struct act_variable *v)
{
    fprintf(m->out, "#undef %s\n#define %s (L->%s)\n", v->name, v->name,
            act_emit_variable(m, v));
}

static void emit_raw(struct act_emit *m, const struct act_element *e)
{
    for (const struct act_variable *v = m->model->globals; v; v = v->next)
        define(m, v);
    for (const struct act_variable *v = m->activity->locals; v; v = v->next)
        define(m, v);
    for (int i = 0; i < m->turn_count; i++)
        define(m, m->turns[i]);
    place(m, e->place);
    line(m, "{%s}", e->raw);
    for (int i = 0; i < m->model->slots; i++)
        if (m->variables[i])
            fprintf(m->out, "#undef %s\n", m->variables[i]->name);
}

static void emit_execute(struct act_emit *m, const struct act_element *e)
{
    const struct act_expr *cost = e->cost ? e->cost : e->time;

    place(m, e->place);
    indent(m);
    fprintf(m->out, "ACT_EXECUTE(%d, /* %s */ %d, ", ++m->label, e->name, e->number);
    expression_or(m, cost, "0");
    fputs(", ", m->out);
    expression_or(m, e->memory, "0");
    fputs(", ", m->out);
    expression_or(m, e->peer, "0");
    fputs(", ", m->out);
    expression_or(m, e->bytes, "0");
    fputs(", ", m->out);
    expression_or(m, e->tag, "0");
    fputs(");\n", m->out);
}

static void emit_exchange(struct act_emit *m, const struct act_element *e)
{
    place(m, e->place);
    for (int i = 0; i < e->peer_count; i++) {
        indent(m);
        fprintf(m->out, "E->peers[%d] = ", i);
        act_emit_expression(m, e->peers[i]);
        fputs(";\n", m->out);
    }
    indent(m);
    fputs("E->cost_s = E->memory = 0, E->peer = 0, E->bytes = ", m->out);
    expression_or(m, e->bytes, "0");
    fputs(", E->tag = ", m->out);
    expression_or(m, e->tag, "0");
    fprintf(m->out, ", E->count = %d;\n", e->peer_count);
    line(m, "ACT_TELL(%d, ACT_ELEMENT, /* %s */ %d);", ++m->label, e->name, e->number);
}

static void emit_parallel(struct act_emit *m, const struct act_element *e)
{
    int body = ++m->label, behind = ++m->label;

    place(m, e->place);
    indent(m);
    fputs("E->threads = ", m->out);
    act_emit_expression(m, e->threads);
    fputs(", E->chunk = ", m->out);
    expression_or(m, e->chunk, "0");
    fputs(";\n", m->out);
    if (e->variable) {
        indent(m);
        fputs("E->last = ", m->out);
        act_emit_expression(m, e->last);
        fputs(", E->first = ", m->out);
        act_emit_expression(m, e->value);
        fprintf(m->out, ", E->turn_at = __builtin_offsetof(struct L%s, %s);\n", m->suffix,
                act_emit_variable(m, e->variable));
    }
    line(m, "E->has_turns = %d, E->count = 1, E->pcs[0] = %d;", e->variable != NULL,
         body);
    line(m, "ACT_TELL(%d, ACT_PARALLEL, /* %s */ %d);", behind, e->name, e->number);
    line(m, "if (0) {");
    m->indent++;
    line(m, "case %d:;", body);
    if (e->variable)
        m->turns[m->turn_count++] = e->variable;
    emit_elements(m, e->body);
    m->turn_count -= e->variable != NULL;
    line(m, "E->kind = ACT_END, E->element = %d;", e->number);
    line(m, "return 0;");
    m->indent--;
    line(m, "}");
}

static void emit_fork(struct act_emit *m, const struct act_element *e)
{
    int first = m->label + 1, count = 0, behind;

    for (const struct act_element *b = e->body; b; b = b->next)
        line(m, "E->pcs[%d] = %d;", count++, ++m->label);
    behind = ++m->label;
    place(m, e->place);
    line(m, "E->threads = E->count = %d, E->chunk = 0, E->has_turns = 0;", count);
    line(m, "ACT_TELL(%d, ACT_FORK, /* %s */ %d);", behind, e->name, e->number);
    line(m, "if (0) {");
    m->indent++;
    for (const struct act_element *b = e->body; b; b = b->next) {
        line(m, "case %d:;", first++);
        emit_elements(m, b->body);
        line(m, "E->kind = ACT_END, E->element = %d;", b->number);
        line(m, "return 0;");
    }
    m->indent--;
    line(m, "}");
}

/* Write the body of an activity inline, at its call. */
static void emit_activity(struct act_emit *m, const struct act_activity *a, int call)
{
    const struct act_activity *outer = m->activity;
    int turns = m->turn_count;

    m->activity = a;
    m->turn_count = 0;
    if (a->method)
        line(m, "ACT_TELL(%d, ACT_ENTER, %d);", ++m->label, call);
    line(m, "/* Begin of diagram %s */", a->name);
    for (const struct act_variable *v = a->locals; v; v = v->next) {
        place(m, v->place);
        assign(m, v, v->value);
    }
    emit_elements(m, a->body);
    line(m, "/* End of diagram %s */", a->name);
    if (a->method)
        line(m, "ACT_TELL(%d, ACT_LEAVE, %d);", ++m->label, call);
    m->activity = outer;
    m->turn_count = turns;
}

static void emit_element(struct act_emit *m, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_IF:
        emit_if(m, e);
        return;
    case ACT_LOOP:
        emit_loop(m, e);
        return;
    case ACT_WHILE:
        place(m, e->place);
        indent(m);
        fputs("while (", m->out);
        act_emit_expression(m, e->value);
        fputs(")\n", m->out);
        emit_block(m, e->body, 1);
        return;
    case ACT_SET:
        place(m, e->place);
        assign(m, e->variable, e->value);
        return;
    case ACT_CALL:
        emit_activity(m, e->activity, e->number);
        return;
    case ACT_CRITICAL:
        line(m, "ACT_TELL(%d, ACT_LOCK, /* %s */ %d);", ++m->label, e->name, e->number);
        emit_elements(m, e->body);
        line(m, "ACT_TELL(%d, ACT_UNLOCK, /* %s */ %d);", ++m->label, e->name, e->number);
        return;
    case ACT_FORK:
        emit_elements(m, e->code);
        emit_fork(m, e);
        return;
    default:
        break;
    }
    emit_elements(m, e->code); /* the element's do { } runs before the element */
    if (e->raw)
        emit_raw(m, e);
    if (e->kind == ACT_PARALLEL)
        emit_parallel(m, e);
    else if (e->kind == ACT_EXCHANGE)
        emit_exchange(m, e);
    else if (e->kind != ACT_DO)
        emit_execute(m, e);
}

static void emit_elements(struct act_emit *m, const struct act_element *e)
{
    for (; e && !m->failed; e = e->next) {
        m->failed = ++m->elements > ACT_EMIT_MOST;
        emit_element(m, e);
    }
}

/* --- Declarations. --- */

static void add_variable(struct act_emit *m, const struct act_variable *v)
{
    m->variables[v->slot] = v;
}

static void add_loops(struct act_emit *m, const struct act_element *e)
{
    for (; e; e = e->next) {
        if (e->kind != ACT_SET && e->variable)
            add_variable(m, e->variable);
        add_loops(m, e->body);
        add_loops(m, e->otherwise);
    }
}

static void emit_state(struct act_emit *m)
{
    for (const struct act_variable *v = m->model->globals; v; v = v->next)
        add_variable(m, v);
    for (const struct act_activity *a = m->model->activities; a; a = a->next) {
        for (const struct act_variable *v = a->locals; v; v = v->next)
            add_variable(m, v);
        add_loops(m, a->body);
    }
    fprintf(m->out,
            "/* A process: where it is, its variables. */\nstruct L%s {\n"
            "    struct act_state head;\n",
            m->suffix);
    for (int i = 0; i < m->model->slots; i++) {
        const struct act_variable *v = m->variables[i];

        if (!v)
            continue;
        fprintf(m->out, "    %s %s;\n", v->type == ACT_LONG ? "int64_t" : "double",
                act_emit_variable(m, v));
        if (v->is_turn)
            fprintf(m->out, "    int64_t last_%d;\n", v->slot);
    }
    fputs("};\n\n", m->out);
}

static void emit_tables(const struct act_emit *m)
{
    for (const struct act_table *t = m->model->tables; t; t = t->next) {
        fprintf(m->out, "ACT_TABLE %s %s[] = {",
                t->type == ACT_LONG ? "int64_t" : "double", act_emit_name(m, t->name));
        for (int64_t i = 0; i < t->count; i++)
            if (t->type == ACT_LONG)
                fprintf(m->out, "%s%s%" PRId64, i ? "," : "", i % 10 ? " " : "\n    ",
                        t->values[i].whole);
            else
                fprintf(m->out, "%s%s%.17g", i ? "," : "", i % 10 ? " " : "\n    ",
                        t->values[i].real);
        fputs("\n};\n", m->out);
    }
}

static void emit_functions(struct act_emit *m)
{
    if (m->model->functions)
        fputs("/* Cost functions. */\n", m->out);
    for (const struct act_function *f = m->model->functions; f; f = f->next) {
        place(m, f->place);
        fprintf(m->out, "ACT_FUNCTION %s %s(const struct L%s *L",
                f->body->type == ACT_LONG ? "int64_t" : "double",
                act_emit_name(m, f->name), m->suffix);
        for (const struct act_variable *v = f->parameters; v; v = v->next)
            fprintf(m->out, ", %s %s", v->type == ACT_LONG ? "int64_t" : "double",
                    act_emit_parameter(v->name));
        fputs(")\n{\n    (void)L;\n    return ", m->out);
        m->function = f;
        act_emit_expression(m, f->body);
        m->function = NULL;
        fputs(";\n}\n\n", m->out);
    }
}

static void emit_program(struct act_emit *m)
{
    fprintf(
        m->out,
        "/* The program: each process runs to its next event. */\n"
        "static int next%s(const struct act_program *program, struct act_state *state,\n"
        "                struct act_event *E, struct cca_error *err)\n{\n"
        "    struct L%s *L = (struct L%s *)(void *)state;\n\n"
        "    (void)err;\n    act_program = program;\n    act_rounds = 0;\n"
        "    switch (L->head.pc) {\n    case 0:;\n",
        m->suffix, m->suffix, m->suffix);
    m->indent = 1;
    for (const struct act_variable *v = m->model->globals; v; v = v->next) {
        place(m, v->place);
        assign(m, v, v->value);
    }
    emit_activity(m, m->model->main, -1);
    fprintf(m->out,
            "    }\n    E->kind = ACT_END;\n    E->element = -1;\n    return 0;\n}\n\n"
            "const struct act_object act_object%s = ACT_OBJECT(struct L%s, next%s);\n",
            m->suffix, m->suffix, m->suffix);
}

int act_emit(const struct act_model *model, const char *suffix, int lines, FILE *out,
             struct cca_error *err)
{
    struct act_emit m = {.model = model, .suffix = suffix, .lines = lines, .out = out};

    m.variables = calloc((size_t)model->slots + 1, sizeof *m.variables);
    if (!m.variables)
        return cca_no_memory(err);
    fprintf(out, "/* Model %s. */\n", model->name);
    emit_state(&m);
    emit_tables(&m);
    emit_functions(&m);
    emit_program(&m);
    free(m.variables);
    if (m.failed)
        return cca_error_set(err, -EINVAL,
                             "%s: found more than %d elements with those of called "
                             "activities, expected fewer to compile; --interpret runs it",
                             model->file, ACT_EMIT_MOST);
    return ferror(out)
               ? cca_error_set(err, -EIO, "C of %s: %s", model->file, strerror(EIO))
               : 0;
}
