/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_together.c: sampled nonblocking collectives, from their start to the completing
 * call. Few are in progress at a time, so a short table is searched. */
#include "tau_port/pmpi/hooks_inside.h"

#include <sched.h>

enum { MOST_PENDING = 256 };

int pmpi_together_pending;

static struct {
    uintptr_t request;
    int used;
    struct mm_messages_collective part;
} pending[MOST_PENDING];
static int locked, top; /* top: no entry from there on is in use */

static void lock(void)
{
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

static void count_pending(int change)
{
    __atomic_store_n(&pmpi_together_pending, pmpi_together_pending + change,
                     __ATOMIC_RELAXED);
}

/* Index of the entry of a request; -1: none. Call with the lock held. */
static int find(uintptr_t request)
{
    for (int i = 0; i < top; i++)
        if (pending[i].used && pending[i].request == request)
            return i;
    return -1;
}

static void forget(int at)
{
    pending[at].used = 0;
    count_pending(-1);
    while (top && !pending[top - 1].used)
        top--;
}

static int put(uintptr_t request, const struct mm_messages_collective *part)
{
    int at = find(request);

    if (at >= 0) /* an earlier collective with this request completed in a call without
                    wrapper */
        forget(at);
    for (at = 0; at < MOST_PENDING && pending[at].used; at++)
        continue;
    if (at == MOST_PENDING)
        return -1;
    pending[at].request = request;
    pending[at].part = *part;
    pending[at].used = 1;
    top = at >= top ? at + 1 : top;
    count_pending(1);
    return 0;
}

void pmpi_together_started(const struct pmpi_together *together, int result,
                           MPI_Request request)
{
    int lost;

    if (result != MPI_SUCCESS)
        return;
    pmpi_request_other(request);
    if (!together)
        return;
    lock();
    lost = put(pmpi_request_handle(request), &together->part);
    unlock();
    if (lost)
        pmpi_messages_count(MM_MESSAGES_DROPPED_POOL, 1);
}

void pmpi_together_gone(uintptr_t request)
{
    int at;

    lock();
    at = find(request);
    if (at >= 0)
        forget(at);
    unlock();
}

int pmpi_joining_begin(struct pmpi_joining *joining, int count,
                       const MPI_Request *requests)
{
    joining->count = 0;
    lock();
    for (int i = 0; i < count && joining->count < PMPI_JOINING; i++) {
        int at =
            requests[i] == MPI_REQUEST_NULL ? -1 : find(pmpi_request_handle(requests[i]));

        if (at < 0)
            continue;
        joining->at[joining->count].index = i;
        joining->at[joining->count++].request = pending[at].request;
    }
    unlock();
    joining->t_enter = pmpi_now();
    return joining->count > 0;
}

/* End a completing call: MPI has set the requests that completed to null. */
void pmpi_joining_end(struct pmpi_joining *joining, const MPI_Request *requests)
{
    uint64_t now = pmpi_now();

    for (int i = 0; i < joining->count; i++) {
        struct mm_messages_collective part;
        int at;

        if (requests[joining->at[i].index] != MPI_REQUEST_NULL)
            continue;
        lock();
        at = find(joining->at[i].request);
        if (at >= 0) {
            part = pending[at].part;
            forget(at);
        }
        unlock();
        if (at < 0)
            continue;
        part.t_wait = joining->t_enter;
        part.t_exit = now;
        pmpi_messages_count(MM_MESSAGES_COLLECTIVES_SAMPLED, 1);
        pmpi_collective_part(&part);
    }
}
