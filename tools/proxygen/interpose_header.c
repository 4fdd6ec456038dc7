/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_header.c: plain functions, from clang's view of a library's header. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/interpose.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/signature.h"
#include "tools/proxygen/types.h"

enum { FUNCTIONS_MAX = 1000 };

struct search {
    struct pg_reader common;
    struct pg_port *port;
    const char *name; /* looked for */
    size_t length;
    CXCursor found, other, macro; /* the function; something else of that name */
    char near[80];                /* a function that may have been meant */
    char variant[300];            /* "v" and the name, where a function is called so */
};

#define FAIL(search, cursor, ...) \
    pg_reader_fail(&(search)->common, clang_getCursorLocation(cursor), __VA_ARGS__)

/* --- Finding ---------------------------------------------------------------------------------- */

static int has_arg_names(CXCursor function)
{
    int count = clang_Cursor_getNumArguments(function), named = 0;

    for (int i = 0; i < count; i++) {
        CLANG_TEXT name =
            pg_clang_text(clang_getCursorSpelling(clang_Cursor_getArgument(function, (unsigned)i)));

        named += *name.text != 0;
    }
    return named;
}

/* Letters that a name has in common with the one looked for, at its two ends. */
static size_t alike(const struct search *search, const char *name)
{
    size_t length = strlen(name), least = length < search->length ? length : search->length;
    size_t front = 0, back = 0;

    while (front < least && name[front] == search->name[front])
        front++;
    while (back < least - front &&
           name[length - 1 - back] == search->name[search->length - 1 - back])
        back++;
    return front + back;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct search *search = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    int same = strlen(name.text) == search->length &&
               memcmp(name.text, search->name, search->length) == 0;

    (void)parent;
    if (same && kind == CXCursor_MacroDefinition) {
        search->macro = cursor;
    } else if (same && kind == CXCursor_FunctionDecl) {
        if (clang_Cursor_isNull(search->found) || clang_isCursorDefinition(cursor) ||
            (!clang_isCursorDefinition(search->found) &&
             has_arg_names(cursor) > has_arg_names(search->found)))
            search->found = cursor;
    } else if (same && kind != CXCursor_MacroExpansion && kind != CXCursor_InclusionDirective) {
        search->other = cursor;
    } else if (kind == CXCursor_FunctionDecl) {
        if (strlen(name.text) < sizeof search->near &&
            pg_word_near(search->name, search->length, name.text) &&
            alike(search, name.text) > alike(search, search->near))
            strcpy(search->near, name.text);
        if (*name.text == 'v' && strlen(name.text) == search->length + 1 &&
            memcmp(name.text + 1, search->name, search->length) == 0)
            snprintf(search->variant, sizeof search->variant, "%.200s", name.text);
    }
    return CXChildVisit_Continue;
}

static int not_found(struct search *search)
{
    int length = search->length > 80 ? 80 : (int)search->length;
    const char *header = search->common.options->header;

    if (!clang_Cursor_isNull(search->macro))
        return FAIL(search, search->macro,
                    "'%.*s' is a macro: the compiler puts it into its users, and no call of it "
                    "can be seen", length, search->name);
    if (!clang_Cursor_isNull(search->other))
        return FAIL(search, search->other, "'%.*s' is no function", length, search->name);
    return cca_error_set(search->common.err, -EINVAL,
                         "%.150s: error: no function '%.*s' in the header%s%s%s", header, length,
                         search->name, *search->near ? "; did you mean '" : "", search->near,
                         *search->near ? "'?" : "");
}

/* --- One function -------------------------------------------------------------------------------- */

/* Functions that what is generated, or finding the real one, needs itself, and those that may
 * return twice. */
static const char *const refused[] = {
    "dlsym",   "dlvsym",   "memcpy",      "memmove",     "memset",       "memcmp",
    "vfork",   "setjmp",   "_setjmp",     "sigsetjmp",   "__sigsetjmp",  "getcontext",
    "abort",   "fork",     "__tls_get_addr", "__errno_location", "savectx", "swapcontext",
};

static int check_function(struct search *search, CXCursor function, CXType type)
{
    int length = search->length > 80 ? 80 : (int)search->length;
    CLANG_TEXT spelling = pg_clang_text(clang_getTypeSpelling(type));

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strlen(refused[i]) == search->length &&
            memcmp(refused[i], search->name, search->length) == 0)
            return FAIL(search, function, "'%s' cannot be interposed: it may return twice, or "
                                          "interposing needs it itself", refused[i]);
    if (clang_Cursor_getStorageClass(function) == CX_SC_Static)
        return FAIL(search, function, "'%.*s' is static: each user has its own, and no call of it "
                                      "can be seen", length, search->name);
    if (clang_isCursorDefinition(function) || clang_Cursor_isFunctionInlined(function))
        return FAIL(search, function, "'%.*s' is inline: the compiler puts it into its users, and "
                                      "no call of it can be seen", length, search->name);
    if (type.kind == CXType_FunctionNoProto ||
        clang_getCanonicalType(type).kind == CXType_FunctionNoProto)
        return FAIL(search, function, "'%.*s' does not declare its arguments", length,
                    search->name);
    if (clang_isFunctionTypeVariadic(type))
        return FAIL(search, function, "'%.*s' is variadic and cannot be forwarded%s%s%s", length,
                    search->name, *search->variant ? "; '" : "", search->variant,
                    *search->variant ? "' can" : "");
    if (strstr(spelling.text, "noreturn"))
        return FAIL(search, function, "'%.*s' does not return: its calls have no end to measure",
                    length, search->name);
    return 0;
}

static int read_function(struct search *search, CXCursor function)
{
    CXType type = clang_getCursorType(function);
    struct pg_signature signature = {.at = function, .named = function, .type = type,
                                     .kind = "function"};
    int status = check_function(search, function, type);
    struct pg_method *method;

    if (status < 0)
        return status;
    CLANG_TEXT symbol = pg_clang_text(clang_Cursor_getMangling(function));
    /* An asm label is given with a byte before it that says so. */
    const char *plain_symbol = symbol.text + (*symbol.text == 1);
    if (!pg_word_ok(plain_symbol, strlen(plain_symbol)))
        return FAIL(search, function, "'%.60s' is no symbol that can be interposed", plain_symbol);
    method = pg_port_add_method(search->port);
    if (!method || !(method->name = strndup(search->name, search->length)) ||
        !(method->symbol = strdup(plain_symbol)))
        return pg_reader_no_memory(&search->common);
    status = pg_signature_read(&search->common, &signature, method);
    return status;
}

/* --- All of them ------------------------------------------------------------------------------------ */

static int find_function(struct search *search, const char *name, size_t length)
{
    char word[260] = "";

    search->name = name;
    search->length = length;
    search->found = search->other = search->macro = clang_getNullCursor();
    *search->near = *search->variant = 0;
    if (length < sizeof word)
        memcpy(word, name, length);
    if (!pg_word_usable(word))
        return cca_error_set(search->common.err, -EINVAL,
                             "%.150s: error: '%.*s' cannot be the name of a function",
                             search->common.options->header, (int)strspn(word, "abcdefghijklmnopqrst"
                             "uvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-+*/ "), word);
    if (pg_port_find_method(search->port, name, length))
        return cca_error_set(search->common.err, -EINVAL,
                             "%.150s: error: function '%.80s' is asked for twice",
                             search->common.options->header, word);
    if (search->port->method_count == FUNCTIONS_MAX)
        return cca_error_set(search->common.err, -EINVAL, "%.150s: error: more than %d functions",
                             search->common.options->header, FUNCTIONS_MAX);
    clang_visitChildren(clang_getTranslationUnitCursor(search->common.unit), visit_top, search);
    if (clang_Cursor_isNull(search->found))
        return not_found(search);
    return read_function(search, search->found);
}

static int find_functions(struct search *search, const char *list)
{
    int status = 0;

    while (status == 0) {
        size_t length = strcspn(list, ",");

        status = find_function(search, list, length);
        list += length;
        if (!*list++)
            break;
    }
    return status;
}

struct pg_port *pg_interpose_read(const struct pg_options *options, const char *list,
                                  struct cca_error *err)
{
    struct search search = {.common = {.options = options, .err = err}};
    const char *slash = strrchr(options->header, '/');
    CXIndex index;
    int status = pg_reader_check_file(options, err);

    if (status < 0)
        return NULL;
    search.port = calloc(1, sizeof *search.port);
    if (!search.port || !(search.port->name = strdup(slash ? slash + 1 : options->header))) {
        pg_port_free(search.port);
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    search.port->functions = 1;
    index = clang_createIndex(0, 0);
    status = pg_reader_parse(&search.common, index);
    if (pg_types_attach(&search.common, index, search.port) < 0)
        status = -ENOMEM;
    if (status == 0)
        status = find_functions(&search, list);
    if (status < 0) {
        pg_port_free(search.port);
        return NULL;
    }
    return search.port;
}
