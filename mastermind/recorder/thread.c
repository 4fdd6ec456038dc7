/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c: the ring and the segment of one thread.
 *
 * No descriptor is kept between calls, because the measured program may close or replace
 * any. All functions here run with signals blocked and may make system calls. */
#include "mastermind/recorder/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mastermind/recorder/fold.h"
#include "mastermind/recorder/parts.h"
#include "mastermind/format/own_file.h"
#include "mastermind/recorder/pack.h"

enum { SMALL_LIMIT = 64 << 20 };

/* Offset of a thread's state in its page. Frames begin at the start of a page; if both
 * had the same offset, loads from one would wait for stores to the other (4K
 * aliasing). */
enum { PLACE = 2048 };

static size_t first_window(void)
{
    return MM_HEAD_BYTES + mm_chunk_bytes(0);
}

static size_t ring_size(const struct mm_thread *t)
{
    return first_window() + (size_t)MM_WINDOW_BYTES * (size_t)t->window_count;
}

/* Reserve space in a file and map it. Returns the mapping or NULL with errno. */
static void *map_file(int fd, off_t offset, size_t bytes)
{
    int status = posix_fallocate(fd, offset, (off_t)bytes);
    void *map;

    if (status) {
        errno = status;
        return NULL;
    }
    map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    return map == MAP_FAILED ? NULL : map;
}

static void *map_memory(size_t bytes)
{
    void *map =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

/* Return the size of an array that has `one` bytes for each frame of a chunk. */
static size_t beside_bytes(int chunk, size_t one)
{
    return mm_chunk_bytes(chunk) / MM_FRAME_BYTES * one;
}

/* Map memory for losses and counters of the next chunk's frames. No file is mapped,
 * because they are written to files only when an invocation ends. Returns 0 or -1. */
static int map_beside(struct mm_thread *t)
{
    int chunk = t->chunk_count;

    if (!t->losses[chunk])
        t->losses[chunk] = map_memory(beside_bytes(chunk, sizeof **t->losses));
    if (t->recorder->counter_count && !t->counts[chunk])
        t->counts[chunk] = map_memory(beside_bytes(chunk, sizeof **t->counts));
    return t->losses[chunk] && (!t->recorder->counter_count || t->counts[chunk]) ? 0 : -1;
}

/* Link the frames of a chunk permanently: slot order is stack order. */
static void link_frames(struct mm_thread *t, struct mm_frame *frames, size_t count)
{
    struct mm_frame *below = &t->root;
    size_t i;

    if (t->chunk_count)
        below = t->chunks[t->chunk_count - 1] +
                mm_chunk_bytes(t->chunk_count - 1) / MM_FRAME_BYTES - 1;
    for (i = 0; i < count; i++) {
        frames[i].process[MM_FRAME_BELOW] = below;
        if (i)
            below->process[MM_FRAME_ABOVE] = &frames[i];
        below = &frames[i];
    }
    below->process[MM_FRAME_ABOVE] = NULL;
    below = frames[0].process[MM_FRAME_BELOW];
    below->process[MM_FRAME_ABOVE] = &frames[0];
    t->above = t->open->process[MM_FRAME_ABOVE];
    t->chunks[t->chunk_count++] = frames;
}

static struct mm_window_head *window_at(const struct mm_thread *t, uint64_t seq)
{
    size_t place = (size_t)((seq - 1) % (uint64_t)t->window_count);

    return (struct mm_window_head *)(t->ring + first_window() + place * MM_WINDOW_BYTES);
}

/* Stop rows of new calls when the next window could exceed the size limit; rows of open
 * calls still fit. A quarter of the limit is reserved for aggregates. */
static void look_at_limit(struct mm_thread *t)
{
    const struct mm_recorder *r = t->recorder;
    uint64_t threads = (uint64_t)__atomic_load_n(&r->live_threads, __ATOMIC_RELAXED) + 1;

    if (t->spent || !t->on_file || !r->storage.size_limit ||
        __atomic_load_n(&r->bytes, __ATOMIC_RELAXED) + threads * MM_WINDOW_BYTES <=
            r->storage.size_limit / 4 * 3)
        return;
    t->spent = 1;
    mm_limit_reached(t);
    memset(t->quota, 0,
           __atomic_load_n(&r->method_count, __ATOMIC_RELAXED) * sizeof *t->quota);
}

/* Make the kernel map all pages of a window at once, at the window's first use. */
static void populate(const struct mm_thread *t, struct mm_window_head *window)
{
    enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE; ignored by old kernels */

    if (t->on_file)
        madvise(window, MM_WINDOW_BYTES, POPULATE_WRITE);
}

/* Start the ring's window with sequence number `seq`. `worked` is true if the recorder
 * has worked since the end of the previous window. */
static void start_window(struct mm_thread *t, uint64_t seq, int worked)
{
    struct mm_window_head *w = window_at(t, seq);

    if (seq <= (uint64_t)t->window_count)
        populate(t, w);
    __atomic_store_n(&w->check, 0, __ATOMIC_RELEASE);
    w->seq = seq;
    w->first_row = t->rows;
    w->base_invocation = t->invocations;
    w->base_end = t->last_end;
    __atomic_store_n(&w->check,
                     mm_block_check(w, offsetof(struct mm_window_head, check), 0) | 1,
                     __ATOMIC_RELEASE);
    t->window = w;
    t->base_biased = w->base_invocation - 0x80000000u;
    t->caller = MM_NO_CALLER;
    t->cursor = (uint64_t *)(w + 1);
    t->limit = (uint64_t *)((char *)w + MM_WINDOW_BYTES) - MM_ROW_MAX_WORDS -
               (ptrdiff_t)2 * MM_READING_WORDS;
    if (t->on_file)
        mm_pace_measure(t);
    mm_reading_of_window(t, MM_READING_BEGINS | t->pace << MM_READING_PACE_SHIFT, worked);
    look_at_limit(t);
}

static int prepare_ring(struct mm_thread *t)
{
    struct mm_file_head head;

    if (map_beside(t))
        return -ENOMEM;
    t->live = (struct mm_ring_live *)(t->ring + MM_LIVE_OFFSET);
    link_frames(t, (struct mm_frame *)(t->ring + MM_HEAD_BYTES), MM_FRAME_COUNT);
    t->last_end = t->recorder->origin.ticks;
    start_window(t, 1, 1);
    mm_thread_head(t, MM_RING_MAGIC, &head);
    memcpy(t->ring, &head, sizeof head);
    return 0;
}

/* Create the ring file under another name, and rename it when it is complete. */
static int make_ring_file(struct mm_thread *t)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    int fd, code = mm_thread_path(t, "ring", path);

    if (!code)
        code = mm_thread_path(t, "ring.new", fresh);
    if (code)
        return code;
    fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        code = -errno;
        mm_recorder_fail(t->recorder, code, "cannot create", fresh);
        return code;
    }
    mm_own_file(fd);
    t->ring = map_file(fd, 0, ring_size(t));
    if (t->ring)
        __atomic_fetch_add(&t->recorder->bytes, ring_size(t), __ATOMIC_RELAXED);
    code = t->ring ? prepare_ring(t) : -errno;
    close(fd);
    if (!code && rename(fresh, path))
        code = -errno;
    if (!code)
        t->ring_id = mm_file_id(path);
    if (code) {
        mm_recorder_fail(t->recorder, code, "cannot make", path);
        unlink(fresh);
    }
    return code;
}

static void free_memory(struct mm_thread *t)
{
    int i;

    mm_fold_finish(t);
    for (i = 1; i < t->chunk_count; i++)
        munmap(t->chunks[i], mm_chunk_bytes(i));
    for (i = 0; i < MM_FRAME_CHUNKS && t->losses[i]; i++)
        munmap(t->losses[i], beside_bytes(i, sizeof **t->losses));
    for (i = 0; i < MM_FRAME_CHUNKS && t->counts[i]; i++)
        munmap(t->counts[i], beside_bytes(i, sizeof **t->counts));
    if (t->ring)
        munmap(t->ring, ring_size(t));
    if (t->packed)
        munmap(t->packed, t->packed_bytes);
    pthread_mutex_destroy(&t->pack_lock);
    munmap((char *)t - PLACE, PLACE + sizeof *t);
}

static const int64_t no_mpi;

/* True if the size limit is small, so that the caller packs each window at once. */
static int is_small(const struct mm_recorder *r)
{
    return r->storage.size_limit && r->storage.size_limit < SMALL_LIMIT;
}

/* Call on_first_thread before the recorder's first thread has rows, and give `t` its
 * number. Returns 0 or -1. */
static int number_thread(struct mm_thread *t)
{
    struct mm_recorder *r = t->recorder;
    struct cca_error err = {0};
    int code = 0;

    pthread_mutex_lock(&r->lock);
    if (!r->announced && r->options.on_first_thread)
        code = r->options.on_first_thread(r->options.context, &err);
    r->announced |= !code;
    if (!code)
        t->number = r->thread_count++;
    else if (!r->error.code)
        cca_error_set(&r->error, code, "%s", err.text);
    pthread_mutex_unlock(&r->lock);
    return code ? -1 : 0;
}

struct mm_thread *mm_thread_new(struct mm_recorder *r, int on_file)
{
    char *place = map_memory(PLACE + sizeof(struct mm_thread));
    struct mm_thread *t;

    if (!place) {
        mm_recorder_fail(r, -ENOMEM, "no memory for a thread in", r->directory);
        return NULL;
    }
    /* a forked child gets a state of zeros, see look_for_fork; old kernels ignore this */
    madvise(place, PLACE + sizeof *t, MADV_WIPEONFORK);
    t = (struct mm_thread *)(place + PLACE);
    t->recorder = r;
    t->state = MM_IDLE(r);
    t->root.stack = UINT64_MAX;
    t->open = &t->root;
    t->on_file = on_file;
    t->thread_id = (uint64_t)syscall(SYS_gettid);
    t->window_count = on_file && !is_small(r) ? MM_WINDOWS : 1;
    t->mode = on_file ? r->storage.mode : MM_STORE_ROWS;
    t->count = r->storage.count;
    t->gap_ticks = on_file ? r->gap_ticks : INT64_MAX;
    t->plain = !r->extra && t->mode != MM_STORE_RESERVOIR;
    pthread_mutex_init(&t->pack_lock, NULL);
    t->packed_bytes = mm_pack_bound(MM_WINDOW_BYTES) * (size_t)t->window_count;
    t->packed = map_memory(t->packed_bytes);
    if (!t->packed) {
        mm_recorder_fail(r, -ENOMEM, "no memory for a thread in", r->directory);
        goto fail;
    }
    if (on_file) {
        if (number_thread(t) || make_ring_file(t))
            goto fail;
    } else {
        t->ring = map_memory(ring_size(t));
        if (!t->ring || prepare_ring(t))
            goto fail;
    }
    t->mpi =
        r->options.mpi_time && on_file ? r->options.mpi_time(r->options.context) : NULL;
    if (!t->mpi)
        t->mpi = &no_mpi;
    mm_core_start(t);
    if (r->counter_count && on_file) /* the first reading of the counters in a thread
                                        is slow */
        r->options.read_counters(r->options.context, t->root_counts.own);
    return t;
fail:
    free_memory(t);
    return NULL;
}

/* Write all bytes to a segment; after a failure cut off an incomplete block. */
static int write_all(int fd, const unsigned char *data, size_t bytes, uint64_t start)
{
    size_t done = 0;
    ssize_t n;
    int code;

    while (done < bytes) {
        n = pwrite(fd, data + done, bytes - done, (off_t)(start + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            code = n < 0 ? -errno : -EIO;
            /* readers also accept a file with an incomplete last block */
            if (ftruncate(fd, (off_t)start))
                return code;
            return code;
        }
        done += (size_t)n;
    }
    return 0;
}

/* Append a block to the thread's segment; the first block creates the file and its
 * head. */
static int append(struct mm_thread *t, size_t bytes)
{
    struct mm_file_head head;
    char path[PATH_MAX];
    int fd, flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
            code = mm_thread_path(t, "seg", path);

    if (code)
        return code;
    fd = open(path, t->segment_bytes ? flags : flags | O_CREAT | O_EXCL, 0666);
    if (fd < 0) {
        code = -errno;
        goto done;
    }
    if (!t->segment_bytes) {
        mm_own_file(fd);
        mm_thread_head(t, MM_SEGMENT_MAGIC, &head);
        code = write_all(fd, (unsigned char *)&head, sizeof head, 0);
        if (code)
            goto done;
        t->segment_bytes = sizeof head;
        t->segment_id = mm_file_id(path);
        __atomic_fetch_add(&t->recorder->bytes, sizeof head, __ATOMIC_RELAXED);
    }
    code = write_all(fd, t->packed, bytes, t->segment_bytes);
    if (!code) {
        t->segment_bytes += bytes;
        __atomic_fetch_add(&t->recorder->bytes, bytes, __ATOMIC_RELAXED);
    }
done:
    if (fd >= 0 && close(fd) && !code)
        code = -errno;
    if (code)
        mm_recorder_fail(t->recorder, code, "cannot write", path);
    return code;
}

uint64_t mm_thread_full(const struct mm_thread *t)
{
    if (__atomic_load_n(&t->failed, __ATOMIC_RELAXED))
        return 0;
    return __atomic_load_n(&t->full, __ATOMIC_ACQUIRE) -
           __atomic_load_n(&t->packed_seq, __ATOMIC_ACQUIRE);
}

int mm_thread_pack(struct mm_thread *t, uint64_t most)
{
    uint64_t seq = t->packed_seq, full = mm_thread_full(t);
    size_t bytes = 0, rows;

    if (full > most)
        full = most;
    for (; full; full--) {
        /* `full` is 0 if the thread has packed its windows itself, or has failed */
        rows = t->full_bytes[seq++ % (uint64_t)t->window_count];
        bytes += mm_pack_window(window_at(t, seq), rows, &t->pack, t->packed + bytes);
    }
    if (t->on_file && bytes && append(t, bytes)) {
        /* from now on rows stay in the ring */
        __atomic_store_n(&t->failed, 1, __ATOMIC_RELAXED);
        return -1;
    }
    __atomic_store_n(&t->packed_seq, seq, __ATOMIC_RELEASE);
    return 0;
}

/* Pack windows in the calling thread, if more than `left` windows are full. */
static void pack_here(struct mm_thread *t, uint64_t left)
{
    pthread_mutex_lock(&t->pack_lock);
    if (mm_thread_full(t) > left)
        mm_thread_pack(t, MM_WINDOWS);
    pthread_mutex_unlock(&t->pack_lock);
}

/* End the current window of the ring at the cursor and mark it as full. */
static uint64_t close_window(struct mm_thread *t)
{
    uint64_t seq = t->window->seq;

    mm_reading_of_window(t, MM_READING_ENDS, 1);
    t->full_bytes[(seq - 1) % (uint64_t)t->window_count] =
        (size_t)((char *)t->cursor - (char *)(t->window + 1));
    __atomic_store_n(&t->full, seq, __ATOMIC_RELEASE);
    return seq;
}

int mm_thread_roll(struct mm_thread *t, int calm)
{
    uint64_t seq, room = (uint64_t)t->window_count - 1;
    int worked;

    if (!__atomic_load_n(&t->failed, __ATOMIC_RELAXED)) {
        seq = close_window(t);
        worked = mm_thread_full(t) > room;
        if (t->on_file && mm_helper_call(t->recorder, mm_thread_full(t), calm)) {
            if (mm_thread_full(t) > room) {
                /* the helper thread has not packed the windows in time */
                pack_here(t, room);
                mm_helper_call(t->recorder, mm_thread_full(t), 0);
            }
        } else if (t->on_file || !t->recorder->helper.wanted) {
            pack_here(t, room);
        } else {
            /* when costs are measured, there are no files: act as if the helper had
             * packed */
            t->packed_seq = seq;
        }
        if (!__atomic_load_n(&t->failed, __ATOMIC_RELAXED)) {
            start_window(t, seq + 1, worked);
            return 0;
        }
    }
    t->limit = t->cursor;
    return -1;
}

int mm_thread_grow(struct mm_thread *t)
{
    size_t bytes = mm_chunk_bytes(t->chunk_count);
    off_t offset = (off_t)ring_size(t);
    struct mm_frame *frames = NULL;
    char path[PATH_MAX];
    struct stat st;
    int i, fd = -1, code = 0;

    if (t->chunk_count == MM_FRAME_CHUNKS || map_beside(t))
        return -1;
    for (i = 1; i < t->chunk_count; i++)
        offset += (off_t)mm_chunk_bytes(i);
    if (t->on_file) {
        code = mm_thread_path(t, "ring", path);
        if (!code)
            fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (!code && (fd < 0 || fstat(fd, &st)))
            code = -errno;
        if (!code && !(frames = map_file(fd, offset, bytes)))
            code = -errno;
        if (!code)
            __atomic_fetch_add(&t->recorder->bytes, bytes, __ATOMIC_RELAXED);
        if (fd >= 0)
            close(fd);
        if (code)
            mm_recorder_fail(t->recorder, code, "cannot extend", path);
    } else {
        frames = map_memory(bytes);
    }
    if (!frames)
        return -1;
    link_frames(t, frames, bytes / MM_FRAME_BYTES);
    return 0;
}

/* True if one of the thread's files, ring or segment, was removed during recording; then
 * the other file cannot be read. */
static int is_removed(struct mm_thread *t)
{
    char ring[PATH_MAX], segment[PATH_MAX];
    const char *removed = NULL;

    if (mm_thread_path(t, "ring", ring) || mm_thread_path(t, "seg", segment))
        return 0;
    pthread_mutex_lock(&t->pack_lock); /* the helper may be creating the segment */
    if (!mm_file_is(&t->ring_id, ring))
        removed = ring;
    else if (!mm_file_is(&t->segment_id, segment))
        removed = segment;
    pthread_mutex_unlock(&t->pack_lock);
    if (removed)
        mm_recorder_fail(t->recorder, -ENOENT, "removed while it was written:", removed);
    return removed != NULL;
}

/* Write the last rows and the trailer to the segment, then remove the ring. */
static void close_files(struct mm_thread *t)
{
    char path[PATH_MAX];

    pack_here(t, 0);
    if (!t->failed && t->rows != t->window->first_row) {
        close_window(t);
        pack_here(t, 0);
    }
    if (t->failed)
        return;
    if (append(t, mm_pack_trailer(t->packed_seq + 1, t->live, t->invocations, t->packed)))
        return;
    if (!mm_thread_path(t, "ring", path) && unlink(path))
        mm_recorder_fail(t->recorder, -errno, "cannot remove", path);
    else
        __atomic_fetch_sub(&t->recorder->bytes, ring_size(t), __ATOMIC_RELAXED);
}

/* Return rows that the thread reserved but did not use to the budgets of the methods. */
static void give_back(struct mm_thread *t)
{
    struct mm_method *method;

    if (t->mode != MM_STORE_AUTO || t->spent)
        return;
    for (method = t->recorder->methods; method; method = method->next)
        if (method->admitted && t->quota[method->id] > 0)
            __atomic_fetch_add(&method->left, t->quota[method->id], __ATOMIC_RELAXED);
}

static int64_t unplaced_ns(const struct mm_thread *t)
{
    return (int64_t)((double)t->core.unplaced_ticks * t->recorder->ns_per_tick);
}

void mm_thread_finish(struct mm_thread *t)
{
    struct mm_recorder *r = t->recorder;
    struct mm_thread **link;
    int removed;

    if (t->on_file) {
        removed = is_removed(t);
        if (!removed)
            close_files(t);
        mm_fold_finish(t);
        pthread_mutex_lock(&r->lock);
        r->gone.rows += removed ? 0 : t->live->rows;
        r->gone.dropped += removed ? t->live->rows : 0;
        r->gone.removed |= removed;
        r->gone.dropped += mm_count_read(&t->live->dropped);
        r->gone.nested += mm_count_read(&t->live->nested);
        r->gone.limited += (uint32_t)mm_count_read(&t->live->limited);
        r->gone.folded += t->live->folded;
        r->gone.counted += t->live->counted;
        r->gone.other += t->live->other;
        r->gone.unplaced_ns += unplaced_ns(t);
        give_back(t);
        for (link = &r->threads; *link && *link != t; link = &(*link)->next)
            continue;
        if (*link) {
            *link = t->next;
            __atomic_sub_fetch(&r->live_threads, 1, __ATOMIC_RELAXED);
        }
        pthread_mutex_unlock(&r->lock);
        /* The helper may just have chosen this thread: wait until it has finished. */
        pthread_mutex_lock(&t->pack_lock);
        pthread_mutex_unlock(&t->pack_lock);
    }
    free_memory(t);
}
