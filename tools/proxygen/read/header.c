/* SPDX-License-Identifier: BSD-3-Clause */
/* header.c: build the model of a port from clang's view of its header.
 *
 * Names and types from clang are checked first: names must be usable identifiers, types
 * must consist of plain names and '*'. Marks reach the model only through the parser of
 * perf/. */
#include "tools/proxygen/read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/read/signature.h"
#include "tools/proxygen/read/types.h"

enum { PORTS_MAX = 64 };

/* The position of a method in the header. */
struct member {
    CXCursor field;
    struct pg_signature signature;
};

struct reader {
    struct pg_reader common; /* the base struct, through which errors are reported; it
                                must be the first member */
    struct pg_port *port;
    CXCursor port_struct;
    CXCursor structs[PORTS_MAX]; /* the structs that are ports */
    size_t struct_count;
    const char *source; /* text of the header, to find columns inside annotations */
    size_t source_length;
    struct member *members; /* positions of the port's methods, in order */
};

#define FAIL(reader, cursor, ...)                                                        \
    pg_reader_fail(&(reader)->common, clang_getCursorLocation(cursor), __VA_ARGS__)

static int no_memory(struct reader *reader)
{
    return pg_reader_no_memory(&reader->common);
}

/* --- Marks ---------------------------------------------------------------- */

/* Find an annotation's text in the header if it is written verbatim: the macro at
 * `location` followed by one string literal that contains `text`. */
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
    /* the lexer begins after the annotation's first word, "perf:" or "mode:" */
    source->column = (int)(column + (at + 1 - offset));
    source->fixed = 0;
}

struct mark_visit {
    struct reader *reader;
    struct pg_method *method;
    ptrdiff_t arg; /* index of the marked argument; -1: the method itself is marked */
};

static enum CXChildVisitResult visit_mark(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
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
    find_text(reader, clang_getCursorLocation(cursor), &source,
              pg_marks_head(source.text));
    reader->common.status =
        pg_marks_annotation(visit->method, visit->arg, &source, reader->common.err);
    return reader->common.status < 0 ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* --- Methods -------------------------------------------------------------- */

static int check_self(struct reader *reader, CXCursor field, CXType function,
                      const char *name)
{
    CXType self = clang_getArgType(function, 0);
    CXType plain = clang_getCanonicalType(self);

    if (clang_getNumArgTypes(function) >= 1 && plain.kind == CXType_Pointer &&
        clang_equalCursors(clang_getTypeDeclaration(clang_getPointeeType(plain)),
                           reader->port_struct) &&
        !clang_isConstQualifiedType(clang_getPointeeType(plain)))
        return 0;
    CLANG_TEXT found = pg_clang_text(clang_getTypeSpelling(self));
    return FAIL(reader, field,
                "method '%.60s' must take 'struct %.60s *' first, found '%.60s'", name,
                reader->port->name,
                clang_getNumArgTypes(function) < 1 ? "nothing" : found.text);
}

static int read_arg_marks(struct reader *reader, struct pg_method *method,
                          const struct pg_signature *signature)
{
    for (unsigned i = 1; i < signature->arg_count && reader->common.status == 0; i++) {
        struct mark_visit visit = {reader, method, (ptrdiff_t)i - 1};

        if (clang_getCursorKind(signature->args[i]) == CXCursor_ParmDecl)
            clang_visitChildren(signature->args[i], visit_mark, &visit);
    }
    return reader->common.status;
}

static int read_method(struct reader *reader, CXCursor field, const char *name,
                       CXType function)
{
    struct pg_signature signature = {.at = field,
                                     .named = pg_signature_named(field),
                                     .type = function,
                                     .first = 1,
                                     .kind = "method"};
    struct pg_method *method;
    int status;

    if (function.kind == CXType_FunctionNoProto)
        return FAIL(reader, field,
                    "method '%.60s' does not declare its arguments: 'struct "
                    "%.60s *' must be the first",
                    name, reader->port->name);
    if (clang_isFunctionTypeVariadic(function))
        return FAIL(reader, field, "method '%.60s' is variadic and cannot be forwarded",
                    name);
    status = check_self(reader, field, function, name);
    if (status < 0)
        return status;
    method = pg_port_add_method(reader->port);
    if (!method || !(method->name = strdup(name)))
        return no_memory(reader);
    method->offset = (size_t)clang_Cursor_getOffsetOfField(field) / 8;
    status = pg_signature_read(&reader->common, &signature, method);
    if (status < 0)
        return status;
    if (cca_array_reserve(&reader->members, reader->port->method_count - 1,
                          sizeof *reader->members))
        return no_memory(reader);
    reader->members[reader->port->method_count - 1] = (struct member){field, signature};
    return 0;
}

static int read_marks_of(struct reader *reader, size_t index)
{
    struct pg_method *method = &reader->port->methods[index];
    const struct member *member = &reader->members[index];
    struct mark_visit visit = {reader, method, -1};

    pg_method_clear_marks(method);
    if (read_arg_marks(reader, method, &member->signature) < 0)
        return reader->common.status;
    clang_visitChildren(member->field, visit_mark, &visit);
    if (reader->common.status == 0 && method->unmeasured && method->value_count)
        return FAIL(reader, member->field, "method '%.60s' has marks and is unmeasured",
                    method->name);
    return reader->common.status;
}

/* Read all marks. Called when all methods have been read, because marks refer to
 * arguments and other methods. If a mark recalls a value which a later mark remembers as
 * a floating number, all marks are read again. */
static int read_marks(struct reader *reader)
{
    struct pg_source source = {.file = reader->common.options->header};
    struct pg_lexer nowhere = {.source = &source, .err = reader->common.err};
    size_t floating;
    int status = 0;

    do {
        floating = pg_floating_memories(reader->port);
        for (size_t i = 0; i < reader->port->method_count && status == 0; i++)
            status = read_marks_of(reader, i);
    } while (status == 0 && pg_floating_memories(reader->port) != floating);
    return status == 0 ? pg_memories_check(&nowhere, reader->port) : status;
}

static enum CXVisitorResult visit_member(CXCursor field, CXClientData data)
{
    struct reader *reader = data;
    CXType function = pg_signature_of(clang_getCursorType(field));
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(field));

    if (reader->port->name == NULL) {
        /* the first member of a port's struct must be `struct cca_port base` */
        CLANG_TEXT port = pg_clang_text(clang_getCursorSpelling(reader->port_struct));

        reader->port->name = strdup(port.text);
        if (!reader->port->name)
            no_memory(reader);
        else if (!*port.text)
            FAIL(reader, reader->port_struct,
                 "found a struct without a tag, expected 'struct NAME_port': the tag "
                 "names "
                 "the port");
        else if (!pg_word_usable(port.text) || strlen(port.text) > 200)
            FAIL(reader, reader->port_struct, "a port cannot be named '%.60s'",
                 port.text);
        else if (strcmp(name.text, "base") != 0)
            FAIL(reader, field,
                 "the first member of 'struct %.60s' must be named 'base', "
                 "found '%.60s'",
                 port.text, name.text);
        return reader->common.status < 0 ? CXVisit_Break : CXVisit_Continue;
    }
    if (!*name.text)
        FAIL(reader, field, "an unnamed member in a port: only functions can be served");
    else if (clang_Cursor_isBitField(field))
        FAIL(reader, field, "member '%.60s' is a bit-field: only functions can be served",
             name.text);
    else if (function.kind == CXType_Invalid)
        FAIL(reader, field,
             "member '%.60s' is not a function pointer: only functions can be "
             "served",
             name.text);
    else if (!pg_word_usable(name.text))
        FAIL(reader, field, "method '%.60s' cannot be named so in generated code",
             name.text);
    else
        read_method(reader, field, name.text, function);
    return reader->common.status < 0 ? CXVisit_Break : CXVisit_Continue;
}

/* --- The port ------------------------------------------------------------- */

static enum CXVisitorResult first_member(CXCursor field, CXClientData data)
{
    *(CXCursor *)data = field;
    return CXVisit_Break;
}

static int is_port_struct(CXCursor cursor)
{
    CXCursor first = clang_getNullCursor();
    CXType type;

    if (clang_getCursorKind(cursor) != CXCursor_StructDecl ||
        !clang_isCursorDefinition(cursor))
        return 0;
    clang_Type_visitFields(clang_getCursorType(cursor), first_member, &first);
    if (clang_Cursor_isNull(first))
        return 0;
    type = clang_getCanonicalType(clang_getCursorType(first));
    CLANG_TEXT name =
        pg_clang_text(clang_getCursorSpelling(clang_getTypeDeclaration(type)));
    return type.kind == CXType_Record && strcmp(name.text, "cca_port") == 0;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent,
                                         CXClientData data)
{
    struct reader *reader = data;

    (void)parent;
    if (clang_Location_isFromMainFile(clang_getCursorLocation(cursor)) &&
        is_port_struct(cursor)) {
        if (reader->struct_count == PORTS_MAX)
            FAIL(reader, cursor, "more than %d ports", PORTS_MAX);
        else
            reader->structs[reader->struct_count++] = cursor;
    }
    return reader->common.status < 0 ? CXChildVisit_Break : CXChildVisit_Continue;
}

struct type_visit {
    struct reader *reader;
    char macro[220]; /* "FLUX_PORT_TYPE" */
    int found;
};

/* Take the text of a macro that consists of one plain string literal, or NULL. */
static int macro_string(struct type_visit *visit, CXCursor cursor)
{
    struct reader *reader = visit->reader;
    CXToken *tokens = NULL;
    unsigned count = 0;
    char *type = NULL;

    clang_tokenize(reader->common.unit, clang_getCursorExtent(cursor), &tokens, &count);
    if (count == 2) {
        CLANG_TEXT literal =
            pg_clang_text(clang_getTokenSpelling(reader->common.unit, tokens[1]));
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
        return FAIL(reader, cursor, "%.80s must be a string \"name/revision\"",
                    visit->macro);
    visit->found = 1;
    return reader->common.status;
}

static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent,
                                           CXClientData data)
{
    struct type_visit *visit = data;

    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    if (strcmp(name.text, visit->macro) == 0)
        macro_string(visit, cursor);
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
    clang_visitChildren(clang_getTranslationUnitCursor(reader->common.unit), visit_macro,
                        &visit);
    if (reader->common.status == 0 && !visit.found)
        return FAIL(reader, reader->port_struct,
                    "no macro %.80s with the type of the port", visit.macro);
    return reader->common.status;
}

static int read_port(struct reader *reader)
{
    reader->port->size =
        (size_t)clang_Type_getSizeOf(clang_getCursorType(reader->port_struct));
    clang_Type_visitFields(clang_getCursorType(reader->port_struct), visit_member,
                           reader);
    if (reader->common.status < 0)
        return reader->common.status;
    if (reader->port->method_count == 0)
        return FAIL(reader, reader->port_struct, "port '%.60s' has no methods",
                    reader->port->name);
    if (read_marks(reader) < 0)
        return reader->common.err->code;
    reader->port->signature = pg_port_signature(reader->port);
    return reader->port->signature ? read_type(reader) : no_memory(reader);
}

/* Append a new port, which shares clang's view of the header with the first port. */
static int add_port(struct reader *reader, struct pg_ports *ports)
{
    struct pg_port *port = calloc(1, sizeof *port);

    if (!port)
        return no_memory(reader);
    ports->list[ports->count++] = reader->port = port;
    return ports->count == 1 ? 0 : pg_types_share(&reader->common, ports->list[0], port);
}

static int read_ports(struct reader *reader, struct pg_ports *ports)
{
    CXTranslationUnit unit = reader->common.unit;
    const char *header = reader->common.options->header;
    size_t length = 0;
    int status;

    reader->source = clang_getFileContents(unit, clang_getFile(unit, header), &length);
    reader->source_length = reader->source ? length : 0;
    clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_top, reader);
    status = reader->common.status;
    if (status == 0 && reader->struct_count == 0)
        return cca_error_set(
            reader->common.err, -EINVAL,
            "%.150s:1:1: error: no port in the header: a struct whose first "
            "member is 'struct cca_port base'",
            header);
    for (size_t i = 0; i < reader->struct_count && status == 0; i++) {
        reader->port_struct = reader->structs[i];
        if (i > 0)
            status = add_port(reader, ports);
        if (status == 0)
            status = read_port(reader);
        for (size_t j = 0; j < i && status == 0; j++)
            if (strcmp(ports->list[j]->type, reader->port->type) == 0)
                status =
                    FAIL(reader, reader->port_struct, "'%.60s' has the type of '%.60s'",
                         reader->port->name, ports->list[j]->name);
    }
    return status;
}

int pg_header_read(const struct pg_options *options, struct pg_ports *ports,
                   struct cca_error *err)
{
    struct reader reader = {.common = {.options = options, .err = err}};
    CXIndex index;
    int status = pg_reader_check_file(options, err);

    *ports = (struct pg_ports){.list = NULL};
    if (status < 0)
        return status;
    ports->list = calloc(PORTS_MAX, sizeof *ports->list);
    if (!ports->list || add_port(&reader, ports) < 0) {
        pg_ports_done(ports);
        return cca_no_memory(err);
    }
    index = clang_createIndex(0, 0);
    status = pg_reader_parse(&reader.common, index);
    if (pg_types_attach(&reader.common, index, reader.port) < 0)
        status = -ENOMEM;
    if (status == 0)
        status = read_ports(&reader, ports);
    free(reader.members);
    if (status < 0)
        pg_ports_done(ports);
    return status;
}

void pg_ports_done(struct pg_ports *ports)
{
    while (ports->count > 0) /* the first port is freed last, because it owns the data
                                that all ports share */
        pg_port_free(ports->list[--ports->count]);
    free(ports->list);
    ports->list = NULL;
}
