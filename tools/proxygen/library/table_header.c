/* SPDX-License-Identifier: BSD-3-Clause */
/* table_header.c: read structs of function pointers from clang's view of a header. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "tools/proxygen/perf/word.h"
#include "tools/proxygen/read/signature.h"
#include "tools/proxygen/library/table.h"
#include "tools/proxygen/read/types.h"
#include "tools/proxygen/read/read.h"

enum { METHODS_MAX = 2000 };

struct reader {
    struct pg_reader common; /* the base struct, through which errors are reported; it
                                must be the first member */
    struct pg_tables *tables;
    CXCursor found[PG_TABLES_MAX]; /* definitions of the tables' structs */
    const char *name;              /* name to look for */
    size_t length;
    CXCursor at;   /* struct or typedef with the searched name; a null cursor: none */
    char near[80]; /* nearest other name */
    size_t table;  /* index of the table being read */
    CXIndex index;
    int attached; /* true once the first table owns clang's index and translation unit */
};

#define FAIL(reader, cursor, ...)                                                        \
    pg_reader_fail(&(reader)->common, clang_getCursorLocation(cursor), __VA_ARGS__)

static int no_memory(struct reader *reader)
{
    return pg_reader_no_memory(&reader->common);
}

/* --- Finding -------------------------------------------------------------- */

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent,
                                         CXClientData data)
{
    struct reader *reader = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);

    (void)parent;
    if (kind != CXCursor_StructDecl && kind != CXCursor_TypedefDecl &&
        kind != CXCursor_UnionDecl)
        return CXChildVisit_Continue;
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    if (strlen(name.text) == reader->length &&
        memcmp(name.text, reader->name, reader->length) == 0) {
        /* `typedef struct x x` names the same type as `struct x` */
        if (clang_Cursor_isNull(reader->at) || kind == CXCursor_TypedefDecl)
            reader->at = cursor;
    } else if (!*reader->near && strlen(name.text) < sizeof reader->near &&
               pg_word_near(reader->name, reader->length, name.text)) {
        strcpy(reader->near, name.text);
    }
    return CXChildVisit_Continue;
}

/* Return the definition of the struct that the cursor refers to, or a null cursor. */
static CXCursor definition_of(CXCursor cursor)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    CXCursor declared = clang_getTypeDeclaration(type);

    if (type.kind != CXType_Record ||
        clang_getCursorKind(declared) != CXCursor_StructDecl)
        return clang_getNullCursor();
    return clang_getCursorDefinition(declared);
}

static int find_table(struct reader *reader, const char *name, size_t length)
{
    const char *header = reader->common.options->header;
    char word[256] = "";
    struct pg_table *table;

    if (length < sizeof word)
        memcpy(word, name, length);
    if (!pg_word_usable(word))
        return cca_error_set(
            reader->common.err, -EINVAL,
            "%.150s: error: --table takes names of structs, set apart by commas", header);
    reader->name = name;
    reader->length = length;
    reader->at = clang_getNullCursor();
    *reader->near = 0;
    clang_visitChildren(clang_getTranslationUnitCursor(reader->common.unit), visit_top,
                        reader);
    if (clang_Cursor_isNull(reader->at))
        return cca_error_set(reader->common.err, -EINVAL,
                             "%.150s: error: no struct '%.80s' in the header%s%s%s",
                             header, word, *reader->near ? "; did you mean '" : "",
                             reader->near, *reader->near ? "'?" : "");
    if (clang_Cursor_isNull(definition_of(reader->at)))
        return FAIL(reader, reader->at, "'%.80s' is no struct whose members are known",
                    word);
    for (size_t i = 0; i < reader->tables->count; i++)
        if (clang_equalCursors(reader->found[i], definition_of(reader->at)))
            return FAIL(reader, reader->at, "table '%.80s' is requested twice", word);
    if (reader->tables->count == PG_TABLES_MAX)
        return cca_error_set(reader->common.err, -EINVAL,
                             "%.150s: error: more than %d tables", header, PG_TABLES_MAX);
    reader->found[reader->tables->count] = definition_of(reader->at);
    table = cca_array_add(&reader->tables->list, &reader->tables->count,
                          sizeof *reader->tables->list);
    if (!table || !(table->port = calloc(1, sizeof *table->port)) ||
        !(table->port->name = strdup(word)) || !(table->port->type = strdup(word)) ||
        asprintf(&table->c_type, "%s%s",
                 clang_getCursorKind(reader->at) == CXCursor_TypedefDecl ? "" : "struct ",
                 word) < 0)
        return no_memory(reader);
    table->port->functions = table->port->members = 1;
    table->port->keeper = reader->tables->list[0].port;
    table->port->size =
        (size_t)clang_Type_getSizeOf(clang_getCursorType(definition_of(reader->at)));
    return 0;
}

/* --- Tables that methods store -------------------------------------------- */

/* Return the index of the table that `type` points to, or -1. */
static int table_of_pointer(const struct reader *reader, CXType type)
{
    CXType plain = clang_getCanonicalType(type);
    CXCursor record;

    if (plain.kind != CXType_Pointer)
        return -1;
    record = definition_of(clang_getTypeDeclaration(clang_getPointeeType(plain)));
    for (size_t i = 0; i < reader->tables->count; i++)
        if (!clang_Cursor_isNull(record) && clang_equalCursors(record, reader->found[i]))
            return (int)i;
    return -1;
}

struct carried_visit {
    struct reader *reader;
    struct pg_table_method *own;
    const char *name; /* name of the argument, or "return" */
    int arg, stars;
};

static int add_carried(struct carried_visit *visit, const char *member, int table)
{
    struct pg_carried *carried = cca_array_add(
        &visit->own->carried, &visit->own->carried_count, sizeof *visit->own->carried);
    int length;

    if (!carried)
        return no_memory(visit->reader);
    carried->arg = visit->arg;
    carried->stars = visit->stars;
    carried->table = (size_t)table;
    if (!member)
        length = asprintf(&carried->path, "%s%s", visit->stars ? "*" : "", visit->name);
    else if (visit->stars == 2)
        length = asprintf(&carried->path, "(*%s)->%s", visit->name, member);
    else
        length = asprintf(&carried->path, "%s->%s", visit->name, member);
    if (length < 0)
        carried->path = NULL;
    carried->member = member ? strdup(member) : NULL;
    return carried->path && (carried->member || !member) ? 0 : no_memory(visit->reader);
}

static enum CXVisitorResult visit_carrier(CXCursor field, CXClientData data)
{
    struct carried_visit *visit = data;
    CXType type = clang_getCursorType(field);
    int table = table_of_pointer(visit->reader, type);

    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(field));
    if (table >= 0 && pg_word_ok(name.text, strlen(name.text)) &&
        !clang_isConstQualifiedType(type))
        add_carried(visit, name.text, table);
    return visit->reader->common.status < 0 ? CXVisit_Break : CXVisit_Continue;
}

/* Find the table that is reached through a pointer of type `type`. It may point to a
 * table, to a struct with a pointer to a table, or to a pointer to one of these. */
static int find_carried(struct reader *reader, struct pg_table_method *own,
                        const char *name, int arg, CXType type)
{
    struct carried_visit visit = {reader, own, name, arg, 0};
    CXType plain = clang_getCanonicalType(type);

    if (arg == PG_CARRIED_RESULT && table_of_pointer(reader, plain) >= 0)
        return add_carried(&visit, NULL, table_of_pointer(reader, plain));
    for (visit.stars = 1; visit.stars <= 2 && plain.kind == CXType_Pointer;
         visit.stars++) {
        CXType to = clang_getPointeeType(plain);

        if (clang_isConstQualifiedType(to))
            return 0;
        plain = clang_getCanonicalType(to);
        if (visit.stars == 1 && table_of_pointer(reader, plain) >= 0)
            return add_carried(&visit, NULL, table_of_pointer(reader, plain));
        if (plain.kind == CXType_Record && table_of_pointer(reader, type) < 0) {
            clang_Type_visitFields(plain, visit_carrier, &visit);
            return reader->common.status;
        }
    }
    return 0;
}

/* --- Members -------------------------------------------------------------- */

/* Search for the member through which a variadic member can be forwarded: it has the same
 * name plus a 'v', and takes the same arguments and a va_list. */
struct variant_visit {
    const char *name;
    CXType type;
    char found[256];
};

static enum CXVisitorResult visit_variant(CXCursor field, CXClientData data)
{
    struct variant_visit *visit = data;
    CXType type = pg_signature_of(clang_getCursorType(field));

    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(field));
    if (type.kind != CXType_Invalid && pg_variadic_named(visit->name, name.text) &&
        pg_variadic_fits(visit->type, type) && strlen(name.text) < sizeof visit->found)
        strcpy(visit->found, name.text);
    return CXVisit_Continue;
}

static int add_copied(struct reader *reader, const char *name, const char *why)
{
    struct pg_table *table = &reader->tables->list[reader->table];
    char **copied =
        cca_array_add(&table->copied, &table->copied_count, sizeof *table->copied);

    if (!copied || asprintf(copied, "%s, %s", name, why) < 0)
        return no_memory(reader);
    return 0;
}

static int takes_table(const struct reader *reader, CXType function)
{
    for (int i = 0; i < clang_getNumArgTypes(function); i++)
        if (table_of_pointer(reader, clang_getArgType(function, (unsigned)i)) ==
            (int)reader->table)
            return 1;
    return 0;
}

/* Let a member that cannot be forwarded keep the original table's function, unless that
 * function would get our table as an argument. */
static int keep_inner(struct reader *reader, CXCursor field, const char *name,
                      CXType function, const char *why)
{
    if (takes_table(reader, function))
        return FAIL(reader, field, "'%.60s' cannot be forwarded: it is %s", name, why);
    return add_copied(reader, name, why);
}

static int read_method(struct reader *reader, CXCursor field, const char *name,
                       CXType function)
{
    struct pg_table *table = &reader->tables->list[reader->table];
    struct pg_signature signature = {.at = field,
                                     .named = pg_signature_named(field),
                                     .type = function,
                                     .kind = "function"};
    struct variant_visit visit = {name, function, ""};
    size_t count = table->port->method_count;
    struct pg_table_method *own;
    struct pg_method *method;

    if (function.kind == CXType_FunctionNoProto)
        return keep_inner(reader, field, name, function,
                          "declared without its arguments");
    if (clang_isFunctionTypeVariadic(function))
        clang_Type_visitFields(clang_getCursorType(reader->found[reader->table]),
                               visit_variant, &visit);
    if (clang_isFunctionTypeVariadic(function) && !*visit.found)
        return keep_inner(reader, field, name, function,
                          "variadic, and no member takes its arguments as va_list");
    if (count == METHODS_MAX)
        return FAIL(reader, field, "more than %d functions", METHODS_MAX);
    own = cca_array_add(&table->methods, &count, sizeof *table->methods);
    method = own ? pg_port_add_method(table->port) : NULL;
    if (!method || !(method->name = strdup(name)) || !(method->symbol = strdup(name)))
        return no_memory(reader);
    method->offset = (size_t)clang_Cursor_getOffsetOfField(field) / 8;
    own->variadic = *visit.found != 0;
    if (own->variadic && !(own->variant = strdup(visit.found)))
        return no_memory(reader);
    if (pg_signature_read(&reader->common, &signature, method) < 0)
        return reader->common.status;
    for (unsigned i = 0; i < signature.arg_count; i++) {
        CXType type = clang_getArgType(function, i);

        if (table_of_pointer(reader, type) == (int)reader->table)
            own->self_args |= UINT64_C(1) << i;
        if (find_carried(reader, own, method->args[i].name, (int)i, type) < 0)
            return reader->common.status;
    }
    return find_carried(reader, own, "return", PG_CARRIED_RESULT,
                        clang_getResultType(function));
}

static int add_number(struct reader *reader, const char *name)
{
    struct pg_table *table = &reader->tables->list[reader->table];
    char **number =
        cca_array_add(&table->numbers, &table->number_count, sizeof *table->numbers);

    return number && (*number = strdup(name)) ? 0 : no_memory(reader);
}

static enum CXVisitorResult visit_member(CXCursor field, CXClientData data)
{
    struct reader *reader = data;
    CXType type = clang_getCursorType(field), function = pg_signature_of(type);
    CXCursor record = clang_getTypeDeclaration(clang_getCanonicalType(type));

    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(field));
    if (*name.text && function.kind != CXType_Invalid &&
        !pg_word_ok(name.text, strlen(name.text)))
        FAIL(reader, field, "'%.60s' cannot be named so in generated code", name.text);
    else if (*name.text && function.kind != CXType_Invalid)
        read_method(reader, field, name.text, function);
    else if (clang_Cursor_isAnonymous(record) && !*name.text &&
             clang_getCursorKind(record) == CXCursor_StructDecl)
        clang_Type_visitFields(clang_getCursorType(record), visit_member, reader);
    else if (clang_getArrayElementType(type).kind != CXType_Invalid &&
             pg_signature_of(clang_getArrayElementType(type)).kind != CXType_Invalid)
        add_copied(reader, name.text, "an array of functions");
    else if (pg_reader_scalar(type).cls == PG_INTEGER &&
             pg_word_ok(name.text, strlen(name.text)))
        add_number(reader, name.text);
    return reader->common.status < 0 ? CXVisit_Break : CXVisit_Continue;
}

static int read_table(struct reader *reader, size_t index)
{
    struct pg_table *table = &reader->tables->list[index];

    reader->table = index;
    clang_Type_visitFields(clang_getCursorType(reader->found[index]), visit_member,
                           reader);
    if (reader->common.status == 0 && table->port->method_count == 0)
        return FAIL(reader, reader->found[index],
                    "'%.80s' has no function pointers that can be forwarded",
                    table->port->name);
    return reader->common.status;
}

/* --- All tables of the header --------------------------------------------- */

/* Let the first table own clang's view of the header; the other tables share it. */
static int attach_types(struct reader *reader)
{
    reader->attached = 1;
    return pg_types_attach(&reader->common, reader->index, reader->tables->list[0].port);
}

static int read_tables(struct reader *reader, const char *list)
{
    int status = 0;

    while (status == 0) {
        size_t length = strcspn(list, ",");

        status = find_table(reader, list, length);
        if (status == 0 && !reader->attached)
            status = attach_types(reader);
        list += length;
        if (!*list++)
            break;
    }
    for (size_t i = 1; i < reader->tables->count && status == 0; i++)
        status = pg_types_share(&reader->common, reader->tables->list[0].port,
                                reader->tables->list[i].port);
    for (size_t i = 0; i < reader->tables->count && status == 0; i++)
        status = read_table(reader, i);
    return status;
}

struct pg_tables *pg_tables_read(const struct pg_options *options, const char *list,
                                 struct cca_error *err)
{
    struct reader reader = {.common = {.options = options, .err = err}};
    const char *slash = strrchr(options->header, '/');
    int status = pg_reader_check_file(options, err);

    if (status < 0)
        return NULL;
    reader.tables = calloc(1, sizeof *reader.tables);
    if (!reader.tables ||
        !(reader.tables->header = strdup(slash ? slash + 1 : options->header))) {
        pg_tables_free(reader.tables);
        cca_no_memory(err);
        return NULL;
    }
    reader.index = clang_createIndex(0, 0);
    status = pg_reader_parse(&reader.common, reader.index);
    if (status == 0)
        status = read_tables(&reader, list);
    if (!reader.attached && reader.common.unit)
        clang_disposeTranslationUnit(reader.common.unit);
    if (!reader.attached)
        clang_disposeIndex(reader.index);
    if (status < 0) {
        pg_tables_free(reader.tables);
        return NULL;
    }
    return reader.tables;
}

static void free_methods(struct pg_table *table)
{
    for (size_t i = 0; table->port && i < table->port->method_count && table->methods;
         i++) {
        struct pg_table_method *own = &table->methods[i];

        for (size_t j = 0; j < own->carried_count; j++) {
            free(own->carried[j].path);
            free(own->carried[j].member);
        }
        free(own->carried);
        free(own->variant);
    }
    free(table->methods);
}

void pg_tables_free(struct pg_tables *tables)
{
    for (size_t i = tables ? tables->count : 0;
         i-- > 0;) { /* the first table is freed last, because it owns the data that all
                        tables share */
        struct pg_table *table = &tables->list[i];

        free_methods(table);
        pg_port_free(table->port);
        free(table->c_type);
        free(table->version);
        for (size_t j = 0; j < table->copied_count; j++)
            free(table->copied[j]);
        free(table->copied);
        for (size_t j = 0; j < table->number_count; j++)
            free(table->numbers[j]);
        free(table->numbers);
    }
    if (tables) {
        free(tables->list);
        free(tables->header);
    }
    free(tables);
}
