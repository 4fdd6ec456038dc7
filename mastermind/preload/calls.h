/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h: calls of patched functions, from the jump at their beginning to their return.
 * A call takes a slot of its thread, stores its return address there, and replaces the
 * return address on the stack by the address of the slot's return stub. So the recorder
 * keeps nothing on the stack, and calls may end in any order, as calls of coroutines do.
 * */
#ifndef MASTERMIND_PRELOAD_CALLS_H
#define MASTERMIND_PRELOAD_CALLS_H

#include <signal.h>
#include <stdint.h>

#include "mastermind/preload/entries.h"

enum {
    MM_SLOTS = 32768,   /* largest number of open calls of all threads */
    MM_STUB_BYTES = 32, /* bytes of a return stub */
    MM_PAD_BYTES = 4,   /* bytes of the `call` instruction in front of a return stub */
    MM_RED_ZONE = 128,  /* bytes below the stack pointer that the function may use */
    /* bytes of a trampoline's instruction, in front of the moved ones, that raises the
       stack pointer to the function's return address */
    MM_RAISE_BYTES = 8,
    /* calls of a thread between two checks of the cost of recording */
    MM_WINDOW = 2048,
    /* with this many calls in a window, a function counts as called often */
    MM_OFTEN = 64,
    /* largest number of functions whose calls are counted while their recording is
       suspended */
    MM_COUNTERS = 256
};

struct mm_call_thread;

struct mm_slot {
    /* the original return address of the call; at offset 0, where the stubs load it
     * from */
    uintptr_t back;
    /* position of the return address on the stack; NULL: the slot is free; access by
     * __atomic */
    uintptr_t *place;
    struct monitor_frame *frame;
    uint64_t invocation;
    struct mm_entry *entry;
    /* next slot in the free list of the thread, or in the free list of all threads */
    struct mm_slot *next;
    struct mm_call_thread *owner; /* thread of the slot; NULL: the thread has ended */
    /* number of the thread's open regions and instrumented functions when the call
     * began */
    unsigned depth;
};

_Static_assert(sizeof(struct mm_slot) == 64, "the stubs count on it");

struct mm_call_thread {
    struct mm_slot *free;
    /* stack position of the return address of the call that is being recorded; 0: none */
    uintptr_t busy;
    /* is_masked: true if signals are blocked until the call that is being recorded is
     * done; is_settling: true while mm_slots_settle runs, which does not prolong that */
    int is_masked, is_settling;
    unsigned window; /* calls until the next check of the cost of recording */
    /* ticks of the budget for recording that were left when the window began, and the
     * time when it began */
    int64_t balance;
    uint64_t window_ticks;
    /* [mm_entry_count] number of calls of each function in this window; NULL: no call
     * yet */
    uint32_t *calls;
    uint64_t without; /* number of calls without a row because no slot was free */
    int64_t begin_ns,
        window_ns; /* CPU time at the thread's first call, and at the window's start */
    uint64_t recorded; /* number of calls in earlier windows */
    uintptr_t stack_low, stack_high;
    /* `wait`: number of calls that get no slot before the next search for free slots */
    unsigned wait, patience;
    int is_known, has_ended;
    struct mm_call_thread *next;
    /* for each function whose recording is suspended: `left`: number of calls until the
     * cost of counting them is checked, counted down to 0; `given`: sum of all start
     * values of `left`; `since_ns`: CPU time at the last check */
    int64_t left[MM_COUNTERS], given[MM_COUNTERS], since_ns[MM_COUNTERS];
};

/* State of a thread before it took the lock of slots.c, for the release: its signal mask,
 * errno and cancellation state. */
struct mm_hold {
    sigset_t before;
    int number, cancel;
};

/* Registers at the start of a call, in the order in which the entry code saves them on
 * the stack; the lowest address is first. */
struct mm_call_begun {
    uint64_t rbp, flags;
    uint64_t arguments[6]; /* integer arguments, in order */
    uint64_t r11, r10, rax;
    uintptr_t way; /* where the entry code jumps: mm_call_plain, or in front of a stub */
    /* index of the entry; mm_call_begin replaces it by the address in the trampoline from
     * which the function goes on */
    uint64_t number;
    unsigned char red_zone[MM_RED_ZONE];
    uintptr_t back;
};

struct mm_call_ended {
    uint64_t rbp, flags, slot;
    uint64_t arguments[6], r11, r10, rax;
    uintptr_t back;
};

/* A call that an exception or a cancellation of the thread leaves: its return address,
 * and the address where the unwinder continues. */
struct mm_call_left {
    uintptr_t back, resume;
};

extern struct mm_slot mm_slots[MM_SLOTS] __attribute__((visibility("hidden")));
extern __thread struct mm_call_thread mm_call_here
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Code in stubs.c: the code to which trampolines jump, its end for calls that keep their
 * return address, the first return stub, and the landing pad for exceptions. */
extern const char mm_call_enter[] __attribute__((visibility("hidden"))),
    mm_call_plain[] __attribute__((visibility("hidden"))),
    mm_call_stubs[] __attribute__((visibility("hidden"))),
    mm_call_landing[] __attribute__((visibility("hidden")));

/* calls.c: begin and end of a call. These functions, and functions that they call
 * directly, use no vector register. */
void mm_call_begin(struct mm_call_begun *call);
void mm_call_end(struct mm_call_ended *call);

/* slots.c: functions for calls.c, which calls them through vectors.c. */

/* Clear the mark "a call is being recorded" if longjmp has left that call. `place` is the
 * stack position of a later call's return address. Returns 1 if the mark was cleared,
 * else 0. */
int mm_slots_settle(uintptr_t place);
/* Give free slots to the calling thread; `stack` is the stack position of its current
 * call. */
void mm_slots_refill(uintptr_t stack);
/* Make the recorder's method for a function, at its first call. */
void mm_slots_open(struct mm_entry *entry);

/* rests.c: functions that are called too often to be recorded. */

/* Time in ticks (of the processor's time stamp counter) that a thread must run for each
 * recorded call; 0: the counter cannot be used. */
extern uint64_t mm_rests_ticks __attribute__((visibility("hidden")));
/* Check the time that recording has cost the calling thread, after each window of
 * MM_WINDOW
 * calls. */
void mm_rests_look(void);
/* Suspend the recording of a function that is called often, because the thread's budget
 * for recording is spent. */
void mm_rests_suspend(struct mm_entry *entry);
/* Check the cost of counting the calls of a function whose recording is suspended. Called
 * at one of these calls. */
void mm_rests_check(struct mm_entry *entry);
/* `prepare` is called before the first call of the process, `begin` before the first call
 * of a thread, `leave` at the end of a thread, with the lock of slots.c held. */
void mm_rests_prepare(void);
void mm_rests_begin(struct mm_call_thread *thread);
void mm_rests_leave(const struct mm_call_thread *thread);
/* Set the cost of a recorded call, and the rate of the time stamp counter; `ticks_per_ns`
 * is 0 if it cannot be used. */
void mm_rests_set_cost(double call_ns, double ticks_per_ns);

/* slots.c: close the call of a slot that an exception leaves; the landing pad calls this.
 * */
struct mm_call_left mm_call_leave(uint32_t slot);
/* Prepare the slots before the first call; `admit` as in struct mm_entry_calls. Returns 0
 * or a negative errno. */
int mm_slots_prepare(void (*admit)(struct mm_own *own));
/* Forget the open calls; from now on the slots are not given back when a thread ends.
 * Makes no system call. */
void mm_slots_abandon(void);
/* Number of calls of all threads without a row because no slot was free, a signal handler
 * made them while a call was being recorded, or their thread was ending. */
uint64_t mm_slots_without(void);
/* Count a call without a row. */
void mm_slots_miss(void);
/* Take and release the lock of slots.c. */
void mm_slots_hold(struct mm_hold *hold);
void mm_slots_release(const struct mm_hold *hold);
/* Return the list of threads with recorded calls; the caller holds the lock of
 * slots.c. */
const struct mm_call_thread *mm_slots_threads(void);
/* rests.c: report the functions whose recording is suspended. */
void mm_rests_report(void (*print)(void *context, const char *line), void *context);
/* Pass each of these functions to `take`, with the number of its calls that were counted
 * alone; `is_least`: the counting has ended before its last call. */
void mm_rests_counts(void (*take)(const struct mm_own *own, uint64_t calls,
                                  int is_least));

#endif
