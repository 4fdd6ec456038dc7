/* SPDX-License-Identifier: BSD-3-Clause */
/* stubs.c: the code that a call of a patched function passes, and the unwind information
 * by which exceptions and debuggers find their way (x86-64 psABI).
 *
 * A trampoline jumps to this code with the stack pointer below the red zone. So the frame
 * address is 144 bytes higher: the entry's index (8), the red zone (128), and the
 * function's return address (8). A stub is
 *
 *     -4  call *-8(%rsp)
 *      0  push SLOT.back(%rip)
 *      6  movl $NUMBER, -16(%rsp)
 *     14  jmp mm_call_common
 *     20  .quad SLOT - STUB
 *
 * The processor predicts that a function returns behind the last `call` that has not
 * returned. So a call whose return address became a stub passes the `call` in front of
 * it, on the way back to the trampoline, and the stub leaves by `ret`: both returns are
 * predicted, which saves 20 cycles. The return address that this `call` pushes is not
 * used.
 *
 * One expression is the unwind information for all stubs and the `call` in front of each:
 * the start of the stub is the instruction pointer plus 4 with the low five bits cleared,
 * and the return address is in the stub's slot. */
#include "mastermind/preload/calls.h"

#if defined(__x86_64__)

#define SAVE                                                                             \
    "    push %r10\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %r11\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %r9\n"                                                                     \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %r8\n"                                                                     \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %rcx\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %rdx\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %rsi\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %rdi\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"

#define RESTORE                                                                          \
    "    pop %rdi\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %rsi\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %rdx\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %rcx\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %r8\n"                                                                      \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %r9\n"                                                                      \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %r11\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %r10\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    pop %rax\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"

/* the flags are saved, too: a caller may rely on the function not changing them */
#define CALL(function)                                                                   \
    "    lahf\n"                                                                         \
    "    seto %al\n"                                                                     \
    "    push %rax\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    "    push %rbp\n"                                                                    \
    ".cfi_adjust_cfa_offset 8\n"                                                         \
    ".cfi_rel_offset %rbp, 0\n"                                                          \
    "    mov %rsp, %rbp\n"                                                               \
    ".cfi_def_cfa_register %rbp\n"                                                       \
    "    and $-16, %rsp\n"                                                               \
    "    mov %rbp, %rdi\n"                                                               \
    "    call " function "\n"                                                            \
    "    mov %rbp, %rsp\n"                                                               \
    ".cfi_def_cfa_register %rsp\n"                                                       \
    "    pop %rbp\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    ".cfi_restore %rbp\n"                                                                \
    "    pop %rax\n"                                                                     \
    ".cfi_adjust_cfa_offset -8\n"                                                        \
    "    add $0x7f, %al\n"                                                               \
    "    sahf\n"

#define FUNCTION(name)                                                                   \
    ".p2align 4\n"                                                                       \
    ".globl " name "\n"                                                                  \
    ".hidden " name "\n"                                                                 \
    ".type " name ", @function\n" name ":\n"

__asm__(
    ".text\n" FUNCTION("mm_call_enter") ".cfi_startproc\n"
                                        ".cfi_def_cfa_offset 144\n"
                                        "    lea -8(%rsp), %rsp\n"
                                        ".cfi_adjust_cfa_offset 8\n"
                                        "    push %rax\n"
                                        ".cfi_adjust_cfa_offset 8\n" SAVE CALL(
                                            "mm_call_begin") RESTORE
    "    lea 16(%rsp), %rsp\n"
    ".cfi_adjust_cfa_offset -16\n"
    "    jmp *-16(%rsp)\n"
    ".cfi_endproc\n"
    ".size mm_call_enter, .-mm_call_enter\n"

    FUNCTION("mm_call_plain") ".cfi_startproc\n"
                              ".cfi_def_cfa_offset 136\n"
                              "    lea -8(%rsp), %rsp\n"
                              ".cfi_adjust_cfa_offset 8\n"
                              "    jmp *(%rsp)\n"
                              ".cfi_endproc\n"
                              ".size mm_call_plain, .-mm_call_plain\n"

    FUNCTION(
        "mm_call_common") ".cfi_startproc\n"
                          ".cfi_def_cfa_offset 8\n"
                          "    push %rax\n"
                          ".cfi_adjust_cfa_offset 8\n"
                          "    mov -8(%rsp), %eax\n" SAVE "    push %rax\n"
                          ".cfi_adjust_cfa_offset 8\n" CALL(
                              "mm_call_end") "    lea 8(%rsp), %rsp\n"
                                             ".cfi_adjust_cfa_offset -8\n" RESTORE
                                             "    ret\n"
                                             ".cfi_endproc\n"
                                             ".size mm_call_common, .-mm_call_common\n"

    /* On entry rax is the exception, rdx the slot, rsp the caller's stack pointer. The
     * unwinder continues as if the caller had called it. */
    FUNCTION("mm_call_landing") ".cfi_startproc\n"
                                ".cfi_def_cfa_offset 0\n"
                                "    lea -8(%rsp), %rsp\n"
                                ".cfi_adjust_cfa_offset 8\n"
                                "    push %rbp\n"
                                ".cfi_adjust_cfa_offset 8\n"
                                ".cfi_rel_offset %rbp, 0\n"
                                "    mov %rsp, %rbp\n"
                                ".cfi_def_cfa_register %rbp\n"
                                "    push %rax\n"
                                "    and $-16, %rsp\n"
                                "    mov %edx, %edi\n"
                                "    call mm_call_leave\n"
                                "    mov -8(%rbp), %rdi\n"
                                "    mov %rax, 8(%rbp)\n"
                                "    mov %rbp, %rsp\n"
                                ".cfi_def_cfa_register %rsp\n"
                                "    pop %rbp\n"
                                ".cfi_adjust_cfa_offset -8\n"
                                ".cfi_restore %rbp\n"
                                "    jmp *%rdx\n"
                                ".cfi_endproc\n"
                                ".size mm_call_landing, .-mm_call_landing\n"

                                /* An additional stub before the first one: unwinders look
                                 * up the address before the return address. */
                                ".section .text.mm_call_stubs, \"ax\", @progbits\n"
                                ".p2align 5\n"
                                ".cfi_startproc\n"
                                ".cfi_personality 0x1b, mm_call_unwind\n"
                                /* DW_CFA_def_cfa_expression: rsp + 8 * (rip % 32 != 0)
                                 * + 128 * (rip % 32 == 28) */
                                ".cfi_escape 0x0f, 20, 0x77, 0, 0x80, 0, 0x4f, 0x1a, "
                                "0x30, 0x2e, 0x33, 0x24, 0x22, 0x80, 0, 0x4f, 0x1a, "
                                "0x4c, 0x29, 0x37, 0x24, 0x22\n"
                                /* DW_CFA_val_expression of rip: *(stub + offset), where
                                 * stub is rip + 4 & -32, offset the 8 bytes at
                                 * stub + 20 */
                                ".cfi_escape 0x16, 0x10, 15, 0x80, 4, 0x09, 0xe0, 0x1a, "
                                "0x80, 4, 0x09, 0xe0, 0x1a, 0x23, 20, 0x06, 0x22, "
                                "0x06\n"
                                "    .skip 28, 0xcc\n"
                                "    .byte 0xff, 0x54, 0x24, 0xf8\n"
                                ".globl mm_call_stubs\n"
                                ".hidden mm_call_stubs\n"
                                ".type mm_call_stubs, @function\n"
                                "mm_call_stubs:\n"
                                ".set mm_number, 0\n"
                                ".rept 32768\n"
                                "    .byte 0xff, 0x35\n"
                                "    .long mm_slots + 64 * mm_number - (. + 4)\n"
                                "    .byte 0xc7, 0x44, 0x24, 0xf0\n"
                                "    .long mm_number\n"
                                "    .byte 0xe9\n"
                                "    .long mm_call_common - (. + 4)\n"
                                "    .skip 1, 0xcc\n"
                                "    .quad mm_slots + 64 * mm_number - (. - 20)\n"
                                "    .byte 0xff, 0x54, 0x24, 0xf8\n"
                                "    .set mm_number, mm_number + 1\n"
                                ".endr\n"
                                ".cfi_endproc\n"
                                ".size mm_call_stubs, .-mm_call_stubs\n"
                                ".text\n");

_Static_assert(MM_SLOTS == 32768 && MM_STUB_BYTES == 32 && MM_PAD_BYTES == 4 &&
                   sizeof(struct mm_slot) == 64,
               "numbers in the code above");
#endif
