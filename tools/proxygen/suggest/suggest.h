/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.h: propose marks by names and types of arguments, printed as a sidecar. */
#ifndef TOOLS_PROXYGEN_SUGGEST_SUGGEST_H
#define TOOLS_PROXYGEN_SUGGEST_SUGGEST_H

#include <stdio.h>

#include "tools/proxygen/library/table.h"

/* Propose marks from names and types, apply them, and print them to `out` as a sidecar
 * with a reason for each. 0 or -ENOMEM. */
int pg_interpose_suggest(struct pg_port *port, FILE *out, struct cca_error *err);

/* Like pg_interpose_suggest, for one function and its use of handles (or NULL). */
struct pg_handling;
int pg_suggest_function(struct pg_method *method, const struct pg_handling *handling,
                        FILE *out, struct cca_error *err);

/* Like pg_interpose_suggest, for tables. */
int pg_tables_suggest(struct pg_tables *tables, FILE *out, struct cca_error *err);

#endif
