/* SPDX-License-Identifier: BSD-3-Clause */
/* mp_asker.c: the class Asker exchanges messages with the next rank, and asks its port
 * messages whether they were counted. */
#include <errno.h>
#include <mpi.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/messages_port.h"
#include "ports/mpi_port.h"

enum { ROUNDS = 200, TAG = 9 };

struct asker {
    struct go_port port;
    struct cca_services *services;
};

struct sums {
    int64_t sent, bytes, samples;
};

static int on_channel(void *context, const struct messages_channel *channel)
{
    struct sums *sums = context;

    if (channel->is_send && channel->tag == TAG) {
        sums->sent += channel->messages;
        sums->bytes += channel->bytes;
    }
    return 0;
}

static int on_class(void *context, const struct messages_class *entry)
{
    struct sums *sums = context;

    if (entry->bytes_low != 64 || entry->bytes_high != 127 || entry->latency_max_ns <= 0)
        return -EPROTO;
    sums->samples += entry->samples;
    return 0;
}

static void exchange(MPI_Comm comm)
{
    char out[100] = {0}, in[100];
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(out, sizeof out, MPI_CHAR, (rank + 1) % size, TAG, in, sizeof in,
                     MPI_CHAR, (rank + size - 1) % size, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

static int ask(struct messages_port *messages, struct cca_error *err)
{
    struct messages_counts counts;
    struct sums sums = {0};
    int code = messages->counts(messages, &counts, err);

    if (!code)
        code = messages->channels(messages, on_channel, &sums, err);
    if (!code)
        code = messages->classes(messages, on_class, &sums, err);
    if (code)
        return code;
    if (sums.sent != ROUNDS || sums.bytes != 100 * ROUNDS || counts.sent < ROUNDS ||
        counts.received < ROUNDS || counts.lost || sums.samples > counts.joined)
        return cca_error_set(err, -EPROTO, "found %lld messages of %lld bytes",
                             (long long)sums.sent, (long long)sums.bytes);
    return 0;
}

static int asker_go(struct go_port *self)
{
    struct asker *asker = cca_container_of(self, struct asker, port);
    struct cca_error err = {0};
    struct mpi_port *mpi = cca_services_get(asker->services, "mpi", &err);
    struct messages_port *messages = cca_services_get_port_nonblocking(
        asker->services, "messages", MESSAGES_PORT_TYPE, sizeof *messages, &err);
    MPI_Comm comm;
    int code =
        mpi && messages ? mpi->communicator(mpi, &comm, sizeof comm, &err) : -ENOTCONN;

    if (!code) {
        exchange(comm);
        code = ask(messages, &err);
    }
    if (mpi)
        cca_services_release_port(asker->services, "mpi", NULL);
    if (messages)
        cca_services_release_port(asker->services, "messages", NULL);
    return code ? cca_services_fail(asker->services, code, "%s",
                                    *err.text ? err.text : "not connected")
                : 0;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = asker_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct asker, services),
    .name = "Asker",
    .summary = "exchanges messages and asks whether they were counted",
    CCA_IMPLEMENTS({"go", offsetof(struct asker, port), &port.base}),
    CCA_USES(CCA_PORT("mpi", MPI_PORT_TYPE, struct mpi_port),
             CCA_PORT("messages", MESSAGES_PORT_TYPE, struct messages_port)),
};
