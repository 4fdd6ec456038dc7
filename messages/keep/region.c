/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c: an image of a file in memory. */
#include "messages/keep/region.h"

#include "mastermind/format/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_SKIPPED = 65535 };

static size_t whole_pages(const struct mm_region *region, size_t bytes)
{
    return (bytes + region->page - 1) / region->page * region->page;
}

/* Call mremap by its system call number: UCX, used by MPICH, replaces the C library's
 * function by one that drops the last argument. */
static void *move_mapping(void *from, size_t before, size_t size, int flags, void *to)
{
    return (void *)syscall(SYS_mremap, from, before, size, flags, to);
}

/* Map memory over existing mappings of the same addresses. Returns 0 or negative. */
static int map_at(unsigned char *at, size_t size, int flags, int fd, size_t offset)
{
    return mmap(at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, (off_t)offset) ==
                   MAP_FAILED
               ? -errno
               : 0;
}

/* Map the first page of the region, anonymous memory, at two addresses. */
static int map_twice(struct mm_region *region, int fd)
{
    int result = ftruncate(fd, (off_t)region->page) ? -errno : 0;
    void *shadow;

    if (!result)
        result = map_at(region->base, region->page, MAP_SHARED, fd, 0);
    if (result)
        return result;
    shadow = mmap(NULL, region->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shadow == MAP_FAILED)
        return -errno;
    region->shadow = shadow;
    return 0;
}

/* Before there is a file, the first page is shared memory with a second address, which
 * stays valid when the file has replaced it. If that is impossible, counts added during
 * the replacement are lost. */
static int map_first(struct mm_region *region)
{
    int fd = memfd_create("mastermind messages", MFD_CLOEXEC), result = -1;

    if (fd >= 0) {
        result = map_twice(region, fd);
        close(fd);
    }
    return result ? map_at(region->base, region->page, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                  : 0;
}

static void drop_shadow(struct mm_region *region)
{
    if (region->shadow)
        munmap(region->shadow, region->page);
    region->shadow = NULL;
}

void mm_region_done(struct mm_region *region)
{
    drop_shadow(region);
    if (region->base)
        munmap(region->base, region->limit);
    region->base = NULL;
}

/* Reserve disk blocks: a store into a hole on a full disk would raise SIGBUS. Growing
 * beyond the process's limit would raise SIGXFSZ. */
static int reserve(int fd, size_t at, size_t size)
{
    struct rlimit most;
    int error;

    if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY &&
        at + size > most.rlim_cur)
        return -EFBIG;
    do {
        error = posix_fallocate(fd, (off_t)at, (off_t)size);
    } while (error == EINTR);
    return -error;
}

/* Map bytes `at` to `at + size` of the file, with disk blocks, at their addresses. */
static int map_more(struct mm_region *region, size_t at, size_t size)
{
    int fd = open(region->path, O_RDWR | O_CLOEXEC), result;

    if (fd < 0)
        return -errno;
    result = reserve(fd, at, size);
    if (!result)
        result = map_at(region->base + at, size, MAP_SHARED, fd, at);
    close(fd);
    /* Populate all pages at once, which is faster than a fault for each; kernels before
     * 5.14 refuse. */
#ifdef MADV_POPULATE_WRITE
    if (!result)
        madvise(region->base + at, size, MADV_POPULATE_WRITE);
#endif
    return result;
}

/* Make the region usable up to `end`, which is larger than now. */
static int add_pages(struct mm_region *region, size_t end)
{
    size_t size = whole_pages(region, end) - region->mapped;
    int result = region->filed
                     ? map_more(region, region->mapped, size)
                     : map_at(region->base + region->mapped, size,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (!result)
        region->mapped += size;
    return result;
}

int mm_region_grow(struct mm_region *region, size_t end, size_t least, size_t *usable)
{
    int result = 0;

    if (end > region->limit)
        return -ENOSPC;
    if (end > region->mapped) {
        if (region->skip) {
            region->skip--;
            return -EAGAIN;
        }
        result = add_pages(region, end);
        if (result && least <= region->mapped)
            result = 0;
        else if (result && least < end)
            result = add_pages(region, least);
        if (result) {
            region->pause =
                region->pause < MOST_SKIPPED / 2 ? 2 * region->pause + 1 : MOST_SKIPPED;
            region->skip = region->pause;
            return result;
        }
        region->pause = 0;
    }
    *usable = region->mapped;
    return 0;
}

int mm_region_init(struct mm_region *region, size_t limit, size_t first)
{
    void *base;

    region->page = (size_t)sysconf(_SC_PAGESIZE);
    region->limit = whole_pages(region, limit);
    base = mmap(NULL, region->limit, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return -ENOMEM;
    region->base = base;
    if (map_first(region))
        return -ENOMEM;
    region->mapped = region->page;
    return first > region->page ? add_pages(region, first) : 0;
}

static int write_at(int fd, const unsigned char *data, size_t size, size_t at)
{
    while (size) {
        ssize_t written = pwrite(fd, data, size, (off_t)at);

        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            data += written;
            at += (size_t)written;
            size -= (size_t)written;
        }
    }
    return 0;
}

/* Add increments that the counts in the first page got since `copy` was made. */
static void add_late(const struct mm_region *region, const unsigned char *copy,
                     size_t counts, size_t counts_end)
{
    for (size_t at = counts; at < counts_end; at += sizeof(uint64_t)) {
        uint64_t *now = (uint64_t *)(void *)(region->base + at), before, after;

        memcpy(&before, copy + at, sizeof before);
        after =
            __atomic_load_n((uint64_t *)(void *)(region->shadow + at), __ATOMIC_RELAXED);
        if (after != before)
            __atomic_fetch_add(now, after - before, __ATOMIC_RELAXED);
    }
}

/* Replace the memory by the file's mapping: in one step, or not at all. */
static int map_over(struct mm_region *region, int fd)
{
    void *map = mmap(NULL, region->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int result = 0;

    if (map == MAP_FAILED)
        return -errno;
    if (move_mapping(map, region->mapped, region->mapped, MREMAP_MAYMOVE | MREMAP_FIXED,
                     region->base) == MAP_FAILED) {
        result = -errno;
        munmap(map, region->mapped);
    }
    return result;
}

/* Write and map an empty file. `copy`: a buffer for the old first page. */
static int move_to(struct mm_region *region, int fd, unsigned char *copy)
{
    int result = reserve(fd, 0, region->mapped);

    if (!result)
        result = write_at(fd, region->base + region->page, region->mapped - region->page,
                          region->page);
    memcpy(copy, region->shadow ? region->shadow : region->base, region->page);
    memset(copy, 0, sizeof(uint64_t)); /* the magic */
    if (!result)
        result = write_at(fd, copy, region->page, 0);
    return result ? result : map_over(region, fd);
}

int mm_region_file(struct mm_region *region, const char *path, size_t counts,
                   size_t counts_end)
{
    uint64_t magic = *(const uint64_t *)(const void *)region->base;
    unsigned char *copy;
    int fd, result;

    if (region->filed)
        return -EALREADY;
    if (strlen(path) >= sizeof region->path)
        return -ENAMETOOLONG;
    copy = mmap(NULL, region->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    if (copy == MAP_FAILED)
        return -ENOMEM;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    result = fd < 0 ? -errno : 0;
    if (!result) {
        mm_own_file(fd);
        result = move_to(region, fd, copy);
        close(fd);
        if (result)
            unlink(path);
    }
    if (!result) {
        strcpy(region->path, path);
        region->filed = 1;
        region->pause = region->skip = 0;
        if (region->shadow)
            add_late(region, copy, counts, counts_end);
        __atomic_store_n((uint64_t *)(void *)region->base, magic, __ATOMIC_RELEASE);
        drop_shadow(region);
    }
    munmap(copy, region->page);
    return result;
}

/* Replace the first page by a private copy. */
static void copy_first(struct mm_region *region)
{
    void *copy = mmap(NULL, region->page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (copy == MAP_FAILED)
        return;
    memcpy(copy, region->base, region->page);
    if (move_mapping(copy, region->page, region->page, MREMAP_MAYMOVE | MREMAP_FIXED,
                     region->base) == MAP_FAILED)
        munmap(copy, region->page);
}

void mm_region_detach(struct mm_region *region)
{
    int fd;

    drop_shadow(region);
    if (!region->filed) {
        copy_first(region);
        return;
    }
    fd = open(region->path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || map_at(region->base, region->mapped, MAP_PRIVATE, fd, 0))
        map_at(region->base, region->mapped, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fd >= 0)
        close(fd);
    region->filed = 0;
}
