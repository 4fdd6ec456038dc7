/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c: the classes of requests, and a thread's time by class. */
#include "tau_port/pmpi/split.h"
#include "common/thread_times.h"
#include "tau_port/pmpi/pmpi.h"

#include <errno.h>
#include <stddef.h>

int pmpi_splitting_on;

/* --- Classes of requests ------------------------------------------------ */

/* A word contains a handle, without its highest bits, and a class. It is read and written
 * as a whole, so no lock is needed. The word of a handle is in one of NEAR slots, from
 * the slot of its hash on. */
enum { PLACES = 1 << 16, NEAR = 8, CLASS_BITS = 3 };
/* handles and classes of requests; accessed with __atomic; 0: empty */
static uint64_t table[PLACES];

static size_t place_of(uint64_t handle)
{
    return (size_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

static int is_of(uint64_t word, uint64_t handle)
{
    return word && word >> CLASS_BITS == (handle << CLASS_BITS >> CLASS_BITS);
}

void pmpi_split_made(uint64_t handle, enum pmpi_kind kind)
{
    size_t at = place_of(handle), chosen = at % PLACES;
    uint64_t word = handle << CLASS_BITS | (uint64_t)kind;

    /* Use the handle's own slot if it has one, since MPI reuses handles; else an empty
     * slot; else the first slot, whose request is then lost. */
    for (size_t i = NEAR; i-- > 0;) {
        size_t here = (at + i) % PLACES;
        uint64_t old = __atomic_load_n(&table[here], __ATOMIC_RELAXED);

        if (is_of(old, handle)) {
            chosen = here;
            break;
        }
        if (!old)
            chosen = here;
    }
    __atomic_store_n(&table[chosen], word, __ATOMIC_RELAXED);
}

enum pmpi_kind pmpi_split_known(uint64_t handle)
{
    size_t at = place_of(handle);

    for (size_t i = 0; i < NEAR; i++) {
        uint64_t word = __atomic_load_n(&table[(at + i) % PLACES], __ATOMIC_RELAXED);

        if (is_of(word, handle))
            return (enum pmpi_kind)(word & ((1 << CLASS_BITS) - 1));
    }
    return PMPI_KINDS;
}

/* Clearing a slot hides no handle in later slots: a search always looks at all of
 * them. */
void pmpi_split_forget(uint64_t handle)
{
    size_t at = place_of(handle);

    for (size_t i = 0; i < NEAR; i++) {
        uint64_t *place = &table[(at + i) % PLACES];
        uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);

        if (is_of(word, handle))
            __atomic_compare_exchange_n(place, &word, 0, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
    }
}

void pmpi_split_next(enum pmpi_kind kind)
{
    if (pmpi_mine)
        pmpi_mine->kind = (unsigned char)kind;
}

/* --- The times ---------------------------------------------------------- */

static const char *const names[] = {"MPI_RECV_TIME", "MPI_SEND_TIME", "MPI_SYNC_TIME",
                                    "MPI_COLL_TIME", "MPI_CTL_TIME"};

/* The first reading switches the split of times on; rows contain differences of
 * readings. */
static void read_times(int64_t *values)
{
    static const enum pmpi_kind order[] = {PMPI_KIND_RECEIVE, PMPI_KIND_SEND,
                                           PMPI_KIND_SYNC, PMPI_KIND_COLLECTIVE,
                                           PMPI_KIND_CONTROL};
    int saved = errno;
    const struct pmpi_thread *mine = pmpi_mine ? pmpi_mine : pmpi_thread_new();

    if (!__atomic_load_n(&pmpi_splitting_on, __ATOMIC_RELAXED))
        __atomic_store_n(&pmpi_splitting_on, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        values[i] = mine ? mine->by_kind[order[i]] : INT64_MIN;
    errno = saved;
}

__attribute__((visibility("default"))) const struct meas_times meas_mpi_split_times_1 = {
    .count = sizeof names / sizeof *names, .names = names, .read = read_times};
