/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.c: follow a stack from callee to caller. The rules of each instruction, from
 * libdw, are kept, as the same instructions occur in many stacks. */
#include "mastermind/library/sample/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#ifdef MM_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <unistd.h>

enum {
    MOST_RULES = 1 << 16,
    MOST_VALUES = 16,
    FRAME_POINTER = 6,
    STACK_POINTER = SAMPLE_STACK_POINTER
};

/* How the caller's value of a register is found. */
enum how { SAME, UNKNOWN, AT_CFA, IS_CFA, IN_REGISTER, AT_EXPRESSION, IS_EXPRESSION };

struct way {
    enum how how;
    int32_t number; /* offset from the CFA, or register */
    const Dwarf_Op *expression;
    size_t operations;
};

/* Rules of one instruction. The canonical frame address (CFA) is the value of the stack
 * pointer before the call. */
struct rules {
    uint64_t offset;    /* of the instruction in the file */
    Dwarf_Frame *frame; /* owns the expressions; NULL: no unwind information */
    int is_signal; /* true for the frame that a signal has interrupted another one with */
    struct way cfa, registers[SAMPLE_REGISTERS];
};

struct object {
    Elf *elf;
    Dwarf_CFI *frames; /* NULL: none */
    int file;
    struct rules **slots; /* [slot_count] hash table by offset; slot_count is 0 or a power
                             of two */
    size_t slot_count, rule_count;
    GElf_Phdr *parts; /* [part_count] segments of code */
    size_t part_count;
};

struct sample_unwinder {
    struct object **objects; /* [count] by index of the object; NULL: not yet needed */
    size_t count, rule_count;
};

const char *sample_unwinder_lacks(void)
{
    return NULL;
}

struct sample_unwinder *sample_unwinder_new(void)
{
    elf_version(EV_CURRENT);
    return calloc(1, sizeof(struct sample_unwinder));
}

/* --- Files ---------------------------------------------------------------- */

static void forget_rules(struct object *object)
{
    for (size_t i = 0; i < object->slot_count; i++)
        if (object->slots[i]) {
            free(object->slots[i]->frame);
            free(object->slots[i]);
        }
    free(object->slots);
    object->slots = NULL;
    object->slot_count = object->rule_count = 0;
}

static void object_free(struct object *object)
{
    if (!object)
        return;
    forget_rules(object);
    dwarf_cfi_end(object->frames);
    elf_end(object->elf);
    if (object->file >= 0)
        close(object->file);
    free(object->parts);
    free(object);
}

void sample_unwinder_free(struct sample_unwinder *unwinder)
{
    if (!unwinder)
        return;
    for (size_t i = 0; i < unwinder->count; i++)
        object_free(unwinder->objects[i]);
    free(unwinder->objects);
    free(unwinder);
}

/* Open the code that the kernel maps into all processes, from this process. */
static Elf *open_vdso(void)
{
    unsigned long address = getauxval(AT_SYSINFO_EHDR);
    const char *image = NULL;
    Elf64_Ehdr head;

    if (!address)
        return NULL;
    memcpy(&image, &address, sizeof image);
    memcpy(&head, image, sizeof head);
    return elf_memory((char *)image,
                      head.e_shoff + (size_t)head.e_shnum * head.e_shentsize);
}

static void read_parts(struct object *object)
{
    size_t count = 0;

    if (elf_getphdrnum(object->elf, &count))
        return;
    object->parts = calloc(count + 1, sizeof *object->parts);
    for (size_t i = 0; object->parts && i < count; i++)
        if (gelf_getphdr(object->elf, (int)i, &object->parts[object->part_count]) &&
            object->parts[object->part_count].p_type == PT_LOAD)
            object->part_count++;
}

/* Open a file; an unreadable file has no unwind information. NULL: out of memory. */
static struct object *open_object(const char *path)
{
    struct object *object = calloc(1, sizeof *object);

    if (!object)
        return NULL;
    object->file = -1;
    if (strcmp(path, "[vdso]") == 0) {
        object->elf = open_vdso();
    } else if (*path == '/') {
        object->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (object->file >= 0)
            object->elf = elf_begin(object->file, ELF_C_READ_MMAP, NULL);
    }
    if (object->elf && elf_kind(object->elf) == ELF_K_ELF) {
        object->frames = dwarf_getcfi_elf(object->elf);
        read_parts(object);
    }
    return object;
}

/* The object with this index; NULL: out of memory. */
static struct object *find_object(struct sample_unwinder *unwinder,
                                  const struct sample_places *places, uint32_t index)
{
    while (unwinder->count <= index)
        if (!cca_array_add(&unwinder->objects, &unwinder->count,
                           sizeof *unwinder->objects))
            return NULL;
    if (!unwinder->objects[index])
        unwinder->objects[index] = open_object(places->objects[index]);
    return unwinder->objects[index];
}

/* --- Rules ---------------------------------------------------------------- */

/* Simplify an expression for a register's place or value. */
static struct way way_of(const Dwarf_Op *operations, size_t count)
{
    struct way way = {AT_EXPRESSION, 0, operations, count};
    size_t last = count ? operations[count - 1].atom : 0;
    int is_value = last == DW_OP_stack_value;

    if (!count)
        return (struct way){.how = operations ? UNKNOWN : SAME};
    way.operations -= (size_t)is_value;
    way.how = is_value ? IS_EXPRESSION : AT_EXPRESSION;
    if (way.operations == 1 && operations->atom == DW_OP_regx)
        return (struct way){.how = IN_REGISTER, .number = (int32_t)operations->number};
    if (way.operations == 1 && operations->atom >= DW_OP_reg0 &&
        operations->atom <= DW_OP_reg31)
        return (struct way){.how = IN_REGISTER, .number = operations->atom - DW_OP_reg0};
    if (operations->atom == DW_OP_call_frame_cfa &&
        (way.operations == 1 ||
         (way.operations == 2 && operations[1].atom == DW_OP_plus_uconst)))
        return (struct way){.how = is_value ? IS_CFA : AT_CFA,
                            .number =
                                way.operations == 2 ? (int32_t)operations[1].number : 0};
    return way;
}

/* Ask libdw for the rules at an address of the file. */
static void read_rules(const struct object *object, uint64_t address, struct rules *rules)
{
    Dwarf_Op *operations, memory[3];
    size_t count;
    bool is_signal = false;

    if (!object->frames || dwarf_cfi_addrframe(object->frames, address, &rules->frame)) {
        rules->frame = NULL;
        return;
    }
    dwarf_frame_info(rules->frame, NULL, NULL, &is_signal);
    rules->is_signal = is_signal;
    if (dwarf_frame_cfa(rules->frame, &operations, &count) || !count) {
        free(rules->frame);
        rules->frame = NULL;
        return;
    }
    rules->cfa = (struct way){IS_EXPRESSION, 0, operations, count};
    for (int i = 0; i < SAMPLE_REGISTERS; i++)
        if (dwarf_frame_register(rules->frame, i, memory, &operations, &count))
            rules->registers[i] = (struct way){.how = UNKNOWN};
        else
            rules->registers[i] = way_of(operations, count);
}

/* The address at which an offset of the file is loaded, as the file states it. */
static uint64_t address_of(const struct object *object, uint64_t offset)
{
    for (size_t i = 0; i < object->part_count; i++)
        if (offset - object->parts[i].p_offset < object->parts[i].p_filesz)
            return offset - object->parts[i].p_offset + object->parts[i].p_vaddr;
    return 0;
}

static int grow_slots(struct object *object)
{
    size_t count = object->slot_count ? 2 * object->slot_count : 64;
    struct rules **slots = calloc(count, sizeof *slots);

    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i < object->slot_count; i++) {
        struct rules *rules = object->slots[i];
        size_t at = rules ? rules->offset * UINT64_C(0x9e3779b97f4a7c15) >> 32 : 0;

        for (; rules && slots[at & (count - 1)]; at++)
            ;
        if (rules)
            slots[at & (count - 1)] = rules;
    }
    free(object->slots);
    object->slots = slots;
    object->slot_count = count;
    return 0;
}

/* The rules of the instruction at `offset`; NULL: out of memory. */
static const struct rules *find_rules(struct sample_unwinder *unwinder,
                                      struct object *object, uint64_t offset)
{
    size_t at = offset * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    struct rules *rules;

    if (unwinder->rule_count >= MOST_RULES) {
        for (size_t i = 0; i < unwinder->count; i++)
            if (unwinder->objects[i])
                forget_rules(unwinder->objects[i]);
        unwinder->rule_count = 0;
    }
    if (2 * object->rule_count >= object->slot_count && grow_slots(object))
        return NULL;
    for (;; at++) {
        rules = object->slots[at & (object->slot_count - 1)];
        if (!rules)
            break;
        if (rules->offset == offset)
            return rules;
    }
    rules = calloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    rules->offset = offset;
    read_rules(object, address_of(object, offset), rules);
    object->slots[at & (object->slot_count - 1)] = rules;
    object->rule_count++;
    unwinder->rule_count++;
    return rules;
}

/* --- Values --------------------------------------------------------------- */

/* A frame of the stack: registers, of which some may be unknown. */
struct machine {
    const struct sample_stack *stack;
    uint64_t registers[SAMPLE_REGISTERS], cfa;
    unsigned known; /* a bit for each register */
};

/* Read a word of the stack. Returns false if it was not copied. */
static int read_word(const struct sample_stack *stack, uint64_t address, uint64_t *word)
{
    uint64_t at = address - stack->base;

    if (stack->size < sizeof *word || at > stack->size - sizeof *word)
        return 0;
    memcpy(word, stack->bytes + at, sizeof *word);
    return 1;
}

static int read_register(const struct machine *machine, uint64_t number, uint64_t *value)
{
    if (number >= SAMPLE_REGISTERS || !(machine->known >> number & 1))
        return 0;
    *value = machine->registers[number];
    return 1;
}

/* Apply an operation of two values: the upper one is `b`. Returns false for others. */
static int apply(unsigned atom, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t left = (int64_t)a, right = (int64_t)b;

    switch (atom) {
    case DW_OP_plus:
        *result = a + b;
        return 1;
    case DW_OP_minus:
        *result = a - b;
        return 1;
    case DW_OP_mul:
        *result = a * b;
        return 1;
    case DW_OP_and:
        *result = a & b;
        return 1;
    case DW_OP_or:
        *result = a | b;
        return 1;
    case DW_OP_shl:
        *result = b < 64 ? a << b : 0;
        return 1;
    case DW_OP_shr:
        *result = b < 64 ? a >> b : 0;
        return 1;
    case DW_OP_ge:
        *result = left >= right;
        return 1;
    case DW_OP_gt:
        *result = left > right;
        return 1;
    case DW_OP_le:
        *result = left <= right;
        return 1;
    case DW_OP_lt:
        *result = left < right;
        return 1;
    case DW_OP_eq:
        *result = a == b;
        return 1;
    case DW_OP_ne:
        *result = a != b;
        return 1;
    default:
        return 0;
    }
}

/* Push the value of an operation without operands on the stack of values. Returns false
 * for others, or if the value is unknown. */
static int push_value(const struct machine *machine, const Dwarf_Op *operation,
                      uint64_t *value)
{
    unsigned atom = operation->atom;

    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        *value = atom - DW_OP_lit0;
    else if ((atom >= DW_OP_const1u && atom <= DW_OP_consts) || atom == DW_OP_addr)
        *value = operation->number;
    else if (atom == DW_OP_call_frame_cfa)
        *value = machine->cfa;
    else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        if (!read_register(machine, atom - DW_OP_breg0, value))
            return 0;
        *value += operation->number;
    } else if (atom == DW_OP_bregx) {
        if (!read_register(machine, operation->number, value))
            return 0;
        *value += operation->number2;
    } else {
        return 0;
    }
    return 1;
}

/* Evaluate an expression. Returns false if it was not understood, or needs a value that
 * is unknown. */
static int evaluate(const struct machine *machine, const struct way *way,
                    uint64_t *result)
{
    uint64_t values[MOST_VALUES];
    size_t count = 0;

    for (size_t i = 0; i < way->operations; i++) {
        const Dwarf_Op *operation = &way->expression[i];

        if (count < MOST_VALUES && push_value(machine, operation, &values[count])) {
            count++;
        } else if (operation->atom == DW_OP_plus_uconst && count) {
            values[count - 1] += operation->number;
        } else if (operation->atom == DW_OP_deref && count) {
            if (!read_word(machine->stack, values[count - 1], &values[count - 1]))
                return 0;
        } else if (count >= 2 && apply(operation->atom, values[count - 2],
                                       values[count - 1], &values[count - 2])) {
            count--;
        } else if (operation->atom != DW_OP_nop) {
            return 0;
        }
    }
    if (!count)
        return 0;
    *result = values[count - 1];
    return 1;
}

/* The caller's value of a register. Returns false if it is unknown. */
static int find_value(const struct machine *machine, const struct way *way, int number,
                      uint64_t *value)
{
    switch (way->how) {
    case SAME:
        return read_register(machine, (uint64_t)number, value);
    case AT_CFA:
        return read_word(machine->stack, machine->cfa + (uint64_t)(int64_t)way->number,
                         value);
    case IS_CFA:
        *value = machine->cfa + (uint64_t)(int64_t)way->number;
        return 1;
    case IN_REGISTER:
        return read_register(machine, (uint64_t)way->number, value);
    case AT_EXPRESSION:
        return evaluate(machine, way, value) && read_word(machine->stack, *value, value);
    case IS_EXPRESSION:
        return evaluate(machine, way, value);
    default:
        return 0;
    }
}

/* --- Steps ---------------------------------------------------------------- */

enum step { WENT, ENDED, LOST };

/* Go to the caller by rules. */
static enum step step_by_rules(struct machine *machine, const struct rules *rules)
{
    struct machine caller = {.stack = machine->stack};

    if (!evaluate(machine, &rules->cfa, &machine->cfa))
        return LOST;
    for (int i = 0; i < SAMPLE_REGISTERS; i++)
        if (find_value(machine, &rules->registers[i], i, &caller.registers[i]))
            caller.known |= 1U << i;
    if (!rules->is_signal && rules->registers[STACK_POINTER].how <= UNKNOWN) {
        caller.registers[STACK_POINTER] = machine->cfa;
        caller.known |= 1U << STACK_POINTER;
    }
    if (rules->registers[SAMPLE_PC].how == UNKNOWN)
        return ENDED;
    if (!(caller.known >> SAMPLE_PC & 1))
        return LOST;
    if (!rules->is_signal &&
        caller.registers[STACK_POINTER] <= machine->registers[STACK_POINTER])
        return LOST;
    *machine = caller;
    return machine->registers[SAMPLE_PC] ? WENT : ENDED;
}

/* True in the first code of a process, whose stack begins with the words of its command
 * line: their number, and the address of the first one. */
static int is_first(const struct machine *machine)
{
    uint64_t top = machine->registers[STACK_POINTER], count, word;

    return read_word(machine->stack, top, &count) && count < 1 << 20 &&
           read_word(machine->stack, top + sizeof count, &word) && word > top;
}

/* Go to the caller of code without unwind information: the frame pointer leads to the
 * caller's, above which is the return address. */
static enum step step_by_pointer(struct machine *machine)
{
    uint64_t frame, next, address;

    if (!read_register(machine, FRAME_POINTER, &frame))
        return LOST;
    if (!frame && is_first(machine))
        return ENDED;
    if (frame < machine->registers[STACK_POINTER] || frame % sizeof frame ||
        !read_word(machine->stack, frame, &next) ||
        !read_word(machine->stack, frame + sizeof frame, &address))
        return LOST;
    machine->registers[FRAME_POINTER] = next;
    machine->registers[STACK_POINTER] = frame + 2 * sizeof frame;
    machine->registers[SAMPLE_PC] = address;
    machine->known = 1U << FRAME_POINTER | 1U << STACK_POINTER | 1U << SAMPLE_PC;
    return address ? WENT : ENDED;
}

size_t sample_unwind(struct sample_unwinder *unwinder, struct sample_places *places,
                     int32_t pid, const struct sample_stack *stack,
                     const struct sample_back *back,
                     struct sample_frame frames[SAMPLE_MOST_FRAMES], int *is_whole)
{
    struct machine machine = {.stack = stack, .known = (1U << SAMPLE_REGISTERS) - 1};
    enum step step = WENT;
    size_t count = 0;
    int is_call = 0; /* true if the address is behind a call */

    memcpy(machine.registers, stack->registers, sizeof machine.registers);
    while (step == WENT && count < SAMPLE_MOST_FRAMES) {
        struct sample_event at = {
            .pid = pid, .address = machine.registers[SAMPLE_PC] - (uint64_t)is_call};
        struct sample_frame *frame = &frames[count];
        const struct rules *rules = NULL;
        struct object *object = NULL;

        *frame = (struct sample_frame){SAMPLE_NO_OBJECT, 0};
        if (sample_places_find(places, &at, &frame->object, &frame->offset))
            object = find_object(unwinder, places, frame->object);
        else if (count && machine.known != (1U << SAMPLE_REGISTERS) - 1 &&
                 frames[count - 1].object == SAMPLE_NO_OBJECT)
            break; /* two frames without a file: a chain of frame pointers has ended */
        count++;
        if (object)
            rules = find_rules(unwinder, object, frame->offset);
        is_call = !(rules && rules->frame && rules->is_signal);
        step = rules && rules->frame ? step_by_rules(&machine, rules)
                                     : step_by_pointer(&machine);
        if (step == WENT && machine.registers[SAMPLE_PC] - stack->stubs <
                                stack->stubs_end - stack->stubs) {
            machine.registers[SAMPLE_PC] =
                back->find(back->context, frame,
                           machine.registers[STACK_POINTER] - sizeof(uint64_t));
            step = machine.registers[SAMPLE_PC] ? WENT : LOST;
        }
    }
    *is_whole = step == ENDED;
    return count;
}

#else

const char *sample_unwinder_lacks(void)
{
    return "this build has no libdw";
}

struct sample_unwinder *sample_unwinder_new(void)
{
    return NULL;
}

void sample_unwinder_free(struct sample_unwinder *unwinder)
{
    (void)unwinder;
}

size_t sample_unwind(struct sample_unwinder *unwinder, struct sample_places *places,
                     int32_t pid, const struct sample_stack *stack,
                     const struct sample_back *back,
                     struct sample_frame frames[SAMPLE_MOST_FRAMES], int *is_whole)
{
    (void)unwinder, (void)places, (void)pid, (void)stack, (void)back, (void)frames;
    *is_whole = 0;
    return 0;
}

#endif
