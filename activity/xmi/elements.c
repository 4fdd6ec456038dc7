/* SPDX-License-Identifier: BSD-3-Clause */
/* elements.c: Graph nodes are written as elements of the activity language. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "activity/xmi/parts.h"
#include "activity/xmi/text_core.h"

/* The tag's value if the tag is there and not empty, else NULL. */
const char *xmi_given(const struct xmi_node *n, const char *name)
{
    const char *value = xmi_tag(n->tags, name);

    return value && *value ? value : NULL;
}

/* Line of the tag in the UML file; the tag's stereotype may be far from its element. */
static int line_of(const struct xmi_node *n, const char *name)
{
    const struct xmi_tag *tag = n->tags;

    while (tag && strcasecmp(tag->name, name) != 0)
        tag = tag->next;
    return tag && tag->line ? tag->line : n->line;
}

/* A hash of an element's id in the UML file: each import of the file gives the same
 * number. */
static int64_t number_of(const char *id)
{
    uint32_t h = 2166136261u;

    for (; *id; id++)
        h = (h ^ (unsigned char)*id) * 16777619u;
    return (int64_t)(h >> 1);
}

static int is_whole(const char *text)
{
    size_t length = strspn(text, "0123456789");

    return length > 0 && length <= 18 && !text[length];
}

/* Write the element's id: the tag `id`; else its id in the UML file if that is a number;
 * else, for a node that has a place in a diagram, a hash of its id in the file. */
void xmi_write_id(struct xmi_writing *w, const struct xmi_node *n)
{
    const char *id = xmi_given(n, "id");
    int64_t number;

    if (id && !is_whole(id))
        xmi_fail(w, line_of(n, "id"), "found the id '%.60s', expected a whole number",
                 id);
    if (!id && is_whole(n->id))
        id = n->id;
    number = id ? strtoll(id, NULL, 10) : number_of(n->id);
    if (id || n->has_place)
        fprintf(w->out, " id %" PRId64, number);
    if (!n->has_place)
        return;
    w->has_layout = 1;
    fprintf(w->layout, "%" PRId64 " %g %g %g %g\n", number, n->x, n->y, n->width,
            n->height);
}

/* Whether `value` can follow the keyword `word`: names after "for", "as" and "schedule",
 * else one expression or several with commas. */
static int is_clause(const char *word, const char *value)
{
    if (strcmp(word, "for") == 0 || strcmp(word, "as") == 0 ||
        strcmp(word, "schedule") == 0)
        return value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_, ")] == '\0';
    return xmi_is_one_clause(value);
}

static void write_clause(struct xmi_writing *w, const struct xmi_node *n, const char *tag,
                         const char *word)
{
    const char *value = xmi_given(n, tag);

    int line = value ? line_of(n, tag) : 0;

    if (!value)
        return;
    /* begin a new line, so that an error message of the language reader names the tag's
     * line in the file */
    if (line != n->line) {
        fputc('\n', w->out);
        xmi_begin_line(w, line);
    }
    if (!is_clause(word, value))
        xmi_fail(w, line, "found %s '%.60s', expected an expression", word, value);
    fprintf(w->out, " %s ", word);
    for (; *value; value++)
        fputc((unsigned char)*value < ' ' ? ' ' : *value, w->out);
}

void xmi_write_quoted(struct xmi_writing *w, const struct xmi_node *n, const char *tag)
{
    const char *value = xmi_given(n, tag);

    if (value && !strchr(value, '"') && !strchr(value, '\n'))
        fprintf(w->out, " %s \"%s\"", tag, value);
}

void xmi_write_name(struct xmi_writing *w, const struct xmi_node *n)
{
    char fallback[40], *name;

    snprintf(fallback, sizeof fallback, "A%d", ++w->unnamed);
    name = xmi_name(n->name, fallback);
    if (!name)
        w->failed = -ENOMEM;
    else
        fprintf(w->out, " %s", name);
    free(name);
}

/* End the line; a name that had to be changed is kept in a comment. */
static void write_tail(struct xmi_writing *w, const struct xmi_node *n)
{
    const char *tail = xmi_given(n, "tail");
    char *name = xmi_name(n->name, "");

    if (tail)
        fprintf(w->out, "  // %.*s", (int)strcspn(tail, "\n"), tail);
    else if (name && n->name && strcmp(name, n->name) != 0 && strlen(n->name) < 200)
        fprintf(w->out, "  // %.*s", (int)strcspn(n->name, "\r\n"), n->name);
    free(name);
    fputc('\n', w->out);
}

/* Write the code of an action: `do { }`, and `{{ C }}`, which is copied unchanged. */
static void write_code(struct xmi_writing *w, const struct xmi_node *n)
{
    const char *code = xmi_given(n, "code"), *raw = xmi_given(n, "raw");
    int indent = w->indent;

    if (code) {
        fputs(" do {\n", w->out);
        w->indent++;
        xmi_write_lines(w, n->line, code);
        w->indent--;
        xmi_begin_line(w, n->line);
        fputc('}', w->out);
    }
    if (!raw)
        return;
    if (strstr(raw, "}}"))
        xmi_fail(w, n->line, "found '%.60s', expected C without }}", raw);
    fputs(" {{", w->out);
    w->indent = 0;
    for (; *raw; raw++) {
        fputc(*raw, w->out);
        if (*raw == '\n')
            xmi_begin_line(w, n->line);
    }
    w->indent = indent;
    fputs("}}", w->out);
}

static void write_action(struct xmi_writing *w, const struct xmi_node *n,
                         enum act_kind kind)
{
    static const char *const clauses[] = {"time", "cost", "memory", "bytes", "tag", "as"};
    int sends = kind == ACT_SEND || kind == ACT_ISEND;
    int receives = kind == ACT_RECV || kind == ACT_IRECV;

    xmi_write_comment(w, n->line, xmi_given(n, "comment"));
    xmi_begin_line(w, n->line);
    fputs(act_kind_name(kind), w->out);
    xmi_write_name(w, n);
    xmi_write_id(w, n);
    xmi_write_quoted(w, n, "type");
    xmi_write_quoted(w, n, "method");
    if (xmi_given(n, "applied"))
        fprintf(w->out, " %s", xmi_given(n, "applied"));
    write_clause(w, n, "peer", sends ? "to" : receives ? "from" : "root");
    write_clause(w, n, "peers", kind == ACT_EXCHANGE ? "with" : "for");
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        write_clause(w, n, clauses[i], clauses[i]);
    write_code(w, n);
    write_tail(w, n);
}

static void write_call(struct xmi_writing *w, const struct xmi_node *n)
{
    const struct xmi_graph *called = xmi_called(w->document, n->behavior);

    if (!called) {
        write_action(w, n, ACT_ACTION);
        return;
    }
    xmi_write_comment(w, n->line, xmi_given(n, "comment"));
    xmi_begin_line(w, n->line);
    fprintf(w->out, "call %s", w->names[xmi_part_of(w, called)]);
    xmi_write_id(w, n);
    xmi_write_quoted(w, n, "type");
    if (xmi_given(n, "applied"))
        fprintf(w->out, " %s", xmi_given(n, "applied"));
    if (xmi_given(n, "tail"))
        fprintf(w->out, "  // %s", xmi_given(n, "tail"));
    fputc('\n', w->out);
}

static void write_code_element(struct xmi_writing *w, const struct xmi_node *n)
{
    xmi_write_comment(w, n->line, xmi_given(n, "comment"));
    xmi_write_line(w, n->line, "code {");
    w->indent++;
    xmi_write_lines(w, n->line, xmi_given(n, "code"));
    w->indent--;
    xmi_begin_line(w, n->line);
    fputc('}', w->out);
    if (xmi_given(n, "tail"))
        fprintf(w->out, "  // %s", xmi_given(n, "tail"));
    fputc('\n', w->out);
}

char *xmi_guard_text(struct xmi_writing *w, const char *guard, int line)
{
    char *text = xmi_condition(&w->guards, guard, line);

    if (!text)
        w->failed = -ENOMEM;
    if (w->guards.refused)
        xmi_fail(w, line, "found the guard '%.80s', expected a condition",
                 w->guards.refused);
    return text;
}

/* --- Regions. --- */

/* Write the elements of a structured node in the order of its edges; without edges, in
 * the order of the file. */
static void write_contents(struct xmi_writing *w, const struct xmi_graph *g)
{
    if (g->edges) {
        xmi_write_graph(w, g);
        return;
    }
    for (struct xmi_node *n = g->nodes; n; n = n->next)
        if (n->kind <= XMI_LOOP) {
            struct xmi_item item = {.kind = XMI_DO, .node = n, .line = n->line};

            xmi_write_items(w, &item);
        }
}

static const struct xmi_node *find_node(const struct xmi_graph *g, const char *id)
{
    const struct xmi_node *n = g->nodes;

    while (n && id && strcmp(n->id, id) != 0)
        n = n->next;
    return id ? n : NULL;
}

/* Write the nodes of the body of a clause (XMI) one after the other. */
static void write_body(struct xmi_writing *w, const struct xmi_node *n, const char *ids)
{
    for (ids = ids ? ids : ""; *ids; ids += strspn(ids, " ")) {
        size_t length = strcspn(ids, " ");
        char *id = strndup(ids, length);
        struct xmi_node *node = (struct xmi_node *)find_node(n->inner, id);
        struct xmi_item item = {.kind = XMI_DO, .node = node};

        if (!id)
            w->failed = -ENOMEM;
        else if (!node)
            xmi_fail(w, n->line, "found body '%.60s' of a clause, expected a node in it",
                     id);
        else
            xmi_write_items(w, &item);
        free(id);
        ids += length;
    }
}

/* Write a ConditionalNode as if / elif / else: tests in the order of its clauses. */
static void write_clauses(struct xmi_writing *w, const struct xmi_node *n)
{
    int index = 0;

    xmi_write_comment(w, n->line, xmi_given(n, "comment"));
    for (const struct xmi_clause *c = n->clauses; c && !w->failed; c = c->next) {
        const struct xmi_node *test = find_node(n->inner, c->test);
        const char *asked = test && test->body ? test->body : test ? test->name : NULL;
        int is_else =
            index && !c->next &&
            (!asked || strcmp(asked, "else") == 0 || strcmp(asked, "true") == 0);
        char *text =
            is_else ? NULL : xmi_guard_text(w, asked && *asked ? asked : "test", n->line);

        xmi_begin_line(w, n->line);
        if (is_else)
            fputs("} else {\n", w->out);
        else
            fprintf(w->out, "%s %s {\n", index ? "} elif" : "if", text ? text : "");
        free(text);
        w->indent++;
        write_body(w, n, c->body);
        w->indent--;
        index++;
    }
    if (index)
        xmi_write_line(w, n->line, "}");
}

/* A bound of a loop's range; "1" where the file has none. */
static const char *bound(struct xmi_writing *w, const struct xmi_node *n, const char *tag)
{
    const char *value = xmi_given(n, tag), *variable = xmi_given(n, "variable");

    if (value && !xmi_is_one_clause(value))
        xmi_fail(w, n->line, "found %s '%.60s', expected an expression", tag, value);
    if (variable[strspn(variable, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_")])
        xmi_fail(w, n->line, "found variable '%.60s', expected a name", variable);
    return value ? value : "1";
}

static void push_turn(struct xmi_writing *w, const char *variable)
{
    if (w->guards.turn_count < XMI_TURNS)
        w->guards.turns[w->guards.turn_count++] = variable;
}

/* Write a do-while loop: a global variable decides whether another iteration follows. */
static void write_tested_last(struct xmi_writing *w, const struct xmi_node *n,
                              const char *guard)
{
    char *text = xmi_guard_text(w, guard, n->line), name[80];

    xmi_begin_again(w, n->line, name);
    write_contents(w, n->inner);
    xmi_write_line(w, n->line, "code {");
    xmi_write_line(w, n->line, "  %s = %s ? 1 : 0;", name, text ? text : "");
    xmi_write_line(w, n->line, "}");
    free(text);
    xmi_end_block(w, n->line, xmi_given(n, "inside"), xmi_given(n, "tail"));
}

/* Write "loop i = 1..n {" or "while g {". If the file gives neither range nor guard, a
 * global variable holds the number of iterations. */
static void write_loop(struct xmi_writing *w, const struct xmi_node *n)
{
    const char *variable = xmi_given(n, "variable"), *guard = xmi_given(n, "guard");
    int turns = w->guards.turn_count;

    guard = guard ? guard : n->guard;
    xmi_write_comment(w, n->line, xmi_given(n, "comment"));
    if (n->setup)
        write_contents(w, n->setup);
    if (!variable && guard && n->is_tested_last) {
        write_tested_last(w, n, guard);
        return;
    }
    if (variable) {
        xmi_write_line(w, n->line, "loop %s = %s..%s {", variable, bound(w, n, "first"),
                       bound(w, n, "last"));
        push_turn(w, variable);
    } else if (guard) {
        char *text = xmi_guard_text(w, guard, n->line);

        xmi_write_line(w, n->line, "while %s {", text ? text : "");
        free(text);
    } else {
        char *name = xmi_name(n->name, "loop"), global[200];

        snprintf(global, sizeof global, "%.120s_turns", name ? name : "loop");
        free(name);
        if (!xmi_new_global(&w->guards, global, n->line))
            w->failed = -ENOMEM;
        xmi_write_line(w, n->line, "loop turn_%d = 1..%s {", XMI_LINE(n->line), global);
    }
    w->indent++;
    write_contents(w, n->inner);
    xmi_end_block(w, n->line, xmi_given(n, "inside"), xmi_given(n, "tail"));
    w->guards.turn_count = turns;
}

/* Write parallel, critical, fork and branch regions. */
static void write_threads(struct xmi_writing *w, const struct xmi_node *n,
                          enum act_kind kind)
{
    const char *variable = xmi_given(n, "variable");
    int turns = w->guards.turn_count;

    xmi_write_comment(w, n->line, xmi_given(n, "comment"));
    xmi_begin_line(w, n->line);
    fputs(act_kind_name(kind), w->out);
    if (kind != ACT_BRANCH) {
        xmi_write_name(w, n);
        xmi_write_id(w, n);
        xmi_write_quoted(w, n, "type");
        xmi_write_quoted(w, n, "method");
        if (xmi_given(n, "applied"))
            fprintf(w->out, " %s", xmi_given(n, "applied"));
    }
    if (kind == ACT_PARALLEL) {
        write_clause(w, n, "threads", "threads");
        if (!xmi_given(n, "threads"))
            fputs(" threads nthread", w->out);
        if (variable) {
            fprintf(w->out, " loop %s = %s..%s", variable, bound(w, n, "first"),
                    bound(w, n, "last"));
            push_turn(w, variable);
        }
        write_clause(w, n, "schedule", "schedule");
        write_clause(w, n, "chunk", "chunk");
    }
    fputs(" {\n", w->out);
    w->indent++;
    write_contents(w, n->inner);
    xmi_end_block(w, n->line, xmi_given(n, "inside"), xmi_given(n, "tail"));
    w->guards.turn_count = turns;
}

void xmi_write_node(struct xmi_writing *w, const struct xmi_node *n)
{
    enum act_kind kind = xmi_kind_of(n->stereotype);

    if (n->inner) {
        if (kind >= ACT_PARALLEL && kind <= ACT_BRANCH)
            write_threads(w, n, kind);
        else if (n->kind == XMI_LOOP)
            write_loop(w, n);
        else if (n->clauses)
            write_clauses(w, n);
        else
            write_contents(w, n->inner);
        return;
    }
    if (n->kind == XMI_CALL)
        write_call(w, n);
    else if (kind == ACT_DO)
        write_code_element(w, n);
    else
        write_action(w, n,
                     kind < ACT_PARALLEL && xmi_stereotype(kind) ? kind : ACT_ACTION);
}
