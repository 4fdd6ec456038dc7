/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c: the class Ring calls MPI on the communicator that it borrows.
 */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/mpi_port.h"

struct ring {
    struct go_port port;
    struct cca_services *services;
};

/* The communicator of the previous instance: two instances must not have the same
 * communicator. */
static MPI_Comm other = MPI_COMM_NULL;

/* Send tokens round the ring of ranks; each rank sums the tokens that it receives. */
static int work(struct ring *k, struct mpi_port *mpi, MPI_Comm comm)
{
    int rank = mpi->rank(mpi), size = mpi->size(mpi), own, token = rank, sum = 0,
        compared;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &compared);
    if (own != rank || compared != MPI_CONGRUENT)
        return cca_services_fail(k->services, -EPROTO,
                                 "another communicator than promised");
    if (rank == cca_services_param_long(k->services, "fails"))
        return cca_services_fail(k->services, -EDOM, "no more fuel");
    if (other != MPI_COMM_NULL)
        MPI_Comm_compare(comm, other, &compared);
    other = comm;
    if (compared != MPI_CONGRUENT)
        return cca_services_fail(k->services, -EPROTO,
                                 "two instances share a communicator");
    for (int i = 0; i < size; i++) {
        sum += token;
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0,
                             (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
    if (sum != size * (size - 1) / 2)
        return cca_services_fail(k->services, -EPROTO, "rank %d summed %d", rank, sum);
    printf("%s: %d ranks of %s, thread level %d\n",
           cca_services_instance_name(k->services), size, mpi->flavour(mpi),
           mpi->thread_level(mpi));
    return 0;
}

static int ring_go(struct go_port *self)
{
    struct ring *k = cca_container_of(self, struct ring, port);
    struct cca_error err = {0};
    struct mpi_port *mpi = cca_services_get(k->services, "mpi", &err);
    MPI_Comm comm, again;
    char wrong[3];
    int code = mpi ? mpi->communicator(mpi, &comm, sizeof comm, &err) : -ENOTCONN;

    if (code)
        return cca_services_fail(k->services, code, "%s", err.text);
    if (mpi->communicator(mpi, &again, sizeof again, &err) || again != comm)
        return cca_services_fail(k->services, -EPROTO, "the communicator changes");
    if (mpi->communicator(mpi, wrong, sizeof wrong, NULL) != -EINVAL)
        return cca_services_fail(k->services, -EPROTO, "a wrong size is not refused");
    code = work(k, mpi, comm);
    cca_services_release_port(k->services, "mpi", NULL);
    return code;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = ring_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct ring, services),
    .name = "Ring",
    .summary = "sends a token round",
    CCA_IMPLEMENTS({"go", offsetof(struct ring, port), &port.base}),
    CCA_USES(CCA_PORT("mpi", MPI_PORT_TYPE, struct mpi_port)),
    CCA_PARAMS({.name = "fails",
                .type = CCA_LONG,
                .value = "-1",
                .help = "the rank that fails"}),
};
