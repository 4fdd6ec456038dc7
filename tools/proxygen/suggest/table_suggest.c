/* SPDX-License-Identifier: BSD-3-Clause */
/* table_suggest.c: propose marks for tables of functions, and lines `wrap` for further
 * tables that these functions return. */
#include <string.h>

#include "tools/proxygen/suggest/suggest.h"

/* True for names of functions that create or return the objects in which they store a
 * table. */
static int name_makes_object(const char *name)
{
    static const char *const parts[] = {"open",  "create",  "new",   "init", "get",
                                        "find",  "make",    "alloc", "load", "dup",
                                        "clone", "connect", "accept"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return 1;
    return 0;
}

static void suggest_wraps(const struct pg_tables *tables, const struct pg_method *method,
                          struct pg_table_method *own, FILE *out)
{
    for (size_t i = 0; i < own->carried_count; i++) {
        struct pg_carried *carried = &own->carried[i];

        carried->chosen = carried->arg != 0 && name_makes_object(method->name);
        if (carried->chosen)
            fprintf(out, "    wrap  %s    # leaves a %s there\n", carried->path,
                    tables->list[carried->table].port->name);
        else if (carried->arg != 0)
            fprintf(out,
                    "    # not wrapped: %s, a %s; the name does not suggest that it "
                    "makes one\n",
                    carried->path, tables->list[carried->table].port->name);
    }
}

int pg_tables_suggest(struct pg_tables *tables, FILE *out, struct cca_error *err)
{
    int status = 0;

    fprintf(out,
            "# proposed from names and types; correct it in a file, for --sidecar\n"
            "header %s\n",
            tables->header);
    for (size_t i = 0; i < tables->count && status == 0; i++) {
        struct pg_table *table = &tables->list[i];

        fprintf(out, "table %s\n", table->port->name);
        for (size_t j = 0; j < table->copied_count; j++)
            fprintf(out, "    # not seen: calls of %s\n", table->copied[j]);
        for (size_t j = 0; j < table->port->method_count && status == 0; j++) {
            status = pg_suggest_function(&table->port->methods[j], NULL, out, err);
            suggest_wraps(tables, &table->port->methods[j], &table->methods[j], out);
        }
    }
    return status;
}
