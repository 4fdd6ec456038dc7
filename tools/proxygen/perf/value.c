/* SPDX-License-Identifier: BSD-3-Clause */
/* value.c: parse names, labels and values of marks. */
#include "tools/proxygen/perf/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/array.h"
#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/word.h"

enum { LABELS_MAX = PG_LABELS_MAX, LABEL_LENGTH = 63 };

int pg_value_name(struct pg_lexer *lexer, struct pg_value *value)
{
    const struct cca_token *token = &lexer->token;

    if (token->kind != CCA_TOKEN_NAME)
        return pg_lex_unexpected(lexer, "a name");
    if (!pg_word_ok(token->start, token->length))
        return pg_lex_fail(lexer, "a name of %zu characters is too long", token->length);
    value->name = strndup(token->start, token->length);
    return value->name ? 0 : cca_no_memory(lexer->err);
}

int pg_value_expr(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_value *value)
{
    return value->kind == MONITOR_MODE ? pg_expr_parse_mode(lexer, method, &value->expr)
                                       : pg_expr_parse(lexer, method, &value->expr);
}

int pg_value_argument(struct pg_lexer *lexer, const struct pg_method *method, size_t arg,
                      struct pg_value *value)
{
    char text[260];
    struct pg_source source = *lexer->source;
    struct pg_lexer inner;
    struct pg_type *of = method->args[arg].of;
    int status =
        of && value->kind == MONITOR_OUT ? pg_port_open_type(method->port, of) : 0;

    if (status < 0)
        return cca_no_memory(lexer->err);
    if (value->kind == MONITOR_OUT && of && of->to && of->to->is_const)
        return pg_lex_fail(lexer,
                           "'%.60s' points to a constant, which the call cannot write",
                           method->args[arg].name);
    /* parse the argument's name as an expression, so that the same checks apply */
    snprintf(text, sizeof text, "%s%s", value->kind == MONITOR_OUT ? "*" : "",
             method->args[arg].name);
    source.text = text;
    source.length = strlen(text);
    source.fixed = 1;
    source.line = lexer->source->fixed ? lexer->source->line : lexer->token.line;
    source.column = lexer->source->fixed ? lexer->source->column : lexer->token.column;
    status = pg_lex_init(&inner, &source, lexer->err);
    return status < 0 ? status : pg_value_expr(&inner, method, value);
}

/* --- Labels --------------------------------------------------------------- */

static int label_ok(const char *text, size_t length)
{
    if (length == 0 || length > LABEL_LENGTH)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return 0;
    return 1;
}

int pg_value_add_label(struct pg_value *value, int64_t number, const char *text,
                       struct cca_error *err)
{
    struct pg_label *label;

    if (!label_ok(text, strlen(text)) || value->kind != MONITOR_MODE)
        return cca_error_set(err, -EINVAL,
                             "%.60s: error: a label of a mode has 1 to %d printable "
                             "characters",
                             value->name, LABEL_LENGTH);
    if (value->label_count == LABELS_MAX)
        return cca_error_set(err, -EINVAL, "%.60s: error: more than %d labels",
                             value->name, LABELS_MAX);
    for (size_t i = 0; i < value->label_count; i++)
        if (value->labels[i].value == number)
            return cca_error_set(err, -EINVAL,
                                 "%.60s: error: value %" PRId64 " has two labels",
                                 value->name, number);
    if (cca_array_reserve(&value->labels, value->label_count, sizeof *label))
        return cca_no_memory(err);
    label = &value->labels[value->label_count];
    *label = (struct pg_label){.value = number, .text = strdup(text)};
    return label->text ? (value->label_count++, 0) : cca_no_memory(err);
}

/* Parse a label's value: [-]INTEGER, 'C', an enumerator, or a string. The value's own
 * text is stored in `label`. Afterwards the current token is the next one. */
static int label_head(struct pg_lexer *lexer, const struct pg_method *method,
                      struct pg_value *value, int64_t *number,
                      char label[LABEL_LENGTH + 1])
{
    struct pg_lookup *lookup = method->port->lookup;
    const struct cca_token *token = &lexer->token;
    int minus = pg_lex_is(lexer, "-"), status = minus ? pg_lex_next(lexer) : 0;
    int quotes = token->kind == CCA_TOKEN_STRING || token->kind == CCA_TOKEN_CHARACTER;
    size_t length = token->length - (quotes ? 2 : 0);

    if (status < 0)
        return status;
    if (!minus && (quotes || token->kind == CCA_TOKEN_NAME) && length <= LABEL_LENGTH) {
        memcpy(label, token->start + quotes, length);
        label[length] = 0;
    }
    if (token->kind == CCA_TOKEN_INTEGER) {
        *number = minus ? -token->i : token->i;
        snprintf(label, LABEL_LENGTH + 1, "%" PRId64, *number);
    } else if (!minus && token->kind == CCA_TOKEN_CHARACTER) {
        *number = token->i;
    } else if (!minus && token->kind == CCA_TOKEN_STRING) {
        if (!pg_type_is_string(value->expr->type))
            return pg_lex_fail(lexer, "%s names a string, and '%.60s' is a number",
                               pg_lex_show(token).text, value->name);
        if (length == 0 || length > LABEL_LENGTH)
            return pg_lex_fail(lexer, "a string of a set has 1 to %d characters",
                               LABEL_LENGTH);
        *number = (int64_t)value->label_count;
        value->strings = 1;
        return pg_lex_next(lexer);
    } else if (minus || token->kind != CCA_TOKEN_NAME || length > LABEL_LENGTH ||
               !lookup || lookup->constant(lookup, label, number) < 0) {
        return pg_lex_unexpected(lexer, pg_type_is_string(value->expr->type)
                                            ? "a string of the set"
                                            : "the integer of a label");
    }
    if (pg_type_is_string(value->expr->type))
        return pg_lex_unexpected(lexer, "a string of the set");
    return pg_lex_next(lexer);
}

/* Parse one label, with or without ": text". */
static int one_label(struct pg_lexer *lexer, const struct pg_method *method,
                     struct pg_value *value, const char *stops)
{
    struct cca_token first = lexer->token;
    char label[LABEL_LENGTH + 1] = "";
    int64_t number = 0;
    const char *text;
    size_t length;
    int status = label_head(lexer, method, value, &number, label);

    if (status == 0 && !value->strings && pg_lex_is(lexer, ":")) {
        status = pg_lex_raw(lexer, stops, &text, &length);
        if (status < 0)
            return status;
        if (!label_ok(text, length))
            return pg_lex_fail_at(
                lexer, &first, "a label has 1 to %d printable characters", LABEL_LENGTH);
        memcpy(label, text, length);
        label[length] = 0;
    }
    if (status < 0)
        return status;
    for (size_t i = 0; i < value->label_count; i++) {
        if (value->labels[i].value == number)
            return pg_lex_fail_at(lexer, &first, "value %" PRId64 " has two labels",
                                  number);
        if (value->strings && strcmp(value->labels[i].text, label) == 0)
            return pg_lex_fail_at(lexer, &first, "string \"%s\" is in the set twice",
                                  label);
    }
    if (value->label_count == LABELS_MAX)
        return pg_lex_fail_at(lexer, &first, "more than %d labels", LABELS_MAX);
    return pg_value_add_label(value, number, label, lexer->err);
}

int pg_value_labels(struct pg_lexer *lexer, const struct pg_method *method,
                    struct pg_value *value, const char *stops)
{
    for (;;) {
        int status = one_label(lexer, method, value, stops);

        if (status < 0 || !pg_lex_is(lexer, ","))
            return status;
        status = pg_lex_next(lexer);
        if (status < 0)
            return status;
    }
}

int pg_value_own_labels(struct pg_lexer *lexer, struct pg_value *value)
{
    const struct pg_type *type = value->expr->type;
    int status = 0;

    if (value->kind != MONITOR_MODE || value->label_count || !type ||
        type->kind != PG_TYPE_NUMBER || value->expr->op >= PG_INT)
        return 0;
    if (type->scalar.bits == 1) {
        status = pg_value_add_label(value, 0, "false", lexer->err);
        return status == 0 ? pg_value_add_label(value, 1, "true", lexer->err) : status;
    }
    /* the values of a type with more than PG_LABELS_MAX names stay plain numbers */
    for (size_t i = 0;
         type->label_count <= LABELS_MAX && i < type->label_count && status == 0; i++)
        if (label_ok(type->labels[i].text, strlen(type->labels[i].text)))
            status = pg_value_add_label(value, type->labels[i].value,
                                        type->labels[i].text, lexer->err);
    return status;
}

/* --- Whole values --------------------------------------------------------- */

/* Check the expression of a mode that compares strings, and add a label for all other
 * strings. */
static int add_others(struct pg_value *value, struct cca_error *err)
{
    int status = 0, other = 0;

    for (size_t i = 0; i < value->label_count; i++)
        other |= value->labels[i].value < 0;
    if (!value->strings || other)
        return 0;
    status = pg_value_add_label(value, -1, "another string", err);
    return status == 0 ? pg_value_add_label(value, -2, "NULL", err) : status;
}

/* True if the expression uses a number of a `get` line whose call follows the method. */
static int gets_later(const struct pg_expr *expr, const struct pg_method *method)
{
    return expr && ((expr->op == PG_GOT && method->gets[expr->i].after) ||
                    gets_later(expr->left, method) || gets_later(expr->right, method) ||
                    gets_later(expr->third, method));
}

static int check_kind(const struct pg_lexer *lexer, const struct cca_token *token,
                      const struct pg_method *method, struct pg_value *value)
{
    if (value->kind == MONITOR_MODE && !value->strings &&
        pg_type_is_string(value->expr->type) && value->expr->cls == PG_OTHER)
        return pg_lex_fail_at(lexer, token,
                              "mode '%.60s' is a string; its set was expected: "
                              "{ \"this\", \"that\" }",
                              value->name);
    if (value->kind == MONITOR_MODE && !value->strings && value->expr->cls != PG_INTEGER)
        return pg_lex_fail_at(lexer, token, "mode '%.60s' is no integer", value->name);
    if (value->kind != MONITOR_OUT && pg_expr_has(value->expr, PG_RETURN))
        return pg_lex_fail_at(lexer, token,
                              "'%.60s' is known before the call, 'return' after it",
                              value->name);
    if (value->kind != MONITOR_OUT && gets_later(value->expr, method))
        return pg_lex_fail_at(
            lexer, token, "'%.60s' is known before the call, a value got 'after' is not",
            value->name);
    return add_others(value, lexer->err);
}

int pg_value_give(const struct pg_lexer *lexer, const struct cca_token *token,
                  struct pg_method *method, struct pg_value *value)
{
    char name[61];
    int status = check_kind(lexer, token, method, value);

    snprintf(name, sizeof name, "%s", value->name);
    if (status < 0) {
        pg_value_done(value);
        return status;
    }
    status = pg_method_add_value(method, value);
    if (status == -EEXIST)
        return pg_lex_fail_at(lexer, token, "'%s' is marked twice in '%.60s'", name,
                              method->name);
    if (status == -E2BIG)
        return pg_lex_fail_at(
            lexer, token,
            "'%s' is one value too many in '%.60s': %d parameters and modes, "
            "and %d out-parameters, are the limit",
            name, method->name, MONITOR_MAX_IN, MONITOR_MAX_OUT);
    return status < 0 ? cca_no_memory(lexer->err) : 0;
}
