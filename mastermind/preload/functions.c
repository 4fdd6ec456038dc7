/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c: record functions of a program that was built with -finstrument-functions,
 * which calls the two hooks here at the beginning and the end of each function.
 *
 * MASTERMIND_RECORD_FUNCTIONS has patterns; a function whose name matches one is
 * recorded. Its name comes from the symbol table of its file. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/preload/own.h"
#include "mastermind/preload/symbols.h"
#include "mastermind/preload/trials.h"

enum { PLACES = 1 << 14, LONGEST = 512 };

/* Hash table entry of a function, found by its address; if `own` is NULL the function is
 * not recorded. An entry is set only once. */
struct place {
    void *address; /* __atomic; 0: free */
    struct mm_own *own;
    int decided;
};

static struct place *places;
static char *patterns; /* patterns of the functions to record; NULL: none */
static int begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- Names ---------------------------------------------------------------- */

static struct mm_own *decide(void *address)
{
    char symbol[LONGEST], name[LONGEST];

    if (mm_symbol_of(address, symbol, sizeof symbol))
        return NULL;
    mm_symbol_plain(symbol, name, sizeof name);
    return mm_symbol_matches(patterns, symbol, name) &&
                   mm_symbol_is_chosen(symbol, name, name)
               ? mm_own_new(name, "function", MM_ENTRY_INSTRUMENTED, address)
               : NULL;
}

/* --- Places --------------------------------------------------------------- */

static struct place *place_of(void *address)
{
    size_t at = ((uintptr_t)address >> 4) * 0x9e3779b97f4a7c15u >> (64 - 14);

    for (size_t i = 0; i < PLACES; i++) {
        struct place *place = &places[(at + i) % PLACES];
        void *there = __atomic_load_n(&place->address, __ATOMIC_ACQUIRE);

        if (there == address || !there)
            return place;
    }
    return NULL; /* the table is full: further functions are not recorded */
}

static struct mm_own *own_of(void *address)
{
    struct place *place = place_of(address);
    struct mm_aside aside;

    if (!place || place->address == address)
        return place ? place->own : NULL;
    mm_interpose_busy++;
    aside = mm_preload_aside();
    pthread_mutex_lock(&lock);
    place = place_of(address);
    if (place && !place->address) {
        place->own = decide(address);
        __atomic_store_n(&place->address, address, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    mm_preload_aside_done(&aside);
    mm_interpose_busy--;
    return place ? place->own : NULL;
}

static void begin(void)
{
    const char *wanted = getenv("MASTERMIND_RECORD_FUNCTIONS");

    mm_interpose_busy++;
    pthread_mutex_lock(&lock);
    if (!begun && wanted && *wanted && mm_preload_is_recorded()) {
        places = calloc(PLACES, sizeof *places);
        patterns = places ? strdup(wanted) : NULL;
        if (patterns)
            mm_preload_has_own();
    }
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    mm_interpose_busy--;
}

/* --- The hooks ------------------------------------------------------------ */

/* NOLINTNEXTLINE(bugprone-reserved-identifier): gcc calls it by this name */
INTERPOSE_EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
    struct mm_own *own;

    (void)site;
    if (mm_interpose_busy)
        return;
    if (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
        begin();
    if (!patterns)
        return;
    own = own_of(function);
    if (own)
        mm_own_begin(own, function, (uintptr_t)__builtin_frame_address(0), NULL);
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier): gcc calls it by this name */
INTERPOSE_EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    if (!mm_interpose_busy && patterns && own_of(function))
        mm_own_end(function);
}

/* --- Cost of the hooks ---------------------------------------------------- */

static void *trial_address(void)
{
    union {
        void (*call)(void);
        void *address;
    } function = {mm_trial_nothing};

    return function.address;
}

struct mm_own *mm_instrumented_trial_own(void)
{
    struct place *place = places ? place_of(trial_address()) : NULL;

    if (!place)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!place->address) {
        place->own = mm_own_new("trial", "function", MM_ENTRY_INSTRUMENTED, NULL);
        __atomic_store_n(&place->address, trial_address(), __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return place->own;
}

void mm_instrumented_trial(void *context, struct monitor_port *port,
                           struct monitor_method *method)
{
    struct mm_own *own = context;
    int busy = mm_interpose_busy;

    if (method) {
        own->library.monitor = port;
        own->function.method = method;
        mm_interpose_busy = 0;
        __cyg_profile_func_enter(trial_address(), NULL);
    }
    mm_trial_nothing();
    if (method) {
        __cyg_profile_func_exit(trial_address(), NULL);
        mm_interpose_busy = busy;
    }
}
