/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c: annotations and sidecars to values of methods. */
#include "tools/proxygen/perf/marks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/word.h"

enum { LABELS_MAX = 256, LABEL_LENGTH = 63 };

static int no_memory(struct cca_error *err)
{
    return cca_error_set(err, -ENOMEM, "out of memory");
}

static int unexpected(const struct pg_lexer *lexer, const char *what)
{
    return pg_lex_fail(lexer, "%s where %s was expected", pg_lex_show(&lexer->token).text, what);
}

/* Give `value` (emptied in any case) to the method, or say at `token` why not. */
static int add_value(const struct pg_lexer *lexer, const struct pg_token *token,
                     struct pg_method *method, struct pg_value *value)
{
    char name[61];
    int status;

    snprintf(name, sizeof name, "%s", value->name);
    if (value->kind == MONITOR_MODE && value->expr->cls != PG_INTEGER) {
        pg_value_done(value);
        return pg_lex_fail_at(lexer, token, "mode '%s' is no integer", name);
    }
    status = pg_method_add_value(method, value);
    if (status == -EEXIST)
        return pg_lex_fail_at(lexer, token, "'%s' is marked twice in '%.60s'", name,
                              method->name);
    if (status == -E2BIG)
        return pg_lex_fail_at(lexer, token,
                              "'%s' is one value too many in '%.60s': %d parameters and modes, "
                              "and %d out-parameters, are the limit",
                              name, method->name, MONITOR_MAX_IN, MONITOR_MAX_OUT);
    return status < 0 ? no_memory(lexer->err) : 0;
}

/* The name that a value gets: the current token. */
static int value_name(struct pg_lexer *lexer, struct pg_value *value)
{
    const struct pg_token *token = &lexer->token;

    if (token->kind != PG_NAME)
        return unexpected(lexer, "a name");
    if (!pg_word_ok(token->start, token->length))
        return pg_lex_fail(lexer, "a name of %zu characters is too long", token->length);
    value->name = strndup(token->start, token->length);
    return value->name ? 0 : no_memory(lexer->err);
}

/* The tree of an argument taken as it is, or of what it points to. `lexer` stands at it. */
static int argument_expr(struct pg_lexer *lexer, const struct pg_method *method, size_t arg,
                         int deref, struct pg_expr **expr)
{
    const char *name = method->args[arg].name;
    char text[260];
    struct pg_source source = *lexer->source;
    struct pg_lexer inner;
    int status;

    /* Through the one parser, so that the checks are the same. */
    snprintf(text, sizeof text, "%s%s", deref ? "*" : "", name);
    source.text = text;
    source.length = strlen(text);
    source.fixed = 1;
    source.line = lexer->source->fixed ? lexer->source->line : lexer->token.line;
    source.column = lexer->source->fixed ? lexer->source->column : lexer->token.column;
    status = pg_lex_init(&inner, &source, lexer->err);
    return status < 0 ? status : pg_expr_parse(&inner, method, expr);
}

static int label_ok(const char *text, size_t length)
{
    if (length == 0 || length > LABEL_LENGTH)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return 0;
    return 1;
}

/* One label: an integer, with or without ": text". */
static int one_label(struct pg_lexer *lexer, struct pg_value *value, const char *stops)
{
    struct pg_token first = lexer->token;
    int minus = pg_lex_is(lexer, '-'), status = minus ? pg_lex_next(lexer) : 0;
    const char *text;
    size_t length;
    char label[LABEL_LENGTH + 1];
    int64_t number;

    if (status < 0)
        return status;
    if (lexer->token.kind != PG_INT_NUMBER)
        return unexpected(lexer, "the integer of a label");
    number = minus ? -lexer->token.i : lexer->token.i;
    length = (size_t)snprintf(label, sizeof label, "%" PRId64, number);
    status = pg_lex_next(lexer);
    if (status == 0 && pg_lex_is(lexer, ':')) {
        status = pg_lex_raw(lexer, stops, &text, &length);
        if (status < 0)
            return status;
        if (!label_ok(text, length))
            return pg_lex_fail_at(lexer, &first, "a label has 1 to %d printable characters",
                                  LABEL_LENGTH);
        memcpy(label, text, length);
        label[length] = 0;
    }
    if (status < 0)
        return status;
    for (size_t i = 0; i < value->label_count; i++)
        if (value->labels[i].value == number)
            return pg_lex_fail_at(lexer, &first, "value %" PRId64 " has two labels", number);
    if (value->label_count == LABELS_MAX)
        return pg_lex_fail_at(lexer, &first, "more than %d labels", LABELS_MAX);
    return pg_marks_add_label(value, number, label, lexer->err);
}

/* LABEL (',' LABEL)* up to one of `stops` or the end. */
static int labels(struct pg_lexer *lexer, struct pg_value *value, const char *stops)
{
    for (;;) {
        int status = one_label(lexer, value, stops);

        if (status < 0 || !pg_lex_is(lexer, ','))
            return status;
        status = pg_lex_next(lexer);
        if (status < 0)
            return status;
    }
}

/* --- Annotations ------------------------------------------------------------------------ */

/* NAME = EXPRESSION, with the name as the current token. */
static int assignment(struct pg_lexer *lexer, struct pg_method *method, struct pg_value *value)
{
    int status = value_name(lexer, value);

    if (status == 0)
        status = pg_lex_next(lexer);
    if (status == 0 && !pg_lex_is(lexer, '='))
        status = unexpected(lexer, "'='");
    if (status == 0)
        status = pg_lex_next(lexer);
    return status == 0 ? pg_expr_parse(lexer, method, &value->expr) : status;
}

int pg_marks_perf(struct pg_method *method, const struct pg_source *source,
                  struct cca_error *err)
{
    struct pg_lexer lexer;
    int status = pg_lex_init(&lexer, source, err);

    while (status == 0) {
        struct pg_value value = {.kind = MONITOR_PARAM};
        struct pg_token name = lexer.token;

        status = assignment(&lexer, method, &value);
        if (status == 0 && lexer.token.kind != PG_END && !pg_lex_is(&lexer, ';'))
            status = unexpected(&lexer, "';' or the end");
        if (status < 0) {
            pg_value_done(&value);
            return status;
        }
        status = add_value(&lexer, &name, method, &value);
        if (status < 0 || lexer.token.kind == PG_END)
            return status;
        status = pg_lex_next(&lexer);
        if (status == 0 && lexer.token.kind == PG_END)
            return 0;
    }
    return status;
}

/* A mark on an argument. */
static int argument_mark(struct pg_method *method, size_t arg, enum monitor_kind kind,
                         const struct pg_source *source, struct cca_error *err)
{
    struct pg_value value = {.kind = kind};
    struct pg_lexer lexer;
    int status = pg_lex_init(&lexer, source, err);
    struct pg_token first = lexer.token;

    if (status == 0)
        status = argument_expr(&lexer, method, arg, kind == MONITOR_OUT, &value.expr);
    if (status == 0 && kind == MONITOR_MODE)
        status = labels(&lexer, &value, ",");
    if (status == 0 && lexer.token.kind != PG_END)
        status = unexpected(&lexer, "the end");
    if (status == 0) {
        value.name = strdup(method->args[arg].name);
        if (!value.name)
            status = no_memory(err);
    }
    if (status < 0) {
        pg_value_done(&value);
        return status;
    }
    return add_value(&lexer, &first, method, &value);
}

size_t pg_marks_head(const char *annotation)
{
    const char *colon = strchr(annotation, ':');

    return colon ? (size_t)(colon + 1 - annotation) : 0;
}

static int head_is(const struct pg_source *source, const char *head)
{
    size_t length = strlen(head);

    return source->length >= length && memcmp(source->text, head, length) == 0 &&
           (head[length - 1] == ':' || source->length == length);
}

int pg_marks_annotation(struct pg_method *method, ptrdiff_t arg, const struct pg_source *source,
                        struct cca_error *err)
{
    static const struct {
        const char *head;
        int on_argument;
        enum monitor_kind kind;
    } marks[] = {{"param", 1, MONITOR_PARAM},
                 {"mode:", 1, MONITOR_MODE},
                 {"out", 1, MONITOR_OUT},
                 {"perf:", 0, MONITOR_PARAM},
                 {"unmeasured", 0, MONITOR_PARAM}};
    struct pg_lexer nowhere = {.source = source, .err = err};
    struct pg_source text = *source;

    nowhere.token.line = source->line;
    nowhere.token.column = source->column;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!head_is(source, marks[i].head))
            continue;
        if (marks[i].on_argument != (arg >= 0))
            return pg_lex_fail(&nowhere, "the mark '%s' belongs %s '%.60s'", marks[i].head,
                               marks[i].on_argument ? "to an argument of"
                                                    : "behind the declarator of",
                               method->name);
        text.text += strlen(marks[i].head);
        text.length -= strlen(marks[i].head);
        if (arg >= 0)
            return argument_mark(method, (size_t)arg, marks[i].kind, &text, err);
        if (marks[i].head[0] == 'p')
            return pg_marks_perf(method, &text, err);
        method->unmeasured = 1;
        return 0;
    }
    nowhere.token = (struct pg_token){.kind = PG_NAME, .start = source->text,
                                      .length = source->length, .line = source->line,
                                      .column = source->column};
    return pg_lex_fail(&nowhere, "unknown mark %s", pg_lex_show(&nowhere.token).text);
}

/* --- Sidecar ---------------------------------------------------------------------------- */

static int next_line(struct pg_lexer *lexer)
{
    if (lexer->token.kind == PG_END)
        return 0;
    if (lexer->token.kind != PG_NEWLINE)
        return unexpected(lexer, "the end of the line");
    return pg_lex_next(lexer);
}

/* '{' LABELS '}' */
static int braced_labels(struct pg_lexer *lexer, struct pg_value *value)
{
    int status;

    if (!pg_lex_is(lexer, '{'))
        return unexpected(lexer, "'{' and the labels of the mode");
    status = pg_lex_next(lexer);
    if (status == 0)
        status = labels(lexer, value, ",}");
    if (status == 0 && !pg_lex_is(lexer, '}'))
        return unexpected(lexer, "',' or '}'");
    return status < 0 ? status : pg_lex_next(lexer);
}

static int reads_arg(const struct pg_expr *expr, size_t arg)
{
    return expr && (((expr->op == PG_ARG || expr->op == PG_DEREF) && expr->arg == arg) ||
                    reads_arg(expr->left, arg) || reads_arg(expr->right, arg));
}

/* param|mode|out NAME [= EXPRESSION] [{ LABELS }]; modes of functions may have no labels. */
static int value_line(struct pg_lexer *lexer, struct pg_method *method, enum monitor_kind kind,
                      int functions)
{
    struct pg_value value = {.kind = kind};
    struct pg_token name;
    int status = pg_lex_next(lexer);

    name = lexer->token;
    if (status == 0)
        status = value_name(lexer, &value);
    if (status == 0)
        status = pg_lex_next(lexer);
    if (status == 0 && pg_lex_is(lexer, '=')) {
        status = pg_lex_next(lexer);
        if (status == 0)
            status = pg_expr_parse(lexer, method, &value.expr);
    } else if (status == 0) {
        /* The name alone: the argument of that name. */
        struct pg_lexer at = *lexer;
        ptrdiff_t arg;

        at.token = name;
        arg = pg_method_find_arg(method, name.start, name.length);
        if (arg >= 0) {
            status = argument_expr(&at, method, (size_t)arg, kind == MONITOR_OUT, &value.expr);
        } else {
            struct pg_source source = *lexer->source;

            source.text = value.name;
            source.length = name.length;
            source.line = name.line;
            source.column = name.column;
            status = pg_lex_init(&at, &source, lexer->err);
            if (status == 0)
                status = pg_expr_parse(&at, method, &value.expr);
        }
    }
    if (status == 0 && kind != MONITOR_OUT && method->has_return &&
        reads_arg(value.expr, method->arg_count - 1))
        status = pg_lex_fail_at(lexer, &name, "%s is known before the call, 'return' after it",
                                pg_lex_show(&name).text);
    if (status == 0 && kind == MONITOR_MODE && (!functions || pg_lex_is(lexer, '{')))
        status = braced_labels(lexer, &value);
    if (status < 0) {
        pg_value_done(&value);
        return status;
    }
    return add_value(lexer, &name, method, &value);
}

static int port_line(struct pg_lexer *lexer, const struct pg_port *port)
{
    struct pg_token word = lexer->token;
    const char *own = port->functions ? port->name : port->type, *type;
    size_t length;
    int status = pg_lex_raw(lexer, "", &type, &length);

    if (status == 0 && (strlen(own) != length || memcmp(own, type, length) != 0)) {
        word.start = type;
        word.length = length;
        return pg_lex_fail_at(lexer, &word, port->functions
                                  ? "the sidecar is for header %s, the header is '%.60s'"
                                  : "the sidecar is for port %s, the header has '%.60s'",
                              pg_lex_show(&word).text, own);
    }
    return status;
}

static int method_line(struct pg_lexer *lexer, const struct pg_port *port,
                       struct pg_method **method, unsigned char *seen)
{
    const struct pg_token *token = &lexer->token;
    int status = pg_lex_next(lexer);

    if (status < 0)
        return status;
    if (token->kind != PG_NAME)
        return unexpected(lexer, port->functions ? "the name of a function"
                                                 : "the name of a method");
    *method = pg_port_find_method(port, token->start, token->length);
    if (!*method) {
        for (size_t i = 0; i < port->method_count; i++)
            if (pg_word_near(token->start, token->length, port->methods[i].name))
                return pg_lex_fail(lexer, "%s is no method of '%.60s'; did you mean '%.60s'?",
                                   pg_lex_show(token).text, port->name, port->methods[i].name);
        return pg_lex_fail(lexer, "%s is no method of '%.60s'", pg_lex_show(token).text,
                           port->name);
    }
    if (seen[*method - port->methods]++)
        return pg_lex_fail(lexer, "method %s stands here twice", pg_lex_show(token).text);
    pg_method_clear_marks(*method);
    return pg_lex_next(lexer);
}

static int mark_line(struct pg_lexer *lexer, struct pg_method *method, int functions)
{
    static const struct {
        const char *word;
        enum monitor_kind kind;
    } kinds[] = {{"param", MONITOR_PARAM}, {"mode", MONITOR_MODE}, {"out", MONITOR_OUT}};

    if (pg_lex_word(lexer, "unmeasured")) {
        if (method->value_count)
            return pg_lex_fail(lexer, "method '%.60s' has marks and is unmeasured",
                               method->name);
        method->unmeasured = 1;
        return pg_lex_next(lexer);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pg_lex_word(lexer, kinds[i].word)) {
            if (method->unmeasured)
                return pg_lex_fail(lexer, "method '%.60s' has marks and is unmeasured",
                                   method->name);
            return value_line(lexer, method, kinds[i].kind, functions);
        }
    return unexpected(lexer, functions ? "'param', 'mode', 'out', 'unmeasured' or 'function'"
                                       : "'param', 'mode', 'out', 'unmeasured' or 'method'");
}

int pg_marks_sidecar(struct pg_port *port, const struct pg_source *source, struct cca_error *err)
{
    struct pg_method *method = NULL;
    unsigned char *seen = calloc(port->method_count + 1, 1);
    struct pg_lexer lexer;
    int status = seen ? pg_lex_init(&lexer, source, err) : no_memory(err), named = 0;

    while (status == 0 && lexer.token.kind != PG_END) {
        if (lexer.token.kind == PG_NEWLINE) {
            status = pg_lex_next(&lexer);
            continue;
        }
        if (!named && !pg_lex_word(&lexer, port->functions ? "header" : "port"))
            status = unexpected(&lexer, port->functions ? "'header' and its name"
                                                        : "'port' and its type");
        else if (!named++)
            status = port_line(&lexer, port);
        else if (pg_lex_word(&lexer, port->functions ? "function" : "method"))
            status = method_line(&lexer, port, &method, seen);
        else if (!method)
            status = unexpected(&lexer, port->functions ? "'function'" : "'method'");
        else
            status = mark_line(&lexer, method, port->functions);
        if (status == 0)
            status = next_line(&lexer);
    }
    free(seen);
    return status;
}

/* --- Values in parts -------------------------------------------------------------------- */

int pg_marks_value(const struct pg_method *method, enum monitor_kind kind, const char *name,
                   const char *expression, struct pg_value *value, struct cca_error *err)
{
    struct pg_source source = {.file = name, .text = expression, .length = strlen(expression),
                               .line = 1, .column = 1};
    struct pg_lexer lexer;
    int status = pg_lex_init(&lexer, &source, err);

    if (status == 0)
        status = pg_expr_parse(&lexer, method, &value->expr);
    if (status == 0 && lexer.token.kind != PG_END)
        status = unexpected(&lexer, "the end");
    if (status < 0)
        return status;
    value->kind = kind;
    value->name = strdup(name);
    return value->name ? 0 : no_memory(err);
}

int pg_marks_add_label(struct pg_value *value, int64_t number, const char *text,
                       struct cca_error *err)
{
    struct pg_label *grown;

    if (!label_ok(text, strlen(text)) || value->kind != MONITOR_MODE)
        return cca_error_set(err, -EINVAL, "%.60s: error: a label of a mode has 1 to %d printable "
                                           "characters", value->name, LABEL_LENGTH);
    if (value->label_count == LABELS_MAX)
        return cca_error_set(err, -EINVAL, "%.60s: error: more than %d labels", value->name,
                             LABELS_MAX);
    for (size_t i = 0; i < value->label_count; i++)
        if (value->labels[i].value == number)
            return cca_error_set(err, -EINVAL, "%.60s: error: value %" PRId64 " has two labels",
                                 value->name, number);
    grown = realloc(value->labels, (value->label_count + 1) * sizeof *grown);
    if (!grown)
        return no_memory(err);
    value->labels = grown;
    grown[value->label_count].value = number;
    grown[value->label_count].text = strdup(text);
    return grown[value->label_count].text ? (value->label_count++, 0) : no_memory(err);
}

int pg_marks_take(struct pg_method *method, struct pg_value *value, struct cca_error *err)
{
    struct pg_source source = {.file = method->name, .line = 1, .column = 1};
    struct pg_lexer lexer = {.source = &source, .err = err};

    return add_value(&lexer, &lexer.token, method, value);
}
