/* SPDX-License-Identifier: BSD-3-Clause */
/* fold_file.c: the file of a thread's aggregates, which grows without moving in
 * memory. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mastermind/recorder/fold.h"
#include "mastermind/format/own_file.h"

enum {
    INDEX_BITS = 10,
    INDEX_FIRST = 1 << INDEX_BITS,
    STEPS_FIRST = 256,
    MAX_IDS = 65536
};

void *mm_fold_memory(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

/* Map `bytes` more bytes at the end of the mapping. Returns 0 or a negative errno. */
static int map_more(struct mm_thread *t, struct mm_fold *f, size_t bytes)
{
    int how = MAP_FIXED | MAP_POPULATE, fd = -1, code = 0;
    char path[PATH_MAX];
    void *map;

    if (f->mapped + bytes > MM_FOLD_REGION)
        return -EFBIG;
    if (t->on_file) {
        code = mm_thread_path(t, f->mapped ? "agg" : "agg.new", path);
        if (code)
            return code;
        fd = open(path,
                  O_RDWR | O_NOFOLLOW | O_CLOEXEC | (f->mapped ? 0 : O_CREAT | O_EXCL),
                  0666);
        if (fd < 0)
            code = -errno;
        mm_own_file(fd);
        if (!code)
            code = -posix_fallocate(fd, (off_t)f->mapped, (off_t)bytes);
        how |= MAP_SHARED;
    } else {
        how |= MAP_PRIVATE | MAP_ANONYMOUS;
    }
    if (!code) {
        map = mmap(f->base + f->mapped, bytes, PROT_READ | PROT_WRITE, how, fd,
                   (off_t)f->mapped);
        if (map == MAP_FAILED)
            code = -errno;
    }
    if (!code) {
        f->mapped += bytes;
        if (t->on_file)
            __atomic_fetch_add(&t->recorder->bytes, bytes, __ATOMIC_RELAXED);
    } else if (t->on_file) {
        mm_recorder_fail(t->recorder, code, "cannot extend", path);
        if (!f->mapped && fd >= 0)
            unlink(path);
    }
    if (fd >= 0)
        close(fd);
    return code;
}

static void release(struct mm_fold *f)
{
    if (f->base)
        munmap(f->base, MM_FOLD_REGION);
    if (f->index)
        munmap(f->index, ((size_t)f->index_mask + 1) * sizeof *f->index);
    if (f->steps)
        munmap(f->steps, ((size_t)f->steps_mask + 1) * sizeof *f->steps);
    if (f->methods)
        munmap(f->methods, MAX_IDS * sizeof *f->methods);
    munmap(f, sizeof *f);
}

/* Rename the completed file of aggregates to its final name. Returns 0 or -1. */
static int name_it(struct mm_thread *t)
{
    char fresh[PATH_MAX], path[PATH_MAX];

    if (!t->on_file)
        return 0;
    if (mm_thread_path(t, "agg.new", fresh) || mm_thread_path(t, "agg", path))
        return -1;
    if (!rename(fresh, path))
        return 0;
    mm_recorder_fail(t->recorder, -errno, "cannot make", path);
    unlink(fresh);
    return -1;
}

static void write_start(struct mm_thread *t, struct mm_fold *f)
{
    struct mm_node *root;
    struct mm_file_head head;

    f->journal = (struct mm_agg_journal *)(f->base + MM_LIVE_OFFSET);
    f->used = MM_AGG_FIRST + 1;
    root = mm_fold_at(f, MM_AGG_FIRST);
    root->method = root->caller = MM_METHOD_NONE;
    root->word0 = mm_agg_word0(root, MM_AGG_NODE, 1, MM_NODE_FIXED, MM_AGG_FIRST);
    f->node_count = 1;
    f->caller = f->pair = UINT64_MAX;
    mm_thread_head(t, MM_AGG_MAGIC, &head);
    memcpy(f->base, &head, sizeof head);
}

static struct mm_fold *fold_new(struct mm_thread *t)
{
    struct mm_fold *f = mm_fold_memory(sizeof *f);
    void *region;

    if (!f)
        return NULL;
    region = mmap(NULL, MM_FOLD_REGION, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    f->base = region == MAP_FAILED ? NULL : region;
    f->end = mm_entry_end(1, (uint32_t)t->recorder->counter_count);
    f->index_mask = INDEX_FIRST - 1;
    f->index_shift = 32 - INDEX_BITS;
    f->index = mm_fold_memory(INDEX_FIRST * sizeof *f->index);
    f->steps_mask = STEPS_FIRST - 1;
    f->steps = mm_fold_memory(STEPS_FIRST * sizeof *f->steps);
    f->methods = mm_fold_memory(MAX_IDS * sizeof *f->methods);
    if (!f->base || !f->index || !f->steps || !f->methods ||
        map_more(t, f, MM_FOLD_FIRST_BYTES)) {
        release(f);
        return NULL;
    }
    write_start(t, f);
    if (name_it(t)) {
        release(f);
        return NULL;
    }
    t->root.context = (uintptr_t)mm_fold_at(f, MM_AGG_FIRST);
    return f;
}

/* Return the number of bytes by which the file grows next, if the size limit allows
 * it. */
static size_t more_bytes(const struct mm_fold *f)
{
    return f->mapped < MM_FOLD_MORE_BYTES ? f->mapped : MM_FOLD_MORE_BYTES;
}

/* True if the file stays within the size limit with `lines` more lines. */
static int fits(const struct mm_thread *t, uint32_t lines)
{
    const struct mm_recorder *r = t->recorder;
    const struct mm_fold *f = t->fold;
    uint64_t limit = r->storage.size_limit, left;
    size_t wanted = ((size_t)f->used + lines) * MM_LINE;

    if (!limit)
        return 1;
    left = __atomic_load_n(&r->bytes, __ATOMIC_RELAXED);
    left = left < limit ? limit - left : 0;
    if (left < MM_FOLD_FIRST_BYTES) /* the last bytes are reserved for records that
                                       must be stored in any case */
        return 0;
    if (wanted <= f->mapped)
        return lines || left >= more_bytes(f);
    return left >= more_bytes(f) && left >= wanted - f->mapped;
}

int mm_fold_allows(struct mm_thread *t, uint32_t lines)
{
    int allowed = fits(t, lines);

    if (!allowed)
        mm_limit_reached(t);
    return allowed;
}

int mm_fold_make(struct mm_thread *t)
{
    struct mm_fold *f = t->fold;
    size_t wanted, bytes;

    if (!f) {
        t->fold = fold_new(t);
        return t->fold ? 0 : -1;
    }
    wanted = (size_t)f->wanted * MM_LINE;
    while (f->mapped < wanted) {
        bytes = fits(t, 0) ? more_bytes(f) : MM_FOLD_FIRST_BYTES;
        if (map_more(t, f, bytes))
            return -1;
    }
    return 0;
}

struct mm_fold *mm_fold_of(struct mm_thread *t)
{
    if (!t->fold && !t->fold_failed && mm_quietly(t, mm_fold_make))
        t->fold_failed = 1;
    return t->fold;
}

/* Cut off the reserved lines at the end of the file, and close it. */
void mm_fold_finish(struct mm_thread *t)
{
    struct mm_fold *f = t->fold;
    char path[PATH_MAX];
    size_t bytes;

    if (!f)
        return;
    bytes = (size_t)f->used * MM_LINE;
    t->fold = NULL;
    if (t->on_file && !mm_thread_path(t, "agg", path) && !truncate(path, (off_t)bytes))
        __atomic_fetch_sub(&t->recorder->bytes, f->mapped - bytes, __ATOMIC_RELAXED);
    release(f);
}
