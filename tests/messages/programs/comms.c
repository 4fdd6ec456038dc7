/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c: messages on a communicator of each way to make one, for a sampler to follow.
 *
 *     comms [--meet | --spawn]      on 4 ranks or more; --spawn: on any
 *
 * All tags are different: the tag of a message names its communicator. Each rank writes
 * what it received, sorted by nothing, as lines "TAG FROM TO SERIAL KIND", to the file
 * comms.truth.RANK: FROM and TO are ranks of MPI_COMM_WORLD, and SERIAL counts the
 * messages of this tag from FROM to TO. Ends with 1 where a message is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 3, MOST = 64 };

struct payload {
    int tag, from, to, serial;
};

static int world_rank, world_size, next_tag, wrong;
static FILE *truth;

static void check(const struct payload *p, int tag, int serial, const char *kind)
{
    if (p->tag != tag || p->to != world_rank || p->serial != serial) {
        fprintf(stderr,
                "comms: rank %d, %s: found tag %d to %d serial %d, expected %d %d %d\n",
                world_rank, kind, p->tag, p->to, p->serial, tag, world_rank, serial);
        wrong = 1;
    }
    fprintf(truth, "%d %d %d %d %s\n", tag, p->from, p->to, p->serial, kind);
}

/* Every rank sends to every rank of the other group, or of its own. `world` names the
 * ranks. */
static void talk(MPI_Comm comm, const char *kind, int tag)
{
    struct payload out[MOST], in[MOST];
    MPI_Request requests[2 * MOST];
    int inter, size, rank, n = 0, peers[MOST], me = world_rank;

    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &rank);
    if (inter)
        MPI_Comm_remote_size(comm, &size);
    else
        MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) { /* who is it? */
        MPI_Request q;

        MPI_Isend(&me, 1, MPI_INT, i, 0, comm, &q);
        MPI_Recv(&peers[i], 1, MPI_INT, i, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < size; i++)
        for (int k = 0; k < MESSAGES; k++)
            MPI_Irecv(&in[i * MESSAGES + k], sizeof *in, MPI_BYTE, i, tag, comm,
                      &requests[n++]);
    for (int i = 0; i < size; i++)
        for (int k = 0; k < MESSAGES; k++) {
            out[i * MESSAGES + k] = (struct payload){tag, world_rank, peers[i], k};
            MPI_Isend(&out[i * MESSAGES + k], sizeof *out, MPI_BYTE, i, tag, comm,
                      &requests[n++]);
        }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size; i++)
        for (int k = 0; k < MESSAGES; k++)
            check(&in[i * MESSAGES + k], tag, k, kind);
}

/* The same calls on all ranks, so the same tag for ways that only some take. */
static int a_tag(void)
{
    return ++next_tag;
}

static void use(MPI_Comm comm, const char *kind)
{
    int tag = a_tag();

    if (comm != MPI_COMM_NULL)
        talk(comm, kind, tag);
}

static void use_and_free(MPI_Comm comm, const char *kind)
{
    use(comm, kind);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void duplicates(void)
{
    MPI_Comm comm, child;
    MPI_Request request;

    use(MPI_COMM_WORLD, "world");
    use(MPI_COMM_SELF, "self");
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    use_and_free(comm, "dup-of-self");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, "dup");
    MPI_Comm_dup(comm, &child);
    use_and_free(child, "dup-of-dup");
    MPI_Comm_free(&comm);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use_and_free(comm, "dup_with_info");
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(comm, "idup");
    MPI_Comm_dup(comm, &child);
    use_and_free(child, "dup-of-idup");
    MPI_Comm_free(&comm);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_and_free(comm, "idup_with_info");
#endif
    /* Handles are used again, in another order on each rank's heap. */
    for (int i = 0; i < 8; i++) {
        void *hole = malloc((size_t)(world_rank + 1) * 100);

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        free(hole);
        use_and_free(comm, "reused");
    }
}

static void parts(void)
{
    const int most[] = {0, 2, 3}, pair[] = {world_rank & ~1, (world_rank & ~1) + 1};
    MPI_Group world, group;
    MPI_Comm colour, comm;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &colour);
    use(colour, "split");
    /* Only one colour makes more. */
    if (world_rank % 2 == 0) {
        MPI_Comm_dup(colour, &comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_dup(colour, &comm);
    use_and_free(comm, "dup-of-split");
    MPI_Comm_free(&colour);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use_and_free(comm, "split_type");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, most, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    use_and_free(comm, "create");
    comm = MPI_COMM_NULL;
    if (world_rank == 0 || world_rank == 2 || world_rank == 3)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
    use_and_free(comm, "create_group");
    MPI_Group_free(&group);
    comm = MPI_COMM_NULL;
    if (pair[1] < world_size) { /* at the same time, with the same tag */
        MPI_Group_incl(world, 2, pair, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
        MPI_Group_free(&group);
    }
    use_and_free(comm, "create_group-pairs");
    MPI_Group_free(&world);
}

static void topologies(void)
{
    int sizes[2] = {2, world_size / 2}, periods[2] = {1, 0}, remain[2] = {0, 1};
    int weight = 1, index[MOST], edges[2 * MOST], next = (world_rank + 1) % world_size,
        before = (world_rank + world_size - 1) % world_size;
    MPI_Comm grid, comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &grid);
    use(grid, "cart_create");
    if (grid != MPI_COMM_NULL) {
        MPI_Cart_sub(grid, remain, &comm);
        use_and_free(comm, "cart_sub");
        MPI_Comm_free(&grid);
    } else {
        a_tag();
    }
    for (int i = 0; i < world_size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % world_size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 1, &comm);
    use_and_free(comm, "graph_create");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &next, &weight,
                                   MPI_INFO_NULL, 1, &comm);
    use_and_free(comm, "dist_graph_create_adjacent");
    index[0] = 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, index, &next, &weight,
                          MPI_INFO_NULL, 1, &comm);
    use_and_free(comm, "dist_graph_create");
}

static void intercommunicators(void)
{
    int odd = world_rank % 2;
    MPI_Comm half, inter, comm;

    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 99, &inter);
    use(inter, "intercomm_create");
    MPI_Comm_dup(inter, &comm);
    use_and_free(comm, "dup-of-intercomm");
    MPI_Intercomm_merge(inter, odd, &comm);
    use(comm, "intercomm_merge");
    MPI_Comm_free(&comm);
    MPI_Intercomm_merge(inter, !odd, &comm);
    use_and_free(comm, "intercomm_merge-again");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* The two halves meet by a port; each has made another number of communicators. */
static void meeting(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int odd = world_rank % 2;
    MPI_Comm half, comm;

    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    if (odd) {
        MPI_Comm_dup(half, &comm);
        MPI_Comm_free(&comm);
    }
    if (world_rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (odd)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &comm);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &comm);
    use(comm, "connect");
    MPI_Comm_disconnect(&comm);
    if (world_rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
}

/* Messages may overtake each other here: nothing of them is to be sampled. */
static void disorder(void)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    use_and_free(comm, "overtaking");
#ifndef OPEN_MPI /* 4.1 hangs */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_info(comm, info);
    use_and_free(comm, "overtaking-set");
#endif
    MPI_Info_free(&info);
}

/* The children are another job; they talk to us, and with us in a merged communicator. */
static void parent_and_children(const char *self, MPI_Comm parent)
{
    char option[] = "--spawn", *arguments[] = {option, NULL};
    MPI_Comm inter = parent, comm;

    next_tag = 1000;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    else
        world_rank += 100;
    use(inter, "spawn");
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &comm);
    use(comm, "merge-with-spawned");
    MPI_Comm_free(&comm);
    MPI_Comm_disconnect(&inter);
}

static void open_truth(MPI_Comm parent)
{
    char name[64];

    snprintf(name, sizeof name, "comms.truth.%s%d",
             parent == MPI_COMM_NULL ? "" : "child", world_rank);
    truth = fopen(name, "w");
    if (!truth) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int count, char **arguments)
{
    MPI_Comm parent;
    int spawns = count > 1 && strcmp(arguments[1], "--spawn") == 0;

    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_get_parent(&parent);
    open_truth(parent);
    if (spawns) {
        parent_and_children(arguments[0], parent);
    } else {
        duplicates();
        parts();
        topologies();
        intercommunicators();
        disorder();
        if (count > 1 && strcmp(arguments[1], "--meet") == 0)
            meeting();
    }
    fclose(truth);
    MPI_Finalize();
    return wrong;
}
