/* SPDX-License-Identifier: BSD-3-Clause */
/* mp_borrower.c: the class Borrower takes the communicator of its mpi port and the
 * messages of its exchange port, and uses each once. */
#include <errno.h>
#include <mpi.h>

#include "framework/cca.h"
#include "ports/exchange_port.h"
#include "ports/go_port.h"
#include "ports/mpi_port.h"

struct borrower {
    struct go_port port;
    struct cca_services *services;
};

static int sum_by_mpi(struct cca_services *services, int64_t *sum, struct cca_error *err)
{
    struct mpi_port *mpi = cca_services_get(services, "mpi", err);
    int64_t rank = mpi ? mpi->rank(mpi) : 0;
    MPI_Comm comm;
    int code = mpi ? mpi->communicator(mpi, &comm, sizeof comm, err) : -ENOTCONN;

    if (!code)
        MPI_Allreduce(&rank, sum, 1, MPI_INT64_T, MPI_SUM, comm);
    if (mpi)
        cca_services_release_port(services, "mpi", NULL);
    return code;
}

static int sum_by_exchange(struct cca_services *services, int64_t *sum,
                           struct cca_error *err)
{
    struct exchange_port *ranks = cca_services_get(services, "exchange", err);
    int code = ranks ? 0 : -ENOTCONN;

    if (ranks) {
        *sum = ranks->rank(ranks);
        code = ranks->sum(ranks, sum, 1);
        cca_services_release_port(services, "exchange", NULL);
    }
    return code;
}

static int borrower_go(struct go_port *self)
{
    struct borrower *k = cca_container_of(self, struct borrower, port);
    struct cca_error err = {0};
    int64_t by_mpi = -1, by_exchange = -2;
    int code = sum_by_mpi(k->services, &by_mpi, &err);

    if (!code)
        code = sum_by_exchange(k->services, &by_exchange, &err);
    if (code)
        return cca_services_fail(k->services, code, "%s",
                                 *err.text ? err.text : "no exchange");
    return by_mpi == by_exchange ? 0
                                 : cca_services_fail(k->services, -EPROTO, "sums differ");
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port},
                                    .go = borrower_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct borrower, services),
    .name = "Borrower",
    .summary = "borrows two communicators and uses each once",
    CCA_IMPLEMENTS({"go", offsetof(struct borrower, port), &port.base}),
    CCA_USES(CCA_PORT("mpi", MPI_PORT_TYPE, struct mpi_port),
             CCA_PORT("exchange", EXCHANGE_PORT_TYPE, struct exchange_port)),
};
