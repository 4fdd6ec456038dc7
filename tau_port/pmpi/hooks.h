/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks.h: functions that wrappers call around PMPI if sampling was requested. wrap.py
 * writes these calls into the wrappers; compiled once per flavour.
 *
 * A hook has a begin before PMPI, and an end after it. Begin reads its clock last, end
 * first, and the time inside MPI is measured between them. A begin returns 0 if there is
 * nothing to do afterwards; its struct was then not written. No hook waits for another
 * process, or holds a lock during a call of PMPI. */
#ifndef TAU_PORT_PMPI_HOOKS_H
#define TAU_PORT_PMPI_HOOKS_H

#include "messages/engine/hot.h"
#include "tau_port/pmpi/comms.h"
#include "tau_port/pmpi/messages.h"
#include "tau_port/pmpi/mpi_headers.h"
#include "tau_port/pmpi/pmpi.h"

/* Whether sampling was requested. If not, this is the only test that a wrapper makes. */
static inline int pmpi_asked(void)
{
    return __builtin_expect(__atomic_load_n(&pmpi_sampling, __ATOMIC_RELAXED), 0);
}

/* The callsite of the Fortran wrapper that is running, for the C wrapper that it calls;
 * else NULL. */
extern __thread void *pmpi_fortran_site __attribute__((tls_model("initial-exec")));

/* The callsite of a C wrapper: `own`, or the callsite of the Fortran wrapper that called
 * it. A call from a callback inside has its own callsite. */
static inline void *pmpi_site_taken(void *own)
{
    void *site = pmpi_fortran_site;

    if (__builtin_expect(!site, 1))
        return own;
    pmpi_fortran_site = NULL;
    return site;
}

/* sites.c: key of the callsite of a return address, which is added to the file. */
uint64_t pmpi_site_key(void *site);
/* sites.c: whether the callsite passes the filter site=GLOB. */
int pmpi_site_passes(void *site);

/* --- Requests ------------------------------------------------------------------- */

/* The requests of a call that completes or starts them, and how many were examined. */
struct pmpi_splits {
    int count;
    uint64_t handles[64]; /* handles of the requests; 0: a null request */
};

/* Set the class of the call: the first in the order of enum pmpi_kind that any of its
 * requests has. Returns 1. */
static inline int pmpi_split_requests(struct pmpi_splits *splits, int count,
                                      const MPI_Request *requests)
{
    enum { MOST = sizeof splits->handles / sizeof *splits->handles };
    unsigned first = PMPI_KINDS;

    splits->count = count < 0 || !pmpi_timing() ? 0 : count < MOST ? count : MOST;
    for (int i = 0; i < splits->count; i++) {
        unsigned kind = PMPI_KINDS;

        splits->handles[i] = 0;
        if (requests[i] != MPI_REQUEST_NULL) {
            splits->handles[i] = pmpi_request_handle(requests[i]);
            kind = pmpi_split_known(splits->handles[i]);
        }
        first = kind < first ? kind : first;
    }
    if (pmpi_timing() && !(pmpi_mine && pmpi_mine->inside))
        pmpi_split_next(first < PMPI_KINDS ? (enum pmpi_kind)first : PMPI_KIND_OWN);
    return 1;
}

/* Forget requests that are complete: MPI reuses their handles. */
static inline void pmpi_split_done(const struct pmpi_splits *splits,
                                   const MPI_Request *requests)
{
    for (int i = 0; i < splits->count; i++)
        if (splits->handles[i] && requests[i] == MPI_REQUEST_NULL)
            pmpi_split_forget(splits->handles[i]);
}

/* --- Sends ---------------------------------------------------------------------- */

struct pmpi_sent {
    struct mm_counted counted;
    struct mm_messages_half half; /* the send's record, valid if the send is sampled */
    int sampled;
    int64_t early;
};

enum {
    PMPI_COUNTED = 1,
    PMPI_OPEN = 2
}; /* results of begin functions: OPEN requires the end function */

/* The last datatype whose size was queried. Handles are reused, so freeing a type clears
 * the struct. With several threads its two words could not be read together, and it stays
 * empty. */
extern struct pmpi_type {
    MPI_Datatype type;
    int size, known;
} pmpi_last_type;
uint64_t pmpi_bytes_slowly(long long count, MPI_Datatype type);
static inline uint64_t pmpi_bytes(long long count, MPI_Datatype type)
{
    return __builtin_expect(pmpi_last_type.known && pmpi_last_type.type == type, 1)
               ? (uint64_t)count * (uint64_t)pmpi_last_type.size
               : pmpi_bytes_slowly(count, type);
}

int pmpi_send_slowly(struct pmpi_sent *sent, MPI_Comm comm, int dest, int tag,
                     uint64_t bytes, void *site);
static inline int pmpi_send_begin(struct pmpi_sent *sent, MPI_Comm comm, int dest,
                                  int tag, long long count, MPI_Datatype type, void *site)
{
    uint64_t bytes;
    struct mm_channel *channel;

    if (dest == MPI_PROC_NULL)
        return 0;
    bytes = pmpi_bytes(count, type);
    channel = mm_hot_send(pmpi_messages.engine, pmpi_comm_handle(comm), dest, tag, bytes);
    if (__builtin_expect(!channel, 0))
        return pmpi_send_slowly(sent, comm, dest, tag, bytes, site);
    sent->counted.channel = channel;
    return PMPI_COUNTED;
}
void pmpi_send_end(struct pmpi_sent *sent, int result, int nonblocking);
/* End of a nonblocking send; called whatever pmpi_send_begin returned (`hooked`). */
void pmpi_isend_end(struct pmpi_sent *sent, int hooked, int result, MPI_Request request);
/* Called when a send that has no struct pmpi_sent has failed. */
void pmpi_send_failed(MPI_Comm comm, int dest, int tag);
void pmpi_type_gone(void);

/* --- Receives ------------------------------------------------------------------- */

struct pmpi_got {
    struct mm_counted counted;
    /* the engine's entry of the receive while its serial is unknown */
    struct mm_receive *receive;
    struct mm_comm *comm;
    uint64_t t_start;
    /* the status to pass to MPI if the program passed MPI_STATUS_IGNORE */
    MPI_Status status;
};

int pmpi_recv_slowly(struct pmpi_got *got, MPI_Comm comm, int source, int tag);
static inline int pmpi_recv_begin(struct pmpi_got *got, MPI_Comm comm, int source,
                                  int tag)
{
    struct mm_channel *channel;

    pmpi_messages_tick();
    channel = mm_hot_post(pmpi_messages.engine, pmpi_comm_handle(comm), source, tag,
                          &got->counted.k);
    if (__builtin_expect(!channel, 0))
        return pmpi_recv_slowly(got, comm, source, tag);
    got->counted.channel = channel;
    got->receive = NULL;
    return PMPI_COUNTED;
}
void pmpi_recv_end(struct pmpi_got *got, int result, MPI_Status *status, void *site);
/* `unknown`: the request's status will have no source and tag. */
void pmpi_irecv_slowly(struct pmpi_got *got, int hooked, int result, MPI_Request request,
                       int unknown);
static inline void pmpi_irecv_end(struct pmpi_got *got, int hooked, int result,
                                  MPI_Request request, int unknown)
{
    if (hooked != PMPI_COUNTED || result != MPI_SUCCESS || pmpi_messages.threads ||
        !mm_hot_remember(pmpi_messages.engine, pmpi_request_handle(request),
                         got->counted.channel, got->counted.k))
        pmpi_irecv_slowly(got, hooked, result, request, unknown);
}

/* --- Completions ------------------------------------------------------------------ */

enum { PMPI_WAIT_OWN = 24 };

struct pmpi_wait {
    int count;
    uint64_t t_enter;
    /* [count] receives by index of the request; NULL: not followed */
    struct mm_receive **receives;
    MPI_Status *statuses; /* [count] statuses to use if the program passed none */
    size_t mapped; /* bytes of mapped arrays, which replace the arrays below if those are
                    * too small: */
    struct mm_receive *own_receives[PMPI_WAIT_OWN];
    MPI_Status own_statuses[PMPI_WAIT_OWN];
};

extern int pmpi_together_pending; /* number of sampled collectives in progress;
                                   * accessed with __atomic */

/* Whether any request is followed, or any sampled collective in progress, so that
 * completing calls must be examined. */
static inline int pmpi_following(void)
{
    return mm_engine_following(pmpi_messages.engine) > 0 ||
           __atomic_load_n(&pmpi_together_pending, __ATOMIC_RELAXED) > 0;
}

int pmpi_wait_begin(struct pmpi_wait *wait, int count, const MPI_Request *requests);
/* End a call in which request number `index` has completed; MPI_UNDEFINED: no request. */
void pmpi_wait_one(struct pmpi_wait *wait, int index, int result,
                   const MPI_Status *status, void *site);
void pmpi_wait_some(struct pmpi_wait *wait, int done, const int *indices, int result,
                    const MPI_Status *statuses, void *site);
void pmpi_wait_all(struct pmpi_wait *wait, int result, const MPI_Status *statuses,
                   void *site);
/* End a call that has returned without completing a request. */
void pmpi_wait_none(struct pmpi_wait *wait);

void pmpi_cancelled(MPI_Request *request, void *site);
/* Call before PMPI_Request_free. */
void pmpi_request_gone(MPI_Request *request);

/* --- Persistent requests ------------------------------------------------------------ */

/* Note a new persistent request, which sends or receives at each start. */
void pmpi_persistent(MPI_Request request, int sends, MPI_Comm comm, int peer, int tag,
                     long long count, MPI_Datatype type);

struct pmpi_start; /* state of a starting call, defined in hooks_start.c */
/* Begin a call that starts persistent requests. NULL: nothing to do afterwards. */
struct pmpi_start *pmpi_start_begin(int count, const MPI_Request *requests, void *site);
void pmpi_start_end(struct pmpi_start *start, const MPI_Request *requests, int result);

/* --- Matched probes ----------------------------------------------------- */

struct pmpi_probe {
    struct mm_counted counted;
    struct mm_comm *comm;
    MPI_Status status;
};

int pmpi_probe_begin(struct pmpi_probe *probe, MPI_Comm comm, int source, int tag);
/* End a matched probe, which has returned; `found` 0: it took no message. */
void pmpi_probe_end(struct pmpi_probe *probe, int found, MPI_Message message,
                    const MPI_Status *status);

struct pmpi_matched {
    struct mm_receive *receive;
    uint64_t t_start;
    MPI_Status status;
};

int pmpi_matched_begin(struct pmpi_matched *matched, MPI_Message message);
void pmpi_matched_end(struct pmpi_matched *matched, int result, const MPI_Status *status,
                      void *site);
void pmpi_imatched_end(struct pmpi_matched *matched, int result, MPI_Request request);

/* --- Collectives
 * ------------------------------------------------------------------------ */

struct pmpi_together {
    struct mm_messages_collective part;
};

int pmpi_together_begin(struct pmpi_together *together, unsigned function, MPI_Comm comm,
                        long long count, MPI_Datatype type, int root, void *site);
void pmpi_together_end(struct pmpi_together *together);

/* Note that a nonblocking collective was started; `together` NULL: it is no sample. */
void pmpi_together_started(const struct pmpi_together *together, int result,
                           MPI_Request request);
/* called when the request of a nonblocking collective was freed */
void pmpi_together_gone(uintptr_t request);

enum { PMPI_JOINING = 8 };

/* Nonblocking collectives among the requests of a completing call. */
struct pmpi_joining {
    int count;
    uint64_t t_enter;
    struct {
        int index;
        uintptr_t request;
    } at[PMPI_JOINING];
};

int pmpi_joining_begin(struct pmpi_joining *joining, int count,
                       const MPI_Request *requests);
void pmpi_joining_end(struct pmpi_joining *joining, const MPI_Request *requests);

/* A request handle now belongs to a request of another kind; before, it may have belonged
 * to a message. */
static inline void pmpi_request_other(MPI_Request request)
{
    mm_hot_other(pmpi_messages.engine, pmpi_request_handle(request), NULL);
}

#endif
