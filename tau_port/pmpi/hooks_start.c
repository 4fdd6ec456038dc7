/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_start.c: persistent requests, matched probes, freed requests. */
#include "tau_port/pmpi/hooks_inside.h"

#include <sys/mman.h>

/* --- Persistent requests ------------------------------------------------------------ */

void pmpi_persistent(MPI_Request request, int sends, MPI_Comm comm, int peer, int tag,
                     long long count, MPI_Datatype type)
{
    struct pmpi_handle handle = {
        .handle = pmpi_request_handle(request),
        .comm = comm,
        .sends = sends,
        .peer = peer,
        .tag = tag,
        .bytes = sends ? pmpi_bytes(count, type) : 0,
    };

    pmpi_handle_put(PMPI_PERSISTENT, &handle);
}

/* One request of a call of MPI_Start or MPI_Startall. */
struct started {
    struct pmpi_handle handle;
    int hooked;
    union {
        struct pmpi_sent sent;
        struct pmpi_got got;
    } as;
};

struct pmpi_start {
    size_t bytes; /* size of the memory mapped for the struct */
    int count;
    struct started requests[];
};

/* Begin to record one of the requests that MPI_Start or MPI_Startall is about to start.
 * The fast hooks cannot be used: they do not detect that several requests are started
 * together. */
static void begin_one(struct started *s, void *site)
{
    const struct pmpi_handle *h = &s->handle;

    if (!h->sends)
        s->hooked = pmpi_recv_slowly(&s->as.got, h->comm, h->peer, h->tag);
    else if (h->peer != MPI_PROC_NULL)
        s->hooked =
            pmpi_send_slowly(&s->as.sent, h->comm, h->peer, h->tag, h->bytes, site);
}

struct pmpi_start *pmpi_start_begin(int count, const MPI_Request *requests, void *site)
{
    struct pmpi_start *start;
    size_t bytes = sizeof *start + (size_t)count * sizeof *start->requests;
    int any = 0;

    if (count <= 0 || !pmpi_handle_count(PMPI_PERSISTENT))
        return NULL;
    start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    start->bytes = bytes;
    start->count = count;
    for (int i = 0; i < count; i++)
        any |= pmpi_handle_find(PMPI_PERSISTENT, pmpi_request_handle(requests[i]),
                                &start->requests[i].handle);
    if (!any) {
        munmap(start, bytes);
        return NULL;
    }
    /* MPI starts the requests of one MPI_Startall in any order: requests of the same
     * channel have no defined serials. */
    if (count > 1)
        mm_engine_together(pmpi_messages.engine, 1);
    for (int i = 0; i < count; i++)
        if (start->requests[i].handle.used)
            begin_one(&start->requests[i], site);
    return start;
}

void pmpi_start_end(struct pmpi_start *start, const MPI_Request *requests, int result)
{
    for (int i = 0; i < start->count; i++) {
        struct started *s = &start->requests[i];

        if (!s->handle.used)
            continue;
        if (s->handle.sends)
            pmpi_isend_end(&s->as.sent, s->hooked, result, requests[i]);
        else
            pmpi_irecv_slowly(&s->as.got, s->hooked, result, requests[i], 0);
    }
    if (start->count > 1)
        mm_engine_together(pmpi_messages.engine, 0);
    munmap(start, start->bytes);
}

void pmpi_request_gone(MPI_Request *request)
{
    uintptr_t handle = pmpi_request_handle(*request);

    pmpi_handle_remove(PMPI_PERSISTENT, handle);
    pmpi_together_gone(handle);
    if (pmpi_following())
        mm_engine_freed(pmpi_messages.engine, handle);
}

/* --- Matched probes ----------------------------------------------------- */

static uintptr_t message_handle(MPI_Message message)
{
    return (uintptr_t)message;
}

int pmpi_probe_begin(struct pmpi_probe *probe, MPI_Comm comm, int source, int tag)
{
    if (source == MPI_PROC_NULL)
        return 0;
    probe->comm = pmpi_comm(comm);
    mm_engine_probing(pmpi_messages.engine, probe->comm,
                      source == MPI_ANY_SOURCE ? MM_ANY_SOURCE : source,
                      tag == MPI_ANY_TAG ? MM_ANY_TAG : tag, &probe->counted);
    return PMPI_OPEN;
}

void pmpi_probe_end(struct pmpi_probe *probe, int found, MPI_Message message,
                    const MPI_Status *status)
{
    struct pmpi_handle handle = {.handle = found ? message_handle(message) : 0};

    if (found && message == MPI_MESSAGE_NO_PROC)
        found = 0;
    handle.receive = mm_engine_matched(pmpi_messages.engine, probe->comm, &probe->counted,
                                       found ? status->MPI_SOURCE : MM_ANY_SOURCE,
                                       found ? status->MPI_TAG : 0);
    if (handle.receive)
        pmpi_handle_put(PMPI_MESSAGES, &handle);
}

int pmpi_matched_begin(struct pmpi_matched *matched, MPI_Message message)
{
    struct pmpi_handle handle;

    if (!pmpi_handle_find(PMPI_MESSAGES, message_handle(message), &handle))
        return 0;
    pmpi_handle_remove(PMPI_MESSAGES, message_handle(message));
    matched->receive = handle.receive;
    matched->t_start = pmpi_now();
    return PMPI_OPEN;
}

void pmpi_matched_end(struct pmpi_matched *matched, int result, const MPI_Status *status,
                      void *site)
{
    uint64_t now = pmpi_now();

    matched->receive->half.t_start = matched->t_start;
    pmpi_complete(matched->receive, matched->t_start, now, result, status, site);
    pmpi_messages_tick();
    pmpi_drain();
}

void pmpi_imatched_end(struct pmpi_matched *matched, int result, MPI_Request request)
{
    struct mm_receive *r = matched->receive;

    if (result != MPI_SUCCESS)
        return; /* the message is lost, but its serial is counted */
    r->half.t_start = matched->t_start;
    mm_engine_follow(pmpi_messages.engine, r->comm, r, &r->counted,
                     pmpi_request_handle(request));
}
