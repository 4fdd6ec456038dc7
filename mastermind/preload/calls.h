/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h: calls of patched functions, from the jump at their beginning to their return.
 *
 * A call takes a slot of its thread, keeps its return address there and puts the address
 * of the slot's own return stub in its place. So nothing of ours stays on the stack, and
 * calls may end in any order, as calls of coroutines do. */
#ifndef MASTERMIND_PRELOAD_CALLS_H
#define MASTERMIND_PRELOAD_CALLS_H

#include <stdint.h>

#include "mastermind/preload/entries.h"

enum {
    MM_SLOTS = 32768,      /* calls that are open at one time, of all threads */
    MM_STUB_BYTES = 32,    /* of a return stub */
    MM_STUB_DISTANCE = 28, /* in it, four bytes: from the stub to its slot */
    MM_RED_ZONE = 128,     /* below the stack pointer, the function's own */
    MM_NUMBER_BEFORE = 21, /* from an entry's number to where the recorder returns */
    MM_WINDOW = 2048,      /* calls of a thread between two looks at their cost */
    MM_COUNTERS = 256      /* functions that rest and are counted */
};

struct mm_call_thread;

struct mm_slot {
    uintptr_t back;   /* the return address; at offset 0 for the stubs */
    uintptr_t *place; /* where it was; NULL: the slot is free; __atomic */
    struct monitor_frame *frame;
    uint64_t invocation;
    struct mm_entry *entry;
    struct mm_slot *next;         /* of the free ones of a thread, or of all */
    struct mm_call_thread *owner; /* NULL: of a thread that has ended */
    unsigned depth;               /* regions and other calls that were open */
};

_Static_assert(sizeof(struct mm_slot) == 64, "the stubs count on it");

struct mm_call_thread {
    struct mm_slot *free;
    uintptr_t busy;   /* where the return address of the call is that is being recorded */
    unsigned window;  /* calls to the next look */
    uint32_t *calls;  /* [mm_entry_count] in this window; NULL: none */
    uint64_t without; /* calls without a row for want of a slot */
    int64_t window_ns; /* CPU time of the thread when the window began */
    uintptr_t stack_low, stack_high;
    unsigned wait, patience; /* calls without a slot before the next search for one */
    int is_known, has_ended;
    struct mm_call_thread *next;
    uint64_t counts[MM_COUNTERS];
};

/* Registers of a call as the code below saves them, from the lowest address on. */
struct mm_call_begun {
    uint64_t rbp, flags;
    uint64_t arguments[6]; /* integers, in order */
    uint64_t r11, r10, rax;
    const unsigned char *trampoline; /* behind the call of the recorder */
    unsigned char red_zone[MM_RED_ZONE];
    uintptr_t back;
};

struct mm_call_ended {
    uint64_t rbp, flags, slot;
    uint64_t arguments[6], r11, r10, rax;
    uintptr_t back;
};

/* A call that an exception or a cancellation leaves: its return address, and where the
 * unwinder goes on. */
struct mm_call_left {
    uintptr_t back, resume;
};

extern struct mm_slot mm_slots[MM_SLOTS] __attribute__((visibility("hidden")));
extern __thread struct mm_call_thread mm_call_here
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* stubs.c, code: where trampolines call the recorder, the first stub, the landing pad. */
extern const char mm_call_enter[] __attribute__((visibility("hidden"))),
    mm_call_stubs[] __attribute__((visibility("hidden"))),
    mm_call_landing[] __attribute__((visibility("hidden")));

/* calls.c: a call begins, and has returned. They touch no vector register,
 * nor do functions that they call directly. */
void mm_call_begin(struct mm_call_begun *call);
void mm_call_end(struct mm_call_ended *call);

/* slots.c, for calls.c, which reaches them by vectors.c. */

/* True where the mark that a call is being recorded is stale: longjmp has left it.
 * `place` is that of another call's return address. */
int mm_slots_settle(uintptr_t place);
/* Give the calling thread free slots. */
void mm_slots_refill(uintptr_t stack);
/* The function is called for the first time. */
void mm_slots_open(struct mm_entry *entry);
/* A window of the calling thread has ended. */
void mm_slots_look(void);

/* slots.c: the slot's call is left; called by the landing pad. */
struct mm_call_left mm_call_leave(uint32_t slot);
/* Before the first call, with all entries known. 0 or a negative errno. */
int mm_slots_prepare(void);
/* Calls without a row for want of a slot, by all threads. */
uint64_t mm_slots_without(void);
/* Calls of a function that rests, by all threads. */
uint64_t mm_slots_counted(int counter);
/* Report functions that rest. */
void mm_slots_report(void (*print)(void *context, const char *line), void *context);

#endif
