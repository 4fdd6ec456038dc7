/* SPDX-License-Identifier: BSD-3-Clause */
/* entry_call.c: handle a call of a patched function from its jump to its return (x86-64
 * psABI).
 *
 * The frame here is between caller and function: the function returns to it, and its
 * unwind information lets exceptions, cancellation, longjmp and debuggers pass. The
 * function gets a copy of the arguments on the stack. */
#include "mastermind/preload/entries.h"

#if defined(__x86_64__)

#include <unwind.h>

#include "mastermind/preload/own.h"

/* Personality routine: the unwinder leaves the frame, so the call has ended. Then it
 * calls the program's personality routine for its own frames, if there is one. */
extern _Unwind_Word _Unwind_GetGR(struct _Unwind_Context *, int) __attribute__((weak));

_Unwind_Reason_Code
mm_entry_unwind(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                struct _Unwind_Exception *exception, struct _Unwind_Context *context)
    __attribute__((visibility("hidden"), used));

_Unwind_Reason_Code mm_entry_unwind(int version, _Unwind_Action actions,
                                    _Unwind_Exception_Class kind,
                                    struct _Unwind_Exception *exception,
                                    struct _Unwind_Context *context)
{
    enum { RBP = 6 };

    (void)version;
    (void)kind;
    (void)exception;
    if ((actions & _UA_CLEANUP_PHASE) && _Unwind_GetGR)
        mm_own_unwind((const void *)(_Unwind_GetGR(context, RBP) + 8));
    return _URC_CONTINUE_UNWIND;
}

/* Below rbp: 8 the function behind its jump, 16 free, 64 to 24 the integer registers in
 * order of arguments, 72 rax (vector registers of a call without prototype), 80 r10
 * (static chain), 208 to 96 xmm0 to xmm7. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl mm_entry_call\n"
        ".hidden mm_entry_call\n"
        ".type mm_entry_call, @function\n"
        "mm_entry_call:\n"
        ".cfi_startproc\n"
        ".cfi_personality 0x1b, mm_entry_unwind\n"
        "    endbr64\n"
        "    push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "    sub $208, %rsp\n"
        "    and $-16, %rsp\n" /* calls inside a file may leave rsp aligned to 8 bytes
                                * only */
        "    mov %rdi, -64(%rbp)\n"
        "    mov %rsi, -56(%rbp)\n"
        "    mov %rdx, -48(%rbp)\n"
        "    mov %rcx, -40(%rbp)\n"
        "    mov %r8, -32(%rbp)\n"
        "    mov %r9, -24(%rbp)\n"
        "    mov %rax, -72(%rbp)\n"
        "    mov %r10, -80(%rbp)\n"
        "    movups %xmm0, -208(%rbp)\n"
        "    movups %xmm1, -192(%rbp)\n"
        "    movups %xmm2, -176(%rbp)\n"
        "    movups %xmm3, -160(%rbp)\n"
        "    movups %xmm4, -144(%rbp)\n"
        "    movups %xmm5, -128(%rbp)\n"
        "    movups %xmm6, -112(%rbp)\n"
        "    movups %xmm7, -96(%rbp)\n"
        "    mov %r11d, %edi\n"
        "    lea -64(%rbp), %rsi\n"
        "    lea 8(%rbp), %rdx\n"
        "    call mm_entry_begin\n"
        "    mov %rdx, -8(%rbp)\n"
        "    mov %rax, %r11\n"
        "    sub %rax, %rsp\n"
        "    test %r11, %r11\n"
        "    jz 2f\n"
        "1:  movups (%rbp,%r11), %xmm0\n" /* copy from 16(%rbp) on, the last 16 bytes
                                           * first */
        "    movups %xmm0, -16(%rsp,%r11)\n"
        "    sub $16, %r11\n"
        "    jnz 1b\n"
        "2:  mov -64(%rbp), %rdi\n"
        "    mov -56(%rbp), %rsi\n"
        "    mov -48(%rbp), %rdx\n"
        "    mov -40(%rbp), %rcx\n"
        "    mov -32(%rbp), %r8\n"
        "    mov -24(%rbp), %r9\n"
        "    mov -72(%rbp), %rax\n"
        "    mov -80(%rbp), %r10\n"
        "    movups -208(%rbp), %xmm0\n"
        "    movups -192(%rbp), %xmm1\n"
        "    movups -176(%rbp), %xmm2\n"
        "    movups -160(%rbp), %xmm3\n"
        "    movups -144(%rbp), %xmm4\n"
        "    movups -128(%rbp), %xmm5\n"
        "    movups -112(%rbp), %xmm6\n"
        "    movups -96(%rbp), %xmm7\n"
        "    call *-8(%rbp)\n"
        "    lea -208(%rbp), %rsp\n"
        "    and $-16, %rsp\n"
        "    mov %rax, -72(%rbp)\n"
        "    mov %rdx, -48(%rbp)\n"
        "    movups %xmm0, -208(%rbp)\n"
        "    movups %xmm1, -192(%rbp)\n"
        "    lea 8(%rbp), %rdi\n"
        "    call mm_entry_end\n"
        "    mov -72(%rbp), %rax\n"
        "    mov -48(%rbp), %rdx\n"
        "    movups -208(%rbp), %xmm0\n"
        "    movups -192(%rbp), %xmm1\n"
        "    leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size mm_entry_call, .-mm_entry_call\n");
#endif
