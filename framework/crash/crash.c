/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c: read the stack of the thread that got a fatal signal, and find the component
 * at fault.
 *
 * The stack and the framework's lists may be damaged: a second fault ends the search, not
 * the program. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "framework/crash/crash.h"
#include "framework/crash/names.h"

/* Number of frames kept at both ends of a long stack, such as an endless recursion. */
enum { INNERMOST = 48, OUTERMOST = 80, MOST_FRAMES = 1000000 };

/* State of the search, which only one thread makes. */
static struct {
    int taken;
    pthread_t thread;
    sigjmp_buf end;
    struct cca_fault_frame innermost[INNERMOST],
        /* outermost frames of the stack, in a ring buffer */
        outermost[OUTERMOST];
    struct cca_fault_frame frames[INNERMOST + OUTERMOST]; /* in order */
    size_t count;                                         /* number of all frames */
    /* address of the fault: frames above it belong to the signal handler */
    uintptr_t code;
} look;

/* Read the address of the fault from the kernel's context; 0: unknown on this machine. */
static void read_context(const void *context, uintptr_t *code, uintptr_t *stack)
{
    const ucontext_t *user = context;

#if defined(__x86_64__)
    *code = (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
    *stack = (uintptr_t)user->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    *code = (uintptr_t)user->uc_mcontext.pc;
    *stack = (uintptr_t)user->uc_mcontext.sp;
#else
    (void)user;
    *code = *stack = 0;
#endif
}

static void keep_frame(struct cca_fault_frame frame)
{
    if (look.count < INNERMOST)
        look.innermost[look.count] = frame;
    else
        look.outermost[(look.count - INNERMOST) % OUTERMOST] = frame;
    look.count++;
}

/* Copy the innermost and the outermost frames of the stack to `frames`; returns their
 * number. */
static size_t put_in_order(void)
{
    size_t count = 0;
    size_t first =
        look.count > INNERMOST + OUTERMOST ? look.count - OUTERMOST : INNERMOST;

    for (size_t i = 0; i < look.count && i < INNERMOST; i++)
        look.frames[count++] = look.innermost[i];
    for (size_t i = first; i < look.count; i++)
        look.frames[count++] = look.outermost[(i - INNERMOST) % OUTERMOST];
    return count;
}

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *unused)
{
    int exact = 0;
    uintptr_t code = _Unwind_GetIPInfo(context, &exact);

    (void)unused;
    if (look.count == 0 && code != look.code)
        return _URC_NO_REASON;
    if (look.count == MOST_FRAMES)
        return _URC_END_OF_STACK;
    /* In all frames but the faulty one `code` is a return address, which may already
     * be in the next function. */
    keep_frame((struct cca_fault_frame){code - !exact, _Unwind_GetCFA(context),
                                        _Unwind_GetRegionStart(context)});
    return _URC_NO_REASON;
}

/* Add the caller's frame after a call through a wild pointer: there is no unwind data,
 * but the return address on top of the stack is in the caller. */
static void take_caller(uintptr_t stack)
{
#if defined(__x86_64__)
    uintptr_t code = 0;
    struct iovec here = {&code, sizeof code}, there = {(void *)stack, sizeof code};

    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof code &&
        code)
        keep_frame((struct cca_fault_frame){code - 1, stack, 0});
#else
    (void)stack;
#endif
}

/* Handle a second fault: end the search. In another thread, wait: the program ends
 * because of the first fault. */
static void give_up(int number)
{
    (void)number;
    if (pthread_equal(look.thread, pthread_self()))
        siglongjmp(look.end, 1);
    for (;;)
        pause();
}

void ccafe_crash_prepare(void)
{
    /* matches no frame: this call only makes the process load the unwinder */
    look.code = UINTPTR_MAX;
    _Unwind_Backtrace(take_frame, NULL);
}

void ccafe_crash_blame(const struct cca_framework *framework, const void *context,
                       char *text, size_t size)
{
    static const int faults[] = {SIGSEGV, SIGBUS};
    const struct sigaction guard = {.sa_handler = give_up,
                                    .sa_flags = SA_NODEFER | SA_ONSTACK};
    struct sigaction before[2];
    struct cca_fault fault = {.frames = look.frames,
                              .method = ccafe_name_of_method,
                              .function = ccafe_name_of_function};

    *text = '\0';
    if (!framework || __atomic_exchange_n(&look.taken, 1, __ATOMIC_SEQ_CST))
        return;
    look.thread = pthread_self();
    read_context(context, &look.code, &fault.stack);
    for (size_t i = 0; i < 2; i++)
        sigaction(faults[i], &guard, &before[i]);
    if (sigsetjmp(look.end, 1) == 0) {
        _Unwind_Backtrace(take_frame, NULL);
        if (look.count < 2)
            take_caller(fault.stack);
    }
    fault.count = put_in_order();
    if (sigsetjmp(look.end, 1) == 0) {
        cca_framework_blame(framework, &fault, text, size);
    } else {
        /* ports of the assembly may be damaged, too: search for the culprit without
         * them */
        for (size_t i = 0; i < fault.count; i++)
            look.frames[i].function = 0;
        fault.function = NULL;
        if (sigsetjmp(look.end, 1) == 0)
            cca_framework_blame(framework, &fault, text, size);
        else
            *text = '\0';
    }
    for (size_t i = 0; i < 2; i++)
        sigaction(faults[i], &before[i], NULL);
}
