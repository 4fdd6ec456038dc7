/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.c: write the C code of a proxy component. */
#include "tools/proxygen/emit/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/emit/emit_body.h"
#include "tools/proxygen/emit/emit_shadow.h"
#include "tools/proxygen/emit/emit_values.h"

/* --- One method ----------------------------------------------------------- */

/* Write the statement that runs when the proxy is called without a connected target. */
static void absent_statement(const struct pg_method *method, char *text, size_t size)
{
    const enum pg_class cls = method->result_value.cls;
    const char last = method->result[strlen(method->result) - 1];

    if (method->no_return)
        snprintf(text, size, "abort()");
    else if (pg_emit_is_void(method))
        snprintf(text, size, "return");
    else if (cls == PG_INTEGER && method->result_value.is_signed &&
             method->result_value.bits > 8)
        snprintf(text, size, "return -ENOTCONN");
    else if (cls != PG_OTHER)
        snprintf(text, size, "return 0");
    else if (last == '*')
        snprintf(text, size, "return NULL");
    else
        snprintf(text, size, "return (%s){0}", method->result);
}

/* Return the statements that choose the target of a call, a new string; NULL: out of
 * memory. */
static char *choose_statements(const struct pg_method *method, char **names,
                               size_t measured)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out,
            "    proxy_turn_choose(&pg_turn, &proxy->link, %zu, $in);\n"
            "    target = pg_turn.target->port;\n",
            measured);
    if (!pg_shadow_lacks(method)) {
        pg_shadow_args(out, method, names);
        fprintf(out,
                "    PROXY_SHADOW pg_shadow =\n"
                "        proxy_shadow_begin(&proxy->link, %zu, $in, pg_args);\n",
                measured);
    }
    fputs("    proxy_turn_start(&pg_turn);\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* The statements that end the choice of a target. */
static const char *chosen_statements(const struct pg_method *method)
{
    if (method->unmeasured || pg_shadow_lacks(method))
        return "    proxy_turn_end(&pg_turn, $out);\n";
    return pg_emit_is_void(method) ? "    proxy_turn_end(&pg_turn, $out);\n"
                                     "    proxy_shadow_end(&pg_shadow, NULL);\n"
                                   : "    proxy_turn_end(&pg_turn, $out);\n"
                                     "    proxy_shadow_end(&pg_shadow, &pg_result);\n";
}

/* Write the body of a method's function; `chosen`: of that whose calls choose their
 * target. */
static int put_body(FILE *out, const struct pg_method *method, char **names,
                    size_t measured, int chosen)
{
    char absent[600], function[600], *choose = NULL;
    struct pg_emit_body body = {
        .method = method,
        .names = {.args = (const char *const *)names,
                  .result = "pg_result",
                  .memory = "&proxy_handles, proxy",
                  .target = "target"},
        .recorded = method->unmeasured ? NULL : "monitor_method_on(method)",
        .absent = absent,
        .begin = "PROXY_CALL pg_call = proxy_begin(proxy->link.monitor, method",
        .kind = "proxy",
        .function = function,
        .first = "target",
        .ends = method->no_return};

    absent_statement(method, absent, sizeof absent);
    snprintf(function, sizeof function, "target->%s", method->name);
    if (chosen) {
        choose = choose_statements(method, names, measured);
        if (!choose)
            return -ENOMEM;
        body.recorded = NULL;
        body.absent = NULL;
        body.choose = method->unmeasured ? NULL : choose;
        body.chosen = chosen_statements(method);
        body.begin = "PROXY_CALL pg_call = proxy_begin(pg_turn.monitor, pg_turn.method";
    }
    pg_emit_body(out, &body);
    free(choose);
    return 0;
}

/* Write a function of one method; `measured` is the number of measured methods before
 * it. */
static int put_method(FILE *out, const struct pg_port *port,
                      const struct pg_method *method, size_t measured, int chosen)
{
    static const char *const own[] = {"self",    "proxy",  "target", "method",   "NULL",
                                      "int64_t", "double", "abort",  "ENOTCONN", NULL};
    static const char *const beginnings[] = {"pg_",    "proxy_", "monitor_",
                                             "PROXY_", "cca_",   NULL};
    char **names = pg_emit_names(method, &(struct pg_emit_words){own, beginnings});
    char self[600];
    int column, status;

    if (!names)
        return -ENOMEM;
    snprintf(self, sizeof self, "struct %s *self", port->name);
    if (method->no_return)
        fputs("__attribute__((noreturn))\n", out);
    column =
        fprintf(out, "static %s%s%s_%s_%s(", method->result, pg_emit_gap(method->result),
                port->name, chosen ? "chosen" : "proxy", method->name);
    pg_emit_list(out,
                 &(struct pg_emit_list){.method = method,
                                        .names = (const char *const *)names,
                                        .types = 1,
                                        .first = self},
                 column, 4);
    pg_emit_text(out,
                 ")\n{\n"
                 "    struct $port_proxy *proxy = proxy_of(self);\n"
                 "$turn"
                 "    struct $port *target = $target;\n",
                 "port", port->name, "turn",
                 chosen ? "    PROXY_TURN pg_turn = proxy_turn_enter(&proxy->link);\n"
                        : "",
                 "target", chosen ? "pg_turn.target->port" : "proxy->link.target", NULL);
    if (!method->unmeasured && !chosen)
        fprintf(out, "    struct monitor_method *method = proxy->methods[%zu];\n",
                measured);
    fputc('\n', out);
    status = put_body(out, method, names, measured, chosen);
    fputs(method->no_return ? "    __builtin_trap();\n}\n\n" : "}\n\n", out);
    pg_emit_names_free(names, method);
    return status;
}

static int put_methods(FILE *out, const struct pg_port *port)
{
    size_t measured = 0;
    int status = 0;

    for (size_t i = 0; i < port->method_count && status == 0; i++) {
        status = put_method(out, port, &port->methods[i], measured, 0);
        if (!status)
            status = put_method(out, port, &port->methods[i], measured, 1);
        measured += !port->methods[i].unmeasured;
    }
    return status;
}

/* --- The component -------------------------------------------------------- */

static const char opening[] =
    "/* Generated by proxygen " PG_VERSION
    ": the proxy of struct $port. Do not edit. */\n"
    "#include \"proxies/proxy.h\"\n\n"
    "#include \"$include\"\n"
    "#include \"proxies/header_end.h\"\n\n"
    "struct $port_proxy {\n"
    "    struct $port port; /* what users hold */\n"
    "    struct proxy_link link;\n"
    "    struct monitor_method *methods[$measured];\n"
    "    struct proxy_state state;\n"
    "};\n\n"
    "static struct $port_proxy *proxy_of(struct $port *port)\n"
    "{\n"
    "    return cca_container_of(port, struct $port_proxy, port);\n"
    "}\n\n";

static const char table[] = "\nCCA_EXPORT const struct proxy_table cca_proxy_table = {\n"
                            "    .abi = PROXY_TABLE_ABI,\n"
                            "    .size = sizeof(struct proxy_table),\n"
                            "    .port_type = $PORT_TYPE,\n"
                            "    .port_size = sizeof(struct $port),\n"
                            "    .methods = proxy_methods,\n"
                            "    .method_count = $methods,\n"
                            "};\n\n";

static const char attach_begin[] =
    "/* A method that the target leaves NULL is NULL here too. */\n"
    "static void attach_$port_proxy(struct proxy_state *state)\n"
    "{\n"
    "    struct $port_proxy *proxy =\n"
    "        cca_container_of(state, struct $port_proxy, state);\n"
    "    const struct $port *target = proxy->link.target;\n\n";

static const char attach_one[] =
    "    proxy->port.$method = target && !target->$method ? NULL\n"
    "                          : proxy->link.dispatch ? $port_chosen_$method\n"
    "                                                 : $port_proxy_$method;\n";

static const char component[] =
    "}\n\n"
    "static int wire_$port_proxy(\n"
    "    void *self,\n"
    "    struct cca_services *services,\n"
    "    struct cca_error *err)\n"
    "{\n"
    "    struct $port_proxy *proxy = self;\n\n"
    "    proxy->state.table = &cca_proxy_table;\n"
    "    proxy->state.port = &proxy->port.base;\n"
    "    proxy->state.link = &proxy->link;\n"
    "    proxy->state.methods = proxy->methods;\n"
    "    proxy->state.attach = attach_$port_proxy;\n"
    "    proxy->state.shadowed = proxy_shadowed;\n"
    "    return proxy_set_services(&proxy->state, services, err);\n"
    "}\n\n"
    "static const struct cca_port_decl proxy_provides[] = {\n"
    "    {\"port\", $PORT_TYPE, sizeof(struct $port), 0, 0, 0},\n"
    "    {DISPATCH_PORT_NAME, DISPATCH_PORT_TYPE, sizeof(struct dispatch_port), 0, 0,\n"
    "     CCA_PORT_NO_PROXY},\n"
    "    {SHADOW_PORT_NAME, SHADOW_PORT_TYPE, sizeof(struct shadow_port), 0, 0,\n"
    "     CCA_PORT_NO_PROXY},\n"
    "    {SLOT_PORT_NAME, SLOT_PORT_TYPE, sizeof(struct slot_port), 0, 0,\n"
    "     CCA_PORT_NO_PROXY},\n"
    "    {NULL, NULL, 0, 0, 0, 0},\n"
    "};\n\n"
    "static const struct cca_signature proxy_signatures[] = {\n"
    "    {$PORT_TYPE, \"$signature\"},\n"
    "    {NULL, NULL},\n"
    "};\n\n"
    "static const struct cca_port_decl proxy_uses[] = {\n"
    "    {\"port\", $PORT_TYPE, sizeof(struct $port), 1, 1, 0},\n"
    "    {\"monitor\", MONITOR_PORT_TYPE, sizeof(struct monitor_port), 1, 1, 0},\n"
    "    {\"events\", CONNECTION_EVENT_PORT_TYPE,\n"
    "     sizeof(struct connection_event_port), 0, 1, 0},\n"
    "    {NULL, NULL, 0, 0, 0, 0},\n"
    "};\n\n"
    "CCA_EXPORT const struct cca_class cca_class = {\n"
    "    CCA_CLASS(struct $port_proxy, state.services),\n"
    "    .name = \"$port_proxy\",\n"
    "    .summary = \"proxy of \" $PORT_TYPE,\n"
    "    .provides = proxy_provides,\n"
    "    .uses = proxy_uses,\n"
    "    .proxy_for = $PORT_TYPE,\n"
    "    .set_services = wire_$port_proxy,\n"
    "    .signatures = proxy_signatures,\n"
    "};\n";

int pg_emit_proxy(FILE *out, const struct pg_port *port, const char *include)
{
    char *upper = pg_emit_upper(port->name), methods[24], measured[24];
    size_t count = 0;
    int status;

    if (!upper)
        return -ENOMEM;
    for (size_t i = 0; i < port->method_count; i++)
        count += !port->methods[i].unmeasured;
    snprintf(methods, sizeof methods, "%zu", port->method_count);
    snprintf(measured, sizeof measured, "%zu", count ? count : 1);
    pg_emit_text(out, opening, "port", port->name, "include", include, "measured",
                 measured, NULL);
    status = pg_emit_value_tables(out, port, "proxy_");
    pg_emit_method_table(out, port, "proxy_");
    pg_emit_text(out, table, "port", port->name, "PORT", upper, "methods", methods, NULL);
    if (pg_emit_keeps(port))
        fputs("static struct proxy_memory proxy_handles;\n\n", out);
    if (status == 0)
        status = pg_emit_shadow(out, port);
    if (status == 0)
        status = put_methods(out, port);
    pg_emit_text(out, attach_begin, "port", port->name, NULL);
    for (size_t i = 0; i < port->method_count; i++)
        pg_emit_text(out, attach_one, "port", port->name, "method", port->methods[i].name,
                     NULL);
    pg_emit_text(out, component, "port", port->name, "PORT", upper, "signature",
                 port->signature, NULL);
    free(upper);
    return status;
}
