/* SPDX-License-Identifier: BSD-3-Clause */
/* types.c: convert clang's types to types of expressions when they are used. */
#include "tools/proxygen/read/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/read/signature.h"

struct types {
    struct pg_lookup lookup;
    const struct pg_options *options; /* borrowed */
    CXIndex index;
    CXTranslationUnit unit;
    int shared;    /* true if another port owns clang's index and translation unit */
    CXType *views; /* views[i] is clang's type of port->types[i]; it has the kind
                      CXType_Invalid if port->types[i] is not from this header */
    size_t count;
};

static struct types *types_of(struct pg_lookup *lookup)
{
    return cca_container_of(lookup, struct types, lookup);
}

/* --- Making types --------------------------------------------------------- */

static int keep_view(struct types *types, const struct pg_type *type, CXType view)
{
    CXType *grown = realloc(types->views, (type->number + 1) * sizeof *grown);

    if (!grown)
        return -ENOMEM;
    types->views = grown;
    while (types->count < type->number)
        grown[types->count++] = clang_getCursorType(clang_getNullCursor());
    grown[types->count++] = view;
    return 0;
}

static int is_text(CXType type)
{
    return type.kind == CXType_Char_S || type.kind == CXType_Char_U ||
           type.kind == CXType_SChar || type.kind == CXType_UChar;
}

/* Return the kind of a canonical type (a type without typedefs). */
static enum pg_type_kind kind_of(CXType type, const struct pg_scalar *scalar)
{
    switch (type.kind) {
    case CXType_Pointer:
        return PG_TYPE_POINTER;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
        return PG_TYPE_ARRAY;
    case CXType_Record:
        return clang_Type_getSizeOf(type) > 0 ? PG_TYPE_RECORD : PG_TYPE_OPAQUE;
    default:
        return scalar->cls != PG_OTHER ? PG_TYPE_NUMBER : PG_TYPE_OPAQUE;
    }
}

static struct pg_type *make_type(struct types *types, struct pg_port *port, CXType type)
{
    CXType plain = clang_getCanonicalType(type);
    long long size = clang_Type_getSizeOf(plain);
    CLANG_TEXT name = pg_clang_text(clang_getTypeSpelling(type));
    struct pg_scalar scalar = pg_reader_scalar(plain);
    struct pg_type *made = pg_port_add_type(port, kind_of(plain, &scalar), name.text);

    if (!made || keep_view(types, made, plain) < 0)
        return NULL;
    made->size = size > 0 ? (size_t)size : 0;
    made->scalar = scalar;
    made->is_text = is_text(plain);
    made->is_const = clang_isConstQualifiedType(plain) != 0;
    made->is_volatile = clang_isVolatileQualifiedType(plain) != 0;
    if (plain.kind == CXType_ConstantArray)
        made->count = (size_t)clang_getArraySize(plain);
    made->open = made->kind == PG_TYPE_POINTER || made->kind == PG_TYPE_ARRAY ||
                 made->kind == PG_TYPE_RECORD || plain.kind == CXType_Enum;
    return made;
}

struct pg_type *pg_types_of(struct pg_port *port, CXType type)
{
    struct types *types = types_of(port->lookup);
    CXType plain = clang_getCanonicalType(type);

    for (size_t i = 0; i < types->count; i++)
        if (clang_equalTypes(types->views[i], plain))
            return port->types[i];
    return make_type(types, port, type);
}

struct pg_type *pg_types_of_argument(struct pg_port *port, CXType type)
{
    CXType element = clang_getArrayElementType(type);
    CLANG_TEXT name = pg_clang_text(clang_getTypeSpelling(type));
    struct pg_type *made;

    if (element.kind == CXType_Invalid)
        return pg_types_of(port, type);
    made = pg_port_add_type(port, PG_TYPE_POINTER, name.text);
    if (made) {
        made->size = sizeof(void *);
        made->count =
            type.kind == CXType_ConstantArray ? (size_t)clang_getArraySize(type) : 0;
        made->to = pg_types_of(port, element);
    }
    return made && made->to ? made : NULL;
}

/* --- Reading their contents ------------------------------------------------ */

struct field_visit {
    struct pg_port *port;
    struct pg_type *record;
    long long base; /* offset in bits of the struct or union in the outermost one that
                       contains it */
    int status;
};

static int add_field(struct field_visit *visit, CXCursor cursor, const char *name,
                     long long offset)
{
    int bit_field = clang_Cursor_isBitField(cursor) != 0;
    struct pg_type *type = pg_types_of(visit->port, clang_getCursorType(cursor));
    struct pg_field *field = type ? pg_type_add_field(visit->record) : NULL;

    if (!field || !(field->name = strdup(name)))
        return -ENOMEM;
    field->type = type;
    field->offset = (size_t)offset / 8;
    field->bit = bit_field ? (int)(offset % 8) : 0;
    field->bits = bit_field ? clang_getFieldDeclBitWidth(cursor) : 0;
    return 0;
}

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data)
{
    struct field_visit *visit = data;
    long long offset = clang_Cursor_getOffsetOfField(cursor);
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    CXType plain = clang_getCanonicalType(clang_getCursorType(cursor));

    if (offset < 0)
        return CXVisit_Continue;
    offset += visit->base;
    if (*name.text) {
        if (pg_word_ok(name.text, strlen(name.text)))
            visit->status = add_field(visit, cursor, name.text, offset);
    } else if (plain.kind == CXType_Record) {
        struct field_visit inner = {visit->port, visit->record, offset, 0};

        clang_Type_visitFields(plain, visit_field, &inner);
        visit->status = inner.status;
    }
    return visit->status < 0 ? CXVisit_Break : CXVisit_Continue;
}

struct label_visit {
    struct pg_type *type;
    int status;
};

static enum CXChildVisitResult visit_label(CXCursor cursor, CXCursor parent,
                                           CXClientData data)
{
    struct label_visit *visit = data;

    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl) {
        CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));

        visit->status = pg_type_add_label(
            visit->type, clang_getEnumConstantDeclValue(cursor), name.text);
    }
    return visit->status < 0 ? CXChildVisit_Break : CXChildVisit_Continue;
}

static int open_type(struct pg_lookup *lookup, struct pg_port *port, struct pg_type *type)
{
    CXType view = types_of(lookup)->views[type->number];
    struct field_visit fields = {port, type, 0, 0};
    struct label_visit labels = {type, 0};

    switch (type->kind) {
    case PG_TYPE_POINTER:
        type->to = pg_types_of(port, clang_getPointeeType(view));
        return type->to ? 0 : -ENOMEM;
    case PG_TYPE_ARRAY:
        type->to = pg_types_of(port, clang_getArrayElementType(view));
        return type->to ? 0 : -ENOMEM;
    case PG_TYPE_RECORD:
        clang_Type_visitFields(view, visit_field, &fields);
        return fields.status;
    default:
        clang_visitChildren(clang_getTypeDeclaration(view), visit_label, &labels);
        return labels.status;
    }
}

/* --- Finding by name ------------------------------------------------------ */

struct search {
    const char *name;
    enum CXCursorKind kind; /* kind of the searched declaration */
    CXCursor found;
};

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    struct search *search = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);

    (void)parent;
    if (kind == search->kind &&
        !(kind == CXCursor_MacroDefinition && clang_Cursor_isMacroFunctionLike(cursor))) {
        CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));

        if (strcmp(name.text, search->name) == 0)
            search->found = cursor;
    }
    return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
                   kind == CXCursor_EnumDecl
               ? CXChildVisit_Recurse
               : CXChildVisit_Continue;
}

/* Return the last declaration with this kind and name; a null cursor: none. */
static CXCursor find(const struct types *types, const char *name, enum CXCursorKind kind)
{
    struct search search = {name, kind, clang_getNullCursor()};

    clang_visitChildren(clang_getTranslationUnitCursor(types->unit), visit_declaration,
                        &search);
    return search.found;
}

static int type_named(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                      struct pg_type **type)
{
    static const struct {
        const char *word;
        enum CXCursorKind tag;
    } tags[] = {{"struct ", CXCursor_StructDecl},
                {"union ", CXCursor_UnionDecl},
                {"enum ", CXCursor_EnumDecl}};
    struct types *types = types_of(lookup);
    enum CXCursorKind kind = CXCursor_TypedefDecl;
    const char *tag = name;
    CXCursor found;
    long long size;

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strncmp(name, tags[i].word, strlen(tags[i].word)) == 0) {
            tag = name + strlen(tags[i].word);
            kind = tags[i].tag;
        }
    found = find(types, tag, kind);
    if (clang_Cursor_isNull(found))
        return -ENOENT;
    *type = pg_port_add_type(port, PG_TYPE_OPAQUE, name);
    if (!*type)
        return -ENOMEM;
    size = clang_Type_getSizeOf(clang_getCanonicalType(clang_getCursorType(found)));
    (*type)->size = size > 0 ? (size_t)size : 0;
    return 0;
}

/* Find the value of a macro that is just an integer, as in "#define NAME (-1)". Returns 0
 * or -ENOENT. */
static int macro_value(CXTranslationUnit unit, const CXToken *tokens, unsigned count,
                       int64_t *value)
{
    int minus = 0, found = 0;

    for (unsigned i = 1; i < count; i++) {
        CLANG_TEXT text = pg_clang_text(clang_getTokenSpelling(unit, tokens[i]));
        char *rest;

        if (strcmp(text.text, "(") == 0 || strcmp(text.text, ")") == 0)
            continue;
        if (strcmp(text.text, "-") == 0 && !minus && !found) {
            minus = 1;
            continue;
        }
        errno = 0;
        *value = strtoll(text.text, &rest, 0);
        if (found++ || rest == text.text || errno || strspn(rest, "uUlL") != strlen(rest))
            return -ENOENT;
    }
    *value = minus ? -*value : *value;
    return found ? 0 : -ENOENT;
}

static int macro(struct types *types, const char *name, int64_t *value)
{
    CXCursor found = find(types, name, CXCursor_MacroDefinition);
    CXToken *tokens = NULL;
    unsigned count = 0;
    int status;

    if (clang_Cursor_isNull(found))
        return -ENOENT;
    clang_tokenize(types->unit, clang_getCursorExtent(found), &tokens, &count);
    status = macro_value(types->unit, tokens, count, value);
    clang_disposeTokens(types->unit, tokens, count);
    return status;
}

static int lookup_constant(struct pg_lookup *lookup, const char *name, int64_t *value)
{
    CXCursor found = find(types_of(lookup), name, CXCursor_EnumConstantDecl);

    if (clang_Cursor_isNull(found))
        return macro(types_of(lookup), name, value);
    *value = clang_getEnumConstantDeclValue(found);
    return 0;
}

static int lookup_function(struct pg_lookup *lookup, struct pg_port *port,
                           const char *name, struct pg_method *method,
                           struct cca_error *err)
{
    struct types *types = types_of(lookup);
    struct pg_reader reader = {
        .options = types->options, .unit = types->unit, .err = err};
    CXCursor found = find(types, name, CXCursor_FunctionDecl);
    struct pg_signature signature = {.kind = "function"};

    (void)port;
    if (clang_Cursor_isNull(found))
        return -ENOENT;
    signature.at = signature.named = found;
    signature.type = clang_getCursorType(found);
    if (clang_isFunctionTypeVariadic(signature.type) ||
        clang_getCanonicalType(signature.type).kind == CXType_FunctionNoProto ||
        clang_Cursor_getStorageClass(found) == CX_SC_Static)
        return pg_reader_fail(
            &reader, clang_getCursorLocation(found),
            "'%.60s' cannot be called to get numbers: it is static, variadic or "
            "does not declare its arguments",
            name);
    CLANG_TEXT symbol = pg_clang_text(clang_Cursor_getMangling(found));
    /* clang puts the byte 1 before an asm label */
    method->symbol = strdup(symbol.text + (*symbol.text == 1));
    return method->symbol ? pg_signature_read(&reader, &signature, method)
                          : pg_reader_no_memory(&reader);
}

/* --- Freeing -------------------------------------------------------------- */

static void close_types(struct pg_lookup *lookup)
{
    struct types *types = types_of(lookup);

    if (types->unit && !types->shared)
        clang_disposeTranslationUnit(types->unit);
    if (!types->shared)
        clang_disposeIndex(types->index);
    free(types->views);
    free(types);
}

int pg_types_attach(struct pg_reader *reader, CXIndex index, struct pg_port *port)
{
    struct types *types = calloc(1, sizeof *types);

    if (!types) {
        if (reader->unit)
            clang_disposeTranslationUnit(reader->unit);
        clang_disposeIndex(index);
        return pg_reader_no_memory(reader);
    }
    types->lookup = (struct pg_lookup){open_type, type_named, lookup_constant,
                                       lookup_function, close_types};
    types->options = reader->options;
    types->index = index;
    types->unit = reader->unit;
    port->lookup = &types->lookup;
    return 0;
}

void pg_types_reader(const struct pg_port *port, struct pg_reader *reader)
{
    const struct types *types = types_of(port->lookup);

    *reader = (struct pg_reader){.options = types->options, .unit = types->unit};
}

int pg_types_share(struct pg_reader *reader, const struct pg_port *from,
                   struct pg_port *port)
{
    const struct types *owner = types_of(from->lookup);
    struct types *types = calloc(1, sizeof *types);

    if (!types)
        return pg_reader_no_memory(reader);
    *types = (struct types){.lookup = owner->lookup,
                            .options = owner->options,
                            .unit = owner->unit,
                            .shared = 1};
    port->lookup = &types->lookup;
    return 0;
}
