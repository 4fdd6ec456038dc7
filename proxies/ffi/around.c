/* SPDX-License-Identifier: BSD-3-Clause */
/* around.c: call getters and remember values, like the code that
 * tools/proxygen/emit/emit_values.c writes into generated proxies. */
#include "proxies/ffi/around.h"

#include "tools/proxygen/perf/lines.h"

enum { CELL = 16, RESULT_MOST = 64, ARGS_MOST = 64 };

/* A call of a getter (a method that returns a number to be recorded). */
struct getting {
    _Alignas(16) unsigned char cells[ARGS_MOST][CELL]; /* arguments, or the data to which
                                                          they point */
    _Alignas(16) unsigned char back[RESULT_MOST];
    void *pointers[ARGS_MOST];
    void *args[ARGS_MOST + 1];
};

static int is_name(const struct pg_get *get, size_t index)
{
    for (size_t i = 0; i < get->name_count; i++)
        if (get->names[i].arg == index)
            return 1;
    return 0;
}

/* Store argument `index` of the getter. Returns false if its value is missing. */
static int store_argument(struct getting *g, const struct pg_get *get,
                          const struct pg_method *call, size_t index,
                          struct pg_frame *frame)
{
    const struct pg_expr *expr = get->args[index];
    union monitor_value value;

    g->args[index + 1] = &g->pointers[index];
    g->pointers[index] = NULL;
    if (is_name(get, index)) {
        memset(g->cells[index], 0, CELL);
        g->pointers[index] = g->cells[index];
        return 1;
    }
    if (!expr)
        return 1;
    frame->missing = 0;
    value = pg_expr_value(expr, frame);
    if (expr->cls == PG_OTHER) {
        g->pointers[index] = (void *)(intptr_t)value.i;
        return g->pointers[index] != NULL;
    }
    pg_scalar_store(&call->args[index].value, expr->cls, value, g->cells[index]);
    g->args[index + 1] = g->cells[index];
    return !frame->missing;
}

/* True if the call of the getter succeeded, so that the numbers it returned may be
 * recorded. */
static int getter_succeeded(const struct getting *g, const struct pg_get *get,
                            const struct pg_method *call)
{
    struct pg_frame frame = {.result = g->back};
    union monitor_value value;

    if (!get->only_if)
        return !pg_get_checks(get, call) ||
               pg_scalar_load(&call->result_value, g->back).i == 0;
    value = pg_expr_value(get->only_if, &frame);
    return get->only_if->cls == PG_FLOATING ? value.d != 0.0 : value.i != 0;
}

static int call_getter(struct getting *g, const struct fproxy_method *made,
                       const struct pg_get *get, void *target, struct pg_frame *frame)
{
    const struct fproxy_method *callee = &made->methods[get->call];
    void (*function)(void);

    memcpy(&function, (char *)target + callee->offset, sizeof function);
    if (!function || callee->result_size > RESULT_MOST || get->arg_count > ARGS_MOST)
        return 0;
    g->args[0] = &target;
    for (size_t i = 0; i < get->arg_count; i++)
        if (!store_argument(g, get, callee->model, i, frame))
            return 0;
    ffi_call((ffi_cif *)&callee->cif, function, g->back, g->args);
    return getter_succeeded(g, get, callee->model);
}

void fproxy_get_numbers(const struct fproxy_method *made, void *target, int after,
                        int kept_only, struct pg_frame *frame, struct fproxy_got *got)
{
    const struct pg_method *model = made->model;
    PROXY_PURE;

    frame->got = got->got;
    for (size_t i = 0; i < model->get_count && i < FPROXY_GETS; i++) {
        const struct pg_get *get = &model->gets[i];
        struct getting g;

        if (get->after != after || (kept_only && !pg_get_is_kept(model, i)))
            continue;
        got->got[i] = NULL;
        if (!call_getter(&g, made, get, target, frame))
            continue;
        for (size_t j = 0; j < get->name_count; j++)
            got->values[i][j] = pg_scalar_load(&get->names[j].type->scalar,
                                               get->names[j].arg == get->arg_count
                                                   ? g.back
                                                   : g.cells[get->names[j].arg]);
        got->got[i] = got->values[i];
    }
}

void fproxy_forget(const struct fproxy_method *made, struct pg_frame *frame)
{
    for (size_t i = 0; i < made->model->keep_count; i++)
        if (!made->model->keeps[i].what && frame->memory)
            proxy_forget(frame->memory, frame->owner,
                         pg_handle_value(made->model->keeps[i].handle, frame));
}

void fproxy_remember(const struct fproxy_method *made, struct pg_frame *frame)
{
    const struct pg_method *model = made->model;

    for (size_t i = 0; i < model->keep_count; i++) {
        const struct pg_keep *keep = &model->keeps[i];
        union monitor_value value;

        if (!keep->what)
            continue;
        PROXY_PURE;
        frame->missing = 0;
        value = pg_expr_value(keep->what, frame);
        if (keep->what->cls == PG_INTEGER &&
            model->port->memories[keep->memory].cls == PG_FLOATING)
            value.d = (double)value.i;
        int missing = frame->missing;
        proxy_remember(frame->memory, frame->owner, (uint32_t)keep->memory,
                       pg_handle_value(keep->handle, frame), value, missing);
    }
}
