/* SPDX-License-Identifier: BSD-3-Clause */
/* vectors.c: call functions that may use vector registers from code that must preserve
 * them: the processor's extended state is saved around the call, except the tile
 * registers. * The objects of the recorder's hot path and of calls.c are linked with
 * these in place of the functions (vectors.h). */
#include "mastermind/preload/vectors.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* 1: processor and operating system support xsave. */
int mm_vectors_xsave __attribute__((visibility("hidden"), used));

__attribute__((constructor(101))) static void find_xsave(void)
{
    unsigned a, b, c, d;

    mm_vectors_xsave = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

/* On entry rax is the function; its arguments are in registers. The state has at most
 * 2,688 bytes for x87, SSE, AVX and AVX-512 (mask 0xe7); its header, after the first 512
 * bytes, must be zero. */
__asm__(".text\n"
        ".p2align 4\n"
        ".type mm_vectors_keep, @function\n"
        "mm_vectors_keep:\n"
        ".cfi_startproc\n"
        "    push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "    mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "    sub $2752, %rsp\n"
        "    and $-64, %rsp\n"
        "    mov %rax, %r10\n"
        "    mov %rdx, %r11\n"
        "    cmpl $0, mm_vectors_xsave(%rip)\n"
        "    je 1f\n"
        "    xor %eax, %eax\n"
        "    mov %rax, 512(%rsp)\n"
        "    mov %rax, 520(%rsp)\n"
        "    mov %rax, 528(%rsp)\n"
        "    mov %rax, 536(%rsp)\n"
        "    mov %rax, 544(%rsp)\n"
        "    mov %rax, 552(%rsp)\n"
        "    mov %rax, 560(%rsp)\n"
        "    mov %rax, 568(%rsp)\n"
        "    xor %edx, %edx\n"
        "    mov $0xe7, %eax\n"
        "    xsave64 (%rsp)\n"
        "    mov %r11, %rdx\n"
        "    call *%r10\n"
        "    mov %rax, %r10\n"
        "    mov %rdx, %r11\n"
        "    xor %edx, %edx\n"
        "    mov $0xe7, %eax\n"
        "    xrstor64 (%rsp)\n"
        "    jmp 2f\n"
        "1:  fxsave64 (%rsp)\n"
        "    mov %r11, %rdx\n"
        "    call *%r10\n"
        "    mov %rax, %r10\n"
        "    mov %rdx, %r11\n"
        "    fxrstor64 (%rsp)\n"
        "2:  mov %r10, %rax\n"
        "    mov %r11, %rdx\n"
        "    leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size mm_vectors_keep, .-mm_vectors_keep\n");

#define KEPT(function)                                                                   \
    __asm__(".text\n"                                                                    \
            ".globl mm_kept_" #function "\n"                                             \
            ".hidden mm_kept_" #function "\n"                                            \
            ".type mm_kept_" #function ", @function\n"                                   \
            "mm_kept_" #function ":\n"                                                   \
            "    mov " #function "@GOTPCREL(%rip), %rax\n"                               \
            "    jmp mm_vectors_keep\n"                                                  \
            ".size mm_kept_" #function ", .-mm_kept_" #function "\n");

MM_KEPT_FUNCTIONS(KEPT)
#endif
