/* SPDX-License-Identifier: BSD-3-Clause */
/* prophet.c: a model as C++ of Performance Prophet (Figures 4.2 and 5.4 of Pllana's
 * paper), by the algorithm of its Figure 3.3: select the performance modelling elements;
 * then write globals, cost functions, locals, declarations, flow. */
#include <stdlib.h>
#include <string.h>

#include "activity/walk/forms.h"

struct prophet {
    FILE *out;
    const struct act_model *model;
    int indent;
    const struct act_function **written; /* functions written so far */
    int written_count;
};

/* --- Names. --- */

/* The name of a cost function of type long, with a cast. Cost functions are doubles in
 * Pllana's figures; the cast makes the value a long again, so that it divides as in the
 * model. */
static const char *long_word(const struct act_expr *e)
{
    static char texts[8][300];
    static int at;

    at = (at + 1) % 8;
    snprintf(texts[at], sizeof texts[at], "(long)%.280s", e->function->name);
    return texts[at];
}

/* The name that Pllana's figures have for a builtin variable. `context` is the whole
 * expression. */
static const char *system_word(void *context, const struct act_expr *e)
{
    if (e->kind == ACT_CALL_FUNCTION && e != context &&
        e->function->body->type == ACT_LONG)
        return long_word(e);
    if (e->kind != ACT_BUILTIN)
        return NULL;
    switch (e->which) {
    case ACT_NPROC:
        return "NUM_PROCESSES";
    case ACT_NNODE:
        return "NUM_NODES";
    case ACT_NTHREAD:
        return "NUM_THREADS";
    default:
        return NULL;
    }
}

/* Message boxes, which are numbered by uid. */
static const char *box_word(void *context, const struct act_expr *e)
{
    return e->kind == ACT_BUILTIN && e->which == ACT_PID ? "uid"
                                                         : system_word(context, e);
}

static void expression_with(const struct prophet *p, const struct act_expr *e,
                            const char *(*word)(void *, const struct act_expr *))
{
    struct act_expr_words words = {.word = word};

    /* an expression is identified by its address */
    memcpy(&words.context, &e, sizeof e);
    act_expr_print_as(e, &words, p->out);
}

static void expression(const struct prophet *p, const struct act_expr *e)
{
    expression_with(p, e, system_word);
}

static void indent(const struct prophet *p)
{
    for (int i = 0; i < p->indent; i++)
        fputs("    ", p->out);
}

static const char *type_name(enum act_type type)
{
    return type == ACT_LONG ? "long" : "double";
}

static void title(const struct prophet *p, const char *text)
{
    fprintf(p->out, "// -----\n// %s\n// -----\n//\n", text);
}

/* --- Performance modelling elements. --- */

/* The C++ class of an element: its own stereotype, or the stereotype of its kind. */
static const char *class_of(const struct act_element *e)
{
    static const char *const names[ACT_KINDS] = {[ACT_ACTION] = "ActionPlus",
                                                 [ACT_SEND] = "Send",
                                                 [ACT_RECV] = "Receive",
                                                 [ACT_ISEND] = "ISend",
                                                 [ACT_IRECV] = "IReceive",
                                                 [ACT_WAIT] = "Wait",
                                                 [ACT_EXCHANGE] = "Exchange",
                                                 [ACT_BCAST] = "Broadcast",
                                                 [ACT_REDUCE] = "Reduce",
                                                 [ACT_ALLREDUCE] = "AllReduce",
                                                 [ACT_BARRIER] = "Barrier",
                                                 [ACT_ALLTOALL] = "AllToAll",
                                                 [ACT_PARALLEL] = "ParallelRegion",
                                                 [ACT_CRITICAL] = "Critical",
                                                 [ACT_FORK] = "Fork"};

    return names[e->kind] && e->applied ? e->applied->stereotype->name : names[e->kind];
}

/* Call a function for each element, in Main first, then in the other activities. */
static int each_element(const struct prophet *p,
                        int (*function)(struct prophet *p, const struct act_element *e))
{
    const struct act_model *m = p->model;
    int rc = 0;

    for (int main = 1; main >= 0; main--)
        for (const struct act_activity *a = m->activities; a && !rc; a = a->next) {
            const struct act_element *first = a->body;
            int end = m->element_count;

            if ((a == m->main) != main || !first)
                continue;
            for (const struct act_activity *b = m->activities; b; b = b->next)
                if (b->body && b->body->number > first->number && b->body->number < end)
                    end = b->body->number;
            for (int i = first->number; i < end && !rc; i++)
                if (class_of(m->elements[i]))
                    rc = function((struct prophet *)p, m->elements[i]);
        }
    return rc;
}

/* --- Cost functions. --- */

static void write_function(struct prophet *p, const struct act_function *f);

/* Write the cost functions that an expression calls; a function that they call is written
 * before them. */
static void write_called(struct prophet *p, const struct act_expr *e)
{
    if (!e)
        return;
    for (int i = 0; i < 3; i++)
        write_called(p, e->arguments[i]);
    if (e->kind != ACT_CALL_FUNCTION)
        return;
    for (int i = 0; i < e->function->parameter_count; i++)
        write_called(p, e->list[i]);
    write_function(p, e->function);
}

static void write_function(struct prophet *p, const struct act_function *f)
{
    const char *comma = "";

    for (int i = 0; i < p->written_count; i++)
        if (p->written[i] == f)
            return;
    p->written[p->written_count++] = f;
    write_called(p, f->body);
    fprintf(p->out, "double %s(", f->name);
    for (const struct act_variable *v = f->parameters; v; v = v->next) {
        fprintf(p->out, "%s%s %s", comma, type_name(v->type), v->name);
        comma = ", ";
    }
    fputs(")\n{\n    return ", p->out);
    expression(p, f->body);
    fputs(";\n};\n//\n", p->out);
}

static const struct act_expr *cost_of(const struct act_element *e)
{
    return e->cost ? e->cost : e->time;
}

/* Whether a cost needs a function of its own, named F and the element's name, because it
 * is not just a call of one function. */
static int has_own_function(const struct act_element *e)
{
    return cost_of(e) && cost_of(e)->kind != ACT_CALL_FUNCTION;
}

/* Write the own function's name; one _ is added for each earlier element of the same
 * name. */
static void write_own_name(const struct prophet *p, const struct act_element *e)
{
    const struct act_function *f = p->model->functions;
    int dashes = 0;

    fprintf(p->out, "F%s", e->name);
    while (f) {
        size_t length = strlen(e->name);

        if (f->name[0] == 'F' && strncmp(f->name + 1, e->name, length) == 0 &&
            strspn(f->name + 1 + length, "_") == (size_t)dashes &&
            f->name[1 + length + (size_t)dashes] == '\0') {
            fputc('_', p->out);
            dashes++;
            f = p->model->functions;
        } else {
            f = f->next;
        }
    }
}

enum { MOST_PASSED = 32 };

/* Parameters of an own function: locals, loop variables, the process. */
struct passed {
    const struct act_expr *all[MOST_PASSED];
    int count;
    const struct act_model *model;
};

static int is_global(const struct act_model *m, const struct act_variable *variable)
{
    for (const struct act_variable *v = m->globals; v; v = v->next)
        if (v == variable)
            return 1;
    return 0;
}

static void find_passed(struct passed *p, const struct act_expr *e)
{
    int own =
        e && (e->kind == ACT_VARIABLE ? !is_global(p->model, e->variable)
                                      : e->kind == ACT_BUILTIN && !system_word(NULL, e));

    if (!e)
        return;
    for (int i = 0; i < p->count && own; i++)
        own = p->all[i]->kind != e->kind || p->all[i]->variable != e->variable ||
              p->all[i]->which != e->which;
    if (own && p->count < MOST_PASSED)
        p->all[p->count++] = e;
    for (int i = 0; i < 3; i++)
        find_passed(p, e->arguments[i]);
    for (int i = 0; e->kind == ACT_CALL_FUNCTION && i < e->function->parameter_count; i++)
        find_passed(p, e->list[i]);
}

static void write_passed(const struct prophet *p, const struct act_element *e,
                         int with_types)
{
    struct passed passed = {.model = p->model};

    find_passed(&passed, cost_of(e));
    for (int i = 0; i < passed.count; i++) {
        const struct act_expr *one = passed.all[i];

        fputs(i ? ", " : "", p->out);
        if (with_types)
            fprintf(p->out, "%s ", type_name(one->type));
        expression(p, one);
    }
}

static int write_cost(struct prophet *p, const struct act_element *e)
{
    write_called(p, cost_of(e));
    if (!has_own_function(e))
        return 0;
    fputs("double ", p->out);
    write_own_name(p, e);
    fputc('(', p->out);
    write_passed(p, e, 1);
    fputs(")\n{\n    return ", p->out);
    expression(p, cost_of(e));
    fputs(";\n};\n//\n", p->out);
    return 0;
}

/* --- Declarations. --- */

static void write_variable(const struct prophet *p, const struct act_variable *v)
{
    int zero = !v->value || (v->value->kind == ACT_NUMBER &&
                             (v->type == ACT_LONG ? v->value->number.whole == 0
                                                  : strtod(v->value->text, NULL) == 0));

    indent(p);
    fprintf(p->out, "%s %s", type_name(v->type), v->name);
    if (!zero) {
        fputs(" = ", p->out);
        expression(p, v->value);
    }
    fputs(";\n", p->out);
}

static int declare(struct prophet *p, const struct act_element *e)
{
    fprintf(p->out, "    %s %s(\"%s\", %lld, tfName);\n", class_of(e), e->name, e->name,
            (long long)(e->id >= 0 ? e->id : e->number + 1));
    return 0;
}

static void write_tables(const struct prophet *p)
{
    for (const struct act_table *t = p->model->tables; t; t = t->next) {
        fprintf(p->out, "%s %s[] = {", type_name(t->type), t->name);
        for (int64_t i = 0; i < t->count; i++)
            fprintf(p->out, "%s%s", i ? ", " : "", t->texts[i]);
        fputs("};\n", p->out);
    }
}

static void write_head(struct prophet *p)
{
    title(p, "Globals");
    for (const struct act_variable *v = p->model->globals; v; v = v->next)
        write_variable(p, v);
    write_tables(p);
    fputs("//\n", p->out);
    title(p, "Cost functions");
    each_element(p, write_cost);
    for (const struct act_function *f = p->model->functions; f; f = f->next)
        if (f->used)
            write_function(p, f);
    title(p, "Program");
    fputs("void Process::program(void)\n{\n", p->out);
    p->indent = 1;
    for (const struct act_activity *a = p->model->activities; a; a = a->next)
        for (const struct act_variable *v = a->locals; v; v = v->next)
            if (a == p->model->main)
                write_variable(p, v);
            else
                fprintf(p->out, "    %s %s;\n", type_name(v->type), v->name);
    fputs("    // Declare performance modeling elements\n    //\n", p->out);
    each_element(p, declare);
    fputs("    // Define modeling elements and their control flow\n    //\n", p->out);
}

/* --- Flow. --- */

static void write_box(const struct prophet *p, const struct act_expr *e)
{
    fputs(", p[", p->out);
    expression_with(p, e, box_word);
    fputs("]", p->out);
}

/* Write the time of a message as a call of the network's time function. */
static void write_time(const struct prophet *p, const char *function,
                       const struct act_expr *bytes)
{
    fprintf(p->out, ", %s(", function);
    if (bytes)
        expression(p, bytes);
    fputs(bytes ? ")" : "0)", p->out);
}

static void write_execute(const struct prophet *p, const struct act_element *e)
{
    indent(p);
    fprintf(p->out, "%s.execute(uid, pid, tid", e->name);
    switch (e->kind) {
    case ACT_SEND:
    case ACT_ISEND:
        write_box(p, e->peer);
        fputs(", bufferComm", p->out);
        write_time(p, "TimeBSend", e->bytes);
        break;
    case ACT_RECV:
    case ACT_IRECV:
        fputs(", p[uid], bufferComm", p->out); /* the process's own box */
        break;
    case ACT_EXCHANGE:
        for (int i = 0; i < e->peer_count; i++)
            write_box(p, e->peers[i]);
        fputs(", bufferComm", p->out);
        write_time(p, "TimeBSend", e->bytes);
        break;
    case ACT_WAIT:
        for (int i = 0; i < e->peer_count; i++)
            fprintf(p->out, ", %s", e->waited_names[i]);
        break;
    default:
        if (!cost_of(e)) {
            fputs(", 0", p->out);
        } else if (has_own_function(e)) {
            fputs(", ", p->out);
            write_own_name(p, e);
            fputc('(', p->out);
            write_passed(p, e, 0);
            fputc(')', p->out);
        } else {
            fputs(", ", p->out);
            expression(p, cost_of(e));
        }
    }
    fputs(");\n", p->out);
}

static void begin_block(struct prophet *p)
{
    indent(p);
    fputs("{\n", p->out);
    p->indent++;
}

static void end_block(struct prophet *p)
{
    p->indent--;
    indent(p);
    fputs("}\n", p->out);
}

static void enter_loop(struct prophet *p, const struct act_element *e)
{
    const char *name = e->variable->name;

    indent(p);
    fprintf(p->out, "for (long %s = ", name);
    expression(p, e->value);
    fprintf(p->out, "; %s <= ", name);
    expression(p, e->last);
    fprintf(p->out, "; %s++)\n", name);
}

static void enter_element(struct prophet *p, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_LOOP:
        enter_loop(p, e);
        begin_block(p);
        break;
    case ACT_WHILE:
        indent(p);
        fputs("while (", p->out);
        expression(p, e->value);
        fputs(")\n", p->out);
        begin_block(p);
        break;
    case ACT_PARALLEL:
        indent(p);
        fprintf(p->out, "%s.begin(uid, pid, ", e->name);
        expression(p, e->threads);
        fputs(");\n", p->out);
        if (e->variable)
            enter_loop(p, e);
        begin_block(p);
        break;
    case ACT_CRITICAL:
    case ACT_FORK:
        indent(p);
        fprintf(p->out, "%s.begin(uid, pid, tid);\n", e->name);
        begin_block(p);
        break;
    case ACT_BRANCH:
        begin_block(p);
        break;
    default:
        break;
    }
}

static void leave_element(struct prophet *p, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_LOOP:
    case ACT_WHILE:
    case ACT_BRANCH:
        end_block(p);
        break;
    case ACT_PARALLEL:
    case ACT_CRITICAL:
    case ACT_FORK:
        end_block(p);
        indent(p);
        fprintf(p->out, "%s.end(uid, pid, tid);\n", e->name);
        break;
    default:
        if (class_of(e))
            write_execute(p, e);
    }
}

static void assign(const struct prophet *p, const struct act_variable *v,
                   const struct act_expr *value)
{
    indent(p);
    fprintf(p->out, "%s = ", v->name);
    if (value)
        expression(p, value);
    else
        fputc('0', p->out);
    fputs(";\n", p->out);
}

static void comment(const struct prophet *p, const char *words, const char *name)
{
    if (!name)
        return;
    indent(p);
    fprintf(p->out, "// %s %s\n", words, name);
}

static int enter(void *context, const struct act_node *n, struct cca_error *err)
{
    struct prophet *p = context;

    (void)err;
    switch (n->kind) {
    case ACT_NODE_ACTIVITY:
        comment(p, "Begin of diagram", n->activity->name);
        break;
    case ACT_NODE_LOCAL:
        if (n->activity != p->model->main)
            assign(p, n->variable, n->variable->value);
        break;
    case ACT_NODE_CODE:
        comment(p, "Begin of the associated code for", n->element->name);
        break;
    case ACT_NODE_STATEMENT:
        assign(p, n->element->variable, n->element->value);
        break;
    case ACT_NODE_BRANCH:
        indent(p);
        fputs(n->guard ? n->index ? "else if (" : "if (" : "else", p->out);
        if (n->guard)
            expression(p, n->guard);
        fputs(n->guard ? ")\n" : "\n", p->out);
        begin_block(p);
        break;
    case ACT_NODE_ELEMENT:
        enter_element(p, n->element);
        break;
    default:
        break;
    }
    return 0;
}

static int leave(void *context, const struct act_node *n, struct cca_error *err)
{
    struct prophet *p = context;

    (void)err;
    switch (n->kind) {
    case ACT_NODE_MODEL:
        fputs("    //\n};\n", p->out);
        break;
    case ACT_NODE_ACTIVITY:
        comment(p, "End of diagram", n->activity->name);
        break;
    case ACT_NODE_CODE:
        comment(p, "End of the associated code for", n->element->name);
        break;
    case ACT_NODE_BRANCH:
        end_block(p);
        break;
    case ACT_NODE_ELEMENT:
        if (n->element->raw)
            fprintf(p->out, "    { %s }\n", n->element->raw);
        leave_element(p, n->element);
        break;
    default:
        break;
    }
    return 0;
}

int act_form_prophet(const struct act_model *model,
                     const struct act_form_options *options, FILE *out,
                     struct cca_error *err)
{
    struct prophet p = {.out = out, .model = model};
    const struct act_content_handler handler = {&p, enter, leave};
    int functions = 1, rc;

    (void)options;
    if (model->models)
        return cca_error_set(err, -ENOTSUP,
                             "%s:%d:%d: found model(\"%.60s\"), expected costs that C++ "
                             "can have",
                             model->file, model->models->place.line,
                             model->models->place.column, model->models->method);
    for (const struct act_function *f = model->functions; f; f = f->next)
        functions++;
    p.written = calloc((size_t)functions, sizeof *p.written);
    if (!p.written)
        return cca_no_memory(err);
    write_head(&p);
    rc = act_form_walk(model, 1, &handler, err);
    free(p.written);
    return rc;
}
