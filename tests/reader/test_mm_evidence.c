/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_evidence.c: which part of a loss between two readings is told of which row.
 *
 * Readings and rows are made up, with a clock of 1 tick a nanosecond; so all is exact. */
#include "mastermind/reader/evidence.h"
#include "tests/lib/test.h"

enum { US = 1000, MS = 1000 * US };
enum { NONE = 0, OUTER = 1, MIDDLE = 2 }; /* invocations that call */

/* A thread that runs, waits and is preempted. */
struct thread {
    struct mm_evidence evidence;
    uint64_t now, cpu_ns, voluntary, involuntary, before;
};

static struct thread begin_thread(void)
{
    struct thread t = {.evidence = {.known = 1, .ns_per_tick = 1}, .now = 77 * MS};
    uint64_t words[MM_READING_WORDS] = {mm_reading_word0(MM_READING_BEGINS), t.now};
    struct mm_interval interval;

    t.before = t.now;
    assert_int_equal(mm_evidence_reading(&t.evidence, words, &interval), 0);
    return t;
}

static void run(struct thread *t, uint64_t ns)
{
    t->now += ns;
    t->cpu_ns += ns;
}

static void preempt(struct thread *t, uint64_t ns)
{
    t->now += ns;
    t->involuntary++;
}

static void wait_for(struct thread *t, uint64_t ns)
{
    t->now += ns;
    t->voluntary++;
}

static void read_now(struct thread *t, uint32_t kind)
{
    uint64_t words[MM_READING_WORDS] = {mm_reading_word0(kind), t->now, t->cpu_ns,
                                        (uint32_t)t->voluntary | t->involuntary << 32};
    uint64_t ticks = t->evidence.last_ticks, cpu_ns = t->evidence.last_cpu_ns;
    struct mm_interval i;

    assert_int_equal(mm_evidence_reading(&t->evidence, words, &i), 1);
    assert_int_equal(i.start_ns, ticks);
    assert_int_equal(i.wall_ns, t->now > ticks ? t->now - ticks : 0);
    assert_int_equal(i.cpu_ns, t->cpu_ns - cpu_ns);
    assert_int_equal(i.recording, kind == MM_READING_BEGINS);
}

/* End a row of `caller` that began at `start`, with a reading if it closes a gap. */
static struct mm_row end_row(struct thread *t, uint64_t start, uint64_t callees_ns,
                             uint64_t caller)
{
    const struct mm_row_place place = {caller, t->before, t->now, t->now - start};
    struct mm_row row = {.wall_ns = (int64_t)(t->now - start),
                         .exclusive_ns = (int64_t)(t->now - start - callees_ns),
                         .cpu_ns = -1};

    if (t->now - t->before >= MM_GAP_NS)
        read_now(t, MM_READING_ROW);
    assert_int_equal(mm_evidence_row(&t->evidence, &place, &row), 0);
    t->before = t->now;
    return row;
}

TEST(a_preempted_row_has_lost_what_the_host_took)
{
    struct thread t = begin_thread();
    uint64_t start = t.now;
    struct mm_row row;

    run(&t, 2 * MS);
    preempt(&t, 4 * MS);
    run(&t, MS);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 4 * MS);
    assert_int_equal(row.lost_exclusive_ns, 4 * MS);
    assert_int_equal(row.waited + row.waited_exclusive, 0);
    start = t.now;
    run(&t, 3 * MS);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 0);
    mm_evidence_done(&t.evidence);
}

TEST(a_row_that_slept_has_waited)
{
    struct thread t = begin_thread();
    uint64_t start = t.now;
    struct mm_row row;

    wait_for(&t, 5 * MS);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 5 * MS);
    assert_int_equal(row.waited, 1);
    start = t.now;
    run(&t, 5 * MS);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 0);
    assert_int_equal(row.waited, 0);
    mm_evidence_done(&t.evidence);
}

/* Thousands of rows lose 10 us each: none of them lost 1 ms at one go, nor does the next
 * one that took long answer for more than itself. */
TEST(short_losses_are_no_rows)
{
    struct thread t = begin_thread();
    struct mm_row row;
    uint64_t start;

    for (int i = 0; i < 5000; i++) {
        start = t.now;
        run(&t, 90 * US);
        preempt(&t, 10 * US);
        row = end_row(&t, start, 0, NONE);
        assert_int_equal(row.lost_ns, 0);
    }
    read_now(&t, MM_READING_ENDS);
    read_now(&t, MM_READING_BEGINS);
    start = t.now;
    run(&t, 2 * MS);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 0);
    mm_evidence_done(&t.evidence);
}

/* The thread was preempted between two rows: the second took no millisecond itself. */
TEST(a_short_row_behind_a_gap_has_lost_nothing)
{
    struct thread t = begin_thread();
    struct mm_row row;
    uint64_t start;

    preempt(&t, 4 * MS);
    start = t.now;
    run(&t, 20 * US);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 0);
    preempt(&t, 4 * MS); /* nothing says in which part of the gap */
    start = t.now;
    run(&t, 3 * MS);
    row = end_row(&t, start, 0, NONE);
    assert_int_equal(row.lost_ns, 3 * MS);
    mm_evidence_done(&t.evidence);
}

/* outer { 100 us; inner { preempted }; 3 ms preempted 2; inner { } ; 100 us } */
TEST(a_caller_has_what_its_callees_lost_and_its_own)
{
    struct thread t = begin_thread();
    uint64_t outer = t.now, middle, inner;
    struct mm_row row;

    run(&t, 100 * US);
    inner = t.now;
    run(&t, 2 * MS);
    preempt(&t, 7 * MS);
    row = end_row(&t, inner, 0, OUTER);
    assert_int_equal(row.lost_ns, 7 * MS);

    run(&t, MS);
    preempt(&t, 2 * MS);
    run(&t, MS);
    middle = inner = t.now;
    run(&t, 20 * US);
    row = end_row(&t, inner, 0, MIDDLE); /* closes the gap, but cannot have lost it */
    assert_int_equal(row.lost_ns, 0);
    run(&t, 100 * US);
    row = end_row(&t, middle, 20 * US, OUTER); /* around the short one, as short */
    assert_int_equal(row.lost_ns, 0);

    run(&t, 100 * US);
    row = end_row(&t, outer, 9 * MS + 120 * US, NONE);
    assert_int_equal(row.lost_ns, 9 * MS);
    assert_int_equal(row.lost_exclusive_ns, 2 * MS);
    assert_int_equal(row.waited, 0);
    mm_evidence_done(&t.evidence);
}

/* The callee waits, the caller is preempted: only the sum of both has waited. */
TEST(the_wait_of_a_callee_is_not_in_the_exclusive_part)
{
    struct thread t = begin_thread();
    uint64_t outer = t.now, inner = t.now;
    struct mm_row row;

    wait_for(&t, 3 * MS);
    row = end_row(&t, inner, 0, OUTER);
    assert_int_equal(row.waited, 1);
    run(&t, MS);
    preempt(&t, 4 * MS);
    row = end_row(&t, outer, 3 * MS, NONE);
    assert_int_equal(row.lost_ns, 7 * MS);
    assert_int_equal(row.waited, 1);
    assert_int_equal(row.lost_exclusive_ns, 4 * MS);
    assert_int_equal(row.waited_exclusive, 0);
    mm_evidence_done(&t.evidence);
}

/* A caller around many rows, each with a gap: sums, not lists, say what it lost. */
TEST(a_caller_of_many)
{
    struct thread t = begin_thread();
    uint64_t all = t.now, outer, inner;
    struct mm_row row;

    for (int i = 0; i < 300; i++) {
        outer = t.now;
        for (int k = 0; k < 4; k++) {
            inner = t.now;
            run(&t, MS);
            preempt(&t, (uint64_t)(k + 1) * MS);
            row = end_row(&t, inner, 0, 100 + (uint64_t)i);
            assert_int_equal(row.lost_ns, (k + 1) * MS);
        }
        run(&t, 10 * US);
        row = end_row(&t, outer, 14 * MS, OUTER);
        assert_int_equal(t.evidence.group_count, 1);
        assert_int_equal(row.lost_ns, 10 * MS);
        assert_int_equal(row.lost_exclusive_ns, 0);
    }
    row = end_row(&t, all, 300 * (uint64_t)(14 * MS + 10 * US), NONE);
    assert_int_equal(row.lost_ns, (int64_t)3000 * MS);
    assert_int_equal(t.evidence.group_count, 0); /* nothing is open: nothing is kept */
    mm_evidence_done(&t.evidence);
}

/* What the recorder does between two windows is neither lost nor waiting. */
TEST(the_recorders_own_work_is_left_out)
{
    struct thread t = begin_thread();
    uint64_t outer = t.now, inner = t.now;
    struct mm_row row;

    run(&t, 100 * US);
    end_row(&t, inner, 0, OUTER);
    read_now(&t, MM_READING_ENDS);
    wait_for(&t, 20 * MS);
    read_now(&t, MM_READING_BEGINS);
    run(&t, 2 * MS);
    row = end_row(&t, outer, 100 * US, NONE);
    assert_int_equal(row.lost_ns, 0);
    assert_int_equal(row.waited, 0);
    mm_evidence_done(&t.evidence);
}

/* CPU time of the row itself is closer than any reading. */
TEST(cpu_time_of_the_row_bounds_what_it_lost)
{
    struct thread t = begin_thread();
    struct mm_row row = {.wall_ns = 3 * MS, .exclusive_ns = 3 * MS, .cpu_ns = 5 * MS / 2};
    struct mm_row_place place = {.before = t.now, .wall = 3 * MS};

    preempt(&t, 2 * MS);
    run(&t, 5 * MS / 2);
    preempt(&t, MS / 2);
    place.end = t.now;
    read_now(&t, MM_READING_ROW);
    assert_int_equal(mm_evidence_row(&t.evidence, &place, &row), 0);
    assert_int_equal(row.lost_ns, MS / 2);
    assert_int_equal(row.lost_exclusive_ns, MS / 2);
    mm_evidence_done(&t.evidence);
}

/* A wait in MPI is a loss without a voluntary switch. */
TEST(a_loss_with_long_mpi_may_be_a_wait)
{
    struct thread t = begin_thread();
    struct mm_row row = {.wall_ns = 6 * MS, .exclusive_ns = 6 * MS, .cpu_ns = -1};
    struct mm_row_place place = {.before = t.now, .wall = 6 * MS};

    run(&t, 2 * MS);
    preempt(&t, 4 * MS);
    place.end = t.now;
    row.mpi_ns = 4 * MS;
    read_now(&t, MM_READING_ROW);
    assert_int_equal(mm_evidence_row(&t.evidence, &place, &row), 0);
    assert_int_equal(row.lost_ns, 4 * MS);
    assert_int_equal(row.waited, 1);
    assert_int_equal(row.waited_exclusive, 1);
    mm_evidence_done(&t.evidence);
}

/* Rows may end before the row before did (end_at), and clocks go back. */
TEST(a_clock_that_went_back_gives_no_gap)
{
    struct thread t = begin_thread();
    struct mm_row row;
    uint64_t start = t.now;

    run(&t, 5 * MS);
    end_row(&t, start, 0, OUTER);
    t.before = t.now;
    t.now -= 4 * MS;
    read_now(&t, MM_READING_ROW);
    row = end_row(&t, t.now - MS / 2, 0, OUTER);
    assert_in_range(row.lost_ns, 0, MS / 2);
    run(&t, 2 * MS);
    row = end_row(&t, t.now - MS, 0, NONE);
    assert_in_range(row.lost_ns, 0, MS);
    mm_evidence_done(&t.evidence);
}

TEST(no_readings_are_no_evidence)
{
    struct mm_evidence none = {.ns_per_tick = 1};
    const struct mm_row_place place = {0, 5, 9 * MS, 8 * MS};
    struct mm_row row = {.wall_ns = 8 * MS, .cpu_ns = -1};

    assert_int_equal(mm_evidence_row(&none, &place, &row), 0);
    assert_int_equal(row.lost_ns, -1);
    assert_int_equal(row.lost_exclusive_ns, -1);
    mm_evidence_done(&none);
}

/* Any words in any order: bounds hold, and nothing else happens. */
TEST(any_readings_and_rows_stay_in_bounds)
{
    uint64_t seed = 1, r[6];
    struct mm_evidence e = {.known = 1, .ns_per_tick = .37};
    struct mm_interval interval;

    for (int i = 0; i < 200000; i++) {
        for (int k = 0; k < 6; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            r[k] = seed >> (i % 7 ? 30 : 3) >> seed % 16;
        }
        if (r[0] % 3) {
            const uint64_t words[] = {mm_reading_word0(r[0] % 3), r[1], r[2], r[3]};

            mm_evidence_reading(&e, words, &interval);
        }
        const struct mm_row_place place = {r[3] % 50, r[4], r[5], r[2] % (r[5] + 1)};
        struct mm_row row = {.cpu_ns = r[1] % 4 ? -1 : (int64_t)r[3]};

        row.wall_ns = (int64_t)((double)place.wall * .37);
        row.exclusive_ns = row.wall_ns / (int64_t)(1 + r[0] % 3);
        assert_int_equal(mm_evidence_row(&e, &place, &row), 0);
        assert_true(row.lost_ns >= 0 && row.lost_ns <= row.wall_ns);
        assert_true(row.lost_exclusive_ns >= 0 &&
                    row.lost_exclusive_ns <= row.exclusive_ns);
    }
    mm_evidence_done(&e);
}

/* Trees of calls at random, against a list of all gaps and of every call's own time. */
enum { MOST_GAPS = 4096, MOST_PARTS = 64, TREES = 300 };

static struct tree {
    struct thread t;
    uint64_t seed, calls, waits; /* waits: switches at the last reading */
    struct {
        uint64_t start, end;
        int64_t lost_ns;
        int waited;
    } gaps[MOST_GAPS];
    size_t gap_count;
    uint64_t rows_with_loss, rows_with_own_loss;
} tree;

static uint64_t draw(struct tree *r, uint64_t below)
{
    r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
    return (r->seed >> 33) % below;
}

static void pass_time(struct tree *r)
{
    static const uint64_t lengths[] = {10 * US, 300 * US, MS, 3 * MS};

    for (uint64_t i = draw(r, 3); i > 0; i--)
        (draw(r, 2)   ? run
         : draw(r, 4) ? preempt
                      : wait_for)(&r->t, lengths[draw(r, 4)] + draw(r, 5 * US));
}

/* What the gaps that end behind the first part's beginning have lost in these parts of
 * time. */
static struct mm_row expected(const struct tree *r, uint64_t (*parts)[2], size_t n)
{
    struct mm_row row = {.lost_ns = 0};
    uint64_t within, from, to;

    for (size_t g = 0; g < r->gap_count; g++) {
        within = 0;
        for (size_t i = 0; i < n; i++) {
            from = parts[i][0] > r->gaps[g].start ? parts[i][0] : r->gaps[g].start;
            to = parts[i][1] < r->gaps[g].end ? parts[i][1] : r->gaps[g].end;
            within += to > from ? to - from : 0;
        }
        if (within < MM_GAP_NS || r->gaps[g].end <= parts[0][0])
            continue;
        row.lost_ns +=
            (int64_t)within < r->gaps[g].lost_ns ? (int64_t)within : r->gaps[g].lost_ns;
        row.waited |= r->gaps[g].waited;
    }
    return row;
}

static void note_gap(struct tree *r)
{
    const struct mm_evidence *e = &r->t.evidence;

    if (r->t.now - r->t.before < MM_GAP_NS)
        return;
    assert_true(r->gap_count < MOST_GAPS);
    r->gaps[r->gap_count].start = r->t.before;
    r->gaps[r->gap_count].end = r->t.now;
    r->gaps[r->gap_count].lost_ns =
        (int64_t)(r->t.now - e->last_ticks) - (int64_t)(r->t.cpu_ns - e->last_cpu_ns);
    r->gaps[r->gap_count++].waited = r->t.voluntary != r->waits;
    r->waits = r->t.voluntary;
}

static void call_tree(struct tree *r, uint64_t caller, int depth)
{
    uint64_t invocation = ++r->calls, own_ns = 0, own[MOST_PARTS][2], whole[1][2];
    struct mm_row row, all, alone;
    size_t parts = 0;

    whole[0][0] = own[0][0] = r->t.now;
    pass_time(r);
    for (uint64_t i = depth ? draw(r, 5) : 0; i > 0; i--) {
        own[parts++][1] = r->t.now;
        call_tree(r, invocation, depth - 1);
        own[parts][0] = r->t.now;
        pass_time(r);
    }
    whole[0][1] = own[parts++][1] = r->t.now;
    for (size_t i = 0; i < parts; i++)
        own_ns += own[i][1] - own[i][0];
    note_gap(r);
    row = end_row(&r->t, whole[0][0], r->t.now - whole[0][0] - own_ns, caller);
    all = expected(r, whole, 1);
    alone = expected(r, own, parts);
    assert_int_equal(row.lost_ns, all.lost_ns);
    assert_int_equal(row.waited, all.waited);
    assert_int_equal(row.lost_exclusive_ns, alone.lost_ns);
    assert_int_equal(row.waited_exclusive, alone.waited);
    r->rows_with_loss += row.lost_ns > 0;
    r->rows_with_own_loss += row.lost_exclusive_ns > 0;
}

TEST(trees_of_calls_have_what_a_list_of_gaps_says)
{
    for (int i = 0; i < TREES; i++) {
        tree.t = begin_thread();
        tree.seed = (uint64_t)i;
        tree.gap_count = tree.waits = 0;
        for (int k = 0; k < 3; k++) {
            call_tree(&tree, NONE, 4);
            pass_time(&tree);
        }
        assert_int_equal(tree.t.evidence.group_count, 0);
        mm_evidence_done(&tree.t.evidence);
    }
    assert_true(tree.rows_with_loss > 1000 && tree.rows_with_own_loss > 1000);
}

TESTS(NULL, NULL)
