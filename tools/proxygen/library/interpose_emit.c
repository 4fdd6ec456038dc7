/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_emit.c: the C of an interposition library.
 *
 * As in emit.c, everything written is a part of the templates here, a checked name or
 * type, a number, an expression printed from its tree, or an escaped string. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/emit/emit_names.h"
#include "tools/proxygen/emit/emit_values.h"
#include "tools/proxygen/library/interpose.h"
#include "tools/proxygen/perf/word.h"

struct emitter {
    FILE *out;
    const struct pg_method *method;
    size_t index; /* of the method */
    char **names; /* names of the arguments in the code */
};

/* --- Names ---------------------------------------------------------------- */

static void free_names(struct emitter *e)
{
    for (size_t i = 0; e->names && i < e->method->arg_count; i++)
        free(e->names[i]);
    free(e->names);
    e->names = NULL;
}

static int make_names(struct emitter *e)
{
    const char *const own[] = {"int64_t",   "double",        "NULL",
                               "pg_result", e->method->name, NULL};
    static const char *const beginnings[] = {"pg_", "interpose", "proxy_", "INTERPOSE_",
                                             NULL};
    const struct pg_emit_words words = {own, beginnings};

    e->names = calloc(e->method->arg_count + 1, sizeof *e->names);
    for (size_t i = 0; e->names && i < e->method->arg_count; i++)
        if (!(e->names[i] = pg_emit_arg_name(e->method, i, &words))) {
            free_names(e);
            return -ENOMEM;
        }
    return e->names ? 0 : -ENOMEM;
}

/* --- Tables --------------------------------------------------------------- */

/* Qualities of the library, from the sidecar. */
static void put_qualities(FILE *out, const struct pg_port *port)
{
    if (!port->quality_count)
        return;
    fputs("static const struct interpose_quality pg_qualities[] = {\n", out);
    for (size_t i = 0; i < port->quality_count; i++)
        fprintf(out, "    {\"%s\", %.17g, %d},\n", port->qualities[i].name,
                port->qualities[i].value, port->qualities[i].compose);
    fputs("};\n\n", out);
}

static void put_function_rows(FILE *out, const struct pg_port *port)
{
    fputs("static struct interpose_function pg_functions[] = {\n", out);
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];
        size_t in_count = pg_method_in_count(method);
        char values[40] = "NULL";

        if (method->value_count)
            snprintf(values, sizeof values, "pg_values_%zu", i);
        fprintf(out, "    {\"%s\", \"%s\", %s, %zu, %zu, {NULL}, %s, 0},\n", method->name,
                method->symbol, values, in_count, method->value_count - in_count,
                method->unmeasured ? "&interpose_off" : "NULL");
    }
    fputs("};\n\nstatic struct interpose_library pg_library = {\n"
          "    INTERPOSE_ABI, sizeof(struct interpose_library), ",
          out);
    pg_word_literal(out, port->name);
    fprintf(out, ", NULL, NULL,\n    pg_functions, %zu, NULL, NULL, %s, %zu,\n};\n\n",
            port->method_count, port->quality_count ? "pg_qualities" : "NULL",
            port->quality_count);
}

/* Functions that are called only to get numbers. */
static void put_getter_rows(FILE *out, const struct pg_port *port)
{
    if (!port->getter_count)
        return;
    fputs("static struct interpose_function pg_getters[] = {\n", out);
    for (size_t i = 0; i < port->getter_count; i++)
        fprintf(out, "    {\"%s\", \"%s\", NULL, 0, 0, {NULL}, NULL, 0},\n",
                port->getters[i]->name, port->getters[i]->symbol);
    fputs("};\n\n", out);
}

/* The table of methods, which tools read from the file without running it. */
static void put_table(FILE *out, const struct pg_port *port)
{
    pg_emit_method_table(out, port, "pg_");
    fputs("INTERPOSE_EXPORT const struct proxy_table mm_interpose_table = {\n"
          "    PROXY_TABLE_ABI, sizeof(struct proxy_table), ",
          out);
    pg_word_literal(out, port->name);
    fprintf(out, ", 0, pg_methods, %zu,\n};\n\n", port->method_count);
}

/* Functions that are called in place of variadic ones, by the index of those. */
static void put_forward_rows(FILE *out, const struct pg_port *port)
{
    int any = 0;

    for (size_t i = 0; i < port->method_count; i++) {
        const char *forward = port->methods[i].forward;

        if (forward && !any++)
            fputs("static struct interpose_function pg_forwards[] = {\n", out);
        if (forward)
            fprintf(out, "    [%zu] = {\"%s\", \"%s\", NULL, 0, 0, {NULL}, NULL, 0},\n",
                    i, forward, port->methods[i].forward_symbol);
    }
    fputs(any ? "};\n\n" : "", out);
}

/* --- Functions ------------------------------------------------------------ */

/* "TYPE NAME", one a line, and the lengths that Fortran passes on; `named`: with the
 * names. */
static void put_args(const struct emitter *e, int named)
{
    const struct pg_method *method = e->method;
    const char *between = "";

    for (size_t i = 0; i < method->arg_count; i++) {
        fprintf(e->out, "%s\n    %s%s%s", between, method->args[i].type,
                named ? pg_emit_gap(method->args[i].type) : "", named ? e->names[i] : "");
        between = ",";
    }
    for (int i = 1; i <= method->lengths; i++) {
        fprintf(e->out, "%s\n    size_t", between);
        if (named)
            fprintf(e->out, " pg_length%d", i);
        between = ",";
    }
    fputs(method->forward ? ",\n    ...)" : *between ? ")" : "void)", e->out);
}

/* With its types, not the header's: they may have other names for other compilers. The
 * header's are asked for the way in which variadic functions are called. */
static void put_forward(const struct emitter *e)
{
    const struct pg_method *method = e->method;
    const char *between = "";

    if (method->forward)
        fprintf(e->out, "((__typeof__(&%s))pg_forwards[%zu].real.call)(", method->forward,
                e->index);
    else if (method->has_rest)
        fprintf(e->out, "((__typeof__(&%s))interpose_real(pg_function, pg_caller))(",
                method->name);
    else
        fprintf(e->out,
                "((__typeof__(&pg_fn_%zu))interpose_real(pg_function, pg_caller))(",
                e->index);
    for (size_t i = 0; i < method->arg_count; i++, between = ", ")
        fprintf(e->out, "%s%s", between, e->names[i]);
    for (int i = 1; i <= method->lengths; i++, between = ", ")
        fprintf(e->out, "%spg_length%d", between, i);
    fputs(method->forward ? ", pg_list);\n" : ");\n", e->out);
}

static const char *const memory_name = "&pg_memory, NULL";

/* "TYPE pg_result = " and the call, or the call alone. */
static void put_result(const struct emitter *e, int indent)
{
    const struct pg_method *method = e->method;

    if (method->forward)
        fprintf(e->out, "%*sva_list pg_list;\n%*sva_start(pg_list, %s);\n", indent, "",
                indent, "", e->names[method->arg_count - 1]);
    if (strcmp(method->result, "void") == 0)
        fprintf(e->out, "%*s", indent, "");
    else
        fprintf(e->out, "%*s%s%spg_result = ", indent, "", method->result,
                pg_emit_gap(method->result));
    put_forward(e);
    if (method->forward)
        fprintf(e->out, "%*sva_end(pg_list);\n", indent, "");
}

/* A call without measuring; values about handles are remembered nevertheless. */
static void put_unmeasured(const struct emitter *e, const struct pg_c_names *names)
{
    const struct pg_method *method = e->method;
    int is_void = strcmp(method->result, "void") == 0;

    if (!method->keep_count && !method->forward) {
        fprintf(e->out, "        %s", is_void ? "" : "return ");
        put_forward(e);
        fputs(is_void ? "        return;\n" : "", e->out);
        return;
    }
    pg_emit_kept_gets(e->out, method, names, 0, 8);
    pg_emit_forgets(e->out, method, names, 8);
    put_result(e, 8);
    pg_emit_kept_gets(e->out, method, names, 1, 8);
    pg_emit_remembers(e->out, method, names, 8);
    fprintf(e->out, "        return%s;\n", is_void ? "" : " pg_result");
}

static void put_measured(const struct emitter *e, const struct pg_c_names *names)
{
    const struct pg_method *method = e->method;
    size_t in_count = pg_method_in_count(method),
           out_count = method->value_count - in_count;
    int later = pg_emit_gets_after(method);

    pg_emit_gets(e->out, method, names, 0, 4);
    if (in_count)
        pg_emit_values(e->out, method, names, "pg_in", 0, in_count);
    pg_emit_forgets(e->out, method, names, 4);
    fprintf(
        e->out,
        "    INTERPOSE_CALL pg_call = interpose_begin(&pg_library, pg_function, %s);\n",
        in_count ? "pg_in" : "NULL");
    put_result(e, 4);
    if (later)
        fputs("    const uint64_t pg_ended = interpose_now(&pg_call);\n", e->out);
    pg_emit_gets(e->out, method, names, 1, 4);
    if (out_count)
        pg_emit_values(e->out, method, names, "pg_out", in_count, out_count);
    fprintf(e->out, "    interpose_end%s(&pg_call, %s%s);\n", later ? "_at" : "",
            out_count ? "pg_out" : "NULL", later ? ", pg_ended" : "");
    pg_emit_remembers(e->out, method, names, 4);
}

/* Our function in front of the one that the method is forwarded to, as an argument. */
static const char *own_forward(const struct emitter *e, char text[60])
{
    const struct pg_port *port = e->method->port;

    for (size_t i = 0; i < port->method_count; i++)
        if (strcmp(port->methods[i].symbol, e->method->forward_symbol) == 0) {
            snprintf(text, 60, "(void (*)(void))pg_fn_%zu", i);
            return text;
        }
    return "NULL";
}

static void put_body(const struct emitter *e)
{
    const struct pg_method *method = e->method;
    const struct pg_c_names names = {.args = (const char *const *)e->names,
                                     .result = "pg_result",
                                     .memory = memory_name};
    int is_void = strcmp(method->result, "void") == 0;
    char zero[500] = "", own[60];

    if (!is_void)
        snprintf(zero, sizeof zero, " (%s){0}", method->result);
    fprintf(e->out,
            "    struct interpose_function *const pg_function = &pg_functions[%zu];\n",
            e->index);
    if (!method->forward)
        fputs("    const void *const pg_caller = __builtin_return_address(0);\n", e->out);
    fputs("\n    if (!interpose_ready(pg_function)", e->out);
    if (method->forward)
        fprintf(
            e->out,
            " ||\n        !interpose_forward_ready(&pg_forwards[%zu], pg_function, %s)",
            e->index, own_forward(e, own));
    fprintf(e->out,
            ")\n        return%s;\n"
            "    if (!interpose_on(&pg_library, pg_function)) {\n",
            zero);
    put_unmeasured(e, &names);
    fputs("    }\n", e->out);
    put_measured(e, &names);
    if (!is_void)
        fputs("    return pg_result;\n", e->out);
}

/* Declare our function with the symbol of the real one, in the compiler's own types:
 * attributes and macros that the header has for the real function do not apply to ours.
 */
static void put_prototype(const struct emitter *e)
{
    fprintf(e->out, "INTERPOSE_EXPORT %s%spg_fn_%zu(", e->method->result,
            pg_emit_gap(e->method->result), e->index);
    put_args(e, 0);
    fprintf(e->out, " __asm__(\"%s\");\n", e->method->symbol);
}

static int put_function(struct emitter *e)
{
    const struct pg_method *method = e->method;

    if (make_names(e) < 0)
        return -ENOMEM;
    fprintf(e->out, "INTERPOSE_EXPORT %s%spg_fn_%zu(", method->result,
            pg_emit_gap(method->result), e->index);
    put_args(e, 1);
    fputs("\n{\n", e->out);
    put_body(e);
    fputs("}\n\n", e->out);
    free_names(e);
    return 0;
}

int pg_interpose_emit(FILE *out, const struct pg_port *port, const char *include)
{
    struct emitter e = {.out = out};
    char key[24];
    int status = 0;

    fprintf(out,
            "/* Generated by proxygen %s: interposes functions of %s. Do not edit. */\n"
            "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
            "#include <stdarg.h>\n\n#include \"proxies/interpose.h\"\n"
            "#include \"proxies/proxy_table.h\"\n\n"
            "#include \"%s\"\n#include \"proxies/header_end.h\"\n\n",
            PG_VERSION, port->name, include);
    pg_emit_quiet(out);
    /* Macros that stand before the functions would be called instead. */
    for (size_t i = 0; i < port->method_count; i++)
        fprintf(out, "#undef %s\n", port->methods[i].name);
    for (size_t i = 0; i < port->getter_count; i++)
        fprintf(out, "#undef %s\n", port->getters[i]->name);
    for (size_t i = 0; i < port->method_count; i++)
        if (port->methods[i].forward)
            fprintf(out, "#undef %s\n", port->methods[i].forward);
    fputc('\n', out);
    for (e.index = 0; e.index < port->method_count && status == 0; e.index++) {
        e.method = &port->methods[e.index];
        snprintf(key, sizeof key, "%zu", e.index);
        status = pg_emit_value_tables(out, e.method, "pg_", key);
    }
    put_qualities(out, port);
    put_function_rows(out, port);
    put_getter_rows(out, port);
    put_forward_rows(out, port);
    put_table(out, port);
    if (pg_emit_keeps(port))
        fputs("static struct proxy_memory pg_memory;\n\n", out);
    for (e.index = 0; e.index < port->method_count; e.index++) {
        e.method = &port->methods[e.index];
        put_prototype(&e);
    }
    fputc('\n', out);
    for (e.index = 0; e.index < port->method_count && status == 0; e.index++) {
        e.method = &port->methods[e.index];
        status = put_function(&e);
    }
    fputs("__attribute__((constructor)) static void pg_start(void)\n{\n"
          "    interpose_start(&pg_library);\n}\n",
          out);
    return status;
}
