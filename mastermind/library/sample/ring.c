/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c: open a ring for each processor, and take the kernel's records out of it. */
#include "mastermind/library/sample/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"

enum { DATA_PAGES = 32 }; /* a power of two */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(pid_t pid, int processor, uint64_t period_ns, int has_kernel,
                      int is_dated)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = period_ns,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                  PERF_SAMPLE_TIME,
                                   .disabled = pid != 0,
                                   .inherit = pid != 0,
                                   .enable_on_exec = pid != 0,
                                   .mmap = 1,
                                   .mmap2 = 1,
                                   .comm = 1,
                                   .comm_exec = 1,
                                   .task = 1,
                                   .sample_id_all = 1,
                                   .use_clockid = is_dated != 0,
                                   .clockid = is_dated ? CLOCK_REALTIME : 0,
                                   .exclude_kernel = !has_kernel,
                                   .exclude_hv = 1};

    return (int)syscall(SYS_perf_event_open, &attr, pid, processor, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct sample_ring *ring, pid_t pid, int processor,
                     uint64_t period_ns, int has_kernel, int is_dated)
{
    void *memory;

    ring->fd = open_event(pid, processor, period_ns, has_kernel, is_dated);
    if (ring->fd < 0)
        return -errno;
    memory = mmap(NULL, (1 + DATA_PAGES) * page_size(), PROT_READ | PROT_WRITE,
                  MAP_SHARED, ring->fd, 0);
    if (memory == MAP_FAILED) {
        int error = -errno;

        close(ring->fd);
        return error;
    }
    ring->memory = memory;
    return 0;
}

/* Open a ring for samples of process `pid` on each processor that is online. */
static int open_all(struct sample_rings *rings, pid_t pid, uint64_t period_ns)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    int result = -ENODEV;

    for (int processor = 0; processor < processors; processor++) {
        struct sample_ring ring;
        int opened = open_ring(&ring, pid, processor, period_ns, rings->has_kernel,
                               rings->is_dated);

        if (opened == -ENODEV)
            continue;
        if (opened)
            return opened;
        if (cca_array_reserve(&rings->rings, rings->count, sizeof ring)) {
            munmap(ring.memory, (1 + DATA_PAGES) * page_size());
            close(ring.fd);
            return -ENOMEM;
        }
        rings->rings[rings->count++] = ring;
        result = 0;
    }
    return result;
}

void sample_rings_close(struct sample_rings *rings)
{
    for (size_t i = 0; i < rings->count; i++) {
        munmap(rings->rings[i].memory, (1 + DATA_PAGES) * page_size());
        close(rings->rings[i].fd);
    }
    free(rings->rings);
    rings->rings = NULL;
    rings->count = 0;
}

int sample_rings_open(struct sample_rings *rings, pid_t pid, uint64_t period_ns,
                      int is_dated, struct cca_error *err)
{
    int result;

    *rings = (struct sample_rings){.is_dated = is_dated, .has_kernel = 1};
    result = open_all(rings, pid, period_ns);
    if (result == -EACCES || result == -EPERM) {
        sample_rings_close(rings);
        rings->has_kernel = 0;
        result = open_all(rings, pid, period_ns);
    }
    if (result) {
        sample_rings_close(rings);
        cca_error_set(err, result, "perf_event_open: %s", strerror(-result));
    }
    return result;
}

int sample_rings_open_own(struct sample_rings *rings, uint64_t period_ns, int has_kernel)
{
    struct sample_ring ring;
    int result = open_ring(&ring, 0, -1, period_ns, has_kernel, 0);

    *rings = (struct sample_rings){.has_kernel = has_kernel};
    if (result)
        return result;
    if (cca_array_reserve(&rings->rings, 0, sizeof ring)) {
        munmap(ring.memory, (1 + DATA_PAGES) * page_size());
        close(ring.fd);
        return -ENOMEM;
    }
    rings->rings[rings->count++] = ring;
    return 0;
}

/* --- Records ---------------------------------------------------------------- */

/* A record, copied out of the ring, where it may wrap around. It has at most 64 KiB. */
struct record {
    struct perf_event_header head;
    unsigned char body[UINT16_MAX];
};

static void copy_out(const struct sample_ring *ring, uint64_t at, void *to, size_t size)
{
    const unsigned char *data = ring->memory + page_size();
    size_t room = DATA_PAGES * page_size(), from = (size_t)(at % room);
    size_t first = room - from < size ? room - from : size;

    memcpy(to, data + from, first);
    memcpy((unsigned char *)to + first, data, size - first);
}

/* Return the time of a record that is not a sample; such a record ends with pid, tid and
 * time. */
static uint64_t time_of(const struct record *record, size_t size)
{
    uint64_t time_ns = 0;

    if (size >= sizeof time_ns)
        memcpy(&time_ns, record->body + size - sizeof time_ns, sizeof time_ns);
    return time_ns;
}

static int from_map(struct sample_event *event, const struct record *record, size_t size)
{
    struct {
        uint32_t pid, tid;
        uint64_t address, length, offset;
        unsigned char id[24];
        uint32_t protection, flags;
    } fixed;

    if (size < sizeof fixed + 16 || (record->head.misc & PERF_RECORD_MISC_MMAP_DATA))
        return 0;
    memcpy(&fixed, record->body, sizeof fixed);
    event->kind = SAMPLE_MAP;
    event->pid = (int32_t)fixed.pid;
    event->address = fixed.address;
    event->length = fixed.length;
    event->offset = fixed.offset;
    event->path =
        strndup((const char *)record->body + sizeof fixed, size - sizeof fixed - 16);
    return 1;
}

/* Parse a record into `event`. Returns false for records of other kinds. */
static int from_record(struct sample_event *event, const struct record *record,
                       struct sample_rings *rings)
{
    size_t size = record->head.size - sizeof record->head;
    unsigned mode = record->head.misc & PERF_RECORD_MISC_CPUMODE_MASK;
    uint32_t numbers[4] = {0};
    uint64_t lost[2] = {0};

    memcpy(numbers, record->body, size < sizeof numbers ? size : sizeof numbers);
    *event = (struct sample_event){.time_ns = time_of(record, size),
                                   .pid = (int32_t)numbers[0]};
    switch (record->head.type) {
    case PERF_RECORD_SAMPLE: /* fields of this record: address; pid, tid; time */
        if (size < 24)
            return 0;
        event->kind = mode == PERF_RECORD_MISC_KERNEL ? SAMPLE_KERNEL : SAMPLE_USER;
        memcpy(&event->address, record->body, sizeof event->address);
        event->pid = (int32_t)numbers[2];
        event->tid = (int32_t)numbers[3];
        return 1;
    case PERF_RECORD_MMAP2:
        return from_map(event, record, size);
    case PERF_RECORD_COMM:
        event->kind = SAMPLE_EXEC;
        return (record->head.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
    case PERF_RECORD_FORK: /* fields: pid, its parent; tid, its parent's */
        event->kind = SAMPLE_FORK;
        rings->tasks++;
        event->parent = (int32_t)numbers[1];
        return event->pid != event->parent; /* else a thread was started */
    case PERF_RECORD_EXIT: /* fields: pid, its parent; tid, its parent's */
        event->kind = SAMPLE_EXIT;
        return numbers[0] == numbers[2];
    case PERF_RECORD_LOST: /* id, number */
        memcpy(lost, record->body, size < sizeof lost ? size : sizeof lost);
        rings->lost += lost[1];
        return 0;
    default:
        return 0;
    }
}

static int read_ring(struct sample_rings *rings, struct sample_ring *ring,
                     struct record *record, struct sample_event **events, size_t *count)
{
    struct perf_event_mmap_page *page = (void *)ring->memory;
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = page->data_tail;
    int result = 0;

    while (at < head && !result) {
        struct sample_event event;

        copy_out(ring, at, &record->head, sizeof record->head);
        if (record->head.size < sizeof record->head)
            break;
        copy_out(ring, at, record, record->head.size);
        at += record->head.size;
        if (!from_record(&event, record, rings))
            continue;
        result = cca_array_reserve(events, *count, sizeof event);
        if (result)
            free(event.path);
        else
            (*events)[(*count)++] = event;
    }
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
    return result;
}

int sample_rings_read(struct sample_rings *rings, struct sample_event **events,
                      size_t *count)
{
    static struct record record;
    int result = 0;

    for (size_t i = 0; i < rings->count && !result; i++)
        result = read_ring(rings, &rings->rings[i], &record, events, count);
    return result;
}
