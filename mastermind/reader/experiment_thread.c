/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_thread.c: read the rows of a thread: first from its segment, then rows that
 * only its ring has, then its open invocations. */
#include "mastermind/reader/experiment_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/array.h"
#include "common/sort.h"
#include "mastermind/reader/evidence.h"
#include "mastermind/reader/experiment_ring.h"
#include "mastermind/pack/pack.h"

enum { MAX_BLOCK = 128 << 20 };

/* A walk through one thread's files. */
struct walk {
    const struct mm_thread_source *source;
    struct cca_error *err;
    char ring_path[PATH_MAX], segment_path[PATH_MAX];
    struct mm_ring_copy ring;
    int has_ring;
    int fd; /* descriptor of the segment's file, or -1 */
    struct mm_file_head head;
    uint64_t segment_end; /* end of the last complete block in the segment */
    /* sequence number of the first window that is not in the segment */
    uint64_t next_seq;
    uint64_t block_rows; /* number of rows in complete blocks */
    int ended;           /* true if the segment has a trailer */
    struct mm_trailer trailer;
    struct mm_aggregate_copy aggregates;
    int has_aggregates;
    uint64_t kept; /* number of rows in reservoirs */
    uint64_t longjmps;
    /* rows from this number on are ignored, because they were added after the ring was
     * copied */
    uint64_t cap;

    unsigned char *block;
    size_t block_room;

    /* true during the first of two walks, which only collects the numbers of rows with
     * the status longjmp */
    int collecting;
    /* invocation numbers of rows with the status longjmp, sorted after the first walk */
    uint64_t *dead;
    size_t dead_count;

    const char *path; /* path of the current file, for messages */
    uint64_t offset;
    /* number of the next row of the thread; `offset`: its position in the file */
    uint64_t number;
    uint64_t base_invocation, last_end;
    uint64_t last_invocation;
    double ns_per_tick;
    int64_t shift_ns;
    struct mm_evidence evidence;
    double pace; /* pace of the core as the window began; 0: unknown */
    /* true if the latest reading of CPU time was at the end of its window */
    int window_ended;
};

static int report_damage(struct walk *w, const char *found)
{
    return cca_error_set(w->err, -EBADMSG,
                         "%s: offset %" PRIu64 ": found %s (row %" PRIu64 ")", w->path,
                         w->offset, found, w->number);
}

/* The decoded contents of a row; times are in ticks. */
struct facts {
    uint64_t invocation, caller, end, wall, children;
    int64_t mpi_ns, cpu_ns;
    int64_t losses[MM_LOSS_WORDS]; /* lost time in ticks */
    /* counts of the whole call, and of its callees */
    int64_t counters[MM_MAX_COUNTERS], callees[MM_MAX_COUNTERS];
    unsigned status;
    int counted, clock_back, wide;
    uint64_t folded, folded_below, folded_ticks;
};

static int64_t to_ns(double ns)
{
    if (ns >= 9.2e18)
        return INT64_MAX;
    if (ns <= -9.2e18)
        return INT64_MIN;
    return (int64_t)(ns < 0 ? ns - .5 : ns + .5);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int has_losses(const struct walk *w)
{
    return (w->head.flags & MM_HEAD_LOSSES) != 0;
}

static int64_t ticks_to_ns(const struct walk *w, uint64_t ticks)
{
    return to_ns((double)ticks * w->ns_per_tick);
}

/* Return the fraction of a nanosecond that was lost when `ticks` was rounded to `ns`. */
static double part_ns(const struct walk *w, uint64_t ticks, int64_t ns)
{
    double part = (double)ticks * w->ns_per_tick - (double)ns;

    return part >= -.5 && part <= .5 ? part : 0;
}

/* Convert ticks to nanoseconds since the start of the experiment's clock; negative
 * before. */
static int64_t time_ns(const struct walk *w, uint64_t ticks)
{
    int64_t since = (int64_t)(ticks - w->head.epoch_ticks);

    return to_ns((double)since * w->ns_per_tick + (double)w->shift_ns);
}

static int is_dead(const struct walk *w, uint64_t invocation)
{
    return w->dead_count && bsearch(&invocation, w->dead, w->dead_count, sizeof *w->dead,
                                    cca_order_uint64);
}

static int add_dead(struct walk *w, uint64_t invocation)
{
    if (cca_array_reserve(&w->dead, w->dead_count, sizeof *w->dead))
        return cca_no_memory(w->err);
    w->dead[w->dead_count++] = invocation;
    return 0;
}

/* Return the latest time that is known from other data than rows: the end of the latest
 * aggregated invocation, or the end of the run by a signal or a deadline. */
static uint64_t last_ticks(const struct walk *w)
{
    uint64_t ended = mm_count_read(&w->ring.live.ended);
    uint64_t last = ended ? w->head.epoch_ticks + ended : 0;

    return w->has_aggregates && w->aggregates.sums.end > last ? w->aggregates.sums.end
                                                              : last;
}

/* Set the lost time of a row: the recorder's work and the host's share. The parts add up
 * exactly, and none is negative. */
static void set_losses(const struct walk *w, const struct facts *f, struct mm_row *row)
{
    int64_t ns[MM_LOSS_WORDS];

    for (size_t i = 0; i < MM_LOSS_WORDS; i++)
        ns[i] = f->losses[i] > 0 ? ticks_to_ns(w, (uint64_t)f->losses[i]) : 0;
    ns[MM_LOSS_HOST] += ns[MM_LOSS_WORK];
    ns[MM_LOSS_HOST_OWN] += ns[MM_LOSS_WORK_OWN];
    row->host_ns = least(ns[MM_LOSS_HOST], row->wall_ns);
    row->host_exclusive_ns =
        least(least(ns[MM_LOSS_HOST_OWN], row->host_ns), row->exclusive_ns);
    row->wait_ns = least(ns[MM_LOSS_WAIT], row->wall_ns - row->host_ns);
    row->wait_exclusive_ns = least(least(ns[MM_LOSS_WAIT_OWN], row->wait_ns),
                                   row->exclusive_ns - row->host_exclusive_ns);
    row->cpu_ns = row->wall_ns - row->host_ns - row->wait_ns;
    row->lost_ns = row->host_ns + row->wait_ns;
    row->lost_exclusive_ns = row->host_exclusive_ns + row->wait_exclusive_ns;
    row->waited = row->wait_ns > 0;
    row->waited_exclusive = row->wait_exclusive_ns > 0;
}

/* Call the callback with a row. `place`: position of the row among the thread's rows, by
 * which the readings of CPU time are related to it; or NULL. */
static int deliver_row(struct walk *w, const struct mm_method_info *method,
                       const struct facts *f, const union monitor_value *values,
                       const struct mm_row_place *place)
{
    uint64_t children = f->children < f->wall ? f->children : f->wall;
    int64_t exclusive[MM_MAX_COUNTERS];
    /* all members are set, which saves gcc clearing the struct first */
    struct mm_row row = {.method = method,
                         .rank = w->source->rank,
                         .thread = w->source->thread,
                         .invocation = f->invocation,
                         .caller = f->caller,
                         .caller_uncertain = 0,
                         .status = (enum mm_row_status)f->status,
                         .counted = f->counted,
                         .wide = f->wide,
                         .pace = w->pace,
                         .clock_back = f->clock_back,
                         .folded = f->folded,
                         .folded_below = f->folded_below,
                         .folded_ns = ticks_to_ns(w, f->folded_ticks),
                         .no_value = 0,
                         .no_exclusive = 0,
                         .start_ns = time_ns(w, f->end - f->wall),
                         .wall_ns = 0,
                         .exclusive_ns = 0,
                         .wall_part_ns = 0,
                         .exclusive_part_ns = 0,
                         .mpi_ns = 0,
                         .cpu_ns = f->cpu_ns,
                         .host_ns = -1,
                         .host_exclusive_ns = -1,
                         .wait_ns = -1,
                         .wait_exclusive_ns = -1,
                         .lost_ns = -1,
                         .lost_exclusive_ns = -1,
                         .waited = 0,
                         .waited_exclusive = 0,
                         .counters = f->counters,
                         .exclusive_counters = exclusive,
                         .values = values};
    size_t i;

    for (i = 0; i < w->head.counters; i++) {
        exclusive[i] = MM_COUNT_MISSING;
        if (f->counters[i] != MM_COUNT_MISSING && f->callees[i] != MM_COUNT_MISSING)
            exclusive[i] = (int64_t)((uint64_t)f->counters[i] - (uint64_t)f->callees[i]);
    }

    if (f->status != MM_ROW_OPEN) {
        row.wall_ns = ticks_to_ns(w, f->wall);
        row.exclusive_ns = ticks_to_ns(w, f->wall - children);
        if (!(w->head.flags & MM_HEAD_TSC)) {
            /* not the TSC: ticks are whole ns, or units that an importing program has
             * chosen */
            row.wall_part_ns = part_ns(w, f->wall, row.wall_ns);
            row.exclusive_part_ns = part_ns(w, f->wall - children, row.exclusive_ns);
        }
        row.mpi_ns = f->mpi_ns;
    } else if (last_ticks(w) > f->end) {
        row.wall_ns = ticks_to_ns(w, last_ticks(w) - f->end);
    }
    row.caller_uncertain = f->caller && is_dead(w, f->caller);
    if (has_losses(w) && f->status != MM_ROW_OPEN)
        set_losses(w, f, &row);
    else if (place && mm_evidence_row(&w->evidence, place, &row))
        return cca_no_memory(w->err);
    return w->source->function ? w->source->function(&row, w->source->context) : 0;
}

/* Read the in-values or out-values of a compact row. Returns the address after their last
 * word. */
static const uint64_t *read_group(const struct mm_value_info *infos, size_t count,
                                  const uint64_t *at, union monitor_value *values)
{
    size_t i, ints = 0;

    for (i = 0; i < count; i++) {
        if (infos[i].type != MONITOR_INT64)
            continue;
        values[i].i = (int32_t)(uint32_t)(ints % 2 ? at[ints / 2] >> 32 : at[ints / 2]);
        ints++;
    }
    at += (ints + 1) / 2;
    for (i = 0; i < count; i++)
        if (infos[i].type == MONITOR_DOUBLE)
            memcpy(&values[i], at++, sizeof *at);
    return at;
}

static size_t group_words(const struct mm_value_info *infos, size_t count)
{
    size_t i, ints = 0;

    for (i = 0; i < count; i++)
        ints += infos[i].type == MONITOR_INT64;
    return (ints + 1) / 2 + (count - ints);
}

static size_t expected_words(const struct walk *w, const struct mm_method_info *m,
                             int wide, int done, uint64_t word0)
{
    size_t extra =
        ((w->head.flags & MM_HEAD_CPU_TIME) != 0) + 2 * (size_t)w->head.counters;
    const size_t in = mm_method_stored_in(m);
    size_t out = done ? m->value_count - in : 0;

    if (wide)
        return 7 + extra + in + out + (word0 & MM_ROW_CALLEES ? 2 : 0) +
               (word0 & MM_ROW_LOSSES ? MM_LOSS_WORDS : 0);
    return 4 + extra + group_words(m->values, in) + group_words(m->values + in, out);
}

/* Read CPU time and counters, if the thread has them. Returns the address after their
 * last word. */
static const uint64_t *read_extra(const struct walk *w, const uint64_t *at,
                                  struct facts *f)
{
    size_t bytes = sizeof *at * w->head.counters;

    f->cpu_ns = -1;
    if (w->head.flags & MM_HEAD_CPU_TIME)
        f->cpu_ns = (int64_t)*at++;
    memcpy(f->counters, at, bytes);
    memcpy(f->callees, at + w->head.counters, bytes);
    return at + 2 * (size_t)w->head.counters;
}

static void read_compact(struct walk *w, const struct mm_method_info *m,
                         const uint64_t *words, struct facts *f,
                         union monitor_value *values)
{
    const size_t in = mm_method_stored_in(m);
    const uint64_t *at = words + 4;
    int32_t caller = (int32_t)(words[1] >> 32);

    f->invocation = w->base_invocation + (uint64_t)(int64_t)(int32_t)(uint32_t)words[1];
    f->caller =
        caller == MM_CALLER_NONE ? 0 : w->base_invocation + (uint64_t)(int64_t)caller;
    f->end = w->last_end + (uint32_t)words[2];
    f->wall = words[2] >> 32;
    f->children = (uint32_t)words[3];
    f->mpi_ns = (int64_t)(words[3] >> 32);
    at = read_extra(w, at, f);
    at = read_group(m->values, in, at, values);
    if (f->status == MM_STATUS_DONE)
        read_group(m->values + in, m->value_count - in, at, values + in);
}

static void read_wide(struct walk *w, const struct mm_method_info *m,
                      const uint64_t *words, struct facts *f, union monitor_value *values)
{
    const uint64_t *at = words + 7;

    f->invocation = words[1];
    f->caller = words[2];
    f->end = words[3];
    f->wall = words[4];
    f->children = words[5];
    f->mpi_ns = (int64_t)words[6];
    size_t count = f->status == MM_STATUS_DONE ? m->value_count : mm_method_stored_in(m);

    at = read_extra(w, at, f);
    memcpy(values, at, 8 * count);
    if (words[0] & MM_ROW_CALLEES) {
        f->folded = at[count];
        f->folded_below = at[count + 1];
        at += 2;
    }
    if (words[0] & MM_ROW_LOSSES)
        memcpy(f->losses, at + count, sizeof f->losses);
}

/* Decode the words of a row. The check sum of the row, or of its block, has been
 * verified. */
static int parse_row(struct walk *w, const uint64_t *words, size_t count,
                     const struct mm_method_info **method, struct facts *f,
                     union monitor_value *values)
{
    int wide = (words[0] & MM_ROW_WIDE) != 0;
    int only_wide = (words[0] & (MM_ROW_CALLEES | MM_ROW_LOSSES)) != 0;
    size_t id = words[0] & 0xffff;
    const struct mm_method_info *m;

    f->status = (words[0] >> MM_ROW_STATUS_SHIFT) & 3;
    f->counted = (words[0] & MM_ROW_COUNTED) != 0;
    f->wide = wide;
    f->clock_back = (words[0] & MM_ROW_CLOCK) != 0;
    memset(f->losses, 0, sizeof f->losses);
    if (!mm_source_has(w->source, id))
        return report_damage(w, "a row of a method that methods.json does not have");
    *method = m = w->source->methods[id];
    if (f->status > MM_STATUS_LONGJMP || (only_wide && !wide) ||
        count != expected_words(w, m, wide, f->status == MM_STATUS_DONE, words[0]))
        return report_damage(w, "a row that does not fit its method");
    if (wide)
        read_wide(w, m, words, f, values);
    else
        read_compact(w, m, words, f, values);
    if (f->status != MM_STATUS_DONE)
        mm_method_drop_hints(m, values);
    if (!f->invocation || f->caller >= f->invocation)
        return report_damage(w, "a row called by a younger one");
    return 0;
}

/* The pace of the core, as a multiple of the mean pace of the run; 0: unknown. */
static double pace_of(const struct walk *w, uint64_t word0)
{
    return w->source->pace > 0
               ? (double)mm_reading_pace(word0) / MM_PACE_ONE / w->source->pace
               : 0;
}

static __attribute__((noinline)) int read_reading(struct walk *w, const uint64_t *words,
                                                  size_t count)
{
    struct mm_interval interval;

    if (count != MM_READING_WORDS || !(words[0] & MM_ROW_WIDE) ||
        mm_reading_kind(words[0]) > MM_READING_BEGINS || !w->evidence.known)
        return report_damage(w, "a reading without sense");
    if (mm_reading_kind(words[0]) == MM_READING_BEGINS)
        w->pace = pace_of(w, words[0]);
    w->window_ended = mm_reading_kind(words[0]) == MM_READING_ENDS;
    if (!mm_evidence_reading(&w->evidence, words, &interval) || w->collecting ||
        !w->source->on_interval)
        return 0;
    interval.rank = w->source->rank;
    interval.thread = w->source->thread;
    interval.start_ns = time_ns(w, (uint64_t)interval.start_ns);
    return w->source->on_interval(&interval, w->source->context);
}

/* Read a row, or a reading of CPU time and context switches. */
static int read_row(struct walk *w, const uint64_t *words, size_t count)
{
    union monitor_value values[MONITOR_MAX_IN + MONITOR_MAX_OUT] = {{0}};
    const struct mm_method_info *m;
    struct mm_row_place place;
    struct facts f = {0};
    int code;

    if (__builtin_expect(mm_is_reading(words[0]), 0))
        return read_reading(w, words, count);
    code = parse_row(w, words, count, &m, &f, values);
    if (code)
        return code;
    place = (struct mm_row_place){f.caller, w->last_end, f.end, f.wall};
    w->last_end = f.end;
    w->last_invocation = f.invocation;
    w->number++;
    if (!w->collecting)
        return deliver_row(w, m, &f, values, &place);
    return f.status == MM_STATUS_LONGJMP ? add_dead(w, f.invocation) : 0;
}

/* Read the block of the segment at `offset`, head and payload, into w->block. Returns 1;
 * 0: the file ends within the block; or a negative errno. */
static int read_block(struct walk *w, uint64_t offset, struct mm_block_head *head)
{
    unsigned char *grown;
    long long n = mm_file_read(w->fd, head, sizeof *head, offset);

    w->path = w->segment_path;
    w->offset = offset;
    if (n >= 0 && (size_t)n < sizeof *head)
        return 0;
    if (n >= 0 && head->magic != MM_BLOCK_MAGIC && head->magic != MM_TRAILER_MAGIC)
        return report_damage(w, "no block");
    if (n >= 0 && (head->bytes > MAX_BLOCK || head->bytes % 8))
        return report_damage(w, "a block of impossible size");
    if (n >= 0 && head->bytes > w->block_room) {
        off_t size = lseek(w->fd, 0, SEEK_END);

        if (size >= 0 && (uint64_t)size < offset + sizeof *head + head->bytes)
            return 0;
        grown = realloc(w->block, head->bytes);
        if (!grown)
            return cca_no_memory(w->err);
        w->block = grown;
        w->block_room = head->bytes;
    }
    if (n >= 0)
        n = mm_file_read(w->fd, w->block, head->bytes, offset + sizeof *head);
    if (n < 0)
        return cca_error_set(w->err, -EIO, "%s: %s", w->segment_path, strerror((int)-n));
    if ((size_t)n < head->bytes)
        return 0;
    if (head->check !=
        mm_block_check(w->block, head->bytes,
                       mm_block_check(head, offsetof(struct mm_block_head, check), 0)))
        return report_damage(w, "a block that does not fit its check");
    return 1;
}

static int read_trailer(struct walk *w, const struct mm_block_head *head)
{
    unsigned char more;

    if (head->bytes != sizeof(struct mm_trailer) || head->first_row != w->block_rows)
        return report_damage(w, "a trailer that counts other rows");
    w->ended = 1;
    memcpy(&w->trailer, w->block, sizeof w->trailer);
    w->segment_end += sizeof *head + head->bytes;
    w->offset = w->segment_end;
    if (mm_file_read(w->fd, &more, 1, w->segment_end) > 0)
        return report_damage(w, "data after the trailer");
    return 0;
}

/* Check all blocks of the segment and find the end of the last complete one. */
static int survey_segment(struct walk *w)
{
    struct mm_block_head head;
    long long n = mm_file_read(w->fd, &w->head, sizeof w->head, 0);
    uint32_t thread = (uint32_t)w->source->thread;
    int code;

    if (n < 0)
        return cca_error_set(w->err, -EIO, "%s: %s", w->segment_path, strerror((int)-n));
    if ((size_t)n < sizeof w->head) { /* the first write to the segment is incomplete */
        if (w->has_ring)
            w->head = w->ring.head;
        w->segment_end = 0;
        return 0;
    }
    code = mm_file_head_check(&w->head, MM_SEGMENT_MAGIC, MM_SEGMENT_MAGIC_OLDEST, thread,
                              w->segment_path, w->err);
    if (code)
        return code;
    w->segment_end = sizeof w->head;
    while (!w->ended && (code = read_block(w, w->segment_end, &head)) > 0) {
        if (head.seq != w->next_seq || head.first_row != w->block_rows)
            return report_damage(w, "a block that does not follow the one before");
        if (head.magic == MM_TRAILER_MAGIC)
            return read_trailer(w, &head);
        w->block_rows += head.rows;
        w->longjmps += head.longjmps;
        w->next_seq++;
        w->segment_end += sizeof head + head.bytes;
    }
    return code;
}

static int walk_block(struct walk *w, const struct mm_block_head *head)
{
    uint64_t words[MM_ROW_MAX_WORDS];
    struct mm_unpacker unpacker;
    int code = 0;
    uint64_t i;
    size_t n;

    w->base_invocation = head->base_invocation;
    w->last_end = head->base_end;
    mm_unpack_begin(&unpacker, w->block, head->bytes);
    for (i = 0; !code && i < head->rows + head->limited && w->number < w->cap; i++) {
        n = mm_unpack_row(&unpacker, words);
        code = n ? read_row(w, words, n) : report_damage(w, "an invalid packed row");
    }
    return code;
}

static int walk_segment(struct walk *w)
{
    uint64_t offset = sizeof w->head;
    struct mm_block_head head;
    int code = 0;

    while (!code && offset < w->segment_end && w->number < w->cap) {
        code = read_block(w, offset, &head);
        if (code != 1)
            return code ? code : report_damage(w, "a block that has become shorter");
        if (head.magic == MM_TRAILER_MAGIC)
            return 0;
        code = walk_block(w, &head);
        offset += sizeof head + head.bytes;
    }
    return code;
}

static int walk_ring(struct walk *w)
{
    const struct mm_window_head *window;
    uint64_t seq = w->next_seq;
    const uint64_t *at;
    size_t words;
    int code = 0;

    w->path = w->ring_path;
    while (!code && (window = mm_ring_window(&w->ring, seq++)) != NULL) {
        w->offset = MM_HEAD_BYTES + (uint64_t)w->head.frame_count * MM_FRAME_BYTES +
                    (uint64_t)((const char *)window - w->ring.windows);
        if (window->first_row != w->number)
            return w->number >= w->cap
                       ? 0
                       : report_damage(w, "a window that does not follow");
        if (w->evidence.known && w->number < w->cap && !w->window_ended &&
            window->seq > 1)
            return report_damage(w, "a window after one without its last reading");
        w->base_invocation = window->base_invocation;
        w->last_end = window->base_end;
        at = (const uint64_t *)(window + 1);
        while (!code && w->number < w->cap &&
               (words = mm_ring_row(&w->ring, window, at, w->number)) > 0) {
            code = read_row(w, at, words);
            at += words;
        }
    }
    if (!code && w->number < w->ring.live.rows) {
        w->offset = MM_LIVE_OFFSET;
        return cca_error_set(w->err, -EBADMSG,
                             "%s: offset %d: found %" PRIu64 " rows, expected %" PRIu64,
                             w->ring_path, MM_LIVE_OFFSET, w->number, w->ring.live.rows);
    }
    return code;
}

/* Read the sums over an open invocation's aggregated callees: all three sums or none. The
 * recorder copies the sums from the journal and then marks them as valid; a kill may come
 * between these steps. */
static int read_folded(struct walk *w, const struct mm_frame *frame, struct facts *f)
{
    const uint64_t *fold = frame->fold, *newer = NULL;
    int i, sound = 0, some = 0, same = 0,
           counts = (frame->context & MM_CONTEXT_CALLEES) != 0;

    if (w->has_aggregates && w->aggregates.sums.caller == frame->invocation)
        newer = w->aggregates.sums.fold;
    f->folded = f->folded_below = f->folded_ticks = 0;
    for (i = 0; i < 3; i++) {
        sound += mm_fold_word_holds(fold[i], frame->invocation);
        some |= (fold[i] & MM_FOLD_MASK) != 0;
        same += newer && fold[i] == mm_fold_word(newer[i], frame->invocation);
    }
    if ((sound == 3 && some) != counts && same < 3 && !w->ring.moving)
        return report_damage(w, "an open invocation with damaged callees");
    if (newer)
        fold = newer;
    else if (!counts || sound < 3)
        return 0;
    f->folded = fold[MM_FOLD_CALLEES] & MM_FOLD_MASK;
    f->folded_below = fold[MM_FOLD_BELOW] & MM_FOLD_MASK;
    f->folded_ticks = fold[MM_FOLD_TICKS] & MM_FOLD_MASK;
    return 0;
}

/* True for an invocation that has ended: a row or the aggregates contain it. */
static int has_ended(const struct walk *w, uint64_t invocation)
{
    return (w->number && invocation == w->last_invocation) ||
           (w->has_aggregates && invocation == w->aggregates.sums.invocation);
}

/* Deliver the open invocations of a thread, innermost first, but without the innermost if
 * it already has a row. */
static int walk_frames(struct walk *w)
{
    const struct mm_frame *frame;
    const struct mm_method_info *m;
    size_t i = w->ring.frame_count;
    struct facts f = {.status = MM_ROW_OPEN, .cpu_ns = -1};
    union monitor_value values[MONITOR_MAX_IN + MONITOR_MAX_OUT];
    int code = 0;

    for (size_t k = 0; k < MM_MAX_COUNTERS; k++)
        f.counters[k] = f.callees[k] = MM_COUNT_MISSING;
    w->path = w->ring_path;
    if (i && has_ended(w, w->ring.frames[i - 1].invocation))
        i--;
    while (!code && i-- > 0) {
        frame = &w->ring.frames[i];
        w->offset = MM_HEAD_BYTES + (uint64_t)i * MM_FRAME_BYTES;
        if (!mm_source_has(w->source, frame->method) ||
            frame->count != mm_method_stored_in(w->source->methods[frame->method]))
            return report_damage(w, "an open invocation that does not fit its method");
        m = w->source->methods[frame->method];
        memset(values, 0, sizeof values);
        memcpy(values, frame->values, 8 * frame->count);
        mm_method_drop_hints(m, values);
        f.invocation = frame->invocation;
        f.caller = i ? w->ring.frames[i - 1].invocation : 0;
        f.end = frame->start;
        code = read_folded(w, frame, &f);
        if (!code)
            code = deliver_row(w, m, &f, values, NULL);
    }
    return code;
}

static int walk_rows(struct walk *w)
{
    int code;

    w->number = 0;
    w->pace = 0;
    mm_evidence_reset(&w->evidence);
    code = w->fd >= 0 ? walk_segment(w) : 0;
    if (!code && !w->ended)
        code = walk_ring(w);
    return code;
}

/* In a first walk over the rows, collect the invocations that a longjmp ended. A second
 * walk needs them from the start, because a row comes before its caller's row, which
 * shows that longjmp ended the caller. */
static int collect_dead(struct walk *w)
{
    int code;

    if (!w->longjmps && (w->ended || !mm_ring_longjmps(&w->ring)))
        return 0;
    w->collecting = 1;
    code = walk_rows(w);
    w->collecting = 0;
    if (w->dead_count)
        qsort(w->dead, w->dead_count, sizeof *w->dead, cca_order_uint64);
    return code;
}

/* Copy the thread's ring, then open its segment; docs/internals/experiment.md explains
 * why in this order. */
static int open_files(struct walk *w)
{
    int code = mm_ring_copy(&w->ring, w->ring_path, (uint32_t)w->source->thread, w->err);

    if (code && code != -ENOENT)
        return code;
    w->has_ring = !code;
    w->fd = mm_packed_open(w->segment_path, w->err);
    if (w->fd < 0 && w->fd != -ENOENT)
        return w->fd;
    w->next_seq = 1;
    if (w->has_ring)
        w->head = w->ring.head;
    code = w->fd >= 0 ? survey_segment(w) : 0;
    if (code)
        return code;
    if (w->ended)
        w->cap = UINT64_MAX;
    else if (!w->has_ring)
        return cca_error_set(w->err, -EBADMSG,
                             "%s: offset %" PRIu64
                             ": found the end of the file, expected a"
                             " trailer or a file '%s'",
                             w->segment_path, w->segment_end, w->ring_path);
    else
        w->cap = w->ring.live.rows;
    if (!w->ended && !w->ring.moving && mm_ring_end(&w->ring) > w->cap)
        w->cap = mm_ring_end(&w->ring);
    return 0;
}

/* Copy the aggregates after the ring and the segment, so that they contain at least all
 * calls that ring and segment count. */
static int open_aggregates(struct walk *w)
{
    uint64_t expected = w->ended ? w->trailer.folded : w->ring.live.folded;
    int code = mm_aggregate_copy(&w->aggregates, w->source, w->err);

    w->has_aggregates = !code;
    if (code && code != -ENOENT)
        return code;
    if (w->aggregates.calls < expected || (w->ended && w->aggregates.calls != expected))
        return cca_error_set(
            w->err, -EBADMSG,
            "%s/thread-%03d.agg: found %" PRIu64 " invocations, expected %" PRIu64,
            w->source->directory, w->source->thread, w->aggregates.calls, expected);
    /* Some calls may have ended after their frames were copied; they must not count as
     * open calls, too. */
    return w->ended || w->aggregates.calls == expected
               ? 0
               : mm_ring_still_open(&w->ring, w->ring_path, w->err);
}

/* A row of a reservoir, and the time of its end. */
struct kept_row {
    uint64_t end;
    const uint64_t *words;
    size_t count;
};

static int compare_kept(const void *a, const void *b)
{
    const struct kept_row *x = a, *y = b;

    return (x->end > y->end) - (x->end < y->end);
}

static int collect_kept(struct walk *w, struct kept_row **rows, size_t *count)
{
    uint32_t line = MM_AGG_FIRST, place = 0;
    const uint64_t *words;
    size_t n;

    while (
        (words = mm_aggregate_copy_row(&w->aggregates, &line, &place, &n, &w->offset))) {
        if (!n)
            return cca_error_set(w->err, -EBADMSG,
                                 "%s/thread-%03d.agg: offset %" PRIu64
                                 ": found a row that does"
                                 " not fit its check",
                                 w->source->directory, w->source->thread, w->offset);
        if (cca_array_reserve(rows, *count, sizeof **rows))
            return cca_no_memory(w->err);
        (*rows)[(*count)++] = (struct kept_row){words[3], words, n};
    }
    return 0;
}

/* Deliver the rows of the reservoirs of all methods, in the order of their ends. */
static int walk_kept(struct walk *w)
{
    union monitor_value values[MONITOR_MAX_IN + MONITOR_MAX_OUT];
    const struct mm_method_info *m;
    struct kept_row *rows = NULL;
    size_t i, count = 0;
    int code = w->has_aggregates ? collect_kept(w, &rows, &count) : 0;

    if (count)
        qsort(rows, count, sizeof *rows, compare_kept);
    w->path = w->segment_path;
    for (i = 0; !code && i < count; i++) {
        struct facts f = {0};

        w->pace = 0;
        memset(values, 0, sizeof values);
        code = parse_row(w, rows[i].words, rows[i].count, &m, &f, values);
        if (!code)
            code = deliver_row(w, m, &f, values, NULL);
        w->kept++;
    }
    free(rows);
    return code;
}

static int walk_thread(struct walk *w)
{
    int code = open_files(w);

    if (code)
        return code;
    if (w->head.counters != w->source->counter_count)
        return cca_error_set(w->err, -EBADMSG,
                             "%s: found rows with %" PRIu32
                             " counters, expected the %zu that "
                             "experiment.json names",
                             w->has_ring ? w->ring_path : w->segment_path,
                             w->head.counters, w->source->counter_count);
    w->ns_per_tick = w->source->ns_per_tick > 0 && (w->head.flags & MM_HEAD_TSC)
                         ? w->source->ns_per_tick
                         : w->head.ns_per_tick;
    if (w->source->epoch_ns)
        w->shift_ns = w->head.epoch_ns - w->source->epoch_ns;
    w->evidence.ns_per_tick = w->ns_per_tick;
    w->evidence.known = (w->head.flags & MM_HEAD_READINGS) != 0;
    code = open_aggregates(w);
    if (!code)
        code = collect_dead(w);
    if (!code)
        code = walk_rows(w);
    if (!code)
        code = walk_kept(w);
    if (!code && !w->ended)
        code = walk_frames(w);
    return code;
}

int mm_experiment_thread(const struct mm_thread_source *source, uint64_t *rows,
                         struct cca_error *err)
{
    struct walk *w = calloc(1, sizeof *w);
    size_t room = PATH_MAX;
    int code;

    if (!w)
        return cca_no_memory(err);
    w->source = source;
    w->err = err;
    w->fd = -1;
    if ((size_t)snprintf(w->ring_path, room, "%s/thread-%03d.ring", source->directory,
                         source->thread) >= room ||
        (size_t)snprintf(w->segment_path, room, "%s/thread-%03d.seg", source->directory,
                         source->thread) >= room)
        code = cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long",
                             source->directory);
    else
        code = walk_thread(w);
    *rows += w->number + w->kept;
    if (!code && !w->ended && w->has_aggregates) {
        *source->aggregates = w->aggregates;
        w->aggregates.data = NULL;
    }
    if (w->fd >= 0)
        close(w->fd);
    mm_ring_free(&w->ring);
    mm_aggregate_copy_free(&w->aggregates);
    mm_evidence_done(&w->evidence);
    free(w->block);
    free(w->dead);
    free(w);
    return code;
}
