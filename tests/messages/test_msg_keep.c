/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_keep.c: what is kept can be read from the file, and bounds hold. */
#include "tests/messages/keep_folder.h"

#include <sys/resource.h>

/* --- What is described and counted -------------------------------------------------- */

/* Everything of number `i`. */
static void add_one(struct mm_keep *keep, int i)
{
    struct mm_messages_channel *channel = mm_keep_channel(keep);
    struct mm_messages_site site = {.key = half_key((uint64_t)i), .frames = 2};
    struct mm_messages_half half = half_of((uint64_t)i, i % 2);
    struct mm_messages_collective part = {
        .comm = 5, .ordinal = (uint64_t)i, .name = "MPI_Barrier", .p = 1};
    char name[400], id[20];

    assert_non_null(channel);
    channel->comm = 17;
    channel->peer = i;
    channel->hash = half_key((uint64_t)i) | 1;
    channel->count = 3 * (uint64_t)i;
    snprintf(name, sizeof name, "/lib/%0*d", i % 3 ? 10 : 300, i);
    memset(id, i, sizeof id);
    assert_int_equal(mm_keep_object(keep, name, (uint8_t *)id, i % 2 ? 20 : 8), i);
    assert_int_equal(mm_keep_object(keep, name, (uint8_t *)id, i % 2 ? 20 : 8), i);
    site.frame[0].object = (uint32_t)i;
    site.frame[0].offset = 64 + (uint64_t)i;
    mm_keep_site(keep, &site);
    mm_keep_site(keep, &site);
    snprintf(name, sizeof name, "communicator %d with a name that is longer than room",
             i);
    mm_keep_comm(keep, 1000 + (uint64_t)i, 4, 2, name);
    mm_keep_comm(keep, 1000 + (uint64_t)i, 4, 2, "another");
    mm_keep_half(keep, &half);
    mm_keep_collective(keep, &part);
}

static void check_one(int i)
{
    const struct mm_messages_channel *channel =
        file_entry(&file, MM_MESSAGES_CHANNELS, (size_t)i);
    const struct mm_messages_object *object =
        file_entry(&file, MM_MESSAGES_OBJECTS, (size_t)i);
    const struct mm_messages_site *site = file_entry(&file, MM_MESSAGES_SITES, (size_t)i);
    const struct mm_messages_comm *comm = file_entry(&file, MM_MESSAGES_COMMS, (size_t)i);
    const struct mm_messages_half *half =
        file_entry(&file, MM_MESSAGES_HALVES, (size_t)i);
    const struct mm_messages_collective *part =
        file_entry(&file, MM_MESSAGES_COLLECTIVES, (size_t)i);
    struct mm_messages_half expected = half_of((uint64_t)i, i % 2);
    char name[400];
    size_t length;

    assert_int_equal(channel->peer, i);
    assert_int_equal(channel->count, 3 * i);
    length = (size_t)snprintf(name, sizeof name, "/lib/%0*d", i % 3 ? 10 : 300, i);
    assert_string_equal(object->path, length > 223 ? name + length - 223 : name);
    assert_int_equal(object->build_id_bytes, i % 2 ? 20 : 8);
    assert_int_equal(object->build_id[7], i & 255);
    assert_int_equal(site->frame[0].object, i);
    assert_int_equal(site->frame[0].offset, 64 + i);
    assert_int_equal(comm->id, 1000 + i);
    assert_memory_equal(comm->name, "communicator ", 13);
    assert_int_equal(comm->name[39], 0);
    assert_memory_equal(half, &expected, offsetof(struct mm_messages_half, check));
    assert_int_equal(part->ordinal, i);
}

TEST_WITH(all_that_is_added_before_and_after_the_file_is_in_it, NULL, clean)
{
    for (int moved = 0; moved <= 900; moved += 300) {
        struct mm_keep *keep = new_keep("P-1-FREQ,via=files", 0, 0);
        struct mm_messages_head *head = mm_keep_head(keep);

        head->process = 42;
        unlink(path);
        for (int i = 0; i < 900; i++) {
            if (i == moved)
                assert_int_equal(mm_keep_file(keep, path), 0);
            add_one(keep, i);
        }
        if (moved == 900)
            assert_int_equal(mm_keep_file(keep, path), 0);
        assert_int_equal(mm_keep_file(keep, path), -EALREADY);
        assert_ptr_equal(mm_keep_head(keep), head);
        read_file();
        for (int i = 0; i < 900; i++)
            check_one(i);
        assert_int_equal(file.count[MM_MESSAGES_CHANNELS], 900);
        assert_int_equal(file.count[MM_MESSAGES_OBJECTS], 900);
        assert_int_equal(file.count[MM_MESSAGES_SITES], 900);
        assert_int_equal(file.count[MM_MESSAGES_COMMS], 900);
        assert_int_equal(file.head->process, 42);
        assert_int_equal(file.head->state, MM_MESSAGES_LIVE);
        mm_keep_free(keep);
    }
}

TEST_WITH(a_sealed_file_fits_its_check_and_changes_no_more, NULL, clean)
{
    struct mm_keep *keep = new_keep("P-1-FREQ,via=files", 0, 0);
    struct mm_messages_channel *channel = mm_keep_channel(keep);

    assert_int_equal(mm_keep_seal(keep), -ENOENT);
    assert_int_equal(mm_keep_file(keep, path), 0);
    for (int i = 0; i < 100; i++)
        add_one(keep, i);
    channel->count = 7;
    assert_int_equal(mm_keep_seal(keep), 0);
    assert_int_equal(mm_keep_seal(keep), -EALREADY);
    channel->count = 8; /* of a thread that still sends */
    mm_keep_head(keep)->counts[0]++;
    assert_null(mm_keep_channel(keep));
    read_file();
    assert_int_equal(file.head->state, MM_MESSAGES_SEALED);
    assert_int_equal(
        ((const struct mm_messages_channel *)file_entry(&file, MM_MESSAGES_CHANNELS, 0))
            ->count,
        7);
    assert_int_equal(count_of(0), 0);
    mm_keep_free(keep);
}

TEST_WITH(a_forked_child_leaves_the_file_alone, NULL, clean)
{
    for (int filed = 0; filed < 2; filed++) {
        struct mm_keep *keep = new_keep("P-1-FREQ,via=files", 0, 0);
        struct mm_messages_channel *channel = mm_keep_channel(keep);
        int status;
        pid_t child;

        unlink(path);
        if (filed)
            assert_int_equal(mm_keep_file(keep, path), 0);
        channel->count = 7;
        child = fork();
        if (!child) {
            int failed;

            mm_keep_forget(keep);
            failed = channel->count != 7;
            channel->count = 9;
            mm_keep_head(keep)->counts[3] = 9;
            failed |= mm_keep_channel(keep) != NULL;
            failed |= mm_keep_file(keep, path) != -EALREADY;
            _exit(failed);
        }
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        assert_int_equal(mm_keep_head(keep)->counts[3], 0);
        if (!filed)
            assert_int_equal(mm_keep_file(keep, path), 0);
        read_file();
        assert_int_equal(((const struct mm_messages_channel *)file_entry(
                              &file, MM_MESSAGES_CHANNELS, 0))
                             ->count,
                         7);
        mm_keep_free(keep);
    }
}

/* --- Bounds ---------------------------------------------------------------------------
 */

TEST_WITH(records_stop_at_the_limit_and_leave_room_for_channels, NULL, clean)
{
    enum { LIMIT = 1 << 20, RECORDS = 10000 };
    struct mm_keep *keep = new_keep("P-1-WRITE", LIMIT, 0);
    struct mm_message_times times = {.latency = 100};
    int channels = 0;

    assert_int_equal(mm_keep_file(keep, path), 0);
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct mm_messages_half send = half_of(i, MM_MESSAGES_SEND),
                                recv = half_of(i, MM_MESSAGES_RECEIVE);

        mm_keep_sample(keep, &send, &recv, &times);
    }
    while (mm_keep_channel(keep))
        channels++;
    read_file();
    assert_true(file.size <= LIMIT);
    assert_true(file.size > LIMIT - 8192);
    assert_int_equal(file.count[MM_MESSAGES_CHANNELS], channels);
    assert_true(channels >= (LIMIT / 4 - 16384) / 64);
    assert_int_equal(
        file.count[MM_MESSAGES_RECORDS] + count_of(MM_MESSAGES_DROPPED_LIMIT), RECORDS);
    assert_true(file.count[MM_MESSAGES_RECORDS] >= (LIMIT / 4 * 3 - 16384) / 240);
    for (size_t i = 0; i < file.count[MM_MESSAGES_RECORDS]; i++) {
        const struct mm_messages_record *record =
            file_entry(&file, MM_MESSAGES_RECORDS, i);
        struct mm_messages_half send = half_of(i, MM_MESSAGES_SEND);

        assert_memory_equal(&record->send, &send, sizeof send);
        assert_int_equal(record->recv.t_end, 1000 * i + 300);
    }
    mm_keep_free(keep);
}

/* Beyond the largest size of a file the kernel would end the process with SIGXFSZ; a full
 * disk would be a SIGBUS where blocks were not reserved. */
TEST_WITH(a_file_that_cannot_grow_drops_and_counts, NULL, clean)
{
    struct mm_keep *keep = new_keep("P-1-WRITE", 0, 0);
    struct mm_message_times times = {.latency = 100};
    struct rlimit before, small;
    uint64_t number = 0;

    assert_int_equal(mm_keep_file(keep, path), 0);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 200000;
    setrlimit(RLIMIT_FSIZE, &small);
    for (; number < 20000; number++) {
        struct mm_messages_half send = half_of(number, MM_MESSAGES_SEND),
                                recv = half_of(number, MM_MESSAGES_RECEIVE);

        mm_keep_sample(keep, &send, &recv, &times);
    }
    read_file();
    assert_true(file.size <= 200000 && file.size > 200000 - 8192); /* used to the end */
    assert_true(file.count[MM_MESSAGES_RECORDS] > 700);
    assert_int_equal(
        file.count[MM_MESSAGES_RECORDS] + count_of(MM_MESSAGES_DROPPED_LIMIT), number);
    /* There is room again: after a while it is found. */
    setrlimit(RLIMIT_FSIZE, &before);
    for (; number < 120000; number++) {
        struct mm_messages_half send = half_of(number, MM_MESSAGES_SEND),
                                recv = half_of(number, MM_MESSAGES_RECEIVE);

        mm_keep_sample(keep, &send, &recv, &times);
    }
    read_file();
    assert_true(file.size > 200000);
    assert_int_equal(
        file.count[MM_MESSAGES_RECORDS] + count_of(MM_MESSAGES_DROPPED_LIMIT), number);
    mm_keep_free(keep);
}

TEST_WITH(without_room_for_the_file_all_stays_in_memory, NULL, clean)
{
    struct mm_keep *keep = new_keep("P-1-FREQ,via=files", 0, 0);
    struct rlimit before, small;

    for (int i = 0; i < 300; i++)
        add_one(keep, i);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 8192;
    setrlimit(RLIMIT_FSIZE, &small);
    assert_int_equal(mm_keep_file(keep, path), -EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(mm_keep_file(keep, "/no/such/folder/messages"), -ENOENT);
    for (int i = 300; i < 600; i++)
        add_one(keep, i);
    assert_int_equal(mm_keep_file(keep, path), 0);
    read_file();
    for (int i = 0; i < 600; i++)
        check_one(i);
    mm_keep_free(keep);
}

TESTS(make_folder, remove_folder)
