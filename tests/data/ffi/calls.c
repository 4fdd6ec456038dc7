/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c: call every method of a described port through a proxy, with random values, and print
 * what the caller gave and got, what the target got and gave, and what the monitor was told. errno
 * and the floating-point environment are the caller's when the target is called, and the target's
 * afterwards.
 *
 *     calls DIRECTORY DESCRIPTION PROXY-CLASS ROUNDS */
#include <stdlib.h>
#include <string.h>

#include "any_target.h"
#include "fake_monitor.h"
#include "framework/framework.h"
#include "proxies/ffi/description.h"

static struct cca_error err;

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "calls: %s: %s\n", what, err.text);
    exit(1);
}

/* Something for each field of what a pointer points to, small as often as not. */
static void fill_record(struct any_target *any, const void *pointer)
{
    unsigned char *at;

    memcpy(&at, pointer, sizeof at);
    for (size_t i = 0; at && i < ANY_CELL_BYTES; i++)
        at[i] = (unsigned char)(any_random(any) % 3 ? any_random(any) : 0);
    if (at && any_random(any) % 2)
        memcpy(at + 16, "abc", 4); /* where deep_port.h has a name */
}

/* Give random arguments, and write down what is given and what comes back. */
static void call(struct any_target *any, void *port, const struct pg_method *method)
{
    struct pg_layout result = any_layout(&method->result_value, &method->result_layout);
    _Alignas(16) unsigned char values[64][ANY_CELL_BYTES * 4], back[ANY_CELL_BYTES * 4] = {0};
    ffi_type *types[65] = {&ffi_type_pointer}, *returned;
    void *args[65] = {&port}, (*function)(void);
    struct fproxy_pool pool = {NULL};
    const char *why;
    ffi_cif cif;

    fprintf(any->log, "%s given", method->name);
    memset(values, 0, sizeof values);
    for (size_t i = 0; i < method->arg_count; i++) {
        struct pg_layout layout = any_layout(&method->args[i].value, &method->args[i].layout);

        any_fill(any, &layout, values[i]);
        any_note(any, &layout, values[i]);
        if (method->args[i].pointee.bits == 1) { /* a bool is nothing but 0 or 1 */
            unsigned char *pointed;

            memcpy(&pointed, values[i], sizeof pointed);
            if (pointed)
                *pointed &= 1;
        }
        if (method->args[i].of && method->args[i].of->to &&
            method->args[i].of->to->kind == PG_TYPE_RECORD)
            fill_record(any, values[i]);
        types[i + 1] =
            fproxy_type(&pool, &method->args[i].value, &method->args[i].layout, &why);
        args[i + 1] = values[i];
    }
    fputc('\n', any->log);
    returned = fproxy_type(&pool, &method->result_value, &method->result_layout, &why);
    check(ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)method->arg_count + 1, returned,
                       types) == FFI_OK, method->name);
    memcpy(&function, (char *)port + method->offset, sizeof function);
    any->called = method->name;
    any->given = any_state_new(any);
    ffi_call(&cif, function, back, args);
    int as_left = any_state_is(&any->left);
    fesetround(FE_TONEAREST);
    check(as_left, "errno or the floating-point environment was changed after the call");
    fprintf(any->log, "%s gives", method->name);
    if (result.kind != PG_LAYOUT_VOID)
        any_note(any, &result, back);
    fputc('\n', any->log);
    fproxy_pool_done(&pool);
}

int main(int argc, char **argv)
{
    const struct cca_framework_options options = {0};
    struct cca_framework *framework = cca_framework_new(&options, &err);
    struct fake_monitor *monitor;
    struct any_target *any;
    struct pg_port *port;
    void *proxy;

    check(argc == 5 && framework, "arguments");
    cca_framework_set_property(framework, "describe", argv[2]);
    check(cca_repository_path_append(cca_framework_repository(framework), argv[1], &err) == 0 &&
              cca_framework_create(framework, "FakeMonitor", "m", &err) == 0 &&
              cca_framework_create(framework, "AnyTarget", "t", &err) == 0, "instances");
    monitor = cca_framework_port(framework, "m", "monitor", MONITOR_PORT_TYPE,
                                 sizeof(struct monitor_port), &err);
    check(monitor != NULL, "monitor");
    port = fproxy_description_read(argv[2], &err);
    check(port != NULL, "description");
    any = cca_framework_port(framework, "t", "any", port->type, port->size, &err);
    check(any != NULL, "target");
    cca_framework_release_port(framework, "t", "any", NULL);
    any->log = stdout;
    any->seed = 88172645463325252u;
    check(cca_framework_insert(framework, "t", "any", argv[3], &err) == 0, "insert");
    proxy = cca_framework_port(framework, "t", "any", port->type, port->size, &err);
    check(proxy && proxy != any, "proxy");
    for (int round = atoi(argv[4]); round > 0; round--)
        for (size_t i = 0; i < port->method_count; i++) {
            call(any, proxy, &port->methods[i]);
            puts(monitor->log);
            monitor->log[0] = 0;
        }
    pg_port_free(port);
    cca_framework_release_port(framework, "t", "any", NULL);
    cca_framework_free(framework);
    return 0;
}
