/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_values.c: write the marked values of a method as C. */
#include "tools/proxygen/emit/emit_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/word.h"

static void put_labels(FILE *out, const struct pg_value *value, const char *prefix,
                       size_t method, size_t index)
{
    fprintf(out, "static const struct monitor_label %slabels_%zu_%zu[] = {\n", prefix,
            method, index);
    for (size_t i = 0; i < value->label_count; i++) {
        fprintf(out, "    {%" PRId64 ", ", value->labels[i].value);
        pg_word_literal(out, value->labels[i].text);
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

static int put_decl(FILE *out, const struct pg_method *method, size_t index,
                    const char *prefix, size_t number)
{
    static const char *const kinds[] = {"MONITOR_PARAM", "MONITOR_MODE", "MONITOR_OUT",
                                        "MONITOR_HINT"};
    const struct pg_value *value = &method->values[index];
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if (memory)
        pg_expr_print(memory, value->expr, method);
    if (!memory || fclose(memory) != 0) {
        free(text);
        return -ENOMEM;
    }
    fprintf(out, "    {\"%s\", ", value->name);
    pg_word_literal(out, text);
    free(text);
    fprintf(out, ", %s, %s, ",
            value->expr->cls == PG_FLOATING ? "MONITOR_DOUBLE" : "MONITOR_INT64",
            kinds[value->kind]);
    if (value->label_count)
        fprintf(out, "%slabels_%zu_%zu, ", prefix, number, index);
    else
        fputs("NULL, ", out);
    fprintf(out, "%zu},\n", value->label_count);
    return 0;
}

static int put_value_table(FILE *out, const struct pg_method *method, const char *prefix,
                           size_t number)
{
    int status = 0;

    if (!method->value_count)
        return 0;
    for (size_t i = 0; i < method->value_count; i++)
        if (method->values[i].label_count)
            put_labels(out, &method->values[i], prefix, number, i);
    fprintf(out, "static const struct monitor_value_decl %svalues_%zu[] = {\n", prefix,
            number);
    for (size_t i = 0; i < method->value_count && status == 0; i++)
        status = put_decl(out, method, i, prefix, number);
    fputs("};\n", out);
    return status;
}

int pg_emit_value_tables(FILE *out, const struct pg_port *port, const char *prefix)
{
    int status = 0;

    for (size_t i = 0; i < port->method_count && status == 0; i++)
        status = put_value_table(out, &port->methods[i], prefix, i);
    return status;
}

void pg_emit_method_table(FILE *out, const struct pg_port *port, const char *prefix)
{
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];

        if (!method->arg_count)
            continue;
        fprintf(out, "static const struct proxy_table_arg %sargs_%zu[] = {\n", prefix, i);
        for (size_t j = 0; j < method->arg_count; j++) {
            fprintf(out, "    {\"%s\", ", method->args[j].name);
            pg_word_literal(out, method->args[j].type);
            fputs("},\n", out);
        }
        fputs("};\n", out);
    }
    fprintf(out, "static const struct proxy_table_method %smethods[] = {\n", prefix);
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];
        size_t in_count = pg_method_in_count(method);

        fprintf(out, "    {\"%s\", ", method->name);
        pg_word_literal(out, method->result);
        if (method->arg_count)
            fprintf(out, ", %sargs_%zu, %zu, ", prefix, i, method->arg_count);
        else
            fputs(", NULL, 0, ", out);
        if (method->value_count)
            fprintf(out, "%svalues_%zu", prefix, i);
        else
            fputs("NULL", out);
        fprintf(out, ", %zu, %zu, %d},\n", in_count, method->value_count - in_count,
                method->unmeasured);
    }
    fputs("};\n", out);
}

void pg_emit_function_row(FILE *out, const char *name, const char *symbol,
                          const struct pg_method *method, const char *prefix,
                          size_t index)
{
    const size_t in_count = method ? pg_method_in_count(method) : 0;
    const char *quote = symbol ? "\"" : "";

    fprintf(out, "{\"%s\", %s%s%s, ", name, quote, symbol ? symbol : "NULL", quote);
    if (method && method->value_count)
        fprintf(out, "%svalues_%zu", prefix, index);
    else
        fputs("NULL", out);
    fprintf(out, ", %zu, %zu, {NULL}, %s, 0},\n", in_count,
            method ? method->value_count - in_count : 0,
            method && method->unmeasured ? "&interpose_off" : "NULL");
}

/* --- The floating-point environment --------------------------------------- */

static int any_computes(const struct pg_method *method, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        if (pg_expr_computes(method->values[i].expr))
            return 1;
    return 0;
}

static int expr_reads(const struct pg_expr *expr, enum pg_op op, size_t arg)
{
    return expr && ((expr->op == op && (op != PG_ARG || expr->arg == arg)) ||
                    expr_reads(expr->left, op, arg) || expr_reads(expr->right, op, arg) ||
                    expr_reads(expr->third, op, arg));
}

/* Write a statement that keeps the compiler from loading the inputs of floating-point
 * expressions before this line. */
static void put_float_from(FILE *out, const struct pg_method *method,
                           const struct pg_c_names *names, struct pg_expr *const *exprs,
                           size_t count, int indent)
{
    for (size_t arg = 0; arg <= method->arg_count; arg++) {
        enum pg_op op = arg < method->arg_count ? PG_ARG : PG_RETURN;
        int found = 0;

        for (size_t i = 0; i < count; i++)
            found |= pg_expr_computes(exprs[i]) && expr_reads(exprs[i], op, arg);
        if (found)
            fprintf(out, "%*sPROXY_FLOAT_FROM(%s);\n", indent, "",
                    op == PG_ARG ? names->args[arg] : names->result);
    }
}

static void put_float_save(FILE *out, const struct pg_method *method,
                           const struct pg_c_names *names, const char *name, size_t first,
                           size_t count)
{
    struct pg_expr *exprs[MONITOR_MAX_IN + MONITOR_MAX_OUT];

    if (!any_computes(method, first, count))
        return;
    fprintf(out, "    const struct proxy_float %s_float = proxy_float_save();\n", name);
    for (size_t i = 0; i < count; i++)
        exprs[i] = method->values[first + i].expr;
    put_float_from(out, method, names, exprs, count, 4);
}

static void put_float_restore(FILE *out, const struct pg_method *method, const char *name,
                              size_t first, size_t count)
{
    if (any_computes(method, first, count))
        fprintf(out, "    proxy_float_restore(&%s_float, %s);\n", name, name);
}

/* --- Arrays --------------------------------------------------------------- */

/* Write an array of values: those from `copied` to `first` are copies out of pg_in, the
 * `count` values from `first` on are computed. */
static void put_values(FILE *out, const struct pg_method *method,
                       const struct pg_c_names *names, const char *name, size_t copied,
                       size_t first, size_t count)
{
    put_float_save(out, method, names, name, first, count);
    fprintf(out, "    const union monitor_value %s[] = {\n", name);
    for (size_t i = copied; i < first; i++)
        fprintf(out, "        pg_in[%zu],\n", i);
    for (size_t i = first; i < first + count; i++) {
        const struct pg_value *value = &method->values[i];

        fprintf(out, "        {.%c = ", value->expr->cls == PG_FLOATING ? 'd' : 'i');
        pg_value_print_c(out, value, method, names);
        fputs("},\n", out);
    }
    fputs("    };\n", out);
    put_float_restore(out, method, name, first, count);
}

void pg_emit_in_values(FILE *out, const struct pg_method *method,
                       const struct pg_c_names *names)
{
    put_values(out, method, names, "pg_in", 0, 0, pg_method_known_count(method));
}

void pg_emit_out_values(FILE *out, const struct pg_method *method,
                        const struct pg_c_names *names)
{
    const size_t known = pg_method_known_count(method);

    put_values(out, method, names, "pg_out", pg_method_in_count(method), known,
               method->value_count - known);
}

/* --- Getting numbers ------------------------------------------------------ */

static void put_condition(FILE *out, const struct pg_method *method,
                          const struct pg_get *get, const struct pg_method *call,
                          const struct pg_c_names *names)
{
    if (names->target && call->since)
        fprintf(out, "%s->%s >= %ld && ", names->target, call->port->version,
                call->since);
    if (names->target)
        fprintf(out, "%s->%s", names->target, call->name);
    else
        fprintf(out, "interpose_reach(&pg_getters[%zu])", get->call);
    for (size_t i = 0; i < get->arg_count; i++)
        if (get->args[i] && get->args[i]->cls == PG_OTHER) {
            fputs(" && ", out);
            pg_expr_print_c(out, get->args[i], method, names);
        }
    fputs(" && !proxy_gone", out);
}

/* Return the index of the variable whose address is argument `index` of the call that
 * gets numbers; SIZE_MAX: none. */
static size_t name_at(const struct pg_get *get, size_t index)
{
    for (size_t i = 0; i < get->name_count; i++)
        if (get->names[i].arg == index)
            return i;
    return SIZE_MAX;
}

static void put_call(FILE *out, const struct pg_method *method, const struct pg_get *get,
                     size_t index, const struct pg_method *call,
                     const struct pg_c_names *names)
{
    const char *between = names->target && !names->is_table ? ", " : "";

    if (names->target)
        fprintf(out, "%s->%s(%s", names->target, call->name,
                names->is_table ? "" : names->target);
    else
        fprintf(out, "((__typeof__(&%s))pg_getters[%zu].real.call)(", call->name,
                get->call);
    for (size_t i = 0; i < get->arg_count; i++) {
        fputs(between, out);
        if (name_at(get, i) != SIZE_MAX)
            fprintf(out, "&proxy_got_%zu_%zu", index, name_at(get, i));
        else if (!get->args[i])
            fputs("NULL", out);
        else if (get->args[i]->cls == PG_OTHER)
            pg_expr_print_c(out, get->args[i], method, names);
        else
            fprintf(out, "proxy_arg_%zu", i);
        between = ", ";
    }
    fputs(");\n", out);
}

/* Write the condition under which the numbers that the call has returned are valid. */
static void put_success(FILE *out, const struct pg_get *get, const struct pg_method *call)
{
    const struct pg_c_names names = {.result = "proxy_back"};

    if (get->only_if) {
        fputc('(', out);
        pg_expr_print_c(out, get->only_if, call, &names);
        fputs(") != 0", out);
    } else if (pg_get_checks(get, call)) {
        fputs("proxy_back == 0", out);
    } else {
        fputc('1', out);
    }
}

static void put_get(FILE *out, const struct pg_method *method, size_t index,
                    const struct pg_c_names *names, int indent)
{
    const struct pg_get *get = &method->gets[index];
    const struct pg_method *call = pg_port_getter(method->port, get->call);
    size_t back = name_at(get, get->arg_count);
    int is_void = strcmp(call->result, "void") == 0;

    for (size_t i = 0; i < get->name_count; i++)
        fprintf(out, "%*s%s proxy_got_%zu_%zu = 0;\n", indent, "",
                get->names[i].type->name, index, i);
    fprintf(
        out,
        "%*sint proxy_have_%zu = 0;\n%*s%s{\n%*sPROXY_PURE;\n%*sint proxy_gone = 0;\n",
        indent, "", index, indent, "", names->is_table ? "if (table_runtime.busy) " : "",
        indent + 4, "", indent + 4, "");
    put_float_from(out, method, names, get->args, get->arg_count, indent + 4);
    for (size_t i = 0; i < get->arg_count; i++) {
        if (!get->args[i] || get->args[i]->cls == PG_OTHER)
            continue;
        fprintf(out, "%*sconst %s proxy_arg_%zu = ", indent + 4, "",
                get->args[i]->cls == PG_FLOATING ? "double" : "int64_t", i);
        pg_expr_print_c_marking(out, get->args[i], method, names);
        fputs(";\n", out);
    }
    fprintf(out, "%*sif (", indent + 4, "");
    put_condition(out, method, get, call, names);
    fprintf(out, ") {\n%*s", indent + 8, "");
    if (!is_void)
        fprintf(out, "const %s%sproxy_back = ", call->result, pg_emit_gap(call->result));
    put_call(out, method, get, index, call, names);
    fprintf(out, "%*sproxy_have_%zu = ", indent + 8, "", index);
    put_success(out, get, call);
    fputs(";\n", out);
    if (back != SIZE_MAX)
        fprintf(out, "%*sproxy_got_%zu_%zu = proxy_back;\n%*s(void)proxy_got_%zu_%zu;\n",
                indent + 8, "", index, back, indent + 8, "", index, back);
    else if (!is_void)
        fprintf(out, "%*s(void)proxy_back;\n", indent + 8, "");
    fprintf(out, "%*s}\n%*s}\n%*s(void)proxy_have_%zu;\n", indent + 4, "", indent, "",
            indent, "", index);
}

void pg_emit_gets(FILE *out, const struct pg_method *method,
                  const struct pg_c_names *names, int after, int kept_only, int indent)
{
    for (size_t i = 0; i < method->get_count; i++)
        if (method->gets[i].after == after && (!kept_only || pg_get_is_kept(method, i)))
            put_get(out, method, i, names, indent);
}

int pg_emit_gets_after(const struct pg_method *method)
{
    for (size_t i = 0; i < method->get_count; i++)
        if (method->gets[i].after)
            return 1;
    return 0;
}

/* --- Handles -------------------------------------------------------------- */

void pg_emit_forgets(FILE *out, const struct pg_method *method,
                     const struct pg_c_names *names, int indent)
{
    for (size_t i = 0; i < method->keep_count; i++) {
        if (method->keeps[i].what)
            continue;
        fprintf(out, "%*s{\n%*sint proxy_gone = 0;\n%*sproxy_forget(%s, ", indent, "",
                indent + 4, "", indent + 4, "", names->memory);
        pg_handle_print_c(out, method->keeps[i].handle, method, names);
        fprintf(out, ");\n%*s(void)proxy_gone;\n%*s}\n", indent + 4, "", indent, "");
    }
}

void pg_emit_remembers(FILE *out, const struct pg_method *method,
                       const struct pg_c_names *names, int indent)
{
    for (size_t i = 0; i < method->keep_count; i++) {
        const struct pg_keep *keep = &method->keeps[i];
        int computes = pg_expr_computes(keep->what);

        if (!keep->what)
            continue;
        fprintf(out, "%*s{\n%*sunion monitor_value proxy_kept;\n%*sint proxy_gone = 0;\n",
                indent, "", indent + 4, "", indent + 4, "");
        if (computes)
            fprintf(out,
                    "%*sconst struct proxy_float proxy_floats = proxy_float_save();\n",
                    indent + 4, "");
        put_float_from(out, method, names, (struct pg_expr *const *)&keep->what, 1,
                       indent + 4);
        fprintf(out, "%*sproxy_kept.%c = ", indent + 4, "",
                pg_port_keeper(method->port)->memories[keep->memory].cls == PG_FLOATING
                    ? 'd'
                    : 'i');
        pg_expr_print_c_marking(out, keep->what, method, names);
        fputs(";\n", out);
        if (computes)
            fprintf(out, "%*sproxy_float_restore(&proxy_floats, &proxy_kept);\n",
                    indent + 4, "");
        fprintf(out, "%*sproxy_remember(%s, %zu, ", indent + 4, "", names->memory,
                keep->memory);
        pg_handle_print_c(out, keep->handle, method, names);
        fprintf(out, ", proxy_kept, proxy_gone);\n%*s}\n", indent, "");
    }
}

int pg_emit_keeps(const struct pg_port *port)
{
    for (size_t i = 0; i < port->method_count; i++)
        if (port->methods[i].keep_count)
            return 1;
    return pg_port_keeper((struct pg_port *)port)->memory_count != 0;
}

/* --- Types ---------------------------------------------------------------- */

/* Write pragmas that switch off warnings. The first two silence compilers that do not
 * know the other warnings. */
void pg_emit_quiet(FILE *out)
{
    static const char *const quiet[] = {
        "-Wpragmas",         "-Wunknown-warning-option",  "-Wdeprecated-declarations",
        "-Wnonnull-compare", "-Wpointer-bool-conversion", "-Wattributes",
    };

    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        fprintf(out, "#pragma GCC diagnostic ignored \"%s\"\n", quiet[i]);
}

const char *pg_emit_gap(const char *type)
{
    return type[strlen(type) - 1] == '*' ? "" : " ";
}
