/* SPDX-License-Identifier: BSD-3-Clause */
/* any_target.c: the class AnyTarget. The framework's property "describe" is the document of what
 * its port `any` is. */
#include <stdlib.h>
#include <string.h>

#include "any_target.h"
#include "framework/cca.h"
#include "proxies/ffi/description.h"

struct method {
    struct any_target *any;
    const struct pg_method *described;
    ffi_cif cif;
    void *code;
};

/* What a pointer to a number points to gets another one. */
static void answer_behind(struct any_target *any, const struct pg_arg *arg, void *at)
{
    struct pg_layout layout = any_layout(&arg->pointee, NULL);
    void *pointer;

    memcpy(&pointer, at, sizeof pointer);
    if (pointer)
        any_fill(any, &layout, pointer);
}

static void answer(ffi_cif *cif, void *result, void **args, void *data)
{
    struct method *method = data;
    const struct pg_method *described = method->described;
    struct any_target *any = method->any;
    struct pg_layout layout = any_layout(&described->result_value, &described->result_layout);
    _Alignas(16) unsigned char made[ANY_CELL_BYTES * 4] = {0};
    const int is_called = strcmp(any->called, described->name) == 0;
    const int as_given = any_state_is(&any->given);

    (void)cif;
    fesetround(FE_TONEAREST);
    if (is_called && !as_given)
        fprintf(any->log, "%s is called in another state\n", described->name);
    fprintf(any->log, "%s got", described->name);
    for (size_t i = 0; i < described->arg_count; i++) {
        const struct pg_arg *arg = &described->args[i];
        struct pg_layout given = any_layout(&arg->value, &arg->layout);

        any_note(any, &given, args[i + 1]);
        if (arg->pointee.cls != PG_OTHER)
            answer_behind(any, arg, args[i + 1]);
    }
    fputs(" gives", any->log);
    if (layout.kind != PG_LAYOUT_VOID) {
        any_fill(any, &layout, made);
        any_note(any, &layout, made);
    }
    fputc('\n', any->log);
    if (layout.kind == PG_LAYOUT_INT && layout.size < sizeof(ffi_arg) &&
        made[layout.size - 1] & 0x80)
        memset(made + layout.size, 0xff, sizeof(ffi_arg) - layout.size);
    memcpy(result, made,
           layout.size && layout.size < sizeof(ffi_arg) && described->result_value.cls
               ? sizeof(ffi_arg)
               : layout.size);
    any_state_new(any);
    fesetround(any->given.rounding);
    if (is_called)
        any->left = any_state_now();
}

/* One that libffi cannot serve stays NULL. */
static int make_method(struct method *method, struct fproxy_pool *pool)
{
    const struct pg_method *described = method->described;
    ffi_type **types = fproxy_pool_get(pool, described->arg_count + 1, sizeof *types), *result;
    const char *why;
    ffi_closure *closure;

    result =
        fproxy_type(pool, &described->result_value, &described->result_layout, &why);
    types[0] = &ffi_type_pointer;
    for (size_t i = 0; i < described->arg_count; i++)
        types[i + 1] =
            fproxy_type(pool, &described->args[i].value, &described->args[i].layout, &why);
    for (size_t i = 0; i <= described->arg_count; i++)
        if (!types[i] || !result)
            return 0;
    closure = ffi_closure_alloc(sizeof *closure, &method->code);
    return closure &&
                   ffi_prep_cif(&method->cif, FFI_DEFAULT_ABI,
                                (unsigned)described->arg_count + 1, result, types) == FFI_OK &&
                   ffi_prep_closure_loc(closure, &method->cif, answer, method,
                                        method->code) == FFI_OK
               ? 0
               : -1;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    static struct fproxy_pool pool; /* as long as the process */
    const char *file = cca_services_framework_property(services, "describe");
    struct any_target *any = self;
    struct cca_port *base = (struct cca_port *)(void *)any->port;

    any->described = fproxy_description_read(file, err);
    if (!any->described)
        return err->code;
    *base = (struct cca_port){any->described->type, any->described->size};
    for (size_t i = 0; i < any->described->method_count; i++) {
        struct method *method = fproxy_pool_get(&pool, 1, sizeof *method);

        method->any = any;
        method->described = &any->described->methods[i];
        if (make_method(method, &pool) < 0)
            return cca_error_set(err, -1, "no method '%s'", method->described->name);
        memcpy(any->port + method->described->offset, &method->code, sizeof method->code);
    }
    return cca_services_add_provides_port(services, base, "any", NULL, err);
}

static void destroy(void *self)
{
    struct any_target *any = self;

    pg_port_free(any->described);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct any_target),
    .name = "AnyTarget",
    .flags = CCA_DYNAMIC_PORTS,
    .set_services = set_services,
    .destroy = destroy,
};
