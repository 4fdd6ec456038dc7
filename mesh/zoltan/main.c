/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: mesh-zoltan ADDRESS: serve partitions to the process at a socket (wire.h).
 *
 * Rank 0 has the socket. `mastermind balance` starts the program directly or by Open
 * MPI's launcher. Exit codes: 0: the parent closed the socket, 2: misuse, 3: an invalid
 * message, 5: an error of the socket or memory. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <trilinos/zoltan.h>

#include "mesh/child/child.h"
#include "mesh/zoltan/server.h"

enum { GO_ON = -1, BAD_MESSAGE = 3, BAD_SYSTEM = 5 };

/* Broadcast rank 0's result: GO_ON, or an exit code. */
static int agree(int code)
{
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

static int read_whole(int socket, void *bytes, size_t size)
{
    int rc = mesh_socket_read(socket, bytes, size);

    return rc == 0 ? GO_ON : rc > 0 ? 0 : BAD_SYSTEM;
}

/* Broadcast data whose size may exceed an int. */
static void share(void *bytes, int64_t size)
{
    const int64_t piece = 1 << 30;

    for (int64_t at = 0; at < size; at += piece)
        MPI_Bcast((char *)bytes + at, (int)(size - at < piece ? size - at : piece),
                  MPI_BYTE, 0, MPI_COMM_WORLD);
}

static int check_hello(const struct mesh_zoltan_hello *hello)
{
    int methods = 0;
    int64_t cells = 1;

    while (mesh_zoltan_methods[methods].name)
        methods++;
    if (hello->magic != MESH_ZOLTAN_MAGIC || hello->method < 0 ||
        hello->method >= methods || hello->dims < 1 || hello->dims > 3)
        return BAD_MESSAGE;
    for (int d = 0; d < 3; d++) {
        if (hello->n[d] < 1 || hello->n[d] > MESH_ZOLTAN_CELLS / cells)
            return BAD_MESSAGE;
        cells *= hello->n[d];
    }
    return GO_ON;
}

/* If any rank failed, get its message to rank 0. Collective. */
static int gather_fault(const struct mesh_server *s, int code, char *text, int size)
{
    struct {
        int code, rank;
    } own = {code, s->rank}, worst;

    MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    if (worst.code)
        MPI_Bcast(text, size, MPI_CHAR, worst.rank, MPI_COMM_WORLD);
    return worst.code;
}

/* Collect the owners of all cells on rank 0. Each rank sends its share in a message of
 * its own: MPI_Gatherv would need arrays of counts. */
static void gather_owners(struct mesh_server *s)
{
    int64_t first = mesh_server_first(s, s->rank),
            end = mesh_server_first(s, s->rank + 1);

    if (s->rank > 0)
        MPI_Send(s->owners + first, (int)(end - first), MPI_INT32_T, 0, 1,
                 MPI_COMM_WORLD);
    for (int r = 1; s->rank == 0 && r < s->ranks; r++) {
        int64_t from = mesh_server_first(s, r), to = mesh_server_first(s, r + 1);

        MPI_Recv(s->owners + from, (int)(to - from), MPI_INT32_T, r, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static int send_reply(const struct mesh_server *s, int socket, int code, const char *text)
{
    struct mesh_zoltan_reply reply = {MESH_ZOLTAN_MAGIC, code, s->ranks, {0}};
    int rc;

    if (s->rank > 0)
        return GO_ON;
    snprintf(reply.text, sizeof reply.text, "%s", text);
    rc = mesh_socket_write(socket, &reply, sizeof reply);
    return rc == 0 ? GO_ON : rc > 0 ? 0 : BAD_SYSTEM;
}

/* Read the mesh from the socket. Returns GO_ON or an exit code, the same on all ranks. */
static int begin(struct mesh_server *s, int socket)
{
    int result = GO_ON;

    if (s->rank == 0) {
        result = read_whole(socket, &s->hello, sizeof s->hello);
        if (result < 0)
            result = check_hello(&s->hello);
    }
    result = agree(result);
    if (result >= 0)
        return result;
    share(&s->hello, sizeof s->hello);
    s->cells = s->hello.n[0] * s->hello.n[1] * s->hello.n[2];
    s->weights = malloc((size_t)s->cells * sizeof *s->weights);
    s->owners = malloc((size_t)s->cells * sizeof *s->owners);
    if (s->hello.elements)
        s->centres = malloc((size_t)s->cells * 3 * sizeof *s->centres);
    if (!s->weights || !s->owners || (s->hello.elements && !s->centres))
        MPI_Abort(MPI_COMM_WORLD, BAD_SYSTEM);
    if (s->centres) {
        if (s->rank == 0)
            result =
                read_whole(socket, s->centres, (size_t)s->cells * 3 * sizeof *s->centres);
        result = agree(result);
        if (result >= 0)
            return result;
        share(s->centres, s->cells * 3 * (int64_t)sizeof *s->centres);
    }
    return agree(send_reply(s, socket, 0, ""));
}

/* Serve one request for a partition. Returns like `begin`. */
static int serve(struct mesh_server *s, int socket)
{
    struct mesh_zoltan_cut cut = {0, 0};
    char text[200] = "";
    int result = GO_ON, code;

    if (s->rank == 0) {
        result = read_whole(socket, &cut, sizeof cut);
        if (result < 0 && (cut.magic != MESH_ZOLTAN_MAGIC || cut.parts < 1 ||
                           cut.parts > MESH_ZOLTAN_PARTS))
            result = BAD_MESSAGE;
        if (result < 0)
            result =
                read_whole(socket, s->weights, (size_t)s->cells * sizeof *s->weights);
    }
    result = agree(result);
    if (result >= 0)
        return result;
    share(&cut, sizeof cut);
    share(s->weights, s->cells * (int64_t)sizeof *s->weights);
    code = mesh_server_cut(s, cut.parts, text, sizeof text);
    code = gather_fault(s, code, text, sizeof text);
    if (!code)
        gather_owners(s);
    result = send_reply(s, socket, code, text);
    if (result < 0 && !code && s->rank == 0) {
        int rc =
            mesh_socket_write(socket, s->owners, (size_t)s->cells * sizeof *s->owners);

        result = rc == 0 ? GO_ON : rc > 0 ? 0 : BAD_SYSTEM;
    }
    return agree(result);
}

int main(int argc, char **argv)
{
    struct mesh_server server = {.ranks = 1};
    float version;
    int socket = -1, result = GO_ON;

    if (argc != 2 || *argv[1] == '-') {
        fprintf(stderr, "mesh-zoltan: expected the address of a socket; it is started by "
                        "mastermind balance\n");
        return 2;
    }
    /* Scotch 7 starts a thread per core, and its partitions depend on their timing. */
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* end with the parent, even if Zoltan hangs */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &server.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &server.ranks);
    if (Zoltan_Initialize(argc, argv, &version) != ZOLTAN_OK)
        MPI_Abort(MPI_COMM_WORLD, BAD_SYSTEM);
    if (server.rank == 0) {
        socket = mesh_child_connect(argv[1]);
        if (socket < 0) {
            fprintf(stderr, "mesh-zoltan: %s: %s\n", argv[1], strerror(errno));
            result = BAD_SYSTEM;
        }
    }
    result = agree(result);
    if (result < 0)
        result = begin(&server, socket);
    while (result < 0)
        result = serve(&server, socket);
    free(server.centres);
    free(server.weights);
    free(server.owners);
    MPI_Finalize();
    return result;
}
