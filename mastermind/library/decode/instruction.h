/* SPDX-License-Identifier: BSD-3-Clause */
/* instruction.h: the control flow of an x86-64 instruction and the addresses that it
 * refers to, decoded by Zydis. */
#ifndef MASTERMIND_DECODE_INSTRUCTION_H
#define MASTERMIND_DECODE_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

enum code_flow {
    CODE_NEXT,      /* the program continues with the next instruction */
    CODE_JUMP,      /* an unconditional jump to `target` */
    CODE_BRANCH,    /* a conditional jump to `target` */
    CODE_CALL,      /* a call of `target` */
    CODE_ELSEWHERE, /* a jump to an address in a register or in memory */
    CODE_CALLS,     /* a call of an address in a register or in memory */
    CODE_RETURNS,
    CODE_NEVER, /* an instruction that ends the program (ud2, hlt) */
    /* a conditional jump to `target` without a form for far targets: loop, jrcxz */
    CODE_FIXED
};

enum code_base { CODE_BASE_OTHER, CODE_BASE_RSP, CODE_BASE_RBP };

struct code_instruction {
    unsigned char length;
    enum code_flow flow;
    uint64_t target; /* target of a direct jump or call */
    /* for CODE_BRANCH: the low bits of the opcode, which are the condition */
    unsigned char condition;
    /* offset of the 4 bytes that hold an address relative to the instruction's end; 0:
     * none */
    unsigned char relative_at;
    /* the address that is encoded relative to the instruction */
    uint64_t relative;
    /* true for an lea instruction, which takes the address `relative` */
    int takes_address;
    /* base register of a memory operand that has no index register */
    enum code_base base;
    int64_t displacement;
    /* an immediate operand of 32 bits or more, sign-extended; 0: none */
    uint64_t number;
    uint64_t absolute; /* a 32-bit displacement, sign-extended; 0: none */
};

/* True if this build contains the decoder Zydis. */
int code_can_decode(void);
/* Decode the instruction at `bytes` [count], which is loaded at `address`. Returns its
 * length; 0: not decodable. */
size_t code_instruction_read(const unsigned char *bytes, size_t count, uint64_t address,
                             struct code_instruction *instruction);

#endif
