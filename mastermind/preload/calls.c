/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c: begin and end of a call of a patched function. This code uses no vector
 * register: compilers keep values there across calls of functions whose code they know.
 * Functions that may use one are called through vectors.c. */
#include "mastermind/preload/calls.h"

#if defined(__x86_64__)

#include "mastermind/format/layout.h"

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
    return first_stub() + (uintptr_t)(slot - mm_slots) * MM_STUB_BYTES;
}

static inline int64_t value_at(const struct mm_place *place, uint64_t number)
{
    const void *there = (const void *)(uintptr_t)number;

    if (place->behind) {
        if (!there) /* the caller did not pass this optional argument */
            return MONITOR_ABSENT;
        number = place->size == 8   ? *(const uint64_t *)there
                 : place->size == 4 ? *(const uint32_t *)there
                 : place->size == 2 ? *(const uint16_t *)there
                                    : *(const uint8_t *)there;
    }
    if (place->size == 8)
        return (int64_t)number;
    /* the register's bits above `size` bytes are undefined */
    number <<= 64 - 8 * place->size;
    return place->is_signed ? (int64_t)number >> (64 - 8 * place->size)
                            : (int64_t)(number >> (64 - 8 * place->size));
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
        in[i].i = entry->places[i].in == MM_PLACE_ABSENT
                      ? MONITOR_ABSENT
                      : value_at(&entry->places[i], call->arguments[entry->places[i].in]);
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
static inline struct mm_slot *take_slot(struct mm_call_thread *t, uintptr_t stack)
{
    struct mm_slot *slot = t->free;

    if (unlikely(!slot)) {
        if (t->wait) {
            t->wait--;
            return NULL;
        }
        mm_slots_refill(stack);
        slot = t->free;
        if (!slot)
            return NULL;
    }
    t->free = slot->next;
    return slot;
}

/* Begin a call; the caller has marked the thread busy. */
static inline void begin(struct mm_call_thread *t, struct mm_entry *entry,
                         struct mm_call_begun *call)
{
    struct mm_slot *slot = slot_of(call->back);

    if (slot) {
        /* a tail call from another recorded function: the invocation of that function has
         * ended */
        end_row(slot);
        begin_row(slot, entry, call);
        return;
    }
    slot = take_slot(t, (uintptr_t)call);
    if (unlikely(!slot)) {
        t->without++;
        return;
    }
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

void mm_call_begin(struct mm_call_begun *call)
{
    struct mm_call_thread *t = &mm_call_here;
    struct monitor_method *method;
    struct mm_entry *entry;
    uint64_t number = call->number;

    entry = &mm_entries[number];
    call->number = entry->moved - MM_RAISE_BYTES;
    call->way = (uintptr_t)mm_call_plain;
    if (unlikely(mm_interpose_busy) && !(t->busy && (uintptr_t)&call->back >= t->busy &&
                                         mm_slots_settle((uintptr_t)&call->back)))
        return;
    method = __atomic_load_n(&entry->own->function.method, __ATOMIC_ACQUIRE);
    if (unlikely((method && !monitor_method_on(method)) || t->has_ended))
        return;
    t->busy = (uintptr_t)&call->back;
    mm_interpose_busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(!method)) {
        mm_slots_open(entry);
        method = entry->own->function.method;
    }
    if (t->calls && unlikely(!(++t->calls[number] % MM_OFTEN)) && entry->may_rest &&
        is_spent(t))
        mm_rests_suspend(entry);
    if (unlikely(!t->window--))
        mm_rests_look();
    if (unlikely(entry->counter >= 0))
        mm_rests_check(entry);
    else if (likely(method && monitor_method_on(method)))
        begin(t, entry, call);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mm_interpose_busy = 0;
    t->busy = 0;
}

void mm_call_end(struct mm_call_ended *call)
{
    struct mm_call_thread *t = &mm_call_here;
    struct mm_slot *slot = &mm_slots[(uint32_t)call->slot];

    if (slot->frame &&
        (!mm_interpose_busy || (t->busy && (uintptr_t)&call->back >= t->busy &&
                                mm_slots_settle((uintptr_t)&call->back)))) {
        t->busy = (uintptr_t)&call->back;
        mm_interpose_busy = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        end_row(slot);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        mm_interpose_busy = 0;
        t->busy = 0;
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
