/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged files of messages: right or refused, never a crash, never without an end. */
#include "tests/messages/message_files.h"

#include <math.h>

#include "messages/read/collectives.h"
#include "messages/read/groups.h"

static char folder[MADE_PATH], experiment[MADE_PATH + 8];
static struct mm_experiment *opened;

static struct mm_messages_half half_of(int side, int src, uint64_t k, uint64_t start,
                                       uint64_t enter, uint64_t end)
{
    struct mm_messages_half half = {.key = k * 0x9e3779b97f4a7c15ULL,
                                    .comm = 1,
                                    .k = k,
                                    .src = src,
                                    .dst = 1 - src,
                                    .side = (uint16_t)side,
                                    .bytes = 100,
                                    .t_start = start,
                                    .t_enter = enter,
                                    .t_end = end,
                                    .site = 77,
                                    .method = -1,
                                    .thread = -1,
                                    .p = .5};

    half.check = mm_messages_check(&half, offsetof(struct mm_messages_half, check));
    return half;
}

static void add_halves(struct made_file *file, int rank)
{
    made_piece(file, MM_MESSAGES_HALVES, sizeof(struct mm_messages_half), 8);
    for (uint64_t k = 0; k < 3; k++) {
        struct mm_messages_half half =
            rank ? half_of(MM_MESSAGES_RECEIVE, 0, k, 2000, 2100, 4000 + 100 * k)
                 : half_of(MM_MESSAGES_SEND, 0, k, 3000, 3000, 3100);

        memcpy(made_entry(file), &half, sizeof half);
    }
}

/* A little of everything, in one process's file. */
static void make_file(struct made_file *file, int rank, int sealed)
{
    struct mm_messages_class *c;
    struct mm_messages_record record = {.send = half_of(0, 0, 9, 5000, 5000, 5100),
                                        .recv = half_of(1, 0, 9, 4000, 4000, 7000)};

    made_begin(file, "P-0.5-FREQ,via=files", rank, 2);
    made_head(file)->counts[MM_MESSAGES_SENT] = 10;
    made_piece(file, MM_MESSAGES_COMMS, sizeof(struct mm_messages_comm), 2);
    MADE_ADD(file, mm_messages_comm, {.id = 1, .size = 2, .flags = 4, .name = "world"});
    made_piece(file, MM_MESSAGES_OBJECTS, sizeof(struct mm_messages_object), 2);
    MADE_ADD(file, mm_messages_object, {.path = "/nowhere/relax", .build_id_bytes = 2});
    made_piece(file, MM_MESSAGES_SITES, sizeof(struct mm_messages_site), 2);
    MADE_ADD(file, mm_messages_site, {.key = 77, .frames = 1, .frame = {{0, 0, 0x10}}});
    made_piece(file, MM_MESSAGES_CHANNELS, sizeof(struct mm_messages_channel), 4);
    made_channel(file, 1 - rank, 3, MM_MESSAGES_SEND, 10, 1000, 5);
    made_channel(file, 1 - rank, 3, MM_MESSAGES_RECEIVE, 10, 0, 5);
    made_piece(file, MM_MESSAGES_CLASSES, made_head(file)->class_bytes, 3);
    c = made_entry(file);
    c->src = 1 - rank;
    c->dst = rank;
    c->send_site = c->recv_site = 77;
    c->send_method = c->recv_method = -1;
    c->size_class = 7;
    made_sample(c, .5, 100, 2000, 300, 0, 1700, 29);
    made_class_end(c);
    if (rank) {
        made_piece(file, MM_MESSAGES_RECORDS, sizeof record, 2);
        record.check = mm_messages_check(&record, offsetof(typeof(record), check));
        memcpy(made_entry(file), &record, sizeof record);
    }
    add_halves(file, rank);
    made_piece(file, MM_MESSAGES_COLLECTIVES, sizeof(struct mm_messages_collective), 2);
    MADE_ADD(file, mm_messages_collective,
             {.comm = 1,
              .t_enter = 9000 + 100 * (uint64_t)rank,
              .t_exit = 9400,
              .site = 77,
              .method = -1,
              .name = "MPI_Barrier",
              .p = .5});
    made_end(file, sealed);
}

/* All numbers that the reader has of the directory. */
struct numbers {
    uint64_t sent, samples, joined, left;
    double late_sender, waited;
};

static int add_part(void *context, const struct mm_message_part *part)
{
    return mm_message_groups_add(context, part);
}

static size_t memory; /* for halves and collectives; 0: the default */

static int read_all(const struct mm_messages *m, struct numbers *numbers,
                    struct cca_error *err)
{
    struct mm_message_groups groups;
    struct mm_messages_joined joined = {0};
    struct mm_collectives collectives;
    int code;

    mm_message_groups_init(&groups, m, MM_BY_SITES | MM_BY_RANKS);
    code = mm_messages_parts(m, 0, memory, add_part, &groups, &joined, err);
    for (size_t i = 0; i < mm_message_groups_count(&groups); i++) {
        const struct mm_message_group *g = mm_message_groups_at(&groups, i);

        numbers->samples += g->sums.count;
        numbers->late_sender += g->sums.late_sender.weighted;
    }
    mm_message_groups_done(&groups);
    numbers->joined = joined.joined;
    if (code)
        return code;
    code = mm_collectives_read(&collectives, m, memory, NULL, NULL, err);
    for (size_t i = 0; i < collectives.table.count; i++)
        numbers->waited +=
            ((struct mm_collective_group *)mm_word_table_value(&collectives.table, i))
                ->total_ns;
    mm_collectives_done(&collectives);
    for (int i = 0; i < MM_MESSAGES_TYPES; i++)
        numbers->left += joined.odd.left[i] + collectives.odd.left[i] + m->odd.left[i];
    return code;
}

static int read_directory(struct numbers *numbers)
{
    struct cca_error err = {0};
    struct mm_messages *m;
    int code;

    memset(numbers, 0, sizeof *numbers);
    m = mm_messages_open(opened, &err);
    if (m) {
        numbers->sent = m->counts[MM_MESSAGES_SENT];
        code = read_all(m, numbers, &err);
    } else {
        code = err.code;
    }
    mm_messages_free(m);
    if (code) {
        assert_true(code == -EBADMSG || code == -ENOENT);
        assert_int_equal(code, err.code);
        assert_true(strlen(err.text) > 10);
    }
    return code;
}

static int set_up(void **state)
{
    struct cca_error err = {0};

    (void)state;
    made_folder(folder);
    snprintf(experiment, sizeof experiment, "%s/run.mm", folder);
    made_experiment(experiment, 2);
    opened = mm_experiment_open(experiment, &err);
    if (!opened)
        fprintf(stderr, "%s\n", err.text);
    return opened ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mm_experiment_free(opened);
    made_remove(folder);
    return 0;
}

/* Both files; that of rank 1 is returned, too, to be damaged. */
static void make_both(struct made_file *second, int sealed)
{
    struct made_file first;

    make_file(&first, 0, sealed);
    made_done(&first, experiment);
    make_file(second, 1, sealed);
}

static void write_second(const void *bytes, size_t size)
{
    char path[MADE_PATH + 40];

    snprintf(path, sizeof path, "%s/rank-0001/messages", experiment);
    made_write(path, bytes, size);
}

TEST(the_whole_directory_has_the_numbers_that_were_put_in)
{
    struct made_file second;
    struct numbers numbers;

    make_both(&second, 1);
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&numbers), 0);
    assert_int_equal(numbers.sent, 20);
    assert_int_equal(numbers.joined, 3);
    assert_int_equal(numbers.samples, 2 + 1 + 3);
    assert_int_equal(numbers.left, 0);
    /* Classes 2 * 300 / p; the record's 1000 ticks of .5 ns; three halves of 900. */
    assert_true(fabs(numbers.late_sender - (1200 + 1000 + 3 * 900)) < 1e-6);
    assert_true(fabs(numbers.waited - 100) < 1e-6); /* 100 ticks, p .5 */
    free(second.bytes);
}

/* With little memory ranges of keys are joined one after the other. */
TEST(memory_makes_no_difference)
{
    struct made_file second;
    struct numbers whole, parts;

    make_both(&second, 1);
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&whole), 0);
    memory = 1;
    assert_int_equal(read_directory(&parts), 0);
    memory = 0;
    assert_memory_equal(&whole, &parts, sizeof whole);
    free(second.bytes);
}

TEST(a_sealed_file_cut_anywhere_is_refused)
{
    struct made_file second;
    struct numbers numbers;

    make_both(&second, 1);
    for (size_t size = 1; size < second.size; size += size < 200 ? 1 : 7) {
        write_second(second.bytes, size);
        assert_int_equal(read_directory(&numbers), -EBADMSG);
    }
    free(second.bytes);
}

TEST(every_flip_in_a_sealed_file_is_refused_or_harmless)
{
    struct made_file second;
    struct numbers whole, numbers;
    size_t harmless = 0;

    make_both(&second, 1);
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&whole), 0);
    for (size_t at = 0; at < second.size; at++) {
        for (int bit = at < 64 ? 0 : (int)(at % 8);
             bit < (at < 64 ? 8 : (int)(at % 8) + 1); bit++) {
            second.bytes[at] ^= (unsigned char)(1 << bit);
            write_second(second.bytes, second.size);
            if (!read_directory(&numbers)) {
                harmless++;
                assert_memory_equal(&numbers, &whole, sizeof whole);
            }
            second.bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
    assert_int_equal(harmless, 32 * 8); /* words of the head that nothing uses */
    free(second.bytes);
}

TEST(a_live_file_with_flips_and_cuts_does_no_harm)
{
    struct made_file second;
    struct numbers whole, numbers;
    uint32_t random = 1;
    size_t good = 0, refused = 0;

    make_both(&second, 0);
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&whole), 0);
    assert_int_equal(whole.samples, 6);
    for (int i = 0; i < test_count("FLIPS", 200, 400000); i++) {
        unsigned char *copy = malloc(second.size);
        size_t size = second.size;

        assert_non_null(copy);
        memcpy(copy, second.bytes, size);
        for (int flips = 0; flips <= i % 3; flips++) {
            size_t at;

            random = random * 1664525 + 1013904223;
            at = random >> 4;
            /* Mostly where there is something. */
            at = flips ? at % size : at % 6 ? at / 6 % 2400 : at / 6 % size;
            copy[at] ^= (unsigned char)(1 << (random >> 29));
        }
        if (i % 7 == 0)
            size = random % (size + 1);
        write_second(copy, size);
        free(copy);
        *(read_directory(&numbers) ? &refused : &good) += 1;
    }
    assert_true(good > 0 && refused > 0);
    free(second.bytes);
}

TEST(entries_without_a_good_check_are_left_out_and_counted)
{
    struct made_file second;
    struct numbers numbers;

    make_both(&second, 0);
    for (size_t at = second.size - 12; at > 4096; at--) /* the last record's check */
        if (!memcmp(second.bytes + at, "MPI_Barrier", 11)) {
            second.bytes[at] ^= 1;
            break;
        }
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&numbers), 0);
    assert_int_equal(numbers.left, 1);
    assert_true(numbers.waited == 0); /* the instance is not whole */
    free(second.bytes);
}

TEST(a_class_that_was_cut_in_an_update_is_used)
{
    struct made_file second;
    struct numbers numbers;
    struct mm_messages_piece *piece;
    size_t at = MM_MESSAGES_HEAD_BYTES;

    make_both(&second, 0);
    for (;; at += piece->bytes) {
        piece = (struct mm_messages_piece *)(void *)(second.bytes + at);
        if (piece->type == MM_MESSAGES_CLASSES)
            break;
    }
    ((struct mm_messages_class *)(void *)(piece + 1))->version++;
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&numbers), 0);
    assert_int_equal(numbers.samples, 6);
    free(second.bytes);
}

TEST(a_file_of_another_run_is_refused)
{
    struct made_file second;
    struct numbers numbers;

    make_both(&second, 0);
    made_head(&second)->job++;
    made_end(&second, 1);
    write_second(second.bytes, second.size);
    assert_int_equal(read_directory(&numbers), -EBADMSG);
    free(second.bytes);
}

TESTS(set_up, tear_down)
