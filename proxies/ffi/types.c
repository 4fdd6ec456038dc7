/* SPDX-License-Identifier: BSD-3-Clause */
/* types.c: libffi computes the layout of structs itself, so the result is compared with
 * the compiler's layout; packed and over-aligned structs are refused. */
#include "proxies/ffi/types.h"

enum {
    ELEMENTS_MAX = 4096
}; /* largest number of elements of a struct, elements of its arrays included */

struct maker {
    struct fproxy_pool *pool;
    const char **why;
};

static ffi_type *refuse_layout(struct maker *maker, const char *why)
{
    *maker->why = why;
    return NULL;
}

static ffi_type *integer_of(struct maker *maker, size_t size, int is_signed)
{
    switch (size) {
    case 1:
        return is_signed ? &ffi_type_sint8 : &ffi_type_uint8;
    case 2:
        return is_signed ? &ffi_type_sint16 : &ffi_type_uint16;
    case 4:
        return is_signed ? &ffi_type_sint32 : &ffi_type_uint32;
    case 8:
        return is_signed ? &ffi_type_sint64 : &ffi_type_uint64;
    default:
        return refuse_layout(maker, "an integer of a width that libffi does not have");
    }
}

static ffi_type *floating_of(struct maker *maker, size_t size)
{
    if (size == sizeof(float))
        return &ffi_type_float;
    if (size == sizeof(double))
        return &ffi_type_double;
    if (size == sizeof(long double))
        return &ffi_type_longdouble;
    return refuse_layout(maker, "a floating number of a width that libffi does not have");
}

static ffi_type *complex_of(struct maker *maker, size_t size)
{
#ifdef FFI_TARGET_HAS_COMPLEX_TYPE
    if (size == 2 * sizeof(float))
        return &ffi_type_complex_float;
    if (size == 2 * sizeof(double))
        return &ffi_type_complex_double;
    if (size == 2 * sizeof(long double))
        return &ffi_type_complex_longdouble;
#endif
    (void)size;
    return refuse_layout(maker, "a complex number that libffi does not have here");
}

static ffi_type *type_of(struct maker *maker, const struct pg_layout *layout);

/* Return the number of libffi elements for a member; 0: none, or too many. */
static size_t elements_in(const struct pg_layout *member)
{
    size_t count = 1;

    for (; member->kind == PG_LAYOUT_ARRAY; member = &member->parts[0]) {
        if (member->count == 0 || member->count > ELEMENTS_MAX / count)
            return 0;
        count *= member->count;
    }
    return member->kind == PG_LAYOUT_COMPLEX ? 2 * count : count;
}

/* Return the libffi type of each element of a member. A complex number in a struct is
 * passed as two numbers. */
static ffi_type *element_of(struct maker *maker, const struct pg_layout *member)
{
    while (member->kind == PG_LAYOUT_ARRAY)
        member = &member->parts[0];
    return member->kind == PG_LAYOUT_COMPLEX ? floating_of(maker, member->size / 2)
                                             : type_of(maker, member);
}

/* True if libffi places all members like the compiler. */
static int layout_agrees(ffi_type *type, const struct pg_layout *layout,
                         const size_t *firsts, size_t *offsets)
{
    if (ffi_get_struct_offsets(FFI_DEFAULT_ABI, type, offsets) != FFI_OK ||
        type->size != layout->size || type->alignment != layout->align)
        return 0;
    for (size_t i = 0; i < layout->part_count; i++)
        if (offsets[firsts[i]] != layout->parts[i].offset)
            return 0;
    return 1;
}

static ffi_type *struct_of(struct maker *maker, const struct pg_layout *layout)
{
    ffi_type *type = fproxy_pool_get(maker->pool, 1, sizeof *type);
    size_t *firsts = fproxy_pool_get(maker->pool, layout->part_count, sizeof *firsts);
    ffi_type **elements;
    size_t count = 0, *offsets;

    if (!type || !firsts)
        return NULL;
    for (size_t i = 0; i < layout->part_count; i++) {
        size_t more = elements_in(&layout->parts[i]);

        if (!more || count + more > ELEMENTS_MAX)
            return refuse_layout(maker, "a struct of too many elements");
        firsts[i] = count;
        count += more;
    }
    if (!count)
        return refuse_layout(maker, "an empty struct");
    elements = fproxy_pool_get(maker->pool, count + 1, sizeof *elements);
    offsets = fproxy_pool_get(maker->pool, count, sizeof *offsets);
    if (!elements || !offsets)
        return NULL;
    for (size_t i = layout->part_count, end = count; i-- > 0; end = firsts[i]) {
        ffi_type *element = element_of(maker, &layout->parts[i]);

        if (!element)
            return NULL;
        for (size_t e = firsts[i]; e < end; e++)
            elements[e] = element;
    }
    type->type = FFI_TYPE_STRUCT;
    type->elements = elements;
    return layout_agrees(type, layout, firsts, offsets)
               ? type
               : refuse_layout(maker, "a struct with its own packing or alignment");
}

static ffi_type *type_of(struct maker *maker, const struct pg_layout *layout)
{
    switch (layout->kind) {
    case PG_LAYOUT_VOID:
        return &ffi_type_void;
    case PG_LAYOUT_INT:
        return integer_of(maker, layout->size, 1);
    case PG_LAYOUT_UINT:
        return integer_of(maker, layout->size, 0);
    case PG_LAYOUT_FLOAT:
        return floating_of(maker, layout->size);
    case PG_LAYOUT_COMPLEX:
        return complex_of(maker, layout->size);
    case PG_LAYOUT_POINTER:
        return &ffi_type_pointer;
    case PG_LAYOUT_STRUCT:
        return struct_of(maker, layout);
    case PG_LAYOUT_ARRAY:
        return refuse_layout(maker, "an array");
    default:
        return refuse_layout(maker, layout->why && *layout->why
                                        ? layout->why
                                        : "of a type that is not described");
    }
}

ffi_type *fproxy_type(struct fproxy_pool *pool, const struct pg_scalar *value,
                      const struct pg_layout *layout, const char **why)
{
    struct maker maker = {pool, why};

    *why = NULL;
    if (value->cls == PG_INTEGER)
        return integer_of(&maker, value->bits == 1 ? 1 : (size_t)value->bits / 8,
                          value->is_signed);
    if (value->cls == PG_FLOATING)
        return floating_of(&maker, (size_t)value->bits / 8);
    return type_of(&maker, layout);
}

static int holds_extended(const ffi_type *type)
{
    if (type->type != FFI_TYPE_STRUCT)
        return type == &ffi_type_longdouble;
    for (ffi_type **element = type->elements; *element; element++)
        if (holds_extended(*element))
            return 1;
    return 0;
}

/* True for a struct of one long double: it is returned on the x87 stack, but libffi reads
 * it from integer registers. */
int fproxy_result_is_lost(const ffi_type *type)
{
    return type->type == FFI_TYPE_STRUCT && type->size <= 16 && holds_extended(type);
}
