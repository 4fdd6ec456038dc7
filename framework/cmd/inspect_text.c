/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect_text.c: print a class for people. */
#include <string.h>

#include "framework/cmd/cmd.h"

/* Widths of the columns of names and types. */
struct columns {
    int name, type;
};

static void widen(int *width, const char *text)
{
    if ((int)strlen(text) > *width)
        *width = (int)strlen(text);
}

static struct columns columns_of(const struct cca_class *cls)
{
    struct columns columns = {(int)strlen(cls->name), 4};

    for (const struct cca_port_decl *port = cls->provides; port && port->name; port++) {
        widen(&columns.name, port->name);
        widen(&columns.type, port->type);
    }
    for (const struct cca_port_decl *port = cls->uses; port && port->name; port++) {
        widen(&columns.name, port->name);
        widen(&columns.type, port->type);
    }
    for (const struct cca_param_decl *param = cls->params; param && param->name; param++)
        widen(&columns.name, param->name);
    for (const struct cca_quality *quality = cls->quality; quality && quality->name;
         quality++)
        widen(&columns.name, quality->name);
    return columns;
}

/* Print a method with its measured values: "compute(axis mode, Q = nx * ny, iterations
 * out)". */
void ccafe_inspect_text_method(const struct ccafe_method *method)
{
    fputs(method->name, stdout);
    for (size_t k = 0; k < method->value_count; k++) {
        const struct monitor_value_decl *value = &method->values[k];
        int derived = value->kind == MONITOR_PARAM && value->expression &&
                      strcmp(value->expression, value->name) != 0;

        printf("%s%s%s%s%s", k ? ", " : "(", value->name, derived ? " = " : "",
               derived ? value->expression : "",
               value->kind == MONITOR_MODE   ? " mode"
               : value->kind == MONITOR_OUT  ? " out"
               : value->kind == MONITOR_HINT ? " hint"
                                             : "");
    }
    puts(method->unmeasured ? ": not measured" : method->value_count ? ")" : "()");
}

static void text_methods(const struct cca_repository *repository,
                         const struct cca_class_info *info, const char *type,
                         const struct columns *columns)
{
    struct ccafe_methods methods;

    if (ccafe_inspect_methods(repository, info, type, &methods) < 0)
        methods.count = 0;
    for (size_t i = 0; i < methods.count; i++) {
        printf("%*s", 10 + columns->name + 2, "");
        ccafe_inspect_text_method(&methods.items[i]);
    }
    ccafe_methods_done(&methods);
}

static void text_ports(const struct cca_repository *repository,
                       const struct cca_class_info *info,
                       const struct cca_port_decl *ports, const char *what, int uses,
                       const struct columns *columns)
{
    for (const struct cca_port_decl *port = ports; port && port->name; port++) {
        const char *signature = cca_class_signature(&info->cls, port->type);

        printf("%-9s %-*s  %-*s  %zu bytes", what, columns->name, port->name,
               columns->type, port->type, port->size);
        if (uses)
            printf(", %s", port->min_connections > 0 ? "required" : "optional");
        if (port->min_connections > 1)
            printf(", at least %d connections", port->min_connections);
        if (port->max_connections > (uses ? 1 : 0))
            printf(", at most %d connection%s", port->max_connections,
                   port->max_connections == 1 ? "" : "s");
        if (port->flags & CCA_PORT_NO_PROXY)
            printf(", no proxy");
        if (signature)
            printf(", prototypes %s", signature);
        putchar('\n');
        if (!uses)
            text_methods(repository, info, port->type, columns);
    }
}

static void text_param(const struct cca_param_decl *param, const struct columns *columns)
{
    printf("%-9s %-*s  %-*s  = %s", "parameter", columns->name, param->name,
           columns->type, ccafe_type_name(param->type),
           *param->value ? param->value : "''");
    if (param->unit)
        printf(" %s", param->unit);
    if (param->low && param->high)
        printf(", %s to %s", param->low, param->high);
    else if (param->low)
        printf(", at least %s", param->low);
    else if (param->high)
        printf(", at most %s", param->high);
    if (param->choices)
        printf(", one of %s", param->choices);
    printf("%s%s\n", param->help ? ": " : "", param->help ? param->help : "");
}

/* Print "run path  /opt/lib: everybody can write to '/opt/lib'". */
static void text_run_path(const struct cca_run_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        printf("%-9s %s%s%s\n", "run path",
               *path->items[i].dir ? path->items[i].dir : "''",
               path->items[i].finding ? ": " : "",
               path->items[i].finding ? path->items[i].finding : "");
}

void ccafe_inspect_text(const struct ccafe_inspected *inspected)
{
    const struct cca_repository *repository = inspected->repository;
    const struct cca_class_info *info = inspected->info;
    const struct cca_class *cls = &info->cls;
    const struct columns columns = columns_of(cls);

    printf("%-9s %-*s  %s\n", "class", columns.name, cls->name,
           cls->summary ? cls->summary : "");
    printf("%-9s %s\n%-9s %s\n", "file", info->file, "build id", info->build_id);
    text_run_path(&inspected->run_path);
    text_ports(repository, info, cls->provides, "provides", 0, &columns);
    text_ports(repository, info, cls->uses, "uses", 1, &columns);
    for (const struct cca_param_decl *param = cls->params; param && param->name; param++)
        text_param(param, &columns);
    for (const struct cca_quality *quality = cls->quality; quality && quality->name;
         quality++)
        printf("%-9s %-*s  %-*g  %s over slots%s%s\n", "quality", columns.name,
               quality->name, columns.type, quality->value,
               ccafe_compose_name(quality->compose), quality->command ? "; " : "",
               quality->command ? quality->command : "");
    if (cls->proxy_for)
        printf("%-9s %s\n", "proxy for", cls->proxy_for);
    if (cls->serves)
        printf("%-9s %s\n", "serves", cls->serves);
    if (cls->flags & CCA_DYNAMIC_PORTS)
        printf("%-9s %s\n", "ports", "dynamic: there may be others while it runs");
}
