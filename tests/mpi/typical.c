/* SPDX-License-Identifier: BSD-3-Clause */
/* typical.c: what programs do with MPI: typical PATTERN... What it prints depends on the
 * patterns and the number of ranks alone. Into $OWN.RANK each rank writes how often it
 * has called each function, and how long that took by a clock around the call: "NAME
 * CALLS NS". */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef ROUNDS
#define ROUNDS 10
#endif
enum { THREADS = 4, MOST = 64, CELLS = 1000 };

static struct tally {
    const char *name;
    long calls;
    int64_t ns;
} tallies[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rank, size;
static long result; /* of the pattern, summed over ranks at the end */

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void add(const char *name, int code, int64_t start)
{
    const int64_t ns = now() - start;
    struct tally *t = tallies;

    if (code != MPI_SUCCESS)
        abort();
    pthread_mutex_lock(&lock);
    while (t->name && strcmp(t->name, name) != 0)
        t++;
    t->name = name;
    t->calls++;
    t->ns += ns;
    pthread_mutex_unlock(&lock);
}

#define CALL(function, ...)                                                              \
    do {                                                                                 \
        int64_t start_ = now();                                                          \
        int code_ = function(__VA_ARGS__);                                               \
        add(#function, code_, start_);                                                   \
    } while (0)

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int right(void)
{
    return (rank + 1) % size;
}

static int left(void)
{
    return (rank + size - 1) % size;
}

static void ring(void)
{
    int token = 0;

    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0)
            CALL(MPI_Send, &token, 1, MPI_INT, right(), 0, WORLD);
        CALL(MPI_Recv, &token, 1, MPI_INT, left(), 0, WORLD, IGNORE);
        token++;
        if (rank != 0)
            CALL(MPI_Send, &token, 1, MPI_INT, right(), 0, WORLD);
    }
    result = token;
}

static void halo(void)
{
    double cells[CELLS + 2] = {0};
    int dims[1] = {0}, periods[1] = {1}, low, high;
    MPI_Comm line;

    CALL(MPI_Dims_create, size, 1, dims);
    CALL(MPI_Cart_create, WORLD, 1, dims, periods, 0, &line);
    CALL(MPI_Cart_shift, line, 0, 1, &low, &high);
    cells[1] = rank;
    for (int i = 0; i < ROUNDS; i++) {
        CALL(MPI_Sendrecv, &cells[CELLS], 1, MPI_DOUBLE, high, 0, &cells[0], 1,
             MPI_DOUBLE, low, 0, line, IGNORE);
        CALL(MPI_Sendrecv, &cells[1], 1, MPI_DOUBLE, low, 1, &cells[CELLS + 1], 1,
             MPI_DOUBLE, high, 1, line, IGNORE);
        for (int c = 1; c <= CELLS; c++)
            cells[c] = (cells[c - 1] + cells[c] + cells[c + 1]) / 3;
    }
    CALL(MPI_Comm_free, &line);
    for (int c = 1; c <= CELLS; c++)
        result += (long)(cells[c] * 1e6);
}

static void reduce(void)
{
    long all[64], value = 0, sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        value = rank + i;
        CALL(MPI_Bcast, &value, 1, MPI_LONG, i % size, WORLD);
        value += rank;
        CALL(MPI_Reduce, &value, &sum, 1, MPI_LONG, MPI_MAX, 0, WORLD);
        CALL(MPI_Allreduce, &value, &sum, 1, MPI_LONG, MPI_SUM, WORLD);
        CALL(MPI_Scan, &sum, &value, 1, MPI_LONG, MPI_SUM, WORLD);
        CALL(MPI_Allgather, &value, 1, MPI_LONG, all, 1, MPI_LONG, WORLD);
        CALL(MPI_Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_LONG, WORLD);
        result += all[0];
    }
}

static void nonblocking(void)
{
    int in[2][16], out[2][16], done = 0;
    MPI_Request requests[4], barrier;

    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 16; k++)
            out[0][k] = out[1][k] = rank + i + k;
        CALL(MPI_Irecv, in[0], 16, MPI_INT, left(), 0, WORLD, &requests[0]);
        CALL(MPI_Irecv, in[1], 16, MPI_INT, right(), 1, WORLD, &requests[1]);
        CALL(MPI_Isend, out[0], 16, MPI_INT, right(), 0, WORLD, &requests[2]);
        CALL(MPI_Isend, out[1], 16, MPI_INT, left(), 1, WORLD, &requests[3]);
        CALL(MPI_Waitall, 4, requests, MPI_STATUSES_IGNORE);
        result += in[0][3] + in[1][15];
    }
    CALL(MPI_Ibarrier, WORLD, &barrier);
    while (!done)
        CALL(MPI_Test, &barrier, &done, IGNORE);
}

static void types(void)
{
    double from[20][20], to[20][20] = {{0}};
    char packed[4096];
    int place = 0;
    MPI_Datatype column;

    for (int i = 0; i < 400; i++)
        from[i / 20][i % 20] = rank + i;
    CALL(MPI_Type_vector, 20, 1, 20, MPI_DOUBLE, &column);
    CALL(MPI_Type_commit, &column);
    for (int i = 0; i < ROUNDS; i++)
        CALL(MPI_Sendrecv, &from[0][i % 20], 1, column, right(), 0, &to[0][i % 20], 1,
             column, left(), 0, WORLD, IGNORE);
    CALL(MPI_Pack, &to[0][7], 1, column, packed, sizeof packed, &place, WORLD);
    CALL(MPI_Type_free, &column);
    result = (long)to[19][19] + place;
}

static void comms(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm copy, half, inner;
        int own = rank, sum;

        CALL(MPI_Comm_dup, WORLD, &copy);
        CALL(MPI_Comm_split, copy, rank % 2, rank, &half);
        CALL(MPI_Comm_dup, half, &inner);
        CALL(MPI_Allreduce, &own, &sum, 1, MPI_INT, MPI_SUM, inner);
        CALL(MPI_Barrier, copy);
        result += sum;
        CALL(MPI_Comm_free, &inner);
        CALL(MPI_Comm_free, &half);
        CALL(MPI_Comm_free, &copy);
    }
}

static void rma(void)
{
    int *shared, own = rank, got = 0;
    MPI_Win window;

    CALL(MPI_Win_allocate, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &shared,
         &window);
    memset(shared, 0, 4 * sizeof(int));
    for (int i = 0; i < ROUNDS; i++) {
        CALL(MPI_Win_fence, 0, window);
        CALL(MPI_Put, &own, 1, MPI_INT, right(), 0, 1, MPI_INT, window);
        CALL(MPI_Accumulate, &own, 1, MPI_INT, left(), 1, 1, MPI_INT, MPI_SUM, window);
        CALL(MPI_Win_fence, 0, window);
        CALL(MPI_Get, &got, 1, MPI_INT, left(), 0, 1, MPI_INT, window);
        CALL(MPI_Win_fence, 0, window);
        result += got;
    }
    result += shared[1];
    CALL(MPI_Win_free, &window);
}

static void io(void)
{
    MPI_File file;
    int out[8], in[8];

    CALL(MPI_File_open, WORLD, "typical.data",
         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
         &file);
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 8; k++)
            out[k] = 100 * i + rank + k;
        CALL(MPI_File_write_at_all, file,
             (MPI_Offset)((i * size + rank) * 8 * (int)sizeof(int)), out, 8, MPI_INT,
             IGNORE);
    }
    CALL(MPI_File_sync, file);
    CALL(MPI_Barrier, WORLD);
    CALL(MPI_File_read_at, file,
         (MPI_Offset)((19 * size + right()) * 8 * (int)sizeof(int)), in, 8, MPI_INT,
         IGNORE);
    result = in[7];
    CALL(MPI_File_close, &file);
}

static void persistent(void)
{
    int out, in;
    MPI_Request requests[2];

    CALL(MPI_Send_init, &out, 1, MPI_INT, right(), 0, WORLD, &requests[0]);
    CALL(MPI_Recv_init, &in, 1, MPI_INT, left(), 0, WORLD, &requests[1]);
    for (int i = 0; i < ROUNDS; i++) {
        out = rank * i;
        CALL(MPI_Startall, 2, requests);
        CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
        result += in;
    }
    CALL(MPI_Request_free, &requests[0]);
    CALL(MPI_Request_free, &requests[1]);
}

/* Each thread has a tag of its own. */
static void *talk(void *context)
{
    const int tag = *(int *)context;
    int got = 0;

    for (int i = 0; i < ROUNDS; i++)
        CALL(MPI_Sendrecv, &tag, 1, MPI_INT, right(), tag, &got, 1, MPI_INT, left(), tag,
             WORLD, IGNORE);
    pthread_mutex_lock(&lock);
    result += got;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    int tags[THREADS];

    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&all[i], NULL, talk, &tags[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

/* One more process, which is this program again. */
static char *program;
static void spawn(void)
{
    char pattern[] = "child", *arguments[] = {pattern, NULL};
    MPI_Comm child;
    int got = 0;

    CALL(MPI_Comm_spawn, program, arguments, 1, MPI_INFO_NULL, 0, WORLD, &child,
         MPI_ERRCODES_IGNORE);
    if (rank == 0)
        CALL(MPI_Recv, &got, 1, MPI_INT, 0, 0, child, IGNORE);
    CALL(MPI_Comm_disconnect, &child);
    result = got;
}

static void child(void)
{
    int own = 42;
    MPI_Comm parent;

    unsetenv("OWN"); /* it is not one of those that are compared */
    CALL(MPI_Comm_get_parent, &parent);
    CALL(MPI_Send, &own, 1, MPI_INT, 0, 0, parent);
    CALL(MPI_Comm_disconnect, &parent);
}

#if MPI_VERSION >= 4
/* Without MPI_Init. */
static void sessions(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    CALL(MPI_Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    CALL(MPI_Group_from_session_pset, session, "mpi://WORLD", &group);
    CALL(MPI_Comm_create_from_group, group, "typical", MPI_INFO_NULL,
         MPI_ERRORS_ARE_FATAL, &comm);
    CALL(MPI_Comm_rank, comm, &rank);
    for (int i = 0; i < ROUNDS; i++)
        CALL(MPI_Barrier, comm);
    CALL(MPI_Group_free, &group);
    CALL(MPI_Comm_free, &comm);
    CALL(MPI_Session_finalize, &session);
}
#endif

static void write_own(void)
{
    const char *prefix = getenv("OWN");
    char path[256];
    FILE *file;

    if (!prefix)
        return;
    snprintf(path, sizeof path, "%s.%d", prefix, rank);
    file = fopen(path, "w");
    for (const struct tally *t = tallies; file && t->name; t++)
        fprintf(file, "%s %ld %lld\n", t->name, t->calls, (long long)t->ns);
    if (!file || fclose(file))
        abort();
}

static const struct {
    const char *name;
    void (*run)(void);
} patterns[] = {{"ring", ring},       {"halo", halo},
                {"reduce", reduce},   {"nonblocking", nonblocking},
                {"types", types},     {"rma", rma},
                {"comms", comms},     {"persistent", persistent},
                {"threads", threads}, {"io", io},
                {"spawn", spawn},     {"child", child}};

static void run(const char *wanted)
{
    long sum;

    result = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(wanted, patterns[i].name) == 0)
            patterns[i].run();
    CALL(MPI_Reduce, &result, &sum, 1, MPI_LONG, MPI_SUM, 0, WORLD);
    if (rank == 0 && strcmp(wanted, "child") != 0)
        printf("%s: %ld\n", wanted, sum);
}

int main(int argc, char **argv)
{
    int level, fails = 0;

    program = argv[0];
#if MPI_VERSION >= 4
    if (argc == 2 && strcmp(argv[1], "sessions") == 0) {
        sessions();
        write_own();
        return 0;
    }
#endif
    CALL(MPI_Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CALL(MPI_Comm_rank, WORLD, &rank);
    CALL(MPI_Comm_size, WORLD, &size);
    for (int i = 1; i < argc; i++) {
        fails |= strcmp(argv[i], "fails") == 0;
        run(argv[i]);
    }
    CALL(MPI_Finalize);
    write_own();
    return fails ? 5 : 0;
}
