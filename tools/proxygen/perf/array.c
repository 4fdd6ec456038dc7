/* SPDX-License-Identifier: BSD-3-Clause */
/* array.c: parse lines about the arrays that arguments point to: `reads u[5 * nx * ny]`,
 * `writes flux[n]`, `updates count`. */
#include <errno.h>

#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/parts.h"

/* Find the argument at the current token. */
static int array_argument(struct pg_lexer *lexer, struct pg_method *method,
                          enum pg_access access, struct pg_arg **found)
{
    const ptrdiff_t index =
        pg_method_find_arg(method, lexer->token.start, lexer->token.length);
    struct pg_arg *arg = index < 0 ? NULL : &method->args[index];
    const struct pg_type *type = arg ? pg_arg_type(method->port, arg) : NULL;

    if (!arg)
        return pg_lex_unknown(lexer, "argument", method->name, NULL);
    if (!type)
        return cca_no_memory(lexer->err);
    if (type->kind != PG_TYPE_POINTER)
        return pg_lex_fail(lexer, "'%.60s' is no pointer", arg->name);
    if (arg->access)
        return pg_lex_fail(lexer, "'%.60s' has a line already", arg->name);
    if (access != PG_READS && type->to && type->to->is_const)
        return pg_lex_fail(lexer, "'%.60s' points to const: it is only read", arg->name);
    *found = arg;
    return pg_lex_next(lexer);
}

int pg_array_line(struct pg_lexer *lexer, struct pg_method *method)
{
    const enum pg_access access = pg_lex_is(lexer, "reads")    ? PG_READS
                                  : pg_lex_is(lexer, "writes") ? PG_WRITES
                                                               : PG_UPDATES;
    struct pg_arg *arg = NULL;
    int status = pg_lex_next(lexer);

    if (status == 0)
        status = array_argument(lexer, method, access, &arg);
    if (status < 0)
        return status;
    arg->access = access;
    if (!pg_lex_is(lexer, "["))
        return 0;
    status = pg_lex_next(lexer);
    if (status == 0)
        status = pg_expr_parse(lexer, method, &arg->count);
    if (status == 0 && arg->count->cls != PG_INTEGER)
        return pg_lex_fail(lexer, "the size of '%.60s' is no integer", arg->name);
    if (status == 0 && pg_expr_has(arg->count, PG_RETURN))
        return pg_lex_fail(lexer, "sizes are known before the call, 'return' after it");
    if (status == 0 &&
        (pg_expr_has(arg->count, PG_RECALL) || pg_expr_has(arg->count, PG_GOT)))
        return pg_lex_fail(lexer,
                           "the size of '%.60s' needs 'recall' or 'get', which "
                           "sizes cannot have",
                           arg->name);
    if (status == 0 && !pg_lex_is(lexer, "]"))
        return pg_lex_unexpected(lexer, "']'");
    return status < 0 ? status : pg_lex_next(lexer);
}
