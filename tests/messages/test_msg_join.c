/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_join.c: halves meet in any order, and each is counted once; times of a joined
 * message are those of its stamps. */
#include "tests/lib/test.h"

#include <math.h>
#include <pthread.h>

#include "messages/join/join.h"
#include "tests/messages/halves.h"

enum { MESSAGES = 4000 };

static struct met {
    uint64_t counts[MM_MESSAGES_COUNTS];
    unsigned char times_met[MESSAGES];
    int wrong;
} met;

static void joined(void *context, const struct mm_messages_half *send,
                   const struct mm_messages_half *recv)
{
    struct met *m = context;
    struct mm_messages_half s = half_of(send->k, MM_MESSAGES_SEND),
                            r = half_of(send->k, MM_MESSAGES_RECEIVE);

    if (send->k >= MESSAGES || memcmp(&s, send, sizeof s) || memcmp(&r, recv, sizeof r))
        m->wrong++;
    else
        m->times_met[send->k]++;
}

static struct mm_join *new_join(size_t ring, int remembers_all, int locked)
{
    struct mm_join_options options = {.ring = ring,
                                      .remembers_all = remembers_all,
                                      .locked = locked,
                                      .counts = met.counts,
                                      .joined = joined,
                                      .context = &met};
    struct mm_join *join;

    memset(&met, 0, sizeof met);
    join = mm_join_new(&options, NULL);
    assert_non_null(join);
    return join;
}

static void give(struct mm_join *join, uint64_t number, int side)
{
    struct mm_messages_half half = half_of(number, side);

    if (side == MM_MESSAGES_SEND)
        mm_join_send(join, &half);
    else
        mm_join_receive(join, &half);
}

TEST(halves_that_all_come_are_joined_once_in_any_order)
{
    static int halves[2 * MESSAGES];
    uint64_t random = 1;

    for (int round = 0; round < 5; round++) {
        struct mm_join *join = new_join(MESSAGES, 0, 0);

        for (int i = 0; i < 2 * MESSAGES; i++)
            halves[i] = i;
        for (int i = 2 * MESSAGES; i-- > 1;) {
            int other = (int)(half_random(&random) % (uint64_t)(i + 1)), kept = halves[i];

            halves[i] = halves[other];
            halves[other] = kept;
        }
        for (int i = 0; i < 2 * MESSAGES; i++)
            give(join, (uint64_t)halves[i] / 2, halves[i] % 2);
        mm_join_end(join);
        assert_int_equal(met.wrong, 0);
        for (int i = 0; i < MESSAGES; i++)
            assert_int_equal(met.times_met[i], 1);
        assert_int_equal(met.counts[MM_MESSAGES_JOINED], MESSAGES);
        assert_int_equal(met.counts[MM_MESSAGES_UNANSWERED], 0);
        assert_int_equal(met.counts[MM_MESSAGES_HALF], 0);
        assert_int_equal(met.counts[MM_MESSAGES_DROPPED_RING], 0);
        mm_join_free(join);
    }
}

/* What a join with a ring of `ring` has to do, said plainly: two lists in order. */
struct plain {
    uint64_t waiting[2][64];
    size_t count[2], ring;
    uint64_t joined, pushed[2];
};

static void plain_give(struct plain *p, uint64_t number, int side)
{
    for (size_t i = 0; i < p->count[!side]; i++)
        if (p->waiting[!side][i] == number) {
            memmove(&p->waiting[!side][i], &p->waiting[!side][i + 1],
                    (--p->count[!side] - i) * sizeof(uint64_t));
            p->joined++;
            return;
        }
    if (p->count[side] == p->ring) {
        memmove(p->waiting[side], p->waiting[side] + 1,
                (--p->count[side]) * sizeof(uint64_t));
        p->pushed[side]++;
    }
    p->waiting[side][p->count[side]++] = number;
}

TEST(a_small_ring_drops_the_oldest_as_plain_lists_do)
{
    uint64_t random = 7;

    for (int round = 0; round < 60; round++) {
        struct plain p = {.ring = 1 + half_random(&random) % 40};
        struct mm_join *join = new_join(p.ring, 0, 0);
        uint64_t given[2] = {0};
        size_t sends, lost;

        for (int i = 0; i < 2000; i++) {
            /* Some are given twice, some never: both sides alike, by chance. */
            uint64_t number = half_random(&random) % 100 + (uint64_t)i / 2;
            int side = half_random(&random) & 1;

            give(join, number, side);
            plain_give(&p, number, side);
            given[side]++;
            assert_int_equal(met.counts[MM_MESSAGES_JOINED], p.joined);
            assert_int_equal(met.counts[MM_MESSAGES_UNANSWERED],
                             p.pushed[MM_MESSAGES_RECEIVE]);
            assert_int_equal(met.counts[MM_MESSAGES_DROPPED_RING],
                             p.pushed[MM_MESSAGES_SEND]);
        }
        mm_join_end(join);
        assert_int_equal(met.wrong, 0);
        assert_int_equal(met.counts[MM_MESSAGES_JOINED] +
                             met.counts[MM_MESSAGES_UNANSWERED],
                         given[MM_MESSAGES_RECEIVE]);
        assert_int_equal(met.counts[MM_MESSAGES_JOINED] + met.counts[MM_MESSAGES_HALF] +
                             met.counts[MM_MESSAGES_DROPPED_RING],
                         given[MM_MESSAGES_SEND]);
        sends = p.count[MM_MESSAGES_SEND];
        lost = p.pushed[MM_MESSAGES_RECEIVE];
        assert_true(met.counts[MM_MESSAGES_HALF] <= sends);
        if (!lost)
            assert_int_equal(met.counts[MM_MESSAGES_HALF], sends);
        mm_join_free(join);
    }
}

TEST(a_sent_half_whose_other_half_had_to_go_is_dropped_not_half)
{
    struct mm_join *join = new_join(10, 1, 0);

    for (uint64_t i = 0; i < 1000; i++)
        give(join, i, MM_MESSAGES_RECEIVE);
    give(join, 5, MM_MESSAGES_SEND);
    give(join, 995, MM_MESSAGES_SEND);
    assert_int_equal(met.counts[MM_MESSAGES_JOINED], 1);
    assert_int_equal(met.counts[MM_MESSAGES_DROPPED_RING], 0);
    assert_int_equal(met.counts[MM_MESSAGES_UNANSWERED], 990);
    mm_join_end(join);
    assert_int_equal(met.counts[MM_MESSAGES_DROPPED_RING], 1);
    assert_int_equal(met.counts[MM_MESSAGES_HALF], 0);
    assert_int_equal(met.counts[MM_MESSAGES_UNANSWERED], 999);
    mm_join_free(join);
}

TEST(halves_that_differ_or_are_unverified_are_counted_and_not_handed_on)
{
    static const struct {
        size_t offset;
        int counted;
    } fields[] = {{offsetof(struct mm_messages_half, comm), MM_MESSAGES_MISMATCHED},
                  {offsetof(struct mm_messages_half, k), MM_MESSAGES_MISMATCHED},
                  {offsetof(struct mm_messages_half, src), MM_MESSAGES_MISMATCHED},
                  {offsetof(struct mm_messages_half, dst), MM_MESSAGES_MISMATCHED},
                  {offsetof(struct mm_messages_half, tag), MM_MESSAGES_MISMATCHED},
                  {offsetof(struct mm_messages_half, bytes), MM_MESSAGES_MISMATCHED},
                  {offsetof(struct mm_messages_half, flags), MM_MESSAGES_UNVERIFIED}};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int side = 0; side < 2; side++) {
            struct mm_join *join = new_join(0, 0, 0);
            struct mm_messages_half half = half_of(3, side);

            ((unsigned char *)&half)[fields[i].offset] ^= MM_HALF_UNVERIFIED;
            if (side == MM_MESSAGES_SEND)
                mm_join_send(join, &half);
            else
                mm_join_receive(join, &half);
            give(join, 3, !side);
            assert_int_equal(met.counts[MM_MESSAGES_JOINED], 1);
            assert_int_equal(met.counts[fields[i].counted], 1);
            assert_int_equal(met.times_met[3] + met.wrong, 0);
            mm_join_free(join);
        }
}

TEST(bytes_that_are_not_known_do_not_differ)
{
    struct mm_join *join = new_join(0, 0, 0);
    struct mm_messages_half half = half_of(3, MM_MESSAGES_RECEIVE);

    half.bytes = 0;
    half.flags = MM_HALF_TRUNCATED;
    mm_join_receive(join, &half);
    give(join, 3, MM_MESSAGES_SEND);
    assert_int_equal(met.counts[MM_MESSAGES_MISMATCHED], 0);
    assert_int_equal(met.wrong, 1); /* handed on, and not equal to the usual half */
    mm_join_free(join);
}

static void *give_all(void *argument)
{
    struct {
        struct mm_join *join;
        int side;
    } *work = argument;

    for (uint64_t i = 0; i < MESSAGES; i++)
        give(work->join, work->side ? i : MESSAGES - 1 - i, work->side);
    return NULL;
}

TEST(threads_may_give_halves_at_once)
{
    struct {
        struct mm_join *join;
        int side;
    } work[2];
    pthread_t threads[2];

    work[0].join = work[1].join = new_join(0, 0, 1);
    for (int i = 0; i < 2; i++) {
        work[i].side = i;
        assert_int_equal(pthread_create(&threads[i], NULL, give_all, &work[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    mm_join_end(work[0].join);
    assert_int_equal(met.wrong, 0);
    assert_int_equal(met.counts[MM_MESSAGES_JOINED], MESSAGES);
    assert_int_equal(met.counts[MM_MESSAGES_HALF], 0);
    mm_join_free(work[0].join);
}

/* --- Times ------------------------------------------------------------------------ */

static const struct mm_message_clocks one_clock = {.same = 1, .ns_per_tick = 0.5};

static struct mm_message_times times_of(uint64_t sent, uint64_t returned, int flags,
                                        uint64_t posted, uint64_t entered, uint64_t ended)
{
    const uint64_t day = (uint64_t)1 << 48; /* ticks are large numbers */
    struct mm_messages_half send = {.t_start = day + sent,
                                    .t_enter = day + sent,
                                    .t_end = returned ? day + returned : 0,
                                    .flags = (uint16_t)flags},
                            recv = {.t_start = day + posted,
                                    .t_enter = day + entered,
                                    .t_end = day + ended};
    struct mm_message_times times;

    mm_message_times(&send, &recv, &one_clock, &times);
    return times;
}

static void assert_times(struct mm_message_times times, double latency,
                         double late_sender, double late_receiver, double transfer,
                         int suspect)
{
    assert_true(times.latency == latency);
    assert_true(times.late_sender == late_sender);
    assert_true(times.late_receiver == late_receiver);
    assert_true(times.transfer == transfer);
    assert_int_equal(times.suspect, suspect);
    assert_true(times.bound == 0);
}

TEST(waiting_for_a_late_sender_begins_at_the_completing_call)
{
    /* Posted at 100, Wait entered at 700, sent at 1000, received at 1040. */
    assert_times(times_of(1000, 1010, 0, 100, 700, 1040), 20, 150, 0, 20, 0);
    /* Sent before the Wait: nobody waited. */
    assert_times(times_of(1000, 1010, 0, 100, 1020, 1040), 20, 0, 0, 10, 0);
}

TEST(a_sender_waited_for_the_receiver_if_it_was_in_its_call_when_that_posted)
{
    /* Rendezvous: the send returns after the receive was posted. */
    assert_times(times_of(1000, 1600, 0, 1500, 1500, 1580), 290, 0, 250, 40, 0);
    /* It had not returned when its half was taken. */
    assert_times(times_of(1000, 0, 0, 1500, 1500, 1580), 290, 0, 250, 40, 0);
    /* Eager: it was gone long before. */
    assert_times(times_of(1000, 1010, 0, 1500, 1500, 1520), 260, 0, 0, 10, 0);
    /* It does not block. */
    assert_times(times_of(1000, 1600, MM_HALF_NONBLOCKING, 1500, 1500, 1580), 290, 0, 0,
                 40, 0);
}

TEST(a_latency_below_zero_is_suspect_and_not_clamped)
{
    assert_times(times_of(1000, 1010, 0, 100, 700, 980), -10, 140, 0, -10, 1);
}

TEST(clocks_of_two_nodes_are_compared_in_ns_with_their_bound)
{
    /* The sender's tick is 2 ns, the receiver's 0.5; the sender's clock is 1 ms behind.
     */
    const struct mm_message_clocks clocks = {.ns_per_tick = 0.5,
                                             .sender_ns_per_tick = 2,
                                             .offset_ns = 1e6,
                                             .bound_ns = 100,
                                             .sender_epoch = 5000,
                                             .epoch = 9000000};
    /* Sent at sender's 4 ms, the receiver's 5 ms; entered 4.999, received 5.0005 ms. */
    struct mm_messages_half send = {.t_start = 5000 + 2000000, .t_end = 5000 + 2000010},
                            recv = {.t_start = 9000000 + 9990000,
                                    .t_enter = 9000000 + 9998000,
                                    .t_end = 9000000 + 10001000};
    struct mm_message_times times;

    mm_message_times(&send, &recv, &clocks, &times);
    assert_true(fabs(times.latency - 500) < 1e-6);
    assert_true(fabs(times.late_sender - 1000) < 1e-6);
    assert_true(times.late_receiver == 0);
    assert_true(fabs(times.transfer - 500) < 1e-6);
    assert_true(times.bound == 100 && !times.suspect);
    recv.t_end -= 1000 + 180; /* 90 ns below zero, within the bound: as it is */
    mm_message_times(&send, &recv, &clocks, &times);
    assert_true(fabs(times.latency + 90) < 1e-6 && !times.suspect);
    recv.t_end -= 40;
    mm_message_times(&send, &recv, &clocks, &times);
    assert_true(fabs(times.latency + 110) < 1e-6 && times.suspect);
}

TESTS(NULL, NULL)
