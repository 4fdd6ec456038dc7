/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c: open a ring for each processor, and take the kernel's records out of it. */
#include "mastermind/library/sample/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"

/* numbers of pages, powers of two. The kernel lets each user lock 516 KiB for each
 * processor. */
enum { DATA_PAGES = 32, STACK_PAGES = 64 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Samples that a ring is opened for. */
struct wish {
    uint64_t period_ns;
    int has_kernel, is_dated, has_stacks;
    int is_prompt; /* true if the reader is woken for each stack */
};

/* The kernel's numbers of DWARF's registers of x86-64, from asm/perf_regs.h. */
static const unsigned char kernel_number[SAMPLE_REGISTERS] = {
    0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};

static uint64_t register_mask(void)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < SAMPLE_REGISTERS; i++)
        mask |= UINT64_C(1) << kernel_number[i];
    return mask;
}

static int open_event(pid_t pid, int processor, const struct wish *wish)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = wish->period_ns,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                  PERF_SAMPLE_TIME,
                                   .disabled = pid != 0,
                                   .inherit = pid != 0,
                                   .enable_on_exec = pid != 0,
                                   .sample_id_all = 1,
                                   .use_clockid = wish->is_dated != 0,
                                   .clockid = wish->is_dated ? CLOCK_REALTIME : 0,
                                   .exclude_kernel = !wish->has_kernel,
                                   .exclude_hv = 1};

    if (wish->has_stacks) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = register_mask();
        attr.sample_stack_user = SAMPLE_STACK_BYTES;
        attr.watermark = !wish->is_prompt;
        if (wish->is_prompt)
            attr.wakeup_events = 1;
        else
            attr.wakeup_watermark = (uint32_t)(STACK_PAGES / 2 * page_size());
    } else {
        attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
    }
    return (int)syscall(SYS_perf_event_open, &attr, pid, processor, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

static void close_ring(struct sample_ring *ring)
{
    munmap(ring->memory, (1 + ring->pages) * page_size());
    close(ring->fd);
}

/* Open a ring, and add it to `rings`. Returns 0 or a negative errno. */
static int open_ring(struct sample_rings *rings, pid_t pid, int processor,
                     const struct wish *wish)
{
    struct sample_ring ring = {.fd = open_event(pid, processor, wish),
                               .pages = wish->has_stacks ? STACK_PAGES : DATA_PAGES,
                               .has_stacks = wish->has_stacks};
    void *memory;

    if (ring.fd < 0)
        return -errno;
    memory = mmap(NULL, (1 + ring.pages) * page_size(), PROT_READ | PROT_WRITE,
                  MAP_SHARED, ring.fd, 0);
    if (memory == MAP_FAILED) {
        int error = -errno;

        close(ring.fd);
        return error;
    }
    ring.memory = memory;
    if (cca_array_reserve(&rings->rings, rings->count, sizeof ring)) {
        close_ring(&ring);
        return -ENOMEM;
    }
    rings->rings[rings->count++] = ring;
    return 0;
}

/* Open a ring for samples of process `pid` on each processor that is online. */
static int open_all(struct sample_rings *rings, pid_t pid, const struct wish *wish)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    int result = -ENODEV;

    for (int processor = 0; processor < processors; processor++) {
        int opened = open_ring(rings, pid, processor, wish);

        if (opened && opened != -ENODEV)
            return opened;
        if (!opened)
            result = 0;
    }
    return result;
}

void sample_rings_close(struct sample_rings *rings)
{
    for (size_t i = 0; i < rings->count; i++)
        close_ring(&rings->rings[i]);
    free(rings->rings);
    rings->rings = NULL;
    rings->count = 0;
}

int sample_rings_open(struct sample_rings *rings, pid_t pid, uint64_t period_ns,
                      int is_dated, struct cca_error *err)
{
    struct wish wish = {period_ns, 1, is_dated, 0, 0};
    int result;

    *rings = (struct sample_rings){.is_dated = is_dated};
    result = open_all(rings, pid, &wish);
    if (result == -EACCES || result == -EPERM) {
        sample_rings_close(rings);
        wish.has_kernel = 0;
        result = open_all(rings, pid, &wish);
    }
    rings->has_kernel = wish.has_kernel;
    if (result) {
        sample_rings_close(rings);
        cca_error_set(err, result, "perf_event_open: %s", strerror(-result));
    }
    return result;
}

void sample_rings_open_stacks(struct sample_rings *rings, pid_t pid, uint64_t period_ns,
                              int is_prompt)
{
    const struct wish wish = {period_ns, rings->has_kernel, rings->is_dated, 1,
                              is_prompt};
    size_t before = rings->count;

#ifdef __x86_64__
    rings->stack_error = open_all(rings, pid, &wish);
#else
    rings->stack_error = -ENOTSUP;
#endif
    if (!rings->stack_error)
        rings->stack_period_ns = period_ns;
    while (rings->stack_error && rings->count > before)
        close_ring(&rings->rings[--rings->count]);
}

int sample_rings_open_own(struct sample_rings *rings, uint64_t period_ns, int has_kernel,
                          int has_stacks)
{
    const struct wish wish = {period_ns, has_kernel, 0, has_stacks, 0};

    *rings = (struct sample_rings){.has_kernel = has_kernel};
    return open_ring(rings, 0, -1, &wish);
}

void sample_rings_wait(const struct sample_rings *rings, int fd, int most_ms)
{
    struct pollfd *ends = calloc(rings->count + 1, sizeof *ends);
    struct pollfd alone = {.fd = fd, .events = POLLIN};
    nfds_t count = 0;
    int is_over = 0;

    for (size_t i = 0; ends && i < rings->count; i++)
        if (rings->rings[i].has_stacks)
            ends[count++] = (struct pollfd){.fd = rings->rings[i].fd, .events = POLLIN};
    if (ends) {
        ends[count] = alone;
        poll(ends, count + 1, most_ms);
    }
    /* the thread of an event has ended: only `fd` is waited for, other threads run on */
    for (nfds_t i = 0; i < count; i++)
        is_over |= ends[i].revents & (POLLHUP | POLLERR | POLLNVAL);
    if (!ends || (is_over && !ends[count].revents))
        poll(&alone, 1, most_ms < 20 ? most_ms : 20);
    free(ends);
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
    size_t room = ring->pages * page_size(), from = (size_t)(at % room);
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

/* Parse the registers and the stack behind the first 24 bytes of a sample. Returns NULL
 * for a thread without a stack of 64-bit user code, or out of memory. */
static struct sample_stack *from_stack(const struct record *record, size_t size)
{
    const unsigned char *at = record->body + 24, *end = record->body + size;
    uint64_t abi = PERF_SAMPLE_REGS_ABI_NONE, registers[24] = {0}, length = 0, used = 0;
    struct sample_stack *stack;

    if (end - at < (ptrdiff_t)sizeof abi)
        return NULL;
    memcpy(&abi, at, sizeof abi);
    at += sizeof abi;
    if (abi != PERF_SAMPLE_REGS_ABI_64 ||
        end - at < (ptrdiff_t)((SAMPLE_REGISTERS + 1) * sizeof *registers))
        return NULL;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (register_mask() >> i & 1) {
            memcpy(&registers[i], at, sizeof *registers);
            at += sizeof *registers;
        }
    memcpy(&length, at, sizeof length);
    at += sizeof length;
    if (!length || (size_t)(end - at) < length + sizeof used)
        return NULL;
    memcpy(&used, at + length, sizeof used);
    used = used < length ? used : length;
    stack = malloc(sizeof *stack + used);
    if (!stack)
        return NULL;
    for (size_t i = 0; i < SAMPLE_REGISTERS; i++)
        stack->registers[i] = registers[kernel_number[i]];
    stack->base = stack->registers[SAMPLE_STACK_POINTER];
    stack->size = used;
    stack->return_count = 0;
    stack->stubs = stack->stubs_end = 0;
    memcpy(stack->bytes, at, used);
    return stack;
}

/* Parse a record into `event`. Returns false for records of other kinds. */
static int from_record(struct sample_event *event, const struct record *record,
                       const struct sample_ring *ring, struct sample_rings *rings)
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
        memcpy(&event->time_ns, record->body + 16, sizeof event->time_ns);
        event->pid = (int32_t)numbers[2];
        event->tid = (int32_t)numbers[3];
        if (!ring->has_stacks)
            return 1;
        event->stack = from_stack(record, size);
        if (!event->stack)
            return 0;
        event->stack->is_kernel = event->kind == SAMPLE_KERNEL;
        event->kind = SAMPLE_STACK;
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
        *(ring->has_stacks ? &rings->lost_stacks : &rings->lost) += lost[1];
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
        if (!from_record(&event, record, ring, rings))
            continue;
        result = cca_array_reserve(events, *count, sizeof event);
        if (result) {
            free(event.path);
            free(event.stack);
        } else {
            (*events)[(*count)++] = event;
        }
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

void sample_rings_empty(struct sample_rings *rings)
{
    for (size_t i = 0; i < rings->count; i++) {
        struct perf_event_mmap_page *page = (void *)rings->rings[i].memory;
        uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

        __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    }
}
