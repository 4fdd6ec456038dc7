/* SPDX-License-Identifier: BSD-3-Clause */
/* navigator.c: a position in a model: a stack of nodes from the root. */
#include <stdlib.h>

#include "activity/walk/walk.h"
#include "common/array.h"

struct place {
    struct act_node *stack;
    size_t depth; /* number of nodes in the stack, at least 1 */
    int along_flow;
};

static struct act_node *top(struct place *p)
{
    return &p->stack[p->depth - 1];
}

/* --- Children and siblings. --- */

/* The node of an element, or of an assignment in code. */
static struct act_node element_node(const struct act_node *parent,
                                    const struct act_element *e)
{
    struct act_node node = {.kind = e->kind == ACT_SET ? ACT_NODE_STATEMENT
                                                       : ACT_NODE_ELEMENT,
                            .model = parent->model,
                            .activity = parent->activity,
                            .element = e};

    return node;
}

static struct act_node branch_node(const struct act_node *parent,
                                   const struct act_element *e, int is_else)
{
    struct act_node node = {.kind = ACT_NODE_BRANCH,
                            .model = parent->model,
                            .activity = parent->activity,
                            .element = e,
                            .guard = is_else ? NULL : e->value};

    return node;
}

/* The first node of a model's next section; 0: there are no more sections. */
static int first_of_model(const struct act_node *parent, enum act_node_kind from,
                          int along_flow, struct act_node *node)
{
    const struct act_model *m = parent->model;

    *node = (struct act_node){.model = m};
    for (int kind = (int)from; kind <= ACT_NODE_ACTIVITY; kind++) {
        node->kind = (enum act_node_kind)kind;
        if (kind == ACT_NODE_STEREOTYPE && (node->stereotype = m->stereotypes))
            return 1;
        if (kind == ACT_NODE_GLOBAL && (node->variable = m->globals))
            return 1;
        if (kind == ACT_NODE_TABLE && (node->table = m->tables))
            return 1;
        if (kind == ACT_NODE_FUNCTION && (node->function = m->functions))
            return 1;
        if (kind == ACT_NODE_ACTIVITY &&
            (node->activity = along_flow ? m->main : m->activities))
            return 1;
    }
    return 0;
}

static int first_of_activity(const struct act_node *parent, const struct act_activity *a,
                             struct act_node *node)
{
    if (a->locals) {
        *node = (struct act_node){.kind = ACT_NODE_LOCAL,
                                  .model = parent->model,
                                  .activity = a,
                                  .variable = a->locals};
        return 1;
    }
    if (!a->body)
        return 0;
    *node = element_node(parent, a->body);
    node->activity = a;
    return 1;
}

/* The first child of an element: its code, then its contents. */
static int first_of_element(const struct act_node *parent, int along_flow,
                            int behind_code, struct act_node *node)
{
    const struct act_element *e = parent->element;

    if (e->code && !behind_code) {
        *node = (struct act_node){.kind = ACT_NODE_CODE,
                                  .model = parent->model,
                                  .activity = parent->activity,
                                  .element = e};
        return 1;
    }
    if (e->kind == ACT_IF) {
        *node = branch_node(parent, e, 0);
        return 1;
    }
    if (e->kind == ACT_CALL && along_flow) {
        *node = (struct act_node){
            .kind = ACT_NODE_ACTIVITY, .model = parent->model, .activity = e->activity};
        return 1;
    }
    if (!e->body)
        return 0;
    *node = element_node(parent, e->body);
    return 1;
}

static int first_child(const struct place *p, const struct act_node *n,
                       struct act_node *node)
{
    const struct act_element *e = n->element;

    switch (n->kind) {
    case ACT_NODE_MODEL:
        return first_of_model(n, ACT_NODE_STEREOTYPE, p->along_flow, node);
    case ACT_NODE_ACTIVITY:
        return first_of_activity(n, n->activity, node);
    case ACT_NODE_ELEMENT:
        return first_of_element(n, p->along_flow, 0, node);
    case ACT_NODE_BRANCH:
        e = n->guard ? e->body : e->otherwise;
        break;
    case ACT_NODE_CODE:
        e = e->code;
        break;
    default:
        return 0;
    }
    if (e)
        *node = element_node(n, e);
    return e != NULL;
}

/* The next branch of an if: first the elif branches, then else. */
static int next_branch(const struct act_node *n, struct act_node *node)
{
    const struct act_element *e = n->element;

    if (!n->guard || (!e->is_elif && !e->has_else))
        return 0;
    *node = branch_node(n, e->is_elif ? e->otherwise : e, !e->is_elif);
    return 1;
}

static int next_in_model(const struct place *p, const struct act_node *n,
                         struct act_node *node)
{
    const struct act_node *root = &p->stack[0];

    *node = *n;
    switch (n->kind) {
    case ACT_NODE_STEREOTYPE:
        node->stereotype = n->stereotype->next;
        return node->stereotype ||
               first_of_model(root, ACT_NODE_GLOBAL, p->along_flow, node);
    case ACT_NODE_GLOBAL:
        node->variable = n->variable->next;
        return node->variable ||
               first_of_model(root, ACT_NODE_TABLE, p->along_flow, node);
    case ACT_NODE_TABLE:
        node->table = n->table->next;
        return node->table ||
               first_of_model(root, ACT_NODE_FUNCTION, p->along_flow, node);
    case ACT_NODE_FUNCTION:
        node->function = n->function->next;
        return node->function ||
               first_of_model(root, ACT_NODE_ACTIVITY, p->along_flow, node);
    default: /* in a walk along the flow, Main is the only activity of the root */
        node->activity = p->along_flow ? NULL : n->activity->next;
        return node->activity != NULL;
    }
}

static int next_sibling(const struct place *p, const struct act_node *n,
                        struct act_node *node)
{
    switch (n->kind) {
    case ACT_NODE_LOCAL:
        *node = *n;
        node->variable = n->variable->next;
        if (node->variable)
            return 1;
        if (n->activity->body)
            *node = element_node(n, n->activity->body);
        return n->activity->body != NULL;
    case ACT_NODE_BRANCH:
        return next_branch(n, node);
    case ACT_NODE_CODE:
        return first_of_element(n, p->along_flow, 1, node);
    case ACT_NODE_ELEMENT:
    case ACT_NODE_STATEMENT:
        if (n->element->next)
            *node = element_node(n, n->element->next);
        return n->element->next != NULL;
    default: /* an activity that is visited inside its call has no sibling */
        return p->depth == 2 && next_in_model(p, n, node);
    }
}

/* --- Commands. --- */

static int down(void *context)
{
    struct place *p = context;
    struct act_node node;

    if (!first_child(p, top(p), &node) ||
        cca_array_reserve(&p->stack, p->depth, sizeof *p->stack))
        return 0;
    node.index = 0;
    node.depth = (int)p->depth;
    p->stack[p->depth++] = node;
    return 1;
}

static int along(void *context)
{
    struct place *p = context;
    struct act_node node;

    if (p->depth < 2 || !next_sibling(p, top(p), &node))
        return 0;
    node.index = top(p)->index + 1;
    node.depth = top(p)->depth;
    *top(p) = node;
    return 1;
}

static int up(void *context)
{
    struct place *p = context;

    if (p->depth < 2)
        return 0;
    p->depth--;
    return 1;
}

static const struct act_node *current(void *context)
{
    return top(context);
}

static struct act_navigator make(const struct act_model *model, int along_flow)
{
    struct act_navigator n = {NULL, down, along, up, current};
    struct place *p = calloc(1, sizeof *p);

    if (!p || cca_array_reserve(&p->stack, 0, sizeof *p->stack)) {
        free(p);
        return n;
    }
    p->along_flow = along_flow;
    p->stack[p->depth++] = (struct act_node){.kind = ACT_NODE_MODEL, .model = model};
    n.context = p;
    return n;
}

struct act_navigator act_navigator_text(const struct act_model *model)
{
    return make(model, 0);
}

struct act_navigator act_navigator_flow(const struct act_model *model)
{
    return make(model, 1);
}

void act_navigator_free(struct act_navigator *navigator)
{
    struct place *p = navigator->context;

    if (p)
        free(p->stack);
    free(p);
    navigator->context = NULL;
}
