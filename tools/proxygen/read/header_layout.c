/* SPDX-License-Identifier: BSD-3-Clause */
/* header_layout.c: find the layouts of structs and other types passed by value. */
#include "tools/proxygen/read/read.h"

#include <errno.h>

struct builder {
    const char *why; /* reason why the layout is unknown, or NULL */
    size_t parts;    /* number of parts so far */
    int depth;
    int failed; /* out of memory */
};

static void layout_build(struct builder *builder, CXType type, struct pg_layout *layout);

static void give_up(struct builder *builder, const char *why)
{
    if (!builder->why)
        builder->why = why;
}

/* Append a part to the layout `whole`. Returns the part; NULL: too many parts, or out of
 * memory. */
static struct pg_layout *part_of(struct builder *builder, struct pg_layout *whole)
{
    struct pg_layout *part = NULL;

    if (++builder->parts > PG_LAYOUT_PARTS || builder->depth >= PG_LAYOUT_DEPTH)
        give_up(builder, "a struct of too many parts");
    else if (!(part = pg_layout_add_part(whole)))
        builder->failed = 1;
    return part;
}

struct member_visit {
    struct builder *builder;
    struct pg_layout *whole;
};

static enum CXVisitorResult visit_member(CXCursor field, CXClientData data)
{
    struct member_visit *visit = data;
    struct builder *builder = visit->builder;
    long long offset = clang_Cursor_getOffsetOfField(field);
    struct pg_layout *part;

    if (clang_Cursor_isBitField(field))
        give_up(builder, "a struct with bit-fields");
    else if (offset < 0)
        give_up(builder, "a struct with members that clang cannot place");
    else if ((part = part_of(builder, visit->whole))) {
        layout_build(builder, clang_getCursorType(field), part);
        part->offset = (size_t)offset / 8;
    }
    return builder->why || builder->failed ? CXVisit_Break : CXVisit_Continue;
}

static void build_record(struct builder *builder, CXType type, struct pg_layout *layout)
{
    struct member_visit visit = {builder, layout};

    if (clang_getCursorKind(clang_getTypeDeclaration(type)) != CXCursor_StructDecl) {
        give_up(builder, "a union");
        return;
    }
    layout->kind = PG_LAYOUT_STRUCT;
    clang_Type_visitFields(type, visit_member, &visit);
    if (!layout->part_count)
        give_up(builder, "an empty struct");
}

static void build_array(struct builder *builder, CXType type, struct pg_layout *layout)
{
    long long count = clang_getArraySize(type);
    struct pg_layout *part = NULL;

    layout->kind = PG_LAYOUT_ARRAY;
    if (count <= 0)
        give_up(builder, "a struct with an array of no length");
    else
        part = part_of(builder, layout);
    if (part)
        layout_build(builder, clang_getArrayElementType(type), part);
    layout->count = count > 0 ? (size_t)count : 0;
}

/* Return the kind of a scalar type, from clang's kind of the type. */
static enum pg_layout_kind scalar_kind(CXType type)
{
    switch (type.kind) {
    case CXType_Void:
        return PG_LAYOUT_VOID;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        return PG_LAYOUT_INT;
    case CXType_Bool:
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        return PG_LAYOUT_UINT;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
        return PG_LAYOUT_FLOAT;
    case CXType_Pointer:
        return PG_LAYOUT_POINTER;
    default:
        return PG_LAYOUT_OTHER;
    }
}

static void layout_build(struct builder *builder, CXType type, struct pg_layout *layout)
{
    CXType plain = clang_getCanonicalType(type);
    long long size = clang_Type_getSizeOf(plain), align = clang_Type_getAlignOf(plain);

    if (plain.kind == CXType_Enum)
        plain = clang_getCanonicalType(
            clang_getEnumDeclIntegerType(clang_getTypeDeclaration(plain)));
    layout->kind = scalar_kind(plain);
    if (plain.kind != CXType_Void) {
        layout->size = size > 0 ? (size_t)size : 0;
        layout->align = align > 0 ? (size_t)align : 0;
    }
    builder->depth++;
    if (plain.kind == CXType_Record)
        build_record(builder, plain, layout);
    else if (plain.kind == CXType_ConstantArray)
        build_array(builder, plain, layout);
    else if (plain.kind == CXType_Complex &&
             scalar_kind(clang_getElementType(plain)) == PG_LAYOUT_FLOAT)
        layout->kind = PG_LAYOUT_COMPLEX;
    else if (layout->kind == PG_LAYOUT_OTHER)
        give_up(builder, "a type of the compiler's own");
    builder->depth--;
}

int pg_header_layout(CXType type, struct pg_layout *layout)
{
    struct builder builder = {.why = NULL};

    layout_build(&builder, type, layout);
    if (builder.failed)
        return -ENOMEM;
    return builder.why ? pg_layout_give_up(layout, builder.why) : 0;
}
