/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_clocks.c: offsets between clocks against clocks whose truth is known. */
#include "messages/clocks/clocks.h"

#include <math.h>

#include "tests/lib/test.h"

enum { PINGS = 50 };

static uint64_t random_state = 0x9e3779b97f4a7c15;

static double draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* The other clock at own time t, ns. */
struct truth {
    double offset_ns, ppm;
};

static double there(const struct truth *truth, double t)
{
    return t + truth->offset_ns + t * truth->ppm * 1e-6;
}

/* Round trips from `now` on: each way takes 300 ns and what a loaded machine adds,
 * seldom much. */
static struct mm_clock_offset play(const struct truth *truth, double now)
{
    struct mm_ping pings[PINGS];
    struct mm_clock_offset offset;

    for (int i = 0; i < PINGS; i++) {
        double out = 300 - 200 * log(1 - draw()), back = 300 - 900 * log(1 - draw());

        if (draw() < 0.1)
            out += 1e6 * draw();
        pings[i].sent_ns = now;
        pings[i].there_ns = there(truth, now + out);
        pings[i].back_ns = now = now + out + back;
        now += 1000 * draw();
    }
    mm_clocks_measure(pings, PINGS, &offset);
    return offset;
}

static struct mm_messages_clock_point point_at(const struct truth *truth, double now)
{
    struct mm_clock_offset offset = play(truth, now);

    return (struct mm_messages_clock_point){.ticks = (uint64_t)llround(offset.at_ns),
                                            .offset_ns = offset.offset_ns,
                                            .bound_ns = offset.bound_ns};
}

TEST(the_shortest_round_trip_gives_the_offset)
{
    const struct mm_ping pings[] = {
        {1000, 51900, 3000}, {4000, 54250, 4600}, {5000, 55100, 9000}};
    struct mm_clock_offset offset;

    mm_clocks_measure(pings, 3, &offset);
    assert_float_equal(offset.at_ns, 4300, 1e-9);
    assert_float_equal(offset.offset_ns, 49950, 1e-9);
    assert_float_equal(offset.bound_ns, 300, 1e-9);
}

TEST(an_offset_is_never_wrong_by_more_than_its_bound)
{
    for (int i = 0; i < 2000; i++) {
        const struct truth truth = {(draw() - 0.5) * 1e9, (draw() - 0.5) * 100};
        struct mm_clock_offset offset = play(&truth, 1e6);
        double error =
            fabs(offset.at_ns + offset.offset_ns - there(&truth, offset.at_ns));

        assert_true(error <= offset.bound_ns + 0.1);
        assert_true(offset.bound_ns < 1500);
    }
}

/* 123 ms and 17 ppm over 2 s: a constant offset would be 34 us wrong. */
TEST(a_line_between_two_points_follows_the_drift)
{
    for (int i = 0; i < 500; i++) {
        const struct truth truth = {123e6, 17};
        const struct mm_messages_clock_point points[] = {point_at(&truth, 1e6),
                                                         point_at(&truth, 2e9)};
        double t = 2e9 * draw();
        struct mm_clock_offset offset;

        assert_int_equal(mm_clocks_at(points, 2, 1, (uint64_t)t, &offset), 0);
        assert_true(fabs(t + offset.offset_ns - there(&truth, t)) <=
                    offset.bound_ns + 1.5);
    }
}

TEST(beyond_a_lone_point_the_bound_grows_faster_than_crystals_drift)
{
    const struct truth truth = {-5e6, 60};
    const struct mm_messages_clock_point point = point_at(&truth, 1e6);
    struct mm_clock_offset offset;

    for (double t = 1e3; t < 1e11; t *= 3) {
        assert_int_equal(mm_clocks_at(&point, 1, 1, (uint64_t)t, &offset), 0);
        assert_true(fabs(t + offset.offset_ns - there(&truth, t)) <= offset.bound_ns + 1);
    }
    assert_int_equal(mm_clocks_at(&point, 0, 1, 1, &offset), -1);
}

TEST(bounds_of_a_chain_add_up)
{
    const struct mm_clock_offset near = {10, 100, 5}, far = {0, -30, 7};
    struct mm_clock_offset sum = mm_clocks_add(&near, &far, -1000);

    assert_float_equal(sum.offset_ns, 70, 1e-9);
    assert_float_equal(sum.bound_ns, 12 + 1000 * MM_CLOCKS_DRIFT, 1e-9);
    assert_float_equal(sum.at_ns, 10, 1e-9);
}

/* Every node is a child of its parent, once, and the root is near. */
TEST(the_tree_reaches_each_node_once_within_log2_steps)
{
    for (int count = 1; count <= 300; count++) {
        int reached[300] = {1}, total = 1;

        for (int node = 0; node < count; node++) {
            for (int child = 0; (child = mm_clocks_child(node, count, child)) != 0;) {
                assert_in_range(child, 1, count - 1);
                assert_int_equal(mm_clocks_parent(child), node);
                assert_int_equal(reached[child]++, 0);
                total++;
            }
        }
        assert_int_equal(total, count);
        for (int node = 0; node < count; node++) {
            int steps = 0;

            for (int at = node; at; at = mm_clocks_parent(at))
                steps++;
            assert_true(steps <= ceil(log2(count)));
        }
    }
}

TESTS(NULL, NULL)
