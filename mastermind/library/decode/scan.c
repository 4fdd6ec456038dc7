/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.c: decode all code of a file once. */
#include "mastermind/library/decode/scan.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"
#include "common/sort.h"
#include "mastermind/library/decode/instruction.h"

enum { TABLE_MOST = 1 << 14 };

/* --- References ----------------------------------------------------------- */

static int refer(struct code_scan *scan, uint64_t address, unsigned how)
{
    struct code_reference *added;

    if (!code_file_code(scan->file, address))
        return 0;
    added = cca_array_add(&scan->references, &scan->reference_count, sizeof *added);
    if (!added)
        return -ENOMEM;
    *added = (struct code_reference){address, how};
    return 0;
}

static int refer_pad(void *context, uint64_t address)
{
    return refer(context, address, CODE_BY_NAME);
}

static int refer_by_names(struct code_scan *scan)
{
    for (size_t i = 0; i < scan->file->symbol_count; i++) {
        const struct code_symbol *symbol = &scan->file->symbols[i];
        /* If other files can refer to a symbol, its address may be used anywhere. */
        unsigned how =
            symbol->bind != STB_LOCAL ? CODE_BY_NAME | CODE_BY_ADDRESS : CODE_BY_NAME;

        if (symbol->is_defined && symbol->type != STT_TLS &&
            refer(scan, symbol->address, how))
            return -ENOMEM;
    }
    for (size_t i = 0; i < scan->frames.count; i++)
        if (code_frame_pads(&scan->frames.list[i], scan->file, refer_pad, scan))
            return -ENOMEM;
    return 0;
}

static int refer_by_relocations(struct code_scan *scan)
{
    const struct code_file *file = scan->file;

    for (size_t i = 0; i < file->relocation_count; i++) {
        const struct code_relocation *r = &file->relocations[i];
        size_t at = file->dynamic_symbol_first + r->symbol;
        uint64_t base = 0;

        if (r->type == R_X86_64_64 && at < file->symbol_count)
            base = file->symbols[at].address;
        else if (r->type != R_X86_64_RELATIVE && r->type != R_X86_64_IRELATIVE)
            continue;
        if (refer(scan, base + r->addend,
                  r->type == R_X86_64_IRELATIVE ? CODE_BY_RESOLVER : CODE_BY_ADDRESS))
            return -ENOMEM;
    }
    return 0;
}

/* In files that are loaded at fixed addresses, note all aligned words of data that are
 * addresses of code as
 * references. */
static int refer_by_data(struct code_scan *scan)
{
    for (size_t i = 0; i < scan->file->part_count && scan->file->is_fixed; i++) {
        const struct code_part *part = &scan->file->parts[i];
        uint64_t from = (8 - part->address % 8) % 8;

        if (part->is_code)
            continue;
        for (; from < part->size && part->size - from >= 8; from += 8) {
            uint64_t word;

            memcpy(&word, part->bytes + from, sizeof word);
            if (refer(scan, word, CODE_BY_ADDRESS))
                return -ENOMEM;
        }
    }
    return 0;
}

/* Note the targets of jump tables as references. Such a table has distances from its own
 * beginning; it is read as long as these lead to
 * code. */
static int refer_by_tables(struct code_scan *scan)
{
    if (scan->table_count)
        qsort(scan->tables, scan->table_count, sizeof *scan->tables, cca_order_uint64);
    for (size_t i = 0; i < scan->table_count; i++) {
        uint64_t table = scan->tables[i], next;
        size_t count;
        const unsigned char *at = code_file_at(scan->file, table, &count);

        if (i && table == scan->tables[i - 1])
            continue;
        next = i + 1 < scan->table_count ? scan->tables[i + 1] : UINT64_MAX;
        for (size_t k = 0; at && k < TABLE_MOST && (k + 1) * 4 <= count; k++) {
            uint64_t target;
            int32_t distance;

            memcpy(&distance, at + 4 * k, sizeof distance);
            target = table + (uint64_t)(int64_t)distance;
            if (!code_file_code(scan->file, target) || table + 4 * k >= next)
                break;
            if (refer(scan, target, CODE_BY_JUMP))
                return -ENOMEM;
        }
    }
    return 0;
}

static int order_references(const void *a, const void *b)
{
    const struct code_reference *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

unsigned code_scan_how(const struct code_scan *scan, uint64_t from, uint64_t to)
{
    size_t at;
    unsigned how = 0;

    CCA_FIND_FIRST(at, scan->reference_count, scan->references[at].address < from);
    for (; at < scan->reference_count && scan->references[at].address < to; at++)
        how |= scan->references[at].how;
    return how;
}

/* --- Functions that return twice or look up their caller -------------------- */

static int is_asking(const char *name)
{
    static const char *const names[] = {
        "setjmp", "_setjmp",    "sigsetjmp",   "__sigsetjmp", "savectx",
        "vfork",  "__vfork",    "dlopen",      "dlmopen",     "dlsym",
        "dlvsym", "getcontext", "swapcontext", "_dl_sym",     "__getcontext"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

static int add_number(uint64_t **list, size_t *count, uint64_t number)
{
    uint64_t *added = cca_array_add(list, count, sizeof *added);

    if (added)
        *added = number;
    return added ? 0 : -ENOMEM;
}

static int add_asking(struct code_scan *scan, uint64_t address)
{
    return add_number(&scan->asking, &scan->asking_count, address);
}

static int is_in(const uint64_t *list, size_t count, uint64_t number)
{
    size_t low;

    CCA_FIND_FIRST(low, count, list[low] < number);
    return low < count && list[low] == number;
}

/* Find functions such as setjmp and dlopen in the file, and their slots in the global
 * offset table. */
static int find_asking(struct code_scan *scan)
{
    const struct code_file *file = scan->file;

    for (size_t i = 0; i < file->relocation_count; i++) {
        const struct code_relocation *r = &file->relocations[i];
        size_t at = file->dynamic_symbol_first + r->symbol;

        if ((r->type == R_X86_64_JUMP_SLOT || r->type == R_X86_64_GLOB_DAT) &&
            at < file->symbol_count && is_asking(file->symbols[at].name) &&
            add_number(&scan->slots, &scan->slot_count, r->place))
            return -ENOMEM;
    }
    for (size_t i = 0; i < scan->code->count; i++) {
        struct mm_code_function *f = &scan->code->functions[i];

        if (f->name && is_asking(f->name)) {
            f->refusal = MM_CODE_TWICE;
            if (add_asking(scan, f->address))
                return -ENOMEM;
        }
    }
    if (scan->slot_count)
        qsort(scan->slots, scan->slot_count, sizeof *scan->slots, cca_order_uint64);
    return 0;
}

static void refuse(struct mm_code_function *f, enum mm_code_refusal refusal)
{
    if (!f->refusal)
        f->refusal = refusal;
}

/* Refuse functions that end with a jump to a function such as setjmp: directly, through
 * its slot in the global offset table, or through a linker's stub for it. */
static void refuse_leaps(struct code_scan *scan)
{
    if (scan->asking_count)
        qsort(scan->asking, scan->asking_count, sizeof *scan->asking, cca_order_uint64);
    for (size_t i = 0; i < scan->leap_count; i++)
        if (is_in(scan->asking, scan->asking_count, scan->leaps[i].target) ||
            is_in(scan->slots, scan->slot_count, scan->leaps[i].target))
            refuse(&scan->code->functions[scan->leaps[i].function], MM_CODE_TWICE);
}

/* --- Walk ----------------------------------------------------------------- */

/* State of the walk through the instructions of a section. */
struct walk {
    struct code_scan *scan;
    size_t function; /* index of the first function that ends after the current address */
    size_t row;
    int has_rows, is_in; /* inside `function` */
    int jumps_elsewhere, takes_own;
};

static struct mm_code_function *here(const struct walk *walk)
{
    return walk->is_in ? &walk->scan->code->functions[walk->function] : NULL;
}

static int is_inside(const struct mm_code_function *f, uint64_t address)
{
    return f && address >= f->address && address - f->address < f->size;
}

static int leap(struct walk *walk, uint64_t target)
{
    struct code_leap *added =
        cca_array_add(&walk->scan->leaps, &walk->scan->leap_count, sizeof *added);

    if (!added)
        return -ENOMEM;
    *added = (struct code_leap){target, walk->function};
    return 0;
}

/* Return the unwind row of this address; addresses must ascend. NULL: none. */
static const struct code_row *row_at(struct walk *walk, uint64_t address)
{
    const struct code_rows *rows = &walk->scan->rows;

    if (!walk->has_rows || !walk->is_in)
        return NULL;
    while (walk->row + 1 < rows->count && rows->list[walk->row + 1].address <= address)
        walk->row++;
    return &rows->list[walk->row];
}

/* True if the instruction uses the stack position of the function's return address. */
static int uses_return(struct walk *walk, uint64_t address,
                       const struct code_instruction *i)
{
    const struct code_row *row = i->base ? row_at(walk, address) : NULL;

    return row &&
           ((i->base == CODE_BASE_RSP && row->base == CODE_RSP) ||
            (i->base == CODE_BASE_RBP && row->base == CODE_RBP)) &&
           (uint64_t)i->displacement - (uint64_t)row->offset == (uint64_t)-8;
}

static int is_tail(struct walk *walk, uint64_t address)
{
    const struct code_row *row = row_at(walk, address);

    return row && row->base == CODE_RSP && row->offset == 8;
}

static int walk_jump(struct walk *walk, uint64_t address,
                     const struct code_instruction *i)
{
    struct code_scan *scan = walk->scan;
    unsigned how = i->flow == CODE_CALL   ? CODE_BY_CALL
                   : i->flow == CODE_JUMP ? CODE_BY_JUMP
                                          : CODE_BY_BRANCH;

    if (i->flow == CODE_ELSEWHERE && i->relative_at) {
        if (walk->is_in)
            return leap(walk, i->relative);
        /* a linker's stub jumps through a slot of the global offset table, perhaps after
         * endbr64 */
        return is_in(scan->slots, scan->slot_count, i->relative) &&
                       (add_asking(scan, address) || add_asking(scan, address - 4) ||
                        add_asking(scan, address - 5))
                   ? -ENOMEM
                   : 0;
    }
    if (i->flow == CODE_ELSEWHERE)
        walk->jumps_elsewhere = 1;
    if (!i->target)
        return 0;
    if (how == CODE_BY_JUMP && is_tail(walk, address))
        how |= CODE_BY_TAIL;
    if (refer(scan, i->target, how))
        return -ENOMEM;
    return walk->is_in && !(how & CODE_BY_CALL) && !is_inside(here(walk), i->target)
               ? leap(walk, i->target)
               : 0;
}

static int walk_addresses(struct walk *walk, const struct code_instruction *i)
{
    struct code_scan *scan = walk->scan;
    const uint64_t fixed[2] = {i->number, i->absolute};

    if (i->relative_at) {
        if (refer(scan, i->relative, CODE_BY_ADDRESS))
            return -ENOMEM;
        if (walk->is_in && is_inside(here(walk), i->relative) &&
            i->relative != here(walk)->address)
            walk->takes_own = 1;
        if (i->takes_address && !code_file_code(scan->file, i->relative) &&
            add_number(&scan->tables, &scan->table_count, i->relative))
            return -ENOMEM;
    }
    for (int k = 0; k < 2 && scan->file->is_fixed; k++)
        if (fixed[k]) {
            if (refer(scan, fixed[k], CODE_BY_ADDRESS))
                return -ENOMEM;
            if (walk->is_in && is_inside(here(walk), fixed[k]) &&
                fixed[k] != here(walk)->address)
                walk->takes_own = 1;
        }
    return 0;
}

static int walk_instruction(struct walk *walk, uint64_t address,
                            const struct code_instruction *i)
{
    if (walk->is_in && uses_return(walk, address, i))
        refuse(here(walk), MM_CODE_RETURN);
    if (i->flow != CODE_NEXT && i->flow != CODE_RETURNS && walk_jump(walk, address, i))
        return -ENOMEM;
    return walk_addresses(walk, i);
}

/* Begin a function. It is refused unless an entry of the unwind information begins here,
 * too. */
static int enter(struct walk *walk)
{
    struct code_scan *scan = walk->scan;
    struct mm_code_function *f = &scan->code->functions[walk->function];
    const struct code_frame *frame = code_frames_at(&scan->frames, f->address);
    int status = frame ? code_frame_rows(frame, &scan->rows) : -EBADMSG;

    walk->is_in = 1;
    walk->row = 0;
    walk->jumps_elsewhere = walk->takes_own = 0;
    walk->has_rows = !status && scan->rows.count;
    if (status == -ENOMEM)
        return status;
    if (!walk->has_rows || frame->is_signal)
        refuse(f, MM_CODE_UNWIND);
    else if (scan->rows.list[0].base != CODE_RSP || scan->rows.list[0].offset != 8 ||
             !scan->rows.list[0].is_usual)
        refuse(f, MM_CODE_PART);
    return 0;
}

static void leave(struct walk *walk)
{
    if (walk->is_in && walk->jumps_elsewhere && walk->takes_own)
        refuse(here(walk), MM_CODE_LABELS);
    walk->is_in = 0;
}

/* Return the next address after `address` at which decoding must restart: the beginning
 * of a function or of a range of unwind information. */
static uint64_t next_start(const struct walk *walk, uint64_t address, size_t *frame)
{
    const struct code_scan *scan = walk->scan;
    size_t at = walk->function;
    uint64_t start = UINT64_MAX;

    while (at < scan->code->count && scan->code->functions[at].address <= address)
        at++;
    if (at < scan->code->count)
        start = scan->code->functions[at].address;
    while (*frame < scan->frames.count && scan->frames.list[*frame].start <= address)
        ++*frame;
    if (*frame < scan->frames.count && scan->frames.list[*frame].start < start &&
        !walk->is_in)
        start = scan->frames.list[*frame].start;
    return start;
}

static int walk_part(struct code_scan *scan, const struct code_part *part)
{
    struct walk walk = {.scan = scan};
    uint64_t address = part->address, end = address + part->size, start = address;
    size_t frame = 0;

    while (address < end) {
        struct code_instruction i;
        struct mm_code_function *f;
        size_t length;

        while (walk.function < scan->code->count &&
               scan->code->functions[walk.function].address +
                       scan->code->functions[walk.function].size <=
                   address) {
            leave(&walk);
            walk.function++;
        }
        f = walk.function < scan->code->count ? &scan->code->functions[walk.function]
                                              : NULL;
        if (f && f->address == address && !walk.is_in && enter(&walk))
            return -ENOMEM;
        if (address >= start)
            start = next_start(&walk, address, &frame);
        length = code_instruction_read(part->bytes + (address - part->address),
                                       (size_t)(end - address), address, &i);
        if (walk.is_in && (!length || address + length > f->address + f->size)) {
            refuse(f, MM_CODE_UNREADABLE);
            address = f->address + f->size;
            start = address; /* continue to decode after the function */
            continue;
        }
        if (!length || address + length > start) {
            address = length ? start : address + 1;
            continue;
        }
        if (walk_instruction(&walk, address, &i))
            return -ENOMEM;
        address += length;
    }
    leave(&walk);
    return 0;
}

int code_scan(struct code_scan *scan)
{
    int status = code_frames_read(&scan->frames, scan->file);

    if (!status)
        status = find_asking(scan);
    for (size_t i = 0; i < scan->file->code_count && !status; i++)
        status = walk_part(scan, &scan->file->codes[i]);
    if (!status)
        status = refer_by_names(scan);
    if (!status)
        status = refer_by_relocations(scan);
    if (!status)
        status = refer_by_data(scan);
    if (!status)
        status = refer_by_tables(scan);
    if (status)
        return status;
    refuse_leaps(scan);
    if (scan->reference_count)
        qsort(scan->references, scan->reference_count, sizeof *scan->references,
              order_references);
    return 0;
}

void code_scan_done(struct code_scan *scan)
{
    code_frames_done(&scan->frames);
    free(scan->references);
    free(scan->leaps);
    free(scan->tables);
    free(scan->slots);
    free(scan->asking);
    free(scan->rows.list);
}
