/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_shadow.c: write the code by which a proxy copies the arguments of a call and calls
 * other classes with the copies. */
#include "tools/proxygen/emit/emit_shadow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/emit/emit_body.h"
#include "tools/proxygen/emit/emit_values.h"

enum { MOST_ARGS = 64 };

/* True if an out-value of the method is the number that the argument points to. */
static int is_out_value(const struct pg_method *method, size_t arg)
{
    for (size_t i = pg_method_in_count(method); i < method->value_count; i++) {
        const struct pg_expr *expr = method->values[i].expr;

        if (expr->op == PG_DEREF && expr->left->op == PG_ARG && expr->left->arg == arg)
            return 1;
    }
    return 0;
}

static enum pg_access access_of(const struct pg_method *method, size_t arg)
{
    const enum pg_access marked = method->args[arg].access;

    return marked ? marked : is_out_value(method, arg) ? PG_WRITES : PG_UNKNOWN_ACCESS;
}

const char *pg_shadow_lacks(const struct pg_method *method)
{
    if (method->no_return)
        return "the result";
    if (method->arg_count > MOST_ARGS)
        return method->args[MOST_ARGS].name;
    for (size_t i = 0; i < method->arg_count; i++)
        if (method->args[i].value.cls == PG_OTHER && !access_of(method, i))
            return method->args[i].name;
    if (!pg_emit_is_void(method) && method->result_value.cls == PG_OTHER)
        return "the result";
    return NULL;
}

void pg_shadow_args(FILE *out, const struct pg_method *method, char **names)
{
    fputs("    void *const pg_args[] = {", out);
    for (size_t i = 0; i < method->arg_count; i++)
        fprintf(out, "%s(void *)&%s", i % 4 ? ", " : i ? ",\n        " : "", names[i]);
    fputs(method->arg_count ? "};\n" : "NULL};\n", out);
}

/* Write the function that calls the method with arguments behind pointers. */
static void put_call(FILE *out, const struct pg_port *port,
                     const struct pg_method *method, size_t measured)
{
    fprintf(out,
            "static void shadow_call_%zu(void *pg_port, void *const *pg_args, "
            "void *pg_result)\n{\n    struct %s *target = pg_port;\n\n",
            measured, port->name);
    if (pg_emit_is_void(method))
        fputs("    (void)pg_result;\n    ", out);
    else
        fprintf(out, "    *(%s *)pg_result = ", method->result);
    fprintf(out, "target->%s(target", method->name);
    for (size_t i = 0; i < method->arg_count; i++)
        fprintf(out, ",\n        *(%s%s*)pg_args[%zu]", method->args[i].type,
                pg_emit_gap(method->args[i].type), i);
    fprintf(out, ");\n%s}\n\n", method->arg_count ? "" : "    (void)pg_args;\n");
}

/* Write the function that computes the sizes of the arrays. */
static void put_count(FILE *out, const struct pg_method *method, char **names,
                      size_t measured)
{
    const struct pg_c_names c = {.args = (const char *const *)names};
    size_t arrays = 0;

    fprintf(out,
            "static void shadow_count_%zu(void *const *pg_args, int64_t *pg_counts)\n"
            "{\n",
            measured);
    for (size_t i = 0; i < method->arg_count; i++)
        fprintf(out, "    %s%s%s = *(%s%s*)pg_args[%zu];\n", method->args[i].type,
                pg_emit_gap(method->args[i].type), names[i], method->args[i].type,
                pg_emit_gap(method->args[i].type), i);
    for (size_t i = 0; i < method->arg_count; i++)
        fprintf(out, "    (void)%s;\n", names[i]);
    for (size_t i = 0; i < method->arg_count; i++) {
        const struct pg_value value = {.expr = method->args[i].count};

        if (!access_of(method, i))
            continue;
        fprintf(out, "    pg_counts[%zu] = ", arrays++);
        if (value.expr)
            pg_value_print_c(out, &value, method, &c);
        else
            fputc('1', out);
        fputs(";\n", out);
    }
    if (!arrays)
        fputs("    (void)pg_counts;\n", out);
    if (!method->arg_count)
        fputs("    (void)pg_args;\n", out);
    fputs("}\n\n", out);
}

static int is_long_double(const struct pg_scalar *number)
{
    return number->cls == PG_FLOATING && number->bits > 64;
}

/* Return the kind of an array's elements (proxies/proxy_shadow.h). */
static char kind_of(const struct pg_arg *arg)
{
    const struct pg_scalar *number = &arg->pointee;

    if (!arg->access)
        return 'o';
    if (number->cls == PG_FLOATING)
        return is_long_double(number) ? 'l' : 'd';
    if (number->cls == PG_INTEGER)
        return number->is_signed ? 'i' : 'u';
    return 'b';
}

static int is_of_bytes(const struct pg_arg *arg)
{
    return arg->of && arg->of->to && !arg->of->to->size;
}

/* Write the list of arrays. Returns their number. */
static size_t put_arrays(FILE *out, const struct pg_method *method, size_t measured)
{
    static const char *const access[] = {[PG_READS] = "PROXY_READS",
                                         [PG_WRITES] = "PROXY_WRITES",
                                         [PG_UPDATES] = "PROXY_UPDATES"};
    size_t count = 0;

    fprintf(out, "static const struct proxy_array shadow_arrays_%zu[] = {\n", measured);
    for (size_t i = 0; i < method->arg_count; i++) {
        const struct pg_arg *arg = &method->args[i];

        if (!access_of(method, i))
            continue;
        count++;
        fprintf(out, "    {\"%s\", %zu, %s, ", arg->name, i,
                access[access_of(method, i)]);
        if (is_of_bytes(arg))
            fputs("1, 'u'},\n", out);
        else
            fprintf(out, "sizeof(**(%s%s*)NULL), '%c'},\n", arg->type,
                    pg_emit_gap(arg->type), kind_of(arg));
    }
    fputs(count ? "};\n\n" : "    {NULL, 0, 0, 0, 0},\n};\n\n", out);
    return count;
}

/* Write the code for shadow calls of one method; returns the number of its arrays. */
static int put_method(FILE *out, const struct pg_port *port,
                      const struct pg_method *method, size_t measured, size_t *arrays)
{
    static const char *const own[] = {"NULL", "int64_t", "double", NULL};
    static const char *const beginnings[] = {"pg_", "proxy_", "shadow_", "PROXY_", NULL};
    char **names = pg_emit_names(method, &(struct pg_emit_words){own, beginnings});

    if (!names)
        return -ENOMEM;
    put_call(out, port, method, measured);
    put_count(out, method, names, measured);
    *arrays = put_arrays(out, method, measured);
    pg_emit_names_free(names, method);
    return 0;
}

int pg_emit_shadow(FILE *out, const struct pg_port *port)
{
    size_t *arrays = calloc(port->method_count + 1, sizeof *arrays), measured = 0;
    int status = arrays ? 0 : -ENOMEM;

    for (size_t i = 0; i < port->method_count && !status; i++) {
        const struct pg_method *method = &port->methods[i];

        if (method->unmeasured)
            continue;
        if (!pg_shadow_lacks(method))
            status = put_method(out, port, method, measured, &arrays[measured]);
        measured++;
    }
    measured = 0;
    fputs("static const struct proxy_shadowed proxy_shadowed[] = {\n", out);
    for (size_t i = 0; i < port->method_count && !status; i++) {
        const struct pg_method *method = &port->methods[i];
        const char *lacks = pg_shadow_lacks(method);
        const int sized =
            !pg_emit_is_void(method) && !is_long_double(&method->result_value);

        if (method->unmeasured)
            continue;
        if (lacks)
            fprintf(out, "    {\"%s\", \"%s\", NULL, 0, 0, 0, NULL, NULL},\n",
                    method->name, lacks);
        else
            fprintf(out,
                    "    {\"%s\", NULL, shadow_arrays_%zu, %zu, %zu, %s%s%s,\n"
                    "     shadow_count_%zu, shadow_call_%zu},\n",
                    method->name, measured, arrays[measured], method->arg_count,
                    sized ? "sizeof(" : "",
                    sized                     ? method->result
                    : pg_emit_is_void(method) ? "0"
                                              : "PROXY_LONG_DOUBLE",
                    sized ? ")" : "", measured, measured);
        measured++;
    }
    if (!measured)
        fputs("    {NULL, NULL, NULL, 0, 0, 0, NULL, NULL},\n", out);
    fputs("};\n\n", out);
    free(arrays);
    return status;
}
