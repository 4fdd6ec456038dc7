/* SPDX-License-Identifier: BSD-3-Clause */
/* code.c: translate a model's tree to instructions. */
#include "activity/run/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* An activity and its first instruction. */
struct begin {
    const struct act_activity *activity;
    int at;
};

struct making {
    struct act_code *code;
    struct begin *begins;
    size_t begin_count;
    int failed;
};

/* Append an instruction; returns its number. */
static int add(struct making *m, enum act_op op, const struct act_element *element,
               const struct act_variable *variable, const struct act_expr *value)
{
    struct act_instruction *i = cca_array_add(&m->code->all, &m->code->count, sizeof *i);

    if (!i) {
        m->failed = -ENOMEM;
        return 0;
    }
    *i = (struct act_instruction){
        .op = op, .element = element, .variable = variable, .value = value};
    return (int)m->code->count - 1;
}

static void aim(struct making *m, int from)
{
    if (!m->failed)
        m->code->all[from].target = (int)m->code->count;
}

static void add_elements(struct making *m, const struct act_element *e);

static void add_if(struct making *m, const struct act_element *e)
{
    int unless = add(m, ACT_OP_UNLESS, e, NULL, e->value), jump;

    add_elements(m, e->body);
    jump = add(m, ACT_OP_JUMP, e, NULL, NULL);
    aim(m, unless);
    add_elements(m, e->otherwise);
    aim(m, jump);
}

/* Append an instruction of a loop, with the loop's variable and the slot of its upper
 * bound. */
static int add_turn(struct making *m, enum act_op op, const struct act_element *e,
                    int last, const struct act_expr *value)
{
    int at = add(m, op, e, e->variable, value);

    if (!m->failed)
        m->code->all[at].last = last;
    return at;
}

static void add_loop(struct making *m, const struct act_element *e)
{
    int last = m->code->slots++, past, next;

    add_turn(m, ACT_OP_LAST, e, last, e->last);
    add(m, ACT_OP_SET, e, e->variable, e->value);
    past = add_turn(m, ACT_OP_PAST, e, last, NULL);
    add_elements(m, e->body);
    next = add_turn(m, ACT_OP_NEXT, e, last, NULL);
    if (!m->failed)
        m->code->all[next].target = past + 1;
    aim(m, past);
}

static void add_while(struct making *m, const struct act_element *e)
{
    int unless = add(m, ACT_OP_UNLESS, e, NULL, e->value), jump;

    add_elements(m, e->body);
    jump = add(m, ACT_OP_JUMP, e, NULL, NULL);
    if (!m->failed)
        m->code->all[jump].target = unless;
    aim(m, unless);
}

static void add_parallel(struct making *m, const struct act_element *e)
{
    int begin = add(m, ACT_OP_PARALLEL, e, NULL, NULL);

    add_elements(m, e->body);
    add(m, ACT_OP_END, e, NULL, NULL);
    aim(m, begin);
}

static void add_fork(struct making *m, const struct act_element *e)
{
    int begin = add(m, ACT_OP_FORK, e, NULL, NULL), at = begin;

    for (const struct act_element *b = e->body; b; b = b->next)
        add(m, ACT_OP_JUMP, b, NULL, NULL);
    for (const struct act_element *b = e->body; b; b = b->next) {
        aim(m, ++at);
        add_elements(m, b->body);
        add(m, ACT_OP_END, b, NULL, NULL);
    }
    aim(m, begin);
}

static void add_call(struct making *m, const struct act_element *e)
{
    if (e->activity->method)
        add(m, ACT_OP_ENTER, e, NULL, NULL);
    add(m, ACT_OP_CALL, e, NULL, NULL);
    if (e->activity->method)
        add(m, ACT_OP_LEAVE, e, NULL, NULL);
}

static void add_element(struct making *m, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_IF:
        add_if(m, e);
        break;
    case ACT_LOOP:
        add_loop(m, e);
        break;
    case ACT_WHILE:
        add_while(m, e);
        break;
    case ACT_SET:
        add(m, ACT_OP_SET, e, e->variable, e->value);
        break;
    case ACT_CALL:
        add_call(m, e);
        break;
    case ACT_PARALLEL:
        add_elements(m, e->code);
        add_parallel(m, e);
        break;
    case ACT_FORK:
        add_fork(m, e);
        break;
    case ACT_CRITICAL:
        add(m, ACT_OP_LOCK, e, NULL, NULL);
        add_elements(m, e->body);
        add(m, ACT_OP_UNLOCK, e, NULL, NULL);
        break;
    case ACT_DO:
        add_elements(m, e->code);
        break;
    default: /* an element's do { } runs before the element (algorithm A1 of Pllana's
              * paper) */
        add_elements(m, e->code);
        add(m, ACT_OP_EVENT, e, NULL, NULL);
    }
}

static void add_elements(struct making *m, const struct act_element *e)
{
    for (; e && !m->failed; e = e->next)
        add_element(m, e);
}

static void add_activity(struct making *m, const struct act_activity *a, int is_main)
{
    struct begin *begin = cca_array_add(&m->begins, &m->begin_count, sizeof *begin);

    if (!begin) {
        m->failed = -ENOMEM;
        return;
    }
    *begin = (struct begin){a, (int)m->code->count};
    if (is_main && a->method)
        add(m, ACT_OP_ENTER, NULL, NULL, NULL);
    for (const struct act_variable *v = a->locals; v; v = v->next)
        add(m, ACT_OP_SET, NULL, v, v->value);
    add_elements(m, a->body);
    if (is_main && a->method)
        add(m, ACT_OP_LEAVE, NULL, NULL, NULL);
    add(m, ACT_OP_RETURN, NULL, NULL, NULL);
    m->code->deepest++;
}

int act_code_make(struct act_code *code, const struct act_model *model)
{
    struct making m = {.code = code};

    memset(code, 0, sizeof *code);
    code->slots = model->slots;
    for (const struct act_variable *v = model->globals; v; v = v->next)
        add(&m, ACT_OP_SET, NULL, v, v->value);
    add_activity(&m, model->main, 1); /* a process begins by entering Main */
    for (const struct act_activity *a = model->activities; a && !m.failed; a = a->next)
        if (a != model->main)
            add_activity(&m, a, 0);
    for (size_t i = 0; i < code->count && !m.failed; i++)
        for (size_t b = 0; b < m.begin_count && code->all[i].op == ACT_OP_CALL; b++)
            if (m.begins[b].activity == code->all[i].element->activity)
                code->all[i].target = m.begins[b].at;
    free(m.begins);
    return m.failed;
}

void act_code_free(struct act_code *code)
{
    free(code->all);
    memset(code, 0, sizeof *code);
}
