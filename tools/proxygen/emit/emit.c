/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.c: the C of a proxy component.
 *
 * Everything written is either a part of the templates here, a checked name or type, a
 * number, an expression printed from its tree, or an escaped string. */
#include "tools/proxygen/emit/emit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/emit/emit_names.h"
#include "tools/proxygen/emit/emit_values.h"
#include "tools/proxygen/perf/expr.h"

enum { COLUMNS = 90 };

struct emitter {
    FILE *out;
    const struct pg_port *port;
    const struct pg_method *method;
    char **names; /* names of the arguments of `method` in the code */
    int column;   /* of the line being written with put_text() */
    int failed;   /* out of memory */
};

/* --- Lines that break between items --------------------------------------- */

/* Write text without newlines, keeping the column. */
static void put_text(struct emitter *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_text(struct emitter *e, const char *format, ...)
{
    va_list args;
    int written;

    va_start(args, format);
    written = vfprintf(e->out, format, args);
    va_end(args);
    e->column += written > 0 ? written : 0;
}

static void end_line(struct emitter *e)
{
    fputc('\n', e->out);
    e->column = 0;
}

/* Write an item of a list that was opened at column `indent`, with what follows it. */
static void put_item(struct emitter *e, int indent, const char *text, const char *after)
{
    if (e->column > indent) {
        if (e->column + 1 + (int)strlen(text) + (int)strlen(after) > COLUMNS) {
            end_line(e);
            put_text(e, "%*s", indent, "");
        } else {
            put_text(e, " ");
        }
    }
    put_text(e, "%s%s", text, after);
}

/* --- Names of arguments --------------------------------------------------- */

/* True where an argument of that name would hide a word that the function needs. */
static int name_is_taken(const struct emitter *e, const char *name, size_t own)
{
    static const char *const names[] = {
        "self",   "proxy",   "target", "method", "in",       "out",      "call",
        "result", "int64_t", "double", "NULL",   "offsetof", "ENOTCONN", NULL};
    static const char *const none[] = {NULL};

    if (pg_emit_hides(e->method, name, &(struct pg_emit_words){names, none}))
        return 1;
    for (size_t i = 0; i < e->method->arg_count; i++)
        if (i != own &&
            strcmp(name, e->names[i] ? e->names[i] : e->method->args[i].name) == 0)
            return 1;
    return 0;
}

/* True for names like those of proxies/proxy.h. */
static int of_ours(const char *name)
{
    return strncmp(name, "proxy_", 6) == 0 || strncmp(name, "monitor_", 8) == 0 ||
           strncmp(name, "PROXY_", 6) == 0 || strncmp(name, "cca_", 4) == 0;
}

static void free_names(struct emitter *e)
{
    for (size_t i = 0; e->names && i < e->method->arg_count; i++)
        free(e->names[i]);
    free(e->names);
    e->names = NULL;
}

/* Names of the arguments: those of the header, with "arg_" before or '_' behind them
 * where they would hide something. */
static int make_names(struct emitter *e)
{
    size_t count = e->method->arg_count;

    e->names = calloc(count + 1, sizeof *e->names);
    for (size_t i = 0; e->names && i < count; i++) {
        const char *name = e->method->args[i].name;
        size_t length = strlen(name), room = length + count + 64;

        e->names[i] = calloc(1, room);
        if (!e->names[i])
            break;
        length = (size_t)snprintf(e->names[i], room, "%s%s", of_ours(name) ? "arg_" : "",
                                  name);
        while (name_is_taken(e, e->names[i], i) && length + 1 < room)
            e->names[i][length++] = '_';
    }
    if (e->names && (count == 0 || e->names[count - 1]))
        return 0;
    free_names(e);
    e->failed = 1;
    return -ENOMEM;
}

/* --- One method ----------------------------------------------------------- */

/* "TYPE NAME", with no blank behind a '*'. */
static void declared(char *text, size_t size, const char *type, const char *name)
{
    size_t length = strlen(type);

    snprintf(text, size, "%s%s%s", type, length && type[length - 1] == '*' ? "" : " ",
             name);
}

static void put_head(struct emitter *e)
{
    const struct pg_method *method = e->method;
    size_t size = 1024;
    char text[1024], name[512];
    int indent;

    snprintf(name, sizeof name, "%s_proxy_%s(", e->port->name, method->name);
    declared(text, size, method->result, name);
    if (method->no_return)
        fputs("__attribute__((noreturn))\n", e->out);
    put_text(e, "static %s", text);
    indent = e->column;
    snprintf(text, size, "struct %s *self", e->port->name);
    put_item(e, indent, text, method->arg_count ? "," : ")");
    for (size_t i = 0; i < method->arg_count; i++) {
        declared(text, size, method->args[i].type, e->names[i]);
        put_item(e, indent, text, i + 1 < method->arg_count ? "," : ")");
    }
    end_line(e);
    fputs("{\n", e->out);
}

/* "BEFORE target->METHOD(target, ...);" */
static void put_forward(struct emitter *e, int indent, const char *before)
{
    const struct pg_method *method = e->method;

    put_text(e, "%*s%starget->%s(", indent, "", before, method->name);
    indent = e->column;
    put_item(e, indent, "target", method->arg_count ? "," : ");");
    for (size_t i = 0; i < method->arg_count; i++)
        put_item(e, indent, e->names[i], i + 1 < method->arg_count ? "," : ");");
    end_line(e);
}

static int is_void(const struct pg_method *method)
{
    return strcmp(method->result, "void") == 0;
}

/* The result of a method without a target. */
static void put_absent(struct emitter *e, int indent)
{
    const struct pg_method *method = e->method;
    size_t length = strlen(method->result);

    if (method->no_return) {
        fprintf(e->out, "%*sif (!target)\n%*sabort();\n", indent, "", indent + 4, "");
        return;
    }
    fprintf(e->out, "%*sif (!target)\n%*sreturn", indent, "", indent + 4, "");
    if (is_void(method))
        fputs(";\n", e->out);
    else if (method->result_value.cls == PG_INTEGER && method->result_value.is_signed &&
             method->result_value.bits > 8)
        fputs(" -ENOTCONN;\n", e->out);
    else if (method->result_value.cls != PG_OTHER)
        fputs(" 0;\n", e->out);
    else if (method->result[length - 1] == '*')
        fputs(" NULL;\n", e->out);
    else
        fprintf(e->out, " (%s){0};\n", method->result);
}

static struct pg_c_names names_of(const struct emitter *e)
{
    return (struct pg_c_names){.args = (const char *const *)e->names,
                               .result = "result",
                               .memory = "&proxy_handles, proxy",
                               .target = "target"};
}

/* {.i = ...} of one value, new; NULL: out of memory. */
static char *value_text(const struct emitter *e, const struct pg_value *value)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if (memory) {
        const struct pg_c_names names = names_of(e);

        fprintf(memory, "{.%c = ", value->expr->cls == PG_FLOATING ? 'd' : 'i');
        pg_value_print_c(memory, value, e->method, &names);
        fputc('}', memory);
    }
    if (memory && fclose(memory) == 0)
        return text;
    free(text);
    return NULL;
}

/* const union monitor_value NAME[] = {...}; of `count` values from `first` on: on one
 * line, or on lines of their own. */
static void put_values(struct emitter *e, const char *name, size_t first, size_t count)
{
    char *texts[MONITOR_MAX_IN > MONITOR_MAX_OUT ? MONITOR_MAX_IN : MONITOR_MAX_OUT] = {
        NULL};
    size_t width = 0;

    for (size_t i = 0; i < count; i++) {
        texts[i] = value_text(e, &e->method->values[first + i]);
        if (!texts[i])
            e->failed = 1;
        width += texts[i] ? strlen(texts[i]) + 2 : 0;
    }
    const struct pg_c_names names = {.args = (const char *const *)e->names,
                                     .result = "result"};

    pg_emit_float_save(e->out, e->method, &names, name, first, count);
    put_text(e, "    const union monitor_value %s[] = {", name);
    int indent = e->column;
    if (indent + width > COLUMNS) {
        end_line(e);
        indent = 8;
        put_text(e, "%*s", indent, "");
    }
    for (size_t i = 0; i < count && texts[i]; i++)
        put_item(e, indent, texts[i], i + 1 < count ? "," : indent == 8 ? "" : "};");
    end_line(e);
    if (indent == 8)
        fputs("    };\n", e->out);
    pg_emit_float_restore(e->out, e->method, name, first, count);
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
}

/* "TYPE result = " and the call, or the call alone. */
static void put_result(struct emitter *e, int indent)
{
    char before[600];

    declared(before, sizeof before, e->method->result, "result = ");
    put_forward(e, indent, is_void(e->method) ? "" : before);
}

/* A call without measuring; values about handles are remembered nevertheless. */
static void put_plain(struct emitter *e, int indent)
{
    const struct pg_method *method = e->method;
    const struct pg_c_names names = names_of(e);

    put_absent(e, indent);
    if (!method->keep_count) {
        put_forward(e, indent, is_void(method) ? "" : "return ");
        return;
    }
    pg_emit_kept_gets(e->out, method, &names, 0, indent);
    pg_emit_forgets(e->out, method, &names, indent);
    put_result(e, indent);
    pg_emit_kept_gets(e->out, method, &names, 1, indent);
    pg_emit_remembers(e->out, method, &names, indent);
    if (!is_void(method))
        fprintf(e->out, "%*sreturn result;\n", indent, "");
}

static void put_measured(struct emitter *e, size_t index)
{
    const struct pg_method *method = e->method;
    const struct pg_c_names names = names_of(e);
    size_t in_count = pg_method_in_count(method),
           out_count = method->value_count - in_count;
    int later = pg_emit_gets_after(method);

    fprintf(e->out,
            "    struct %s_proxy *proxy = proxy_of(self);\n"
            "    struct %s *target = proxy->link.target;\n"
            "    struct monitor_method *method = proxy->methods[%zu];\n\n"
            "    if (!monitor_method_on(method)) {\n",
            e->port->name, e->port->name, index);
    put_plain(e, 8);
    fprintf(e->out, "%s    }\n\n",
            is_void(method) && !method->no_return ? "        return;\n" : "");
    pg_emit_gets(e->out, method, &names, 0, 4);
    if (in_count)
        put_values(e, "in", 0, in_count);
    pg_emit_forgets(e->out, method, &names, 4);
    fprintf(e->out,
            "    PROXY_CALL call = proxy_begin(proxy->link.monitor, method, %s);\n",
            in_count ? "in" : "NULL");
    put_result(e, 4);
    if (later)
        fputs("    const uint64_t proxy_ended = proxy_now(&call);\n", e->out);
    pg_emit_gets(e->out, method, &names, 1, 4);
    if (out_count)
        put_values(e, "out", in_count, out_count);
    fprintf(e->out, "\n    proxy_end%s(&call, %s%s);\n", later ? "_at" : "",
            out_count ? "out" : "NULL", later ? ", proxy_ended" : "");
    pg_emit_remembers(e->out, method, &names, 4);
    if (!is_void(method))
        fputs("    return result;\n", e->out);
}

static void put_unmeasured(struct emitter *e)
{
    fprintf(e->out,
            "    struct %s_proxy *proxy = proxy_of(self);\n"
            "    struct %s *target = proxy->link.target;\n\n",
            e->port->name, e->port->name);
    put_plain(e, 4);
}

static void put_methods(struct emitter *e)
{
    size_t measured = 0;

    for (size_t i = 0; i < e->port->method_count; i++) {
        e->method = &e->port->methods[i];
        if (make_names(e) < 0)
            return;
        put_head(e);
        if (e->method->unmeasured)
            put_unmeasured(e);
        else
            put_measured(e, measured++);
        fputs(e->method->no_return ? "    __builtin_trap();\n}\n\n" : "}\n\n", e->out);
        free_names(e);
    }
}

/* --- Tables --------------------------------------------------------------- */

/* The tables of one method, for tools and the monitor. */
static void put_method_tables(struct emitter *e)
{
    const struct pg_method *method = e->method;

    if (method->arg_count) {
        fprintf(e->out, "static const struct proxy_table_arg proxy_args_%s[] = {\n",
                method->name);
        for (size_t i = 0; i < method->arg_count; i++)
            fprintf(e->out, "    {\"%s\", \"%s\"},\n", method->args[i].name,
                    method->args[i].type);
        fputs("};\n", e->out);
    }
    if (pg_emit_value_tables(e->out, method, "proxy_", method->name) < 0)
        e->failed = 1;
}

static void put_method_row(struct emitter *e)
{
    const struct pg_method *method = e->method;
    size_t in_count = pg_method_in_count(method);
    char text[600];

    put_text(e, "    {");
    snprintf(text, sizeof text, "\"%s\", \"%s\"", method->name, method->result);
    put_item(e, 5, text, ",");
    snprintf(text, sizeof text, "%s%s", method->arg_count ? "proxy_args_" : "NULL",
             method->arg_count ? method->name : "");
    put_item(e, 5, text, ",");
    snprintf(text, sizeof text, "%zu", method->arg_count);
    put_item(e, 5, text, ",");
    snprintf(text, sizeof text, "%s%s", method->value_count ? "proxy_values_" : "NULL",
             method->value_count ? method->name : "");
    put_item(e, 5, text, ",");
    snprintf(text, sizeof text, "%zu, %zu, %d", in_count, method->value_count - in_count,
             method->unmeasured);
    put_item(e, 5, text, "},");
    end_line(e);
}

static void put_upper(struct emitter *e, const char *name)
{
    for (; *name; name++)
        fputc(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, e->out);
}

static void put_tables(struct emitter *e)
{
    const struct pg_port *port = e->port;

    for (size_t i = 0; i < port->method_count; i++) {
        e->method = &port->methods[i];
        put_method_tables(e);
    }
    fputs("static const struct proxy_table_method proxy_methods[] = {\n", e->out);
    for (size_t i = 0; i < port->method_count; i++) {
        e->method = &port->methods[i];
        put_method_row(e);
    }
    fputs("};\n\nCCA_EXPORT const struct proxy_table cca_proxy_table = {\n"
          "    .abi = PROXY_TABLE_ABI,\n    .size = sizeof(struct proxy_table),\n"
          "    .port_type = ",
          e->out);
    put_upper(e, port->name);
    fprintf(e->out,
            "_TYPE,\n    .port_size = sizeof(struct %s),\n"
            "    .methods = proxy_methods,\n    .method_count = %zu,\n};\n\n",
            port->name, port->method_count);
}

/* --- The component -------------------------------------------------------- */

static void put_attach(struct emitter *e)
{
    const char *name = e->port->name;

    fprintf(e->out,
            "/* A method that the target leaves NULL is NULL here too. */\n"
            "static void attach_%s_proxy(struct proxy_state *state)\n{\n"
            "    struct %s_proxy *proxy =\n"
            "        cca_container_of(state, struct %s_proxy, state);\n"
            "    const struct %s *target = proxy->link.target;\n\n",
            name, name, name, name);
    for (size_t i = 0; i < e->port->method_count; i++) {
        const char *method = e->port->methods[i].name;
        char text[600];

        put_text(e, "    proxy->port.%s =", method);
        snprintf(text, sizeof text, "!target || target->%s", method);
        put_item(e, 8, text, "");
        snprintf(text, sizeof text, "? %s_proxy_%s", name, method);
        put_item(e, 8, text, "");
        put_item(e, 8, ": NULL", ";");
        end_line(e);
    }
    fputs("}\n\n", e->out);
}

static void put_life(struct emitter *e)
{
    const char *name = e->port->name;
    int indent;

    put_attach(e);
    put_text(e, "static int wire_%s_proxy(", name);
    indent = e->column;
    put_item(e, indent, "void *self", ",");
    put_item(e, indent, "struct cca_services *services", ",");
    put_item(e, indent, "struct cca_error *err", ")");
    end_line(e);
    fprintf(e->out,
            "{\n"
            "    struct %s_proxy *proxy = self;\n\n"
            "    proxy->state.table = &cca_proxy_table;\n"
            "    proxy->state.port = &proxy->port.base;\n"
            "    proxy->state.link = &proxy->link;\n"
            "    proxy->state.methods = proxy->methods;\n"
            "    proxy->state.attach = attach_%s_proxy;\n"
            "    return proxy_set_services(&proxy->state, services, err);\n"
            "}\n\n",
            name, name);
}

static void put_class(struct emitter *e)
{
    const char *name = e->port->name;

    fputs("static const struct cca_port_decl proxy_provides[] = {\n    {\"port\", ",
          e->out);
    put_upper(e, name);
    fprintf(e->out,
            "_TYPE, sizeof(struct %s), 0, 0, 0},\n    {NULL, NULL, 0, 0, 0, 0},\n};\n\n"
            "static const struct cca_signature proxy_signatures[] = {\n    {",
            name);
    put_upper(e, name);
    fprintf(e->out,
            "_TYPE, \"%s\"},\n    {NULL, NULL},\n};\n\n"
            "static const struct cca_port_decl proxy_uses[] = {\n    {\"port\", ",
            e->port->signature);
    put_upper(e, name);
    fprintf(
        e->out,
        "_TYPE, sizeof(struct %s), 1, 1, 0},\n"
        "    {\"monitor\", MONITOR_PORT_TYPE, sizeof(struct monitor_port), 1, 1, 0},\n"
        "    {\"events\", CONNECTION_EVENT_PORT_TYPE, sizeof(struct "
        "connection_event_port), "
        "0, 1,\n     0},\n"
        "    {NULL, NULL, 0, 0, 0, 0},\n};\n\n"
        "CCA_EXPORT const struct cca_class cca_class = {\n"
        "    CCA_CLASS(struct %s_proxy, state.services),\n"
        "    .name = \"%s_proxy\",\n    .summary = \"proxy of \" ",
        name, name, name);
    put_upper(e, name);
    fputs("_TYPE,\n    .provides = proxy_provides,\n    .uses = proxy_uses,\n"
          "    .proxy_for = ",
          e->out);
    put_upper(e, name);
    fprintf(e->out,
            "_TYPE,\n    .set_services = wire_%s_proxy,\n"
            "    .signatures = proxy_signatures,\n};\n",
            name);
}

static size_t measured_count(const struct pg_port *port)
{
    size_t count = 0;

    for (size_t i = 0; i < port->method_count; i++)
        count += !port->methods[i].unmeasured;
    return count;
}

int pg_emit_proxy(FILE *out, const struct pg_port *port, const char *include)
{
    struct emitter e = {.out = out, .port = port};
    size_t measured = measured_count(port);

    fprintf(out,
            "/* Generated by proxygen %s: the proxy of struct %s. Do not edit. */\n"
            "#include \"proxies/proxy.h\"\n\n"
            "#include \"%s\"\n"
            "#include \"proxies/header_end.h\"\n\n"
            "struct %s_proxy {\n"
            "    struct %s port; /* what users hold */\n"
            "    struct proxy_link link;\n"
            "    struct monitor_method *methods[%zu];\n"
            "    struct proxy_state state;\n"
            "};\n\n",
            PG_VERSION, port->name, include, port->name, port->name,
            measured ? measured : 1);
    fprintf(out,
            "static struct %s_proxy *proxy_of(struct %s *port)\n"
            "{\n"
            "    return cca_container_of(port, struct %s_proxy, port);\n"
            "}\n\n",
            port->name, port->name, port->name);
    put_tables(&e);
    if (pg_emit_keeps(port))
        fputs("static struct proxy_memory proxy_handles;\n\n", out);
    put_methods(&e);
    put_life(&e);
    put_class(&e);
    return e.failed ? -ENOMEM : 0;
}
