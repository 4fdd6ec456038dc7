/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect_json.c: print a class as JSON. */
#include "framework/cmd/cmd.h"

void ccafe_inspect_json_methods(const struct ccafe_methods *methods)
{
    static const char *const kinds[] = {"param", "mode", "out", "hint"};

    printf(", \"methods\": [");
    for (size_t i = 0; i < methods->count; i++) {
        const struct ccafe_method *method = &methods->items[i];

        printf("%s{\"name\": ", i ? ", " : "");
        ccafe_json_string(method->name);
        printf(", \"measured\": %s, \"values\": [",
               method->unmeasured ? "false" : "true");
        for (size_t k = 0; k < method->value_count; k++) {
            printf("%s{\"name\": ", k ? ", " : "");
            ccafe_json_string(method->values[k].name);
            ccafe_json_member("kind", kinds[(unsigned)method->values[k].kind % 3]);
            ccafe_json_member("expression", method->values[k].expression);
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

    if (ccafe_inspect_methods(repository, info, type, &methods) == 0)
        ccafe_inspect_json_methods(&methods);
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
        ccafe_json_string(port->name);
        ccafe_json_member("type", port->type);
        printf(", \"size_bytes\": %zu, \"min_connections\": %d", port->size,
               port->min_connections);
        if (cca_class_signature(&info->cls, port->type))
            ccafe_json_member("prototypes", cca_class_signature(&info->cls, port->type));
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
        ccafe_json_string(param->name);
        ccafe_json_member("type", ccafe_type_name(param->type));
        ccafe_json_member("default", param->value);
        ccafe_json_member("low", param->low);
        ccafe_json_member("high", param->high);
        ccafe_json_member("choices", param->choices);
        ccafe_json_member("unit", param->unit);
        ccafe_json_member("help", param->help);
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
        ccafe_json_string(quality->name);
        /* JSON has no infinite numbers */
        if (quality->value - quality->value == 0)
            ccafe_json_number("value", quality->value);
        ccafe_json_member("compose", ccafe_compose_name(quality->compose));
        ccafe_json_member("command", quality->command);
        putchar('}');
        comma = ",\n    ";
    }
    putchar(']');
}

static void json_run_path(const struct cca_run_path *path)
{
    if (path->count == 0)
        return;
    printf(",\n  \"run_path\": [");
    for (size_t i = 0; i < path->count; i++) {
        printf("%s\n    {\"dir\": ", i ? "," : "");
        ccafe_json_string(path->items[i].dir);
        ccafe_json_member("finding", path->items[i].finding);
        putchar('}');
    }
    putchar(']');
}

void ccafe_inspect_json(const struct ccafe_inspected *inspected)
{
    const struct cca_repository *repository = inspected->repository;
    const struct cca_class_info *info = inspected->info;
    const struct cca_class *cls = &info->cls;

    printf("{\"schema\": \"ccafe/inspect/1\"");
    ccafe_json_member("class", cls->name);
    ccafe_json_member("summary", cls->summary);
    ccafe_json_member("file", info->file);
    ccafe_json_member("build_id", info->build_id);
    ccafe_json_member("proxy_for", cls->proxy_for);
    ccafe_json_member("serves", cls->serves);
    printf(", \"dynamic_ports\": %s", cls->flags & CCA_DYNAMIC_PORTS ? "true" : "false");
    json_run_path(&inspected->run_path);
    json_ports(repository, info, "provides", cls->provides);
    json_ports(repository, info, "uses", cls->uses);
    json_params(cls->params);
    json_quality(cls->quality);
    puts("}");
}
