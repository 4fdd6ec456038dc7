/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.c: compare the clocks of nodes in MPI_Init and in MPI_Finalize, where ranks may
 * wait for each other. In between no wrapper may wait, so nothing is measured: a sample
 * that is joined during the run has an error bound that grows with the time since
 * MPI_Init; readers of the files interpolate.
 *
 * Processes of equal boot id and kind of clock share their ticks. The first of them leads
 * the node; leaders compare clocks along a tree, and each process derives its own points
 * from its leader's.
 *
 * MM_CLOCK_SHIFT="ns,ppm" in the environment, for tests: the process's clock is `ns`
 * ahead and runs `ppm` parts per million fast; the process counts as a node of its
 * own. */
#include "messages/clocks/clocks.h"
#include "tau_port/pmpi/comms.h"
#include "tau_port/pmpi/exchange.h"
#include "tau_port/pmpi/pmpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

enum { PINGS = 50 };

int pmpi_clock_shifted;

/* A process's clock; each process has these data of all processes. */
struct clock_of {
    /* hash that identifies the node; processes with equal hashes share one tick
     * counter */
    uint64_t node;
    uint64_t epoch;
    double ns_per_tick;
    struct mm_messages_clock_point point; /* latest comparison of a leader's clock */
    /* leader: leading process of the node; leads: the process's number among leaders, or
     * -1 */
    int32_t leader, leads;
};

static struct {
    double shift_ns, shift_ppm;
    uint64_t shift_from, node;
    /* [processes] clock of each process, by rank; NULL: all processes are on one node */
    struct clock_of *clocks;
    int *leaders, leader_count;
} state;

/* --- Ticks ---------------------------------------------------------------- */

uint64_t pmpi_clock_shift(uint64_t ticks)
{
    double since = (double)(int64_t)(ticks - state.shift_from);

    if (!pmpi_clock_shifted)
        return ticks;
    return ticks + (uint64_t)(int64_t)(state.shift_ns / pmpi_messages.clock.ns_per_tick +
                                       since * state.shift_ppm * 1e-6);
}

/* Convert ticks to ns since this process's epoch. */
static double ns_of(const struct clock_of *clock, uint64_t ticks)
{
    return (double)(int64_t)(ticks - clock->epoch) * clock->ns_per_tick;
}

static double now_ns(const struct clock_of *mine)
{
    return ns_of(mine, pmpi_clock_shift(mm_clock_ticks(pmpi_tsc)));
}

/* Hash that identifies the node: of the boot id; without one, of the host's name. */
static uint64_t find_node(const char *shift)
{
    char boot[64] = "", host[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    uint64_t hash = CCA_HASH_START;

    if (file) {
        if (!fgets(boot, sizeof boot, file))
            *boot = 0;
        fclose(file);
    }
    if (!*boot)
        snprintf(host, sizeof host, "%.63s", pmpi_messages.head->host);
    hash = cca_hash_text(hash, *boot ? boot : host);
    hash = cca_hash_text(hash, pmpi_tsc ? "tsc" : "monotonic");
    /* both the hash and its negative must fit into an int64_t */
    return cca_hash_text(hash, shift) >> 2;
}

void pmpi_clocks_begin(void)
{
    const char *shift = getenv("MM_CLOCK_SHIFT");

    memset(&state, 0, sizeof state);
    pmpi_clock_shifted =
        shift && sscanf(shift, "%lf,%lf", &state.shift_ns, &state.shift_ppm) == 2;
    state.shift_from = mm_clock_ticks(pmpi_tsc);
}

/* --- Round trips ---------------------------------------------------------- */

/* Message that a leader sends to a child after their round trips. */
struct told {
    struct mm_clock_offset offset; /* the leader's own offset to process 0 */
    double now_ns;
};

static int serve(int child, const struct clock_of *mine,
                 const struct mm_clock_offset *offset)
{
    struct told told = {.offset = *offset};
    double there = 0;

    for (int i = 0; i < PINGS; i++) {
        if (PMPI_Recv(&there, 1, MPI_DOUBLE, child, PMPI_TAG_CLOCK, pmpi_world,
                      MPI_STATUS_IGNORE))
            return -1;
        there = now_ns(mine);
        if (PMPI_Send(&there, 1, MPI_DOUBLE, child, PMPI_TAG_CLOCK, pmpi_world))
            return -1;
    }
    told.now_ns = now_ns(mine);
    return PMPI_Send(&told, (int)sizeof told, MPI_BYTE, child, PMPI_TAG_CLOCK, pmpi_world)
               ? -1
               : 0;
}

static int ask(int parent, const struct clock_of *mine, struct mm_clock_offset *offset)
{
    struct mm_ping pings[PINGS];
    struct mm_clock_offset near;
    struct told told;

    for (int i = 0; i < PINGS; i++) {
        pings[i].sent_ns = now_ns(mine);
        if (PMPI_Send(&pings[i].sent_ns, 1, MPI_DOUBLE, parent, PMPI_TAG_CLOCK,
                      pmpi_world) ||
            PMPI_Recv(&pings[i].there_ns, 1, MPI_DOUBLE, parent, PMPI_TAG_CLOCK,
                      pmpi_world, MPI_STATUS_IGNORE))
            return -1;
        pings[i].back_ns = now_ns(mine);
    }
    if (PMPI_Recv(&told, (int)sizeof told, MPI_BYTE, parent, PMPI_TAG_CLOCK, pmpi_world,
                  MPI_STATUS_IGNORE))
        return -1;
    mm_clocks_measure(pings, PINGS, &near);
    *offset = mm_clocks_add(&near, &told.offset, told.now_ns - told.offset.at_ns);
    return 0;
}

/* The part of one node's leader in comparing clocks along the tree: compare its clock
 * with the parent's, whose offset is then known, then with the clock of each child. */
static int compare_clocks(const struct clock_of *mine, struct mm_clock_offset *offset)
{
    int own = mine->leads, child = 0, code = 0;

    *offset = (struct mm_clock_offset){.at_ns = now_ns(mine)};
    if (own > 0)
        code = ask(state.leaders[mm_clocks_parent(own)], mine, offset);
    while (!code && (child = mm_clocks_child(own, state.leader_count, child)) != 0)
        code = serve(state.leaders[child], mine, offset);
    return code;
}

static uint64_t ticks_at(const struct clock_of *clock, double ns)
{
    return clock->epoch + (uint64_t)(int64_t)(ns / clock->ns_per_tick);
}

/* Compute a process's clock point from its leader's: the ticks are the same, epochs and
 * scales differ. */
static struct mm_messages_clock_point point_of(const struct clock_of *clock)
{
    const struct clock_of *leader = &state.clocks[clock->leader];
    struct mm_messages_clock_point point = leader->point;

    point.offset_ns += ns_of(leader, point.ticks) - ns_of(clock, point.ticks);
    return point;
}

static void keep_point(int process)
{
    struct mm_messages_head *head = pmpi_messages.head;
    struct mm_messages_clock_point point = point_of(&state.clocks[process]);
    uint32_t n = head->clock_points;

    if (n >= MM_MESSAGES_CLOCK_POINTS)
        return;
    head->points[n] = point;
    __atomic_store_n(&head->clock_points, n + 1, __ATOMIC_RELEASE);
}

/* Compare the clocks of all nodes, and store a clock point of this process in the file's
 * header: its clock's offset to process 0 at one instant. Collective. */
static void measure(void)
{
    struct clock_of *mine = &state.clocks[pmpi_messages.process];
    struct mm_messages_clock_point point = {0}, *points;
    struct mm_clock_offset offset = {0};
    int failed = mine->leads >= 0 && compare_clocks(mine, &offset) != 0;

    point.ticks = ticks_at(mine, offset.at_ns);
    point.offset_ns = offset.offset_ns;
    point.bound_ns = offset.bound_ns;
    points = malloc((size_t)pmpi_messages.processes * sizeof *points);
    if (pmpi_world_least(points && !failed) == 1 &&
        PMPI_Allgather(&point, (int)sizeof point, MPI_BYTE, points, (int)sizeof point,
                       MPI_BYTE, pmpi_world) == MPI_SUCCESS) {
        for (int i = 0; i < pmpi_messages.processes; i++)
            state.clocks[i].point = points[i];
        keep_point(pmpi_messages.process);
    }
    free(points);
}

/* --- Nodes ---------------------------------------------------------------- */

static int find_leaders(void)
{
    int n = pmpi_messages.processes;

    state.leaders = malloc((size_t)n * sizeof *state.leaders);
    if (!state.leaders)
        return -1;
    for (int i = 0; i < n; i++) {
        struct clock_of *clock = &state.clocks[i];
        int k = 0;

        while (k < state.leader_count &&
               state.clocks[state.leaders[k]].node != clock->node)
            k++;
        clock->leads = k == state.leader_count ? k : -1;
        if (k == state.leader_count)
            state.leaders[state.leader_count++] = i;
        clock->leader = state.leaders[k];
    }
    return 0;
}

void pmpi_clocks_meet(void)
{
    struct pmpi_messages *m = &pmpi_messages;
    const char *shift = getenv("MM_CLOCK_SHIFT");
    struct clock_of mine = {.epoch = m->clock.epoch_ticks,
                            .ns_per_tick = m->clock.ns_per_tick};
    int64_t node, least, most;

    mine.node = find_node(pmpi_clock_shifted ? shift : "");
    node = (int64_t)mine.node;
    m->head->node = mine.node;
    least = pmpi_world_least(node);
    most = -pmpi_world_least(-node);
    if (least == most) {
        m->head->flags |= MM_MESSAGES_ONE_NODE;
        return;
    }
    state.clocks = calloc((size_t)m->processes, sizeof *state.clocks);
    if (pmpi_world_least(state.clocks != NULL) == 1 &&
        PMPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, state.clocks, (int)sizeof mine,
                       MPI_BYTE, pmpi_world) == MPI_SUCCESS &&
        pmpi_world_least(find_leaders() == 0) == 1)
        measure();
}

void pmpi_clocks_end(void)
{
    struct pmpi_messages *m = &pmpi_messages;
    struct mm_clock clock;

    m->head->last_ticks = pmpi_clock_shift(mm_clock_ticks(pmpi_tsc));
    if (state.clocks) { /* the clock points were computed with the first ns_per_tick, so
                         * that value is kept */
        measure();
        return;
    }
    pmpi_clock_now(&clock);
    m->head->ns_per_tick = clock.ns_per_tick;
}

void pmpi_clocks_free(void)
{
    free(state.clocks);
    free(state.leaders);
    state.clocks = NULL;
    state.leaders = NULL;
}

void pmpi_clocks_between(int sender, uint64_t now, struct mm_message_clocks *clocks)
{
    const struct pmpi_messages *m = &pmpi_messages;
    struct mm_messages_clock_point sender_point, own_point;
    const struct clock_of *a, *b;
    double away_ns;

    *clocks = (struct mm_message_clocks){.same = 1, .ns_per_tick = m->clock.ns_per_tick};
    if (!state.clocks)
        return;
    a = &state.clocks[sender];
    b = &state.clocks[m->process];
    if (a->node == b->node)
        return;
    sender_point = point_of(a);
    own_point = point_of(b);
    away_ns = (double)(int64_t)(now - own_point.ticks) * b->ns_per_tick;
    clocks->same = 0;
    clocks->sender_ns_per_tick = a->ns_per_tick;
    clocks->sender_epoch = a->epoch;
    clocks->epoch = b->epoch;
    clocks->offset_ns = sender_point.offset_ns - own_point.offset_ns;
    clocks->bound_ns = sender_point.bound_ns + own_point.bound_ns +
                       (away_ns > 0 ? away_ns * MM_CLOCKS_DRIFT : 0);
}
