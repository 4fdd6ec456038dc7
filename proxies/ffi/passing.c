/* SPDX-License-Identifier: BSD-3-Clause */
/* passing.c: call a closure once by libffi itself, to check that its arguments arrive. */
#include "proxies/ffi/passing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16 };

static size_t padded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Compare two values of a type, but not the padding in structs, which may change. */
static int is_same(const ffi_type *type, const unsigned char *one,
                   const unsigned char *other)
{
    size_t offset = 0;

    if (type->type != FFI_TYPE_STRUCT)
        return memcmp(one, other, type->size) == 0;
    for (ffi_type **element = type->elements; *element; element++) {
        size_t alignment = (*element)->alignment;

        offset = (offset + alignment - 1) / alignment * alignment;
        if (!is_same(*element, one + offset, other + offset))
            return 0;
        offset += (*element)->size;
    }
    return 1;
}

/* The arguments of a test call, and the index of the first argument that arrived with
 * other bytes. */
struct passing {
    const unsigned char *given;
    int lost;
};

static void compare_arguments(ffi_cif *cif, void *result, void **args, void *data)
{
    struct passing *passing = data;
    const unsigned char *given = passing->given;

    (void)result;
    passing->lost = -1;
    for (unsigned i = 0; i < cif->nargs && passing->lost < 0; i++) {
        if (!is_same(cif->arg_types[i], args[i], given))
            passing->lost = (int)i;
        given += padded(cif->arg_types[i]->size);
    }
}

int fproxy_first_lost(ffi_cif *cif, ffi_closure *closure, void *code)
{
    size_t result_size = padded(cif->rtype->size + sizeof(ffi_arg)), size = result_size;
    struct passing passing = {.lost = (int)cif->nargs};
    void **args = calloc(cif->nargs, sizeof *args);
    unsigned char *memory, *at;

    for (unsigned i = 0; i < cif->nargs; i++)
        size += padded(cif->arg_types[i]->size);
    memory = aligned_alloc(ALIGNMENT, size);
    if (!args || !memory) {
        free(args);
        free(memory);
        return -ENOMEM;
    }
    for (size_t i = 0; i < size; i++) /* neighbours differ; all < 0x80 */
        memory[i] = (unsigned char)((i * 37 + 11) % 127);
    passing.given = at = memory + result_size;
    for (unsigned i = 0; i < cif->nargs; i++) {
        args[i] = at;
        at += padded(cif->arg_types[i]->size);
    }
    if (ffi_prep_closure_loc(closure, cif, compare_arguments, &passing, code) == FFI_OK)
        ffi_call(cif, FFI_FN(code), memory, args);
    free(memory);
    free(args);
    return passing.lost;
}
