/* SPDX-License-Identifier: BSD-3-Clause */
/* mp_counting_flux.c: the class CountingFlux stands in front of a flux and counts its
 * finished calls in a file that outlives the process: calls.RANK in the working
 * directory, with RANK from the environment. At a count that is given, one rank kills
 * another, or itself: what a rank has finished is then known without the recorder. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/flux_port.h"

struct counting {
    struct flux_port port;
    struct cca_services *services;
    int64_t *shared; /* process id, finished calls; NULL: not open yet */
    int64_t kill_at; /* the count to kill at; 0: another rank does, or nobody */
};

/* The file of a rank, made where it is missing. */
static int64_t *counts_open(long rank)
{
    char path[64];
    void *at = MAP_FAILED;
    int file;

    snprintf(path, sizeof path, "calls.%ld", rank);
    file = open(path, O_RDWR | O_CREAT, 0600);
    if (file >= 0 && ftruncate(file, 2 * sizeof(int64_t)) == 0)
        at = mmap(NULL, 2 * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

static int counting_open(struct counting *k)
{
    int rank = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    k->shared = counts_open(rank);
    if (!k->shared)
        return -EIO;
    __atomic_store_n(&k->shared[0], getpid(), __ATOMIC_RELEASE);
    if (rank == cca_services_param_long(k->services, "killer"))
        k->kill_at = cca_services_param_long(k->services, "kill_at");
    return 0;
}

/* The rank to kill may not have begun: then again at the next call. */
static void victim_kill(struct counting *k)
{
    int64_t *victim = counts_open(cca_services_param_long(k->services, "victim"));

    if (victim && __atomic_load_n(victim, __ATOMIC_ACQUIRE) > 0)
        kill((pid_t)*victim, SIGKILL);
    else
        k->kill_at++;
    if (victim)
        munmap(victim, 2 * sizeof(int64_t));
}

static int counting_compute(struct flux_port *self, int axis, int nx, int ny,
                            int64_t patch, const double *left, const double *right,
                            double *flux, int64_t *iterations, int64_t *active)
{
    struct counting *k = cca_container_of(self, struct counting, port);
    CCA_USE(struct flux_port, behind, k->services, "behind");
    int code = !behind ? -ENOTCONN : k->shared ? 0 : counting_open(k);

    if (code)
        return code;
    code = behind->compute(behind, axis, nx, ny, patch, left, right, flux, iterations,
                           active);
    if (__atomic_add_fetch(&k->shared[1], 1, __ATOMIC_RELEASE) == k->kill_at)
        victim_kill(k);
    return code;
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = counting_compute};

static void counting_destroy(void *self)
{
    struct counting *k = self;

    if (k->shared)
        munmap(k->shared, 2 * sizeof(int64_t));
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct counting, services),
    .name = "CountingFlux",
    .summary = "counts the calls of a flux; kills a rank at a count",
    CCA_IMPLEMENTS({"flux", offsetof(struct counting, port), &port.base}),
    CCA_USES(CCA_REQUIRED("behind", FLUX_PORT_TYPE, struct flux_port)),
    CCA_PARAMS(
        {"killer", CCA_LONG, "-1", NULL, NULL, NULL, NULL, "rank that kills", NULL},
        {"victim", CCA_LONG, "-1", NULL, NULL, NULL, NULL, "rank that dies", NULL},
        {"kill_at", CCA_LONG, "0", "0", NULL, NULL, "calls",
         "of the killer that have finished", NULL}),
    .destroy = counting_destroy,
};
