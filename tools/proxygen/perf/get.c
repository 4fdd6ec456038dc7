/* SPDX-License-Identifier: BSD-3-Clause */
/* get.c: parse sidecar lines `get`, which get numbers from functions without side
 * effects. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/parts.h"
#include "tools/proxygen/perf/word.h"

enum { NAMES_MAX = 8, GETS_MAX = 8 };

struct getting {
    struct pg_lexer *lexer;
    struct pg_method *method; /* method that has the `get` line */
    struct pg_method *call;   /* function that the `get` line calls */
    struct pg_get *get;
    struct cca_token names[NAMES_MAX]; /* tokens of the variables that get numbers */
};

/* --- Names ---------------------------------------------------------------- */

static int is_name_of(const struct pg_method *method, const struct cca_token *token)
{
    for (size_t i = 0; i < method->get_count; i++)
        for (size_t j = 0; j < method->gets[i].name_count; j++) {
            const char *name = method->gets[i].names[j].name;

            if (strlen(name) == token->length &&
                memcmp(name, token->start, token->length) == 0)
                return 1;
        }
    return 0;
}

static int one_name(struct getting *g)
{
    struct pg_lexer *lexer = g->lexer;
    const struct cca_token *token = &lexer->token;
    struct pg_got *got;

    if (token->kind != CCA_TOKEN_NAME || !pg_word_ok(token->start, token->length))
        return pg_lex_unexpected(lexer, "a name to get");
    if (pg_method_find_arg(g->method, token->start, token->length) >= 0)
        return pg_lex_fail(lexer, "%s is an argument already", pg_lex_show(token).text);
    if (is_name_of(g->method, token))
        return pg_lex_fail(lexer, "%s is got twice", pg_lex_show(token).text);
    if (g->get->name_count == NAMES_MAX)
        return pg_lex_fail(lexer, "more than %d names from one call", NAMES_MAX);
    if (cca_array_reserve(&g->get->names, g->get->name_count, sizeof *got))
        return cca_no_memory(lexer->err);
    got = &g->get->names[g->get->name_count];
    *got = (struct pg_got){.name = strndup(token->start, token->length), .arg = SIZE_MAX};
    if (!got->name)
        return cca_no_memory(lexer->err);
    g->names[g->get->name_count++] = *token;
    return pg_lex_next(lexer);
}

/* Parse NAME (',' NAME)*. */
static int read_names(struct getting *g)
{
    int status = one_name(g);

    while (status == 0 && pg_lex_is(g->lexer, ",")) {
        status = pg_lex_next(g->lexer);
        if (status == 0)
            status = one_name(g);
    }
    return status;
}

/* --- The called function -------------------------------------------------- */

/* Find a function of the library among the port's getters, or add it to them. */
static int find_function(struct getting *g, const char *name)
{
    struct pg_port *port = g->method->port;
    struct pg_lexer *lexer = g->lexer;
    int status;

    for (size_t i = 0; i < port->getter_count; i++)
        if (strcmp(port->getters[i]->name, name) == 0) {
            g->get->call = i;
            return 0;
        }
    g->get->call = port->getter_count;
    g->call = pg_port_add_getter(port);
    if (!g->call || !(g->call->name = strdup(name)))
        return cca_no_memory(lexer->err);
    status = port->lookup
                 ? port->lookup->function(port->lookup, port, name, g->call, lexer->err)
                 : -ENOENT;
    if (status == -ENOENT)
        return pg_lex_fail(lexer, "%s is no function that the header declares",
                           pg_lex_show(&lexer->token).text);
    return status;
}

static int find_method(struct getting *g)
{
    const struct cca_token *token = &g->lexer->token;
    struct pg_port *port = g->method->port;
    struct pg_method *found = pg_port_find_method(port, token->start, token->length);
    const char *what = port->members ? "function" : "method", *near = NULL;

    if (found) {
        g->get->call = (size_t)(found - port->methods);
        return 0;
    }
    for (size_t i = 0; i < port->method_count && !near; i++)
        if (pg_word_near(token->start, token->length, port->methods[i].name))
            near = port->methods[i].name;
    return pg_lex_unknown(g->lexer, what, port->name, near);
}

static int callee(struct getting *g)
{
    const struct cca_token *token = &g->lexer->token;
    char name[256];
    int status;

    if (token->kind != CCA_TOKEN_NAME || token->length >= sizeof name)
        return pg_lex_unexpected(g->lexer, "a function to call");
    memcpy(name, token->start, token->length);
    name[token->length] = 0;
    status = g->method->port->functions && !g->method->port->members
                 ? find_function(g, name)
                 : find_method(g);
    if (status < 0)
        return status;
    g->call = pg_port_getter(g->method->port, g->get->call);
    g->get->args = calloc(g->call->arg_count + 1, sizeof *g->get->args);
    if (!g->get->args)
        return cca_no_memory(g->lexer->err);
    g->get->arg_count = g->call->arg_count;
    return pg_lex_next(g->lexer);
}

/* --- Arguments of the call ------------------------------------------------ */

static int wrong_type(const struct getting *g, const struct cca_token *at,
                      const struct pg_arg *arg, const char *found)
{
    return pg_lex_fail_at(g->lexer, at, "'%.60s' takes '%.60s' for '%.60s', found %.60s",
                          g->call->name, arg->type, arg->name, found);
}

/* Parse "&NAME": argument `index` of the call is the address of the variable NAME. */
static int read_address_arg(struct getting *g, size_t index)
{
    struct pg_arg *arg = &g->call->args[index];
    struct pg_type *type = pg_arg_type(g->method->port, arg);
    const struct cca_token *token = &g->lexer->token;
    int status = pg_lex_next(g->lexer);

    if (status < 0)
        return status;
    if (!type || pg_port_open_type(g->method->port, type) < 0)
        return cca_no_memory(g->lexer->err);
    for (size_t i = 0; i < g->get->name_count; i++) {
        struct pg_got *name = &g->get->names[i];

        if (!pg_lex_is(g->lexer, name->name))
            continue;
        if (type->kind != PG_TYPE_POINTER || !type->to ||
            type->to->kind != PG_TYPE_NUMBER || type->to->is_const ||
            type->to->is_volatile || !pg_type_ok(type->to->name))
            return wrong_type(g, token, arg, "the address of a number");
        if (name->type)
            return pg_lex_fail(g->lexer, "'%.60s' is written twice", name->name);
        name->type = type->to;
        name->arg = index;
        return pg_lex_next(g->lexer);
    }
    return pg_lex_unexpected(g->lexer, "a name that is got");
}

static const char *without_const(const char *name)
{
    return strncmp(name, "const ", 6) == 0 ? name + 6 : name;
}

/* True if a pointer of type `from` may be passed for one of type `to`. */
static int pointers_agree(struct pg_port *port, struct pg_type *to, struct pg_type *from)
{
    if (to == from)
        return 1;
    if (pg_port_open_type(port, to) < 0 || pg_port_open_type(port, from) < 0 || !to->to ||
        !from->to)
        return 0;
    if (from->to->is_const && !to->to->is_const)
        return 0;
    return strcmp(without_const(to->to->name), "void") == 0 ||
           strcmp(without_const(to->to->name), without_const(from->to->name)) == 0;
}

static int read_value_arg(struct getting *g, size_t index)
{
    struct pg_parser parser = {.lexer = g->lexer, .method = g->method};
    struct pg_arg *arg = &g->call->args[index];
    struct pg_type *type = pg_arg_type(g->method->port, arg);
    struct cca_token at = g->lexer->token;
    struct pg_expr **expr = &g->get->args[index];
    int status;

    if (!type)
        return cca_no_memory(g->lexer->err);
    if (type->kind == PG_TYPE_POINTER && pg_lex_is(g->lexer, "NULL"))
        return pg_lex_next(g->lexer);
    status = type->kind == PG_TYPE_POINTER ? pg_parse_unary(&parser, expr)
                                           : pg_parse_choice(&parser, expr);
    if (status < 0)
        return status;
    if (type->kind == PG_TYPE_NUMBER && (*expr)->cls != PG_OTHER)
        return 0;
    if (type->kind == PG_TYPE_POINTER && (*expr)->type &&
        (*expr)->type->kind == PG_TYPE_POINTER &&
        pointers_agree(g->method->port, type, (*expr)->type))
        return 0;
    return wrong_type(g, &at, arg, (*expr)->type ? (*expr)->type->name : "a number");
}

static int arguments(struct getting *g)
{
    struct pg_parser parser = {.lexer = g->lexer, .method = g->method};
    int status = pg_parse_sign(&parser, "(");

    for (size_t i = 0; status == 0 && i < g->get->arg_count; i++) {
        if (pg_lex_is(g->lexer, ")"))
            return pg_lex_fail(g->lexer, "'%.60s' takes %zu arguments, found %zu",
                               g->call->name, g->get->arg_count, i);
        status = pg_lex_is(g->lexer, "&") ? read_address_arg(g, i) : read_value_arg(g, i);
        if (status == 0 && i + 1 < g->get->arg_count && !pg_lex_is(g->lexer, ")"))
            status = pg_parse_sign(&parser, ",");
    }
    if (status == 0 && pg_lex_is(g->lexer, ","))
        return pg_lex_fail(g->lexer, "'%.60s' takes %zu arguments, found more",
                           g->call->name, g->get->arg_count);
    return status == 0 ? pg_parse_sign(&parser, ")") : status;
}

/* --- The end of the line -------------------------------------------------- */

/* Let the one variable that is not passed by address get the result of the call. */
static int returned_name(struct getting *g)
{
    struct pg_type *type = pg_result_type(g->call);
    size_t by_address = 0;

    if (!type)
        return cca_no_memory(g->lexer->err);
    for (size_t i = 0; i < g->get->name_count; i++)
        by_address += g->get->names[i].type != NULL;
    for (size_t i = 0; i < g->get->name_count; i++) {
        struct pg_got *name = &g->get->names[i];

        if (name->type)
            continue;
        if (g->get->name_count - by_address > 1)
            return pg_lex_fail_at(g->lexer, &g->names[i],
                                  "'%.60s' is given to no argument of "
                                  "'%.60s': '&%.60s'",
                                  name->name, g->call->name, name->name);
        if (type->kind != PG_TYPE_NUMBER || !pg_type_ok(type->name))
            return pg_lex_fail_at(
                g->lexer, &g->names[i],
                "'%.60s' is given to no argument, and the result of '%.60s' is no number",
                name->name, g->call->name);
        name->type = type;
        name->arg = g->get->arg_count;
    }
    return 0;
}

static int condition(struct getting *g)
{
    struct cca_token at;
    int status = pg_lex_next(g->lexer);

    at = g->lexer->token;
    if (status == 0)
        status = pg_expr_parse(g->lexer, g->call, &g->get->only_if);
    if (status == 0 &&
        (pg_expr_has(g->get->only_if, PG_ARG) || pg_expr_has(g->get->only_if, PG_RECALL)))
        return pg_lex_fail_at(g->lexer, &at, "'if' can ask about 'return' only");
    return status;
}

static int known_in_time(const struct getting *g, const struct cca_token *at)
{
    for (size_t i = 0; !g->get->after && i < g->get->arg_count; i++)
        if (pg_expr_has(g->get->args[i], PG_RETURN))
            return pg_lex_fail_at(
                g->lexer, at,
                "'return' is known after the call: write 'after' at the end of the line");
    return 0;
}

int pg_get_line(struct pg_lexer *lexer, struct pg_method *method)
{
    struct cca_token at = lexer->token;
    struct getting g = {.lexer = lexer, .method = method};
    int status;

    if (method->get_count == GETS_MAX)
        return pg_lex_fail(lexer, "more than %d calls to get numbers", GETS_MAX);
    g.get = pg_method_add_get(method);
    status = g.get ? pg_lex_next(lexer) : cca_no_memory(lexer->err);
    if (status == 0)
        status = read_names(&g);
    if (status == 0 && !pg_lex_is(lexer, "via"))
        return pg_lex_unexpected(lexer, "',' or 'via' and a function");
    if (status == 0)
        status = pg_lex_next(lexer);
    if (status == 0)
        status = callee(&g);
    if (status == 0)
        status = arguments(&g);
    if (status == 0)
        status = returned_name(&g);
    if (status == 0 && pg_lex_is(lexer, "if"))
        status = condition(&g);
    if (status == 0 && pg_lex_is(lexer, "after")) {
        g.get->after = 1;
        status = pg_lex_next(lexer);
    }
    g.get->known = status == 0;
    return status == 0 ? known_in_time(&g, &at) : status;
}

static int expr_uses_get(const struct pg_expr *expr, size_t index)
{
    return expr &&
           ((expr->op == PG_GOT && expr->i == (int64_t)index) ||
            expr_uses_get(expr->left, index) || expr_uses_get(expr->right, index) ||
            expr_uses_get(expr->third, index));
}

int pg_get_is_kept(const struct pg_method *method, size_t index)
{
    for (size_t i = 0; i < method->keep_count; i++)
        if (expr_uses_get(method->keeps[i].handle, index) ||
            expr_uses_get(method->keeps[i].what, index))
            return 1;
    for (size_t i = index + 1; i < method->get_count; i++)
        for (size_t j = 0; j < method->gets[i].arg_count; j++)
            if (expr_uses_get(method->gets[i].args[j], index) &&
                pg_get_is_kept(method, i))
                return 1;
    return 0;
}

void pg_get_print(FILE *out, const struct pg_method *method, const struct pg_get *get)
{
    const struct pg_method *call = pg_port_getter(method->port, get->call);

    fputs("get ", out);
    for (size_t i = 0; i < get->name_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", get->names[i].name);
    fprintf(out, " via %s(", call->name);
    for (size_t i = 0; i < get->arg_count; i++) {
        const char *name = NULL;

        for (size_t j = 0; j < get->name_count && !name; j++)
            if (get->names[j].arg == i)
                name = get->names[j].name;
        fputs(i ? ", " : "", out);
        if (name)
            fprintf(out, "&%s", name);
        else if (get->args[i])
            pg_expr_print(out, get->args[i], method);
        else
            fputs("NULL", out);
    }
    fputc(')', out);
    if (get->only_if) {
        fputs(" if ", out);
        pg_expr_print(out, get->only_if, call);
    }
    fputs(get->after ? " after" : "", out);
}
