/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: structs of function pointers in a header that nobody here wrote, and tables
 * that forward to others of their type. */
#ifndef PROXYGEN_TABLE_H
#define PROXYGEN_TABLE_H

#include <stdio.h>

#include "tools/proxygen/read/header.h"
#include "tools/proxygen/read/sections.h"

enum { PG_CARRIED_RESULT = -1, PG_TABLES_MAX = 64 };

/* A place that a method leaves a table in: "file->pMethods", "*out", "(*out)->ops",
 * "return", "return->ops". */
struct pg_carried {
    char *path;
    int arg;      /* index, or PG_CARRIED_RESULT */
    int stars;    /* dereferenced before the member, or at all: 0 to 2 */
    char *member; /* NULL: the pointer itself is the table's */
    size_t table; /* which */
    int chosen;   /* the sidecar asks for it, or we propose it */
};

struct pg_table_method {
    uint64_t self_args; /* bit i: argument i is a pointer to this type of table */
    int variadic;       /* the last argument in the model is the va_list */
    char *variant; /* of a variadic one: the member that takes its arguments as va_list */
    long since;    /* of the table's version; 0: always there */
    struct pg_carried *carried;
    size_t carried_count;
};

struct pg_table {
    struct pg_port
        *port;    /* its name and type are the table's; its methods have all arguments */
    char *c_type; /* "sqlite3_vfs", "struct plugin_ops" */
    struct pg_table_method *methods; /* in the order of port->methods */
    char *version;                   /* the member that holds the version, or NULL */
    char **numbers;                  /* members that are integers: may be the version */
    size_t number_count;
    char **copied; /* members that hold functions and cannot be forwarded, and why */
    size_t copied_count;
};

struct pg_tables {
    char *header; /* "sqlite3.h" */
    struct pg_table *list;
    size_t count;
};

/* The tables of `list` ("sqlite3_vfs,sqlite3_io_methods"), new; NULL with `err` as
 * pg_header_read. */
struct pg_tables *pg_tables_read(const struct pg_options *options, const char *list,
                                 struct cca_error *err);
void pg_tables_free(struct pg_tables *tables); /* NULL is fine */

/* Apply a sidecar of tables: marks, `version`, `since` and `wrap`. 0 or as marks.h. */
int pg_tables_sidecar(struct pg_tables *tables, const char *file, const char *text,
                      size_t length, struct cca_error *err);

/* Write the header and the C of the tables; `base` is the name of both without its
 * ending. 0 or -ENOMEM. */
int pg_tables_emit_header(FILE *out, const struct pg_tables *tables, const char *include,
                          const char *base);
int pg_tables_emit(FILE *out, const struct pg_tables *tables, const char *base);

#endif
