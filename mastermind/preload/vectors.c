/* SPDX-License-Identifier: BSD-3-Clause */
/* vectors.c: call functions that may use vector registers from code that must preserve
 * them: the processor's extended state is saved around the call, except the tile
 * registers. In the object files of the recorder's hot path and of calls.c, the names of
 * these functions are replaced by the versions here (vectors.h). */
#include "mastermind/preload/vectors.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stddef.h>
#include <sys/mman.h>

#include "mastermind/preload/calls.h"

/* True if the processor and the operating system support the instruction xsave. */
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

__thread struct mm_own_stack mm_vectors_own __attribute__((used));

enum { STACK = 128 << 10, GUARD = 4096 };

/* All signals except faults of the recorder's own code: SIGILL, SIGTRAP, SIGABRT,
 * SIGBUS, SIGFPE, SIGSEGV, SIGSYS. */
static const uint64_t blocked __attribute__((used)) =
    ~((uint64_t)1 << 3 | (uint64_t)1 << 4 | (uint64_t)1 << 5 | (uint64_t)1 << 6 |
      (uint64_t)1 << 7 | (uint64_t)1 << 10 | (uint64_t)1 << 30);

void mm_vectors_settle(void)
{
    mm_vectors_own.is_used = 0;
}

void mm_vectors_done(void)
{
    if (mm_vectors_own.top && !mm_vectors_own.is_used) {
        munmap(mm_vectors_own.top - STACK - GUARD, STACK + GUARD);
        mm_vectors_own.top = NULL;
    }
}

/* Like mm_vectors_keep, but on the thread's own stack if that is free. The system calls
 * are mmap and mprotect, which make that stack, and rt_sigprocmask, which blocks signals
 * and admits them again once the program's stack is back in use. Signals that arrive
 * while a call of a patched function is recorded stay blocked until that is done
 * (is_masked), so that calls of their handlers are recorded. */
/* the previous signal mask, at the top of the stack */
__asm__(".text\n"
        ".p2align 4\n"
        ".type mm_vectors_aside, @function\n"
        "mm_vectors_aside:\n"
        ".cfi_startproc\n"
        "    mov mm_vectors_own@gottpoff(%rip), %r11\n"
        "    cmpq $0, %fs:8(%r11)\n"
        "    jne mm_vectors_keep\n"
        "    push %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "    mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "    push %rax\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rcx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    cmpq $0, %fs:(%r11)\n"
        "    jne 1f\n"
        "    mov $9, %eax\n"
        "    xor %edi, %edi\n"
        "    mov $135168, %esi\n"
        "    xor %edx, %edx\n"
        "    mov $0x24022, %r10d\n" /* MAP_PRIVATE | ANONYMOUS | NORESERVE | STACK */
        "    mov $-1, %r8\n"
        "    xor %r9d, %r9d\n"
        "    syscall\n"
        "    cmp $-4096, %rax\n"
        "    ja 3f\n"
        "    lea 4096(%rax), %rdi\n"
        "    mov $10, %eax\n"
        "    mov $131072, %esi\n"
        "    mov $3, %edx\n"
        "    syscall\n"
        "    test %rax, %rax\n"
        "    jne 3f\n"
        "    add $131072, %rdi\n"
        "    mov mm_vectors_own@gottpoff(%rip), %r11\n"
        "    mov %rdi, %fs:(%r11)\n"
        "1:  mov mm_call_here@gottpoff(%rip), %r11\n"
        "    cmpl $0, %fs:16(%r11)\n"
        "    jne 2f\n"
        "    mov mm_vectors_own@gottpoff(%rip), %r11\n"
        "    mov $14, %eax\n"
        "    xor %edi, %edi\n"
        "    lea blocked(%rip), %rsi\n"
        "    mov %fs:(%r11), %rdx\n"
        "    lea -64(%rdx), %rdx\n"
        "    mov $8, %r10d\n"
        "    syscall\n"
        "2:  mov -8(%rbp), %rax\n"
        "    mov -16(%rbp), %rdi\n"
        "    mov -24(%rbp), %rsi\n"
        "    mov -32(%rbp), %rdx\n"
        "    mov -40(%rbp), %rcx\n"
        "    mov -48(%rbp), %r8\n"
        "    mov -56(%rbp), %r9\n"
        "    mov mm_vectors_own@gottpoff(%rip), %r11\n"
        "    movq $1, %fs:8(%r11)\n"
        "    mov %fs:(%r11), %rsp\n"
        "    lea -64(%rsp), %rsp\n"
        "    call mm_vectors_keep\n"
        "    mov %rax, -8(%rbp)\n"
        "    mov %rdx, -32(%rbp)\n"
        "    lea -64(%rbp), %rsp\n"
        "    mov mm_vectors_own@gottpoff(%rip), %r11\n"
        "    movq $0, %fs:8(%r11)\n"
        "    mov mm_call_here@gottpoff(%rip), %r11\n"
        "    cmpl $0, %fs:20(%r11)\n"
        "    jne 4f\n"
        "    cmpq $0, %fs:8(%r11)\n"
        "    je 4f\n"
        "    movl $1, %fs:16(%r11)\n"
        "    jmp 5f\n"
        "4:  call mm_vectors_unmask\n"
        "5:  mov -8(%rbp), %rax\n"
        "    mov -32(%rbp), %rdx\n"
        "    leave\n"
        ".cfi_remember_state\n"
        ".cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        ".cfi_restore_state\n"
        "3:  mov -8(%rbp), %rax\n"
        "    mov -16(%rbp), %rdi\n"
        "    mov -24(%rbp), %rsi\n"
        "    mov -32(%rbp), %rdx\n"
        "    mov -40(%rbp), %rcx\n"
        "    mov -48(%rbp), %r8\n"
        "    mov -56(%rbp), %r9\n"
        "    leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "    jmp mm_vectors_keep\n"
        ".cfi_endproc\n"
        ".size mm_vectors_aside, .-mm_vectors_aside\n"

        ".p2align 4\n"
        ".globl mm_vectors_unmask\n"
        ".hidden mm_vectors_unmask\n"
        ".type mm_vectors_unmask, @function\n"
        "mm_vectors_unmask:\n"
        ".cfi_startproc\n"
        "    mov mm_call_here@gottpoff(%rip), %r11\n"
        "    movl $0, %fs:16(%r11)\n"
        "    mov mm_vectors_own@gottpoff(%rip), %r11\n"
        "    mov %fs:(%r11), %rsi\n"
        "    lea -64(%rsi), %rsi\n"
        "    mov $14, %eax\n"
        "    mov $2, %edi\n"
        "    xor %edx, %edx\n"
        "    mov $8, %r10d\n"
        "    syscall\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size mm_vectors_unmask, .-mm_vectors_unmask\n");

_Static_assert(STACK == 131072 && STACK + GUARD == 135168 &&
                   offsetof(struct mm_own_stack, is_used) == 8 &&
                   offsetof(struct mm_call_thread, busy) == 8 &&
                   offsetof(struct mm_call_thread, is_masked) == 16 &&
                   offsetof(struct mm_call_thread, is_settling) == 20,
               "numbers in the code above");

#define KEPT(function, way)                                                              \
    __asm__(".text\n"                                                                    \
            ".globl mm_kept_" #function "\n"                                             \
            ".hidden mm_kept_" #function "\n"                                            \
            ".type mm_kept_" #function ", @function\n"                                   \
            "mm_kept_" #function ":\n"                                                   \
            "    mov " #function "@GOTPCREL(%rip), %rax\n"                               \
            "    jmp " way "\n"                                                          \
            ".size mm_kept_" #function ", .-mm_kept_" #function "\n");
#define KEPT_HERE(function) KEPT(function, "mm_vectors_keep")
#define KEPT_ASIDE(function) KEPT(function, "mm_vectors_aside")

MM_KEPT_HERE(KEPT_HERE)
MM_KEPT_ASIDE(KEPT_ASIDE)
#endif
