/* SPDX-License-Identifier: BSD-3-Clause */
/* instruction.h: addresses that an instruction of x86-64 refers to, decoded by Zydis. */
#ifndef MASTERMIND_DECODE_INSTRUCTION_H
#define MASTERMIND_DECODE_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

enum code_flow {
    CODE_NEXT,      /* goes on behind it */
    CODE_JUMP,      /* goes to `target` */
    CODE_BRANCH,    /* goes to `target`, or on */
    CODE_CALL,      /* of `target` */
    CODE_ELSEWHERE, /* a jump whose target is in a register or in memory */
    CODE_CALLS,     /* a call whose target is there */
    CODE_RETURNS,
    CODE_NEVER, /* does not go on: ud2, hlt */
    CODE_FIXED  /* may go to `target`, and has no form that goes further: loop, jrcxz */
};

enum code_base { CODE_BASE_OTHER, CODE_BASE_RSP, CODE_BASE_RBP };

struct code_instruction {
    unsigned char length;
    enum code_flow flow;
    uint64_t target;           /* of a direct jump or call */
    unsigned char condition;   /* of CODE_BRANCH: the low bits of its opcode */
    unsigned char relative_at; /* offset of the 4 bytes of an address relative to the
                                  instruction's end; 0: none */
    uint64_t relative;         /* that address */
    int takes_address;         /* lea: of `relative` */
    enum code_base base;       /* of an operand in memory without index */
    int64_t displacement;
    uint64_t number;   /* a number of 32 bits or more in it, sign-extended; 0: none */
    uint64_t absolute; /* a displacement of 32 bits, sign-extended; 0: none */
};

/* True where this build can decode. */
int code_can_decode(void);
/* Decode the instruction at `bytes`, of which there are `count`, at `address`. Its
 * length; 0: none. */
size_t code_instruction_read(const unsigned char *bytes, size_t count, uint64_t address,
                             struct code_instruction *instruction);

#endif
