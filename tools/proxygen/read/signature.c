/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.c: read arguments and result of a function from clang's view of its type. */
#include "tools/proxygen/read/signature.h"

#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/read/read.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/read/types.h"

enum { BY_VALUE_MAX = 1 << 20 }; /* largest size in bytes of a struct passed by value */

#define FAIL(reader, cursor, ...)                                                        \
    pg_reader_fail(reader, clang_getCursorLocation(cursor), __VA_ARGS__)

/* --- Spelling of types ---------------------------------------------------- */

/* True for va_list, or for the pointer type of a va_list argument. */
static int is_va_list(CXType plain)
{
    CXType element = clang_getArrayElementType(plain);

    if (plain.kind == CXType_Pointer)
        element = clang_getPointeeType(plain);
    CLANG_TEXT name =
        pg_clang_text(clang_getCursorSpelling(clang_getTypeDeclaration(element)));
    return strcmp(name.text, "__va_list_tag") == 0;
}

/* Restore the name va_list inside a type: clang spells it as the pointer to which it
 * decays. */
static void name_va_lists(char *text)
{
    static const char made[] = "struct __va_list_tag *", name[] = "__builtin_va_list";

    for (char *at = text; (at = strstr(at, made)) != NULL; at += sizeof name - 1) {
        memcpy(at, name, sizeof name - 1);
        memmove(at + sizeof name - 1, at + sizeof made - 1,
                strlen(at + sizeof made - 1) + 1);
    }
}

/* Return a new copy of the type `spelling` in which arrays of variable length get length
 * 1, which is compatible with any length; NULL: out of memory. */
static char *with_lengths(const char *spelling)
{
    char *text = strdup(spelling);

    for (char *at = text; at && (at = strchr(at, '[')) != NULL; at++) {
        size_t digits = strspn(at + 1, "0123456789");
        char *end = strchr(at, ']');

        if (!end || at[1 + digits] == ']')
            continue;
        at[1] = '1';
        memmove(at + 2, end, strlen(end) + 1);
    }
    return text;
}

/* Return a new spelling of a type for generated code: the header's spelling `words`, or
 * else clang's, `plain`. */
static char *spelled_in_code(struct pg_reader *reader, CXCursor at, const char *words,
                             const char *plain, const char *what)
{
    const char *found = pg_type_ok(words) ? words : pg_type_ok(plain) ? plain : NULL;
    char *text = NULL;

    if (found) {
        text = strdup(found);
    } else {
        found = pg_type_spelled_ok(words)   ? words
                : pg_type_spelled_ok(plain) ? plain
                                            : NULL;
        if (!found) {
            FAIL(reader, at,
                 "%s has type '%.100s', which cannot be written into code; give it a "
                 "typedef",
                 what, words);
            return NULL;
        }
        if (asprintf(&text, "__typeof__(%s)", found) < 0)
            text = NULL;
    }
    if (!text)
        pg_reader_no_memory(reader);
    else
        name_va_lists(text);
    return text;
}

/* Spell the type for generated code (`*text`, new), and for a port also without typedefs.
 * Returns 0 or the reader's new status. */
static int read_type(struct pg_reader *reader, CXCursor at, CXType type, const char *what,
                     char **text, char **without_typedefs)
{
    CXType plain = clang_getCanonicalType(type);
    CLANG_TEXT spelling = pg_clang_text(clang_getTypeSpelling(type));
    CLANG_TEXT other = pg_clang_text(clang_getTypeSpelling(plain));
    long long size = plain.kind == CXType_Void ? 0 : clang_Type_getSizeOf(plain);
    /* clang's own name of this type is unknown to other compilers */
    const int is_list = is_va_list(plain);
    static const char list[] = "__builtin_va_list";
    char *first, *second;

    if (!is_list && size < 0)
        return FAIL(reader, at, "%s has the incomplete type '%.100s'", what,
                    spelling.text);
    if (!is_list && size > BY_VALUE_MAX)
        return FAIL(reader, at,
                    "%s is passed by value and has %lld bytes; at most %d can be", what,
                    size, BY_VALUE_MAX);
    first = with_lengths(is_list ? list : spelling.text);
    second = with_lengths(is_list ? list : other.text);
    if (!first || !second) {
        pg_reader_no_memory(reader);
    } else if (is_list) {
        *text = first;
        *without_typedefs = second;
        return 0;
    } else if ((*text = spelled_in_code(reader, at, first, second, what)) != NULL &&
               !reader->options->library) {
        *without_typedefs = spelled_in_code(reader, at, second, first, what);
    }
    free(first);
    free(second);
    return reader->status;
}

/* --- Arguments ------------------------------------------------------------ */

struct name_visit {
    CXCursor *cursors;
    unsigned count;
};

static enum CXChildVisitResult visit_name(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    struct name_visit *visit = data;

    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_ParmDecl) {
        if (visit->count < PG_ARGS_MAX)
            visit->cursors[visit->count] = cursor;
        visit->count++;
    }
    return CXChildVisit_Continue;
}

/* Return a new string with the name of an argument; "arg3" if the header has none. */
static char *arg_name(const struct pg_method *method, CXCursor cursor, unsigned number)
{
    CLANG_TEXT name = pg_clang_text(clang_getCursorKind(cursor) == CXCursor_ParmDecl
                                        ? clang_getCursorSpelling(cursor)
                                        : clang_getCursorSpelling(clang_getNullCursor()));
    char made[100];

    if (pg_word_ok(name.text, strlen(name.text)) &&
        pg_method_find_arg(method, name.text, strlen(name.text)) < 0)
        return strdup(name.text);
    snprintf(made, sizeof made, "arg%u", number);
    while (pg_method_find_arg(method, made, strlen(made)) >= 0 &&
           strlen(made) + 1 < sizeof made)
        strcat(made, "_");
    return strdup(made);
}

static int read_arg(struct pg_reader *reader, struct pg_signature *signature,
                    struct pg_method *method, unsigned index)
{
    CXType type = clang_getArgType(signature->type, index), plain, pointee;
    char *name =
        arg_name(method, signature->args[index], signature->first ? index : index + 1);
    struct pg_arg *arg = name ? pg_method_add_arg(method) : NULL;
    char what[90];

    if (!arg) {
        free(name);
        return pg_reader_no_memory(reader);
    }
    arg->name = name;
    /* an array argument is a pointer */
    if (clang_getArrayElementType(type).kind != CXType_Invalid)
        type = clang_getArgType(clang_getCanonicalType(signature->type), index);
    snprintf(what, sizeof what, "argument '%.60s'", arg->name);
    if (read_type(reader, signature->args[index], type, what, &arg->type, &arg->plain) <
        0)
        return reader->status;
    arg->of =
        pg_types_of_argument(method->port, clang_getArgType(signature->type, index));
    if (!arg->of)
        return pg_reader_no_memory(reader);
    plain = clang_getCanonicalType(type);
    if (plain.kind == CXType_FunctionProto) /* a function argument is a pointer */
        plain = type = clang_getArgType(clang_getCanonicalType(signature->type), index);
    arg->value = pg_reader_scalar(type);
    arg->is_enum = plain.kind == CXType_Enum;
    if (arg->value.cls == PG_OTHER && pg_header_layout(type, &arg->layout) < 0)
        return pg_reader_no_memory(reader);
    if (plain.kind != CXType_Pointer)
        return 0;
    pointee = clang_getPointeeType(plain);
    arg->points_to_const = clang_isConstQualifiedType(pointee) != 0;
    /* a volatile object must not be read once more */
    if (!clang_isVolatileQualifiedType(pointee))
        arg->pointee = pg_reader_scalar(pointee);
    return 0;
}

static int read_result(struct pg_reader *reader, const struct pg_signature *signature,
                       struct pg_method *method)
{
    CXType result = clang_getResultType(signature->type);
    char what[60];

    snprintf(what, sizeof what, "what the %.20s returns", signature->kind);
    if (read_type(reader, signature->at, result, what, &method->result,
                  &method->result_plain) < 0)
        return reader->status;
    method->result_value = pg_reader_scalar(result);
    method->result_of = pg_types_of(method->port, result);
    if (!method->result_of)
        return pg_reader_no_memory(reader);
    if (method->result_value.cls == PG_OTHER &&
        pg_header_layout(result, &method->result_layout) < 0)
        return pg_reader_no_memory(reader);
    return 0;
}

/* True if the type has the attribute "noreturn". It applies to the function itself only
 * if it is at the end. */
static int does_not_return(CXType function)
{
    static const char word[] = "__attribute__((noreturn))";
    CLANG_TEXT name =
        pg_clang_text(clang_getTypeSpelling(clang_getCanonicalType(function)));
    size_t length = strlen(name.text);

    return length >= sizeof word - 1 &&
           strcmp(name.text + length - (sizeof word - 1), word) == 0;
}

int pg_signature_read(struct pg_reader *reader, struct pg_signature *signature,
                      struct pg_method *method)
{
    struct name_visit visit = {signature->args, 0};
    int count = clang_getNumArgTypes(signature->type);
    int status;

    if (count > PG_ARGS_MAX)
        return FAIL(reader, signature->at, "%s '%.60s' has more than %d arguments",
                    signature->kind, method->name, PG_ARGS_MAX);
    signature->arg_count = (unsigned)count;
    method->no_return = does_not_return(signature->type);
    clang_visitChildren(signature->named, visit_name, &visit);
    for (unsigned i = 0; visit.count != signature->arg_count && i < signature->arg_count;
         i++)
        signature->args[i] = signature->at;
    status = read_result(reader, signature, method);
    for (unsigned i = signature->first; i < signature->arg_count && status == 0; i++)
        status = read_arg(reader, signature, method, i);
    return status;
}

/* --- Members -------------------------------------------------------------- */

CXType pg_signature_of(CXType type)
{
    CXType plain = clang_getCanonicalType(type), function;

    while (type.kind == CXType_Typedef)
        type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    if (plain.kind != CXType_Pointer)
        return clang_getCursorType(clang_getNullCursor());
    function = clang_getPointeeType(type.kind == CXType_Pointer ? type : plain);
    plain = clang_getCanonicalType(function);
    if (plain.kind == CXType_FunctionNoProto)
        return plain;
    return plain.kind == CXType_FunctionProto
               ? function
               : clang_getCursorType(clang_getNullCursor());
}

CXCursor pg_signature_named(CXCursor field)
{
    CXType type = clang_getCursorType(field);

    return type.kind == CXType_Typedef ? clang_getTypeDeclaration(type) : field;
}
