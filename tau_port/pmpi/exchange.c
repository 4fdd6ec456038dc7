/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c: carry records of sends to other processes, as batches in messages of our
 * own; exchange counts at the end.
 *
 * Before MPI_Finalize nothing here waits: if a wrapper waited for another rank, the
 * program would hang when that rank waits for this one. */
#include "tau_port/pmpi/exchange.h"
#include "tau_port/pmpi/comms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RECEIVES = 4 };

MPI_Comm pmpi_world = MPI_COMM_NULL;

/* Batches are handed over while a lock is held, but PMPI must be called without it: so a
 * batch is first marked ASKED, and sent soon afterwards by one thread at a time. */
enum progress { IDLE, ASKED, UNDER_WAY };

struct outgoing {
    int progress; /* progress of sending the batch: enum progress; accessed with
                   * __atomic */
    int process;
    size_t bytes;
    const void *data;
    MPI_Request request;
};

static struct {
    int on, failed; /* failed: after an error of MPI nothing is exchanged any more;
                     * accessed with __atomic */
    int asked;      /* 1: some entry of `out` is ASKED; accessed with __atomic */
    struct outgoing out[MM_BATCH_BUFFERS];
    MPI_Request receives[RECEIVES];
    /* [processes] number of batches sent to each process, and received from it */
    uint32_t *sent, *come;
    /* [RECEIVES] receive buffers of batches */
    struct mm_messages_half (*in)[MM_BATCH_HALVES];
    uint64_t pushed; /* number of displaced records of slots that were counted so far */
    char *slot_peer; /* [processes] 1: the process shares the slots in memory */
} state;

static int has_failed(void)
{
    return __atomic_load_n(&state.failed, __ATOMIC_RELAXED);
}

static void fail(void)
{
    __atomic_store_n(&state.failed, 1, __ATOMIC_RELAXED);
}

/* --- All processes -------------------------------------------------------- */

int pmpi_world_open(void)
{
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &pmpi_world))
        return -1;
    PMPI_Comm_set_errhandler(pmpi_world, MPI_ERRORS_RETURN);
    return 0;
}

void pmpi_world_close(void)
{
    PMPI_Comm_free(&pmpi_world);
}

int64_t pmpi_world_least(int64_t value)
{
    int64_t least = value;

    return PMPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, pmpi_world) ? INT64_MIN
                                                                               : least;
}

/* --- Batches -------------------------------------------------------------- */

static int ask_batch(void *context, int process, int buffer, const void *data,
                     size_t bytes)
{
    struct outgoing *out = &state.out[buffer];

    (void)context;
    if (has_failed())
        return -EIO;
    out->process = process;
    out->data = data;
    out->bytes = bytes;
    __atomic_store_n(&out->progress, ASKED, __ATOMIC_RELEASE);
    __atomic_store_n(&state.asked, 1, __ATOMIC_RELEASE);
    return 0;
}

static int batch_done(void *context, int buffer)
{
    (void)context;
    return has_failed() ||
           __atomic_load_n(&state.out[buffer].progress, __ATOMIC_ACQUIRE) == IDLE;
}

static void push(struct outgoing *out)
{
    int progress = __atomic_load_n(&out->progress, __ATOMIC_ACQUIRE), done = 0;

    if (progress == ASKED) {
        if (PMPI_Isend(out->data, (int)out->bytes, MPI_BYTE, out->process, PMPI_TAG_BATCH,
                       pmpi_world, &out->request)) {
            fail();
            return;
        }
        state.sent[out->process]++;
        __atomic_store_n(&out->progress, UNDER_WAY, __ATOMIC_RELAXED);
    } else if (progress == UNDER_WAY) {
        if (PMPI_Test(&out->request, &done, MPI_STATUS_IGNORE))
            fail();
        else if (done)
            __atomic_store_n(&out->progress, IDLE, __ATOMIC_RELEASE);
    }
}

static int listen_for(int i)
{
    if (PMPI_Irecv(state.in[i], sizeof state.in[i], MPI_BYTE, MPI_ANY_SOURCE,
                   PMPI_TAG_BATCH, pmpi_world, &state.receives[i]) == MPI_SUCCESS)
        return 0;
    state.receives[i] = MPI_REQUEST_NULL;
    fail();
    return -1;
}

static void take_batch(int i, const MPI_Status *status)
{
    int bytes = 0;

    PMPI_Get_count(status, MPI_BYTE, &bytes);
    for (int k = 0; k < bytes / (int)sizeof state.in[i][0]; k++)
        mm_join_send(pmpi_messages.join, &state.in[i][k]);
    state.come[status->MPI_SOURCE]++;
    listen_for(i);
}

static void take_batches(void)
{
    MPI_Status statuses[RECEIVES];
    int indices[RECEIVES], done = 1;

    while (!has_failed() && done > 0) {
        if (PMPI_Testsome(RECEIVES, state.receives, &done, indices, statuses)) {
            fail();
            return;
        }
        for (int i = 0; i < done; i++) /* MPI_UNDEFINED is negative */
            take_batch(indices[i], &statuses[i]);
    }
}

int pmpi_exchange_asked(void)
{
    return __atomic_load_n(&state.asked, __ATOMIC_RELAXED);
}

void pmpi_exchange_poll(int flush)
{
    if (pmpi_messages.slots) {
        uint64_t pushed = mm_slots_pushed(pmpi_messages.slots);

        pmpi_messages_count(MM_MESSAGES_DROPPED_POOL, pushed - state.pushed);
        state.pushed = pushed;
    }
    if (!state.on)
        return;
    if (flush)
        mm_batches_flush(pmpi_messages.batches);
    __atomic_store_n(&state.asked, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < MM_BATCH_BUFFERS && !has_failed(); i++)
        push(&state.out[i]);
    take_batches();
}

/* --- Slots of a node ------------------------------------------------------ */

static void name_slot_peers(MPI_Comm node)
{
    MPI_Group here, all;
    int count = 0, process;

    PMPI_Comm_group(node, &here);
    PMPI_Comm_group(pmpi_world, &all);
    PMPI_Group_size(here, &count);
    for (int i = 0; i < count; i++)
        if (PMPI_Group_translate_ranks(here, 1, &i, all, &process) == MPI_SUCCESS)
            state.slot_peer[process] = 1;
    PMPI_Group_free(&here);
    PMPI_Group_free(&all);
    pmpi_messages.slot_peer = state.slot_peer;
}

/* Open the table in all processes of a node, or in none; processes without it exchange
 * batches. */
static int open_slots(MPI_Comm node)
{
    struct mm_slots **slots = &pmpi_messages.slots;
    char name[MM_SLOTS_NAME] = "";
    int rank = 0, size = 1, mine, least = 0;

    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, &size);
    if (rank == 0)
        *slots = mm_slots_make((size_t)size * MM_SLOTS_PER_PROCESS, name, NULL);
    if (PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, node) == MPI_SUCCESS && rank && *name)
        *slots = mm_slots_open(name, NULL);
    mine = *slots != NULL;
    if (PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, node))
        least = 0;
    if (*slots)
        mm_slots_unlink(*slots);
    if (least)
        return 1;
    mm_slots_close(*slots);
    *slots = NULL;
    return 0;
}

static void meet_node(void)
{
    MPI_Comm node;

    if (PMPI_Comm_split_type(pmpi_world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node))
        return;
    if (open_slots(node))
        name_slot_peers(node);
    PMPI_Comm_free(&node);
}

/* --- Start and end -------------------------------------------------------- */

int pmpi_exchange_begin(struct cca_error *err)
{
    const struct mm_batch_transport transport = {.start = ask_batch, .done = batch_done};
    struct pmpi_messages *m = &pmpi_messages;
    size_t processes = (size_t)m->processes;

    for (int i = 0; i < RECEIVES; i++)
        state.receives[i] = MPI_REQUEST_NULL;
    state.sent = calloc(processes, sizeof *state.sent);
    state.come = calloc(processes, sizeof *state.come);
    state.slot_peer = calloc(processes, 1);
    state.in = malloc(RECEIVES * sizeof *state.in);
    if (!state.sent || !state.come || !state.slot_peer || !state.in)
        return cca_error_set(err, -ENOMEM, "out of memory");
    m->batches =
        mm_batches_new(&transport, m->processes, m->threads, m->head->counts, err);
    return m->batches ? 0 : -ENOMEM;
}

int pmpi_exchange_meet(void)
{
    if (!pmpi_messages.batches)
        return 0;
    state.on = 1;
    if (pmpi_messages.request.via == MM_VIA_SLOTS)
        meet_node();
    for (int i = 0; i < RECEIVES; i++)
        if (listen_for(i))
            return -1;
    return 0;
}

void pmpi_exchange_end(void)
{
    for (int i = 0; i < RECEIVES && state.on; i++) {
        if (state.receives[i] == MPI_REQUEST_NULL || PMPI_Cancel(&state.receives[i]))
            continue;
        PMPI_Wait(&state.receives[i], MPI_STATUS_IGNORE);
    }
    if (!has_failed()) /* after a failure MPI may still read some buffers */
        mm_batches_free(pmpi_messages.batches);
    mm_slots_close(pmpi_messages.slots);
    free(state.slot_peer);
    free(state.sent);
    free(state.come);
    free(state.in);
    memset(&state, 0, sizeof state);
}

/* --- The end: only here waiting is allowed -------------------------------- */

/* Whether all batches have arrived. Each process knows how many come from each other
 * process. */
static int has_all(const uint32_t *expected)
{
    int i = 0;

    while (i < pmpi_messages.processes && state.come[i] >= expected[i])
        i++;
    return i == pmpi_messages.processes;
}

void pmpi_exchange_drain(void)
{
    uint32_t *expected;

    if (!state.on)
        return;
    expected = calloc((size_t)pmpi_messages.processes, sizeof *expected);
    while (!has_failed() && mm_batches_flush(pmpi_messages.batches) > 0)
        pmpi_exchange_poll(0);
    if (PMPI_Alltoall(state.sent, 1, MPI_UINT32_T, expected ? expected : state.come, 1,
                      MPI_UINT32_T, pmpi_world))
        fail();
    while (expected && !has_failed() && !has_all(expected))
        pmpi_exchange_poll(0);
    free(expected);
}

/* --- Counts of both ends -------------------------------------------------- */

struct end {
    uint64_t hash, count;
    int32_t peer;
    uint32_t side;
    /* the channel of our own entry; NULL in entries from other processes */
    struct mm_channel *channel;
};

struct ends {
    struct end *list;
    size_t count, room;
};

static void count_end(void *context, struct mm_channel *channel)
{
    (void)channel;
    ++*(size_t *)context;
}

static void collect_end(void *context, struct mm_channel *channel)
{
    const struct mm_messages_channel *entry = mm_channel_entry(channel);
    struct ends *ends = context;

    if (ends->count < ends->room && entry->peer >= 0)
        ends->list[ends->count++] = (struct end){.hash = entry->hash,
                                                 .count = entry->count,
                                                 .peer = entry->peer,
                                                 .side = entry->side,
                                                 .channel = channel};
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->side < y->side ? -1 : x->side > y->side;
}

static int collect(struct ends *ends)
{
    *ends = (struct ends){0};
    mm_engine_channels(pmpi_messages.engine, count_end, &ends->room);
    ends->list = malloc(ends->room * sizeof *ends->list + 1);
    if (!ends->list)
        return -1;
    mm_engine_channels(pmpi_messages.engine, collect_end, ends);
    qsort(ends->list, ends->count, sizeof *ends->list, compare_ends);
    return 0;
}

/* Compare one of our entries for a peer with the peer's entry for us, and flag the
 * channel if their counts differ. */
static void check_end(const struct end *mine, const struct end *theirs, size_t count)
{
    struct end wanted = {.hash = mine->hash,
                         .peer = pmpi_messages.process,
                         .side = mine->side == MM_MESSAGES_SEND ? MM_MESSAGES_RECEIVE
                                                                : MM_MESSAGES_SEND};
    const struct end *other =
        bsearch(&wanted, theirs, count, sizeof *theirs, compare_ends);

    if (mine->count != (other ? other->count : 0))
        mm_engine_unverify(pmpi_messages.engine, mine->channel, MM_CHANNEL_COUNTS);
}

/* The entries for each peer are a contiguous range of each list. */
struct stretches {
    /* [processes] by peer: number of our entries, and of the peer's */
    uint32_t *mine, *theirs;
    struct end *come;
    MPI_Request *requests; /* [2 processes] requests of a send and a receive for each
                              peer */
};

static void swap_ends(const struct ends *ends, struct stretches *s)
{
    size_t from = 0, to = 0;
    int n = 0;

    for (int i = 0; i < pmpi_messages.processes; i++) {
        if (s->theirs[i])
            PMPI_Irecv(s->come + to, (int)(s->theirs[i] * sizeof *s->come), MPI_BYTE, i,
                       PMPI_TAG_CHANNELS, pmpi_world, &s->requests[n++]);
        to += s->theirs[i];
    }
    for (int i = 0; i < pmpi_messages.processes; i++) {
        if (s->mine[i])
            PMPI_Isend(ends->list + from, (int)(s->mine[i] * sizeof *s->come), MPI_BYTE,
                       i, PMPI_TAG_CHANNELS, pmpi_world, &s->requests[n++]);
        from += s->mine[i];
    }
    while (n > 0)
        if (PMPI_Wait(&s->requests[--n], MPI_STATUS_IGNORE))
            fail();
}

static void check_all(const struct ends *ends, const struct stretches *s)
{
    size_t from = 0, to = 0;

    for (int i = 0; i < pmpi_messages.processes; i++) {
        for (uint32_t k = 0; k < s->mine[i]; k++)
            check_end(&ends->list[from + k], s->come + to, s->theirs[i]);
        from += s->mine[i];
        to += s->theirs[i];
    }
}

/* A process without memory sends nothing: its peers will find that their channels
 * differ. */
static int make_stretches(const struct ends *ends, struct stretches *s)
{
    size_t processes = (size_t)pmpi_messages.processes;

    s->mine = calloc(processes, sizeof *s->mine);
    s->theirs = calloc(processes, sizeof *s->theirs);
    s->requests = malloc(2 * processes * sizeof(MPI_Request));
    if (!s->mine || !s->theirs || !s->requests)
        return -1;
    for (size_t i = 0; i < ends->count; i++)
        s->mine[ends->list[i].peer]++;
    return 0;
}

void pmpi_exchange_compare(void)
{
    struct stretches s = {0};
    struct ends ends;
    size_t all = 0;
    int ready = collect(&ends) == 0 && make_stretches(&ends, &s) == 0;

    if (pmpi_world_least(ready) == 1 &&
        PMPI_Alltoall(s.mine, 1, MPI_UINT32_T, s.theirs, 1, MPI_UINT32_T, pmpi_world) ==
            MPI_SUCCESS) {
        for (int i = 0; i < pmpi_messages.processes; i++)
            all += s.theirs[i];
        s.come = malloc(all * sizeof *s.come + 1);
        ready = s.come != NULL;
        if (pmpi_world_least(ready) == 1) {
            swap_ends(&ends, &s);
            if (!has_failed())
                check_all(&ends, &s);
        }
    }
    free(s.come);
    free(s.mine);
    free(s.theirs);
    free(s.requests);
    free(ends.list);
}
