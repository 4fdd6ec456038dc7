/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_wait.c: completion of followed receives. */
#include "tau_port/pmpi/hooks_inside.h"

#include "messages/engine/sample.h"

#include <sys/mman.h>

void pmpi_drain(void)
{
    struct mm_engine *engine = pmpi_messages.engine;

    struct mm_receive *r;

    while (mm_sample_ready(engine) && (r = mm_engine_next(engine)) != NULL) {
        if (r->dropped)
            pmpi_messages_count(MM_MESSAGES_DROPPED_ORDER, 1);
        else
            pmpi_half_receive(&r->half);
        mm_engine_release(engine, r);
    }
}

void pmpi_complete(struct mm_receive *r, uint64_t t_enter, uint64_t t_end, int result,
                   const MPI_Status *status, void *site)
{
    struct mm_messages_half *half = &r->half;
    int failed = pmpi_failed(result, &half->flags);

    half->t_enter = t_enter;
    half->t_end = t_end;
    if (!failed && (!r->certain || r->counted.sampled)) {
        if (r->user)
            half->flags |= MM_HALF_BYTES_UNKNOWN;
        else
            pmpi_half_bytes(half, status);
        pmpi_half_where(half, site);
    }
    if (!failed && mm_sample_completed(pmpi_messages.engine, r)) {
        pmpi_half_receive(half);
        mm_receive_free(pmpi_messages.engine, r);
    } else if (r->awaiting) {
        mm_engine_matched_received(pmpi_messages.engine, r);
    } else {
        mm_engine_completed(pmpi_messages.engine, r, status->MPI_SOURCE, status->MPI_TAG,
                            failed || (r->user && !r->certain));
    }
}

/* Arrays for more requests than the struct has room for: the thread's buffer; or mapped
 * memory if that is too small, or in use by an outer call. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    void *memory;
    size_t bytes;
    int used;
} scratch;

static void *map_bytes(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Get memory for the arrays of a call; `wait->mapped` becomes 0 if the thread's buffer is
 * used. */
static void *take_scratch(struct pmpi_wait *wait, size_t bytes)
{
    void *memory;

    if (scratch.used) {
        memory = map_bytes(bytes);
        wait->mapped = memory ? bytes : 0;
        return memory;
    }
    if (scratch.bytes < bytes) {
        memory = map_bytes(2 * bytes);
        if (!memory)
            return NULL;
        if (scratch.memory)
            munmap(scratch.memory, scratch.bytes);
        scratch.memory = memory;
        scratch.bytes = 2 * bytes;
    }
    scratch.used = 1;
    return scratch.memory;
}

static int make_room(struct pmpi_wait *wait, int count)
{
    size_t each = sizeof *wait->receives + sizeof *wait->statuses;
    void *memory;

    wait->mapped = 0;
    wait->receives = wait->own_receives;
    wait->statuses = wait->own_statuses;
    if (count <= PMPI_WAIT_OWN)
        return 0;
    memory = take_scratch(wait, (size_t)count * each);
    if (!memory)
        return -1;
    wait->statuses = memory;
    wait->receives = (struct mm_receive **)(wait->statuses + count);
    return 0;
}

static void leave(struct pmpi_wait *wait)
{
    if (wait->mapped)
        munmap(wait->statuses, wait->mapped);
    else if (wait->statuses != wait->own_statuses)
        scratch.used = 0;
}

int pmpi_wait_begin(struct pmpi_wait *wait, int count, const MPI_Request *requests)
{
    struct mm_engine *engine = pmpi_messages.engine;
    int found = 0;

    if (count == 1 && *requests != MPI_REQUEST_NULL) { /* the most frequent case: a call
                                                        * that completes one request */
        wait->own_receives[0] =
            mm_sample_followed(engine, pmpi_request_handle(*requests));
        if (!wait->own_receives[0])
            return 0;
        wait->count = 1;
        wait->mapped = 0;
        wait->receives = wait->own_receives;
        wait->statuses = wait->own_statuses;
        wait->t_enter = pmpi_now();
        return PMPI_OPEN;
    }
    if (count <= 0 || make_room(wait, count))
        return 0;
    wait->count = count;
    for (int i = 0; i < count; i++) {
        wait->receives[i] =
            requests[i] == MPI_REQUEST_NULL
                ? NULL
                : mm_sample_followed(engine, pmpi_request_handle(requests[i]));
        found |= wait->receives[i] != NULL;
    }
    if (!found) { /* most calls complete no followed request */
        leave(wait);
        return 0;
    }
    wait->t_enter = pmpi_now();
    return PMPI_OPEN;
}

void pmpi_wait_none(struct pmpi_wait *wait)
{
    leave(wait);
}

void pmpi_wait_one(struct pmpi_wait *wait, int index, int result,
                   const MPI_Status *status, void *site)
{
    uint64_t now = pmpi_now();

    if (index >= 0 && index < wait->count && wait->receives[index])
        pmpi_complete(wait->receives[index], wait->t_enter, now, result, status, site);
    leave(wait);
    pmpi_messages_tick();
    pmpi_drain();
}

/* with an array of statuses each request has its own error */
static int result_of(int result, const MPI_Status *status)
{
    int class = MPI_SUCCESS;

    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    return class == MPI_ERR_IN_STATUS ? status->MPI_ERROR : result;
}

static void complete_one(struct pmpi_wait *wait, int index, uint64_t now, int result,
                         const MPI_Status *status, void *site)
{
    int own = result_of(result, status);

    if (wait->receives[index] && own != MPI_ERR_PENDING)
        pmpi_complete(wait->receives[index], wait->t_enter, now, own, status, site);
}

/* A call that failed as a whole has not changed its outputs. */
static int failed_whole(int result)
{
    int class = MPI_SUCCESS;

    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    return class != MPI_SUCCESS && class != MPI_ERR_IN_STATUS;
}

void pmpi_wait_some(struct pmpi_wait *wait, int done, const int *indices, int result,
                    const MPI_Status *statuses, void *site)
{
    uint64_t now = pmpi_now();

    if (failed_whole(result))
        done = 0;
    for (int i = 0; done != MPI_UNDEFINED && i < done; i++)
        if (indices[i] >= 0 && indices[i] < wait->count)
            complete_one(wait, indices[i], now, result, &statuses[i], site);
    leave(wait);
    pmpi_messages_tick();
    pmpi_drain();
}

void pmpi_wait_all(struct pmpi_wait *wait, int result, const MPI_Status *statuses,
                   void *site)
{
    uint64_t now = pmpi_now();

    for (int i = 0; i < wait->count; i++)
        if (wait->receives[i])
            complete_one(wait, i, now, result, &statuses[i], site);
    leave(wait);
    pmpi_messages_tick();
    pmpi_drain();
}
