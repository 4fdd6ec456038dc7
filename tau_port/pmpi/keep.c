/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.c: the file of counts. It grows by a table for each thread, and is not kept open:
 * the program may close any descriptor. */
#include "tau_port/pmpi/pmpi.h"

#include "mastermind/format/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    char path[PATH_MAX];
    size_t stride;
    uint64_t end; /* offset at which the last table in the file ends; accessed with
                   * __atomic; 0: no file */
    struct meas_calls_count *before; /* [pmpi_name_count] by function: counts from before
                                      * the file existed, in mapped memory */
} file;

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

/* Map a piece of the file with its blocks allocated; MAP_FAILED with errno. */
static void *map_piece(const char *path, int flags, uint64_t at, size_t size)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666), error;
    void *piece = MAP_FAILED;

    if (fd < 0)
        return piece;
    mm_own_file(fd);
    error = posix_fallocate(fd, (off_t)at, (off_t)size);
    if (!error) {
        piece = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
        error = errno;
    }
    close(fd);
    errno = error;
    return piece;
}

/* Fill in the header except its magic, which makes the file valid. */
static void describe(struct meas_calls_head *head, size_t name_bytes, size_t first,
                     size_t tables, const struct mm_clock *clock)
{
    char *name = (char *)(head + 1);

    head->functions = (uint32_t)pmpi_name_count;
    head->name_bytes = (uint32_t)name_bytes;
    head->first = (uint32_t)first;
    head->tables = (uint32_t)tables;
    head->stride = (uint32_t)file.stride;
    head->epoch_ticks = clock->epoch_ticks;
    head->epoch_ns = clock->epoch_ns;
    head->ns_per_tick = clock->ns_per_tick;
    for (int i = 0; i < pmpi_name_count; i++)
        name = stpcpy(name, pmpi_names[i]) + 1;
}

int pmpi_keep_begin(const char *path, const struct mm_clock *clock)
{
    size_t name_bytes = 0, size, first;
    struct meas_calls_head *head;
    uint64_t magic;

    for (int i = 0; i < pmpi_name_count; i++)
        name_bytes += strlen(pmpi_names[i]) + 1;
    first = whole_pages(sizeof *head + name_bytes);
    size = first + whole_pages((size_t)pmpi_name_count * sizeof *file.before);
    if (snprintf(file.path, sizeof file.path, "%s", path) >= (int)sizeof file.path)
        return -ENAMETOOLONG;
    head = map_piece(path, O_CREAT | O_EXCL, 0, size);
    if (head == MAP_FAILED)
        return -errno;
    file.stride = whole_pages(pmpi_table_size());
    file.before = (struct meas_calls_count *)((char *)head + first);
    describe(head, name_bytes, first, size, clock);
    memcpy(&magic, MEAS_CALLS_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)head, magic,
                     __ATOMIC_RELEASE); /* this store publishes the whole table */
    __atomic_store_n(&file.end, size, __ATOMIC_RELEASE);
    return 0;
}

struct meas_calls_table *pmpi_keep_table(void)
{
    void *table;
    uint64_t at;

    if (!__atomic_load_n(&file.end, __ATOMIC_ACQUIRE))
        return NULL;
    at = __atomic_fetch_add(&file.end, file.stride, __ATOMIC_RELAXED);
    table = map_piece(file.path, 0, at, file.stride);
    return table == MAP_FAILED ? NULL : table;
}

void pmpi_keep_before(int function, const struct meas_calls_count *count)
{
    file.before[function] = *count;
}

void pmpi_keep_forget(void)
{
    file.end = 0;
}
