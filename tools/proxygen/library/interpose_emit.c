/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_emit.c: write the C code of an interposition library. */
#include <errno.h>
#include <string.h>

#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/emit/emit_body.h"
#include "tools/proxygen/emit/emit_values.h"
#include "tools/proxygen/library/interpose.h"
#include "tools/proxygen/perf/word.h"

/* --- Tables --------------------------------------------------------------- */

/* Write the table of the library's quality attributes, such as an error bound, from the
 * sidecar file. */
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

static void put_functions(FILE *out, const struct pg_port *port)
{
    fputs("static struct interpose_function pg_functions[] = {\n", out);
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];

        fputs("    ", out);
        pg_emit_function_row(out, method->name, method->symbol, method, "pg_", i);
    }
    fputs("};\n\nstatic struct interpose_library pg_library = {\n"
          "    INTERPOSE_ABI, sizeof(struct interpose_library), ",
          out);
    pg_word_literal(out, port->name);
    fprintf(out, ", NULL, NULL,\n    pg_functions, %zu, NULL, NULL, %s, %zu,\n};\n\n",
            port->method_count, port->quality_count ? "pg_qualities" : "NULL",
            port->quality_count);
}

/* Write the table of functions that are called only to get numbers. */
static void put_getters(FILE *out, const struct pg_port *port)
{
    if (!port->getter_count)
        return;
    fputs("static struct interpose_function pg_getters[] = {\n", out);
    for (size_t i = 0; i < port->getter_count; i++) {
        fputs("    ", out);
        pg_emit_function_row(out, port->getters[i]->name, port->getters[i]->symbol, NULL,
                             "", 0);
    }
    fputs("};\n\n", out);
}

/* Write the table of functions that are called in place of variadic functions; the index
 * is the variadic function's. */
static void put_forwards(FILE *out, const struct pg_port *port)
{
    int any = 0;

    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];

        if (!method->forward)
            continue;
        if (!any++)
            fputs("static struct interpose_function pg_forwards[] = {\n", out);
        fprintf(out, "    [%zu] = ", i);
        pg_emit_function_row(out, method->forward, method->forward_symbol, NULL, "", 0);
    }
    fputs(any ? "};\n\n" : "", out);
}

/* Write the table of methods, which tools read from the compiled file without running
 * it. */
static void put_table(FILE *out, const struct pg_port *port)
{
    pg_emit_method_table(out, port, "pg_");
    fputs("INTERPOSE_EXPORT const struct proxy_table mm_interpose_table = {\n"
          "    PROXY_TABLE_ABI, sizeof(struct proxy_table), ",
          out);
    pg_word_literal(out, port->name);
    fprintf(out, ", 0, pg_methods, %zu,\n};\n\n", port->method_count);
}

/* --- Functions ------------------------------------------------------------ */

/* Write the expression for the inner function: a cast to the types of our own function,
 * because types of the header may have other names in other compilers. A variadic
 * function keeps the header's type, because this decides the calling convention. */
static void inner_function(const struct pg_method *method, size_t index, char *text,
                           size_t size)
{
    if (method->forward)
        snprintf(text, size, "((__typeof__(&%s))pg_forwards[%zu].real.call)",
                 method->forward, index);
    else if (method->has_rest)
        snprintf(text, size, "((__typeof__(&%s))interpose_real(pg_function, pg_caller))",
                 method->name);
    else
        snprintf(text, size,
                 "((__typeof__(&pg_fn_%zu))interpose_real(pg_function, pg_caller))",
                 index);
}

/* Write the name of our function that wraps the method's `forward` function, as an
 * argument of a call. */
static void put_own_forward(FILE *out, const struct pg_method *method)
{
    for (size_t i = 0; i < method->port->method_count; i++)
        if (strcmp(method->port->methods[i].symbol, method->forward_symbol) == 0) {
            fprintf(out, "(void (*)(void))pg_fn_%zu", i);
            return;
        }
    fputs("NULL", out);
}

/* Write the statement that initialises the function's struct, and returns zero from the
 * function if that fails. */
static void put_ready(FILE *out, const struct pg_method *method, size_t index)
{
    fprintf(out,
            "    struct interpose_function *const pg_function = &pg_functions[%zu];\n",
            index);
    if (!method->forward)
        fputs("    const void *const pg_caller = __builtin_return_address(0);\n", out);
    fputs("\n    if (!interpose_ready(pg_function)", out);
    if (method->forward) {
        fprintf(out,
                " ||\n        !interpose_forward_ready(&pg_forwards[%zu], pg_function, ",
                index);
        put_own_forward(out, method);
        fputc(')', out);
    }
    if (pg_emit_is_void(method))
        fputs(")\n        return;\n", out);
    else
        fprintf(out, ")\n        return (%s){0};\n", method->result);
}

/* Write "INTERPOSE_EXPORT TYPE pg_fn_INDEX(PARAMETERS)". */
static void put_head(FILE *out, const struct pg_method *method, size_t index,
                     const char *const *names)
{
    const struct pg_emit_list list = {.method = method,
                                      .names = names,
                                      .types = 1,
                                      .tail = method->forward ? "..." : NULL};
    int column = fprintf(out, "INTERPOSE_EXPORT %s%spg_fn_%zu(", method->result,
                         pg_emit_gap(method->result), index);

    pg_emit_list(out, &list, column, 4);
    fputc(')', out);
}

static int put_function(FILE *out, const struct pg_method *method, size_t index)
{
    const char *const own[] = {"int64_t", "double", "NULL", method->name, NULL};
    static const char *const beginnings[] = {"pg_", "interpose", "proxy_", "INTERPOSE_",
                                             NULL};
    char **names = pg_emit_names(method, &(struct pg_emit_words){own, beginnings});
    char function[600];
    const struct pg_emit_body body = {
        .method = method,
        .names = {.args = (const char *const *)names,
                  .result = "pg_result",
                  .memory = "&pg_memory, NULL"},
        .recorded = "interpose_on(&pg_library, pg_function)",
        .begin = "INTERPOSE_CALL pg_call = interpose_begin(&pg_library, pg_function",
        .kind = "interpose",
        .function = function,
        .tail = method->forward ? "pg_list" : NULL};

    if (!names)
        return -ENOMEM;
    inner_function(method, index, function, sizeof function);
    put_head(out, method, index, body.names.args);
    fputs("\n{\n", out);
    put_ready(out, method, index);
    pg_emit_body(out, &body);
    fputs("}\n\n", out);
    pg_emit_names_free(names, method);
    return 0;
}

/* Declare our functions under names of their own, but with the linker symbols of the real
 * functions and the compiler's own types: the header's attributes and macros for the real
 * functions must not apply to them. */
static void put_prototypes(FILE *out, const struct pg_port *port)
{
    for (size_t i = 0; i < port->method_count; i++) {
        put_head(out, &port->methods[i], i, NULL);
        fprintf(out, " __asm__(\"%s\");\n", port->methods[i].symbol);
    }
    fputc('\n', out);
}

/* Undefine macros that have a function's name, because the code would use the macro
 * instead of the function. */
static void put_undefs(FILE *out, const struct pg_port *port)
{
    for (size_t i = 0; i < port->method_count; i++)
        fprintf(out, "#undef %s\n", port->methods[i].name);
    for (size_t i = 0; i < port->getter_count; i++)
        fprintf(out, "#undef %s\n", port->getters[i]->name);
    for (size_t i = 0; i < port->method_count; i++)
        if (port->methods[i].forward)
            fprintf(out, "#undef %s\n", port->methods[i].forward);
    fputc('\n', out);
}

int pg_interpose_emit(FILE *out, const struct pg_port *port, const char *include)
{
    int status;

    pg_emit_text(out,
                 "/* Generated by proxygen " PG_VERSION
                 ": interposes functions of $header. Do not edit. */\n"
                 "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
                 "#include <stdarg.h>\n\n#include \"proxies/interpose.h\"\n"
                 "#include \"proxies/proxy_table.h\"\n\n"
                 "#include \"$include\"\n#include \"proxies/header_end.h\"\n\n",
                 "header", port->name, "include", include, NULL);
    pg_emit_quiet(out);
    put_undefs(out, port);
    status = pg_emit_value_tables(out, port, "pg_");
    put_qualities(out, port);
    put_functions(out, port);
    put_getters(out, port);
    put_forwards(out, port);
    put_table(out, port);
    if (pg_emit_keeps(port))
        fputs("static struct proxy_memory pg_memory;\n\n", out);
    put_prototypes(out, port);
    for (size_t i = 0; i < port->method_count && status == 0; i++)
        status = put_function(out, &port->methods[i], i);
    fputs("__attribute__((constructor)) static void pg_start(void)\n{\n"
          "    interpose_start(&pg_library);\n}\n",
          out);
    return status;
}
