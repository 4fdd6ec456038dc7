/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_locks.c: wrappers around the functions that wait for a lock. Both runtimes have
 * these functions under the same names; OMPT reports those of LLVM's runtime.
 *
 * A wrapper calls the function that the program would have called without it. If this
 * library was opened before components that load both runtimes, that function depends on
 * the calling object; it is looked up once for each place of call. */
#include "tau_port/openmp/wrap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/clock.h"

enum { PLACES = 256 };

typedef void (*lock_function)(void *lock);

/* The runtime's function for one calling place in the code; place NULL: for all places.
 * */
struct behind {
    const void *place;
    lock_function function;
    int is_llvm;
};

/* State of the wrapper of one lock function. */
struct lock_table {
    const char *name;
    struct behind all;
    int has_all;                           /* 1: `all` is valid; accessed with __atomic */
    const struct behind *by_place[PLACES]; /* functions by place in the code, constant
                                            * once set; accessed with __atomic */
};

/* Find a function in the runtime with which the object containing `place` is linked. */
static void *find_by_caller(const char *name, const void *place)
{
    void *handle, *found = NULL;
    Dl_info info;

    if (dladdr(place, &info) && info.dli_fname &&
        (handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)))
        found = dlsym(handle, name);
    return found;
}

static struct behind find_behind(const char *name, const void *place)
{
    struct behind behind = {0};
    void *found = dlsym(RTLD_NEXT, name);

    if (!found) {
        behind.place = place;
        found = find_by_caller(name, place);
    }
    if (!found) /* after a tail call the return address is in the caller's caller */
        found = omp_behind(name);
    if (!found) {
        fprintf(stderr, "mastermind: no function '%s' behind a call of OpenMP\n", name);
        abort();
    }
    *(void **)&behind.function = found;
    behind.is_llvm = omp_is_llvm(found);
    return behind;
}

/* Remember the runtime's function for calls from this place in the code, if there is
 * room. */
static void keep(struct lock_table *table, size_t at, const struct behind *behind)
{
    struct behind *kept = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct behind *nobody = NULL;

    if (kept == MAP_FAILED)
        return;
    *kept = *behind;
    if (!__atomic_compare_exchange_n(&table->by_place[at], &nobody, kept, 0,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        munmap(kept, sizeof *kept);
}

static struct behind look_up(struct lock_table *table, const void *place)
{
    size_t at = (uintptr_t)place * 0x9e3779b97f4a7c15u >> 56;
    const struct behind *known;
    struct behind behind;

    if (__atomic_load_n(&table->has_all, __ATOMIC_ACQUIRE))
        return table->all;
    known = __atomic_load_n(&table->by_place[at], __ATOMIC_ACQUIRE);
    if (known && known->place == place)
        return *known;
    behind = find_behind(table->name, place);
    if (behind.place) {
        keep(table, at, &behind);
    } else {
        table->all = behind; /* all threads store the same value here */
        __atomic_store_n(&table->has_all, 1, __ATOMIC_RELEASE);
    }
    return behind;
}

static void wait_for_lock(struct lock_table *table, const void *place, void *lock)
{
    struct behind behind = look_up(table, place);
    struct omp_thread *mine = omp_on && !behind.is_llvm ? omp_thread() : NULL;
    int before = mine ? omp_switch(mine, OMP_MUTEX, cca_clock_ns(CLOCK_MONOTONIC)) : 0;

    behind.function(lock);
    if (mine)
        omp_switch(mine, before, cca_clock_ns(CLOCK_MONOTONIC));
}

#define LOCK(function)                                                                   \
    OMP_EXPORT void function(void *lock);                                                \
    OMP_EXPORT void function(void *lock)                                                 \
    {                                                                                    \
        static struct lock_table table = {.name = #function};                            \
                                                                                         \
        wait_for_lock(&table, __builtin_return_address(0), lock);                        \
    }

LOCK(omp_set_lock)
LOCK(omp_set_nest_lock)
LOCK(omp_set_lock_) /* entry point for Fortran */
LOCK(omp_set_nest_lock_)
