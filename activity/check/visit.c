/* SPDX-License-Identifier: BSD-3-Clause */
/* visit.c: visit the expressions of an element, and the subexpressions of an
 * expression. */
#include "activity/check/visit.h"

void act_visit_expressions(const struct act_element *e,
                           void (*function)(void *context, const struct act_expr *e),
                           void *context)
{
    const struct act_expr *const all[] = {
        e->value,  e->last,  e->threads, e->chunk, e->cost ? e->cost : e->time,
        e->memory, e->bytes, e->tag,     e->peer,
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            function(context, all[i]);
    for (int i = 0; e->kind == ACT_EXCHANGE && i < e->peer_count; i++)
        function(context, e->peers[i]);
}

void act_visit_inner(const struct act_expr *e,
                     void (*function)(void *context, const struct act_expr *e),
                     void *context)
{
    function(context, e);
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            act_visit_inner(e->arguments[i], function, context);
    if (e->kind == ACT_CALL_FUNCTION) {
        for (int i = 0; i < e->function->parameter_count; i++)
            act_visit_inner(e->list[i], function, context);
        act_visit_inner(e->function->body, function, context);
    }
    for (int i = 0; e->kind == ACT_CALL_MODEL && i < e->model->count; i++)
        act_visit_inner(e->model->values[i], function, context);
}
