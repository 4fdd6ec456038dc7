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
    MM_SLOTS = 32768,      /* largest number of open calls of all threads */
    MM_STUB_BYTES = 32,    /* bytes of a return stub */
    MM_STUB_DISTANCE = 28, /* offset in a stub of the 4 bytes with slot - stub */
    MM_RED_ZONE = 128,     /* bytes below the stack pointer that the function may use */
    /* bytes from an entry's number, which begins its code, to the end of its `call` */
    MM_NUMBER_BEFORE = 21,
    /* calls of a thread between two checks of the cost of recording */
    MM_WINDOW = 2048,
    MM_OFTEN = 64, /* a function with so many calls in a window is called often */
    /* most functions with suspended recording whose calls are counted */
    MM_COUNTERS = 256
};

struct mm_call_thread;

struct mm_slot {
    /* the original return address; at offset 0, where the stubs load it */
    uintptr_t back;
    /* stack position of the return address; NULL: the slot is free; __atomic */
    uintptr_t *place;
    struct monitor_frame *frame;
    uint64_t invocation;
    struct mm_entry *entry;
    /* next slot in the free list of the thread, or in the common one */
    struct mm_slot *next;
    struct mm_call_thread *owner; /* thread of the slot; NULL: the thread has ended */
    /* number of regions and other calls that were open at the beginning */
    unsigned depth;
};

_Static_assert(sizeof(struct mm_slot) == 64, "the stubs count on it");

struct mm_call_thread {
    struct mm_slot *free;
    /* stack position of the return address of the call that is being recorded; 0: none */
    uintptr_t busy;
    unsigned window; /* calls until the next check of the cost of recording */
    /* ticks of the budget for recording that were left when the window began, and the
     * time when it began */
    int64_t balance;
    uint64_t window_ticks;
    /* [mm_entry_count] calls of each function in this window; NULL: none yet */
    uint32_t *calls;
    uint64_t without; /* number of calls without a row because no slot was free */
    int64_t begin_ns,
        window_ns;     /* CPU time at the first call, and when the window began */
    uint64_t recorded; /* calls in earlier windows */
    uintptr_t stack_low, stack_high;
    /* `wait`: calls without a slot until the next search for free ones */
    unsigned wait, patience;
    int is_known, has_ended;
    struct mm_call_thread *next;
    /* for functions with suspended recording: `left`: calls until their cost is checked,
     * counted down; `given`: sum of its start values; `since`: ticks at the last check */
    int64_t left[MM_COUNTERS], given[MM_COUNTERS];
    uint64_t since[MM_COUNTERS];
};

/* The lock of slots.c, with signals blocked. */
struct mm_hold {
    sigset_t before;
    int number, cancel;
};

/* Registers of a call as the trampolines save them, from the lowest address on. */
struct mm_call_begun {
    uint64_t rbp, flags;
    uint64_t arguments[6]; /* integer arguments, in order */
    uint64_t r11, r10, rax;
    /* return address of the recorder's call in the trampoline */
    const unsigned char *trampoline;
    unsigned char red_zone[MM_RED_ZONE];
    uintptr_t back;
};

struct mm_call_ended {
    uint64_t rbp, flags, slot;
    uint64_t arguments[6], r11, r10, rax;
    uintptr_t back;
};

/* A call that an exception or a cancellation leaves: its return address, and the address
 * where the unwinder continues. */
struct mm_call_left {
    uintptr_t back, resume;
};

extern struct mm_slot mm_slots[MM_SLOTS] __attribute__((visibility("hidden")));
extern __thread struct mm_call_thread mm_call_here
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Code of stubs.c: the entry for trampolines, the first return stub, the landing pad. */
extern const char mm_call_enter[] __attribute__((visibility("hidden"))),
    mm_call_stubs[] __attribute__((visibility("hidden"))),
    mm_call_landing[] __attribute__((visibility("hidden")));

/* calls.c: begin and end of a call. These functions, and functions that they call
 * directly, use no vector register. */
void mm_call_begin(struct mm_call_begun *call);
void mm_call_end(struct mm_call_ended *call);

/* slots.c: functions for calls.c, which calls them through vectors.c. */

/* True if the mark "a call is being recorded" is stale, because longjmp has left that
 * call. `place` is the stack position of another call's return address. */
int mm_slots_settle(uintptr_t place);
/* Give free slots to the calling thread. */
void mm_slots_refill(uintptr_t stack);
/* Open the method of a function at its first call. */
void mm_slots_open(struct mm_entry *entry);

/* rests.c: functions that are called too often to be recorded. */

/* Ticks of a thread's time that allow it one more recorded call; 0: no clock of ticks. */
extern uint64_t mm_rests_ticks __attribute__((visibility("hidden")));
/* Check the cost of recording after a window of calls of the calling thread. */
void mm_rests_look(void);
/* Suspend a function that is called often, because the thread has no budget left. */
void mm_rests_suspend(struct mm_entry *entry);
/* Check the cost of counting the calls of a suspended function; called at such a call. */
void mm_rests_check(struct mm_entry *entry);
/* Called before the first call; before the first call of a thread; at the end of a
 * thread, with the lock of slots.c held. */
void mm_rests_prepare(void);
void mm_rests_begin(struct mm_call_thread *thread);
void mm_rests_leave(const struct mm_call_thread *thread);
/* Set the cost of a recorded call, and the clock. `ticks_per_ns` 0: there is none. */
void mm_rests_set_cost(double call_ns, double ticks_per_ns);

/* slots.c: close the call of a slot that an exception leaves; the landing pad calls this.
 * */
struct mm_call_left mm_call_leave(uint32_t slot);
/* Prepare the slots before the first call; `admit` as in struct mm_entry_calls. Returns 0
 * or a negative errno. */
int mm_slots_prepare(void (*admit)(struct mm_own *own));
/* Number of calls of all threads without a row because no slot was free. */
uint64_t mm_slots_without(void);
/* Take and release the lock of slots.c. */
void mm_slots_hold(struct mm_hold *hold);
void mm_slots_release(const struct mm_hold *hold);
/* The threads that have calls; the caller holds the lock of slots.c. */
const struct mm_call_thread *mm_slots_threads(void);
/* rests.c: report the functions whose recording is suspended. */
void mm_rests_report(void (*print)(void *context, const char *line), void *context);

#endif
