/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c: calls of MPI whose number and least time are known, against what the wrappers
 * say. Run on two ranks with libmeas_FLAVOUR.so preloaded: calls [jump [alone]]. With
 * `alone` there are no threads: MPICH has a lock otherwise, which a jump out of it leaves
 * taken. */
#include "tau_port/pmpi/mpi_time.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAUSE_MS = 30, ROUNDS = 200, THREADS = 4 };

static const struct meas_mpi *mpi;
static int rank;
static jmp_buf back;

static void check(int ok, const char *claim)
{
    if (ok)
        return;
    fprintf(stderr, "rank %d: not so: %s\n", rank, claim);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

static void pause_ms(int ms)
{
    struct timespec left = {.tv_nsec = ms * 1000000L};

    while (nanosleep(&left, &left) && errno == EINTR)
        continue;
}

static int64_t sum_of(const char *name, int64_t *ns)
{
    int64_t calls = -1, time;

    for (int i = 0; mpi->name(i); i++)
        if (strcmp(mpi->name(i), name) == 0)
            mpi->values(i, &calls, &time);
    check(calls >= 0, "the function has a wrapper");
    if (ns)
        *ns = time;
    return calls;
}

/* Rank 0 waits for rank 1, which sleeps: that time is in the barrier, and in the thread's
 * sum. */
static void waiting_is_inside(void)
{
    const int64_t before = *mpi->thread_ns();
    int64_t ns;

    MPI_Barrier(MPI_COMM_WORLD);
    check(sum_of("MPI_Barrier", NULL) == 1, "one barrier is one call");
    if (rank == 1)
        pause_ms(PAUSE_MS);
    MPI_Barrier(MPI_COMM_WORLD);
    check(sum_of("MPI_Barrier", &ns) == 2, "two barriers are two calls");
    check(rank || *mpi->thread_ns() - before >= (PAUSE_MS - 1) * 1000000,
          "waiting is time in MPI");
    check(rank || ns >= (PAUSE_MS - 1) * 1000000, "waiting is time in the function");
}

/* What runs outside is not inside. */
static void computing_is_outside(void)
{
    const int64_t before = *mpi->thread_ns();

    pause_ms(1);
    check(*mpi->thread_ns() == before, "no call, no time");
}

/* A reduction's own operation calls MPI, inside of MPI. */
static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;

    MPI_Type_size(*type, &size);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void nested_calls_are_not_counted(void)
{
    int64_t sizes = sum_of("MPI_Type_size", NULL);
    int one[4] = {1, 1, 1, 1}, two[4] = {1, 1, 1, 1};
    MPI_Op op;

    MPI_Op_create(operation, 1, &op);
    MPI_Reduce_local(one, two, 4, MPI_INT, op);
    MPI_Op_free(&op);
    check(two[3] == 2, "the operation ran");
    check(sum_of("MPI_Reduce_local", NULL) == 1, "the outer call counts");
    check(sum_of("MPI_Type_size", NULL) == sizes, "the inner call does not");
}

static void leave_by_jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

/* An error handler that jumps out of MPI leaves a call that never returns. */
static void a_jump_ends_a_call(void)
{
    MPI_Errhandler handler;
    int64_t sizes;
    int value = 0;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(leave_by_jump, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    sizes = sum_of("MPI_Comm_size", NULL);
    if (!setjmp(back))
        MPI_Send(&value, 1, MPI_INT, 77, 0, comm); /* no such rank */
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    check(sum_of("MPI_Comm_size", NULL) == sizes + 1, "the call after a jump counts");
}

static void control(void)
{
    int64_t before, calls = sum_of("MPI_Comm_size", NULL);
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(sum_of("MPI_Comm_size", NULL) == calls + 1, "switched on");
    check(!mpi->was_off(), "never off until now");
    MPI_Pcontrol(0);
    before = *mpi->thread_ns();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(sum_of("MPI_Comm_size", NULL) == calls + 1 && *mpi->thread_ns() == before,
          "switched off");
    check(mpi->was_off(), "that it was off is known");
    MPI_Pcontrol(1);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(sum_of("MPI_Comm_size", NULL) == calls + 2, "switched on again");
}

static void *in_thread(void *comm)
{
    const int64_t *own = mpi->thread_ns();
    const int64_t before = *own;
    int mine = 1, sum;

    for (int i = 0; i < ROUNDS; i++)
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
    check(*own > before, "a thread has its own time");
    check(mpi->thread_ns() == own, "the address stays");
    return NULL;
}

static void threads_add_up(void)
{
    const int64_t before = sum_of("MPI_Allreduce", NULL), own = *mpi->thread_ns();
    pthread_t threads[THREADS];
    MPI_Comm comms[THREADS];

    for (int t = 0; t < THREADS; t++)
        PMPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, in_thread, &comms[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    check(sum_of("MPI_Allreduce", NULL) == before + THREADS * ROUNDS, "no call is lost");
    check(*mpi->thread_ns() == own, "other threads' time is theirs");
}

/* By function they add up to what threads have. */
static void functions_add_up(void)
{
    int64_t sum = 0;

    for (int i = 0; mpi->name(i); i++) {
        int64_t calls, ns;

        mpi->values(i, &calls, &ns);
        sum += ns;
    }
    check(sum >= *mpi->thread_ns(), "functions hold the time of threads");
}

int main(int argc, char **argv)
{
    int level;

    mpi = dlsym(RTLD_DEFAULT, MEAS_MPI);
    if (!mpi) {
        fprintf(stderr, "no wrappers in this process\n");
        return 1;
    }
    MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                    &level);
    check(sum_of("MPI_Init_thread", NULL) == 1,
          "the beginning counts before measuring is on");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(sum_of("MPI_Comm_rank", NULL) == 0, "nothing else does");
    mpi->enable(1);
    waiting_is_inside();
    computing_is_outside();
    nested_calls_are_not_counted();
    if (argc > 1)
        a_jump_ends_a_call();
    if (level == MPI_THREAD_MULTIPLE)
        threads_add_up();
    functions_add_up();
    control();
    MPI_Finalize();
    if (rank == 0)
        puts("all as expected");
    return 0;
}
