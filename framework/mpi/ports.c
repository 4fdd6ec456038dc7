/* SPDX-License-Identifier: BSD-3-Clause */
/* ports.c: the cohort's ports for instances, each with its own communicator. */
#include "framework/mpi/ranks.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ports/exchange_port.h"
#include "ports/mpi_port.h"

/* Buffer of a reduction: MPI may write into it after the reduction was abandoned. */
struct buffer {
    struct buffer *next;
    size_t room;
    max_align_t bytes[];
};

struct lent {
    struct mpi_port mpi; /* either port */
    struct exchange_port exchange;
    int is_exchange;
    struct ranks *ranks;
    MPI_Comm comm; /* communicator of the instance; MPI_COMM_NULL: not created yet */
    uint64_t number;
    unsigned generation;

    MPI_Request *requests; /* [room + 1] */
    MPI_Status *statuses;  /* [room] */
    int *sizes; /* [count] for each started message: bytes that a receive expects; -1 for
                   a send */
    int count, room;
    struct buffer *buffer;  /* list of buffers of reductions: the first buffer is in use,
                               the others were abandoned */
    MPI_Request pending[2]; /* the first: a reduction that was begun */
    int is_pending;         /* true until minimum_end, also if a step fails before */
};

enum { TAG_MOST = 32767 };

static int lent_rank(const struct lent *l)
{
    return l->ranks->cohort.rank;
}

static int lent_size(const struct lent *l)
{
    return l->ranks->cohort.size;
}

/* --- Waiting -------------------------------------------------------------- */

static int make_room(struct lent *l, int count)
{
    size_t room = (size_t)(l->room ? 2 * l->room : 8);
    void *requests, *statuses, *sizes;

    if (count <= l->room)
        return 0;
    while (room < (size_t)count)
        room *= 2;
    requests = realloc(l->requests, (room + 1) * sizeof *l->requests);
    if (requests)
        l->requests = requests;
    statuses = realloc(l->statuses, room * sizeof *l->statuses);
    if (statuses)
        l->statuses = statuses;
    sizes = realloc(l->sizes, room * sizeof *l->sizes);
    if (sizes)
        l->sizes = sizes;
    if (!requests || !statuses || !sizes)
        return -ENOMEM;
    l->room = (int)room;
    return 0;
}

/* Cancel a receive. If its message has begun to arrive, it is not cancelled but completes
 * soon, unless the sender has ended. */
static void forget_receive(MPI_Request *request)
{
    int done = 0;

    MPI_Cancel(request);
    for (int i = 0; i < 1000 && !done; i++)
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE))
            return;
    if (!done)
        MPI_Request_free(request);
}

static void forget_messages(struct lent *l)
{
    for (int i = 0; i < l->count; i++) {
        if (l->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (l->sizes[i] >= 0)
            forget_receive(&l->requests[i]);
        else
            MPI_Request_free(&l->requests[i]);
    }
    l->count = 0;
}

/* Create the instance's communicator at its first use, or report the failure. */
static int comm_make_once(struct lent *l, struct cca_error *err)
{
    struct ranks *r = l->ranks;
    MPI_Comm comm;
    int code;

    if (l->comm != MPI_COMM_NULL && l->generation == r->generation)
        return 0;
    l->comm = MPI_COMM_NULL;
    l->generation = r->generation;
    code = ranks_comm_make(r, &comm, &l->number, err);
    if (code)
        return code;
    l->comm = comm;
    /* errors in the framework's calls are returned; errors in a component's own calls end
     * the run */
    return MPI_Comm_set_errhandler(comm, l->is_exchange ? MPI_ERRORS_RETURN
                                                        : MPI_ERRORS_ARE_FATAL)
               ? cca_error_set(err, -EIO, "MPI takes no error handler")
               : 0;
}

static int comm_need(struct lent *l)
{
    return comm_make_once(l, NULL);
}

/* Check that a message has the expected size. */
static int message_check(const struct lent *l, int i)
{
    int found = 0;

    if (l->sizes[i] < 0)
        return 0;
    return PMPI_Get_count(&l->statuses[i], MPI_BYTE, &found) || found != l->sizes[i]
               ? -EBADMSG
               : 0;
}

static int exchange_wait(struct exchange_port *self)
{
    struct lent *l = cca_container_of(self, struct lent, exchange);
    int count = l->count, code;

    if (!count)
        return 0;
    code = ranks_wait(l->ranks, l->requests, count, l->statuses);
    for (int i = 0; i < count && !code; i++)
        code = message_check(l, i);
    forget_messages(l);
    return code;
}

/* --- Messages ------------------------------------------------------------- */

static int message_begin(struct lent *l, int peer, int tag, size_t size)
{
    int code;

    if (peer < 0 || peer >= lent_size(l) || tag < 0 || tag > TAG_MOST || size > INT_MAX)
        return -EINVAL;
    code = comm_need(l);
    return code ? code : make_room(l, l->count + 1);
}

static int exchange_send(struct exchange_port *self, int to, int tag, const void *bytes,
                         size_t size)
{
    struct lent *l = cca_container_of(self, struct lent, exchange);
    int code = message_begin(l, to, tag, size);

    if (code)
        return code;
    if (MPI_Isend(bytes, (int)size, MPI_BYTE, to, tag, l->comm, &l->requests[l->count]))
        return -EIO;
    l->sizes[l->count++] = -1;
    return 0;
}

static int exchange_receive(struct exchange_port *self, int from, int tag, void *bytes,
                            size_t size)
{
    struct lent *l = cca_container_of(self, struct lent, exchange);
    int code = message_begin(l, from, tag, size);

    if (code)
        return code;
    if (MPI_Irecv(bytes, (int)size, MPI_BYTE, from, tag, l->comm, &l->requests[l->count]))
        return -EIO;
    l->sizes[l->count++] = (int)size;
    return 0;
}

/* --- Reductions ----------------------------------------------------------- */

static int buffer_need(struct lent *l, size_t size)
{
    struct buffer *buffer = l->buffer;

    if (buffer && buffer->room >= size)
        return 0;
    buffer = malloc(sizeof *buffer + size);
    if (!buffer)
        return -ENOMEM;
    buffer->room = size;
    buffer->next = l->buffer ? l->buffer->next : NULL;
    free(l->buffer);
    l->buffer = buffer;
    return 0;
}

static void buffer_give_up(struct lent *l)
{
    struct buffer *empty = calloc(1, sizeof *empty);

    if (!empty)
        abort(); /* MPI still uses the first buffer, which cannot be replaced */
    empty->next = l->buffer;
    l->buffer = empty;
}

/* Run a collective operation on a copy of `values` in the reduction buffer. */
static int run_collective(struct lent *l, void *values, size_t size, MPI_Datatype type,
                          int count, MPI_Op op, int root)
{
    MPI_Request requests[2];
    void *bytes;
    int code = comm_need(l);

    if (!code)
        code = buffer_need(l, size);
    if (code)
        return code;
    bytes = l->buffer->bytes;
    memcpy(bytes, values, size);
    if (root >= 0
            ? MPI_Ibcast(bytes, count, type, root, l->comm, &requests[0])
            : MPI_Iallreduce(MPI_IN_PLACE, bytes, count, type, op, l->comm, &requests[0]))
        return -EIO;
    code = ranks_wait(l->ranks, requests, 1, NULL);
    if (code)
        buffer_give_up(l);
    else
        memcpy(values, bytes, size);
    return code;
}

/* Begin a reduction; its result is in the reduction buffer when the request completes. */
int ranks_minimum_begin(struct cca_cohort *cohort, struct cca_port *port,
                        const double *values, int count)
{
    struct lent *l = cca_container_of(port, struct lent, exchange.base);
    const size_t size = (size_t)count * sizeof *values;
    int code = comm_need(l);

    (void)cohort;
    if (!code)
        code = buffer_need(l, size);
    if (code)
        return code;
    memcpy(l->buffer->bytes, values, size);
    if (MPI_Iallreduce(MPI_IN_PLACE, l->buffer->bytes, count, MPI_DOUBLE, MPI_MIN,
                       l->comm, &l->pending[0]))
        return -EIO;
    l->is_pending = 1;
    return 0;
}

int ranks_minimum_end(struct cca_cohort *cohort, struct cca_port *port, double *values,
                      int count)
{
    struct lent *l = cca_container_of(port, struct lent, exchange.base);
    int code = -ESTALE;

    (void)cohort;
    if (l->is_pending && l->generation == l->ranks->generation)
        code = ranks_wait(l->ranks, l->pending, 1, NULL);
    if (code && l->is_pending)
        buffer_give_up(l);
    else if (!code)
        memcpy(values, l->buffer->bytes, (size_t)count * sizeof *values);
    l->is_pending = 0;
    return code;
}

static int exchange_minimum(struct exchange_port *self, double *values, int count)
{
    return count < 0 ? -EINVAL
                     : run_collective(cca_container_of(self, struct lent, exchange),
                                      values, (size_t)count * sizeof *values, MPI_DOUBLE,
                                      count, MPI_MIN, -1);
}

static int exchange_sum(struct exchange_port *self, int64_t *values, int count)
{
    return count < 0 ? -EINVAL
                     : run_collective(cca_container_of(self, struct lent, exchange),
                                      values, (size_t)count * sizeof *values, MPI_INT64_T,
                                      count, MPI_SUM, -1);
}

static int exchange_broadcast(struct exchange_port *self, int root, void *bytes,
                              size_t size)
{
    struct lent *l = cca_container_of(self, struct lent, exchange);

    return root < 0 || root >= lent_size(l) || size > INT_MAX
               ? -EINVAL
               : run_collective(l, bytes, size, MPI_BYTE, (int)size, MPI_OP_NULL, root);
}

static int exchange_barrier(struct exchange_port *self)
{
    struct lent *l = cca_container_of(self, struct lent, exchange);
    MPI_Request requests[2];
    int code = comm_need(l);

    if (!code && MPI_Ibarrier(l->comm, &requests[0]))
        code = -EIO;
    return code ? code : ranks_wait(l->ranks, requests, 1, NULL);
}

static int exchange_rank(struct exchange_port *self)
{
    return lent_rank(cca_container_of(self, struct lent, exchange));
}

static int exchange_size(struct exchange_port *self)
{
    return lent_size(cca_container_of(self, struct lent, exchange));
}

/* --- The communicator ----------------------------------------------------- */

static int mpi_rank(struct mpi_port *self)
{
    return lent_rank(cca_container_of(self, struct lent, mpi));
}

static int mpi_size(struct mpi_port *self)
{
    return lent_size(cca_container_of(self, struct lent, mpi));
}

static const char *mpi_flavour(struct mpi_port *self)
{
    return cca_container_of(self, struct lent, mpi)->ranks->cohort.flavour;
}

static int mpi_thread_level(struct mpi_port *self)
{
    return cca_container_of(self, struct lent, mpi)->ranks->thread_level;
}

static int mpi_communicator(struct mpi_port *self, void *comm, size_t size,
                            struct cca_error *err)
{
    struct lent *l = cca_container_of(self, struct lent, mpi);
    int code;

    if (size != sizeof(MPI_Comm))
        return cca_error_set(err, -EINVAL,
                             "a communicator of %zu bytes, this is %s, whose have %zu",
                             size, l->ranks->cohort.flavour, sizeof(MPI_Comm));
    code = comm_make_once(l, err);
    if (code)
        return code;
    memcpy(comm, &l->comm, sizeof(MPI_Comm));
    return 0;
}

/* --- Creation and release ------------------------------------------------- */

static const struct mpi_port mpi_methods = {
    .base = {MPI_PORT_TYPE, sizeof(struct mpi_port)},
    .rank = mpi_rank,
    .size = mpi_size,
    .flavour = mpi_flavour,
    .thread_level = mpi_thread_level,
    .communicator = mpi_communicator,
};

static const struct exchange_port exchange_methods = {
    .base = {EXCHANGE_PORT_TYPE, sizeof(struct exchange_port)},
    .rank = exchange_rank,
    .size = exchange_size,
    .send = exchange_send,
    .receive = exchange_receive,
    .wait = exchange_wait,
    .minimum = exchange_minimum,
    .sum = exchange_sum,
    .broadcast = exchange_broadcast,
    .barrier = exchange_barrier,
};

struct cca_port *ranks_serve(struct cca_cohort *cohort, const char *type)
{
    int is_mpi = !strcmp(type, MPI_PORT_TYPE);
    struct lent *l =
        is_mpi || !strcmp(type, EXCHANGE_PORT_TYPE) ? calloc(1, sizeof *l) : NULL;

    if (!l)
        return NULL;
    l->mpi = mpi_methods;
    l->exchange = exchange_methods;
    l->is_exchange = !is_mpi;
    l->ranks = cca_container_of(cohort, struct ranks, cohort);
    l->comm = MPI_COMM_NULL;
    return is_mpi ? &l->mpi.base : &l->exchange.base;
}

void ranks_unserve(struct cca_cohort *cohort, struct cca_port *port)
{
    struct lent *l = !strcmp(port->type, MPI_PORT_TYPE)
                         ? cca_container_of(port, struct lent, mpi.base)
                         : cca_container_of(port, struct lent, exchange.base);

    (void)cohort;
    forget_messages(l);
    if (l->comm != MPI_COMM_NULL && l->generation == l->ranks->generation)
        ranks_comm_give_back(l->ranks, l->comm, l->number);
    /* MPI may still write into abandoned buffers, and into the buffer of
     * a reduction that was begun */
    if (l->buffer && !l->buffer->next && !l->is_pending)
        free(l->buffer);
    free(l->requests);
    free(l->statuses);
    free(l->sizes);
    free(l);
}
