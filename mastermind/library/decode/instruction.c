/* SPDX-License-Identifier: BSD-3-Clause */
/* instruction.c: decode one instruction. The decoder's list of operands is not used: the
 * fields of the encoding suffice, and operands would cost much time. */
#include "mastermind/library/decode/instruction.h"

#include <string.h>

#ifdef MM_ZYDIS
#include <Zydis/Zydis.h>

int code_can_decode(void)
{
    return 1;
}

static int has_prefix(const ZydisDecodedInstruction *z, unsigned char byte)
{
    for (unsigned i = 0; i < z->raw.prefix_count; i++)
        if (z->raw.prefixes[i].value == byte)
            return 1;
    return 0;
}

static enum code_flow flow_of(const ZydisDecodedInstruction *z)
{
    const int is_direct = z->raw.imm[0].is_relative;

    switch (z->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        return is_direct ? CODE_CALL : CODE_CALLS;
    case ZYDIS_CATEGORY_RET:
        return CODE_RETURNS;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return is_direct ? CODE_JUMP : CODE_ELSEWHERE;
    case ZYDIS_CATEGORY_COND_BR:
        return CODE_BRANCH;
    default:
        break;
    }
    if (is_direct) /* xbegin */
        return CODE_FIXED;
    return z->mnemonic == ZYDIS_MNEMONIC_UD2 || z->mnemonic == ZYDIS_MNEMONIC_HLT ||
                   z->mnemonic == ZYDIS_MNEMONIC_UD0 || z->mnemonic == ZYDIS_MNEMONIC_UD1
               ? CODE_NEVER
               : CODE_NEXT;
}

/* True for jumps that must not be moved, because they have no form with a 32-bit
 * distance, or because processors decode them differently. */
static int is_fixed(const ZydisDecodedInstruction *z)
{
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_JCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
    case ZYDIS_MNEMONIC_XBEGIN:
        return 1;
    default:
        return has_prefix(z, 0x66);
    }
}

static void read_flow(const ZydisDecodedInstruction *z, uint64_t end,
                      struct code_instruction *i)
{
    i->flow = flow_of(z);
    if (z->raw.imm[0].is_relative) {
        i->target = end + (uint64_t)z->raw.imm[0].value.s;
        i->condition = z->opcode & 15;
        if (is_fixed(z))
            i->flow = CODE_FIXED;
    }
}

static void read_memory(const ZydisDecodedInstruction *z, uint64_t end,
                        struct code_instruction *i)
{
    unsigned mod = z->raw.modrm.mod, rm = z->raw.modrm.rm;
    int high = z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || z->raw.rex.B;

    if (!(z->attributes & ZYDIS_ATTRIB_HAS_MODRM) || mod == 3)
        return;
    i->displacement = z->raw.disp.value;
    if (mod == 0 && rm == 5) {
        i->relative = end + (uint64_t)z->raw.disp.value;
        i->relative_at = z->raw.disp.offset;
        i->takes_address = z->mnemonic == ZYDIS_MNEMONIC_LEA;
        if (z->address_width != 64)
            i->flow = CODE_FIXED;
        return;
    }
    if (z->raw.disp.size == 32)
        i->absolute = (uint64_t)z->raw.disp.value;
    if (high)
        return;
    if (rm == 4 && z->raw.sib.index == 4 && !z->raw.rex.X) {
        if (z->raw.sib.base == 4)
            i->base = CODE_BASE_RSP;
        else if (z->raw.sib.base == 5 && mod)
            i->base = CODE_BASE_RBP;
    } else if (rm == 5) {
        i->base = CODE_BASE_RBP;
    }
}

size_t code_instruction_read(const unsigned char *bytes, size_t count, uint64_t address,
                             struct code_instruction *i)
{
    static ZydisDecoder decoder;
    static int is_ready;
    ZydisDecodedInstruction z;
    uint64_t end;

    memset(i, 0, sizeof *i);
    if (!is_ready)
        is_ready = ZYAN_SUCCESS(
            ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
    if (!is_ready ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, count, &z)))
        return 0;
    end = address + z.length;
    i->length = z.length;
    read_flow(&z, end, i);
    read_memory(&z, end, i);
    for (int k = 0; k < 2; k++)
        if (!z.raw.imm[k].is_relative && z.raw.imm[k].size >= 32)
            i->number = z.raw.imm[k].value.u;
    return i->length;
}

#else

int code_can_decode(void)
{
    return 0;
}

size_t code_instruction_read(const unsigned char *bytes, size_t count, uint64_t address,
                             struct code_instruction *i)
{
    (void)bytes;
    (void)count;
    (void)address;
    memset(i, 0, sizeof *i);
    return 0;
}
#endif
