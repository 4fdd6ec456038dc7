/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: read structs of function pointers ("tables") from third-party headers, and
 * write tables whose functions record a call and forward it to another table of the same
 * type. */
#ifndef PROXYGEN_TABLE_H
#define PROXYGEN_TABLE_H

#include <stdio.h>

#include "tools/proxygen/read/read.h"
#include "tools/proxygen/read/sections.h"

enum { PG_CARRIED_RESULT = -1, PG_TABLES_MAX = 64 };

/* A place where a method stores a pointer to a table for its caller: "file->pMethods",
 * "*out", "(*out)->ops", "return", "return->ops". */
struct pg_carried {
    char *path;
    int arg;      /* index of the argument from which the place is reached, or
                     PG_CARRIED_RESULT */
    int stars;    /* number of times that the argument is dereferenced on the way to the
                     table: 0 to 2 */
    char *member; /* member of a struct that points to the table; NULL: the argument
                     itself points to it */
    size_t table; /* index of the table */
    int chosen;   /* true if the sidecar names this place, or the place is proposed */
};

struct pg_table_method {
    uint64_t self_args; /* bit i: argument i is a pointer to this type of table */
    int variadic;       /* true if the last argument in the model is a va_list */
    char *variant; /* for a variadic member: another member that takes the same arguments
                      as a va_list */
    long since;    /* first version of the table that has this member; 0: all have it */
    struct pg_carried *carried;
    size_t carried_count;
};

struct pg_table {
    struct pg_port *port; /* the table as a port: name and type are the table's; methods
                           * keep all arguments */
    char *c_type;         /* C type of the table: "sqlite3_vfs", "struct plugin_ops" */
    struct pg_table_method *methods; /* further data of the table's members, parallel
                                      * to port->methods */
    char *version;  /* name of the member that holds the version number, or NULL */
    char **numbers; /* names of integer members, one of which may be the version number */
    size_t number_count;
    /* function members that cannot be forwarded, as texts "NAME, REASON" */
    char **copied;
    size_t copied_count;
};

struct pg_tables {
    char *header; /* "sqlite3.h" */
    struct pg_table *list;
    size_t count;
};

/* Read the tables named in `list` ("sqlite3_vfs,sqlite3_io_methods"). Returns a new
 * struct; NULL with `err` like pg_header_read. */
struct pg_tables *pg_tables_read(const struct pg_options *options, const char *list,
                                 struct cca_error *err);
void pg_tables_free(struct pg_tables *tables); /* NULL is allowed */

/* Apply a sidecar of tables: marks, `version`, `since` and `wrap`. Returns 0 or an error
 * as in marks.h. */
int pg_tables_sidecar(struct pg_tables *tables, const char *file, const char *text,
                      size_t length, struct cca_error *err);

/* Write the header and the C code of the tables; `base` is the name of both without
 * extension. Returns 0 or -ENOMEM. */
int pg_tables_emit_header(FILE *out, const struct pg_tables *tables, const char *include,
                          const char *base);
int pg_tables_emit(FILE *out, const struct pg_tables *tables, const char *base);

#endif
