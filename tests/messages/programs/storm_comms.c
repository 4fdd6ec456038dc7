/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_comms.c: communicators that come and go, and collective calls. */
#include "tests/messages/programs/storm.h"

#include <string.h>

enum { COLOURS = 4, COLOURS_MOST = 100 };

static void check_rank(const struct worker *w, const struct family *f)
{
    int rank;

    require(w, (f->comm != MPI_COMM_NULL) == (f->colour[w->rank] >= 0),
            "another process is in a new communicator");
    if (f->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(f->comm, &rank);
    require(w, rank == f->rank[w->rank],
            "a process has another rank in a new communicator");
}

void comms_start(struct worker *w, MPI_Comm comm)
{
    struct family *f = &w->families[0];

    f->alive = 1;
    f->label = w->settings->own_tags ? 0 : w->thread * 1000000;
    w->next_label = f->label + COLOURS_MOST;
    for (int r = 0; r < w->ranks; r++) {
        f->colour[r] = 0;
        f->rank[r] = r;
    }
    f->comm = comm;
    check_rank(w, f);
}

static int size_of(const struct worker *w, const struct family *f, int colour)
{
    int size = 0;

    for (int r = 0; r < w->ranks; r++)
        size += f->colour[r] == colour;
    return size;
}

static int is_whole(const struct worker *w, const struct family *f)
{
    return !f->inter && size_of(w, f, 0) == w->ranks;
}

/* Some living family: any, or one whose communicator has all ranks. */
static struct family *some_family(struct worker *w, int whole)
{
    int start = below(&w->plan, FAMILIES_MOST);

    for (int i = 0; i < FAMILIES_MOST; i++) {
        struct family *f = &w->families[(start + i) % FAMILIES_MOST];

        if (f->alive && (!whole || is_whole(w, f)))
            return f;
    }
    return &w->families[0];
}

static void make_dup(struct worker *w, const struct family *parent, struct family *f)
{
    const int how = below(&w->plan, parent->inter ? 1 : 3);
    MPI_Request request;

    memcpy(f->colour, parent->colour, sizeof f->colour);
    memcpy(f->rank, parent->rank, sizeof f->rank);
    f->inter = parent->inter;
    if (parent->comm == MPI_COMM_NULL)
        return;
    if (how == 0)
        MPI_Comm_dup(parent->comm, &f->comm);
    else if (how == 1)
        MPI_Comm_dup_with_info(parent->comm, MPI_INFO_NULL, &f->comm);
    else {
        MPI_Comm_idup(parent->comm, &f->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static int precedes(const struct family *parent, const int *key, int a, int b)
{
    return key[a] < key[b] || (key[a] == key[b] && parent->rank[a] < parent->rank[b]);
}

static int may_split(const struct worker *w, const struct family *f)
{
    int greatest = 0;

    for (int r = 0; r < w->ranks; r++)
        greatest = f->colour[r] > greatest ? f->colour[r] : greatest;
    return (greatest + 1) * COLOURS <= COLOURS_MOST;
}

/* Colours as planned; ranks by key, then by the parent's rank, as MPI_Comm_split has it.
 */
static void make_split(struct worker *w, const struct family *parent, struct family *f)
{
    const int colours = 1 + below(&w->plan, COLOURS - 1);
    int key[RANKS_MOST];

    for (int r = 0; r < w->ranks; r++) {
        const int out = chance(&w->plan, 10), colour = below(&w->plan, colours);

        key[r] = below(&w->plan, 3);
        f->colour[r] =
            out || parent->colour[r] < 0 ? -1 : COLOURS * parent->colour[r] + colour;
    }
    for (int r = 0; r < w->ranks; r++) {
        f->rank[r] = 0;
        for (int s = 0; s < w->ranks; s++)
            f->rank[r] += f->colour[s] == f->colour[r] && precedes(parent, key, s, r);
    }
    if (parent->comm != MPI_COMM_NULL)
        MPI_Comm_split(parent->comm,
                       f->colour[w->rank] < 0 ? MPI_UNDEFINED : f->colour[w->rank],
                       key[w->rank], &f->comm);
}

/* Some of the parent's ranks in some order. */
static void make_of_group(struct worker *w, const struct family *parent, struct family *f)
{
    const int by_group = chance(&w->plan, 50), size = 1 + below(&w->plan, w->ranks);
    int ranks[RANKS_MOST], members[RANKS_MOST];
    MPI_Group all, some;

    for (int r = 0; r < w->ranks; r++)
        members[r] = r;
    for (int i = 0; i < size; i++) {
        const int j = i + below(&w->plan, w->ranks - i), member = members[j];

        members[j] = members[i];
        members[i] = member;
        ranks[i] = parent->rank[member];
        f->colour[member] = 0;
        f->rank[member] = i;
    }
    MPI_Comm_group(parent->comm, &all);
    MPI_Group_incl(all, size, ranks, &some);
    if (!by_group)
        MPI_Comm_create(parent->comm, some, &f->comm);
    else if (f->colour[w->rank] >= 0)
        MPI_Comm_create_group(parent->comm, some, f->label % 1000, &f->comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

static void make_cart(struct worker *w, const struct family *parent, struct family *f)
{
    const int periods[2] = {below(&w->plan, 2), 0};
    const int two = w->ranks >= 4 && chance(&w->plan, 50);
    const int sizes[2] = {two ? 2 : w->ranks, two ? w->ranks / 2 : 1};

    memcpy(f->rank, parent->rank, sizeof f->rank);
    for (int r = 0; r < w->ranks; r++)
        f->colour[r] = parent->rank[r] < sizes[0] * sizes[1] ? 0 : -1;
    MPI_Cart_create(parent->comm, 2, sizes, periods, 0, &f->comm);
}

static void make_inter(struct worker *w, const struct family *parent, struct family *f)
{
    const int first =
        below(&w->plan, w->ranks); /* the only one of whom the side is sure */
    int count[2] = {0, 0}, leader[2] = {-1, -1}, side;
    MPI_Comm local;

    for (int i = 0; i < w->ranks; i++) {
        int r = 0;

        while (parent->rank[r] != i)
            r++;
        side = i == first ? 0 : i == (first + 1) % w->ranks ? 1 : below(&w->plan, 2);
        f->colour[r] = side;
        f->rank[r] = count[side]++;
        if (leader[side] < 0)
            leader[side] = i;
    }
    f->inter = 1;
    side = f->colour[w->rank];
    MPI_Comm_split(parent->comm, side, 0, &local);
    MPI_Intercomm_create(local, 0, parent->comm, leader[1 - side], 9, &f->comm);
    MPI_Comm_free(&local);
}

static void make_merged(struct worker *w, const struct family *parent, struct family *f)
{
    const int low = size_of(w, parent, 0);

    for (int r = 0; r < w->ranks; r++) {
        f->colour[r] = parent->colour[r] < 0 ? -1 : 0;
        f->rank[r] = parent->rank[r] + (parent->colour[r] == 1 ? low : 0);
    }
    if (parent->comm != MPI_COMM_NULL)
        MPI_Intercomm_merge(parent->comm, parent->colour[w->rank] == 1, &f->comm);
}

static void make_one(struct worker *w, struct family *f)
{
    struct family *parent = some_family(w, 0), *whole = some_family(w, 1);
    const int kind = below(&w->plan, 6);

    memset(f, 0, sizeof *f);
    for (int r = 0; r < RANKS_MOST; r++)
        f->colour[r] = f->rank[r] = -1;
    f->comm = MPI_COMM_NULL;
    f->label = w->next_label;
    w->next_label += COLOURS_MOST;
    if (parent->inter && kind < 4)
        make_merged(w, parent, f);
    else if (kind < 2 || parent->inter)
        make_dup(w, parent, f);
    else if (kind == 2)
        make_split(w, may_split(w, parent) ? parent : whole, f);
    else if (kind == 3)
        make_of_group(w, whole, f);
    else if (kind == 4 || w->ranks < 2)
        make_cart(w, whole, f);
    else
        make_inter(w, whole, f);
    f->alive = 1;
    check_rank(w, f);
}

static void free_one(struct family *f, int disconnect)
{
    f->alive = 0;
    if (f->comm != MPI_COMM_NULL && disconnect)
        MPI_Comm_disconnect(&f->comm);
    else if (f->comm != MPI_COMM_NULL)
        MPI_Comm_free(&f->comm);
}

void comms_change(struct worker *w)
{
    struct family *f = &w->families[1 + below(&w->plan, FAMILIES_MOST - 1)];
    const int disconnect = chance(&w->plan, 20);

    if (f->alive)
        free_one(f, disconnect);
    else
        make_one(w, f);
}

void comms_end(struct worker *w)
{
    for (int i = 1; i < FAMILIES_MOST; i++)
        if (w->families[i].alive)
            free_one(&w->families[i], 0);
}

void comms_sync(struct worker *w)
{
    int one = 1, sum = 0, each[RANKS_MOST], all[RANKS_MOST];
    MPI_Request request;

    for (int i = 0; i < w->ranks; i++)
        each[i] = w->rank;
    switch (below(&w->plan, 4)) {
    case 0:
        MPI_Barrier(w->sync);
        break;
    case 1:
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, w->sync);
        require(w, sum == w->ranks, "a sum is wrong");
        break;
    case 2:
        MPI_Alltoall(each, 1, MPI_INT, all, 1, MPI_INT, w->sync);
        require(w, all[w->ranks - 1] == w->ranks - 1, "all to all is wrong");
        break;
    default:
        MPI_Ibarrier(w->sync, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

void comms_collective(struct worker *w)
{
    const struct family *f = some_family(w, 0);
    const int kind = below(&w->plan, 5);
    int value = 0, size = 1, others[RANKS_MOST];

    if (f->comm == MPI_COMM_NULL || f->inter)
        return;
    MPI_Comm_size(f->comm, &size);
    require(w, size == size_of(w, f, f->colour[w->rank]),
            "a communicator has another size");
    value = f->rank[w->rank];
    if (kind == 0) {
        MPI_Bcast(&value, 1, MPI_INT, size - 1, f->comm);
        require(w, value == size - 1, "a broadcast is wrong");
    } else if (kind == 1) {
        MPI_Reduce(&value, others, 1, MPI_INT, MPI_MAX, 0, f->comm);
        require(w, value > 0 || others[0] == size - 1, "a reduction is wrong");
    } else if (kind == 2) {
        MPI_Scan(&value, others, 1, MPI_INT, MPI_SUM, f->comm);
        require(w, others[0] == value * (value + 1) / 2, "a scan is wrong");
    } else if (kind == 3) {
        MPI_Gather(&value, 1, MPI_INT, others, 1, MPI_INT, 0, f->comm);
        require(w, value > 0 || others[size - 1] == size - 1, "a gather is wrong");
    } else {
        MPI_Allgather(&value, 1, MPI_INT, others, 1, MPI_INT, f->comm);
        require(w, others[size - 1] == size - 1, "an allgather is wrong");
    }
}
