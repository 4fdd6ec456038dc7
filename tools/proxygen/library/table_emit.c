/* SPDX-License-Identifier: BSD-3-Clause */
/* table_emit.c: write the C code and the header of tables that record calls and forward
 * them to the original tables.
 *
 * Names that the generated code adds begin with "pg"; names that belong to one table
 * begin with "pg" and the table's number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/emit/emit_body.h"
#include "tools/proxygen/emit/emit_values.h"
#include "tools/proxygen/library/table.h"
#include "tools/proxygen/perf/word.h"

enum { SLOTS = 8 };

struct emitter {
    FILE *out;
    const struct pg_tables *tables;
    const struct pg_table *table;
    char k[24]; /* index of the table as text */
    const struct pg_method *method;
    const struct pg_table_method *own;
    size_t index; /* index of the current method */
    char **names; /* argument names of the current method in its declaration */
    char **used;  /* argument names of the current method in its body: "pg_self0" for a
                   * table */
};

/* --- Names ---------------------------------------------------------------- */

static void free_names(struct emitter *e)
{
    pg_emit_names_free(e->names, e->method);
    pg_emit_names_free(e->used, e->method);
    e->names = e->used = NULL;
}

/* Rename the arguments that are tables of this type to "pg_selfN" in the body. */
static int rename_selves(struct emitter *e)
{
    for (size_t i = 0; i < e->method->arg_count; i++)
        if (e->own->self_args >> i & 1) {
            free(e->used[i]);
            if (asprintf(&e->used[i], "pg_self%zu", i) < 0) {
                e->used[i] = NULL;
                return -ENOMEM;
            }
        }
    return 0;
}

/* Make method `index` of the table the current one. */
static int take_method(struct emitter *e, size_t index)
{
    static const char *const own[] = {"int64_t", "double", "NULL", "va_list", NULL};
    const char *beginnings[PG_TABLES_MAX + 7] = {"pg",        "PG",     "interpose",
                                                 "INTERPOSE", "proxy_", "table_"};
    const struct pg_emit_words words = {own, beginnings};

    /* arguments must not have names that begin with a table's type, such as TYPE_wrap */
    for (size_t k = 0; k < e->tables->count; k++)
        beginnings[6 + k] = e->tables->list[k].port->name;
    e->index = index;
    e->method = &e->table->port->methods[index];
    e->own = &e->table->methods[index];
    e->names = pg_emit_names(e->method, &words);
    e->used = pg_emit_names(e->method, &words);
    if (e->names && e->used && rename_selves(e) == 0)
        return 0;
    free_names(e);
    return -ENOMEM;
}

/* --- One function --------------------------------------------------------- */

static int has_wraps(const struct pg_table_method *own)
{
    for (size_t i = 0; i < own->carried_count; i++)
        if (own->carried[i].chosen)
            return 1;
    return 0;
}

/* Write the code that runs after a call which has stored a table through an argument or
 * its result: it replaces that table by a recording table that forwards to it. */
static void put_wraps(FILE *out, const struct pg_emit_body *body, int indent)
{
    const struct emitter *e = body->context;

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
            fprintf(out, "%*sif (%s%s%s)\n    ", indent, "", name,
                    carried->stars == 2 ? " && *" : "", carried->stars == 2 ? name : "");
        fprintf(out, "%*s%s%s = %s_wrap(%s%s, pg_slot->slot.name);\n", indent, "", place,
                carried->member ? carried->member : "", wrap, place,
                carried->member ? carried->member : "");
    }
}

static void put_body(const struct emitter *e)
{
    char function[600];
    const struct pg_emit_body body = {
        .method = e->method,
        .names = {.args = (const char *const *)e->used,
                  .result = "pg_result",
                  .memory = "&pg_memory, NULL",
                  .target = "pg_inner",
                  .is_table = 1},
        .recorded = "interpose_on(&pg_slot->slot.library, pg_function)",
        .begin = "INTERPOSE_CALL pg_call =\n"
                 "        interpose_begin(&pg_slot->slot.library, pg_function",
        .kind = "interpose",
        .function = function,
        .tail = e->own->variadic ? "pg_list" : NULL,
        .after = has_wraps(e->own) ? put_wraps : NULL,
        .context = e};

    snprintf(function, sizeof function, "pg_inner->%s",
             e->own->variadic ? e->own->variant : e->method->name);
    fprintf(e->out, "    const %s *const pg_inner = pg_slot->slot.inner;\n",
            e->table->c_type);
    for (size_t i = 0; i < e->method->arg_count; i++)
        if (e->own->self_args >> i & 1)
            pg_emit_text(
                e->out,
                "    $type *const $self =\n"
                "        ($type *)($name == &pg_slot->outer ? pg_inner : $name);\n",
                "type", e->table->c_type, "self", e->used[i], "name", e->names[i], NULL);
    fprintf(e->out,
            "    struct interpose_function *const pg_function = &pg_slot->functions[%zu];"
            "\n\n",
            e->index);
    pg_emit_body(e->out, &body);
}

static void put_function(const struct emitter *e)
{
    char slot[64];
    const struct pg_emit_list list = {.method = e->method,
                                      .names = (const char *const *)e->names,
                                      .types = 1,
                                      .first = slot,
                                      .tail =
                                          e->own->variadic ? "va_list pg_list" : NULL};
    int column;

    snprintf(slot, sizeof slot, "struct pg%s_slot *pg_slot", e->k);
    column = fprintf(e->out, "static %s%spg%s_%s(", e->method->result,
                     pg_emit_gap(e->method->result), e->k, e->method->name);
    pg_emit_list(e->out, &list, column, 4);
    fputs(")\n{\n", e->out);
    put_body(e);
    fputs("}\n\n", e->out);
}

/* --- Slots ---------------------------------------------------------------- */

/* Write the function that serves one slot (the memory for one wrapped table), as a part
 * of a macro. */
static void put_slot_function(const struct emitter *e)
{
    const struct pg_method *method = e->method;
    const char *const *names = (const char *const *)e->names;
    const int variadic = e->own->variadic, is_void = pg_emit_is_void(method);
    char slot[64];
    const struct pg_emit_list parameters = {.method = method,
                                            .names = names,
                                            .types = 1,
                                            .tail = variadic ? "..." : NULL},
                              arguments = {.method = method,
                                           .names = names,
                                           .first = slot,
                                           .tail = variadic ? "pg_list" : NULL};

    snprintf(slot, sizeof slot, "&pg%s_slots[pg_n]", e->k);
    fprintf(e->out, "    %sstatic %s%spg%s_%s_##pg_n(",
            method->no_return ? "__attribute__((noreturn)) " : "", method->result,
            pg_emit_gap(method->result), e->k, method->name);
    pg_emit_list(e->out, &parameters, 0, 0);
    fputs(") \\\n    { \\\n", e->out);
    if (variadic)
        fprintf(e->out,
                "        va_list pg_list; \\\n        va_start(pg_list, %s); \\\n",
                names[method->arg_count - 1]);
    if (variadic && !is_void)
        fprintf(e->out, "        %s%spg_result = ", method->result,
                pg_emit_gap(method->result));
    else
        fprintf(e->out, "        %s", is_void ? "" : "return ");
    fprintf(e->out, "pg%s_%s(", e->k, method->name);
    pg_emit_list(e->out, &arguments, 0, 0);
    fputs("); \\\n", e->out);
    if (variadic)
        fprintf(e->out, "        va_end(pg_list); \\\n%s",
                is_void ? "" : "        return pg_result; \\\n");
    if (method->no_return)
        fputs("        __builtin_trap(); \\\n", e->out);
    fputs("    } \\\n", e->out);
}

/* Write one use of the macro `name` for each slot. */
static void put_each_slot(const struct emitter *e, const char *before, const char *name,
                          const char *after)
{
    for (int n = 0; n < SLOTS; n++)
        fprintf(e->out, "%sPG%s_%s(%d)%s\n", before, e->k, name, n, after);
}

static int put_slots(struct emitter *e)
{
    const struct pg_port *port = e->table->port;

    fprintf(e->out, "/* The functions of one slot. */\n#define PG%s_SLOT(pg_n) \\\n",
            e->k);
    for (size_t i = 0; i < port->method_count; i++) {
        if (take_method(e, i) < 0)
            return -ENOMEM;
        put_slot_function(e);
        free_names(e);
    }
    fprintf(e->out, "    struct pg%s_slot\n", e->k);
    put_each_slot(e, "", "SLOT", ";");
    fprintf(e->out, "\n#define PG%s_OWN(pg_n) \\\n    { \\\n", e->k);
    for (size_t i = 0; i < port->method_count; i++)
        fprintf(e->out, "        .%s = pg%s_%s_##pg_n, \\\n", port->methods[i].name, e->k,
                port->methods[i].name);
    fprintf(e->out, "    }\nstatic const %s pg%s_own[] = {\n", e->table->c_type, e->k);
    put_each_slot(e, "    ", "OWN", ",");
    fputs("};\n\n", e->out);
    return 0;
}

/* Write code that shortens the table to the members that the inner table's version has,
 * from the newest version down. */
static void put_versions(const struct emitter *e)
{
    char version[24];
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
        snprintf(version, sizeof version, "%ld", since);
        pg_emit_text(
            e->out,
            "    if (pg_inner->$member < $since && offsetof($type, $first) < pg_size)\n"
            "        pg_size = offsetof($type, $first);\n",
            "member", e->table->version, "since", version, "type", e->table->c_type,
            "first", first, NULL);
        below = since;
    }
}

static void put_fill(const struct emitter *e)
{
    const char *type = e->table->c_type;

    pg_emit_text(
        e->out,
        "static void pg$k_fill(void *pg_at, size_t pg_index, const void *pg_table)\n"
        "{\n"
        "    struct pg$k_slot *const pg_slot = pg_at;\n"
        "    const $type *const pg_inner = pg_table;\n"
        "    const $type *const pg_own = &pg$k_own[pg_index];\n"
        "    size_t pg_size = sizeof *pg_inner;\n\n",
        "k", e->k, "type", type, NULL);
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

static void put_rows(const struct emitter *e, const char *prefix)
{
    const struct pg_port *port = e->table->port;

    fprintf(e->out, "static const struct interpose_function pg%s_functions[] = {\n",
            e->k);
    for (size_t i = 0; i < port->method_count; i++) {
        fputs("    ", e->out);
        pg_emit_function_row(e->out, port->methods[i].name, NULL, &port->methods[i],
                             prefix, i);
    }
    fputs("};\n\n", e->out);
}

static const char slot[] = "struct pg$k_slot {\n"
                           "    struct table_slot slot;\n"
                           "    $type outer;\n"
                           "    struct interpose_function functions[$count];\n"
                           "};\n"
                           "static struct pg$k_slot pg$k_slots[$slots];\n\n";

static const char type_begin[] = "static struct table_type pg$k_type = {\n"
                                 "    .name = \"$name\",\n"
                                 "    .header = ";

static const char type_end[] =
    ",\n    .slots = pg$k_slots,\n"
    "    .slot_count = $slots,\n"
    "    .slot_size = sizeof(struct pg$k_slot),\n"
    "    .outer = offsetof(struct pg$k_slot, outer),\n"
    "    .functions = pg$k_functions,\n"
    "    .functions_at = offsetof(struct pg$k_slot, functions),\n"
    "    .function_count = $count,\n"
    "    .fill = pg$k_fill,\n"
    "};\n\n"
    "$type *$name_wrap(const $type *inner, const char *name)\n"
    "{\n"
    "    return table_wrap(&pg$k_type, inner, name);\n"
    "}\n\n"
    "__attribute__((destructor)) static void pg$k_leave(void)\n"
    "{\n"
    "    table_leave(&pg$k_type);\n"
    "}\n\n";

/* Write the code template `part`, with the names of the current table. */
static void put_part(const struct emitter *e, const char *part)
{
    char count[24], slots[24];

    snprintf(count, sizeof count, "%zu", e->table->port->method_count);
    snprintf(slots, sizeof slots, "%d", SLOTS);
    pg_emit_text(e->out, part, "k", e->k, "type", e->table->c_type, "name",
                 e->table->port->name, "count", count, "slots", slots, NULL);
}

static int put_table(struct emitter *e)
{
    const struct pg_port *port = e->table->port;
    char prefix[40];
    int status;

    fprintf(e->out, "/* --- %s */\n\n", port->name);
    snprintf(prefix, sizeof prefix, "pg%s_", e->k);
    status = pg_emit_value_tables(e->out, port, prefix);
    put_rows(e, prefix);
    put_part(e, slot);
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
    put_part(e, type_begin);
    pg_word_literal(e->out, e->tables->header);
    put_part(e, type_end);
    return status;
}

/* Write the tables of methods, which tools read without running the code. */
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

    pg_emit_text(
        out,
        "/* Generated by proxygen " PG_VERSION
        ": tables that forward to others. Do not edit. */\n"
        "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
        "#include <stdarg.h>\n#include <stddef.h>\n\n"
        "#include \"proxies/proxy_table.h\"\n#include \"proxies/table_proxy.h\"\n\n"
        "#include \"$base.h\"\n#include \"proxies/header_end.h\"\n\n",
        "base", base, NULL);
    pg_emit_quiet(out);
    fputc('\n', out);
    for (size_t i = 0, any = 0; i < tables->count && !any; i++)
        if ((any = pg_emit_keeps(tables->list[i].port) != 0))
            fputs("static struct proxy_memory pg_memory;\n\n", out);
    for (size_t k = 0; k < tables->count && status == 0; k++) {
        snprintf(e.k, sizeof e.k, "%zu", k);
        e.table = &tables->list[k];
        status = put_table(&e);
    }
    put_tables(out, tables, base);
    return status;
}

static const char header_begin[] =
    "/* Generated by proxygen " PG_VERSION
    ": tables that forward to others. Do not edit.\n"
    " *\n"
    " * TABLE_wrap returns a table that forwards each call to `inner`; `mastermind "
    "record` "
    "keeps the\n"
    " * calls as methods of port TABLE of the instance `name` (copied; NULL: the table's "
    "name).\n"
    " * Members that are data are copied now. `inner` is not changed and must outlive "
    "the "
    "program or\n"
    " * the file that this is compiled into. NULL for NULL; a table of ours is returned "
    "as "
    "it is; the\n"
    " * same `inner` and `name` give the same table. Where $slots others are wrapped "
    "already, `inner`\n"
    " * itself. Any thread; errno stays. */\n"
    "#ifndef $BASE_H\n#define $BASE_H\n\n#include \"$include\"\n\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";

int pg_tables_emit_header(FILE *out, const struct pg_tables *tables, const char *include,
                          const char *base)
{
    char *upper = pg_emit_upper(base), slots[24];

    if (!upper)
        return -ENOMEM;
    snprintf(slots, sizeof slots, "%d", SLOTS);
    pg_emit_text(out, header_begin, "slots", slots, "BASE", upper, "include", include,
                 NULL);
    free(upper);
    for (size_t i = 0; i < tables->count; i++)
        pg_emit_text(out, "$type *$name_wrap(const $type *inner, const char *name);\n",
                     "type", tables->list[i].c_type, "name", tables->list[i].port->name,
                     NULL);
    fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
    return 0;
}
