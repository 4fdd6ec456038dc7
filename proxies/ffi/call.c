/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c: one call through a libffi closure.
 *
 *     caller ─▶ closure ─▶ forward_call(): in-values │ begin │ ffi_call ─▶ target
 *                                          out-values │ end
 *
 * Arguments are forwarded from the memory in which the closure received them, except
 * self. */
#include "proxies/ffi/call.h"

#include "proxies/ffi/around.h"
#include "proxies/ffi/passing.h"

enum { ARGS_MAX = 65 };

/* Set the result of a method without a target. Integers narrower than a register are
 * widened, as libffi requires. */
static void return_nothing(const struct fproxy_method *made, void *result)
{
    if (made->result_is_error)
        *(ffi_sarg *)result = -ENOTCONN;
    else if (made->result_size < sizeof(ffi_arg) && made->result_is_integer)
        *(ffi_arg *)result = 0;
    else
        memset(result, 0, made->result_size);
}

/* Compute `count` values from value `first` on. The caller's floating-point environment
 * is unchanged. */
static void take_values(const struct fproxy_method *made, size_t first, size_t count,
                        struct pg_frame *frame, union monitor_value *values)
{
    struct proxy_float floats;

    if (made->computes)
        floats = proxy_float_save();
    for (size_t i = 0; i < count; i++)
        values[i] = pg_value_take(&made->values[first + i], frame);
    if (made->computes)
        proxy_float_restore(&floats, values);
}

/* Forward a call that is measured, or that chooses its target (`turn`; NULL: it is
 * fixed). */
static void forward_measured(struct fproxy_method *made, struct proxy_turn *turn,
                             void *target, void (*function)(void), void *result,
                             void **args)
{
    union monitor_value in[MONITOR_MAX_IN], out[MONITOR_MAX_OUT];
    struct pg_frame frame = {.args = args + 1, .result = result, .memory = made->memory};
    const int around = made->model->get_count || made->model->keep_count;
    struct monitor_method *method = *made->measured;
    struct monitor_port *monitor = made->link->monitor;
    struct fproxy_got got;
    uint64_t ended = 0;

    if (around)
        fproxy_get_numbers(made, target, 0, 0, &frame, &got);
    take_values(made, 0, made->known_count, &frame, in);
    if (turn) {
        proxy_turn_choose(turn, made->link, made->number, in);
        method = turn->method;
        monitor = turn->monitor;
        target = turn->target->port;
        memcpy(&function, (char *)target + made->offset, sizeof function);
        args[0] = &target;
        proxy_turn_start(turn);
    }
    if (around)
        fproxy_forget(made, &frame);
    PROXY_CALL call = proxy_begin(monitor, method, in);
    ffi_call(&made->cif, function, result, args);
    if (made->gets_after) {
        ended = proxy_now(&call);
        fproxy_get_numbers(made, target, 1, 0, &frame, &got);
    }
    memcpy(out, in + made->in_count, (made->known_count - made->in_count) * sizeof *out);
    take_values(made, made->known_count, made->value_count - made->known_count, &frame,
                out + (made->known_count - made->in_count));
    if (made->gets_after)
        proxy_end_at(&call, out, ended);
    else
        proxy_end(&call, out);
    if (turn)
        proxy_turn_end(turn, out);
    if (around)
        fproxy_remember(made, &frame);
}

/* Forward a call that is not measured; values of handles are remembered nevertheless. */
static void forward_plain(struct fproxy_method *made, void *target,
                          void (*function)(void), void *result, void **args)
{
    struct pg_frame frame = {.args = args + 1, .result = result, .memory = made->memory};
    struct fproxy_got got;

    fproxy_get_numbers(made, target, 0, 1, &frame, &got);
    fproxy_forget(made, &frame);
    ffi_call(&made->cif, function, result, args);
    fproxy_get_numbers(made, target, 1, 1, &frame, &got);
    fproxy_remember(made, &frame);
}

/* Forward a call to a target; `turn`: like forward_measured. */
static void forward_to(struct fproxy_method *made, struct proxy_turn *turn, void *target,
                       void *result, void **args)
{
    void *values[ARGS_MAX];
    void (*function)(void);

    memcpy(&function, (char *)target + made->offset, sizeof function);
    values[0] = &target;
    for (size_t i = 1; i < made->arg_count; i++)
        values[i] = args[i];
    if (made->measured && (turn || monitor_method_on(*made->measured)))
        forward_measured(made, turn, target, function, result, values);
    else if (made->model->keep_count)
        forward_plain(made, target, function, result, values);
    else
        ffi_call(&made->cif, function, result, values);
}

static void forward_call(ffi_cif *cif, void *result, void **args, void *data)
{
    struct fproxy_method *made = data;

    (void)cif;
    if (made->link->dispatch) {
        PROXY_TURN turn = proxy_turn_enter(made->link);

        forward_to(made, &turn, turn.target->port, result, args);
    } else if (made->link->target) {
        forward_to(made, NULL, made->link->target, result, args);
    } else {
        return_nothing(made, result);
    }
}

/* --- Construction --------------------------------------------------------- */

static int refuse_type(const struct pg_method *method, const char *what, const char *name,
                       const char *why, struct cca_error *err)
{
    if (!why)
        return cca_no_memory(err);
    return cca_error_set(err, -ENOTSUP,
                         "libffi cannot serve method '%.60s': %s%.60s %s: %.100s",
                         method->name, what, name, *name ? "is" : "it returns is", why);
}

static int make_signature(struct fproxy_method *made, struct fproxy_pool *pool,
                          const struct pg_method *method, struct cca_error *err)
{
    ffi_type **types = fproxy_pool_get(pool, made->arg_count, sizeof *types), *result;
    const char *why = NULL;

    if (!types)
        return cca_no_memory(err);
    result = fproxy_type(pool, &method->result_value, &method->result_layout, &why);
    if (result && fproxy_result_is_lost(result)) {
        result = NULL;
        why = "a struct of one long double";
    }
    if (!result)
        return refuse_type(method, "what", "", why, err);
    types[0] = &ffi_type_pointer;
    for (size_t i = 0; i < method->arg_count; i++) {
        const struct pg_arg *arg = &method->args[i];

        types[i + 1] = fproxy_type(pool, &arg->value, &arg->layout, &why);
        if (types[i + 1] == &ffi_type_void)
            why = "void";
        if (!types[i + 1] || why)
            return refuse_type(method, "argument ", arg->name, why, err);
    }
    if (ffi_prep_cif(&made->cif, FFI_DEFAULT_ABI, (unsigned)made->arg_count, result,
                     types) != FFI_OK)
        return cca_error_set(err, -ENOTSUP, "libffi cannot serve method '%.60s'",
                             method->name);
    made->result_size = result == &ffi_type_void ? 0 : result->size;
    made->result_is_integer = method->result_value.cls == PG_INTEGER;
    made->result_is_error = method->result_value.cls == PG_INTEGER &&
                            method->result_value.is_signed &&
                            method->result_value.bits > 8;
    return 0;
}

/* Check that libffi passes the method's arguments correctly. Returns 0 or a negative
 * errno. */
static int check_passing(struct fproxy_method *made, const struct pg_method *method,
                         struct cca_error *err)
{
    int lost = fproxy_first_lost(&made->cif, made->closure, made->code);

    if (lost == -1)
        return 0;
    if (lost == -ENOMEM)
        return cca_no_memory(err);
    return refuse_type(method, "argument ",
                       lost > 0 && (size_t)lost <= method->arg_count
                           ? method->args[lost - 1].name
                           : "self",
                       "passed with other bytes by this version of libffi", err);
}

int fproxy_method_init(struct fproxy_method *made, struct fproxy_pool *pool,
                       const struct pg_method *method, struct cca_error *err)
{
    int status;

    made->arg_count = method->arg_count + 1;
    if (made->arg_count > ARGS_MAX)
        return cca_error_set(err, -ENOTSUP, "method '%.60s' has too many arguments",
                             method->name);
    status = make_signature(made, pool, method, err);
    if (status < 0)
        return status;
    made->model = method;
    made->values = method->values;
    for (size_t i = 0; i < method->get_count; i++)
        made->gets_after |= method->gets[i].after;
    for (size_t i = 0; i < method->value_count; i++)
        made->computes |= pg_expr_computes(method->values[i].expr);
    made->in_count = pg_method_in_count(method);
    made->known_count = pg_method_known_count(method);
    made->value_count = method->value_count;
    made->closure = ffi_closure_alloc(sizeof *made->closure, &made->code);
    if (!made->closure)
        return cca_error_set(err, -ENOMEM, "no memory for code");
    status = check_passing(made, method, err);
    if (status)
        return status;
    if (ffi_prep_closure_loc(made->closure, &made->cif, forward_call, made, made->code) !=
        FFI_OK)
        return cca_error_set(err, -ENOTSUP, "libffi makes no closure for method '%.60s'",
                             method->name);
    return 0;
}

void fproxy_method_done(struct fproxy_method *made)
{
    if (made->closure)
        ffi_closure_free(made->closure);
    made->closure = NULL;
}
