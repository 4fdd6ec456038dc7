/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.c: the class Pieces, whose go shares equal pieces of work among ranks, whole
 * ones, as LAPW0 does with atoms (SC2001, section 6.1). A piece is a given CPU time, or a
 * sleep, for which ranks need no core each. */
#include <mpi.h>
#include <time.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/mpi_port.h"

struct pieces {
    struct go_port go;
    struct cca_services *services;
};

static double cpu_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void work(double us, int sleeps)
{
    struct timespec rest = {(time_t)(us / 1e6), 0};
    volatile double sum = 0;
    double end = cpu_us() + us;

    rest.tv_nsec = (long)(1e3 * (us - 1e6 * (double)rest.tv_sec));
    if (sleeps)
        nanosleep(&rest, NULL);
    while (!sleeps && cpu_us() < end)
        for (int i = 0; i < 1000; i++)
            sum += i;
}

/* Rank 0, which has the most pieces, sends to all others. */
static void pass_on(MPI_Comm comm, int rank, int size)
{
    int done = 1;

    for (int other = 1; rank == 0 && other < size; other++)
        MPI_Send(&done, 1, MPI_INT, other, 0, comm);
    if (rank)
        MPI_Recv(&done, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
}

static long param(const struct pieces *p, const char *name)
{
    return cca_services_param_long(p->services, name);
}

static int go(struct go_port *self)
{
    struct pieces *p = cca_container_of(self, struct pieces, go);
    struct cca_error err = {0};
    struct mpi_port *mpi = cca_services_get(p->services, "mpi", &err);
    MPI_Comm comm;
    long all = param(p, "pieces"), each = param(p, "each"), sleeps = param(p, "sleeps");
    /* Who does not send spends no CPU time on a communicator. */
    int code = !mpi     ? err.code
               : sleeps ? mpi->communicator(mpi, &comm, sizeof comm, &err)
                        : 0;

    if (code)
        return cca_services_fail(p->services, code, "%s", err.text);
    for (long i = mpi->rank(mpi); i < all; i += mpi->size(mpi))
        work((double)each, (int)sleeps);
    for (long i = 0; i < param(p, "replicated"); i++)
        work((double)each, (int)sleeps);
    if (sleeps)
        pass_on(comm, mpi->rank(mpi), mpi->size(mpi));
    cca_services_release_port(p->services, "mpi", NULL);
    return 0;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct pieces, services),
    .name = "Pieces",
    .summary = "shares equal pieces of work",
    CCA_IMPLEMENTS({"go", offsetof(struct pieces, go), &port.base}),
    CCA_USES(CCA_PORT("mpi", MPI_PORT_TYPE, struct mpi_port)),
    CCA_PARAMS(
        {.name = "pieces", .type = CCA_LONG, .value = "36", .help = "how many"},
        {.name = "each", .type = CCA_LONG, .value = "1000", .help = "microseconds"},
        {.name = "replicated",
         .type = CCA_LONG,
         .value = "0",
         .help = "pieces that each rank does, besides"},
        {.name = "sleeps",
         .type = CCA_LONG,
         .value = "0",
         .help = "1: sleep instead, and receive from rank 0"}),
};
