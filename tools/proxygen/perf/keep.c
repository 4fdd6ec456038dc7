/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.c: parse sidecar lines that remember values about handles. */
#include <errno.h>
#include <string.h>

#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/parts.h"
#include "tools/proxygen/perf/word.h"

int pg_port_memory(struct pg_port *port, const char *name, const struct cca_token *at,
                   size_t *memory)
{
    struct pg_memory *made;

    port = pg_port_keeper(port);
    for (*memory = 0; *memory < port->memory_count; ++*memory)
        if (strcmp(port->memories[*memory].name, name) == 0)
            return 0;
    made = pg_port_add_memory(port);
    if (!made)
        return -ENOMEM;
    made->name = strdup(name);
    made->cls = PG_INTEGER;
    made->line = at->line;
    made->column = at->column;
    return made->name ? 0 : -ENOMEM;
}

static int read_handle(struct pg_lexer *lexer, struct pg_method *method,
                       struct pg_expr **expr)
{
    struct pg_parser parser = {.lexer = lexer, .method = method};
    struct cca_token at = lexer->token;
    int status = pg_parse_unary(&parser, expr);

    return status == 0 ? pg_parse_handle(&parser, &at, *expr) : status;
}

/* Return the name of the memory in which an expression is remembered if the line has no
 * "as". */
static const char *own_name(const struct pg_method *method, const struct pg_expr *what)
{
    switch (what->op) {
    case PG_ARG:
        return method->args[what->arg].name;
    case PG_FIELD:
        return what->field->name;
    case PG_GOT:
        return method->gets[what->i].names[what->arg].name;
    default:
        return "value";
    }
}

/* Parse ["as" NAME] into `name`. */
static int as_name(struct pg_lexer *lexer, char name[256])
{
    const struct cca_token *token = &lexer->token;
    int status = pg_lex_is(lexer, "as") ? pg_lex_next(lexer) : 1;

    if (status)
        return status < 0 ? status : 0;
    if (token->kind != CCA_TOKEN_NAME || token->length >= 256)
        return pg_lex_unexpected(lexer, "a name");
    memcpy(name, token->start, token->length);
    name[token->length] = 0;
    return pg_lex_next(lexer);
}

static int pg_remember_line(struct pg_lexer *lexer, struct pg_method *method)
{
    struct pg_port *port = pg_port_keeper(method->port);
    struct pg_keep *keep = pg_method_add_keep(method);
    int status = keep ? pg_lex_next(lexer) : cca_no_memory(lexer->err);
    struct cca_token at = lexer->token;
    char name[256] = "";

    if (status == 0)
        status = pg_expr_parse(lexer, method, &keep->what);
    if (status == 0)
        status = as_name(lexer, name);
    if (status == 0 && !pg_lex_is(lexer, "on"))
        return pg_lex_unexpected(lexer, *name ? "'on' and a handle"
                                              : "'as' and a name, or 'on' and a handle,");
    if (status == 0)
        status = pg_lex_next(lexer);
    if (status == 0)
        status = read_handle(lexer, method, &keep->handle);
    if (status < 0)
        return status;
    if (!*name)
        snprintf(name, sizeof name, "%s", own_name(method, keep->what));
    if (pg_port_memory(port, name, &at, &keep->memory) < 0)
        return cca_no_memory(lexer->err);
    port->memories[keep->memory].kept = 1;
    if (keep->what->cls == PG_FLOATING)
        port->memories[keep->memory].cls = PG_FLOATING;
    return 0;
}

/* Parse a line `forget HANDLE`. */
static int pg_forget_line(struct pg_lexer *lexer, struct pg_method *method)
{
    struct pg_keep *keep = pg_method_add_keep(method);
    int status = keep ? pg_lex_next(lexer) : cca_no_memory(lexer->err);
    struct cca_token at = lexer->token;

    if (status == 0)
        status = read_handle(lexer, method, &keep->handle);
    if (status == 0 && pg_expr_has(keep->handle, PG_RETURN))
        return pg_lex_fail_at(lexer, &at,
                              "a handle is forgotten before the call, 'return' is "
                              "known after it");
    return status;
}

int pg_memories_check(const struct pg_lexer *lexer, const struct pg_port *port)
{
    for (size_t i = 0; i < port->memory_count; i++) {
        const struct pg_memory *memory = &port->memories[i];
        struct cca_token at = {.line = memory->line, .column = memory->column};
        const char *meant = NULL;

        if (memory->kept)
            continue;
        for (size_t j = 0; j < port->memory_count && !meant; j++)
            if (port->memories[j].kept &&
                pg_word_near(memory->name, strlen(memory->name), port->memories[j].name))
                meant = port->memories[j].name;
        return pg_lex_fail_at(lexer, &at,
                              "'%.60s' is recalled, and no line remembers it%s%.60s%s",
                              memory->name, meant ? "; did you mean '" : "",
                              meant ? meant : "", meant ? "'?" : "");
    }
    return 0;
}

void pg_keep_print(FILE *out, const struct pg_method *method, const struct pg_keep *keep)
{
    if (!keep->what) {
        fputs("forget ", out);
    } else {
        fputs("remember ", out);
        pg_expr_print(out, keep->what, method);
        fprintf(out, " as %s on ",
                pg_port_keeper(method->port)->memories[keep->memory].name);
    }
    pg_expr_print_operand(out, keep->handle, method);
}

int pg_line_read(struct pg_lexer *lexer, struct pg_method *method)
{
    static const struct {
        const char *word;
        int (*read)(struct pg_lexer *lexer, struct pg_method *method);
    } lines[] = {
        {"get", pg_get_line}, {"remember", pg_remember_line}, {"forget", pg_forget_line}};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (pg_lex_is(lexer, lines[i].word))
            return lines[i].read(lexer, method);
    return -ENOENT;
}
