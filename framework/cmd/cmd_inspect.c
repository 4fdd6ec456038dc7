/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_inspect.c: ccafe inspect CLASS|FILE.so: what a class descriptor says. Nothing is
 * run. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"
#include "framework/cmd/methods.h"

static const char *type_name(enum cca_type type)
{
    switch (type) {
    case CCA_INT:
        return "int";
    case CCA_LONG:
        return "long";
    case CCA_FLOAT:
        return "float";
    case CCA_DOUBLE:
        return "double";
    case CCA_BOOL:
        return "bool";
    default:
        return "string";
    }
}

static const char *compose_name(enum cca_compose compose)
{
    return compose == CCA_MIN ? "min" : compose == CCA_SUM ? "sum" : "max";
}

/* The methods of a port type: of a proxy those in its own library, else if the path has a
 * proxy library that lists them. */
static int methods_of(const struct cca_repository *repository,
                      const struct cca_class_info *info, const char *type,
                      struct ccafe_methods *methods)
{
    int own = info->cls.proxy_for && strcmp(info->cls.proxy_for, type) == 0;
    const struct cca_class_info *proxy =
        own ? info : cca_repository_proxy_for(repository, type);

    *methods = (struct ccafe_methods){.items = NULL};
    return proxy ? ccafe_methods_read(methods, proxy->file, type) : -1;
}

/* --- Text --------------------------------------------------------------------------- */

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

/* "compute(axis mode, Q = nx * ny, iterations out)": what is measured of each call. */
static void text_method(const struct ccafe_method *method)
{
    fputs(method->name, stdout);
    for (size_t k = 0; k < method->value_count; k++) {
        const struct monitor_value_decl *value = &method->values[k];
        int derived = value->kind == MONITOR_PARAM && value->expression &&
                      strcmp(value->expression, value->name) != 0;

        printf("%s%s%s%s%s", k ? ", " : "(", value->name, derived ? " = " : "",
               derived ? value->expression : "",
               value->kind == MONITOR_MODE  ? " mode"
               : value->kind == MONITOR_OUT ? " out"
                                            : "");
    }
    puts(method->unmeasured ? ": not measured" : method->value_count ? ")" : "()");
}

static void text_methods(const struct cca_repository *repository,
                         const struct cca_class_info *info, const char *type,
                         const struct columns *columns)
{
    struct ccafe_methods methods;

    if (methods_of(repository, info, type, &methods) < 0)
        methods.count = 0;
    for (size_t i = 0; i < methods.count; i++) {
        printf("%*s", 10 + columns->name + 2, "");
        text_method(&methods.items[i]);
    }
    ccafe_methods_done(&methods);
}

static void text_ports(const struct cca_repository *repository,
                       const struct cca_class_info *info,
                       const struct cca_port_decl *ports, const char *what, int uses,
                       const struct columns *columns)
{
    for (const struct cca_port_decl *port = ports; port && port->name; port++) {
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
        putchar('\n');
        if (!uses)
            text_methods(repository, info, port->type, columns);
    }
}

static void text_param(const struct cca_param_decl *param, const struct columns *columns)
{
    printf("%-9s %-*s  %-*s  = %s", "parameter", columns->name, param->name,
           columns->type, type_name(param->type), *param->value ? param->value : "''");
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

static void text(const struct cca_repository *repository,
                 const struct cca_class_info *info)
{
    const struct cca_class *cls = &info->cls;
    const struct columns columns = columns_of(cls);
    char reason[128];

    printf("%-9s %-*s  %s\n", "class", columns.name, cls->name,
           cls->summary ? cls->summary : "");
    printf("%-9s %s\n%-9s %s\n", "file", info->file, "build id", info->build_id);
    if (ccafe_probe_blocked(NULL, info, reason, sizeof reason))
        printf("%-9s %s\n", "blocked", reason);
    text_ports(repository, info, cls->provides, "provides", 0, &columns);
    text_ports(repository, info, cls->uses, "uses", 1, &columns);
    for (const struct cca_param_decl *param = cls->params; param && param->name; param++)
        text_param(param, &columns);
    for (const struct cca_quality *quality = cls->quality; quality && quality->name;
         quality++)
        printf("%-9s %-*s  %-*g  %s over slots%s%s\n", "quality", columns.name,
               quality->name, columns.type, quality->value,
               compose_name(quality->compose), quality->command ? "; " : "",
               quality->command ? quality->command : "");
    if (cls->proxy_for)
        printf("%-9s %s\n", "proxy for", cls->proxy_for);
    if (cls->serves)
        printf("%-9s %s\n", "serves", cls->serves);
    if (cls->flags & CCA_DYNAMIC_PORTS)
        printf("%-9s %s\n", "ports", "dynamic: there may be others while it runs");
}

/* --- JSON --------------------------------------------------------------------------- */

static void json_string(const char *value)
{
    putchar('"');
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

/* As short as reads back as the same number. */
static void json_number(const char *key, double value)
{
    char number[40];

    snprintf(number, sizeof number, "%.15g", value);
    if (strtod(number, NULL) != value)
        snprintf(number, sizeof number, "%.17g", value);
    printf(", \"%s\": %s", key, number);
}

/* ,"key":"value" where there is a value: what is absent stays absent. */
static void json_member(const char *key, const char *value)
{
    if (!value)
        return;
    printf(", \"%s\": ", key);
    json_string(value);
}

static void json_method_list(const struct ccafe_methods *methods)
{
    static const char *const kinds[] = {"param", "mode", "out"};

    printf(", \"methods\": [");
    for (size_t i = 0; i < methods->count; i++) {
        const struct ccafe_method *method = &methods->items[i];

        printf("%s{\"name\": ", i ? ", " : "");
        json_string(method->name);
        printf(", \"measured\": %s, \"values\": [", method->unmeasured ? "false" : "true");
        for (size_t k = 0; k < method->value_count; k++) {
            printf("%s{\"name\": ", k ? ", " : "");
            json_string(method->values[k].name);
            json_member("kind", kinds[(unsigned)method->values[k].kind % 3]);
            json_member("expression", method->values[k].expression);
            putchar('}');
        }
        printf("]}");
    }
    putchar(']');
}

static void json_methods(const struct cca_repository *repository,
                         const struct cca_class_info *info, const char *type)
{
    struct ccafe_methods methods;

    if (methods_of(repository, info, type, &methods) == 0)
        json_method_list(&methods);
    ccafe_methods_done(&methods);
}

static void json_ports(const struct cca_repository *repository,
                       const struct cca_class_info *info, const char *key,
                       const struct cca_port_decl *ports)
{
    const char *comma = "\n    ";

    printf(",\n  \"%s\": [", key);
    for (const struct cca_port_decl *port = ports; port && port->name; port++) {
        printf("%s{\"name\": ", comma);
        json_string(port->name);
        json_member("type", port->type);
        printf(", \"size_bytes\": %zu, \"min_connections\": %d", port->size,
               port->min_connections);
        if (port->max_connections > 0)
            printf(", \"max_connections\": %d", port->max_connections);
        if (port->flags & CCA_PORT_NO_PROXY)
            printf(", \"no_proxy\": true");
        json_methods(repository, info, port->type);
        putchar('}');
        comma = ",\n    ";
    }
    putchar(']');
}

static void json_params(const struct cca_param_decl *params)
{
    const char *comma = "\n    ";

    printf(",\n  \"parameters\": [");
    for (const struct cca_param_decl *param = params; param && param->name; param++) {
        printf("%s{\"name\": ", comma);
        json_string(param->name);
        json_member("type", type_name(param->type));
        json_member("default", param->value);
        json_member("low", param->low);
        json_member("high", param->high);
        json_member("choices", param->choices);
        json_member("unit", param->unit);
        json_member("help", param->help);
        putchar('}');
        comma = ",\n    ";
    }
    putchar(']');
}

static void json_quality(const struct cca_quality *list)
{
    const char *comma = "\n    ";

    printf(",\n  \"quality\": [");
    for (const struct cca_quality *quality = list; quality && quality->name; quality++) {
        printf("%s{\"name\": ", comma);
        json_string(quality->name);
        /* JSON has no word for what is not finite. */
        if (quality->value - quality->value == 0)
            json_number("value", quality->value);
        json_member("compose", compose_name(quality->compose));
        json_member("command", quality->command);
        putchar('}');
        comma = ",\n    ";
    }
    putchar(']');
}

static void json(const struct cca_repository *repository,
                 const struct cca_class_info *info)
{
    const struct cca_class *cls = &info->cls;
    char reason[128];

    printf("{\"schema\": \"ccafe/inspect/1\"");
    json_member("class", cls->name);
    json_member("summary", cls->summary);
    json_member("file", info->file);
    json_member("build_id", info->build_id);
    if (ccafe_probe_blocked(NULL, info, reason, sizeof reason))
        json_member("blocked", reason);
    json_member("proxy_for", cls->proxy_for);
    json_member("serves", cls->serves);
    printf(", \"dynamic_ports\": %s", cls->flags & CCA_DYNAMIC_PORTS ? "true" : "false");
    json_ports(repository, info, "provides", cls->provides);
    json_ports(repository, info, "uses", cls->uses);
    json_params(cls->params);
    json_quality(cls->quality);
    puts("}");
}

/* --- The verb ----------------------------------------------------------------------- */

static int is_file(const char *what)
{
    size_t length = strlen(what);

    return strchr(what, '/') || (length > 3 && strcmp(what + length - 3, ".so") == 0);
}

static int show(const struct cca_repository *repository,
                const struct cca_class_info *info, int as_json)
{
    if (as_json)
        json(repository, info);
    else
        text(repository, info);
    return CCA_EXIT_DONE;
}

/* True where the file is an interposition library, which has been shown. */
static int show_functions(const char *file, int as_json)
{
    struct ccafe_methods functions;
    int found = ccafe_functions_read(&functions, file) == 0;

    if (found && as_json) {
        printf("{\"schema\": \"ccafe/inspect/1\"");
        json_member("header", functions.type);
        json_member("file", file);
        json_member("build_id", functions.elf.build_id);
        json_method_list(&functions);
        puts("}");
    } else if (found) {
        printf("%-9s %s\n%-9s %s\n%-9s %s\n", "header", functions.type, "file", file,
               "build id", functions.elf.build_id);
        for (size_t i = 0; i < functions.count; i++) {
            printf("%-9s ", "function");
            text_method(&functions.items[i]);
        }
    }
    ccafe_methods_done(&functions);
    return found;
}

static int inspect_file(const struct cca_repository *repository, const char *file,
                        int as_json)
{
    struct cca_error err = {0};
    struct cca_class_info *info = cca_class_info_read(file, &err);
    int status;

    if (!info && show_functions(file, as_json))
        return CCA_EXIT_DONE;
    if (!info)
        return ccafe_complain(err.code == -ENOMEM || err.code == -EIO
                                  ? CCA_EXIT_IO_OR_MEMORY
                                  : CCA_EXIT_BAD_INPUT,
                              "%s", err.text);
    status = show(repository, info, as_json);
    cca_class_info_free(info);
    return status;
}

static int inspect_class(struct cca_repository *repository, const char *name, int as_json)
{
    const struct cca_class_info *info = cca_repository_find(repository, name);
    struct cca_error err = {0};

    if (info)
        return show(repository, info, as_json);
    return ccafe_complain(cca_repository_unknown(repository, name, &err) == -ENOMEM
                              ? CCA_EXIT_IO_OR_MEMORY
                              : CCA_EXIT_BAD_INPUT,
                          "%s", err.text);
}

static const char usage[] = "usage: ccafe inspect [--json] [--path DIR] CLASS|FILE.so\n";

int cmd_inspect(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'},
                                          {"path", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct cca_repository *repository = cca_repository_new();
    char *own = ccafe_component_dir();
    struct cca_error err = {0};
    int letter, as_json = 0, status = -1;

    if (!repository || !own)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    optind = 1;
    opterr = 0;
    while (status < 0 && (letter = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        if (letter == 'j')
            as_json = 1;
        else if (letter == 'h')
            status = fputs(usage, stdout) < 0 ? CCA_EXIT_IO_OR_MEMORY : CCA_EXIT_DONE;
        else if (letter != 'p')
            status = ccafe_bad_option(letter, argv);
        else if (cca_repository_path_append(repository, optarg, &err) < 0)
            status =
                ccafe_complain(ccafe_bad_directory(err.code), "--path: %s", err.text);
    }
    if (status < 0 && optind + 1 != argc)
        status = ccafe_complain(CCA_EXIT_MISUSE,
                                "inspect takes one CLASS or FILE.so, found %d arguments",
                                argc - optind);
    if (status < 0 && ccafe_component_path(repository, own, &err) < 0)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s", err.text);
    if (status < 0)
        status = is_file(argv[optind]) ? inspect_file(repository, argv[optind], as_json)
                                       : inspect_class(repository, argv[optind], as_json);
    cca_repository_free(repository);
    free(own);
    return status;
}
