/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_header.c: read plain functions from clang's view of a library's header. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/library/interpose.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/read/signature.h"
#include "tools/proxygen/read/toplevel.h"
#include "tools/proxygen/read/types.h"
#include "tools/proxygen/read/read.h"

enum { FUNCTIONS_MAX = 10000, PATTERN_MAX = 200 };

struct search {
    struct pg_reader common;
    struct pg_port *port;
    struct pg_toplevel top;
    const char *name; /* name to look for */
    size_t length;
    /* declarations with the searched name: the function, something else, and a macro */
    CXCursor found, other, macro;
    char near[80]; /* the existing function whose name is most like the searched one */
    /* lines of the sidecar that are about code, or NULL */
    const struct pg_sections *notes;
};

#define FAIL(search, cursor, ...)                                                        \
    pg_reader_fail(&(search)->common, clang_getCursorLocation(cursor), __VA_ARGS__)

/* --- Finding -------------------------------------------------------------- */

static int has_arg_names(CXCursor function)
{
    int count = clang_Cursor_getNumArguments(function), named = 0;

    for (int i = 0; i < count; i++) {
        CLANG_TEXT name = pg_clang_text(
            clang_getCursorSpelling(clang_Cursor_getArgument(function, (unsigned)i)));

        named += *name.text != 0;
    }
    return named;
}

/* Return how many letters a name has in common with the searched name, at its beginning
 * and its end together. */
static size_t letters_in_common(const struct search *search, const char *name)
{
    size_t length = strlen(name),
           least = length < search->length ? length : search->length;
    size_t front = 0, back = 0;

    while (front < least && name[front] == search->name[front])
        front++;
    while (back < least - front &&
           name[length - 1 - back] == search->name[search->length - 1 - back])
        back++;
    return front + back;
}

/* Find the declarations with the searched name. Among several declarations of a function,
 * the one with the most argument names is taken. */
static void find_name(struct search *search)
{
    for (size_t i = 0; i < search->top.count; i++) {
        const struct pg_declaration *declaration = &search->top.declarations[i];
        CXCursor cursor = declaration->cursor;

        if (strncmp(declaration->name, search->name, search->length) != 0 ||
            declaration->name[search->length])
            continue;
        if (declaration->kind == CXCursor_MacroDefinition)
            search->macro = cursor;
        else if (declaration->kind != CXCursor_FunctionDecl)
            search->other = cursor;
        else if (clang_Cursor_isNull(search->found) || clang_isCursorDefinition(cursor) ||
                 (!clang_isCursorDefinition(search->found) &&
                  has_arg_names(cursor) > has_arg_names(search->found)))
            search->found = cursor;
    }
}

/* Find the function with the most similar name, for the message that the searched
 * function does not exist or cannot be interposed. */
static void find_others(struct search *search)
{
    for (size_t i = 0; i < search->top.count; i++) {
        const char *name = search->top.declarations[i].name;

        if (search->top.declarations[i].kind != CXCursor_FunctionDecl)
            continue;
        if (strlen(name) < sizeof search->near &&
            pg_word_near(search->name, search->length, name) &&
            letters_in_common(search, name) > letters_in_common(search, search->near))
            strcpy(search->near, name);
    }
}

/* Return the first function declared with the given name, or NULL. */
static const struct pg_declaration *function_named(const struct search *search,
                                                   const char *name)
{
    for (size_t i = 0; i < search->top.count; i++)
        if (search->top.declarations[i].kind == CXCursor_FunctionDecl &&
            strcmp(search->top.declarations[i].name, name) == 0)
            return &search->top.declarations[i];
    return NULL;
}

/* Return the first function that the text of a macro calls or renames; NULL: none. */
static const char *called_by_macro(struct search *search)
{
    const struct pg_declaration *found = NULL;
    CXToken *tokens = NULL;
    unsigned count = 0;

    clang_tokenize(search->common.unit, clang_getCursorExtent(search->macro), &tokens,
                   &count);
    for (unsigned i = 1; i < count && !found; i++) {
        CLANG_TEXT word =
            pg_clang_text(clang_getTokenSpelling(search->common.unit, tokens[i]));

        if (clang_getTokenKind(tokens[i]) == CXToken_Identifier)
            found = function_named(search, word.text);
    }
    clang_disposeTokens(search->common.unit, tokens, count);
    return found ? found->name : NULL;
}

static int not_found(struct search *search)
{
    int length = search->length > 80 ? 80 : (int)search->length;
    const char *header = search->common.options->header;

    find_others(search);
    if (!clang_Cursor_isNull(search->macro)) {
        const char *called = called_by_macro(search);

        return FAIL(
            search, search->macro,
            "'%.*s' is a macro: the compiler puts it into its users, and no call of it "
            "can be seen%s%s%s",
            length, search->name, called ? "; it expands to a call of '" : "",
            called ? called : "", called ? "'" : "");
    }
    if (!clang_Cursor_isNull(search->other))
        return FAIL(search, search->other, "'%.*s' is no function", length, search->name);
    return cca_error_set(search->common.err, -EINVAL,
                         "%.150s: error: no function '%.*s' in the header%s%s%s", header,
                         length, search->name, *search->near ? "; did you mean '" : "",
                         search->near, *search->near ? "'?" : "");
}

/* --- One function --------------------------------------------------------- */

/* Functions that cannot be forwarded whatever their types are; names are separated by
 * blanks. */
static const struct {
    const char *names, *why;
} refused[] = {
    {" dlsym dlvsym __tls_get_addr __errno_location ", "interposing needs it itself"},
    {" memcpy memmove memset memcmp ",
     "compilers put calls of it into any code, also into the code that would forward it"},
    {" vfork fork setjmp _setjmp sigsetjmp __sigsetjmp getcontext swapcontext savectx ",
     "it may return twice"},
    {" dlopen dlmopen ", "where it looks for a library depends on who calls it"},
    {" abort ", "it ends the process by a signal"},
};

/* Return the reason for refusing a function, or NULL. */
static const char *why_refused(const char *name, size_t length)
{
    char word[40];

    if (length > sizeof word - 3)
        return NULL;
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strstr(refused[i].names, word))
            return refused[i].why;
    return NULL;
}

static int check_function(struct search *search, CXCursor function, CXType type)
{
    int length = search->length > 80 ? 80 : (int)search->length;
    const char *why = why_refused(search->name, search->length);

    if (why)
        return FAIL(search, function, "'%.*s' cannot be interposed: %s", length,
                    search->name, why);
    if (clang_Cursor_getStorageClass(function) == CX_SC_Static)
        return FAIL(search, function,
                    "'%.*s' is static: each user has its own, and no call of it "
                    "can be seen",
                    length, search->name);
    if (clang_isCursorDefinition(function) || clang_Cursor_isFunctionInlined(function))
        return FAIL(search, function,
                    "'%.*s' is inline: the compiler puts it into its users, and "
                    "no call of it can be seen",
                    length, search->name);
    if (type.kind == CXType_FunctionNoProto ||
        clang_getCanonicalType(type).kind == CXType_FunctionNoProto)
        return FAIL(search, function,
                    "'%.*s' does not declare its arguments, so they cannot be "
                    "passed on",
                    length, search->name);
    return 0;
}

/* A Fortran compiler passes the lengths of strings after all arguments, which C headers
 * of Fortran functions need not declare. Such functions have names ending in '_' and take
 * no argument by value. */
static int fortran_lengths(const struct pg_method *method)
{
    int strings = 0;

    if (method->symbol[strlen(method->symbol) - 1] != '_')
        return 0;
    for (size_t i = 0; i < method->arg_count; i++) {
        const struct pg_arg *arg = &method->args[i];

        if (arg->of->kind != PG_TYPE_POINTER)
            return 0;
        strings += arg->pointee.cls == PG_INTEGER && arg->pointee.bits == 8;
    }
    return strings;
}

/* Find the linker's name of a function, as a new string. It may be the asm label of one
 * of several declarations, for instance if a newer variant has replaced an older one. */
static int read_symbol(struct search *search, const char *name, char **symbol)
{
    CXCursor at = clang_getNullCursor();
    char found[256] = "";

    for (size_t i = 0; i < search->top.count; i++) {
        const struct pg_declaration *declaration = &search->top.declarations[i];

        if (declaration->kind != CXCursor_FunctionDecl ||
            strcmp(declaration->name, name) != 0)
            continue;
        CLANG_TEXT text = pg_clang_text(clang_Cursor_getMangling(declaration->cursor));
        /* clang puts the byte 1 before an asm label */
        const char *plain = text.text + (*text.text == 1);

        if (!*found || strcmp(plain, name) != 0)
            snprintf(found, sizeof found, "%s", plain);
        at = declaration->cursor;
    }
    if (!pg_word_ok(found, strlen(found)))
        return FAIL(search, at, "'%.60s' is no symbol that can be interposed", found);
    *symbol = strdup(found);
    return *symbol ? 0 : pg_reader_no_memory(&search->common);
}

/* --- Variadic functions --------------------------------------------------- */

const char *const pg_interpose_notes[] = {"forward", "rest", NULL};

static const struct pg_note *note_of(const struct search *search, const char *word)
{
    for (size_t i = 0; search->notes && i < search->notes->note_count; i++) {
        const struct pg_note *note = &search->notes->notes[i];

        if (note->method && strlen(note->method) == search->length &&
            memcmp(note->method, search->name, search->length) == 0 &&
            strcmp(note->word, word) == 0)
            return note;
    }
    return NULL;
}

/* Read the sidecar line `rest TYPE`: for '...', callers pass at most one argument, of
 * this type. It is in a register, and is forwarded even if the caller did not pass it;
 * only types that are passed in such a register are allowed. */
static int read_rest(struct search *search, struct pg_method *method,
                     const struct pg_note *note)
{
    static const struct {
        const char *type;
        struct pg_scalar scalar;
    } types[] = {{"int", {PG_INTEGER, 32, 1}},
                 {"unsigned", {PG_INTEGER, 32, 0}},
                 {"mode_t", {PG_INTEGER, 32, 0}},
                 {"long", {PG_INTEGER, 64, 1}},
                 {"void *", {PG_OTHER, 0, 0}}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct pg_arg *arg;

        if (strcmp(types[i].type, note->text) != 0)
            continue;
        arg =
            pg_method_find_arg(method, "rest", 4) < 0 ? pg_method_add_arg(method) : NULL;
        if (!arg || !(arg->name = strdup("rest")) || !(arg->type = strdup(note->text)))
            return pg_reader_no_memory(&search->common);
        arg->value = types[i].scalar;
        method->has_rest = 1;
        return 0;
    }
    return pg_note_fail(search->notes, note, search->common.err,
                        "found '%.40s', expected int, unsigned, mode_t, long or void *",
                        note->text);
}

/* Find how a variadic function is forwarded: as the sidecar states, or else through the
 * function that takes the same arguments as a va_list. */
static int read_variadic(struct search *search, struct pg_method *method,
                         CXCursor function)
{
    CXType type = clang_getCursorType(function);
    const struct pg_note *forward = note_of(search, "forward"),
                         *rest = note_of(search, "rest");
    const struct pg_declaration *found = NULL;

    if (rest && !forward)
        return read_rest(search, method, rest);
    for (size_t i = 0; i < search->top.count && !forward && !found; i++) {
        const struct pg_declaration *other = &search->top.declarations[i];

        if (other->kind == CXCursor_FunctionDecl &&
            pg_variadic_named(method->name, other->name) &&
            pg_variadic_fits(type, clang_getCursorType(other->cursor)))
            found = other;
    }
    if (forward) {
        found = function_named(search, forward->text);
        if (!found || !pg_variadic_fits(type, clang_getCursorType(found->cursor)))
            return pg_note_fail(
                search->notes, forward, search->common.err,
                "'%.60s' is no function that takes the arguments of '%.60s' and a "
                "va_list",
                forward->text, method->name);
    }
    if (!found)
        return FAIL(search, function,
                    "'%.60s' is variadic and cannot be forwarded: no function "
                    "takes its arguments as a va_list",
                    method->name);
    method->forward = strdup(found->name);
    return method->forward ? read_symbol(search, found->name, &method->forward_symbol)
                           : pg_reader_no_memory(&search->common);
}

static int read_function(struct search *search, CXCursor function)
{
    CXType type = clang_getCursorType(function);
    struct pg_signature signature = {
        .at = function, .named = function, .type = type, .kind = "function"};
    int status = check_function(search, function, type);
    struct pg_method *method;
    char *symbol = NULL, name[256];

    if (status < 0)
        return status;
    snprintf(name, sizeof name, "%.*s", (int)search->length, search->name);
    status = read_symbol(search, name, &symbol);
    if (status < 0)
        return status;
    for (size_t i = 0; i < search->port->method_count; i++)
        if (strcmp(search->port->methods[i].symbol, symbol) == 0) {
            FAIL(search, function,
                 "'%.*s' is '%.60s' by another name: both are the symbol "
                 "'%.60s'",
                 (int)search->length, search->name, search->port->methods[i].name,
                 symbol);
            free(symbol);
            return search->common.status;
        }
    method = pg_port_add_method(search->port);
    if (method)
        method->symbol = symbol;
    else
        free(symbol);
    if (!method || !(method->name = strndup(search->name, search->length)))
        return pg_reader_no_memory(&search->common);
    status = pg_signature_read(&search->common, &signature, method);
    if (status == 0)
        method->lengths = fortran_lengths(method);
    if (status == 0 && clang_isFunctionTypeVariadic(type))
        status = read_variadic(search, method, function);
    return status;
}

/* --- All functions of the header ------------------------------------------ */

static int find_function(struct search *search, const char *name, size_t length)
{
    char word[260] = "";

    search->name = name;
    search->length = length;
    search->found = search->other = search->macro = clang_getNullCursor();
    *search->near = 0;
    if (length < sizeof word)
        memcpy(word, name, length);
    if (!pg_word_usable(word))
        return cca_error_set(
            search->common.err, -EINVAL,
            "%.150s: error: '%.*s' cannot be the name of a function",
            search->common.options->header,
            (int)strspn(word, "abcdefghijklmnopqrst"
                              "uvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-+*/ "),
            word);
    if (pg_port_find_method(search->port, name, length))
        return cca_error_set(search->common.err, -EINVAL,
                             "%.150s: error: function '%.80s' is requested twice",
                             search->common.options->header, word);
    if (search->port->method_count == FUNCTIONS_MAX)
        return cca_error_set(search->common.err, -EINVAL,
                             "%.150s: error: more than %d functions",
                             search->common.options->header, FUNCTIONS_MAX);
    find_name(search);
    if (clang_Cursor_isNull(search->found))
        return not_found(search);
    return read_function(search, search->found);
}

/* Report why a function that matches a pattern is left out; clear the error, and remove
 * the methods that were added for the function. */
static void leave_out(struct search *search, size_t method_count)
{
    struct cca_error *err = search->common.err;
    const char *sign = ": error: ", *at = strstr(err->text, sign);

    fprintf(stderr, "%.*s: left out: %s\n", at ? (int)(at - err->text) : 0, err->text,
            at ? at + strlen(sign) : err->text);
    *err = (struct cca_error){0};
    search->common.status = 0;
    while (search->port->method_count > method_count)
        pg_method_done(&search->port->methods[--search->port->method_count]);
}

/* Find all functions that match `pattern` and can be interposed. */
static int find_matching(struct search *search, const char *pattern)
{
    size_t matching,
        *found = pg_toplevel_match(&search->common, &search->top, pattern, &matching);
    int status = found ? 0 : search->common.err->code;

    for (size_t i = 0; found && i < matching && status == 0; i++) {
        const char *name = search->top.declarations[found[i]].name;
        size_t count = search->port->method_count;

        if (pg_port_find_method(search->port, name, strlen(name)))
            continue;
        status = find_function(search, name, strlen(name));
        if (status == -EINVAL && count < FUNCTIONS_MAX) {
            leave_out(search, count);
            status = 0;
        }
    }
    free(found);
    if (status == 0 && search->port->method_count == 0)
        status = cca_error_set(
            search->common.err, -EINVAL,
            "%.150s: error: no function that matches '%.100s' can be forwarded",
            search->common.options->header, pattern);
    return status;
}

static int find_functions(struct search *search, const char *list)
{
    int status = 0;

    while (status == 0) {
        size_t length = strcspn(list, ",");
        char pattern[PATTERN_MAX];

        if (strcspn(list, "*?[") >= length || length >= sizeof pattern) {
            size_t count = search->port->method_count;

            status = find_function(search, list, length);
            if (status == -EINVAL && search->common.options->available &&
                count < FUNCTIONS_MAX) {
                leave_out(search, count);
                status = 0;
            }
        } else {
            snprintf(pattern, sizeof pattern, "%.*s", (int)length, list);
            status = find_matching(search, pattern);
        }
        list += length;
        if (!*list++)
            break;
    }
    if (status == 0 && search->port->method_count == 0)
        status = cca_error_set(search->common.err, -EINVAL,
                               "%.150s: error: none of these functions can be forwarded",
                               search->common.options->header);
    return status;
}

struct pg_port *pg_interpose_read(const struct pg_options *options, const char *list,
                                  const struct pg_sections *notes, struct cca_error *err)
{
    struct search search = {.common = {.options = options, .err = err}, .notes = notes};
    const char *slash = strrchr(options->header, '/');
    CXIndex index;
    int status = pg_reader_check_file(options, err);

    if (status < 0)
        return NULL;
    search.port = calloc(1, sizeof *search.port);
    if (!search.port ||
        !(search.port->name = strdup(slash ? slash + 1 : options->header))) {
        pg_port_free(search.port);
        cca_no_memory(err);
        return NULL;
    }
    search.port->functions = 1;
    index = clang_createIndex(0, 0);
    status = pg_reader_parse(&search.common, index);
    if (pg_types_attach(&search.common, index, search.port) < 0)
        status = -ENOMEM;
    if (status == 0)
        status = pg_toplevel_read(&search.common, &search.top);
    if (status == 0)
        status = find_functions(&search, list);
    pg_toplevel_done(&search.top);
    if (status < 0) {
        pg_port_free(search.port);
        return NULL;
    }
    return search.port;
}
