/* SPDX-License-Identifier: BSD-3-Clause */
/* given_thread.c: pack the rows of one thread of a given experiment into its
 * segment. */
#include "mastermind/writer/parts.h"

#include "common/array.h"
#include "common/file.h"
#include "mastermind/format/own_file.h"
#include "mastermind/recorder/pack.h"
#include "mastermind/writer/write_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WINDOW_BYTES = 64 * 1024, /* size of a window (a head and rows); each thread keeps
                                 one window in memory */
    WINDOW_WORDS = WINDOW_BYTES / 8,
    HEAD_WORDS = sizeof(struct mm_window_head) / 8,
    FRAME_COUNT = 256 /* a segment has no frames, but the same head as a ring */
};

/* A caller whose own row has not come yet. */
struct caller {
    uint64_t invocation;
    uint64_t callees; /* inclusive ticks of its callees so far */
    uint64_t before;  /* largest invocation number before the first row of its callees
                         came; the caller's own number is larger */
};

struct mm_given_thread {
    const struct mm_given_clock *clock;
    int number;
    uint64_t *words; /* a window: its head, then rows; grows up to WINDOW_WORDS */
    size_t used, room;
    uint64_t seq;  /* sequence number of the window; 0: the segment has no file yet */
    uint64_t rows; /* number of all rows; `packed`: number of rows in blocks */
    uint64_t packed;
    uint64_t base_invocation, base_end; /* invocation number and end, from which compact
                                           rows of the window are counted */
    uint64_t last_end;
    uint64_t youngest; /* largest invocation number of all rows */
    struct caller *callers;
    size_t caller_count;
};

int mm_given_pack_init(struct mm_given_pack *pack)
{
    pack->out = malloc(mm_pack_bound(WINDOW_BYTES));
    return pack->out ? 0 : -ENOMEM;
}

void mm_given_pack_done(struct mm_given_pack *pack)
{
    free(pack->out);
    pack->out = NULL;
}

struct mm_given_thread *mm_given_thread_new(int number,
                                            const struct mm_given_clock *clock)
{
    struct mm_given_thread *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->number = number;
    t->clock = clock;
    t->used = HEAD_WORDS;
    return t;
}

void mm_given_thread_free(struct mm_given_thread *t)
{
    if (!t)
        return;
    free(t->words);
    free(t->callers);
    free(t);
}

uint64_t mm_given_thread_rows(const struct mm_given_thread *t)
{
    return t->rows;
}

uint64_t mm_given_thread_end(const struct mm_given_thread *t)
{
    return t->last_end;
}

/* --- The file ------------------------------------------------------------- */

static struct mm_file_head make_head(const struct mm_given_thread *t)
{
    struct mm_file_head head = {.magic = MM_SEGMENT_MAGIC,
                                .format = MM_FORMAT,
                                .thread = (uint32_t)t->number,
                                .window_bytes = WINDOW_BYTES,
                                .window_count = 1,
                                .frame_bytes = MM_FRAME_BYTES,
                                .frame_count = FRAME_COUNT,
                                .flags = t->clock->cpu_time ? MM_HEAD_CPU_TIME : 0,
                                .epoch_ns = t->clock->epoch_ns,
                                .ns_per_tick = t->clock->ns_per_tick};

    head.check = mm_block_check(&head, offsetof(struct mm_file_head, check), 0);
    return head;
}

/* Append a block of rows to the segment; the first block creates the file. */
static int append_block(struct mm_given_thread *t, const char *directory,
                        const unsigned char *block, size_t size, struct cca_error *err)
{
    struct mm_file_head head = make_head(t);
    struct mm_write_signals held;
    char path[PATH_MAX];
    int fd, result = 0;

    if (snprintf(path, sizeof path, "%s/thread-%03d.seg", directory, t->number) >=
        (int)sizeof path)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long", directory);
    mm_write_signals_hold(&held);
    fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | (t->seq ? 0 : O_CREAT | O_EXCL),
              0666);
    if (fd < 0)
        result = -errno;
    if (!result && !t->seq) {
        mm_own_file(fd);
        result = cca_file_write_all(fd, &head, sizeof head);
    }
    if (!result)
        result = cca_file_write_all(fd, block, size);
    if (fd >= 0 && close(fd) && !result)
        result = -errno;
    mm_write_signals_release(&held);
    if (result)
        return cca_error_set(err, result, "cannot write '%s': %s", path,
                             strerror(-result));
    t->seq++;
    return 0;
}

static int write_window(struct mm_given_thread *t, const char *directory,
                        struct mm_given_pack *pack, struct cca_error *err)
{
    struct mm_window_head head = {.seq = t->seq + 1,
                                  .first_row = t->packed,
                                  .base_invocation = t->base_invocation,
                                  .base_end = t->base_end};
    size_t size;
    int result;

    memcpy(t->words, &head, sizeof head);
    size = mm_pack_window((const struct mm_window_head *)t->words,
                          8 * (t->used - HEAD_WORDS), &pack->state, pack->out);
    result = append_block(t, directory, pack->out, size, err);
    t->used = HEAD_WORDS;
    t->packed = t->rows;
    return result;
}

/* --- Order of rows -------------------------------------------------------- */

static int refuse_order(const struct mm_given_row *row, const char *why,
                        struct cca_error *err)
{
    return cca_error_set(err, -EINVAL,
                         "rank %d thread %d: found invocation %" PRIu64
                         " called by %" PRIu64 ", expected %s",
                         row->rank, row->thread, row->invocation, row->caller, why);
}

/* Give the row its number, find the ticks of its callees, and add its own ticks to its
 * caller. Because rows come in the order of their ends, open callers form a stack: the
 * row of a caller comes while its entry is at the top. A caller that has no entry yet
 * must have a larger number than all rows that came before its first callee. */
static int place_row(struct mm_given_thread *t, const struct mm_given_row *row,
                     uint64_t *invocation, uint64_t *callees, struct cca_error *err)
{
    struct caller *top = t->caller_count ? &t->callers[t->caller_count - 1] : NULL;
    struct caller own = {.invocation =
                             row->invocation ? row->invocation : t->youngest + 1,
                         .before = t->youngest};
    int has_callees = top && top->invocation == own.invocation;
    size_t open;

    if (has_callees)
        own = *top;
    else if (own.invocation <= t->youngest)
        return refuse_order(row, "a number above those before, or that of a caller", err);
    open = t->caller_count - (size_t)has_callees;
    if (row->caller >= own.invocation)
        return refuse_order(row, "an older caller", err);
    if (!row->caller && open)
        return refuse_order(row, "a caller, as another invocation is open", err);
    if (row->caller && !(open && t->callers[open - 1].invocation == row->caller)) {
        if (row->caller <= own.before)
            return refuse_order(row, "a caller that is open", err);
        if (!has_callees &&
            cca_array_reserve(&t->callers, t->caller_count, sizeof *t->callers))
            return cca_no_memory(err);
        t->callers[open++] =
            (struct caller){.invocation = row->caller, .before = own.before};
    }
    if (row->caller)
        t->callers[open - 1].callees += row->wall;
    t->caller_count = open;
    if (own.invocation > t->youngest)
        t->youngest = own.invocation;
    *invocation = own.invocation;
    *callees = own.callees;
    return 0;
}

/* --- Words of a row ------------------------------------------------------- */

/* Write the in-values or out-values of a compact row: the int64 values, two in a word,
 * then the doubles. Returns the address after the last word; NULL: an int64 does not fit
 * into 32 bits. */
static uint64_t *put_group(const unsigned char *types, const union monitor_value *values,
                           size_t count, uint64_t *at)
{
    size_t ints = 0, i;

    for (i = 0; i < count; i++) {
        if (types[i] != MONITOR_INT64)
            continue;
        if (values[i].i != (int32_t)values[i].i)
            return NULL;
        if (ints++ % 2)
            *at++ |= (uint64_t)(uint32_t)values[i].i << 32;
        else
            *at = (uint32_t)values[i].i;
    }
    at += ints % 2;
    for (i = 0; i < count; i++)
        if (types[i] == MONITOR_DOUBLE)
            memcpy(at++, &values[i], sizeof *at);
    return at;
}

static int fits_32(uint64_t value)
{
    return value <= UINT32_MAX;
}

/* Write the words of a compact row from word 1 on. Returns the address after the last
 * word; NULL: a number does not fit into 32 bits. */
static uint64_t *put_compact(const struct mm_given_thread *t,
                             const struct mm_given_shape *shape,
                             const struct mm_given_row *row, uint64_t invocation,
                             uint64_t callees, uint64_t *at)
{
    uint64_t end = row->start + row->wall;
    int64_t number = (int64_t)(invocation - t->base_invocation);
    int64_t caller =
        row->caller ? (int64_t)(row->caller - t->base_invocation) : MM_CALLER_NONE;

    if (number != (int32_t)number || caller != (int32_t)caller ||
        (row->caller && caller == MM_CALLER_NONE) || !fits_32(end - t->last_end) ||
        !fits_32(row->wall) || !fits_32(callees) || !fits_32((uint64_t)row->mpi_ns))
        return NULL;
    *at++ = (uint32_t)number | (uint64_t)(uint32_t)caller << 32;
    *at++ = (end - t->last_end) | row->wall << 32;
    *at++ = callees | (uint64_t)row->mpi_ns << 32;
    if (t->clock->cpu_time)
        *at++ = (uint64_t)row->cpu_ns;
    at = put_group(shape->types, row->in, shape->in_count, at);
    if (!at || row->status != MM_STATUS_DONE)
        return at;
    return put_group(shape->types + shape->in_count, row->out, shape->out_count, at);
}

static uint64_t *put_wide(const struct mm_given_thread *t,
                          const struct mm_given_shape *shape,
                          const struct mm_given_row *row, uint64_t invocation,
                          uint64_t callees, uint64_t *at)
{
    *at++ = invocation;
    *at++ = row->caller;
    *at++ = row->start + row->wall;
    *at++ = row->wall;
    *at++ = callees;
    *at++ = (uint64_t)row->mpi_ns;
    if (t->clock->cpu_time)
        *at++ = (uint64_t)row->cpu_ns;
    for (size_t i = 0; i < shape->in_count; i++)
        *at++ = (uint64_t)row->in[i].i;
    for (size_t i = 0; i < shape->out_count && row->status == MM_STATUS_DONE; i++)
        *at++ = (uint64_t)row->out[i].i;
    return at;
}

static void put_row(struct mm_given_thread *t, const struct mm_given_shape *shape,
                    const struct mm_given_row *row, uint64_t invocation, uint64_t callees)
{
    uint64_t *words = t->words + t->used;
    uint64_t *end = put_compact(t, shape, row, invocation, callees, words + 1);
    unsigned wide = end ? 0 : MM_ROW_WIDE;

    if (!end)
        end = put_wide(t, shape, row, invocation, callees, words + 1);
    words[0] = row->method | (uint64_t)row->status << MM_ROW_STATUS_SHIFT | wide |
               (uint64_t)(end - words) << MM_ROW_WORDS_SHIFT;
    t->used += (size_t)(end - words);
}

/* Make space for one more row in the window; a full window is written to the segment. */
static int reserve_row(struct mm_given_thread *t, const char *directory,
                       struct mm_given_pack *pack, struct cca_error *err)
{
    int result = 0;

    if (t->used + MM_ROW_MAX_WORDS > WINDOW_WORDS)
        result = write_window(t, directory, pack, err);
    if (!result && cca_array_extend(&t->words, &t->room, sizeof *t->words,
                                    t->used + MM_ROW_MAX_WORDS))
        result = cca_no_memory(err);
    return result;
}

int mm_given_thread_row(struct mm_given_thread *t, const char *directory,
                        struct mm_given_pack *pack, const struct mm_given_shape *shape,
                        const struct mm_given_row *row, struct cca_error *err)
{
    uint64_t invocation = 0, callees = 0;
    int result;

    if (row->start > INT64_MAX || row->wall > INT64_MAX - row->start ||
        row->start + row->wall < t->last_end)
        return cca_error_set(err, -EINVAL,
                             "rank %d thread %d: found a row that ends at tick %" PRIu64
                             ", expected %" PRIu64 " or later",
                             row->rank, row->thread, row->start + row->wall, t->last_end);
    result = place_row(t, row, &invocation, &callees, err);
    if (!result)
        result = reserve_row(t, directory, pack, err);
    if (result)
        return result;
    if (t->used == HEAD_WORDS) {
        t->base_invocation = invocation;
        t->base_end = t->last_end;
    }
    put_row(t, shape, row, invocation, callees);
    t->last_end = row->start + row->wall;
    t->rows++;
    return 0;
}

int mm_given_thread_finish(struct mm_given_thread *t, const char *directory,
                           struct mm_given_pack *pack, struct cca_error *err)
{
    struct mm_ring_live live = {.rows = t->rows};
    size_t size;
    int result = 0;

    if (t->caller_count)
        return cca_error_set(err, -EINVAL,
                             "thread %d: found no row of invocation %" PRIu64
                             ", expected one, as it is a caller",
                             t->number, t->callers[t->caller_count - 1].invocation);
    if (t->used > HEAD_WORDS)
        result = write_window(t, directory, pack, err);
    if (result)
        return result;
    size = mm_pack_trailer(t->seq + 1, &live, t->rows, pack->out);
    return append_block(t, directory, pack->out, size, err);
}
