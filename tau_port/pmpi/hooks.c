/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks.c: sends, receives and collectives. */
#include "tau_port/pmpi/hooks_inside.h"

#include "messages/engine/sample.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

__thread void *pmpi_fortran_site;

/* --- Common parts of records ------------------------------------------------------- */

struct pmpi_type pmpi_last_type;

void pmpi_type_gone(void)
{
    pmpi_last_type.known = 0;
}

uint64_t pmpi_bytes_slowly(long long count, MPI_Datatype type)
{
    int size = 0;

    if (count <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    if (!pmpi_messages.threads)
        pmpi_last_type = (struct pmpi_type){type, size, 1};
    return (uint64_t)count * (uint64_t)size;
}

void pmpi_half_where(struct mm_messages_half *half, void *site)
{
    struct meas_caller caller;

    pmpi_caller_now(&caller);
    half->method = caller.method;
    half->thread = caller.thread;
    half->invocation = caller.invocation;
    half->site = pmpi_site_key(site);
}

void pmpi_half_bytes(struct mm_messages_half *half, const MPI_Status *status)
{
    int bytes = MPI_UNDEFINED;

    if (PMPI_Get_count(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0) {
        half->flags |= MM_HALF_BYTES_UNKNOWN;
        return;
    }
    half->bytes = (uint64_t)bytes;
}

int pmpi_failed(int result, uint16_t *flags)
{
    int class = MPI_SUCCESS;

    if (result == MPI_SUCCESS)
        return 0;
    if (PMPI_Error_class(result, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE) {
        *flags |= MM_HALF_TRUNCATED;
        return 0; /* the receive took its message in spite of the error */
    }
    return 1;
}

/* --- Sends ------------------------------------------------------------------------ */

static int method_passes(void)
{
    const char *glob = pmpi_messages.request.method;
    struct meas_caller caller;

    if (!*glob)
        return 1;
    pmpi_caller_now(&caller);
    return caller.name && fnmatch(glob, caller.name, 0) == 0;
}

/* Apply the filters by callsite and method, which only the sender knows. */
static int passes(const struct mm_counted *counted, void *site)
{
    if (!counted->sampled)
        return 0;
    if (pmpi_site_passes(site) && method_passes())
        return 1;
    pmpi_messages_count(MM_MESSAGES_FILTERED, 1);
    return 0;
}

int pmpi_send_slowly(struct pmpi_sent *sent, MPI_Comm comm, int dest, int tag,
                     uint64_t bytes, void *site)
{
    struct mm_engine *engine = pmpi_messages.engine;

    sent->sampled = 0;
    if (!mm_sample_send(engine, pmpi_comm_handle(comm), dest, tag, bytes, &sent->counted))
        mm_engine_send(engine, pmpi_comm(comm), dest, tag, bytes, &sent->counted);
    if (!sent->counted.channel)
        return 0;
    pmpi_messages_tick();
    if (passes(&sent->counted, site)) {
        struct mm_messages_half *half = &sent->half;

        half->flags = 0; /* this and all later fields of the record are set here, the
                            earlier ones by mm_half_name */
        half->t_end = half->check = 0;
        mm_half_name(engine, &sent->counted, MM_MESSAGES_SEND, half);
        half->bytes = bytes;
        half->p = sent->counted.p;
        pmpi_half_where(half, site);
        sent->sampled = 1;
        half->t_start = half->t_enter = pmpi_now();
        sent->early = pmpi_half_send_early(half);
    }
    return sent->sampled || mm_engine_several(engine) ? PMPI_OPEN | PMPI_COUNTED
                                                      : PMPI_COUNTED;
}

void pmpi_send_end(struct pmpi_sent *sent, int result, int nonblocking)
{
    uint64_t now = sent->sampled ? pmpi_now() : 0;
    int failed = result != MPI_SUCCESS,
        alone = mm_sample_sent(pmpi_messages.engine, &sent->counted, failed);

    if (!sent->sampled)
        return;
    sent->half.t_end = now;
    sent->half.flags |= nonblocking ? MM_HALF_NONBLOCKING : 0;
    if (!alone)
        pmpi_messages_count(MM_MESSAGES_DROPPED_ORDER, 1);
    pmpi_half_sent(sent->early, &sent->half, alone && !failed);
}

void pmpi_send_failed(MPI_Comm comm, int dest, int tag)
{
    if (pmpi_asked() && dest != MPI_PROC_NULL)
        mm_engine_send_failed(pmpi_messages.engine, pmpi_comm(comm), dest, tag);
}

void pmpi_isend_end(struct pmpi_sent *sent, int hooked, int result, MPI_Request request)
{
    if (hooked & PMPI_OPEN)
        pmpi_send_end(sent, result, 1);
    else if ((hooked & PMPI_COUNTED) && result != MPI_SUCCESS)
        mm_engine_unverify(pmpi_messages.engine, sent->counted.channel,
                           MM_CHANNEL_FAILED);
    if (result == MPI_SUCCESS)
        mm_hot_other(pmpi_messages.engine, pmpi_request_handle(request),
                     hooked & PMPI_COUNTED ? sent->counted.channel : NULL);
}

/* --- Receives --------------------------------------------------------------------- */

static int asked_source(int source)
{
    return source == MPI_ANY_SOURCE ? MM_ANY_SOURCE : source;
}

static int asked_tag(int tag)
{
    return tag == MPI_ANY_TAG ? MM_ANY_TAG : tag;
}

int pmpi_recv_slowly(struct pmpi_got *got, MPI_Comm comm, int source, int tag)
{
    struct mm_engine *engine = pmpi_messages.engine;

    if (source == MPI_PROC_NULL)
        return 0;
    if (mm_sample_post(engine, pmpi_comm_handle(comm), source, tag, &got->counted)) {
        got->comm = got->counted.channel->comm;
        got->receive = NULL;
    } else {
        got->comm = pmpi_comm(comm);
        got->receive = mm_engine_post(engine, got->comm, asked_source(source),
                                      asked_tag(tag), &got->counted);
    }
    if (!got->receive && !got->counted.channel)
        return 0;
    got->t_start = 0;
    if (got->receive || got->counted.sampled) {
        got->t_start = pmpi_now();
        return PMPI_COUNTED | PMPI_OPEN;
    }
    return mm_engine_several(engine) ? PMPI_COUNTED | PMPI_OPEN : PMPI_COUNTED;
}

/* End a blocking receive whose serial was known when it was posted: make and deliver its
 * record. */
static void end_certain(struct pmpi_got *got, uint64_t now, int result,
                        const MPI_Status *status, void *site)
{
    struct mm_messages_half half = {.t_start = got->t_start, .t_enter = got->t_start};

    if (pmpi_failed(result, &half.flags)) {
        mm_engine_unverify(pmpi_messages.engine, got->counted.channel, MM_CHANNEL_FAILED);
        return;
    }
    half.t_end = now;
    mm_engine_half(pmpi_messages.engine, &got->counted, MM_MESSAGES_RECEIVE, &half);
    pmpi_half_bytes(&half, status);
    pmpi_half_where(&half, site);
    pmpi_half_receive(&half);
}

void pmpi_recv_end(struct pmpi_got *got, int result, MPI_Status *status, void *site)
{
    uint64_t now = pmpi_now();
    int alone =
        mm_engine_posted(pmpi_messages.engine, got->comm, &got->counted, got->receive);

    if (got->receive) {
        got->receive->half.t_start = got->t_start;
        pmpi_complete(got->receive, got->t_start, now, result, status, site);
        pmpi_drain();
    } else if (got->counted.sampled && alone) {
        end_certain(got, now, result, status, site);
    } else if (got->counted.sampled) {
        pmpi_messages_count(MM_MESSAGES_DROPPED_ORDER, 1);
    }
}

void pmpi_irecv_slowly(struct pmpi_got *got, int hooked, int result, MPI_Request request,
                       int unknown)
{
    struct mm_engine *engine = pmpi_messages.engine;
    uintptr_t handle = pmpi_request_handle(request);
    struct mm_receive *r;
    int alone;

    if (!(hooked & PMPI_COUNTED)) {
        if (result == MPI_SUCCESS)
            mm_hot_other(engine, handle, NULL);
        return;
    }
    if (!(hooked & PMPI_OPEN)) {
        if (result == MPI_SUCCESS &&
            (pmpi_messages.threads ||
             !mm_hot_remember(engine, handle, got->counted.channel, got->counted.k))) {
            got->counted.sampled = 0;
            mm_engine_follow(engine, NULL, NULL, &got->counted, handle);
        }
        return;
    }
    alone = mm_engine_posted(engine, got->comm, &got->counted, got->receive);
    if (result != MPI_SUCCESS) {
        if (got->receive)
            mm_engine_completed(engine, got->receive, MM_ANY_SOURCE, 0, 1);
        else
            mm_engine_unverify(engine, got->counted.channel, MM_CHANNEL_FAILED);
        return;
    }
    if (!got->receive && got->counted.sampled && !alone) {
        pmpi_messages_count(MM_MESSAGES_DROPPED_ORDER, 1);
        got->counted.sampled = 0;
    }
    r = mm_engine_follow(engine, got->comm, got->receive, &got->counted, handle);
    if (r) {
        r->half.t_start = got->t_start;
        r->user = (uintptr_t)unknown;
    }
}

/* --- Cancel ------------------------------------------------------------------------- */

/* Cancelling a receive completes locally, so this waits for no other process. */
void pmpi_cancelled(MPI_Request *request, void *site)
{
    struct mm_engine *engine = pmpi_messages.engine;
    uintptr_t handle = pmpi_request_handle(*request);
    struct mm_receive *r = mm_engine_followed(engine, handle);
    uint64_t now = pmpi_now();
    MPI_Status status;
    int done = 0, won = 0;

    if (!r && !mm_engine_remembers(engine, handle)) {
        /* The request belongs to a send or to an old receive. If it is complete and was
         * not cancelled, it has taken its message. */
        if (PMPI_Request_get_status(*request, &done, &status) == MPI_SUCCESS && done)
            PMPI_Test_cancelled(&status, &won);
        if (!done || won)
            mm_engine_cancelled(engine, handle);
        return;
    }
    while (!done)
        if (PMPI_Request_get_status(*request, &done, &status) != MPI_SUCCESS)
            return;
    PMPI_Test_cancelled(&status, &won);
    if (won)
        mm_engine_cancelled(engine, handle);
    else if (r)
        pmpi_complete(r, now, pmpi_now(), MPI_SUCCESS, &status, site);
    pmpi_drain();
}

/* --- Collectives -------------------------------------------------------------------- */

int pmpi_together_begin(struct pmpi_together *together, unsigned function, MPI_Comm comm,
                        long long count, MPI_Datatype type, int root, void *site)
{
    struct mm_engine *engine = pmpi_messages.engine;
    struct mm_messages_collective *part = &together->part;
    struct mm_comm *known = comm == MPI_COMM_NULL ? NULL : pmpi_comm(comm);
    struct mm_messages_half where;
    uint64_t ordinal;

    pmpi_messages_tick();
    if (!known)
        return 0;
    pmpi_messages_count(MM_MESSAGES_COLLECTIVES_COUNTED, 1);
    if (!mm_engine_collective(engine, known, &ordinal))
        return 0;
    memset(part, 0, sizeof *part);
    part->comm = mm_comm_id(known);
    part->ordinal = ordinal;
    part->bytes = type == MPI_DATATYPE_NULL ? 0 : pmpi_bytes(count, type);
    part->function = (int32_t)function;
    part->root = root;
    part->p = pmpi_messages.request.collectives;
    snprintf(part->name, sizeof part->name, "%s", pmpi_names[function]);
    pmpi_half_where(&where, site);
    part->site = where.site;
    part->method = where.method;
    part->thread = where.thread;
    part->invocation = where.invocation;
    part->t_enter = part->t_wait = pmpi_now();
    return PMPI_OPEN;
}

void pmpi_together_end(struct pmpi_together *together)
{
    together->part.t_exit = pmpi_now();
    pmpi_messages_count(MM_MESSAGES_COLLECTIVES_SAMPLED, 1);
    pmpi_collective_part(&together->part);
}
