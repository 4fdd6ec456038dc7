/* SPDX-License-Identifier: BSD-3-Clause */
/* sidecar.c: parse the lines of a sidecar. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/perf/parts.h"
#include "tools/proxygen/perf/word.h"

enum { LENGTHS_MAX = 16 };

static int next_line(struct pg_lexer *lexer)
{
    if (lexer->token.kind == CCA_TOKEN_END)
        return 0;
    if (lexer->token.kind != CCA_TOKEN_LINE)
        return pg_lex_unexpected(lexer, "the end of the line");
    return pg_lex_next(lexer);
}

/* Parse '{' LABELS '}'. */
static int braced_labels(struct pg_lexer *lexer, const struct pg_method *method,
                         struct pg_value *value)
{
    int status;

    if (!pg_lex_is(lexer, "{"))
        return pg_lex_unexpected(lexer, "'{' and the labels of the mode");
    status = pg_lex_next(lexer);
    if (status == 0)
        status = pg_value_labels(lexer, method, value, ",}");
    if (status == 0 && !pg_lex_is(lexer, "}"))
        return pg_lex_unexpected(lexer, "',' or '}'");
    return status < 0 ? status : pg_lex_next(lexer);
}

/* Make the expression of a value that has only a name: the argument of that name, or else
 * the name parsed as an expression. The lexer is behind the name. */
static int named_value(struct pg_lexer *lexer, const struct pg_method *method,
                       const struct cca_token *name, struct pg_value *value)
{
    ptrdiff_t arg = pg_method_find_arg(method, name->start, name->length);
    struct pg_source source = *lexer->source;
    struct pg_lexer at = *lexer;
    int status;

    at.token = *name;
    if (arg >= 0)
        return pg_value_argument(&at, method, (size_t)arg, value);
    source.text = value->name;
    source.length = name->length;
    source.line = name->line;
    source.column = name->column;
    status = pg_lex_init(&at, &source, lexer->err);
    return status == 0 ? pg_value_expr(&at, method, value) : status;
}

/* Parse param|mode|out NAME [= EXPRESSION] [{ LABELS }]. A mode of a port needs labels if
 * its type has none. */
static int value_line(struct pg_lexer *lexer, struct pg_method *method,
                      enum monitor_kind kind, int functions)
{
    struct pg_value value = {.kind = kind};
    struct cca_token name;
    int status = pg_lex_next(lexer);

    name = lexer->token;
    if (status == 0)
        status = pg_value_name(lexer, &value);
    if (status == 0)
        status = pg_lex_next(lexer);
    if (status == 0 && pg_lex_is(lexer, "=")) {
        status = pg_lex_next(lexer);
        if (status == 0)
            status = pg_value_expr(lexer, method, &value);
    } else if (status == 0) {
        status = named_value(lexer, method, &name, &value);
    }
    if (status == 0 && kind == MONITOR_MODE && !pg_lex_is(lexer, "{"))
        status = pg_value_own_labels(lexer, &value);
    if (status == 0 && kind == MONITOR_MODE && !value.label_count &&
        (!functions || pg_lex_is(lexer, "{")))
        status = braced_labels(lexer, method, &value);
    if (status < 0) {
        pg_value_done(&value);
        return status;
    }
    return pg_value_give(lexer, &name, method, &value);
}

static int port_line(struct pg_lexer *lexer, const struct pg_port *port)
{
    struct cca_token word = lexer->token;
    const char *own = port->functions ? port->name : port->type, *type;
    size_t length;
    int status = pg_lex_raw(lexer, "", &type, &length);

    if (status == 0 && (strlen(own) != length || memcmp(own, type, length) != 0)) {
        word.start = type;
        word.length = length;
        return pg_lex_fail_at(lexer, &word,
                              port->functions
                                  ? "the sidecar is for header %s, the header is '%.60s'"
                                  : "the sidecar is for port %s, the header has '%.60s'",
                              pg_lex_show(&word).text, own);
    }
    return status;
}

static int method_line(struct pg_lexer *lexer, const struct pg_port *port,
                       struct pg_method **method, unsigned char *seen)
{
    const struct cca_token *token = &lexer->token;
    const char *near = NULL;
    int status = pg_lex_next(lexer);

    if (status < 0)
        return status;
    if (token->kind != CCA_TOKEN_NAME)
        return pg_lex_unexpected(lexer, port->functions ? "the name of a function"
                                                        : "the name of a method");
    *method = pg_port_find_method(port, token->start, token->length);
    if (!*method) {
        for (size_t i = 0; i < port->method_count && !near; i++)
            if (pg_word_near(token->start, token->length, port->methods[i].name))
                near = port->methods[i].name;
        return pg_lex_unknown(lexer, "method", port->name, near);
    }
    if (seen[*method - port->methods]++)
        return pg_lex_fail(lexer, "method %s occurs twice", pg_lex_show(token).text);
    pg_method_clear_marks(*method);
    return pg_lex_next(lexer);
}

/* Parse fortran_lengths NUMBER. */
static int lengths_line(struct pg_lexer *lexer, struct pg_method *method)
{
    int status = pg_lex_next(lexer);

    if (status < 0)
        return status;
    if (lexer->token.kind != CCA_TOKEN_INTEGER || lexer->token.i < 0 ||
        lexer->token.i > LENGTHS_MAX)
        return pg_lex_fail(lexer, "%s where a number of lengths, 0 to %d, was expected",
                           pg_lex_show(&lexer->token).text, LENGTHS_MAX);
    method->lengths = (int)lexer->token.i;
    return pg_lex_next(lexer);
}

int pg_mark_line(struct pg_lexer *lexer, struct pg_method *method, int functions)
{
    static const struct {
        const char *word;
        enum monitor_kind kind;
    } kinds[] = {{"param", MONITOR_PARAM},
                 {"mode", MONITOR_MODE},
                 {"hint", MONITOR_HINT},
                 {"out", MONITOR_OUT}};
    int status;

    if (pg_lex_is(lexer, "unmeasured")) {
        if (method->value_count)
            return pg_lex_fail(lexer, "method '%.60s' has marks and is unmeasured",
                               method->name);
        method->unmeasured = 1;
        return pg_lex_next(lexer);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pg_lex_is(lexer, kinds[i].word)) {
            if (method->unmeasured)
                return pg_lex_fail(lexer, "method '%.60s' has marks and is unmeasured",
                                   method->name);
            return value_line(lexer, method, kinds[i].kind, functions);
        }
    if (pg_lex_is(lexer, "reads") || pg_lex_is(lexer, "writes") ||
        pg_lex_is(lexer, "updates"))
        return pg_array_line(lexer, method);
    if (functions && pg_lex_is(lexer, "fortran_lengths"))
        return lengths_line(lexer, method);
    status = pg_line_read(lexer, method);
    if (status != -ENOENT)
        return status;
    return pg_lex_unexpected(
        lexer, functions ? "'param', 'mode', 'hint', 'out', 'get', 'remember', 'forget', "
                           "'unmeasured' or 'function'"
                         : "'param', 'mode', 'hint', 'out', 'get', 'remember', 'forget', "
                           "'unmeasured' or 'method'");
}

/* Parse quality NAME = [-]NUMBER [max|min|sum]. */
static int quality_line(struct pg_lexer *lexer, struct pg_port *port)
{
    static const char *const rules[] = {"max", "min", "sum"};
    struct pg_quality *quality = pg_port_add_quality(port);
    int status = quality ? pg_lex_next(lexer) : cca_no_memory(lexer->err);
    const struct cca_token *token = &lexer->token;
    int minus;

    if (status < 0)
        return status;
    if (token->kind != CCA_TOKEN_NAME || !pg_word_ok(token->start, token->length))
        return pg_lex_unexpected(lexer, "the name of a quality");
    for (size_t i = 0; i + 1 < port->quality_count; i++)
        if (pg_lex_is(lexer, port->qualities[i].name))
            return pg_lex_fail(lexer, "quality %s occurs twice", pg_lex_show(token).text);
    quality->name = strndup(token->start, token->length);
    if (!quality->name)
        return cca_no_memory(lexer->err);
    status = pg_lex_next(lexer);
    if (status == 0 && !pg_lex_is(lexer, "="))
        return pg_lex_unexpected(lexer, "'='");
    if (status == 0)
        status = pg_lex_next(lexer);
    minus = pg_lex_is(lexer, "-");
    if (status == 0 && minus)
        status = pg_lex_next(lexer);
    if (status == 0 && token->kind != CCA_TOKEN_INTEGER && token->kind != CCA_TOKEN_REAL)
        return pg_lex_unexpected(lexer, "a number");
    quality->value = token->kind == CCA_TOKEN_REAL ? token->d : (double)token->i;
    quality->value = minus ? -quality->value : quality->value;
    if (status == 0)
        status = pg_lex_next(lexer);
    for (int i = 0; status == 0 && i < 3; i++)
        if (pg_lex_is(lexer, rules[i])) {
            quality->compose = i;
            return pg_lex_next(lexer);
        }
    return status;
}

static int read_lines(struct pg_port *port, const struct pg_source *source,
                      struct cca_error *err)
{
    struct pg_method *method = NULL;
    unsigned char *seen = calloc(port->method_count + 1, 1);
    struct pg_lexer lexer;
    int status = seen ? pg_lex_init(&lexer, source, err) : cca_no_memory(err);
    int named = 0;

    pg_port_clear_qualities(port);
    while (status == 0 && lexer.token.kind != CCA_TOKEN_END) {
        if (lexer.token.kind == CCA_TOKEN_LINE) {
            status = pg_lex_next(&lexer);
            continue;
        }
        if (!named && !pg_lex_is(&lexer, port->functions ? "header" : "port"))
            status = pg_lex_unexpected(&lexer, port->functions ? "'header' and its name"
                                                               : "'port' and its type");
        else if (!named++)
            status = port_line(&lexer, port);
        else if (pg_lex_is(&lexer, port->functions ? "function" : "method"))
            status = method_line(&lexer, port, &method, seen);
        else if (!method && port->functions && pg_lex_is(&lexer, "quality"))
            status = quality_line(&lexer, port);
        else if (!method)
            status =
                pg_lex_unexpected(&lexer, port->functions ? "'function'" : "'method'");
        else
            status = pg_mark_line(&lexer, method, port->functions);
        if (status == 0)
            status = next_line(&lexer);
    }
    if (status == 0 && !port->keeper) /* if another port keeps the memories of all ports,
                                         they are checked there */
        status = pg_memories_check(&lexer, port);
    free(seen);
    return status;
}

size_t pg_floating_memories(const struct pg_port *port)
{
    size_t count = 0;

    for (size_t i = 0; i < port->memory_count; i++)
        count += port->memories[i].cls == PG_FLOATING;
    return count;
}

int pg_marks_sidecar(struct pg_port *port, const struct pg_source *source,
                     struct cca_error *err)
{
    size_t floating;
    int status;

    /* If a line recalls a value which a later line remembers as a floating number, parse
     * all lines again. Lines replace earlier results, so a second pass is harmless. */
    do {
        floating = pg_floating_memories(port);
        status = read_lines(port, source, err);
    } while (status == 0 && pg_floating_memories(port) != floating);
    return status;
}
