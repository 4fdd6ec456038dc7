/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: find the functions behind the wrappers, and export this library's
 * symbols. */
#include "tau_port/openmp/openmp.h"
#include "tau_port/openmp/openmp_time.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int omp_through;

enum { OBJECTS_MOST = 512 };

static struct {
    void *most; /* function omp_get_max_threads of the runtime that has GOMP_*;
                 * accessed with __atomic */
    int begun;  /* 1: a region has begun; accessed with __atomic */
    void (*first_region)(void); /* pending callback, or NULL; accessed with __atomic */
} state;

/* --- The runtime ---------------------------------------------------------- */

static void *loaded_symbol(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

    return handle ? dlsym(handle, name) : NULL;
}

struct names {
    const char *list[OBJECTS_MOST]; /* paths of loaded objects, valid while the objects
                                     * stay loaded */
    size_t count;
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct names *names = context;

    (void)size;
    if (*info->dlpi_name && names->count < OBJECTS_MOST)
        names->list[names->count++] = info->dlpi_name;
    return 0;
}

/* A runtime may have an unusual file name: search all loaded objects except this
 * library. */
static void *find_anywhere(const char *name)
{
    struct names names = {.count = 0};
    Dl_info own, other;
    void *found = NULL;

    if (!dladdr(&state, &own))
        return NULL;
    dl_iterate_phdr(visit_object, &names);
    for (size_t i = 0; i < names.count && !found; i++) {
        found = loaded_symbol(names.list[i], name);
        if (found && dladdr(found, &other) && other.dli_fbase == own.dli_fbase)
            found = NULL;
    }
    return found;
}

/* The next definition of a function after this library in the global scope; else the
 * definition in a runtime that a component has loaded, which is in no scope of this
 * library. */
void *omp_behind(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        found = loaded_symbol("libgomp.so.1", name);
    if (!found)
        found = loaded_symbol("libomp.so.5", name);
    return found ? found : find_anywhere(name);
}

/* Whether a function is in LLVM's runtime, which provides GOMP_* for programs of gcc,
 * too, and reports their regions by OMPT: such calls must not count twice. */
int omp_is_llvm(void *function)
{
    void *handle, *fork;
    Dl_info info, other;

    if (!dladdr(function, &info) || !info.dli_fname)
        return 0;
    handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    fork = handle ? dlsym(handle, "__kmpc_fork_call") : NULL;
    return fork && dladdr(fork, &other) && other.dli_fbase == info.dli_fbase;
}

void *omp_find(void **cell, const char *name)
{
    void *found = omp_behind(name);

    if (!found) {
        void *handle = dlopen("libgomp.so.1", RTLD_LAZY);

        found = handle ? dlsym(handle, name) : NULL;
    }
    if (!found) {
        fprintf(stderr, "mastermind: no function '%s' behind a call of OpenMP\n", name);
        abort();
    }
    if (strncmp(name, "GOMP_", 5) == 0)
        __atomic_store_n(&omp_through, omp_is_llvm(found), __ATOMIC_RELAXED);
    __atomic_store_n(cell, found, __ATOMIC_RELEASE);
    return found;
}

/* --- Threads that a region would have ------------------------------------- */

/* Guess the number of threads of LLVM's runtime before its start: asking it would start
 * it. */
static int guess_threads(void)
{
    const char *wanted = getenv("OMP_NUM_THREADS");
    int threads = wanted ? atoi(wanted) : 0;
    cpu_set_t cores;

    if (threads > 0)
        return threads;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int omp_could(void)
{
    void *most = __atomic_load_n(&state.most, __ATOMIC_ACQUIRE);
    int (*get_max_threads)(void);

    if (!most) {
        most = omp_behind("omp_get_max_threads");
        if (!most)
            return 1;
        if (omp_is_llvm(most) && !__atomic_load_n(&omp_ompt_runs, __ATOMIC_ACQUIRE))
            return guess_threads();
        __atomic_store_n(&state.most, most, __ATOMIC_RELEASE);
    }
    *(void **)&get_max_threads = most;
    return get_max_threads();
}

/* --- Symbols -------------------------------------------------------------- */

/* Call the pending callback before the first region, in the measured process; the region
 * is in no table yet. */
void omp_first_region(void)
{
    void (*function)(void);

    if (__atomic_load_n(&state.begun, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&state.begun, 1, __ATOMIC_RELEASE);
    function = __atomic_exchange_n(&state.first_region, NULL, __ATOMIC_ACQ_REL);
    if (function)
        function();
}

static int tell_first_region(void (*function)(void))
{
    if (__atomic_load_n(&state.begun, __ATOMIC_ACQUIRE))
        return 1;
    __atomic_store_n(&state.first_region, function, __ATOMIC_RELEASE);
    return 0;
}

static int64_t cost_ns(void)
{
    return omp_cost_threads() + omp_regions_cost();
}

extern const struct meas_openmp meas_openmp_2;
__attribute__((visibility("default"))) const struct meas_openmp meas_openmp_2 = {
    .tell_first_region = tell_first_region,
    .keep = omp_regions_keep,
    .cost_ns = cost_ns,
};
