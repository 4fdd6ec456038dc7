/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.c: the clocks and counters that probes read at the boundaries of cells. */
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "mesh/probe/mesh.h"

/* Open the kernel's counter of this thread's instructions. */
static int open_instructions(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

    return fd < 0 ? -errno : (int)fd;
}

static int ticks_by_counter(const struct mm_mesh *m)
{
    return m->origin.tsc;
}

int mesh_clock_open(struct mm_mesh *m, struct probe *probe)
{
    uint64_t begin;
    enum { READINGS = 16 };

    probe->fd = -1;
    if (probe->kind == PROBE_INSTRUCTIONS) {
        probe->fd = open_instructions();
        if (probe->fd < 0)
            return probe->fd;
    }
    if (probe->kind == PROBE_CYCLES && !ticks_by_counter(m))
        return -ENOTSUP;
    begin = (uint64_t)cca_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < READINGS; i++)
        mesh_clock_read(m, probe);
    probe->read_ns = ((uint64_t)cca_clock_ns(CLOCK_MONOTONIC) - begin) / READINGS;
    return 0;
}

double mesh_clock_read(const struct mm_mesh *m, const struct probe *probe)
{
    uint64_t count;

    switch (probe->kind) {
    case PROBE_TIME:
        return (double)mm_clock_ticks(m->origin.tsc);
    case PROBE_CYCLES:
        return (double)mm_clock_ticks(1);
    case PROBE_CPU:
        return (double)cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    case PROBE_INSTRUCTIONS:
        return read(probe->fd, &count, sizeof count) == sizeof count ? (double)count : 0;
    case PROBE_CUSTOM:
        return probe->counter(probe->argument);
    default:
        return 0;
    }
}

/* Whether a probe keeps the counter as an integer, as probes of time and cycles do: a
 * double would lose digits after some weeks. */
static int has_ticks(const struct probe *probe)
{
    return probe->kind == PROBE_TIME || probe->kind == PROBE_CYCLES;
}

double mesh_clock_lap(struct mm_mesh *m, int p)
{
    struct probe *probe = m->probes[p];
    double value, now;

    if (has_ticks(probe)) {
        uint64_t ticks = mm_clock_ticks(m->origin.tsc);

        value = (double)(int64_t)(ticks - m->now.lane[p].last);
        m->now.lane[p].last = ticks;
        return value;
    }
    now = mesh_clock_read(m, probe);
    value = now - probe->before;
    probe->before = now;
    return value;
}

void mesh_clock_mark(struct mm_mesh *m, int p)
{
    struct probe *probe = m->probes[p];

    if (has_ticks(probe)) {
        int untold = m->now.lane[p].last == m->begun_ticks[p];

        m->now.lane[p].last = mm_clock_ticks(m->origin.tsc);
        if (untold)
            m->begun_ticks[p] = m->now.lane[p].last;
    } else if (probe->kind != PROBE_GIVEN) {
        probe->before = mesh_clock_read(m, probe);
    }
}
