/* SPDX-License-Identifier: BSD-3-Clause */
/* header.c: from clang's view of a header to the model of its port.
 *
 * Whatever clang says is checked before it is kept: names must be usable words, types plain
 * names and pointers. Marks reach the model only through the parser of perf/. */
#include "tools/proxygen/header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/header_layout.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/reader.h"

struct reader {
    struct pg_reader common; /* first: errors are reported through it */
    struct pg_port *port;
    CXCursor port_struct; /* null cursor until found */
    CXCursor other_struct;
    const char *source; /* the header's own text, for columns inside annotations */
    size_t source_length;
};

#define FAIL(reader, cursor, ...) \
    pg_reader_fail(&(reader)->common, clang_getCursorLocation(cursor), __VA_ARGS__)

static int no_memory(struct reader *reader)
{
    return pg_reader_no_memory(&reader->common);
}

/* --- Types ------------------------------------------------------------------------------ */

/* The spelling of `type`, new, when generated code can hold such a value; else NULL. */
static char *type_text(struct reader *reader, CXCursor at, CXType type, const char *what)
{
    CXType plain = clang_getCanonicalType(type);
    CLANG_TEXT spelling = pg_clang_text(clang_getTypeSpelling(type));
    char *copy;

    if (!pg_type_ok(spelling.text)) { /* typeof, say, or an attribute */
        CLANG_TEXT other = pg_clang_text(clang_getTypeSpelling(plain));

        if (pg_type_ok(other.text))
            return type_text(reader, at, plain, what);

        FAIL(reader, at, "%s has type '%.100s': only named types and pointers to them can be "
                         "served; give it a typedef", what, spelling.text);
        return NULL;
    }
    if (plain.kind == CXType_Int128 || plain.kind == CXType_UInt128) {
        FAIL(reader, at, "%s has type '%.100s', which cannot be served", what, spelling.text);
        return NULL;
    }
    if (plain.kind != CXType_Void && clang_Type_getSizeOf(plain) < 0) {
        FAIL(reader, at, "%s has the incomplete type '%.100s'", what, spelling.text);
        return NULL;
    }
    copy = strdup(spelling.text);
    if (!copy)
        no_memory(reader);
    return copy;
}

/* --- Marks ------------------------------------------------------------------------------ */

/* Where the text of an annotation stands in the header, if it stands there as it is: the macro
 * at `location` followed by one string literal with `text` in it. */
static void find_text(const struct reader *reader, CXSourceLocation location,
                      struct pg_source *source, size_t head)
{
    const char *text = source->text + head;
    size_t length = source->length - head, at;
    unsigned line, column, offset;
    CXFile file;

    clang_getExpansionLocation(location, &file, &line, &column, &offset);
    source->line = (int)line;
    source->column = (int)column;
    source->fixed = 1;
    at = offset;
    while (at < reader->source_length && reader->source[at] != '"' &&
           reader->source[at] != '\n' && reader->source[at] != ')')
        at++;
    if (head == 0 || at >= reader->source_length || reader->source[at] != '"' ||
        reader->source_length - at < length + 2 || memchr(text, '\n', length) ||
        memcmp(reader->source + at + 1, text, length) != 0 ||
        reader->source[at + 1 + length] != '"')
        return;
    /* The lexer will have passed the head when it comes to the text. */
    source->column = (int)(column + (at + 1 - offset));
    source->fixed = 0;
}

struct mark_visit {
    struct reader *reader;
    struct pg_method *method;
    ptrdiff_t arg; /* -1: the method */
};

static enum CXChildVisitResult visit_mark(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct mark_visit *visit = data;
    struct reader *reader = visit->reader;
    struct pg_source source = {.file = reader->common.options->header};

    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr)
        return CXChildVisit_Continue;
    CLANG_TEXT text = pg_clang_text(clang_getCursorSpelling(cursor));
    if (strncmp(text.text, "cca:", 4) != 0)
        return CXChildVisit_Continue;
    source.text = text.text + 4;
    source.length = strlen(source.text);
    find_text(reader, clang_getCursorLocation(cursor), &source, pg_marks_head(source.text));
    reader->common.status =
        pg_marks_annotation(visit->method, visit->arg, &source, reader->common.err);
    return reader->common.status < 0 ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* --- Methods ---------------------------------------------------------------------------- */

struct arg_visit {
    CXCursor cursors[64];
    size_t count;
};

static enum CXChildVisitResult visit_arg(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct arg_visit *visit = data;

    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_ParmDecl) {
        if (visit->count < sizeof visit->cursors / sizeof *visit->cursors)
            visit->cursors[visit->count] = cursor;
        visit->count++;
    }
    return CXChildVisit_Continue;
}

/* Name of argument `index`, new: "arg3" where the header has none. */
static char *arg_name(struct reader *reader, CXCursor cursor, int index)
{
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    char made[24];
    char *copy;

    if (*name.text && !pg_word_usable(name.text)) {
        FAIL(reader, cursor, "argument '%.60s' cannot be named so in generated code", name.text);
        return NULL;
    }
    snprintf(made, sizeof made, "arg%d", index);
    copy = strdup(*name.text ? name.text : made);
    if (!copy)
        no_memory(reader);
    return copy;
}

static int read_arg(struct reader *reader, struct pg_method *method, CXCursor cursor, CXType type,
                    int index)
{
    struct pg_arg *arg = pg_method_add_arg(method);
    char what[90];

    if (!arg)
        return no_memory(reader);
    arg->name = arg_name(reader, cursor, index);
    if (!arg->name)
        return reader->common.status;
    if (pg_method_find_arg(method, arg->name, strlen(arg->name)) !=
        (ptrdiff_t)method->arg_count - 1)
        return FAIL(reader, cursor, "two arguments named '%.60s'", arg->name);
    snprintf(what, sizeof what, "argument '%.60s'", arg->name);
    arg->type = type_text(reader, cursor, type, what);
    if (!arg->type)
        return reader->common.status;
    arg->value = pg_reader_scalar(type);
    if (arg->value.cls == PG_OTHER && pg_header_layout(type, &arg->layout) < 0)
        return no_memory(reader);
    if (clang_getCanonicalType(type).kind == CXType_Pointer) {
        CXType pointee = clang_getPointeeType(clang_getCanonicalType(type));

        /* Reading a volatile object is an access that the caller did not ask for. */
        if (!clang_isVolatileQualifiedType(pointee))
            arg->pointee = pg_reader_scalar(pointee);
    }
    return 0;
}

static int check_self(struct reader *reader, CXCursor field, CXType function, const char *name)
{
    CXType self = clang_getArgType(function, 0);
    CXType plain = clang_getCanonicalType(self);

    if (clang_getNumArgTypes(function) >= 1 && plain.kind == CXType_Pointer &&
        clang_equalCursors(clang_getTypeDeclaration(clang_getPointeeType(plain)),
                           reader->port_struct) &&
        !clang_isConstQualifiedType(clang_getPointeeType(plain)))
        return 0;
    CLANG_TEXT found = pg_clang_text(clang_getTypeSpelling(self));
    return FAIL(reader, field, "method '%.60s' must take 'struct %.60s *' first, found '%.60s'",
                name, reader->port->name,
                clang_getNumArgTypes(function) < 1 ? "nothing" : found.text);
}

/* The cursor whose children are the arguments: the member, or the typedef that its type names. */
static CXCursor args_of(CXCursor field)
{
    CXType type = clang_getCursorType(field);

    return type.kind == CXType_Typedef ? clang_getTypeDeclaration(type) : field;
}

static int read_args(struct reader *reader, struct pg_method *method, CXCursor field,
                     CXType function)
{
    int count = clang_getNumArgTypes(function);
    struct arg_visit args = {.count = 0};
    int status = 0;

    if (count > (int)(sizeof args.cursors / sizeof *args.cursors))
        return FAIL(reader, field, "method '%.60s' has more than %zu arguments", method->name,
                    sizeof args.cursors / sizeof *args.cursors);
    clang_visitChildren(args_of(field), visit_arg, &args);
    for (int i = 1; i < count && status == 0; i++) {
        CXCursor cursor = (int)args.count == count ? args.cursors[i] : field;
        CXType type = clang_getArgType(function, (unsigned)i);

        if (clang_getArrayElementType(type).kind != CXType_Invalid) /* a pointer, in fact */
            type = clang_getArgType(clang_getCanonicalType(function), (unsigned)i);
        status = read_arg(reader, method, cursor, type, i);
    }
    /* Marks may speak of all arguments: only now. */
    for (int i = 1; i < count && status == 0 && (int)args.count == count; i++) {
        struct mark_visit visit = {reader, method, i - 1};

        clang_visitChildren(args.cursors[i], visit_mark, &visit);
        status = reader->common.status;
    }
    return status;
}

static int read_method(struct reader *reader, CXCursor field, const char *name, CXType function)
{
    struct mark_visit visit = {reader, NULL, -1};
    struct pg_method *method;
    int status;

    if (function.kind == CXType_FunctionNoProto)
        return FAIL(reader, field, "method '%.60s' does not declare its arguments: 'struct "
                                   "%.60s *' must be the first", name, reader->port->name);
    if (clang_isFunctionTypeVariadic(function))
        return FAIL(reader, field, "method '%.60s' is variadic and cannot be forwarded", name);
    status = check_self(reader, field, function, name);
    if (status < 0)
        return status;
    method = pg_port_add_method(reader->port);
    if (!method || !(method->name = strdup(name)))
        return no_memory(reader);
    method->result =
        type_text(reader, field, clang_getResultType(function), "what the method returns");
    if (!method->result)
        return reader->common.status;
    method->result_value = pg_reader_scalar(clang_getResultType(function));
    method->offset = (size_t)clang_Cursor_getOffsetOfField(field) / 8;
    if (method->result_value.cls == PG_OTHER &&
        pg_header_layout(clang_getResultType(function), &method->result_layout) < 0)
        return no_memory(reader);
    status = read_args(reader, method, field, function);
    if (status < 0)
        return status;
    visit.method = method;
    clang_visitChildren(field, visit_mark, &visit);
    if (reader->common.status == 0 && method->unmeasured && method->value_count)
        return FAIL(reader, field, "method '%.60s' has marks and is unmeasured", name);
    return reader->common.status;
}

/* The function type of a member that is a pointer to one, with its types as they were written;
 * a type of kind CXType_Invalid for anything else. */
static CXType function_of(CXCursor field)
{
    CXType type = clang_getCursorType(field), plain = clang_getCanonicalType(type), function;

    while (type.kind == CXType_Typedef)
        type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    if (plain.kind != CXType_Pointer)
        return clang_getPointeeType(clang_getCursorType(clang_getNullCursor()));
    function = clang_getPointeeType(type.kind == CXType_Pointer ? type : plain);
    plain = clang_getCanonicalType(function);
    if (plain.kind != CXType_FunctionProto)
        return plain.kind == CXType_FunctionNoProto
                   ? plain
                   : clang_getPointeeType(clang_getCursorType(clang_getNullCursor()));
    return function;
}

static enum CXVisitorResult visit_member(CXCursor field, CXClientData data)
{
    struct reader *reader = data;
    CXType function = function_of(field);
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(field));

    if (reader->port->name == NULL) { /* the first: struct cca_port base */
        CLANG_TEXT port = pg_clang_text(clang_getCursorSpelling(reader->port_struct));

        reader->port->name = strdup(port.text);
        if (!reader->port->name)
            no_memory(reader);
        else if (!pg_word_usable(port.text) || strlen(port.text) > 200)
            FAIL(reader, reader->port_struct, "a port cannot be named '%.60s'", port.text);
        else if (strcmp(name.text, "base") != 0)
            FAIL(reader, field, "the first member of 'struct %.60s' must be named 'base', "
                                "found '%.60s'", port.text, name.text);
        return reader->common.status < 0 ? CXVisit_Break : CXVisit_Continue;
    }
    if (!*name.text)
        FAIL(reader, field, "an unnamed member in a port: only functions can be served");
    else if (clang_Cursor_isBitField(field))
        FAIL(reader, field, "member '%.60s' is a bit-field: only functions can be served",
             name.text);
    else if (function.kind == CXType_Invalid)
        FAIL(reader, field, "member '%.60s' is not a function pointer: only functions can be "
                            "served", name.text);
    else if (!pg_word_usable(name.text))
        FAIL(reader, field, "method '%.60s' cannot be named so in generated code", name.text);
    else
        read_method(reader, field, name.text, function);
    return reader->common.status < 0 ? CXVisit_Break : CXVisit_Continue;
}

/* --- The port --------------------------------------------------------------------------- */

static enum CXVisitorResult first_member(CXCursor field, CXClientData data)
{
    *(CXCursor *)data = field;
    return CXVisit_Break;
}

static int is_port_struct(CXCursor cursor)
{
    CXCursor first = clang_getNullCursor();
    CXType type;

    if (clang_getCursorKind(cursor) != CXCursor_StructDecl || !clang_isCursorDefinition(cursor))
        return 0;
    clang_Type_visitFields(clang_getCursorType(cursor), first_member, &first);
    if (clang_Cursor_isNull(first))
        return 0;
    type = clang_getCanonicalType(clang_getCursorType(first));
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(clang_getTypeDeclaration(type)));
    return type.kind == CXType_Record && strcmp(name.text, "cca_port") == 0;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct reader *reader = data;

    (void)parent;
    if (clang_Location_isFromMainFile(clang_getCursorLocation(cursor)) &&
        is_port_struct(cursor)) {
        if (clang_Cursor_isNull(reader->port_struct))
            reader->port_struct = cursor;
        else if (clang_Cursor_isNull(reader->other_struct))
            reader->other_struct = cursor;
    }
    return CXChildVisit_Continue;
}

/* Names in the header's own macros that generated code uses itself would change it. */
static const char *const template_words[] = {
    "in", "out", "call", "proxy", "self", "target", "method", "monitor", "result", "state",
    "link", "port", "methods", "attach", "services", "table", "err", "off", "base", "size",
};

struct type_visit {
    struct reader *reader;
    char macro[220]; /* "FLUX_PORT_TYPE" */
    int found;
};

/* The text of a macro that is one plain string literal: "..." */
static int macro_string(struct type_visit *visit, CXCursor cursor)
{
    struct reader *reader = visit->reader;
    CXToken *tokens = NULL;
    unsigned count = 0;
    char *type = NULL;

    clang_tokenize(reader->common.unit, clang_getCursorExtent(cursor), &tokens, &count);
    if (count == 2) {
        CLANG_TEXT literal = pg_clang_text(clang_getTokenSpelling(reader->common.unit, tokens[1]));
        size_t length = strlen(literal.text);

        if (length > 2 && literal.text[0] == '"' && literal.text[length - 1] == '"') {
            type = strndup(literal.text + 1, length - 2);
            if (!type)
                no_memory(reader);
        }
    }
    clang_disposeTokens(reader->common.unit, tokens, count);
    free(reader->port->type);
    reader->port->type = type;
    if (reader->common.status == 0 && (!type || !pg_port_type_ok(type)))
        return FAIL(reader, cursor, "%.80s must be a string \"name/revision\"", visit->macro);
    visit->found = 1;
    return reader->common.status;
}

static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct type_visit *visit = data;

    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    if (strcmp(name.text, visit->macro) == 0)
        macro_string(visit, cursor);
    for (size_t i = 0; i < sizeof template_words / sizeof *template_words; i++)
        if (strcmp(name.text, template_words[i]) == 0)
            FAIL(visit->reader, cursor, "macro '%.60s' hides a word that generated code needs",
                 name.text);
    return visit->reader->common.status < 0 ? CXChildVisit_Break : CXChildVisit_Continue;
}

static int read_type(struct reader *reader)
{
    struct type_visit visit = {.reader = reader};
    const char *name = reader->port->name;

    snprintf(visit.macro, sizeof visit.macro, "%s_TYPE", name);
    for (char *c = visit.macro; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    clang_visitChildren(clang_getTranslationUnitCursor(reader->common.unit), visit_macro, &visit);
    if (reader->common.status == 0 && !visit.found)
        return FAIL(reader, reader->port_struct, "no macro %.80s with the type of the port",
                    visit.macro);
    return reader->common.status;
}

static int read_port(struct reader *reader)
{
    CXCursor top = clang_getTranslationUnitCursor(reader->common.unit);
    size_t length = 0;

    reader->source = clang_getFileContents(
        reader->common.unit, clang_getFile(reader->common.unit, reader->common.options->header), &length);
    reader->source_length = reader->source ? length : 0;
    reader->port_struct = reader->other_struct = clang_getNullCursor();
    clang_visitChildren(top, visit_top, reader);
    if (clang_Cursor_isNull(reader->port_struct))
        return cca_error_set(reader->common.err, -EINVAL,
                             "%.150s:1:1: error: no port in the header: a struct whose first "
                             "member is 'struct cca_port base'", reader->common.options->header);
    if (!clang_Cursor_isNull(reader->other_struct))
        return FAIL(reader, reader->other_struct, "a second port in the header, expected one");
    reader->port->size =
        (size_t)clang_Type_getSizeOf(clang_getCursorType(reader->port_struct));
    clang_Type_visitFields(clang_getCursorType(reader->port_struct), visit_member, reader);
    if (reader->common.status < 0)
        return reader->common.status;
    if (reader->port->method_count == 0)
        return FAIL(reader, reader->port_struct, "port '%.60s' has no methods",
                    reader->port->name);
    return read_type(reader);
}

struct pg_port *pg_header_read(const struct pg_options *options, struct cca_error *err)
{
    struct reader reader = {.common = {.options = options, .err = err}};
    CXIndex index;
    int status = pg_reader_check_file(options, err);

    if (status < 0)
        return NULL;
    reader.port = calloc(1, sizeof *reader.port);
    if (!reader.port) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    index = clang_createIndex(0, 0);
    status = pg_reader_parse(&reader.common, index);
    if (status == 0)
        status = read_port(&reader);
    if (reader.common.unit)
        clang_disposeTranslationUnit(reader.common.unit);
    clang_disposeIndex(index);
    if (status < 0) {
        pg_port_free(reader.port);
        return NULL;
    }
    return reader.port;
}
