/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c: parse annotations into values of methods. */
#include "tools/proxygen/perf/marks.h"

#include <string.h>

#include "common/expr/words.h"
#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/parts.h"

/* --- Annotations ---------------------------------------------------------- */

/* Parse "NAME = EXPRESSION"; the current token is the name. */
static int assignment(struct pg_lexer *lexer, struct pg_method *method,
                      struct pg_value *value)
{
    int status = pg_value_name(lexer, value);

    if (status == 0)
        status = pg_lex_next(lexer);
    if (status == 0 && !pg_lex_is(lexer, "="))
        status = pg_lex_unexpected(lexer, "'='");
    if (status == 0)
        status = pg_lex_next(lexer);
    return status == 0 ? pg_expr_parse(lexer, method, &value->expr) : status;
}

/* Parse a parameter: "NAME = EXPRESSION". */
static int parameter(struct pg_lexer *lexer, struct pg_method *method)
{
    struct pg_value value = {.kind = MONITOR_PARAM};
    struct cca_token name = lexer->token;
    int status = assignment(lexer, method, &value);

    if (status < 0) {
        pg_value_done(&value);
        return status;
    }
    return pg_value_give(lexer, &name, method, &value);
}

/* True if the current token is the first word of a sidecar line such as `get`, and not a
 * parameter's name. */
static int is_line(const struct pg_lexer *lexer)
{
    static const char words[] = "param mode hint out get remember forget unmeasured "
                                "reads writes updates";
    struct cca_error nowhere = {0};
    struct pg_lexer ahead = *lexer;

    ahead.err = &nowhere;
    return cca_is_word(words, lexer->token.start, lexer->token.length) &&
           (pg_lex_next(&ahead) < 0 || !pg_lex_is(&ahead, "="));
}

int pg_marks_perf(struct pg_method *method, const struct pg_source *source,
                  struct cca_error *err)
{
    struct pg_lexer lexer;
    int status = pg_lex_init(&lexer, source, err);

    while (status == 0) {
        status =
            is_line(&lexer) ? pg_mark_line(&lexer, method, 0) : parameter(&lexer, method);
        if (status == 0 && lexer.token.kind != CCA_TOKEN_END && !pg_lex_is(&lexer, ";"))
            status = pg_lex_unexpected(&lexer, "';' or the end");
        if (status < 0 || lexer.token.kind == CCA_TOKEN_END)
            return status;
        status = pg_lex_next(&lexer);
        if (status == 0 && lexer.token.kind == CCA_TOKEN_END)
            return 0;
    }
    return status;
}

/* Parse a mark on an argument. */
static int argument_mark(struct pg_method *method, size_t arg, enum monitor_kind kind,
                         const struct pg_source *source, struct cca_error *err)
{
    struct pg_value value = {.kind = kind};
    struct pg_lexer lexer;
    int status = pg_lex_init(&lexer, source, err);
    struct cca_token first = lexer.token;

    if (status == 0 && !(value.name = strdup(method->args[arg].name)))
        status = cca_no_memory(err);
    if (status == 0)
        status = pg_value_argument(&lexer, method, arg, &value);
    if (status == 0 && kind == MONITOR_MODE && lexer.token.kind == CCA_TOKEN_END)
        status = pg_value_own_labels(&lexer, &value);
    if (status == 0 && kind == MONITOR_MODE && !value.label_count)
        status = pg_value_labels(&lexer, method, &value, ",");
    if (status == 0 && lexer.token.kind != CCA_TOKEN_END)
        status = pg_lex_unexpected(&lexer, "the end");
    if (status < 0) {
        pg_value_done(&value);
        return status;
    }
    return pg_value_give(&lexer, &first, method, &value);
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

int pg_marks_annotation(struct pg_method *method, ptrdiff_t arg,
                        const struct pg_source *source, struct cca_error *err)
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
            return pg_lex_fail(
                &nowhere, "the mark '%s' belongs %s '%.60s'", marks[i].head,
                marks[i].on_argument ? "to an argument of" : "behind the declarator of",
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
    nowhere.token = (struct cca_token){.kind = CCA_TOKEN_NAME,
                                       .start = source->text,
                                       .length = source->length,
                                       .line = source->line,
                                       .column = source->column};
    return pg_lex_fail(&nowhere, "unknown mark %s", pg_lex_show(&nowhere.token).text);
}

/* --- Values from their parts ---------------------------------------------- */

int pg_marks_value(const struct pg_method *method, enum monitor_kind kind,
                   const char *name, const char *expression, struct pg_value *value,
                   struct cca_error *err)
{
    struct pg_source source = {.file = name,
                               .text = expression,
                               .length = strlen(expression),
                               .line = 1,
                               .column = 1};
    struct pg_lexer lexer;
    int status = pg_lex_init(&lexer, &source, err);

    value->kind = kind;
    if (status == 0)
        status = pg_value_expr(&lexer, method, value);
    if (status == 0 && lexer.token.kind != CCA_TOKEN_END)
        status = pg_lex_unexpected(&lexer, "the end");
    if (status < 0)
        return status;
    value->name = strdup(name);
    return value->name ? 0 : cca_no_memory(err);
}

int pg_marks_take(struct pg_method *method, struct pg_value *value, struct cca_error *err)
{
    struct pg_source source = {.file = method->name, .line = 1, .column = 1};
    struct pg_lexer lexer = {.source = &source, .err = err};

    return pg_value_give(&lexer, &lexer.token, method, value);
}
