/* SPDX-License-Identifier: BSD-3-Clause */
/* arguments.c: find the functions of a file, and where their arguments are, from its
 * debug information (DWARF). */
#include "mastermind/library/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/find.h"

#ifdef MM_DW
#include <dwarf.h>
#include <elfutils/libdw.h>

/* --- Types ---------------------------------------------------------------- */

struct type {
    Dwarf_Die die;
    int tag, encoding;
    uint64_t size;
    int referred; /* true if the parameter is a reference to const, and this is the type
                     that it refers to */
};

static int peeled(Dwarf_Die *of, Dwarf_Die *die, int *is_const)
{
    Dwarf_Attribute attribute;

    if (!dwarf_attr_integrate(of, DW_AT_type, &attribute) ||
        !dwarf_formref_die(&attribute, die))
        return -1;
    for (int depth = 0; depth < 64; depth++) {
        int tag = dwarf_tag(die);

        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
            tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
            tag != DW_TAG_atomic_type)
            return 0;
        *is_const |= tag == DW_TAG_const_type;
        if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
            !dwarf_formref_die(&attribute, die))
            return -1;
    }
    return -1;
}

static void describe(struct type *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;

    type->tag = dwarf_tag(&type->die);
    if (dwarf_aggregate_size(&type->die, &word) == 0)
        type->size = word;
    if (type->tag == DW_TAG_base_type &&
        dwarf_attr_integrate(&type->die, DW_AT_encoding, &attribute) &&
        dwarf_formudata(&attribute, &word) == 0)
        type->encoding = (int)word;
}

/* Return the type of a parameter, or the result type of a function; its `tag` is 0 if
 * there is none. */
static struct type type_of(Dwarf_Die *of)
{
    struct type type = {.tag = 0};
    int is_const = 0;

    if (peeled(of, &type.die, &is_const))
        return type;
    describe(&type);
    if (type.tag == DW_TAG_reference_type) {
        struct type behind = {.tag = 0};

        is_const = 0;
        if (peeled(&type.die, &behind.die, &is_const) == 0 && is_const) {
            describe(&behind);
            if (behind.tag == DW_TAG_base_type || behind.tag == DW_TAG_enumeration_type) {
                behind.referred = 1;
                return behind;
            }
        }
        type.size = 8;
    }
    return type;
}

static int is_float(const struct type *type)
{
    return type->tag == DW_TAG_base_type && !type->referred &&
           type->encoding == DW_ATE_float && type->size <= 8;
}

static int is_number(const struct type *type)
{
    if (type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8)
        return 0;
    if (type->tag == DW_TAG_enumeration_type)
        return 1;
    return type->tag == DW_TAG_base_type &&
           (type->encoding == DW_ATE_signed || type->encoding == DW_ATE_unsigned ||
            type->encoding == DW_ATE_boolean || type->encoding == DW_ATE_signed_char ||
            type->encoding == DW_ATE_unsigned_char);
}

static int is_mode(const struct type *type)
{
    return type->tag == DW_TAG_enumeration_type || type->encoding == DW_ATE_boolean ||
           type->encoding == DW_ATE_signed_char || type->encoding == DW_ATE_unsigned_char;
}

static int is_pointer(const struct type *type)
{
    return type->tag == DW_TAG_pointer_type || type->tag == DW_TAG_reference_type ||
           type->tag == DW_TAG_rvalue_reference_type || type->referred;
}

/* --- Parameters ----------------------------------------------------------- */

/* Where a parameter is when the function begins: its value or its address (BEHIND_) is in
 * a register; ORDER: in the register that follows from its position among the
 * parameters. */
enum where { NOWHERE, IN_REGISTER, BEHIND_REGISTER, IN_ORDER, BEHIND_ORDER };

/* DWARF's numbers of the registers for integer arguments, in the order in which arguments
 * take them (x86-64
 * psABI). */
static const int order[] = {5, 4, 1, 2, 8, 9};

static int place_in_order(int dwarf_register)
{
    for (int i = 0; i < 6; i++)
        if (order[i] == dwarf_register)
            return i;
    return -1;
}

static enum where where_is(Dwarf_Die *parameter, uint64_t address, uint64_t behind,
                           int *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    *place = -1;
    /* gcc's descriptions begin before the room that a compiler leaves for a jump, clang's
     * after it */
    if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
        (dwarf_getlocation_addr(&attribute, address, &ops, &count, 1) != 1 &&
         dwarf_getlocation_addr(&attribute, behind, &ops, &count, 1) != 1) ||
        !count)
        return NOWHERE;
    if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        *place = place_in_order(ops[0].atom - DW_OP_reg0);
    if (*place >= 0)
        return IN_REGISTER;
    if (count == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
        ops[0].number == 0)
        *place = place_in_order(ops[0].atom - DW_OP_breg0);
    if (*place >= 0)
        return BEHIND_REGISTER;
    /* Once the function has stored it, a parameter that came in a register has a lower
     * address than the frame; arguments passed on the stack have higher ones. */
    if (ops[0].atom == DW_OP_fbreg && (int64_t)ops[0].number < 0) {
        if (count == 1)
            return IN_ORDER;
        if (count == 2 && ops[1].atom == DW_OP_deref)
            return BEHIND_ORDER;
    }
    return NOWHERE;
}

/* State of a walk over the parameters of a function. */
struct walk {
    int ordered; /* true if the next integer parameter is in the argument register with
                    index `integers` */
    int integers;
};

static void add_value(struct mm_described *function, Dwarf_Die *parameter,
                      const struct type *type, int place, int referred)
{
    const char *name = dwarf_diename(parameter);
    Dwarf_Attribute attribute;
    bool artificial = false;
    struct mm_argument *value = &function->values[function->value_count];

    if (dwarf_attr_integrate(parameter, DW_AT_artificial, &attribute))
        dwarf_formflag(&attribute, &artificial);
    if (!name || strpbrk(name, " \t\n") || artificial || !is_number(type) ||
        function->value_count == MM_ARGUMENTS_MOST)
        return;
    *value = (struct mm_argument){name,
                                  place,
                                  (int)type->size,
                                  type->encoding == DW_ATE_signed ||
                                      type->encoding == DW_ATE_signed_char,
                                  is_mode(type),
                                  referred || type->referred};
    function->value_count++;
}

static void add_parameter(struct mm_described *function, struct walk *walk,
                          Dwarf_Die *parameter)
{
    struct type type = type_of(parameter);
    int place = -1;
    enum where where = where_is(parameter, function->address, function->behind, &place);
    int in_order = where == IN_ORDER || where == BEHIND_ORDER;
    /* Fortran passes arguments by address, unless they are declared VALUE. */
    int by_address = where == BEHIND_ORDER || where == BEHIND_REGISTER;
    int is_integer = by_address || is_pointer(&type) || is_number(&type);

    /* If a parameter is missing or in another register, the compiler has changed the
     * function's arguments. */
    if (where == NOWHERE || (place >= 0 && place != walk->integers))
        walk->ordered = 0;
    if (in_order && walk->ordered && is_integer && walk->integers < 6)
        place = walk->integers;
    if (place >= 0)
        add_value(function, parameter, &type, place, by_address);
    if (is_integer)
        walk->integers++;
    else if (!is_float(&type))
        walk->ordered = 0;
}

static void add_parameters(struct mm_described *function, Dwarf_Die *die)
{
    struct type result = type_of(die);
    struct walk walk = {.ordered = 1};
    Dwarf_Die child;

    /* The first register has the address for a large result, before the arguments. */
    if (result.tag && !is_number(&result) && !is_pointer(&result) && !is_float(&result))
        walk.ordered = result.tag == DW_TAG_base_type;
    for (int status = dwarf_child(die, &child); status == 0;
         status = dwarf_siblingof(&child, &child))
        if (dwarf_tag(&child) == DW_TAG_formal_parameter)
            add_parameter(function, &walk, &child);
}

/* --- Functions ------------------------------------------------------------ */

static const char *symbol_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return dwarf_diename(die);
}

/* Return the offset of a function's debug entry; if `die` describes a variant that the
 * compiler has made, the offset of the original function's entry. */
static uint64_t group_of(Dwarf_Die *die)
{
    Dwarf_Die origin = *die;
    Dwarf_Attribute attribute;

    for (int depth = 0; depth < 16; depth++)
        if (!dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) ||
            !dwarf_formref_die(&attribute, &origin))
            break;
    return dwarf_dieoffset(&origin);
}

/* Find the address at which the function begins; a function in several parts begins with
 * the part that is listed first. */
static int begins_at(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Addr base, end;

    return (dwarf_entrypc(die, address) == 0 ||
            dwarf_ranges(die, 0, &base, address, &end) > 0) &&
           *address;
}

static int add_function(struct mm_described_list *list, Dwarf_Die *die)
{
    struct mm_described function = {.group = 0}, *added;
    Dwarf_Addr address;

    if (!begins_at(die, &address))
        return 0;
    function.address = address;
    function.behind = list->behind(list->context, address);
    function.symbol = symbol_of(die);
    if (!function.symbol || strpbrk(function.symbol, " \t\n"))
        return 0;
    function.group = group_of(die);
    add_parameters(&function, die);
    added = cca_array_add(&list->functions, &list->count, sizeof *added);
    if (!added)
        return -ENOMEM;
    *added = function;
    return 0;
}

static int is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

/* Add the functions of a scope and of the scopes in it. Returns 0 or -ENOMEM. */
static int add_functions(struct mm_described_list *list, Dwarf_Die *scope, int depth)
{
    Dwarf_Die child;
    int failed = 0;

    for (int status = dwarf_child(scope, &child); status == 0 && !failed;
         status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) == DW_TAG_subprogram)
            failed = add_function(list, &child);
        if (!failed && depth < 64 && is_scope(dwarf_tag(&child)))
            failed = add_functions(list, &child, depth + 1);
    }
    return failed;
}

static int order_functions(const void *a, const void *b)
{
    const struct mm_described *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

int mm_described_read(struct mm_described_list *list, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = 0;
    Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (!status && dwarf &&
           dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        status = add_functions(list, &die, 0);
    list->dwarf = dwarf;
    if (fd >= 0)
        close(fd);
    if (list->count)
        qsort(list->functions, list->count, sizeof *list->functions, order_functions);
    return status;
}

void mm_described_done(struct mm_described_list *list)
{
    if (list->dwarf)
        dwarf_end(list->dwarf);
    free(list->functions);
}

#else

int mm_described_read(struct mm_described_list *list, const char *path)
{
    (void)list;
    (void)path;
    return 0;
}

void mm_described_done(struct mm_described_list *list)
{
    free(list->functions);
}
#endif

const struct mm_described *mm_described_at(const struct mm_described_list *list,
                                           uint64_t address)
{
    size_t at;

    CCA_FIND_FIRST(at, list->count, list->functions[at].address < address);
    return at < list->count && list->functions[at].address == address
               ? &list->functions[at]
               : NULL;
}
