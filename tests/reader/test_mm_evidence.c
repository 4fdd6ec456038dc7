/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_evidence.c: which part of a loss between two readings is told of which row.
 *
 * Readings and rows are made up, with a clock of 1 tick a nanosecond; so all is exact. */
#include "mastermind/reader/evidence.h"
#include "tests/lib/test.h"

enum { US = 1000, MS = 1000 * US };

/* A thread that runs, waits and is preempted. */
struct thread {
    struct mm_evidence evidence;
    uint64_t now, cpu_ns, voluntary, involuntary, before;
};

static struct thread begin_thread(void)
{
    struct thread t = {.evidence = {.known = 1, .ns_per_tick = 1}, .now = 77 * MS};
    uint64_t words[MM_READING_WORDS] = {mm_reading_word0(MM_READING_BEGINS), t.now};

    t.before = t.now;
    mm_evidence_reading(&t.evidence, words);
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

    mm_evidence_reading(&t->evidence, words);
}

/* End a row that began at `start`, with a reading if it closes a gap. */
static struct mm_row end_row(struct thread *t, uint64_t start, uint64_t callees_ns,
                             int outermost)
{
    const struct mm_row_times times = {t->before, t->now, t->now - start, outermost};
    struct mm_row row = {.wall_ns = (int64_t)(t->now - start),
                         .exclusive_ns = (int64_t)(t->now - start - callees_ns),
                         .cpu_ns = -1};

    if (t->now - t->before >= MM_GAP_NS)
        read_now(t, MM_READING_ROW);
    assert_int_equal(mm_evidence_row(&t->evidence, &times, &row), 0);
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
    row = end_row(&t, start, 0, 1);
    assert_int_equal(row.lost_ns, 4 * MS);
    assert_int_equal(row.lost_exclusive_ns, 4 * MS);
    assert_int_equal(row.waited + row.waited_exclusive, 0);
    start = t.now;
    run(&t, 3 * MS);
    row = end_row(&t, start, 0, 1);
    assert_int_equal(row.lost_ns, 0);
    mm_evidence_done(&t.evidence);
}

TEST(a_row_that_slept_has_waited)
{
    struct thread t = begin_thread();
    uint64_t start = t.now;
    struct mm_row row;

    wait_for(&t, 5 * MS);
    row = end_row(&t, start, 0, 1);
    assert_int_equal(row.lost_ns, 5 * MS);
    assert_int_equal(row.waited, 1);
    start = t.now;
    run(&t, 5 * MS);
    row = end_row(&t, start, 0, 1);
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
        row = end_row(&t, start, 0, 1);
        assert_int_equal(row.lost_ns, 0);
    }
    read_now(&t, MM_READING_ENDS);
    read_now(&t, MM_READING_BEGINS);
    start = t.now;
    run(&t, 2 * MS);
    row = end_row(&t, start, 0, 1);
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
    row = end_row(&t, start, 0, 1);
    assert_int_equal(row.lost_ns, 0);
    preempt(&t, 4 * MS); /* nothing says in which part of the gap */
    start = t.now;
    run(&t, 3 * MS);
    row = end_row(&t, start, 0, 1);
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
    row = end_row(&t, inner, 0, 0);
    assert_int_equal(row.lost_ns, 7 * MS);

    run(&t, MS);
    preempt(&t, 2 * MS);
    run(&t, MS);
    middle = inner = t.now;
    run(&t, 20 * US);
    row = end_row(&t, inner, 0, 0); /* closes the gap, but cannot have lost it */
    assert_int_equal(row.lost_ns, 0);
    run(&t, 100 * US);
    row = end_row(&t, middle, 20 * US, 0); /* around the short one, as short */
    assert_int_equal(row.lost_ns, 0);

    run(&t, 100 * US);
    row = end_row(&t, outer, 9 * MS + 120 * US, 1);
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
    row = end_row(&t, inner, 0, 0);
    assert_int_equal(row.waited, 1);
    run(&t, MS);
    preempt(&t, 4 * MS);
    row = end_row(&t, outer, 3 * MS, 1);
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
            row = end_row(&t, inner, 0, 0);
            assert_int_equal(row.lost_ns, (k + 1) * MS);
        }
        run(&t, 10 * US);
        row = end_row(&t, outer, 14 * MS, 0);
        assert_int_equal(row.lost_ns, 10 * MS);
        assert_int_equal(row.lost_exclusive_ns, 0);
    }
    row = end_row(&t, all, 300 * (uint64_t)(14 * MS + 10 * US), 1);
    assert_int_equal(row.lost_ns, (int64_t)3000 * MS);
    assert_int_equal(t.evidence.gap_count, 0); /* nothing is open: nothing is kept */
    mm_evidence_done(&t.evidence);
}

/* What the recorder does between two windows is neither lost nor waiting. */
TEST(the_recorders_own_work_is_left_out)
{
    struct thread t = begin_thread();
    uint64_t outer = t.now, inner = t.now;
    struct mm_row row;

    run(&t, 100 * US);
    end_row(&t, inner, 0, 0);
    read_now(&t, MM_READING_ENDS);
    wait_for(&t, 20 * MS);
    read_now(&t, MM_READING_BEGINS);
    run(&t, 2 * MS);
    row = end_row(&t, outer, 100 * US, 1);
    assert_int_equal(row.lost_ns, 0);
    assert_int_equal(row.waited, 0);
    mm_evidence_done(&t.evidence);
}

/* CPU time of the row itself is closer than any reading. */
TEST(cpu_time_of_the_row_bounds_what_it_lost)
{
    struct thread t = begin_thread();
    struct mm_row row = {.wall_ns = 3 * MS, .exclusive_ns = 3 * MS, .cpu_ns = 5 * MS / 2};
    struct mm_row_times times = {.before = t.now, .wall = 3 * MS};

    preempt(&t, 2 * MS);
    run(&t, 5 * MS / 2);
    preempt(&t, MS / 2);
    times.end = t.now;
    read_now(&t, MM_READING_ROW);
    assert_int_equal(mm_evidence_row(&t.evidence, &times, &row), 0);
    assert_int_equal(row.lost_ns, MS / 2);
    assert_int_equal(row.lost_exclusive_ns, MS / 2);
    mm_evidence_done(&t.evidence);
}

/* Rows may end before the row before did (end_at), and clocks go back. */
TEST(a_clock_that_went_back_gives_no_gap)
{
    struct thread t = begin_thread();
    struct mm_row row;
    uint64_t start = t.now;

    run(&t, 5 * MS);
    end_row(&t, start, 0, 0);
    t.before = t.now;
    t.now -= 4 * MS;
    read_now(&t, MM_READING_ROW);
    row = end_row(&t, t.now - MS / 2, 0, 0);
    assert_in_range(row.lost_ns, 0, MS / 2);
    run(&t, 2 * MS);
    row = end_row(&t, t.now - MS, 0, 1);
    assert_in_range(row.lost_ns, 0, MS);
    mm_evidence_done(&t.evidence);
}

TEST(no_readings_are_no_evidence)
{
    struct mm_evidence none = {.ns_per_tick = 1};
    const struct mm_row_times times = {5, 9 * MS, 8 * MS, 1};
    struct mm_row row = {.wall_ns = 8 * MS, .cpu_ns = -1};

    assert_int_equal(mm_evidence_row(&none, &times, &row), 0);
    assert_int_equal(row.lost_ns, -1);
    assert_int_equal(row.lost_exclusive_ns, -1);
    mm_evidence_done(&none);
}

/* Any words in any order: bounds hold, and nothing else happens. */
TEST(any_readings_and_rows_stay_in_bounds)
{
    uint64_t seed = 1, r[6];
    struct mm_evidence e = {.known = 1, .ns_per_tick = .37};

    for (int i = 0; i < 200000; i++) {
        for (int k = 0; k < 6; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            r[k] = seed >> (i % 7 ? 30 : 3) >> seed % 16;
        }
        if (r[0] % 3) {
            const uint64_t words[] = {mm_reading_word0(r[0] % 3), r[1], r[2], r[3]};

            mm_evidence_reading(&e, words);
        }
        const struct mm_row_times times = {r[4], r[5], r[2] % (r[5] + 1), r[3] % 50 == 0};
        struct mm_row row = {.cpu_ns = r[1] % 4 ? -1 : (int64_t)r[3]};

        row.wall_ns = (int64_t)((double)times.wall * .37);
        row.exclusive_ns = row.wall_ns / (int64_t)(1 + r[0] % 3);
        assert_int_equal(mm_evidence_row(&e, &times, &row), 0);
        assert_true(row.lost_ns >= 0 && row.lost_ns <= row.wall_ns);
        assert_true(row.lost_exclusive_ns >= 0 &&
                    row.lost_exclusive_ns <= row.exclusive_ns);
    }
    mm_evidence_done(&e);
}

TESTS(NULL, NULL)
