/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_body.c: write functions that record a call and forward it.
 *
 * The output consists of fixed text of the emitters, checked names and types, numbers,
 * expressions printed from their trees, and escaped strings. */
#include "tools/proxygen/emit/emit_body.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "tools/proxygen/emit/emit_values.h"

enum { COLUMNS = 90 };

/* --- Pieces --------------------------------------------------------------- */

int pg_emit_is_void(const struct pg_method *method)
{
    return strcmp(method->result, "void") == 0;
}

char *pg_emit_upper(const char *name)
{
    char *upper = strdup(name);

    for (char *c = upper; c && *c; c++)
        *c = isalpha((unsigned char)*c)                ? (char)toupper((unsigned char)*c)
             : isdigit((unsigned char)*c) && c > upper ? *c
                                                       : '_';
    return upper;
}

void pg_emit_text(FILE *out, const char *text, ...)
{
    const char *rest = text;

    for (const char *at; (at = strchr(rest, '$'));) {
        const char *name, *value;
        va_list pairs;

        fwrite(rest, 1, (size_t)(at - rest), out);
        rest = at + 1;
        va_start(pairs, text);
        while ((name = va_arg(pairs, const char *))) {
            value = va_arg(pairs, const char *);
            if (strncmp(rest, name, strlen(name)) == 0) {
                fputs(value, out);
                rest += strlen(name);
                break;
            }
        }
        va_end(pairs);
    }
    fputs(rest, out);
}

static size_t list_width(const struct pg_emit_list *list)
{
    size_t width = (list->first ? strlen(list->first) + 2 : 0) +
                   (list->tail ? strlen(list->tail) + 2 : 0);

    for (size_t i = 0; i < list->method->arg_count; i++)
        width += (list->types ? strlen(list->method->args[i].type) + 1 : 0) +
                 (list->names ? strlen(list->names[i]) : 0) + 2;
    return width;
}

void pg_emit_list(FILE *out, const struct pg_emit_list *list, int column, int indent)
{
    const struct pg_method *method = list->method;
    const size_t width = list_width(list);
    const int named = list->names != NULL;
    const char *before = "", *apart = ", ";
    char broken[64];

    if (column && (size_t)column + width > COLUMNS) {
        snprintf(broken, sizeof broken, ",\n%*s", indent, "");
        before = broken + 1;
        if ((size_t)indent + width > COLUMNS)
            apart = broken;
    }
    if (list->first) {
        fprintf(out, "%s%s", before, list->first);
        before = apart;
    }
    for (size_t i = 0; i < method->arg_count; i++, before = apart) {
        const char *type = list->types ? method->args[i].type : "";

        fprintf(out, "%s%s%s%s", before, type, *type && named ? pg_emit_gap(type) : "",
                named ? list->names[i] : "");
    }
    for (int i = 1; i <= method->lengths; i++, before = apart) {
        fprintf(out, "%s%s%s", before, list->types ? "size_t" : "",
                list->types && named ? " " : "");
        if (named)
            fprintf(out, "pg_length%d", i);
    }
    if (list->tail)
        fprintf(out, "%s%s", before, list->tail);
    else if (list->types && !width && !method->lengths)
        fputs("void", out);
}

/* --- The body ------------------------------------------------------------- */

/* Write "FUNCTION(ARGUMENTS);" on a line that has `column` characters already. */
static void put_forward(FILE *out, const struct pg_emit_body *body, int indent,
                        int column)
{
    const struct pg_emit_list list = {body->method, body->names.args, 0, body->first,
                                      body->tail};

    column += fprintf(out, "%s(", body->function);
    pg_emit_list(out, &list, column, indent + 4);
    fputs(");\n", out);
}

/* Write the inner call, after "TYPE pg_result = " if it has a result. */
static void put_result(FILE *out, const struct pg_emit_body *body, int indent)
{
    const struct pg_method *method = body->method;
    int column;

    if (method->forward)
        fprintf(out, "%*sva_list pg_list;\n%*sva_start(pg_list, %s);\n", indent, "",
                indent, "", body->names.args[method->arg_count - 1]);
    column = fprintf(out, "%*s", indent, "");
    if (!pg_emit_is_void(method))
        column +=
            fprintf(out, "%s%spg_result = ", method->result, pg_emit_gap(method->result));
    put_forward(out, body, indent, column);
    if (method->forward)
        fprintf(out, "%*sva_end(pg_list);\n", indent, "");
}

/* Write an inner call that is not recorded. Values about handles (lines `remember`) are
 * stored all the same. */
static void put_unrecorded(FILE *out, const struct pg_emit_body *body, int indent)
{
    const struct pg_method *method = body->method;
    const int is_void = pg_emit_is_void(method);

    if (body->absent)
        fprintf(out, "%*sif (!%s)\n%*s%s;\n", indent, "", body->names.target, indent + 4,
                "", body->absent);
    if (!method->keep_count && !method->forward && !body->after) {
        put_forward(out, body, indent,
                    fprintf(out, "%*s%s", indent, "", is_void ? "" : "return "));
    } else {
        pg_emit_gets(out, method, &body->names, 0, 1, indent);
        pg_emit_forgets(out, method, &body->names, indent);
        put_result(out, body, indent);
        pg_emit_gets(out, method, &body->names, 1, 1, indent);
        pg_emit_remembers(out, method, &body->names, indent);
        if (body->after)
            body->after(out, body, indent);
        if (!is_void)
            fprintf(out, "%*sreturn pg_result;\n", indent, "");
    }
    if (is_void && !body->ends)
        fprintf(out, "%*sreturn;\n", indent, "");
}

void pg_emit_body(FILE *out, const struct pg_emit_body *body)
{
    const struct pg_method *method = body->method;
    const size_t out_count = method->value_count - pg_method_in_count(method);
    const char *in = pg_method_known_count(method) ? "pg_in" : "NULL";
    const int later = pg_emit_gets_after(method);

    if (!body->recorded && !body->choose) {
        put_unrecorded(out, body, 4);
        return;
    }
    if (body->recorded) {
        fprintf(out, "    if (!%s) {\n", body->recorded);
        put_unrecorded(out, body, 8);
        fputs("    }\n", out);
    }
    pg_emit_gets(out, method, &body->names, 0, 0, 4);
    if (pg_method_known_count(method))
        pg_emit_in_values(out, method, &body->names);
    if (body->choose)
        pg_emit_text(out, body->choose, "in", in, NULL);
    pg_emit_forgets(out, method, &body->names, 4);
    fprintf(out, "    %s, %s);\n", body->begin, in);
    put_result(out, body, 4);
    if (later)
        fprintf(out, "    const uint64_t pg_ended = %s_now(&pg_call);\n", body->kind);
    pg_emit_gets(out, method, &body->names, 1, 0, 4);
    if (out_count)
        pg_emit_out_values(out, method, &body->names);
    fprintf(out, "    %s_end%s(&pg_call, %s%s);\n", body->kind, later ? "_at" : "",
            out_count ? "pg_out" : "NULL", later ? ", pg_ended" : "");
    if (body->chosen)
        pg_emit_text(out, body->chosen, "out", out_count ? "pg_out" : "NULL", NULL);
    pg_emit_remembers(out, method, &body->names, 4);
    if (body->after)
        body->after(out, body, 4);
    if (!pg_emit_is_void(method))
        fputs("    return pg_result;\n", out);
}
