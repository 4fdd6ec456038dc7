/* SPDX-License-Identifier: BSD-3-Clause */
/* confined.c: a program that confines itself (seccomp) forbids system calls that the
 * recorder makes, and the kernel may end it at the next one. So recording ends, in order,
 * immediately before: prctl and syscall, by which the C library's users request that,
 * pass through this file. So does clone: a process that shares the memory and has no
 * thread-local storage of its own would use the recorder's data of its parent. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mastermind/preload/process/confined.h"
#include "proxies/interpose.h"

static void (*end_recording)(const char *why);

void mm_confined_call(void (*end)(const char *why))
{
    end_recording = end;
}

/* True for the arguments of prctl that confine the calling thread. */
static int is_prctl_confining(long option, long mode, long filter)
{
    return option == PR_SET_SECCOMP &&
           (mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter));
}

/* True for a system call that confines the calling thread. A filter at NULL asks whether
 * the kernel knows the operation. */
static int is_confining(long number, long a, long b, long c)
{
    if (number == SYS_seccomp)
        return (a == SECCOMP_SET_MODE_STRICT && !b && !c) ||
               (a == SECCOMP_SET_MODE_FILTER && c);
    return number == SYS_prctl && is_prctl_confining(a, b, c);
}

static void before_call(long number, long a, long b, long c)
{
    int saved = errno;

    if (end_recording && is_confining(number, a, b, c))
        end_recording(
            "the program confines itself by a filter of system calls (seccomp)");
    errno = saved;
}

#if defined(__x86_64__)
__attribute__((used, visibility("hidden"))) void mm_confined_before(long number, long a,
                                                                    long b, long c);
__attribute__((used, visibility("hidden"))) long mm_confined_failed(long result);

void mm_confined_before(long number, long a, long b, long c)
{
    before_call(number, a, b, c);
}

/* The end of a system call that has failed. */
long mm_confined_failed(long result)
{
    errno = (int)-result;
    return -1;
}

/* syscall as in the C library, in assembly: the system call may be one after which only
 * the registers are as before (fork, clone). Its number 317 is seccomp, 157 is prctl. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    cmp $317, %rdi\n"
        "    je 1f\n"
        "    cmp $157, %rdi\n"
        "    je 1f\n"
        "2:  mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmp $-4095, %rax\n"
        "    jae 3f\n"
        "    ret\n"
        "3:  mov %rax, %rdi\n"
        "    jmp mm_confined_failed\n"
        "1:  push %rdi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    push %rdx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    push %rcx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    push %r8\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    push %r9\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    sub $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    call mm_confined_before\n"
        "    add $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    pop %r9\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    pop %r8\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    pop %rcx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    pop %rdx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    jmp 2b\n"
        ".cfi_endproc\n"
        ".size syscall, . - syscall\n");
#endif

INTERPOSE_EXPORT int prctl(int option, ...)
{
    unsigned long words[4];
    va_list rest;

    va_start(rest, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(rest, unsigned long);
    va_end(rest);
    before_call(SYS_prctl, option, (long)words[0], (long)words[1]);
    return (int)syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]);
}

static int (*real_clone)(int (*)(void *), void *, int, void *, ...);

__attribute__((constructor(101))) static void find_clone(void)
{
    void *found = dlsym(RTLD_NEXT, "clone");

    memcpy(&real_clone, &found, sizeof found);
}

/* The child begins in `function` on its own stack, and does not return to this. */
INTERPOSE_EXPORT int clone(int (*function)(void *), void *stack, int flags,
                           void *argument, ...)
{
    int saved = errno;
    void *words[3];
    va_list rest;

    va_start(rest, argument);
    for (int i = 0; i < 3; i++)
        words[i] = va_arg(rest, void *);
    va_end(rest);
    if (end_recording && (flags & CLONE_VM) && !(flags & (CLONE_VFORK | CLONE_SETTLS)))
        end_recording("the program makes a process that shares its memory and its "
                      "thread-local storage (clone)");
    errno = saved;
    if (!real_clone) {
        errno = ENOSYS;
        return -1;
    }
    return real_clone(function, stack, flags, argument, words[0], words[1], words[2]);
}
