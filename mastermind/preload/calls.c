/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c: begin and end of a call of a patched function. This code uses no vector
 * register: compilers keep values there across calls of functions whose code they know.
 * Functions that may use one are called through vectors.c. */
#include "mastermind/preload/calls.h"

#if defined(__x86_64__)

#include "mastermind/format/layout.h"
#include "mastermind/preload/vectors.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum { STUBS_BYTES = MM_SLOTS * MM_STUB_BYTES };

static inline uintptr_t first_stub(void)
{
    return (uintptr_t)mm_call_stubs;
}

/* Return the slot whose return stub is at the address `back`, or NULL. */
static inline struct mm_slot *slot_of(uintptr_t back)
{
    uintptr_t from = back - first_stub();

    return from < STUBS_BYTES ? &mm_slots[from / MM_STUB_BYTES] : NULL;
}

static inline uintptr_t stub_of(const struct mm_slot *slot)
{
    enum { RATIO = sizeof *slot / MM_STUB_BYTES };

    return first_stub() + ((uintptr_t)slot - (uintptr_t)mm_slots) / RATIO;
}

/* Load the integer at `address`, of the size of the place's values. */
static inline uint64_t load_behind(const struct mm_place *place, uint64_t address)
{
    const void *there = (const void *)(uintptr_t)address;

    switch (64 - place->shift) {
    case 64:
        return *(const uint64_t *)there;
    case 32:
        return *(const uint32_t *)there;
    case 16:
        return *(const uint16_t *)there;
    default:
        return *(const uint8_t *)there;
    }
}

static inline int64_t value_at(const struct mm_place *place,
                               const struct mm_call_begun *call)
{
    uint64_t number;

    if (unlikely(place->in == MM_PLACE_ABSENT))
        return MONITOR_ABSENT;
    number = call->arguments[place->in];
    if (unlikely(place->behind)) {
        if (!number) /* the caller did not pass this optional argument */
            return MONITOR_ABSENT;
        number = load_behind(place, number);
    }
    number <<= place->shift;
    return place->is_signed ? (int64_t)number >> place->shift
                            : (int64_t)(number >> place->shift);
}

/* True while the slot's invocation is open in this thread. */
static inline int is_open(const struct mm_slot *slot)
{
    const struct mm_frame *frame =
        (const struct mm_frame *)((uintptr_t)slot->frame & ~(uintptr_t)1);

    return frame && slot->owner == &mm_call_here &&
           frame->invocation == slot->invocation && frame->check;
}

static inline void end_row(struct mm_slot *slot)
{
    struct monitor_port *monitor = slot->entry->own->library.monitor;

    if (mm_own_depth > slot->depth)
        mm_own_depth = slot->depth;
    if (is_open(slot))
        monitor->end(monitor, slot->frame, NULL);
    slot->frame = NULL;
}

static inline void begin_row(struct mm_slot *slot, struct mm_entry *entry,
                             const struct mm_call_begun *call)
{
    struct mm_own *own = entry->own;
    union monitor_value in[MONITOR_MAX_IN];

    for (size_t i = 0; i < own->function.in_count; i++)
        in[i].i = value_at(&entry->places[i], call);
    slot->entry = entry;
    slot->depth = mm_own_depth;
    slot->frame = mm_recorder_begin_at(own->library.monitor, own->function.method, in,
                                       (uintptr_t)&call->back);
    if (slot->frame)
        slot->invocation =
            ((const struct mm_frame *)((uintptr_t)slot->frame & ~(uintptr_t)1))
                ->invocation;
}

/* Return a free slot of the thread, or NULL if there is none. */
static struct mm_slot *find_slot(struct mm_call_thread *t, uintptr_t stack)
{
    if (!t->free) {
        if (t->wait) {
            t->wait--;
            return NULL;
        }
        mm_slots_refill(stack);
    }
    return t->free;
}

/* Begin a call whose return address the stub of `slot`, a free one, replaces. */
static inline void begin_in(struct mm_slot *slot, struct mm_call_thread *t,
                            struct mm_entry *entry, struct mm_call_begun *call)
{
    t->free = slot->next;
    slot->back = call->back;
    slot->frame = NULL;
    slot->entry = entry;
    __atomic_store_n(&slot->place, &call->back, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    call->back = stub_of(slot);
    call->way = call->back - MM_PAD_BYTES;
    begin_row(slot, entry, call);
}

/* True if recording has cost the thread more time than its budget allows. */
static inline int is_spent(const struct mm_call_thread *t)
{
    return mm_rests_ticks &&
           (int64_t)(__builtin_ia32_rdtsc() - t->window_ticks) + t->balance <
               (int64_t)((MM_WINDOW - t->window) * mm_rests_ticks);
}

/* Count a call of the function in the thread's window. Its recording is suspended if it
 * is called often, and recording has cost too much. */
static inline void count(struct mm_call_thread *t, struct mm_entry *entry,
                         uint32_t *calls)
{
    if (unlikely(!(++*calls % MM_OFTEN)) && entry->may_rest && is_spent(t))
        mm_rests_suspend(entry);
}

/* Begin a call that is not a usual one; the caller has marked the thread busy. */
static __attribute__((noinline)) void
begin_any(struct mm_call_thread *t, struct mm_entry *entry, struct mm_call_begun *call)
{
    struct interpose_function *function = &entry->own->function;
    struct mm_slot *slot = slot_of(call->back);

    if (t->has_ended) {
        mm_slots_miss();
        return;
    }
    if (!function->method)
        mm_slots_open(entry);
    if (t->calls)
        count(t, entry, &t->calls[entry - mm_entries]);
    if (!t->window--)
        mm_rests_look();
    if (entry->counter >= 0) {
        mm_rests_check(entry);
        return;
    }
    if (!function->method || !monitor_method_on(function->method))
        return;
    if (slot) {
        /* a tail call from another recorded function: the invocation of that function has
         * ended */
        end_row(slot);
        begin_row(slot, entry, call);
        return;
    }
    slot = find_slot(t, (uintptr_t)call);
    if (slot)
        begin_in(slot, t, entry, call);
    else
        t->without++;
}

/* True if the thread, which is marked busy, is in no call any more, because longjmp has
 * left it. The mark is then cleared. */
static __attribute__((noinline)) int is_settled(struct mm_call_thread *t, uintptr_t place)
{
    int before = t->is_settling, settled;

    if (!t->busy || place < t->busy)
        return 0;
    t->is_settling = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    settled = mm_slots_settle(place);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->is_settling = before;
    return settled;
}

/* Count a call that is not recorded because a signal handler makes it while the thread
 * records another call. Calls that the recorder makes itself, of functions of patched
 * libraries, are not counted: it makes them on its own stack, or from its own code. */
static __attribute__((noinline)) void miss(const struct mm_call_thread *t, uintptr_t back)
{
    /* NOLINTNEXTLINE(bugprone-reserved-identifier): the linker calls it by this name */
    extern const char __ehdr_start[] __attribute__((visibility("hidden"))),
        etext[] __attribute__((visibility("hidden")));

    if (t->busy && !mm_vectors_own.is_used &&
        (back < (uintptr_t)__ehdr_start || back >= (uintptr_t)etext))
        mm_slots_miss();
}

/* The place is stored again because a handler may have come before the mark, and have
 * cleared it. */
static inline void set_busy(struct mm_call_thread *t, uintptr_t place)
{
    __atomic_store_n(&t->busy, place, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mm_interpose_busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t->busy, place, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void set_idle(struct mm_call_thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mm_interpose_busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    if (unlikely(t->is_masked))
        mm_vectors_unmask();
}

void mm_call_begin(struct mm_call_begun *call)
{
    struct mm_call_thread *t = &mm_call_here;
    uint64_t number = call->number;
    struct mm_entry *entry = &mm_entries[number];
    struct monitor_method *method;
    struct mm_slot *slot;
    uint32_t *calls;

    call->number = entry->moved - MM_RAISE_BYTES;
    call->way = (uintptr_t)mm_call_plain;
    if (unlikely(mm_interpose_busy) && !is_settled(t, (uintptr_t)&call->back)) {
        miss(t, call->back);
        return;
    }
    method = __atomic_load_n(&entry->own->function.method, __ATOMIC_ACQUIRE);
    if (unlikely(method && !monitor_method_on(method)))
        return;
    set_busy(t, (uintptr_t)&call->back);
    calls = t->calls;
    slot = t->free;
    if (likely(method && calls && slot && t->window && entry->counter < 0 &&
               !slot_of(call->back))) {
        t->window--;
        count(t, entry, &calls[number]);
        begin_in(slot, t, entry, call);
    } else {
        begin_any(t, entry, call);
    }
    set_idle(t);
}

void mm_call_end(struct mm_call_ended *call)
{
    struct mm_call_thread *t = &mm_call_here;
    struct mm_slot *slot = &mm_slots[(uint32_t)call->slot];

    if (slot->frame &&
        (likely(!mm_interpose_busy) || is_settled(t, (uintptr_t)&call->back))) {
        set_busy(t, (uintptr_t)&call->back);
        end_row(slot);
        set_idle(t);
    }
    slot->frame = NULL;
    if (!slot->owner)
        slot->owner = t;
    if (slot->owner == t) {
        slot->next = t->free;
        __atomic_store_n(&slot->place, NULL, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->free = slot;
    } else {
        /* a coroutine has moved to another thread: the slot's own thread frees it
         * later */
        __atomic_store_n(&slot->place, NULL, __ATOMIC_RELEASE);
    }
}
#endif
