/* SPDX-License-Identifier: BSD-3-Clause */
/* items.c: Branches, loops and forks of reduced graphs are written in the language. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/xmi/text_core.h"

static int is_else(const struct xmi_branch *b)
{
    return !b->guard || strcmp(b->guard, "else") == 0 || strcmp(b->guard, "ELSE") == 0 ||
           strcmp(b->guard, "Else") == 0 || strcmp(b->guard, "otherwise") == 0;
}

/* The guard of branch `index`. Where several branches have no guard, a new global selects
 * the branch. */
static char *guard_of(struct xmi_writing *w, const struct xmi_item *item,
                      const struct xmi_branch *b, int index, int open)
{
    char name[80], *text = NULL;

    if (!is_else(b) || (b->guard && open < 2))
        return b->guard ? xmi_guard_text(w, b->guard, b->line) : NULL;
    snprintf(name, sizeof name, "choice_%d", XMI_LINE(item->line));
    if (!xmi_new_global(&w->guards, name, item->line) ||
        asprintf(&text, "%s == %d", name, index) < 0)
        w->failed = -ENOMEM;
    return text;
}

static const char *inside(const struct xmi_item *item, int index)
{
    char name[40];

    snprintf(name, sizeof name, "inside_%d", index);
    return item->node ? xmi_given(item->node, name) : NULL;
}

static void write_branch(struct xmi_writing *w, const struct xmi_item *item,
                         const struct xmi_branch *b, const char *guard, int index,
                         int number)
{
    if (number)
        w->indent--;
    xmi_begin_line(w, b->line);
    fputs(number ? "} " : "", w->out);
    if (guard)
        fprintf(w->out, "%s %s {\n", number ? "elif" : "if", guard);
    else
        fputs(number ? "else {\n" : "if 1 == 1 {\n", w->out);
    w->indent++;
    xmi_write_items(w, b->items);
    xmi_write_comment(w, b->line, inside(item, index));
}

/* Write an if; its else comes last. An empty else is written, too, unless the tag "open"
 * says that the model had none. */
static void write_if(struct xmi_writing *w, const struct xmi_item *item)
{
    const struct xmi_branch *last = NULL;
    int open = 0, index = 0, number = 0, last_index = 0;
    int had_none = item->node && xmi_given(item->node, "open") != NULL;
    const char *tail = item->node ? xmi_given(item->node, "tail") : NULL;

    for (const struct xmi_branch *b = item->branches; b; b = b->next)
        open += is_else(b);
    if (item->node)
        xmi_write_comment(w, item->line, xmi_given(item->node, "comment"));
    for (const struct xmi_branch *b = item->branches; b && !w->failed;
         b = b->next, index++) {
        char *guard;

        if (open == 1 && is_else(b)) {
            last = b;
            last_index = index;
            continue;
        }
        guard = guard_of(w, item, b, index, open);
        write_branch(w, item, b, guard, index, number++);
        free(guard);
    }
    if (last && (last->items || !had_none))
        write_branch(w, item, last, NULL, last_index, number++);
    if (number)
        xmi_end_block(w, item->line, NULL, tail);
}

/* The condition under which a loop runs another iteration, as text. */
static char *turn_guard(struct xmi_writing *w, const struct xmi_item *item)
{
    char *own = xmi_guard_text(w, item->guard ? item->guard : "again", item->line);
    char *text = NULL;

    if (!own || !item->is_negated)
        return own;
    if (asprintf(&text, "!(%s)", own) < 0)
        text = NULL;
    free(own);
    return text;
}

static void write_while(struct xmi_writing *w, const struct xmi_item *item)
{
    char *guard = turn_guard(w, item);

    xmi_write_line(w, item->line, "while %s {", guard ? guard : "");
    free(guard);
    w->indent++;
    xmi_write_items(w, item->body);
    xmi_end_block(w, item->line, NULL, NULL);
}

/* Write a loop whose test is in the middle. Each iteration begins with the nodes before
 * the decision; a global keeps the decision's outcome, so that no node is written
 * twice. */
static void write_again(struct xmi_writing *w, const struct xmi_item *item)
{
    char *guard = turn_guard(w, item), name[80];

    xmi_begin_again(w, item->line, name);
    xmi_write_items(w, item->body);
    xmi_write_line(w, item->line, "if %s {", guard ? guard : "");
    w->indent++;
    xmi_write_items(w, item->rest);
    w->indent--;
    xmi_write_line(w, item->line, "} else {");
    xmi_write_line(w, item->line, "  code {");
    xmi_write_line(w, item->line, "    %s = 0;", name);
    xmi_write_line(w, item->line, "  }");
    xmi_write_line(w, item->line, "}");
    free(guard);
    xmi_end_block(w, item->line, NULL, NULL);
}

static void write_both(struct xmi_writing *w, const struct xmi_item *item)
{
    const struct xmi_node *n = item->node;
    int index = 0;

    if (n)
        xmi_write_comment(w, item->line, xmi_given(n, "comment"));
    xmi_begin_line(w, item->line);
    fputs("fork", w->out);
    if (n && n->name && *n->name)
        xmi_write_name(w, n);
    else
        fprintf(w->out, " Fork%d", ++w->unnamed);
    if (n) {
        xmi_write_id(w, n);
        xmi_write_quoted(w, n, "type");
        xmi_write_quoted(w, n, "method");
        if (xmi_given(n, "applied"))
            fprintf(w->out, " %s", xmi_given(n, "applied"));
    }
    fputs(" {\n", w->out);
    w->indent++;
    for (const struct xmi_branch *b = item->branches; b; b = b->next) {
        xmi_write_line(w, b->line, "branch {");
        w->indent++;
        xmi_write_items(w, b->items);
        xmi_end_block(w, b->line, inside(item, index++), NULL);
    }
    xmi_end_block(w, item->line, n ? xmi_given(n, "inside") : NULL,
                  n ? xmi_given(n, "tail") : NULL);
}

void xmi_write_items(struct xmi_writing *w, const struct xmi_item *items)
{
    if (++w->depth > XMI_DEEPEST) {
        xmi_fail(w, items ? items->line : 1, "found more than %d levels, expected fewer",
                 XMI_DEEPEST);
        return;
    }
    for (; items && !w->failed; items = items->next) {
        switch (items->kind) {
        case XMI_DO:
            xmi_write_node(w, items->node);
            break;
        case XMI_IF:
            write_if(w, items);
            break;
        case XMI_WHILE:
            write_while(w, items);
            break;
        case XMI_SET:
            if (!xmi_new_global(&w->guards, items->guard, items->line))
                w->failed = -ENOMEM;
            xmi_write_line(w, items->line, "code {");
            xmi_write_line(w, items->line, "  %s = %d;", items->guard, items->value);
            xmi_write_line(w, items->line, "}");
            break;
        case XMI_AGAIN:
            write_again(w, items);
            break;
        default:
            write_both(w, items);
        }
    }
    w->depth--;
}

void xmi_write_graph(struct xmi_writing *w, const struct xmi_graph *g)
{
    struct xmi_item *items;
    int rc = xmi_reduce(w->document, g, &items, w->err);

    /* the fork node is the first node of the branch, by which the branch's item is
     * found */
    if (rc)
        w->failed = rc;
    else
        xmi_write_items(w, items);
}
