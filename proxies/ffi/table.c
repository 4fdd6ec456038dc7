/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c: make the method table: names and texts are taken from the port's description,
 * expressions are printed. */
#include "proxies/ffi/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"

static const struct monitor_label *labels_of(struct fproxy_pool *pool,
                                             const struct pg_value *value)
{
    struct monitor_label *labels =
        fproxy_pool_get(pool, value->label_count, sizeof *labels);

    for (size_t i = 0; labels && i < value->label_count; i++)
        labels[i] = (struct monitor_label){value->labels[i].value, value->labels[i].text};
    return labels;
}

static const char *expression_of(struct fproxy_pool *pool, const struct pg_value *value,
                                 const struct pg_method *method)
{
    char *text = NULL, *copy = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (memory) {
        pg_expr_print(memory, value->expr, method);
        if (fclose(memory) == 0 && text && (copy = fproxy_pool_get(pool, size + 1, 1)))
            memcpy(copy, text, size);
    }
    free(text);
    return copy;
}

static int value_make(struct fproxy_pool *pool, const struct pg_method *method,
                      size_t index, struct monitor_value_decl *decl)
{
    const struct pg_value *value = &method->values[index];

    *decl = (struct monitor_value_decl){
        .name = value->name,
        .expression = expression_of(pool, value, method),
        .type = value->expr->cls == PG_FLOATING ? MONITOR_DOUBLE : MONITOR_INT64,
        .kind = value->kind,
        .labels = labels_of(pool, value),
        .label_count = value->label_count};
    return decl->expression && decl->labels ? 0 : -1;
}

const struct proxy_table *fproxy_table_make(struct fproxy_pool *pool,
                                            const struct pg_port *port)
{
    struct proxy_table *table = fproxy_pool_get(pool, 1, sizeof *table);
    struct proxy_table_method *methods =
        fproxy_pool_get(pool, port->method_count, sizeof *methods);

    if (!table || !methods)
        return NULL;
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];
        struct monitor_value_decl *values =
            fproxy_pool_get(pool, method->value_count, sizeof *values);
        size_t in_count = pg_method_in_count(method);

        if (!values)
            return NULL;
        for (size_t k = 0; k < method->value_count; k++)
            if (value_make(pool, method, k, &values[k]) < 0)
                return NULL;
        methods[i] =
            (struct proxy_table_method){.name = method->name,
                                        .result = method->result,
                                        .values = values,
                                        .in_count = in_count,
                                        .out_count = method->value_count - in_count,
                                        .unmeasured = method->unmeasured};
    }
    *table = (struct proxy_table){.abi = PROXY_TABLE_ABI,
                                  .size = sizeof *table,
                                  .port_type = port->type,
                                  .port_size = port->size,
                                  .methods = methods,
                                  .method_count = port->method_count};
    return table;
}
