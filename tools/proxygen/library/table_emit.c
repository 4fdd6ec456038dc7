/* SPDX-License-Identifier: BSD-3-Clause */
/* table_emit.c: the C of tables that forward to others, and its header.
 *
 * As in emit.c, everything written is a part of the templates here, a checked name or
 * type, a number, an expression printed from its tree, or an escaped string. Words of
 * ours begin with "pg" and the number of the table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/emit/emit_names.h"
#include "tools/proxygen/emit/emit_values.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/library/table.h"

enum { SLOTS = 8 };

struct emitter {
    FILE *out;
    const struct pg_tables *tables;
    const struct pg_table *table;
    size_t k; /* number of the table */
    const struct pg_method *method;
    const struct pg_table_method *own;
    size_t index; /* of the method */
    char **names; /* of its arguments, as they are declared */
    char **used;  /* and as the body uses them: "pg_self0" for a table */
};

/* --- Names ---------------------------------------------------------------- */

static void free_names(struct emitter *e)
{
    for (size_t i = 0; i < e->method->arg_count; i++) {
        if (e->names)
            free(e->names[i]);
        if (e->used)
            free(e->used[i]);
    }
    free(e->names);
    free(e->used);
    e->names = e->used = NULL;
}

static int name_one(struct emitter *e, size_t i)
{
    static const char *const own[] = {"int64_t", "double", "NULL", "va_list", NULL};
    const char *beginnings[PG_TABLES_MAX + 7] = {"pg",        "PG",     "interpose",
                                                 "INTERPOSE", "proxy_", "table_"};
    const struct pg_emit_words words = {own, beginnings};

    for (size_t k = 0; k < e->tables->count; k++) /* the type, TYPE_wrap */
        beginnings[6 + k] = e->tables->list[k].port->name;
    e->names[i] = pg_emit_arg_name(e->method, i, &words);
    if (e->own->self_args >> i & 1) {
        if (asprintf(&e->used[i], "pg_self%zu", i) < 0)
            e->used[i] = NULL;
    } else if (e->names[i]) {
        e->used[i] = strdup(e->names[i]);
    }
    return e->names[i] && e->used[i] ? 0 : -ENOMEM;
}

/* Go to method `index` of the table. */
static int take_method(struct emitter *e, size_t index)
{
    e->index = index;
    e->method = &e->table->port->methods[index];
    e->own = &e->table->methods[index];
    e->names = calloc(e->method->arg_count + 1, sizeof *e->names);
    e->used = calloc(e->method->arg_count + 1, sizeof *e->used);
    for (size_t i = 0; i < e->method->arg_count; i++)
        if (!e->names || !e->used || name_one(e, i) < 0) {
            free_names(e);
            return -ENOMEM;
        }
    return e->names && e->used ? 0 : -ENOMEM;
}

static int is_void(const struct pg_method *method)
{
    return strcmp(method->result, "void") == 0;
}

/* --- One function --------------------------------------------------------- */

/* The arguments as they are declared; `tail` follows the last. */
static void put_params(const struct emitter *e, const char *tail)
{
    const struct pg_method *method = e->method;

    for (size_t i = 0; i < method->arg_count; i++)
        fprintf(e->out, "%s%s%s%s", i ? ", " : "", method->args[i].type,
                pg_emit_gap(method->args[i].type), e->names[i]);
    fprintf(e->out, "%s%s", method->arg_count && *tail ? ", " : "", tail);
    if (!method->arg_count && !*tail)
        fputs("void", e->out);
}

static void put_args(const struct emitter *e, char **names, const char *tail)
{
    for (size_t i = 0; i < e->method->arg_count; i++)
        fprintf(e->out, "%s%s", i ? ", " : "", names[i]);
    fprintf(e->out, "%s%s", e->method->arg_count && *tail ? ", " : "", tail);
}

static void put_forward(const struct emitter *e)
{
    fprintf(e->out, "pg_inner->%s(",
            e->own->variadic ? e->own->variant : e->method->name);
    put_args(e, e->used, e->own->variadic ? "pg_list" : "");
    fputs(");\n", e->out);
}

static int has_wraps(const struct pg_table_method *own)
{
    for (size_t i = 0; i < own->carried_count; i++)
        if (own->carried[i].chosen)
            return 1;
    return 0;
}

/* Put our tables where the call has left inner ones. */
static void put_wraps(const struct emitter *e, int indent)
{
    for (size_t i = 0; i < e->own->carried_count; i++) {
        const struct pg_carried *carried = &e->own->carried[i];
        const char *wrap = e->tables->list[carried->table].port->name;
        const char *name =
            carried->arg == PG_CARRIED_RESULT ? "pg_result" : e->used[carried->arg];
        char place[600];

        if (!carried->chosen)
            continue;
        snprintf(place, sizeof place, "%s%s%s%s%s", carried->stars == 2 ? "(*" : "",
                 carried->stars && !carried->member ? "*" : "", name,
                 carried->stars == 2 ? ")" : "", carried->member ? "->" : "");
        if (carried->stars)
            fprintf(e->out, "%*sif (%s%s%s)\n    ", indent, "", name,
                    carried->stars == 2 ? " && *" : "", carried->stars == 2 ? name : "");
        fprintf(e->out, "%*s%s%s = %s_wrap(%s%s, pg_slot->slot.name);\n", indent, "",
                place, carried->member ? carried->member : "", wrap, place,
                carried->member ? carried->member : "");
    }
}

/* "R pg_result = forward;" or "forward;" */
static void put_call(const struct emitter *e, int indent)
{
    fprintf(e->out, "%*s", indent, "");
    if (!is_void(e->method))
        fprintf(e->out, "%s%spg_result = ", e->method->result,
                pg_emit_gap(e->method->result));
    put_forward(e);
}

static void put_unrecorded(const struct emitter *e, const struct pg_c_names *used)
{
    int wraps = has_wraps(e->own) || e->method->keep_count;

    fprintf(e->out, "    if (!interpose_on(&pg_slot->slot.library, pg_function))%s\n",
            wraps || is_void(e->method) ? " {" : "");
    if (wraps) {
        pg_emit_kept_gets(e->out, e->method, used, 0, 8);
        pg_emit_forgets(e->out, e->method, used, 8);
        put_call(e, 8);
        pg_emit_kept_gets(e->out, e->method, used, 1, 8);
        pg_emit_remembers(e->out, e->method, used, 8);
        put_wraps(e, 8);
        fprintf(e->out, "        return%s;\n    }\n",
                is_void(e->method) ? "" : " pg_result");
        return;
    }
    fprintf(e->out, "        %s", is_void(e->method) ? "" : "return ");
    put_forward(e);
    if (is_void(e->method))
        fputs("        return;\n    }\n", e->out);
}

static void put_body(const struct emitter *e)
{
    const struct pg_method *method = e->method;
    const struct pg_c_names used = {.args = (const char *const *)e->used,
                                    .result = "pg_result",
                                    .memory = "&pg_memory, NULL",
                                    .target = "pg_inner",
                                    .is_table = 1};
    size_t in_count = pg_method_in_count(method),
           out_count = method->value_count - in_count;

    int later = pg_emit_gets_after(method);

    fprintf(e->out, "    const %s *const pg_inner = pg_slot->slot.inner;\n",
            e->table->c_type);
    for (size_t i = 0; i < method->arg_count; i++)
        if (e->own->self_args >> i & 1)
            fprintf(e->out,
                    "    %s *const pg_self%zu =\n        (%s *)(%s == &pg_slot->outer ? "
                    "pg_inner : %s);\n",
                    e->table->c_type, i, e->table->c_type, e->names[i], e->names[i]);
    fprintf(e->out,
            "    struct interpose_function *const pg_function = &pg_slot->functions[%zu];"
            "\n\n",
            e->index);
    put_unrecorded(e, &used);
    pg_emit_gets(e->out, method, &used, 0, 4);
    if (in_count)
        pg_emit_values(e->out, method, &used, "pg_in", 0, in_count);
    pg_emit_forgets(e->out, method, &used, 4);
    fprintf(e->out,
            "    INTERPOSE_CALL pg_call =\n"
            "        interpose_begin(&pg_slot->slot.library, pg_function, %s);\n",
            in_count ? "pg_in" : "NULL");
    put_call(e, 4);
    if (later)
        fputs("    const uint64_t pg_ended = interpose_now(&pg_call);\n", e->out);
    pg_emit_gets(e->out, method, &used, 1, 4);
    if (out_count)
        pg_emit_values(e->out, method, &used, "pg_out", in_count, out_count);
    fprintf(e->out, "    interpose_end%s(&pg_call, %s%s);\n", later ? "_at" : "",
            out_count ? "pg_out" : "NULL", later ? ", pg_ended" : "");
    pg_emit_remembers(e->out, method, &used, 4);
    put_wraps(e, 4);
    if (!is_void(method))
        fputs("    return pg_result;\n", e->out);
}

static void put_function(const struct emitter *e)
{
    fprintf(e->out, "static %s%spg%zu_%s(struct pg%zu_slot *pg_slot%s", e->method->result,
            pg_emit_gap(e->method->result), e->k, e->method->name, e->k,
            e->method->arg_count ? ", " : "");
    if (e->method->arg_count)
        put_params(e, "");
    fputs(e->own->variadic ? ", va_list pg_list)\n{\n" : ")\n{\n", e->out);
    put_body(e);
    fputs("}\n\n", e->out);
}

/* --- Slots ---------------------------------------------------------------- */

/* The function of one slot, as a part of a macro. */
static void put_slot_function(const struct emitter *e)
{
    const struct pg_method *method = e->method;

    fprintf(e->out, "    %sstatic %s%spg%zu_%s_##pg_n(",
            method->no_return ? "__attribute__((noreturn)) " : "", method->result,
            pg_emit_gap(method->result), e->k, method->name);
    put_params(e, e->own->variadic ? "..." : "");
    fputs(") \\\n    { \\\n", e->out);
    if (e->own->variadic)
        fprintf(e->out,
                "        va_list pg_list; \\\n        va_start(pg_list, %s); \\\n",
                e->names[method->arg_count - 1]);
    if (e->own->variadic && !is_void(method))
        fprintf(e->out, "        %s%spg_result = ", method->result,
                pg_emit_gap(method->result));
    else
        fprintf(e->out, "        %s", is_void(method) ? "" : "return ");
    fprintf(e->out, "pg%zu_%s(&pg%zu_slots[pg_n]%s", e->k, method->name, e->k,
            method->arg_count ? ", " : "");
    put_args(e, e->names, e->own->variadic ? "pg_list" : "");
    fputs("); \\\n", e->out);
    if (e->own->variadic)
        fprintf(e->out, "        va_end(pg_list); \\\n%s",
                is_void(method) ? "" : "        return pg_result; \\\n");
    if (method->no_return)
        fputs("        __builtin_trap(); \\\n", e->out);
    fputs("    } \\\n", e->out);
}

static int put_slots(struct emitter *e)
{
    const struct pg_port *port = e->table->port;

    fprintf(e->out, "/* The functions of one slot. */\n#define PG%zu_SLOT(pg_n) \\\n",
            e->k);
    for (size_t i = 0; i < port->method_count; i++) {
        if (take_method(e, i) < 0)
            return -ENOMEM;
        put_slot_function(e);
        free_names(e);
    }
    fprintf(e->out, "    struct pg%zu_slot\n", e->k);
    for (int n = 0; n < SLOTS; n++)
        fprintf(e->out, "PG%zu_SLOT(%d);\n", e->k, n);
    fprintf(e->out, "\n#define PG%zu_OWN(pg_n) \\\n    { \\\n", e->k);
    for (size_t i = 0; i < port->method_count; i++)
        fprintf(e->out, "        .%s = pg%zu_%s_##pg_n, \\\n", port->methods[i].name,
                e->k, port->methods[i].name);
    fprintf(e->out, "    }\nstatic const %s pg%zu_own[] = {\n", e->table->c_type, e->k);
    for (int n = 0; n < SLOTS; n++)
        fprintf(e->out, "    PG%zu_OWN(%d),\n", e->k, n);
    fputs("};\n\n", e->out);
    return 0;
}

/* Leave out members that the inner table's version lacks, from the newest version down.
 */
static void put_versions(const struct emitter *e)
{
    long below = 0;

    for (;;) {
        const char *first = NULL;
        long since = 0;

        for (size_t i = 0; i < e->table->port->method_count; i++) {
            long own = e->table->methods[i].since;

            if (own > since && (!below || own < below)) {
                since = own;
                first = e->table->port->methods[i].name;
            }
        }
        if (!first)
            return;
        fprintf(e->out,
                "    if (pg_inner->%s < %ld && offsetof(%s, %s) < pg_size)\n"
                "        pg_size = offsetof(%s, %s);\n",
                e->table->version, since, e->table->c_type, first, e->table->c_type,
                first);
        below = since;
    }
}

static void put_fill(const struct emitter *e)
{
    const char *type = e->table->c_type;

    fprintf(
        e->out,
        "static void pg%zu_fill(void *pg_at, size_t pg_index, const void *pg_table)\n{\n"
        "    struct pg%zu_slot *const pg_slot = pg_at;\n"
        "    const %s *const pg_inner = pg_table;\n"
        "    const %s *const pg_own = &pg%zu_own[pg_index];\n"
        "    size_t pg_size = sizeof *pg_inner;\n\n",
        e->k, e->k, type, type, e->k);
    put_versions(e);
    fputs("    memcpy((void *)&pg_slot->outer, pg_inner, pg_size);\n", e->out);
    for (size_t i = 0; i < e->table->port->method_count; i++) {
        const struct pg_table_method *own = &e->table->methods[i];

        if (own->variadic)
            fprintf(e->out, "    if (pg_inner->%s)\n    ", own->variant);
        fprintf(e->out, "    TABLE_PUT(%s, %s, %zu);\n", type,
                e->table->port->methods[i].name, i);
    }
    fputs("}\n\n", e->out);
}

/* --- One table ------------------------------------------------------------ */

static void put_rows(const struct emitter *e)
{
    const struct pg_port *port = e->table->port;

    fprintf(e->out, "static const struct interpose_function pg%zu_functions[] = {\n",
            e->k);
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];
        size_t in_count = pg_method_in_count(method);
        char values[60] = "NULL";

        if (method->value_count)
            snprintf(values, sizeof values, "pg%zu_values_%zu", e->k, i);
        fprintf(e->out, "    {\"%s\", NULL, %s, %zu, %zu, {NULL}, %s, 0},\n",
                method->name, values, in_count, method->value_count - in_count,
                method->unmeasured ? "&interpose_off" : "NULL");
    }
    fprintf(e->out,
            "};\n\nstruct pg%zu_slot {\n    struct table_slot slot;\n    %s outer;\n"
            "    struct interpose_function functions[%zu];\n};\n"
            "static struct pg%zu_slot pg%zu_slots[%d];\n\n",
            e->k, e->table->c_type, port->method_count, e->k, e->k, SLOTS);
}

static void put_type(const struct emitter *e)
{
    fprintf(e->out,
            "static struct table_type pg%zu_type = {\n    .name = \"%s\",\n"
            "    .header = ",
            e->k, e->table->port->name);
    pg_word_literal(e->out, e->tables->header);
    fprintf(e->out,
            ",\n    .slots = pg%zu_slots,\n    .slot_count = %d,\n"
            "    .slot_size = sizeof(struct pg%zu_slot),\n"
            "    .outer = offsetof(struct pg%zu_slot, outer),\n"
            "    .functions = pg%zu_functions,\n"
            "    .functions_at = offsetof(struct pg%zu_slot, functions),\n"
            "    .function_count = %zu,\n    .fill = pg%zu_fill,\n};\n\n",
            e->k, SLOTS, e->k, e->k, e->k, e->k, e->table->port->method_count, e->k);
    fprintf(e->out,
            "%s *%s_wrap(const %s *inner, const char *name)\n{\n"
            "    return table_wrap(&pg%zu_type, inner, name);\n}\n\n"
            "__attribute__((destructor)) static void pg%zu_leave(void)\n{\n"
            "    table_leave(&pg%zu_type);\n}\n\n",
            e->table->c_type, e->table->port->name, e->table->c_type, e->k, e->k, e->k);
}

static int put_table(struct emitter *e)
{
    const struct pg_port *port = e->table->port;
    char prefix[40], key[24];
    int status = 0;

    fprintf(e->out, "/* --- %s */\n\n", port->name);
    snprintf(prefix, sizeof prefix, "pg%zu_", e->k);
    for (size_t i = 0; i < port->method_count && status == 0; i++) {
        snprintf(key, sizeof key, "%zu", i);
        status = pg_emit_value_tables(e->out, &port->methods[i], prefix, key);
    }
    put_rows(e);
    for (size_t i = 0; i < port->method_count && status == 0; i++) {
        status = take_method(e, i);
        if (status < 0)
            break;
        put_function(e);
        free_names(e);
    }
    if (status == 0)
        status = put_slots(e);
    put_fill(e);
    put_type(e);
    return status;
}

/* The tables of methods, which tools read without running the code. */
static void put_tables(FILE *out, const struct pg_tables *tables, const char *base)
{
    char symbol[300], prefix[40];

    snprintf(symbol, sizeof symbol, "mm_tables_%s", base);
    for (char *c = symbol; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
                    *c))
            *c = '_';
    for (size_t k = 0; k < tables->count; k++) {
        snprintf(prefix, sizeof prefix, "pg%zu_", k);
        pg_emit_method_table(out, tables->list[k].port, prefix);
    }
    fprintf(out,
            "extern const struct proxy_table %s[];\n"
            "__attribute__((used, visibility(\"hidden\"))) const struct proxy_table %s[] "
            "= {\n",
            symbol, symbol);
    for (size_t k = 0; k < tables->count; k++)
        fprintf(out,
                "    {PROXY_TABLE_ABI, sizeof(struct proxy_table), \"%s\", sizeof(%s), "
                "pg%zu_methods, %zu},\n",
                tables->list[k].port->name, tables->list[k].c_type, k,
                tables->list[k].port->method_count);
    fprintf(out, "};\nPROXY_TABLE_NOTE(%s, %zu);\n", symbol, tables->count);
}

/* --- The two files -------------------------------------------------------- */

int pg_tables_emit(FILE *out, const struct pg_tables *tables, const char *base)
{
    struct emitter e = {.out = out, .tables = tables};
    int status = 0;

    fprintf(
        out,
        "/* Generated by proxygen %s: tables that forward to others. Do not edit. */\n"
        "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
        "#include <stdarg.h>\n#include <stddef.h>\n\n"
        "#include \"proxies/proxy_table.h\"\n#include \"proxies/table_proxy.h\"\n\n"
        "#include \"%s.h\"\n#include \"proxies/header_end.h\"\n\n",
        PG_VERSION, base);
    pg_emit_quiet(out);
    fputc('\n', out);
    for (size_t i = 0, any = 0; i < tables->count && !any; i++)
        if ((any = pg_emit_keeps(tables->list[i].port) != 0))
            fputs("static struct proxy_memory pg_memory;\n\n", out);
    for (e.k = 0; e.k < tables->count && status == 0; e.k++) {
        e.table = &tables->list[e.k];
        status = put_table(&e);
    }
    put_tables(out, tables, base);
    return status;
}

int pg_tables_emit_header(FILE *out, const struct pg_tables *tables, const char *include,
                          const char *base)
{
    char guard[300];

    snprintf(guard, sizeof guard, "%s_H", base);
    for (char *c = guard; *c; c++) {
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
        else if (!((*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9' && c > guard)))
            *c = '_';
    }
    fprintf(out,
            "/* Generated by proxygen %s: tables that forward to others. Do not edit.\n"
            " *\n"
            " * TABLE_wrap returns a table that forwards each call to `inner`; "
            "`mastermind record` "
            "keeps the\n"
            " * calls as methods of port TABLE of the instance `name` (copied; NULL: the "
            "table's "
            "name).\n"
            " * Members that are data are copied now. `inner` is not changed and must "
            "outlive the "
            "program or\n"
            " * the file that this is compiled into. NULL for NULL; a table of ours is "
            "returned as "
            "it is; the\n"
            " * same `inner` and `name` give the same table. Where %d others are wrapped "
            "already, "
            "`inner`\n"
            " * itself. Any thread; errno stays. */\n"
            "#ifndef %s\n#define %s\n\n#include \"%s\"\n\n"
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
            PG_VERSION, SLOTS, guard, guard, include);
    for (size_t i = 0; i < tables->count; i++)
        fprintf(out, "%s *%s_wrap(const %s *inner, const char *name);\n",
                tables->list[i].c_type, tables->list[i].port->name,
                tables->list[i].c_type);
    fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
    return 0;
}
