/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c: the cohort of an MPI program: gathers, alarms, start and end.
 *
 * An alarm is a message to each other rank with the serial number of the gather in which
 * its sender waits. A rank that waits in a port has a receive of alarms among its
 * requests. */
#include "framework/mpi/ranks.h"
#include "framework/mpi/parts.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

enum { ALARM_TAG = 1, WORDS_MS = 100 };

static struct ranks *ranks_of(struct cca_cohort *cohort)
{
    return cca_container_of(cohort, struct ranks, cohort);
}

/* --- Alarms --------------------------------------------------------------- */

static int listen_for_alarms(struct ranks *r)
{
    return PMPI_Irecv(&r->heard, 1, MPI_UINT64_T, MPI_ANY_SOURCE, ALARM_TAG, r->comm,
                      &r->alarm)
               ? -EIO
               : 0;
}

/* Handle an arrived alarm; ignore it if its gather is finished. */
static int receive_alarm(struct ranks *r, const MPI_Status *status)
{
    if (r->heard > r->gathers && r->alarmed_by < 0)
        r->alarmed_by = status->MPI_SOURCE;
    return listen_for_alarms(r);
}

static int look_for_alarms(struct ranks *r)
{
    int come = 1;

    while (come) {
        MPI_Status status;

        if (PMPI_Test(&r->alarm, &come, &status) || (come && receive_alarm(r, &status)))
            return -EIO;
    }
    return 0;
}

static int alarmed(struct cca_cohort *cohort)
{
    struct ranks *r = ranks_of(cohort);

    look_for_alarms(r);
    return r->alarmed_by;
}

/* Send an alarm to all other ranks, unless the last alarm is still being sent. */
static void raise_alarm(struct ranks *r)
{
    int gone = 1;

    for (int rank = 0; rank < r->cohort.size && gone; rank++)
        if (PMPI_Test(&r->raising[rank], &gone, MPI_STATUS_IGNORE))
            return;
    if (!gone)
        return;
    r->raised = r->gathers + 1;
    for (int rank = 0; rank < r->cohort.size; rank++)
        if (rank != r->cohort.rank && PMPI_Isend(&r->raised, 1, MPI_UINT64_T, rank,
                                                 ALARM_TAG, r->comm, &r->raising[rank]))
            r->raising[rank] = MPI_REQUEST_NULL;
}

static int scratch_need(struct ranks *r, int count)
{
    int *indices;
    MPI_Status *statuses;

    if (count <= r->room)
        return 0;
    indices = realloc(r->indices, (size_t)count * sizeof *indices);
    if (indices)
        r->indices = indices;
    statuses = realloc(r->statuses, (size_t)count * sizeof *statuses);
    if (statuses)
        r->statuses = statuses;
    if (!indices || !statuses)
        return -ENOMEM;
    r->room = count;
    return 0;
}

/* Return MPI's error code of the first failure among the completed requests. */
static int error_of(int code, const MPI_Status *statuses, int done)
{
    for (int i = 0; code == MPI_ERR_IN_STATUS && i < done; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS &&
            statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            return statuses[i].MPI_ERROR;
    return code;
}

int ranks_wait(struct ranks *r, MPI_Request *requests, int count, MPI_Status *statuses)
{
    int left = 0, done = 0, code = look_for_alarms(r);

    if (!code)
        code = scratch_need(r, count + 1);
    for (int i = 0; i < count; i++)
        left += requests[i] != MPI_REQUEST_NULL;
    requests[count] = r->alarm;
    while (!code && left > 0 && r->alarmed_by < 0) {
        r->error = MPI_Waitsome(count + 1, requests, &done, r->indices, r->statuses);
        if (r->error) {
            r->error = error_of(r->error, r->statuses, done);
            code = -EIO;
        }
        for (int i = 0; i < done && !code; i++) {
            int index = r->indices[i];

            if (index == count) {
                code = receive_alarm(r, &r->statuses[i]);
                requests[count] = r->alarm;
                continue;
            }
            left--;
            if (statuses)
                statuses[index] = r->statuses[i];
        }
    }
    return code ? code : left && r->alarmed_by >= 0 ? -ECANCELED : 0;
}

/* --- Gathers -------------------------------------------------------------- */

/* Sleep, as other ranks may compute for hours and need the core. */
static void nap(int64_t waited_ms)
{
    const struct timespec pause = {.tv_nsec = waited_ms < 16 ? 1000000 / 16 * waited_ms
                                                             : 1000000};

    if (waited_ms < 1)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

static int await(struct ranks *r, MPI_Request *request, int failing)
{
    const int64_t start = cca_clock_ns(CLOCK_MONOTONIC) / 1000000;
    int done = 0, raised = 0;

    for (;;) {
        int64_t waited = cca_clock_ns(CLOCK_MONOTONIC) / 1000000 - start;

        if (PMPI_Test(request, &done, MPI_STATUS_IGNORE))
            return -EIO;
        if (done)
            return 0;
        if (failing && !raised && waited >= CCA_COHORT_ALARM_MS) {
            raise_alarm(r);
            raised = 1;
        }
        if (failing && waited >= CCA_COHORT_GRACE_MS)
            return -ETIMEDOUT;
        nap(waited);
    }
}

static int gather(struct cca_cohort *cohort, const void *mine, size_t bytes, void *all,
                  int failing)
{
    struct ranks *r = ranks_of(cohort);
    MPI_Request request;
    int code;

    if (PMPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, r->comm,
                        &request))
        return -EIO;
    code = await(r, &request, failing);
    if (code)
        return code;
    r->gathers++;
    code = look_for_alarms(r);
    r->alarmed_by = -1;
    return code;
}

/* Create a new communicator of which the ports' communicators are duplicates. If this
 * fails, requests for a communicator fail. */
static void renew(struct cca_cohort *cohort)
{
    struct ranks *r = ranks_of(cohort);

    r->generation++;
    ranks_comms_renew(r);
}

/* --- The end -------------------------------------------------------------- */

/* End all processes after a short wait: the launcher does not wait for their output. */
static void end_all(struct cca_cohort *cohort, int status)
{
    const struct timespec heard = {.tv_nsec = WORDS_MS * 1000000};

    watch_silence(ranks_of(cohort)->watch);
    nanosleep(&heard, NULL);
    PMPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

/* Thread that ends the process if MPI_Finalize hangs, as it may after messages were
 * lost. */
static void *watch_the_end(void *context)
{
    const struct timespec grace = {.tv_sec = CCA_COHORT_GRACE_MS / 1000};

    nanosleep(&grace, NULL);
    _exit((int)(intptr_t)context);
}

static void ranks_free(struct ranks *r)
{
    free(r->raising);
    free(r->indices);
    free(r->statuses);
    free(r->back);
    free(r);
}

static void ranks_close(struct cca_cohort *cohort, int status)
{
    struct ranks *r = ranks_of(cohort);
    MPI_Request request;
    pthread_t watch;
    int watched, together;

    watch_free(r->watch);
    /* all ranks must leave together: a rank that left earlier would look as if it had
     * died */
    together =
        PMPI_Ibarrier(r->comm, &request) == 0 && await(r, &request, status != 0) == 0;
    watched = pthread_create(&watch, NULL, watch_the_end,
                             (void *)(intptr_t)(status ? status : 4)) == 0;
    if (together && status == 0 && ranks_comms_compare(r, &request) == 0 &&
        await(r, &request, 0) == 0)
        ranks_comms_free(r);
    if (together && PMPI_Cancel(&r->alarm) == 0)
        PMPI_Wait(&r->alarm, MPI_STATUS_IGNORE);
    MPI_Finalize();
    if (watched && pthread_cancel(watch) == 0)
        pthread_join(watch, NULL);
    ranks_free(r);
}

/* --- The beginning -------------------------------------------------------- */

static int level_of(int provided)
{
    return provided == MPI_THREAD_MULTIPLE     ? 3
           : provided == MPI_THREAD_SERIALIZED ? 2
           : provided == MPI_THREAD_FUNNELED   ? 1
                                               : 0;
}

static const struct cca_cohort methods = {
#ifdef OPEN_MPI
    .flavour = "openmpi",
#else
    .flavour = "mpich",
#endif
    .gather = gather,
    .alarmed = alarmed,
    .renew = renew,
    .serve = ranks_serve,
    .unserve = ranks_unserve,
    .minimum_begin = ranks_minimum_begin,
    .minimum_end = ranks_minimum_end,
    .abort = end_all,
    .close = ranks_close,
};

static int open_comm(struct ranks *r)
{
    if (MPI_Comm_dup(MPI_COMM_WORLD, &r->comm) ||
        PMPI_Comm_set_errhandler(r->comm, MPI_ERRORS_RETURN) ||
        PMPI_Comm_rank(r->comm, &r->cohort.rank) ||
        PMPI_Comm_size(r->comm, &r->cohort.size))
        return -EIO;
    r->raising = malloc((size_t)r->cohort.size * sizeof(MPI_Request));
    if (!r->raising)
        return -ENOMEM;
    for (int rank = 0; rank < r->cohort.size; rank++)
        r->raising[rank] = MPI_REQUEST_NULL;
    return ranks_comms_renew(r) ? -EIO : listen_for_alarms(r);
}

__attribute__((visibility("default"))) struct cca_cohort *
cca_cohort_open(struct cca_error *err);

struct cca_cohort *cca_cohort_open(struct cca_error *err)
{
    struct ranks *r = calloc(1, sizeof *r);
    struct sentinel sentinel;
    int begun = 0, provided = MPI_THREAD_SINGLE, code = 0;

    if (!r) {
        cca_no_memory(err);
        return NULL;
    }
    r->cohort = methods;
    r->alarmed_by = -1;
    sentinel_begin(&sentinel);
    if (MPI_Initialized(&begun) ||
        (begun ? MPI_Query_thread(&provided)
               : MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided)))
        code = -EIO;
    r->thread_level = level_of(provided);
    if (!code)
        code = open_comm(r);
    if (!code) {
        r->watch = watch_new(&r->cohort, &sentinel);
        return &r->cohort;
    }
    sentinel_end(&sentinel);
    cca_error_set(err, code, code == -EIO ? "%s does not start" : "%s: out of memory",
                  r->cohort.flavour);
    ranks_free(r);
    return NULL;
}
