/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.c: the slow paths for the slots of calls: a thread takes further slots, longjmp
 * or an exception leaves a call, a thread ends. */
#include "mastermind/preload/calls.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include "mastermind/preload/vectors.h"

enum {
    SUPPLY = 64, /* number of slots that a thread takes at once */
    /* number of calls without a slot before the next search for free ones */
    PATIENCE = 4096,
};

struct mm_slot mm_slots[MM_SLOTS];
__thread struct mm_call_thread mm_call_here;

/* Shared state; access needs the lock, with signals blocked. */
static struct {
    pthread_mutex_t lock;
    struct mm_slot *free; /* free slots that belong to no thread */
    unsigned used;        /* number of slots of mm_slots that were ever used */
    struct mm_call_thread *threads;
    /* number of calls without a row that `without` of no living thread counts; access by
     * __atomic */
    uint64_t without;
    pthread_key_t key;
    int has_key;
    int is_abandoned;
    void (*admit)(struct mm_own *own);
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Cancellation is disabled, too: the lock's holder may open files, where a cancellation
 * would take effect. */
void mm_slots_hold(struct mm_hold *hold)
{
    sigset_t every;

    hold->number = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &hold->cancel);
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &hold->before);
    pthread_mutex_lock(&all.lock);
}

void mm_slots_release(const struct mm_hold *hold)
{
    pthread_mutex_unlock(&all.lock);
    pthread_sigmask(SIG_SETMASK, &hold->before, NULL);
    pthread_setcancelstate(hold->cancel, NULL);
    errno = hold->number;
}

/* --- Stacks --------------------------------------------------------------- */

/* True if `address` lies on the thread's own stack. If the bounds are unknown they become
 * the empty range [1, 1). */
static int is_own_stack(struct mm_call_thread *t, uintptr_t address)
{
    if (!t->stack_high && mm_stack_bounds(&t->stack_low, &t->stack_high))
        t->stack_low = t->stack_high = 1;
    return address >= t->stack_low && address < t->stack_high;
}

static int is_on_own_stack(struct mm_call_thread *t, uintptr_t address)
{
    return is_own_stack(t, address) && !mm_stack_is_alternate(address);
}

int mm_slots_settle(uintptr_t place)
{
    struct mm_call_thread *t = &mm_call_here;

    if (!is_on_own_stack(t, place) || !is_own_stack(t, t->busy))
        return 0;
    mm_vectors_settle();
    t->is_masked = 0;
    mm_interpose_busy = 0;
    t->busy = 0;
    return 1;
}

/* --- Supply --------------------------------------------------------------- */

static uintptr_t stub_of(const struct mm_slot *slot)
{
    return (uintptr_t)mm_call_stubs + (uintptr_t)(slot - mm_slots) * MM_STUB_BYTES;
}

static void make_free(struct mm_call_thread *t, struct mm_slot *slot)
{
    __atomic_store_n(&slot->place, NULL, __ATOMIC_RELAXED);
    slot->frame = NULL;
    slot->next = t->free;
    t->free = slot;
}

/* True if no call can return through the slot's stub any more. The thread's own stack is
 * empty below `stack`; another stack may have been freed. */
static int is_dead(struct mm_call_thread *t, const struct mm_slot *slot, uintptr_t stack)
{
    uintptr_t place = (uintptr_t)__atomic_load_n(&slot->place, __ATOMIC_ACQUIRE), back;
    struct iovec here = {&back, sizeof back}, there = {(void *)place, sizeof back};

    if (!place)
        return 1;
    if (is_own_stack(t, place))
        return (place < stack && is_on_own_stack(t, stack)) ||
               (place >= stack && *slot->place != stub_of(slot));
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof back)
        return back != stub_of(slot);
    return errno == EFAULT;
}

/* Free the thread's slots whose calls will never return through them, because
 * longjmp has left the call, or a coroutine has returned in another thread. */
static void reclaim(struct mm_call_thread *t, uintptr_t stack)
{
    unsigned found = 0;

    for (unsigned i = 0; i < all.used; i++) {
        struct mm_slot *slot = &mm_slots[i];

        if (slot->owner == t && is_dead(t, slot, stack)) {
            make_free(t, slot);
            found++;
        }
    }
    t->patience = found < SUPPLY ? 2 * t->patience + PATIENCE : 0;
    t->wait = t->patience;
}

static void take_supply(struct mm_call_thread *t)
{
    for (int i = 0; i < SUPPLY; i++) {
        struct mm_slot *slot = all.free;

        if (slot)
            all.free = slot->next;
        else if (all.used < MM_SLOTS)
            slot = &mm_slots[all.used++];
        else
            return;
        slot->owner = t;
        make_free(t, slot);
    }
}

static void know(struct mm_call_thread *t)
{
    void *memory;

    t->is_known = 1;
    if (all.has_key && pthread_setspecific(all.key, t)) {
        /* a thread without a destructor would never give its slots back */
        t->has_ended = 1;
        return;
    }
    memory = mmap(NULL, mm_entry_count * sizeof *t->calls, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    t->calls = memory == MAP_FAILED ? NULL : memory;
    mm_rests_begin(t);
}

void mm_slots_refill(uintptr_t stack)
{
    struct mm_call_thread *t = &mm_call_here;
    int is_new = !t->is_known;
    struct mm_hold held;

    if (is_new)
        know(t);
    mm_slots_hold(&held);
    if (is_new) {
        t->next = all.threads;
        all.threads = t;
    }
    if (!t->has_ended)
        take_supply(t);
    if (!t->free && !t->has_ended)
        reclaim(t, stack);
    mm_slots_release(&held);
}

void mm_slots_open(struct mm_entry *entry)
{
    struct mm_hold held;

    mm_slots_hold(&held);
    if (!entry->own->function.method)
        all.admit(entry->own);
    mm_slots_release(&held);
}

/* --- The end of a thread -------------------------------------------------- */

static void give_back(struct mm_call_thread *t)
{
    struct mm_call_thread **link = &all.threads;

    while (*link && *link != t)
        link = &(*link)->next;
    if (*link)
        *link = t->next;
    __atomic_fetch_add(&all.without, t->without, __ATOMIC_RELAXED);
    t->without = 0;
    mm_rests_leave(t);
    t->free = NULL;
    for (unsigned i = 0; i < all.used; i++) {
        struct mm_slot *slot = &mm_slots[i];

        if (slot->owner != t)
            continue;
        slot->frame = NULL;
        slot->owner = NULL;
        if (!slot->place || is_own_stack(t, (uintptr_t)slot->place)) {
            slot->place = NULL;
            slot->next = all.free;
            all.free = slot;
        } /* else the slot stays in use: a coroutine may return through it in another
             thread */
    }
}

static void thread_ends(void *thread)
{
    struct mm_call_thread *t = thread;
    int busy = mm_interpose_busy;
    struct mm_hold held;

    if (all.is_abandoned)
        return;
    t->busy = UINTPTR_MAX; /* an address that no call of a handler has: it is counted */
    mm_interpose_busy = 1;
    t->has_ended = 1;
    mm_slots_hold(&held);
    give_back(t);
    mm_slots_release(&held);
    if (t->calls)
        munmap(t->calls, mm_entry_count * sizeof *t->calls);
    t->calls = NULL;
    mm_vectors_done();
    mm_interpose_busy = busy;
    t->busy = 0;
}

void mm_slots_abandon(void)
{
    all.is_abandoned = 1;
    for (unsigned i = 0; i < all.used; i++)
        mm_slots[i].frame = NULL;
}

/* Handler after fork: the child has only the thread that called fork. */
static void child_of_fork(void)
{
    pthread_mutex_init(&all.lock, NULL);
    all.threads = NULL;
}

const struct mm_call_thread *mm_slots_threads(void)
{
    return all.threads;
}

void mm_slots_miss(void)
{
    __atomic_fetch_add(&all.without, 1, __ATOMIC_RELAXED);
}

uint64_t mm_slots_without(void)
{
    uint64_t sum;
    struct mm_hold held;

    mm_slots_hold(&held);
    sum = __atomic_load_n(&all.without, __ATOMIC_RELAXED);
    for (const struct mm_call_thread *t = all.threads; t; t = t->next)
        sum += t->without;
    mm_slots_release(&held);
    return sum;
}

int mm_slots_prepare(void (*admit)(struct mm_own *own))
{
    /* keys up to this number need no allocation in the C library */
    enum { EASY_KEYS = 32 };

    if (pthread_key_create(&all.key, thread_ends) || all.key >= EASY_KEYS)
        return -EAGAIN;
    all.has_key = 1;
    all.admit = admit;
    pthread_atfork(NULL, NULL, child_of_fork);
    mm_rests_prepare();
    return 0;
}

/* --- Exceptions ----------------------------------------------------------- */

/* The unwinder that the program's own libraries use; it may be loaded at any time. */
static struct {
    _Unwind_Word (*get_ip)(struct _Unwind_Context *);
    void (*set_register)(struct _Unwind_Context *, int, _Unwind_Word);
    void (*set_ip)(struct _Unwind_Context *, _Unwind_Ptr);
    uintptr_t resume;
} unwinder;

static void *symbol_of(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;

    return found ? found : dlsym(RTLD_DEFAULT, name);
}

static int find_unwinder(const void *caller)
{
    Dl_info about;
    void *library = NULL, *found;

    if (unwinder.resume)
        return 0;
    if (dladdr(caller, &about) && about.dli_fname)
        library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    found = symbol_of(library, "_Unwind_GetIP");
    memcpy(&unwinder.get_ip, &found, sizeof found);
    found = symbol_of(library, "_Unwind_SetGR");
    memcpy(&unwinder.set_register, &found, sizeof found);
    found = symbol_of(library, "_Unwind_SetIP");
    memcpy(&unwinder.set_ip, &found, sizeof found);
    found = symbol_of(library, "_Unwind_Resume");
    if (!unwinder.get_ip || !unwinder.set_register || !unwinder.set_ip || !found)
        return -ENOENT;
    memcpy(&unwinder.resume, &found, sizeof found);
    return 0;
}

struct mm_call_left mm_call_leave(uint32_t number)
{
    struct mm_call_thread *t = &mm_call_here;
    struct mm_slot *slot = &mm_slots[number];
    struct mm_call_left left = {slot->back, unwinder.resume};

    if (slot->frame && !mm_interpose_busy && slot->owner == t)
        mm_own_unwound(slot->entry->own, slot->frame, slot->invocation, slot->depth);
    slot->frame = NULL;
    if (!slot->owner)
        slot->owner = t;
    if (slot->owner == t)
        make_free(t, slot);
    else
        __atomic_store_n(&slot->place, NULL, __ATOMIC_RELEASE);
    return left;
}

_Unwind_Reason_Code
mm_call_unwind(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
               struct _Unwind_Exception *exception, struct _Unwind_Context *context)
    __attribute__((visibility("hidden"), used));

/* A return stub has the same frame address as the function's caller, so that unwinders
 * would confuse the two. So the stub has a landing pad, from which unwinding restarts in
 * the caller. */
_Unwind_Reason_Code mm_call_unwind(int version, _Unwind_Action actions,
                                   _Unwind_Exception_Class kind,
                                   struct _Unwind_Exception *exception,
                                   struct _Unwind_Context *context)
{
    enum { RAX = 0, RDX = 1 };
    uintptr_t from;

    (void)version;
    (void)kind;
    if (!(actions & _UA_CLEANUP_PHASE) || find_unwinder(__builtin_return_address(0)))
        return _URC_CONTINUE_UNWIND;
    from = unwinder.get_ip(context) + MM_PAD_BYTES - (uintptr_t)mm_call_stubs;
    if (from >= (uintptr_t)MM_SLOTS * MM_STUB_BYTES)
        return _URC_CONTINUE_UNWIND;
    unwinder.set_register(context, RAX, (_Unwind_Word)(uintptr_t)exception);
    unwinder.set_register(context, RDX, from / MM_STUB_BYTES);
    unwinder.set_ip(context, (_Unwind_Ptr)mm_call_landing);
    return _URC_INSTALL_CONTEXT;
}
#endif
