/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_aggregate.c: copy, check and walk thread-NNN.agg, which may be damaged. */
#include "mastermind/reader/experiment_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/reader/experiment_ring.h"
#include "mastermind/pack/pack.h"

enum { MAX_BYTES = 512 << 20, TRIES = 200 };

/* A copy of a thread's aggregates that is being checked. */
struct check {
    struct mm_aggregate_copy *copy;
    const struct mm_thread_source *source;
    const char *path;
    int fd;
    uint32_t lines; /* number of lines of the data */
    struct cca_error *err;
};

static int report_damage(const struct check *c, uint32_t line, const char *found)
{
    return cca_error_set(c->err, -EBADMSG, "%s: offset %" PRIu64 ": found %s", c->path,
                         (uint64_t)line * MM_LINE, found);
}

static void *record_at(const struct mm_aggregate_copy *copy, uint32_t line)
{
    return copy->data + (size_t)line * MM_LINE;
}

static uint64_t word0_at(const struct mm_aggregate_copy *copy, uint32_t line)
{
    return *(const uint64_t *)record_at(copy, line);
}

/* --- Records */

static size_t fixed_words(const struct check *c, uint32_t line, uint32_t kind)
{
    const struct mm_entry *e = record_at(c->copy, line);
    const struct mm_histogram *h = record_at(c->copy, line);

    switch (kind) {
    case MM_AGG_NODE:
        return MM_NODE_FIXED;
    case MM_AGG_ENTRY:
        return e->count <= MONITOR_MAX_IN ? MM_ENTRY_FIXED + e->count : 0;
    case MM_AGG_HISTOGRAM:
        return h->count <= MONITOR_MAX_IN ? MM_HISTOGRAM_FIXED + h->count : 0;
    case MM_AGG_RESERVOIR:
        return MM_RESERVOIR_FIXED;
    default:
        return 0;
    }
}

static int is_node(const struct check *c, uint32_t line, uint32_t before)
{
    return line >= MM_AGG_FIRST && line < before &&
           mm_agg_kind(word0_at(c->copy, line)) == MM_AGG_NODE;
}

/* True for the id of a method, and for the two values that mean "no method" and "unknown
 * method". */
static int is_method(const struct check *c, uint32_t id)
{
    return mm_source_has(c->source, id) || id == MM_METHOD_NONE ||
           id == MM_METHOD_UNKNOWN;
}

static int check_node(const struct check *c, uint32_t line)
{
    const struct mm_node *n = record_at(c->copy, line);
    int root = line == MM_AGG_FIRST;

    if (root ? n->method != MM_METHOD_NONE || n->parent
             : !mm_source_has(c->source, n->method) || !is_method(c, n->caller) ||
                   (n->parent ? !is_node(c, n->parent, line)
                              : n->caller != MM_METHOD_UNKNOWN))
        return report_damage(c, line, "a context that does not fit");
    return 0;
}

static int contents_hold(const uint64_t *w, uint32_t line, int end)
{
    return !mm_entry_sum(w, MM_E_COUNT, MM_E_MPI_COUNT, MM_E_CHECK,
                         mm_entry_seed(line, 0)) &&
           !mm_entry_sum(w, MM_E_MPI_COUNT, MM_E_CPU, MM_E_CHECK2,
                         mm_entry_seed(line, 1)) &&
           (end <= MM_E_CPU || !mm_entry_sum(w, MM_E_CPU, MM_E_WORDS, MM_E_CHECK3,
                                             mm_entry_seed(line, 2))) &&
           (end <= MM_E_COUNTS ||
            !mm_entry_sum(w, MM_E_COUNTS, end, end - 1, mm_entry_seed(line, 3)));
}

static uint64_t *entry_words(const struct mm_entry *e)
{
    return (uint64_t *)e + 8 * (size_t)mm_entry_key_lines(e->count);
}

static int has_cpu(const struct mm_aggregate_copy *copy)
{
    return (copy->head.flags & MM_HEAD_CPU_TIME) != 0;
}

static int has_losses(const struct mm_aggregate_copy *copy)
{
    return (copy->head.flags & MM_HEAD_LOSSES) != 0;
}

/* True if the entries of a copy have line 5 (CPU time or lost time), which is
 * optional. */
static int has_extra(const struct mm_aggregate_copy *copy)
{
    return has_cpu(copy) || has_losses(copy);
}

static int entry_end(const struct mm_aggregate_copy *copy)
{
    return mm_entry_end(has_extra(copy), copy->head.counters);
}

/* Read an entry, which its running thread is changing, again and again until two readings
 * agree. */
static int read_again(const struct check *c, uint32_t line, size_t bytes)
{
    struct mm_entry *e = record_at(c->copy, line);
    struct mm_agg_journal j;
    int i, end = entry_end(c->copy);

    for (i = 0; i < TRIES; i++) {
        if (mm_file_read(c->fd, e, bytes, (uint64_t)line * MM_LINE) != (long long)bytes ||
            mm_file_read(c->fd, &j, sizeof j, MM_LIVE_OFFSET) != (long long)sizeof j)
            return 0;
        if (contents_hold(entry_words(e), line, end))
            return 1;
        if (j.done == j.pending || j.entry != line)
            continue;
        mm_journal_undo(&j, entry_words(e), line, end);
        if (contents_hold(entry_words(e), line, end))
            return 1;
    }
    return 0;
}

static int check_entry(const struct check *c, uint32_t line, uint32_t lines)
{
    struct mm_entry *e = record_at(c->copy, line);
    const struct mm_node *n;
    uint32_t in_count;

    if (lines != mm_entry_lines(e->count, has_extra(c->copy), c->copy->head.counters) ||
        !is_node(c, e->node, line) || e->node == MM_AGG_FIRST ||
        e->flags & ~(uint32_t)(MM_ENTRY_OTHER | MM_ENTRY_UNFINISHED))
        return report_damage(c, line, "an entry that does not fit");
    n = record_at(c->copy, e->node);
    in_count = e->flags & MM_ENTRY_OTHER
                   ? 0
                   : (uint32_t)mm_method_stored_in(c->source->methods[n->method]);
    if (e->count != in_count)
        return report_damage(c, line, "an entry that does not fit its method");
    if (!contents_hold(entry_words(e), line, entry_end(c->copy)) &&
        !(c->copy->moving && read_again(c, line, (size_t)lines * MM_LINE)))
        return report_damage(c, line, "an entry that does not fit its check");
    return 0;
}

static int check_reservoir(const struct check *c, uint32_t line, uint32_t lines)
{
    const struct mm_reservoir *r = record_at(c->copy, line);

    if (!mm_source_has(c->source, r->method) || r->words < 7 ||
        r->words > MM_ROW_MAX_WORDS ||
        1 + ((uint64_t)r->places * r->words + 7) / 8 != lines)
        return report_damage(c, line, "a reservoir that does not fit");
    return 0;
}

static int check_record(const struct check *c, uint32_t line)
{
    uint64_t word0 = word0_at(c->copy, line);
    uint32_t kind = mm_agg_kind(word0), lines = mm_agg_lines(word0);
    size_t fixed;

    if (!lines || lines > c->lines - line)
        return report_damage(c, line, "a record of impossible size");
    fixed = lines * 8 >= MM_ENTRY_FIXED ? fixed_words(c, line, kind) : 0;
    if (!fixed || fixed > lines * 8 ||
        word0 != mm_agg_word0(record_at(c->copy, line), kind, lines, fixed, line))
        return report_damage(c, line, "a record that does not fit its check");
    switch (kind) {
    case MM_AGG_NODE:
        return check_node(c, line);
    case MM_AGG_ENTRY:
        return check_entry(c, line, lines);
    case MM_AGG_HISTOGRAM:
        return 0;
    default:
        return check_reservoir(c, line, lines);
    }
}

static void count_calls(struct mm_aggregate_copy *copy)
{
    for (uint32_t line = MM_AGG_FIRST; line < copy->end;
         line += mm_agg_lines(word0_at(copy, line)))
        if (mm_agg_kind(word0_at(copy, line)) == MM_AGG_ENTRY)
            copy->calls += entry_words(record_at(copy, line))[MM_E_COUNT];
}

/* Restore an entry from the journal if the process died while changing it. */
static int undo_change(const struct check *c)
{
    struct mm_aggregate_copy *copy = c->copy;
    struct mm_agg_journal *j = &copy->journal;
    struct mm_entry *e;
    uint32_t line = j->entry, lines;

    if (line < MM_AGG_FIRST || line >= c->lines ||
        mm_agg_kind(word0_at(copy, line)) != MM_AGG_ENTRY)
        return report_damage(c, 0, "a journal without sense");
    e = record_at(copy, line);
    lines = mm_agg_lines(e->word0);
    if (e->count > MONITOR_MAX_IN ||
        lines != mm_entry_lines(e->count, has_extra(copy), copy->head.counters) ||
        lines > c->lines - line)
        return report_damage(c, line, "an entry that does not fit");
    mm_journal_undo(j, entry_words(e), line, entry_end(copy));
    j->pending = j->done;
    return 0;
}

/* --- The copy */

static int sums_hold(const struct mm_agg_journal *j)
{
    const struct mm_agg_sums *sums = &j->sums[j->done % 2];

    return !j->done || sums->check == mm_sums_check(sums, j->done);
}

/* Read the journal until its sums fit their check: a running thread replaces both while a
 * reader that loses its processor in the midst of a reading has only `done` of before.
 * Two equal readings are damage. */
static long long read_journal(const struct check *c)
{
    struct mm_agg_journal *j = &c->copy->journal, last;
    long long n = mm_file_read(c->fd, j, sizeof *j, MM_LIVE_OFFSET);
    int i;

    for (i = 0; n == (long long)sizeof *j && !sums_hold(j) && i < TRIES; i++) {
        last = *j;
        n = mm_file_read(c->fd, j, sizeof *j, MM_LIVE_OFFSET);
        if (n == (long long)sizeof *j && !memcmp(&last, j, sizeof last))
            break;
    }
    return n;
}

static int read_all(struct check *c, size_t bytes)
{
    struct mm_aggregate_copy *copy = c->copy;
    struct mm_agg_journal before;
    long long n = mm_file_read(c->fd, &before, sizeof before, MM_LIVE_OFFSET);

    if (n == (long long)sizeof before)
        n = mm_file_read(c->fd, copy->data, bytes, 0);
    if (n == (long long)bytes) {
        n = read_journal(c);
        copy->moving =
            before.done != copy->journal.done || before.pending != copy->journal.pending;
        return n == (long long)sizeof copy->journal
                   ? 0
                   : report_damage(c, 0, "a file cut short");
    }
    return n < 0 ? cca_error_set(c->err, -EIO, "%s: %s", c->path, strerror((int)-n))
                 : report_damage(c, 0, "a file cut short");
}

static int check_all(struct check *c)
{
    struct mm_aggregate_copy *copy = c->copy;
    int code = mm_file_head_check(&copy->head, MM_AGG_MAGIC, MM_AGG_MAGIC,
                                  (uint32_t)c->source->thread, c->path, c->err);
    const struct mm_agg_journal *j = &copy->journal;
    uint32_t line = MM_AGG_FIRST;

    copy->sums = j->sums[j->done % 2];
    if (!code && copy->head.counters != c->source->counter_count)
        return report_damage(c, 0, "other counters than experiment.json names");
    if (!code && !sums_hold(j))
        return report_damage(c, 0, "sums that do not fit their check");

    if (!code && !copy->moving && copy->journal.pending != copy->journal.done)
        code = undo_change(c);
    while (!code && line < c->lines && word0_at(copy, line)) {
        if (copy->moving && mm_agg_lines(word0_at(copy, line)) > c->lines - line)
            break; /* the running thread has added this entry after the file's length was
                      read */
        code = check_record(c, line);
        line += mm_agg_lines(word0_at(copy, line));
    }
    copy->end = line;
    if (!code)
        count_calls(copy);
    if (!code && !copy->moving && copy->calls != j->done)
        code = report_damage(c, 0, "entries without some of the invocations");
    return code;
}

static int copy_open(struct check *c)
{
    struct mm_aggregate_copy *copy = c->copy;
    struct stat st;
    size_t bytes;
    int code;

    if (fstat(c->fd, &st))
        return cca_error_set(c->err, -EIO, "%s: %s", c->path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size < MM_HEAD_BYTES + MM_LINE ||
        st.st_size > MAX_BYTES)
        return report_damage(c, 0, "a file of impossible size");
    bytes = (size_t)st.st_size / MM_LINE * MM_LINE;
    c->lines = (uint32_t)(bytes / MM_LINE);
    copy->data = malloc(bytes);
    if (!copy->data)
        return cca_no_memory(c->err);
    code = read_all(c, bytes);
    if (code)
        return code;
    memcpy(&copy->head, copy->data, sizeof copy->head);
    return check_all(c);
}

int mm_aggregate_copy(struct mm_aggregate_copy *copy,
                      const struct mm_thread_source *source, struct cca_error *err)
{
    char path[PATH_MAX];
    struct check c = {.copy = copy, .source = source, .path = path, .err = err};
    int code;

    memset(copy, 0, sizeof *copy);
    if (snprintf(path, sizeof path, "%s/thread-%03d.agg", source->directory,
                 source->thread) >= (int)sizeof path)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long",
                             source->directory);
    c.fd = mm_packed_open(path, err);
    if (c.fd < 0)
        return c.fd;
    code = copy_open(&c);
    close(c.fd);
    copy->ns_per_tick = source->ns_per_tick > 0 && copy->head.flags & MM_HEAD_TSC
                            ? source->ns_per_tick
                            : copy->head.ns_per_tick;
    return code;
}

void mm_aggregate_copy_free(struct mm_aggregate_copy *copy)
{
    free(copy->data);
    copy->data = NULL;
}

/* --- Walks */

static int64_t round_ns(double value)
{
    return value >= 9.2e18 ? INT64_MAX : (int64_t)(value + .5);
}

/* Convert an exact sum, a sum of squares and the extremes from ticks to nanoseconds. */
static struct mm_sum sum_of(uint64_t n, uint64_t sum, mm_wide_sum squares, uint64_t least,
                            uint64_t most, double unit)
{
    uint64_t mean = sum / n, rest = sum % n;
    double f = (double)rest / (double)n;
    /* sum (x - mean - f)^2 = squares - mean sum - mean rest - n f^2 */
    mm_wide_sum whole = squares - (mm_wide_sum)mean * sum - (mm_wide_sum)mean * rest;

    return (struct mm_sum){.sum_ns = round_ns((double)sum * unit),
                           .squares_ns2 = (double)squares * unit * unit,
                           .m2_ns2 = ((double)whole - (double)n * f * f) * unit * unit,
                           .min_ns = round_ns((double)least * unit),
                           .max_ns = round_ns((double)most * unit)};
}

static mm_wide_sum wide_sum(const uint64_t *w, int low, int high)
{
    return (mm_wide_sum)w[high] << 64 | w[low];
}

/* Set the sums of the calls' lost time, and, by subtraction, of their CPU time.
 * Aggregates have no waiting times of single calls. */
static void fill_losses(struct mm_aggregate *a, const uint64_t *w, double unit)
{
    int64_t ns[MM_LOSS_WORDS];

    for (int i = 0; i < MM_LOSS_WORDS; i++)
        ns[i] = (int64_t)((double)w[MM_E_LOSSES + i] * unit + .5);
    a->host_ns = ns[MM_LOSS_HOST] + ns[MM_LOSS_WORK];
    a->host_exclusive_ns = ns[MM_LOSS_HOST_OWN] + ns[MM_LOSS_WORK_OWN];
    a->wait_ns = ns[MM_LOSS_WAIT] < a->wall.sum_ns ? ns[MM_LOSS_WAIT] : a->wall.sum_ns;
    a->wait_exclusive_ns = ns[MM_LOSS_WAIT_OWN] < a->exclusive.sum_ns
                               ? ns[MM_LOSS_WAIT_OWN]
                               : a->exclusive.sum_ns;
    a->has_cpu = 1;
    a->cpu = a->wall;
    a->cpu.sum_ns -= a->wait_ns;
}

static void fill_times(struct mm_aggregate *a, const uint64_t *w, double unit, int cpu)
{
    uint64_t n = w[MM_E_COUNT];
    mm_wide_sum squares = wide_sum(w, MM_E_WALL_SQ, MM_E_WALL_SQ_HIGH);

    a->calls = n;
    a->callees = w[MM_E_CALLEES];
    a->below = w[MM_E_BELOW];
    a->wall = sum_of(n, w[MM_E_WALL], squares, w[MM_E_WALL_MIN], w[MM_E_WALL_MAX], unit);
    a->exclusive = sum_of(n, w[MM_E_WALL] - w[MM_E_REST],
                          squares - wide_sum(w, MM_E_REST_SQ, MM_E_REST_SQ_HIGH),
                          w[w[MM_E_MIXED] ? MM_E_EXCL_MIN : MM_E_WALL_MIN],
                          w[w[MM_E_MIXED] ? MM_E_EXCL_MAX : MM_E_WALL_MAX], unit);
    a->mpi = sum_of(n, w[MM_E_MPI], wide_sum(w, MM_E_MPI_SQ, MM_E_MPI_SQ_HIGH),
                    w[MM_E_MPI_COUNT] < n ? 0 : w[MM_E_MPI_MIN], w[MM_E_MPI_MAX], 1);
    a->has_cpu = cpu;
    if (cpu)
        a->cpu = sum_of(n, w[MM_E_CPU], wide_sum(w, MM_E_CPU_SQ, MM_E_CPU_SQ_HIGH),
                        w[MM_E_CPU_MIN], w[MM_E_CPU_MAX], 1);
}

static size_t fill_sample(double *sample, const uint64_t *w, double unit)
{
    size_t i, count = w[MM_E_COUNT] < MM_SAMPLE ? (size_t)w[MM_E_COUNT] : MM_SAMPLE;

    for (i = 0; i < count; i++)
        sample[i] = unit * (double)mm_sample_value(
                               (uint32_t)(w[MM_E_SAMPLE + i / 2] >> (i % 2 ? 32 : 0)));
    return count;
}

/* Compute the sums of the counters over all calls of an entry: `total` includes recorded
 * callees, `own` does not. */
static void fill_counts(int64_t *total, int64_t *own, const uint64_t *w, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t callees = (int64_t)w[MM_E_COUNTS + count + i];

        total[i] = (int64_t)w[MM_E_COUNTS + i];
        own[i] = total[i] == MM_COUNT_MISSING || callees == MM_COUNT_MISSING
                     ? MM_COUNT_MISSING
                     : (int64_t)((uint64_t)total[i] - (uint64_t)callees);
    }
}

/* Return the calling contexts of a copy, indexed by the line of the file. The file has
 * the context of an entry before the entry. */
static struct mm_context *contexts_of(const struct mm_aggregate_copy *copy,
                                      const struct mm_thread_source *source)
{
    struct mm_context *contexts = calloc(copy->end + 1, sizeof *contexts);
    uint32_t line;

    for (line = MM_AGG_FIRST; contexts && line < copy->end;
         line += mm_agg_lines(word0_at(copy, line))) {
        const struct mm_node *n = record_at(copy, line);

        if (mm_agg_kind(n->word0) != MM_AGG_NODE || line == MM_AGG_FIRST)
            continue;
        contexts[line].method = source->methods[n->method];
        contexts[line].nested = (n->flags & MM_NODE_NESTED) != 0;
        contexts[line].caller_known = n->caller != MM_METHOD_UNKNOWN;
        if (mm_source_has(source, n->caller))
            contexts[line].caller = source->methods[n->caller];
        if (n->parent > MM_AGG_FIRST)
            contexts[line].parent = &contexts[n->parent];
    }
    return contexts;
}

int mm_aggregate_copy_walk(const struct mm_aggregate_copy *copy,
                           const struct mm_thread_source *source,
                           mm_aggregate_function function, void *context,
                           struct cca_error *err)
{
    union monitor_value values[MONITOR_MAX_IN];
    struct mm_context *contexts = contexts_of(copy, source);
    int64_t total[MM_MAX_COUNTERS], own[MM_MAX_COUNTERS];
    double sample[MM_SAMPLE];
    uint32_t line;
    int code = 0;

    if (!contexts)
        return cca_no_memory(err);
    for (line = MM_AGG_FIRST; !code && line < copy->end;
         line += mm_agg_lines(word0_at(copy, line))) {
        const struct mm_entry *e = record_at(copy, line);
        struct mm_aggregate a = {.rank = source->rank,
                                 .thread = source->thread,
                                 .host_ns = -1,
                                 .host_exclusive_ns = -1,
                                 .wait_ns = -1,
                                 .wait_exclusive_ns = -1};
        const uint64_t *w = entry_words(e);

        if (mm_agg_kind(e->word0) != MM_AGG_ENTRY || !w[MM_E_COUNT])
            continue;
        a.context = &contexts[e->node];
        a.method = a.context->method;
        a.unfinished = (e->flags & MM_ENTRY_UNFINISHED) != 0;
        if (!(e->flags & MM_ENTRY_OTHER)) {
            memcpy(values, e->values, e->count * sizeof *values);
            mm_method_drop_hints(a.method, values);
            a.values = values;
            a.caller_values = e->caller;
        }
        fill_times(&a, w, copy->ns_per_tick, has_cpu(copy));
        if (has_losses(copy))
            fill_losses(&a, w, copy->ns_per_tick);
        fill_counts(total, own, w, copy->head.counters);
        a.counters = total;
        a.exclusive_counters = own;
        a.sample = sample;
        a.sample_count = fill_sample(sample, w, copy->ns_per_tick);
        code = function(&a, context);
    }
    free(contexts);
    return code;
}

const uint64_t *mm_aggregate_copy_row(const struct mm_aggregate_copy *copy,
                                      uint32_t *line, uint32_t *place, size_t *words,
                                      uint64_t *offset)
{
    for (; *line < copy->end; *line += mm_agg_lines(word0_at(copy, *line)), *place = 0) {
        const struct mm_reservoir *r = record_at(copy, *line);

        if (mm_agg_kind(r->word0) != MM_AGG_RESERVOIR)
            continue;
        while (*place < r->places) {
            const uint64_t *row = (const uint64_t *)(r + 1) + (size_t)*place * r->words;

            ++*place;
            *offset = (uint64_t)((const unsigned char *)row - copy->data);
            *words = mm_row_words(*row);
            if (!*row)
                continue;
            if (*words >= 7 && *words <= r->words && (*row & 0xffff) == r->method &&
                *row & MM_ROW_WIDE && mm_row_check_holds(row, *words, *offset / 8))
                return row;
            if (copy->moving || copy->journal.slot == *offset)
                continue;
            *words = 0;
            return row;
        }
    }
    return NULL;
}
