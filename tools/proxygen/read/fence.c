/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.c: keep macros of a header out of the code that includes it.
 *
 * Generated code includes proxygen's headers first, so that no macro of the user's header
 * can change those. After the user's header only two sets of words must be safe from its
 * macros: the words of the generated code, and the words in the macros that it uses. */
#include "tools/proxygen/read/read.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/read/reader.h"
#include "tools/proxygen/read/types.h"

/* Words in the macros of proxygen's headers and of the C library that generated code
 * uses. */
static const char *const brought_in[] = {
    "CCA_ABI",
    "CCA_CLASS_AT",
    "INT64_C",
    "INT64_MIN",
    "MONITOR_ABSENT",
    "UINT64_C",
    "__INT64_C",
    "__UINT64_C",
    "__asm",
    "__asm__",
    "__atomic_load_n",
    "__attribute",
    "__attribute__",
    "__builtin_nan",
    "__builtin_offsetof",
    "__builtin_va_end",
    "__builtin_va_list",
    "__builtin_va_start",
    "__errno_location",
    "__extension__",
    "__restrict",
    "__typeof__",
    "abi",
    "busy",
    "call",
    "cca_class",
    "cca_container_of",
    "char",
    "cleanup",
    "const",
    "default",
    "do",
    "double",
    "else",
    "errno",
    "extern",
    "for",
    "functions",
    "if",
    "instance_size",
    "int",
    "int64_t",
    "interpose_call",
    "interpose_pure",
    "interpose_pure_done",
    "interpose_unwind",
    "long",
    "memcpy",
    "mm_interpose_busy",
    "offsetof",
    "outer",
    "pg_inner",
    "pg_own",
    "pg_size",
    "pg_slot",
    "protected",
    "proxy_call",
    "proxy_pure",
    "proxy_pure_done",
    "proxy_pure_now",
    "proxy_shadow_call",
    "proxy_shadow_leave",
    "proxy_turn",
    "proxy_turn_leave",
    "proxy_unwind",
    "real",
    "return",
    "services_offset",
    "signed",
    "size",
    "size_t",
    "sizeof",
    "static",
    "struct",
    "table_runtime",
    "uint64_t",
    "union",
    "unsigned",
    "unused",
    "va_list",
    "visibility",
    "void",
    "volatile",
    "while",
};

/* Headers of this project whose macros generated code uses. */
static const char *const own_files[] = {
    "cca.h", "cca_error.h", "cca_port.h", "connection_event_port.h", "monitor_port.h",
};

struct macro {
    char *name;
    CXCursor cursor;
    int clashes;
};

struct fence {
    const struct pg_port *port;
    struct pg_reader reader;
    struct macro *macros; /* macros of the header, sorted by name */
    size_t count;
    char *keep; /* name of a macro for which the generated code needs the header's
                   definition, or NULL */
    int failed;
};

/* --- The macros of a header ----------------------------------------------- */

static int is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return 1;
    return 0;
}

#define LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof *(list))

/* True for macros of the C library, of the compiler, of libraries installed beside them,
 * and of our own headers. */
static int is_known(CXCursor cursor)
{
    CXSourceLocation location = clang_getCursorLocation(cursor);
    const char *base;
    CXFile file;

    clang_getExpansionLocation(location, &file, NULL, NULL, NULL);
    if (!file)
        return 1;
    CLANG_TEXT path = pg_clang_text(clang_getFileName(file));
    base = strrchr(path.text, '/') ? strrchr(path.text, '/') + 1 : path.text;
    if (LISTED(base, own_files))
        return 1;
    return clang_Location_isInSystemHeader(location) &&
           !clang_Location_isFromMainFile(location) &&
           strncmp(path.text, "/usr/", 5) == 0;
}

static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent,
                                           CXClientData data)
{
    struct fence *fence = data;

    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition)
        return CXChildVisit_Continue;
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    if (is_known(cursor) || (fence->keep && strcmp(fence->keep, name.text) == 0) ||
        !pg_word_ok(name.text, strlen(name.text)))
        return CXChildVisit_Continue;
    fence->failed =
        cca_array_reserve(&fence->macros, fence->count, sizeof *fence->macros);
    if (fence->failed)
        return CXChildVisit_Break;
    fence->macros[fence->count] = (struct macro){strdup(name.text), cursor, 0};
    fence->failed = !fence->macros[fence->count].name;
    return fence->failed ? CXChildVisit_Break : (fence->count++, CXChildVisit_Continue);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct macro *)a)->name, ((const struct macro *)b)->name);
}

static void sort_macros(struct fence *fence)
{
    size_t kept = 0;

    if (fence->count)
        qsort(fence->macros, fence->count, sizeof *fence->macros, by_name);
    for (size_t i = 0; i < fence->count; i++) {
        if (kept && by_name(&fence->macros[i], &fence->macros[kept - 1]) == 0)
            free(fence->macros[i].name);
        else
            fence->macros[kept++] = fence->macros[i];
    }
    fence->count = kept;
}

static struct macro *find_macro(const struct fence *fence, const char *word)
{
    struct macro wanted = {.name = (char *)word};

    return fence->count ? bsearch(&wanted, fence->macros, fence->count,
                                  sizeof *fence->macros, by_name)
                        : NULL;
}

/* Refuse a header that redefines a macro which the compiler itself defines, in C or in
 * C++: other headers depend on it. */
static enum CXChildVisitResult visit_own(CXCursor cursor, CXCursor parent,
                                         CXClientData data)
{
    struct fence *fence = data;
    struct macro *macro;
    CXFile file;

    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition)
        return CXChildVisit_Continue;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (file)
        return CXChildVisit_Continue;
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    macro = strncmp(name.text, "__", 2) == 0 ? find_macro(fence, name.text) : NULL;
    if (macro)
        pg_reader_fail(&fence->reader, clang_getCursorLocation(macro->cursor),
                       "macro '%.60s' takes the place of the compiler's own",
                       macro->name);
    return macro ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Return the name of the macro with the port's type, such as "FLUX_PORT_TYPE"; NULL: out
 * of memory. */
static char *type_macro(const struct pg_port *port)
{
    char *name;

    if (asprintf(&name, "%s_TYPE", port->name) < 0)
        return NULL;
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return name;
}

static int read_macros(struct fence *fence, struct cca_error *err)
{
    CXCursor top;
    struct macro *cplusplus;

    pg_types_reader(fence->port, &fence->reader);
    fence->reader.err = err;
    top = clang_getTranslationUnitCursor(fence->reader.unit);
    if (!fence->port->functions && !(fence->keep = type_macro(fence->port)))
        return pg_reader_no_memory(&fence->reader);
    clang_visitChildren(top, visit_macro, fence);
    if (fence->failed)
        return pg_reader_no_memory(&fence->reader);
    sort_macros(fence);
    cplusplus = find_macro(fence, "__cplusplus");
    if (cplusplus)
        return pg_reader_fail(
            &fence->reader, clang_getCursorLocation(cplusplus->cursor),
            "macro '__cplusplus' takes the place of the compiler's own");
    clang_visitChildren(top, visit_own, fence);
    return fence->reader.status;
}

static void fence_done(struct fence *fence)
{
    for (size_t i = 0; i < fence->count; i++)
        free(fence->macros[i].name);
    free(fence->macros);
    free(fence->keep);
}

/* --- Identifiers of the code --------------------------------------------- */

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skip the comment, literal or number at `at`, or a single character that begins no
 * word. */
static const char *skip_other(const char *at)
{
    const char *end;
    char quote = *at;

    if (at[0] == '/' && at[1] == '*')
        return (end = strstr(at + 2, "*/")) != NULL ? end + 2 : at + strlen(at);
    if (is_digit(*at)) {
        while (is_letter(*at) || is_digit(*at) || *at == '.')
            at++;
        return at;
    }
    if (quote != '"' && quote != '\'')
        return at + 1;
    for (at++; *at && *at != quote; at++)
        at += at[0] == '\\' && at[1];
    return at + (*at != 0);
}

static void mark_words(struct fence *fence, const char *text)
{
    char word[256];

    while (*text) {
        size_t length = 0;
        struct macro *macro;

        if (!is_letter(*text)) {
            text = skip_other(text);
            continue;
        }
        while (is_letter(text[length]) || is_digit(text[length]))
            length++;
        if (length < sizeof word) {
            memcpy(word, text, length);
            word[length] = 0;
            if ((macro = find_macro(fence, word)) != NULL)
                macro->clashes = 1;
        }
        text += length;
    }
}

static void mark_brought_in(struct fence *fence)
{
    struct macro *macro;

    for (size_t i = 0; i < sizeof brought_in / sizeof *brought_in; i++)
        if ((macro = find_macro(fence, brought_in[i])) != NULL)
            macro->clashes = 1;
}

/* --- Writing -------------------------------------------------------------- */

static void put_each(FILE *out, const struct fence *fence, const char *const *formats)
{
    for (size_t i = 0; i < fence->count; i++)
        for (const char *const *format = formats; fence->macros[i].clashes && *format;
             format++) {
            fputs(*format, out);
            fputs(fence->macros[i].name, out);
            fputs(strchr(*format, '"') ? "\")\n" : "\n", out);
        }
}

static const char *const push[] = {"#pragma push_macro(\"", NULL};
static const char *const drop_and_pop[] = {"#undef ", "#pragma pop_macro(\"", NULL};
static const char *const push_and_drop[] = {"#pragma push_macro(\"", "#undef ", NULL};
static const char *const pop[] = {"#pragma pop_macro(\"", NULL};

/* Return a new copy of `text` with fences before and after the line that includes the
 * header, and at the end; or NULL. */
static char *text_with_fence(const struct fence *fence, const char *include,
                             const char *text, size_t *size, int header)
{
    char *line, *made = NULL;
    const char *at;
    FILE *out;

    if (asprintf(&line, "#include \"%s\"\n", include) < 0)
        return NULL;
    at = strstr(text, line);
    out = at ? open_memstream(&made, size) : NULL;
    if (out) {
        fwrite(text, 1, (size_t)(at - text), out);
        if (!header)
            put_each(out, fence, push);
        fputs(line, out);
        put_each(out, fence, header ? push_and_drop : drop_and_pop);
        fputs(at + strlen(line), out);
        if (header)
            put_each(out, fence, pop);
        if (fclose(out) != 0) {
            free(made);
            made = NULL;
        }
    }
    free(line);
    return made;
}

static int put_fence(const struct pg_port *port, const char *include, char **text,
                     size_t *size, struct cca_error *err, int header)
{
    struct fence fence = {.port = port};
    int status = read_macros(&fence, err);
    char *made = NULL;

    if (status == 0) {
        mark_words(&fence, *text);
        if (!header)
            mark_brought_in(&fence);
        made = text_with_fence(&fence, include, *text, size, header);
        if (!made)
            status = cca_no_memory(err);
    }
    fence_done(&fence);
    if (made) {
        free(*text);
        *text = made;
    }
    return status;
}

int pg_fence_code(const struct pg_port *port, const char *include, char **text,
                  size_t *size, struct cca_error *err)
{
    return put_fence(port, include, text, size, err, 0);
}

int pg_fence_header(const struct pg_port *port, const char *include, char **text,
                    size_t *size, struct cca_error *err)
{
    return put_fence(port, include, text, size, err, 1);
}
