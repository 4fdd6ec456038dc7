/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c: parse operands of expressions: numbers, arguments and places reached from
 * them, sizes, and functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/parts.h"
#include "tools/proxygen/perf/word.h"

enum { TYPE_NAME_MAX = 200 };

static int no_memory(const struct pg_parser *parser)
{
    return cca_no_memory(parser->lexer->err);
}

/* Make `*expr` a place of type `type`: set its class, and check that it may be read. */
static int make_place(struct pg_parser *parser, struct pg_type *type,
                      const struct cca_token *at, struct pg_expr *expr)
{
    if (!type || pg_port_open_type(parser->method->port, type) < 0)
        return no_memory(parser);
    /* a volatile object must not be read once more */
    if (type->is_volatile)
        return pg_lex_fail_at(parser->lexer, at, "%s is volatile, and never read",
                              pg_lex_show(at).text);
    expr->type = type;
    expr->cls = type->kind == PG_TYPE_NUMBER ? type->scalar.cls : PG_OTHER;
    return 0;
}

/* Report an unknown name, with the nearest known one. */
static int unknown_name(struct pg_parser *parser)
{
    const struct cca_token *token = &parser->lexer->token;
    const struct pg_method *method = parser->method;
    const char *near = NULL;

    for (size_t i = 0; i < method->arg_count && !near; i++)
        if (pg_word_near(token->start, token->length, method->args[i].name))
            near = method->args[i].name;
    return pg_lex_unknown(parser->lexer, "argument", method->name, near);
}

/* --- Places inside types -------------------------------------------------- */

/* Report an error about `expr` at the token `at`; the message has the text and the type
 * of the expression. */
static int fail_at(struct pg_parser *parser, const struct cca_token *at,
                   const struct pg_expr *expr, const char *what)
{
    char *text = pg_expr_text(expr, parser->method);
    int status = text ? pg_lex_fail_at(parser->lexer, at, "'%.60s' %s (%.60s)", text,
                                       what, expr->type ? expr->type->name : "a number")
                      : no_memory(parser);

    free(text);
    return status;
}

static struct pg_type *target_of(const struct pg_expr *expr)
{
    return expr->type && expr->type->kind == PG_TYPE_POINTER ? expr->type->to : NULL;
}

int pg_parse_follow(struct pg_parser *parser, const struct cca_token *at,
                    struct pg_expr **expr)
{
    struct pg_type *to = target_of(*expr);
    int status;

    if (!to)
        return fail_at(parser, at, *expr, "is no pointer");
    status = pg_parser_over(parser, PG_DEREF, expr);
    return status == 0 ? make_place(parser, to, at, *expr) : status;
}

/* Find the field named by the current token. */
static int find_field(struct pg_parser *parser, const struct pg_type *record,
                      const struct pg_field **field)
{
    struct pg_lexer *lexer = parser->lexer;
    const struct cca_token *token = &lexer->token;
    const char *near = NULL;

    if (token->kind != CCA_TOKEN_NAME)
        return pg_lex_unexpected(lexer, "a field");
    for (size_t i = 0; i < record->field_count; i++) {
        *field = &record->fields[i];
        if (cca_token_is(token, (*field)->name))
            return 0;
        if (!near && pg_word_near(token->start, token->length, (*field)->name))
            near = (*field)->name;
    }
    return pg_lex_unknown(lexer, "field", record->name, near);
}

/* Parse the name of a field after a '.' or '->'. */
static int parse_field(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct cca_token sign = lexer->token;
    int arrow = sign.length == 2, status;
    struct pg_type *to = target_of(*expr);
    const struct pg_type *record = arrow ? to : (*expr)->type;
    const struct pg_field *found = NULL;

    if (arrow && !to)
        return fail_at(parser, &sign, *expr,
                       "is no pointer; a field of it is reached with '.'");
    if (!arrow && to)
        return fail_at(parser, &sign, *expr,
                       "is a pointer; its target's field is reached with '->'");
    if (arrow && pg_port_open_type(parser->method->port, to) < 0)
        return no_memory(parser);
    if (!record || record->kind != PG_TYPE_RECORD)
        return fail_at(parser, &sign, *expr,
                       record && record->kind == PG_TYPE_OPAQUE
                           ? "is of a type whose fields the header does not declare"
                           : "has no fields");
    if (record->is_volatile)
        return fail_at(parser, &sign, *expr, "is volatile, and never read");
    status = pg_lex_next(lexer);
    if (status == 0)
        status = find_field(parser, record, &found);
    if (status == 0)
        status = pg_parser_over(parser, PG_FIELD, expr);
    if (status == 0) {
        (*expr)->field = found;
        status = make_place(parser, found->type, &lexer->token, *expr);
    }
    return status == 0 ? pg_lex_next(lexer) : status;
}

/* Return the number of elements in the header's declaration of an array; 0: unknown. An
 * array of one element may have any length: before C99, structs ended with such
 * arrays. */
static size_t array_bound(const struct pg_type *array)
{
    return array->count > 1 ? array->count : 0;
}

/* Refuse '?:', '&&', '||' and values that may be unknown where they would decide whether
 * a place is reachable. */
static int no_choice(struct pg_parser *parser, const struct cca_token *at,
                     const struct pg_expr *expr)
{
    if (pg_expr_has(expr, PG_CHOOSE) || pg_expr_has(expr, PG_BOTH) ||
        pg_expr_has(expr, PG_EITHER))
        return pg_lex_fail_at(parser->lexer, at,
                              "'?:', '&&' and '||' are not allowed here");
    if (pg_expr_has(expr, PG_RECALL) || pg_expr_has(expr, PG_GOT))
        return pg_lex_fail_at(parser->lexer, at,
                              "values of recall and get are not allowed here");
    return 0;
}

/* Parse the index and the ']' after a '['. */
static int parse_element(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct cca_token sign = lexer->token, at;
    const struct pg_type *array = (*expr)->type;
    struct pg_type *to =
        array && array->kind == PG_TYPE_ARRAY ? array->to : target_of(*expr);
    struct pg_expr *index;
    int status;

    if (!to)
        return fail_at(parser, &sign, *expr, "is neither pointer nor array");
    if (pg_port_open_type(parser->method->port, to) < 0)
        return no_memory(parser);
    if (to->size == 0)
        return fail_at(parser, &sign, *expr, "has elements of no known size");
    status = pg_parser_over(parser, PG_INDEX, expr);
    if (status == 0)
        status = pg_lex_next(lexer);
    at = lexer->token;
    if (status == 0)
        status = pg_parse_choice(parser, &(*expr)->right);
    if (status < 0)
        return status;
    index = (*expr)->right;
    if (index->cls != PG_INTEGER)
        return pg_lex_fail_at(lexer, &at, "an index must be an integer");
    status = no_choice(parser, &at, index);
    if (status < 0)
        return status;
    if (index->op == PG_INT && array_bound(array) &&
        (uint64_t)index->i >= array_bound(array))
        return pg_lex_fail_at(lexer, &at, "index %lld of an array of %zu",
                              (long long)index->i, array_bound(array));
    (*expr)->i = (int64_t)array_bound(array);
    status = pg_parse_sign(parser, "]");
    return status == 0 ? make_place(parser, to, &sign, *expr) : status;
}

static int parse_postfix(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int status = 0;

    while (status == 0) {
        if (pg_lex_is(lexer, ".") || pg_lex_is(lexer, "->"))
            status = parse_field(parser, expr);
        else if (pg_lex_is(lexer, "["))
            status = parse_element(parser, expr);
        else
            break;
    }
    return status;
}

/* --- Sizes ---------------------------------------------------------------- */

#define BASIC(name)                                                                      \
    {                                                                                    \
#name, sizeof(name)                                                              \
    }

static const struct {
    const char *name;
    size_t size;
} basic[] = {
    BASIC(char),          BASIC(signed char),    BASIC(unsigned char),
    BASIC(short),         BASIC(unsigned short), BASIC(int),
    BASIC(unsigned),      BASIC(unsigned int),   BASIC(long),
    BASIC(unsigned long), BASIC(long long),      BASIC(unsigned long long),
    BASIC(float),         BASIC(double),         BASIC(long double),
};

static struct pg_type *known_type(struct pg_port *port, const char *name)
{
    for (size_t i = 0; i < port->type_count; i++)
        if (port->types[i]->size && strcmp(port->types[i]->name, name) == 0)
            return port->types[i];
    return NULL;
}

/* Find the type with a name. Returns 0, -ENOENT or -ENOMEM. */
static int type_named(struct pg_port *port, const char *name, struct pg_type **type)
{
    int status = 0;

    *type = known_type(port, name);
    for (size_t i = 0; !*type && i < sizeof basic / sizeof *basic; i++)
        if (strcmp(basic[i].name, name) == 0) {
            *type = pg_port_add_type(port, PG_TYPE_OPAQUE, name);
            if (!*type)
                return -ENOMEM;
            (*type)->size = basic[i].size;
        }
    if (!*type && port->lookup)
        status = port->lookup->type_named(port->lookup, port, name, type);
    return status < 0 ? status : *type ? 0 : -ENOENT;
}

/* Copy the words of the type at the current token, with blanks between them, and count
 * its stars. */
static int type_words(struct pg_parser *parser, char name[TYPE_NAME_MAX], int *stars)
{
    struct pg_lexer *lexer = parser->lexer;
    size_t used = 0;
    int status = 0;

    *stars = 0;
    while (status == 0 && lexer->token.kind == CCA_TOKEN_NAME) {
        if (used + lexer->token.length + 2 > TYPE_NAME_MAX)
            return pg_lex_fail(lexer, "the name of a type is too long");
        if (used)
            name[used++] = ' ';
        memcpy(name + used, lexer->token.start, lexer->token.length);
        used += lexer->token.length;
        status = pg_lex_next(lexer);
    }
    name[used] = 0;
    while (status == 0 && pg_lex_is(lexer, "*")) {
        ++*stars;
        status = pg_lex_next(lexer);
    }
    return status;
}

static int size_of_type(struct pg_parser *parser, struct pg_expr *expr)
{
    struct cca_token at = parser->lexer->token;
    struct pg_port *port = parser->method->port;
    char name[TYPE_NAME_MAX + 2];
    struct pg_type *type = NULL;
    int stars = 0, status = type_words(parser, name, &stars);

    if (status == 0)
        status = type_named(port, name, &type);
    if (status == -ENOENT)
        return pg_lex_fail_at(
            parser->lexer, &at,
            "'%.60s' is neither a type of the header nor an argument of '%.60s'", name,
            parser->method->name);
    if (status == -ENOMEM)
        return no_memory(parser);
    if (status == 0 && stars) {
        strcat(name, " *");
        type = known_type(port, name);
        if (!type && !(type = pg_port_add_type(port, PG_TYPE_OPAQUE, name)))
            return no_memory(parser);
        type->size = sizeof(void *);
    }
    if (status == 0 && type->size == 0)
        return pg_lex_fail_at(parser->lexer, &at,
                              "the header does not state the size of '%.60s'", name);
    if (status == 0) {
        expr->type = type;
        expr->i = (int64_t)type->size;
    }
    return status;
}

static int is_argument(const struct pg_parser *parser)
{
    const struct cca_token *token = &parser->lexer->token;

    return token->kind == CCA_TOKEN_NAME &&
           (pg_method_find_arg(parser->method, token->start, token->length) >= 0 ||
            pg_lex_is(parser->lexer, "return"));
}

/* Parse the operand of sizeof, after the "sizeof (". */
static int size_of(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct cca_token at = lexer->token;
    int status = pg_parser_node(parser, PG_SIZEOF, expr);

    if (status < 0)
        return status;
    if (lexer->token.kind == CCA_TOKEN_NAME && !is_argument(parser))
        return size_of_type(parser, *expr);
    status = pg_parse_unary(parser, &(*expr)->left);
    if (status < 0)
        return status;
    if (!(*expr)->left->type || (*expr)->left->type->size == 0)
        return fail_at(parser, &at, (*expr)->left,
                       "has no size that the header declares");
    (*expr)->i = (int64_t)(*expr)->left->type->size;
    return 0;
}

/* Parse the operand of countof, after the "countof (". */
static int count_of(struct pg_parser *parser, struct pg_expr **expr)
{
    struct cca_token at = parser->lexer->token;
    int status = pg_parser_node(parser, PG_COUNTOF, expr);

    if (status == 0)
        status = pg_parse_unary(parser, &(*expr)->left);
    if (status < 0)
        return status;
    if (!(*expr)->left->type || (*expr)->left->type->count == 0)
        return fail_at(parser, &at, (*expr)->left,
                       "is no array that the header declares with a "
                       "length");
    (*expr)->i = (int64_t)(*expr)->left->type->count;
    return 0;
}

/* --- Functions ------------------------------------------------------------ */

static int parse_number(struct pg_parser *parser, struct pg_expr **expr)
{
    struct cca_token at = parser->lexer->token;
    int status = pg_parse_choice(parser, expr);

    return status == 0 ? pg_parse_need(parser, &at, *expr, 0) : status;
}

static int integer_only(struct pg_parser *parser, const struct cca_token *at,
                        const struct pg_expr *expr, const char *function)
{
    return expr->cls == PG_INTEGER
               ? 0
               : pg_lex_fail_at(parser->lexer, at, "'%s' takes an integer", function);
}

static int smaller_or_larger(struct pg_parser *parser, enum pg_op op,
                             struct pg_expr **expr)
{
    int status = pg_parser_node(parser, op, expr);

    if (status == 0)
        status = parse_number(parser, &(*expr)->left);
    if (status == 0)
        status = pg_parse_sign(parser, ",");
    if (status == 0)
        status = parse_number(parser, &(*expr)->right);
    if (status == 0 &&
        ((*expr)->left->cls == PG_FLOATING || (*expr)->right->cls == PG_FLOATING))
        (*expr)->cls = PG_FLOATING;
    return status;
}

static int parse_upper(struct pg_parser *parser, struct pg_expr **expr)
{
    struct cca_token at = parser->lexer->token;
    int status = pg_parser_node(parser, PG_UPPER, expr);

    if (status == 0)
        status = parse_number(parser, &(*expr)->left);
    return status == 0 ? integer_only(parser, &at, (*expr)->left, "upper") : status;
}

static int length_of(struct pg_parser *parser, int limited, struct pg_expr **expr)
{
    struct cca_token at = parser->lexer->token;
    int status = pg_parser_node(parser, PG_STRLEN, expr);

    if (status == 0)
        status = pg_parse_unary(parser, &(*expr)->left);
    if (status < 0)
        return status;
    if (!pg_type_is_string((*expr)->left->type))
        return fail_at(parser, &at, (*expr)->left, "is no string");
    if (!limited)
        return 0;
    status = pg_parse_sign(parser, ",");
    at = parser->lexer->token;
    if (status == 0)
        status = parse_number(parser, &(*expr)->right);
    if (status == 0)
        status = integer_only(parser, &at, (*expr)->right, "strnlen");
    return status == 0 ? no_choice(parser, &at, (*expr)->right) : status;
}

static const char *const functions[] = {"sizeof", "countof", "strlen", "strnlen",
                                        "min",    "max",     "upper"};

/* Return the index of the language's function that is called at the current token, or
 * -1. */
static int function_at(const struct pg_parser *parser)
{
    struct pg_lexer ahead = *parser->lexer;

    ahead.err = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (pg_lex_is(&ahead, functions[i]))
            return pg_lex_next(&ahead) == 0 && pg_lex_is(&ahead, "(") ? (int)i : -1;
    return -1;
}

static int parse_call(struct pg_parser *parser, int function, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int status = pg_lex_next(lexer);

    if (status == 0)
        status = pg_lex_next(lexer); /* skip the bracket */
    if (status < 0)
        return status;
    switch (function) {
    case 0:
        status = size_of(parser, expr);
        break;
    case 1:
        status = count_of(parser, expr);
        break;
    case 2:
    case 3:
        status = length_of(parser, function == 3, expr);
        break;
    case 4:
    case 5:
        status = smaller_or_larger(parser, function == 4 ? PG_MIN : PG_MAX, expr);
        break;
    default:
        status = parse_upper(parser, expr);
    }
    return status == 0 ? pg_parse_sign(parser, ")") : status;
}

/* --- Operands ------------------------------------------------------------- */

static int parse_literal(struct pg_parser *parser, struct pg_expr **expr)
{
    const struct cca_token *token = &parser->lexer->token;
    int real = token->kind == CCA_TOKEN_REAL;
    int status = pg_parser_node(parser, real ? PG_REAL : PG_INT, expr);

    if (status < 0)
        return status;
    (*expr)->cls = real ? PG_FLOATING : PG_INTEGER;
    (*expr)->i = token->i;
    (*expr)->d = real ? token->d : 0;
    return pg_lex_next(parser->lexer);
}

static int parse_bracketed(struct pg_parser *parser, struct pg_expr **expr)
{
    int status = pg_lex_next(parser->lexer);

    if (status == 0)
        status = pg_parse_choice(parser, expr);
    if (status == 0)
        status = pg_parse_sign(parser, ")");
    return status == 0 ? parse_postfix(parser, expr) : status;
}

static int parse_return(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct pg_type *type = pg_result_type((struct pg_method *)parser->method);
    int status;

    if (strcmp(parser->method->result, "void") == 0)
        return pg_lex_fail(lexer, "'%.60s' returns nothing", parser->method->name);
    status = pg_parser_node(parser, PG_RETURN, expr);
    if (status == 0)
        status = make_place(parser, type, &lexer->token, *expr);
    if (status == 0)
        status = pg_lex_next(lexer);
    return status == 0 ? parse_postfix(parser, expr) : status;
}

static int parse_constant(struct pg_parser *parser, struct pg_expr **expr)
{
    const struct cca_token *token = &parser->lexer->token;
    struct pg_lookup *lookup = parser->method->port->lookup;
    char name[256];
    int64_t value;
    int status;

    if (!lookup || token->length >= sizeof name)
        return unknown_name(parser);
    memcpy(name, token->start, token->length);
    name[token->length] = 0;
    status = lookup->constant(lookup, name, &value);
    if (status == -ENOMEM)
        return no_memory(parser);
    if (status < 0)
        return unknown_name(parser);
    /* a number has no sign: make the nodes that a reader of the printed text would
     * make */
    status = pg_parser_node(parser, PG_INT, expr);
    if (status == 0) {
        (*expr)->i = value < 0 ? -(value + (value == INT64_MIN)) : value;
        if (value < 0)
            status = pg_parser_over(parser, PG_NEG, expr);
    }
    return status == 0 ? pg_lex_next(parser->lexer) : status;
}

/* Parse the name of a variable of a `get` line. Returns 0 or a negative errno; 1 if the
 * token is no such name. */
static int parse_got(struct pg_parser *parser, struct pg_expr **expr)
{
    const struct cca_token *token = &parser->lexer->token;
    const struct pg_method *method = parser->method;

    for (size_t i = 0; i < method->get_count; i++)
        for (size_t j = 0; j < method->gets[i].name_count; j++) {
            const struct pg_got *name = &method->gets[i].names[j];
            int status;

            if (!method->gets[i].known || !pg_lex_is(parser->lexer, name->name))
                continue;
            status = pg_parser_node(parser, PG_GOT, expr);
            if (status < 0)
                return status;
            (*expr)->i = (int64_t)i;
            (*expr)->arg = j;
            status = make_place(parser, name->type, token, *expr);
            return status == 0 ? pg_lex_next(parser->lexer) : status;
        }
    return 1;
}

/* Parse "recall [NAME] on HANDLE". */
static int recall(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct cca_token word = lexer->token, at;
    struct pg_port *port = parser->method->port;
    char name[256] = "value";
    size_t memory;
    int status = pg_lex_next(lexer);

    if (status == 0 && !pg_lex_is(lexer, "on")) {
        if (lexer->token.kind != CCA_TOKEN_NAME || lexer->token.length >= sizeof name)
            return pg_lex_unexpected(lexer, "a name that is remembered");
        word = lexer->token;
        memcpy(name, word.start, word.length);
        name[word.length] = 0;
        status = pg_lex_next(lexer);
    }
    if (status == 0 && !pg_lex_is(lexer, "on"))
        return pg_lex_unexpected(lexer, "'on' and a handle");
    if (status == 0)
        status = pg_port_memory(port, name, &word, &memory);
    if (status == -ENOMEM)
        return no_memory(parser);
    if (status == 0)
        status = pg_parser_node(parser, PG_RECALL, expr);
    if (status == 0)
        status = pg_lex_next(lexer);
    at = lexer->token;
    if (status == 0)
        status = pg_parse_unary(parser, &(*expr)->left);
    if (status < 0)
        return status;
    (*expr)->arg = memory;
    (*expr)->cls = pg_port_keeper(port)->memories[memory].cls;
    return pg_parse_handle(parser, &at, (*expr)->left);
}

int pg_parse_handle(struct pg_parser *parser, const struct cca_token *at,
                    const struct pg_expr *expr)
{
    if (expr->cls == PG_INTEGER || (expr->type && expr->type->kind == PG_TYPE_POINTER))
        return 0;
    return fail_at(parser, at, expr, "is no handle: neither a pointer nor an integer");
}

int pg_parse_primary(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    const struct cca_token *token = &lexer->token;
    const struct pg_method *method = parser->method;
    ptrdiff_t arg;
    int status;

    if (pg_lex_is(lexer, "("))
        return parse_bracketed(parser, expr);
    if (token->kind == CCA_TOKEN_INTEGER || token->kind == CCA_TOKEN_REAL ||
        token->kind == CCA_TOKEN_CHARACTER)
        return parse_literal(parser, expr);
    if (token->kind != CCA_TOKEN_NAME)
        return pg_lex_unexpected(lexer, "an argument");
    if (function_at(parser) >= 0)
        return parse_call(parser, function_at(parser), expr);
    if (pg_lex_is(lexer, "return"))
        return parse_return(parser, expr);
    arg = pg_method_find_arg(method, token->start, token->length);
    if (arg < 0) {
        if (pg_lex_is(lexer, "recall"))
            return recall(parser, expr);
        status = parse_got(parser, expr);
        return status <= 0 ? status : parse_constant(parser, expr);
    }
    status = pg_parser_node(parser, PG_ARG, expr);
    if (status < 0)
        return status;
    (*expr)->arg = (size_t)arg;
    status =
        make_place(parser, pg_arg_type(method->port, &method->args[arg]), token, *expr);
    if (status == 0)
        status = pg_lex_next(lexer);
    return status == 0 ? parse_postfix(parser, expr) : status;
}
