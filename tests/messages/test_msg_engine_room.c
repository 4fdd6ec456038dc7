/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_engine_room.c: the engine where there is much of everything or too little:
 * channels, communicators, handles, uncertain receives, requests. */
#include "tests/lib/test.h"

#include "messages/engine/hot.h"
#include "messages/words/words.h"

enum { HANDLE = 0x44000000, PEERS = 4096 };

struct room {
    struct mm_messages_channel *entries;
    int count, most;
};

static struct mm_messages_channel *new_entry(void *context)
{
    struct room *room = context;

    return room->count < room->most ? &room->entries[room->count++] : NULL;
}

static struct mm_engine *new_engine(struct room *room, int most, double p, int locked)
{
    struct mm_message_request request = {.strategy = MM_STRATEGY_P, .x = p};
    struct mm_engine_options options = {.request = &request,
                                        .locked = locked,
                                        .ns_per_tick = 1,
                                        .channel_new = new_entry,
                                        .context = room};
    struct mm_engine *e = mm_engine_new(&options, NULL);

    room->entries = test_calloc((size_t)most + 1, sizeof *room->entries);
    room->count = 0;
    room->most = most;
    assert_non_null(e);
    assert_non_null(mm_engine_comm_add(e, HANDLE, 1, NULL, PEERS, MM_COMM_WORLD));
    return e;
}

static void end(struct mm_engine *e, struct room *room)
{
    mm_engine_free(e);
    test_free(room->entries);
}

static struct mm_counted send_one(struct mm_engine *e, uintptr_t handle, int rank,
                                  int tag)
{
    struct mm_counted counted;

    mm_engine_send(e, mm_engine_comm(e, handle), rank, tag, 1, &counted);
    mm_engine_sent(e, &counted, 0);
    return counted;
}

/* An Irecv. */
static struct mm_counted post_one(struct mm_engine *e, int rank, int tag,
                                  uintptr_t request)
{
    struct mm_comm *comm = mm_engine_comm(e, HANDLE);
    struct mm_counted counted;
    struct mm_receive *r = mm_engine_post(e, comm, rank, tag, &counted);

    mm_engine_posted(e, comm, &counted, r);
    mm_engine_follow(e, comm, r, &counted, request);
    return counted;
}

/* Its completion; the serials that come out are counted. */
static int complete(struct mm_engine *e, uintptr_t request, int rank, int tag)
{
    struct mm_receive *r = mm_engine_followed(e, request);
    int out = 0;

    if (r)
        mm_engine_completed(e, r, rank, tag, 0);
    while ((r = mm_engine_next(e)) != NULL) {
        out += !r->dropped;
        mm_engine_release(e, r);
    }
    return out;
}

static unsigned flags_of(const struct room *room, int peer, int tag, uint32_t side)
{
    for (int i = 0; i < room->count; i++)
        if (room->entries[i].peer == peer && room->entries[i].tag == tag &&
            room->entries[i].side == side)
            return room->entries[i].flags;
    return UINT_MAX;
}

TEST(a_million_channels_keep_their_counts)
{
    int count = test_count("CHANNELS", 100000, 1000000);
    struct room room;
    struct mm_engine *e = new_engine(&room, count, .01, 0);

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < count; i++)
            assert_int_equal(send_one(e, HANDLE, i % PEERS, i / PEERS).k, round);
    assert_int_equal(room.count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(room.entries[i].count, 2);
        assert_int_equal(room.entries[i].bytes, 2);
        assert_int_equal(room.entries[i].peer, i % PEERS);
        assert_int_equal(room.entries[i].tag, i / PEERS);
        assert_int_not_equal(room.entries[i].hash, 0);
    }
    end(e, &room);
}

TEST(without_room_for_a_channel_its_communicator_alone_is_off_and_flagged)
{
    for (int most = 0; most < 12; most++) {
        struct room room;
        struct mm_engine *e = new_engine(&room, most, 1, 0);
        struct mm_comm *world = mm_engine_comm(e, HANDLE),
                       *other = mm_engine_comm_add(e, HANDLE + 1, 2, NULL, 8, 0);
        int lost = most == 0;

        if (most)
            assert_int_equal(send_one(e, HANDLE + 1, 1, 0).k, 0);
        for (int i = 0; i < 20; i++) {
            struct mm_counted counted = send_one(e, HANDLE, 1, i % 10);

            lost |= !counted.channel;
            /* Once off, for ever off: also where a channel was there before. */
            assert_int_equal(counted.channel == NULL, lost);
            assert_int_equal((mm_comm_flags(world) & MM_COMM_OFF) != 0, lost);
            room.most += i == 15; /* room again is of no use */
        }
        assert_int_equal(lost, most < 11);
        for (int i = 0; i < room.count; i++)
            assert_int_equal(room.entries[i].flags,
                             lost && room.entries[i].comm == 1 ? MM_CHANNEL_COUNTS : 0);
        if (most) {
            assert_int_equal(mm_comm_flags(other) & MM_COMM_OFF, 0);
            assert_int_equal(send_one(e, HANDLE + 1, 1, 0).k, 1);
        }
        end(e, &room);
    }
}

TEST(communicators_are_found_by_handles_that_are_reused)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 4000, 1, 0);

    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 1; i <= 1000; i++) {
            const int32_t processes[] = {(int32_t)(i % 7), 0, 9};
            struct mm_comm *comm =
                mm_engine_comm_add(e, HANDLE + 16 * i, 5000 * round + i, processes, 3, 0);

            assert_non_null(comm);
            assert_ptr_equal(mm_engine_comm(e, HANDLE + 16 * i), comm);
            assert_int_equal(send_one(e, HANDLE + 16 * i, 0, 0).k, 0);
        }
        for (uint64_t i = 1; i <= 1000; i++)
            assert_int_equal(mm_comm_id(mm_engine_comm(e, HANDLE + 16 * i)),
                             5000 * round + i);
        for (uint64_t i = 1; i <= 1000; i += 2)
            mm_engine_comm_forget(e, HANDLE + 16 * i);
        for (uint64_t i = 1; i <= 1000; i++)
            assert_int_equal(mm_engine_comm(e, HANDLE + 16 * i) == NULL, i % 2);
    }
    assert_int_equal(room.entries[0].peer, 1); /* process of rank 0 */
    end(e, &room);
}

TEST(ids_of_children_and_groups_are_alike_everywhere_and_never_twice)
{
    enum { N = 2000 };
    static uint64_t ids[3 * N];
    struct room rooms[2];
    struct mm_engine *engines[2];
    static const int32_t group[] = {3, 1, 2}, another[] = {3, 2, 1};

    for (int p = 0; p < 2; p++) {
        engines[p] = new_engine(&rooms[p], 1, 1, 0);
        for (int i = 0; i < N; i++) {
            uint64_t three[] = {
                mm_engine_comm_child(engines[p], mm_engine_comm(engines[p], HANDLE)),
                mm_engine_comm_of_group(engines[p], "a", group, 3),
                mm_engine_comm_of_group(engines[p], i % 2 ? "b" : "a", another, 3)};

            for (int j = 0; j < 3; j++) {
                if (p)
                    assert_int_equal(ids[3 * i + j], three[j]);
                ids[3 * i + j] = three[j];
            }
        }
    }
    for (int i = 0; i < 3 * N; i++)
        for (int j = i + 1; j < 3 * N && j < i + 300; j++)
            assert_int_not_equal(ids[i], ids[j]);
    end(engines[0], &rooms[0]);
    end(engines[1], &rooms[1]);
}

TEST(peers_of_another_job_are_channels_of_their_own)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 1, 0);
    const int32_t processes[] = {MM_FOREIGN - 0, MM_FOREIGN - 1, 0};
    struct mm_comm *comm = mm_engine_comm_add(e, HANDLE + 16, 7, processes, 3, 0);
    struct mm_counted counted;

    assert_int_equal(send_one(e, HANDLE + 16, 0, 0).k, 0);
    assert_int_equal(send_one(e, HANDLE + 16, 1, 0).k, 0);
    assert_int_equal(send_one(e, HANDLE + 16, 1, 0).k, 1);
    assert_null(mm_engine_post(e, comm, 1, 0, &counted)); /* exact: no wildcard */
    assert_int_equal(counted.k, 0);
    assert_int_equal(room.entries[2].peer, MM_FOREIGN - 1);
    end(e, &room);
}

/* Quadratic work would take minutes. */
TEST(long_queues_are_resolved_whatever_the_order)
{
    enum { N = 20000 };
    struct room room;

    for (int order = 0; order < 3; order++) {
        struct mm_engine *e = new_engine(&room, 10, 1, 0);
        int out = 0;

        for (int i = 0; i < N; i++)
            post_one(e, MM_ANY_SOURCE, i % 2 ? MM_ANY_TAG : 3, 0x1000 + (uintptr_t)i);
        for (int i = 0; i < N; i++) {
            int at = order == 0 ? i : order == 1 ? N - 1 - i : (i * 7919) % N;

            out += complete(e, 0x1000 + (uintptr_t)at, 5, 3);
        }
        assert_int_equal(out, N);
        assert_int_equal(room.entries[0].count, N);
        assert_int_equal(mm_engine_following(e), 0);
        end(e, &room);
    }
}

TEST(more_uncertain_receives_than_the_queue_holds_switch_the_communicator_off)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 1, 0);
    int out = 0;

    post_one(e, 1, 1, 0x10);
    for (uintptr_t i = 0; i <= MM_QUEUE; i++)
        post_one(e, MM_ANY_SOURCE, 1, 0x1000 + i);
    assert_true(mm_comm_flags(mm_engine_comm(e, HANDLE)) & MM_COMM_OFF);
    assert_int_equal(flags_of(&room, 1, 1, MM_MESSAGES_RECEIVE), MM_CHANNEL_COUNTS);
    for (uintptr_t i = 0; i <= MM_QUEUE; i++)
        out += complete(e, 0x1000 + i, 1, 1);
    assert_int_equal(out, MM_QUEUE);
    end(e, &room);
}

TEST(a_cancel_that_nothing_remembers_leaves_all_channels_unverified)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 0, 0);

    send_one(e, HANDLE, 2, 2);
    for (uintptr_t i = 0; i < MM_RING; i++)
        post_one(e, 1, 1, 0x1000 + 16 * i);
    assert_true(mm_engine_remembers(e, 0x1000));
    mm_engine_cancelled(e, 0x1000 + 16 * (MM_RING - 1));
    assert_int_equal(flags_of(&room, 1, 1, MM_MESSAGES_RECEIVE), 0);
    assert_int_equal(room.entries[1].count, MM_RING - 1);
    post_one(e, 1, 1, 0x10);
    assert_false(mm_engine_remembers(e, 0x1000));
    mm_engine_cancelled(e, 0x1000);
    assert_int_equal(flags_of(&room, 1, 1, MM_MESSAGES_RECEIVE), MM_CHANNEL_CANCELLED);
    assert_int_equal(flags_of(&room, 2, 2, MM_MESSAGES_SEND), MM_CHANNEL_CANCELLED);
    end(e, &room);
}

TEST(a_handle_that_became_a_send_is_not_cancelled_as_the_receive_it_was)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 0, 0);

    post_one(e, 1, 1, 0x1000);
    mm_hot_other(e, 0x1000, send_one(e, HANDLE, 2, 2).channel);
    assert_false(mm_engine_remembers(e, 0x1000));
    mm_engine_cancelled(e, 0x1000);
    assert_int_equal(flags_of(&room, 1, 1, MM_MESSAGES_RECEIVE), 0);
    assert_int_equal(room.entries[0].count, 1);
    assert_int_equal(flags_of(&room, 2, 2, MM_MESSAGES_SEND), MM_CHANNEL_CANCELLED);
    post_one(e, 1, 1, 0x1000);
    mm_hot_other(e, 0x1000, NULL); /* of what is not counted */
    mm_engine_cancelled(e, 0x1000);
    assert_int_equal(flags_of(&room, 1, 1, MM_MESSAGES_RECEIVE), 0);
    assert_int_equal(room.entries[0].count, 2);
    end(e, &room);
}

TEST(a_cancel_that_comes_after_the_completion_was_seen_changes_nothing)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 1, 0);

    mm_hot_other(e, 0x1000, send_one(e, HANDLE, 2, 2).channel);
    post_one(e, 1, 1, 0x1000);
    assert_int_equal(complete(e, 0x1000, 1, 1), 1); /* MPI_Request_get_status */
    assert_false(mm_engine_remembers(e, 0x1000));
    mm_engine_cancelled(e, 0x1000);
    for (int i = 0; i < room.count; i++) {
        assert_int_equal(room.entries[i].flags, 0);
        assert_int_equal(room.entries[i].count, 1);
    }
    end(e, &room);
}

TEST(a_handle_may_be_given_out_before_a_thread_has_told_of_its_completion)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 1, 1);
    struct mm_receive *first, *r;

    post_one(e, MM_ANY_SOURCE, 1, 0x1000);
    first = mm_engine_followed(e, 0x1000); /* one thread is in MPI_Wait */
    assert_non_null(first);
    post_one(e, MM_ANY_SOURCE, 1, 0x1000); /* another posts */
    assert_ptr_not_equal(mm_engine_followed(e, 0x1000), first);
    mm_engine_completed(e, first, 1, 1, 0);
    r = mm_engine_next(e);
    assert_ptr_equal(r, first);
    assert_int_equal(r->half.k, 0);
    mm_engine_release(e, r);
    assert_int_equal(complete(e, 0x1000, 1, 1), 1);
    assert_int_equal(room.entries[0].flags, 0);
    assert_int_equal(room.entries[0].count, 2);
    end(e, &room);
}

/* Where MPI gives a handle out again in a call that no wrapper sees, two threads may tell
 * of one receive. */
TEST(a_receive_that_two_threads_complete_is_told_of_once)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 10, 1, 1);
    struct mm_receive *one, *other, *r;

    for (int wild = 0; wild < 2; wild++) {
        post_one(e, wild ? MM_ANY_SOURCE : 1, 1, 0x1000);
        one = mm_engine_followed(e, 0x1000);
        other = mm_engine_followed(e, 0x1000);
        assert_ptr_equal(one, other);
        mm_engine_completed(e, one, 1, 1, 0);
        mm_engine_completed(e, other, 1, 1, 0);
        r = mm_engine_next(e);
        assert_ptr_equal(r, one);
        assert_null(mm_engine_next(e));
        mm_engine_release(e, r);
        mm_engine_completed(e, other, 1, 1, 0);
        mm_engine_release(e, other);
        assert_null(mm_engine_next(e));
    }
    /* The lists have no circle: new ones are all different. */
    for (uintptr_t i = 0; i < 4; i++)
        post_one(e, MM_ANY_SOURCE, 1, 0x2000 + i);
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(complete(e, 0x2000 + i, 1, 1), 1);
    assert_int_equal(room.entries[0].count, 6);
    end(e, &room);
}

TEST(what_a_lost_receive_could_have_taken_is_unverified_and_nothing_else)
{
    struct room room;
    struct mm_engine *e = new_engine(&room, 200, 1, 0);

    post_one(e, 1, 1, 0x10);
    post_one(e, 2, 5, 0x20);
    post_one(e, MM_ANY_SOURCE, 5, 0x30);
    mm_engine_freed(e, 0x30);
    post_one(e, 3, 5, 0x40); /* a channel that is made later */
    assert_int_equal(flags_of(&room, 1, 1, MM_MESSAGES_RECEIVE), 0);
    assert_int_equal(flags_of(&room, 2, 5, MM_MESSAGES_RECEIVE), MM_CHANNEL_FREED);
    assert_int_equal(flags_of(&room, 3, 5, MM_MESSAGES_RECEIVE), MM_CHANNEL_FREED);
    post_one(e, 9, MM_ANY_TAG, 0x50);
    post_one(e, 9, 9, 0x50); /* it ended where nobody saw it */
    assert_true(flags_of(&room, 9, 9, MM_MESSAGES_RECEIVE) != 0);
    for (int i = 10; i < 40; i++) { /* more than are kept one by one */
        post_one(e, i, MM_ANY_TAG, 0x60);
        mm_engine_freed(e, 0x60);
    }
    for (int i = 10; i < 40; i++) {
        post_one(e, i, 1, 0x1000 + (uintptr_t)i);
        assert_true(flags_of(&room, i, 1, MM_MESSAGES_RECEIVE) != 0);
    }
    end(e, &room);
}

TEST(more_threads_than_can_be_seen_lose_their_samples_and_none_else)
{
    enum { N = MM_POSTS + 3 };
    struct room room;
    struct mm_engine *e = new_engine(&room, 200, 1, 1);
    struct mm_comm *comm = mm_engine_comm(e, HANDLE);
    struct mm_counted counted[N], late;

    for (int i = 0; i < N; i++)
        mm_engine_post(e, comm, i, 0, &counted[i]);
    mm_engine_post(e, comm, MM_POSTS, 0, &late); /* on the channel of a hidden one */
    for (int i = 0; i < N; i++)
        assert_int_equal(mm_engine_posted(e, comm, &counted[i], NULL), i < MM_POSTS);
    assert_int_equal(mm_engine_posted(e, comm, &late, NULL), 0);
    for (int i = 0; i < N; i++) {
        mm_engine_post(e, comm, i, 0, &counted[i]);
        assert_int_equal(mm_engine_posted(e, comm, &counted[i], NULL), 1);
        assert_int_equal(counted[i].k, i == MM_POSTS ? 2 : 1);
    }
    end(e, &room);
}

TESTS(NULL, NULL)
