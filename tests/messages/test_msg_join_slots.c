/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_join_slots.c: a table that processes share: what is put is taken once, also
 * beside processes that are killed in the middle. */
#include "tests/lib/test.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "messages/join/slots.h"
#include "tests/messages/halves.h"

static struct mm_slots *make(size_t slots)
{
    char name[MM_SLOTS_NAME];
    struct cca_error err = {0};
    struct mm_slots *table = mm_slots_make(slots, name, &err);

    if (!table)
        fail_msg("%s", err.text);
    mm_slots_unlink(table);
    return table;
}

static int64_t put(struct mm_slots *slots, uint64_t number)
{
    struct mm_messages_half half = half_of(number, MM_MESSAGES_SEND);

    return mm_slots_put(slots, &half);
}

/* The half as it comes out before its call has returned. */
static struct mm_messages_half not_returned(uint64_t number)
{
    struct mm_messages_half half = half_of(number, MM_MESSAGES_SEND);

    half.t_end = 0;
    return half;
}

TEST(what_is_put_is_taken_once)
{
    struct mm_slots *slots = make(4096);
    struct mm_messages_half half, expected;

    for (uint64_t i = 0; i < 500; i++)
        assert_true(put(slots, i) >= 0);
    for (uint64_t i = 0; i < 500; i++) {
        expected = not_returned(i);
        assert_int_equal(mm_slots_take(slots, half_key(i), &half), 1);
        assert_memory_equal(&half, &expected, sizeof half);
        assert_int_equal(mm_slots_take(slots, half_key(i), &half), 0);
    }
    assert_int_equal(mm_slots_take(slots, half_key(500), &half), 0);
    assert_int_equal(mm_slots_pushed(slots), 0);
    mm_slots_close(slots);
}

TEST(a_sender_completes_or_takes_back_its_half_until_it_is_taken)
{
    struct mm_slots *slots = make(64);
    struct mm_messages_half half = half_of(7, MM_MESSAGES_SEND), taken;
    int64_t slot = mm_slots_put(slots, &half);

    mm_slots_sent(slots, slot, half.key, half.t_start + 12345, 1);
    assert_int_equal(mm_slots_take(slots, half.key, &taken), 1);
    assert_int_equal(taken.t_end, half.t_start + 12345);
    mm_slots_sent(slots, slot, half.key, half.t_start + 1, 1); /* too late */

    slot = mm_slots_put(slots, &half);
    mm_slots_sent(slots, slot, half.key, 0, 0);
    assert_int_equal(mm_slots_take(slots, half.key, &taken), 0);

    /* The slot has the half of another by now: neither touches that. */
    slot = mm_slots_put(slots, &half);
    assert_int_equal(mm_slots_take(slots, half.key, &taken), 1);
    half.key += 64; /* the same slot */
    assert_int_equal(mm_slots_put(slots, &half), slot);
    mm_slots_sent(slots, slot, half.key - 64, 99999, 1);
    mm_slots_sent(slots, slot, half.key - 64, 0, 0);
    assert_int_equal(mm_slots_take(slots, half.key, &taken), 1);
    assert_int_equal(taken.t_end, 0);
    mm_slots_sent(slots, -1, half.key, 0, 0); /* never got a slot */
    mm_slots_close(slots);
}

TEST(the_oldest_half_is_pushed_out_of_full_places)
{
    enum { SLOTS = 64, HALVES = 5000 };
    struct mm_slots *slots = make(SLOTS);
    struct mm_messages_half half;
    uint64_t found = 0, newest = 0;

    for (uint64_t i = 0; i < HALVES; i++)
        assert_true(put(slots, i) >= 0);
    for (uint64_t i = 0; i < HALVES; i++)
        if (mm_slots_take(slots, half_key(i), &half)) {
            found++;
            newest += i >= HALVES - SLOTS;
        }
    assert_int_equal(found + mm_slots_pushed(slots), HALVES);
    assert_int_equal(found, SLOTS);
    assert_true(newest > SLOTS / 2);
    mm_slots_close(slots);
}

TEST(names_that_are_none_are_refused)
{
    struct cca_error err = {0};
    char path[] = "/tmp/test_msg_join_slots-XXXXXX";
    int fd = mkstemp(path);

    assert_null(mm_slots_open("/no/such/table", &err));
    assert_int_equal(err.code, -ENOENT);
    err = (struct cca_error){0};
    assert_null(mm_slots_open(path, &err));
    assert_non_null(strstr(err.text, "0 bytes"));
    err = (struct cca_error){0};
    assert_int_equal(ftruncate(fd, 4096 + 64 * 128), 0);
    assert_null(mm_slots_open(path, &err));
    assert_int_equal(err.code, -EINVAL);
    close(fd);
    unlink(path);
}

TEST(the_name_ends_with_unlink_and_the_memory_does_not)
{
    char name[MM_SLOTS_NAME];
    struct mm_slots *slots = mm_slots_make(64, name, NULL), *other;
    struct mm_messages_half half;
    int status;
    pid_t child;

    assert_non_null(slots);
    child = fork();
    if (!child) { /* another process of the node: it knows the name alone */
        other = mm_slots_open(name, NULL);
        _exit(!other || put(other, 3) < 0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    mm_slots_unlink(slots);
    assert_null(mm_slots_open(name, NULL));
    assert_int_equal(mm_slots_take(slots, half_key(3), &half), 1);
    mm_slots_close(slots);
}

/* --- Processes ------------------------------------------------------------------------
 */

/* Serials go from child to parent through a pipe, as messages would: the half is put
 * before its serial is sent. */
static void send_all(struct mm_slots *slots, int out, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        int64_t slot = put(slots, i);

        if (write(out, &i, sizeof i) != sizeof i)
            _exit(1);
        mm_slots_sent(slots, slot, half_key(i), 1000 * i + 50, 1);
    }
}

/* Take the halves of all serials that come; number not found. */
static uint64_t receive_all(struct mm_slots *slots, int in, uint64_t *received)
{
    uint64_t number, missing = 0;

    while (read(in, &number, sizeof number) == sizeof number) {
        struct mm_messages_half half, expected = half_of(number, MM_MESSAGES_SEND);

        ++*received;
        if (!mm_slots_take(slots, half_key(number), &half)) {
            missing++;
            continue;
        }
        if (half.t_end == 0)
            expected.t_end = 0; /* its sender had not returned */
        assert_memory_equal(&half, &expected, sizeof half);
    }
    return missing;
}

TEST(halves_put_before_the_message_are_found_when_it_has_come)
{
    enum { SENDERS = 3, EACH = 20000 };
    struct mm_slots *slots = make(8192);
    uint64_t received = 0;
    int ends[2], status;

    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[0], F_SETPIPE_SZ, 4096) > 0);
    for (int c = 0; c < SENDERS; c++)
        if (!fork()) {
            send_all(slots, ends[1], (uint64_t)c * EACH, EACH);
            _exit(mm_slots_pushed(slots) != 0);
        }
    close(ends[1]);
    /* The pipe holds 512 serials: no more halves wait, but for one of each sender. */
    assert_int_equal(receive_all(slots, ends[0], &received), 0);
    assert_int_equal(received, SENDERS * EACH);
    close(ends[0]);
    for (int c = 0; c < SENDERS; c++) {
        wait(&status);
        assert_int_equal(status, 0);
    }
    mm_slots_close(slots);
}

static void sleep_us(unsigned us)
{
    struct timespec t = {0, (long)us * 1000};

    nanosleep(&t, NULL);
}

/* Children that put and take what nobody will ask for, killed at random: what they leave
 * makes room for those who live, who find all of theirs. */
TEST(what_killed_processes_leave_does_no_harm)
{
    enum { SLOTS = 64 };
    int kills = test_count("KILLS", 60, 2000);
    char name[MM_SLOTS_NAME];
    struct mm_slots *slots = mm_slots_make(SLOTS, name, NULL);
    struct mm_messages_half half;
    uint64_t random = 77, number = (uint64_t)1 << 40;

    assert_non_null(slots);
    for (int i = 0; i < kills; i++) {
        pid_t child = fork();

        if (!child) {
            slots = mm_slots_open(name, NULL);
            for (uint64_t n = (uint64_t)i << 20;; n++) {
                put(slots, n);
                if (n % 3 == 0)
                    mm_slots_take(slots, half_key(n), &half);
            }
        }
        sleep_us((unsigned)(half_random(&random) % 2000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (int m = 0; m < 200; m++, number++) {
            assert_true(put(slots, number) >= 0);
            assert_int_equal(mm_slots_take(slots, half_key(number), &half), 1);
            assert_int_equal(half.k, number);
        }
    }
    mm_slots_close(slots);
}

TESTS(NULL, NULL)
