/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks agree on a step. The ranks are threads here, and their cohort one that copies. */
#include "tests/lib/test.h"

#include <pthread.h>

#include "framework/cohort.h"

enum { MOST = 5, ROOM = 2048 };

/* What all ranks share. */
struct meeting {
    int size;
    pthread_barrier_t barrier;
    char board[MOST * ROOM];
    int renewed;
};

struct rank {
    struct cca_cohort cohort;
    struct meeting *meeting;
    int alarmed_by;
    struct cca_step step;
    int status, all_failed;
    char *told; /* by this rank */
};

static struct rank *rank_of(struct cca_cohort *cohort)
{
    return cca_container_of(cohort, struct rank, cohort);
}

static int gather(struct cca_cohort *cohort, const void *mine, size_t bytes, void *all,
                  int failing)
{
    struct meeting *m = rank_of(cohort)->meeting;

    (void)failing;
    assert_true(bytes <= ROOM);
    memcpy(m->board + (size_t)cohort->rank * bytes, mine, bytes);
    pthread_barrier_wait(&m->barrier);
    memcpy(all, m->board, (size_t)m->size * bytes);
    pthread_barrier_wait(&m->barrier);
    return 0;
}

static int alarmed(struct cca_cohort *cohort)
{
    return rank_of(cohort)->alarmed_by;
}

static void renew(struct cca_cohort *cohort)
{
    __atomic_fetch_add(&rank_of(cohort)->meeting->renewed, 1, __ATOMIC_RELAXED);
}

static void *take_part(void *context)
{
    struct rank *r = context;
    size_t size;
    FILE *out = open_memstream(&r->told, &size);

    r->status = cca_cohort_agree(&r->cohort, &r->step, out, &r->all_failed);
    fclose(out);
    return NULL;
}

/* Let the ranks agree; only the first may have said something, and all take the same from
 * it. What it said is new. */
static char *meet(struct rank *ranks, int size, int *status, int *all_failed)
{
    struct meeting meeting = {.size = size};
    pthread_t threads[MOST];

    pthread_barrier_init(&meeting.barrier, NULL, (unsigned)size);
    for (int i = 0; i < size; i++) {
        ranks[i].cohort = (struct cca_cohort){.flavour = "threads",
                                              .rank = i,
                                              .size = size,
                                              .gather = gather,
                                              .alarmed = alarmed,
                                              .renew = renew};
        ranks[i].meeting = &meeting;
        assert_int_equal(pthread_create(&threads[i], NULL, take_part, &ranks[i]), 0);
    }
    for (int i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < size; i++) {
        assert_int_equal(ranks[i].status, ranks[0].status);
        assert_int_equal(ranks[i].all_failed, ranks[0].all_failed);
        assert_string_equal(ranks[i].told, "");
        free(ranks[i].told);
    }
    pthread_barrier_destroy(&meeting.barrier);
    *status = ranks[0].status;
    *all_failed = ranks[0].all_failed;
    assert_int_equal(meeting.renewed, *status ? size : 0);
    return ranks[0].told;
}

static void expect(struct rank *ranks, int size, int wanted, int wanted_all,
                   const char *words)
{
    int status, all_failed;
    char *told = meet(ranks, size, &status, &all_failed);

    assert_int_equal(status, wanted);
    assert_int_equal(all_failed, wanted_all);
    assert_string_equal(told, words);
    free(told);
}

static void steps_init(struct rank *ranks, int size)
{
    for (int i = 0; i < size; i++) {
        ranks[i] = (struct rank){.alarmed_by = -1};
        ranks[i].step =
            (struct cca_step){.digest = 7, .place = "a.rc:3", .text = "'go x go'"};
    }
}

TEST(the_same_everywhere_is_said_by_nobody)
{
    struct rank ranks[MOST];

    for (int size = 1; size <= MOST; size++) {
        steps_init(ranks, size);
        expect(ranks, size, 0, 0, "");
    }
}

TEST(who_differs_from_most_is_named)
{
    struct rank ranks[MOST];

    steps_init(ranks, 5);
    ranks[3].step =
        (struct cca_step){.digest = 8, .place = "a.rc:3", .text = "'go y go'"};
    expect(ranks, 5, 3, 0,
           "rank 3: a.rc:3: found 'go y go', expected 'go x go' as on rank 0\n");
    steps_init(ranks, 3);
    ranks[0].step = (struct cca_step){.digest = 8, .place = "a.rc:4", .text = "the\nend"};
    expect(ranks, 3, 3, 0,
           "rank 0: a.rc:4: found the?end, expected a.rc:3: 'go x go' as on rank 1\n");
    steps_init(ranks, 5);
    ranks[2].step = ranks[4].step =
        (struct cca_step){.digest = 8, .place = "a.rc:3", .text = "'go y go'"};
    ranks[1].step = (struct cca_step){.digest = 9, .place = NULL, .text = "nothing"};
    expect(ranks, 5, 3, 0,
           "rank 1: found nothing, expected a.rc:3: 'go x go' as on rank 0\n"
           "ranks 2, 4: a.rc:3: found 'go y go', expected 'go x go' as on rank 0\n");
}

TEST(without_text_a_difference_is_silent)
{
    struct rank ranks[MOST];

    steps_init(ranks, 2);
    ranks[0].step = (struct cca_step){.digest = 1};
    ranks[1].step = (struct cca_step){.digest = 2};
    expect(ranks, 2, 3, 0, "");
}

TEST(who_fails_is_named_and_decides_the_status)
{
    struct rank ranks[MOST];

    steps_init(ranks, 4);
    ranks[2].step =
        (struct cca_step){.digest = 7, .status = 4, .place = "a.rc:3", .text = "no fuel"};
    expect(ranks, 4, 4, 0, "rank 2: a.rc:3: no fuel\n");
    ranks[1].step = (struct cca_step){.digest = 7, .status = 5, .text = "disk full"};
    expect(ranks, 4, 5, 0, "rank 1: disk full\nrank 2: a.rc:3: no fuel\n");
    /* A digest counts only where nobody fails. */
    steps_init(ranks, 2);
    ranks[1].step = (struct cca_step){.digest = 9, .status = 4, .text = "no fuel"};
    expect(ranks, 2, 4, 0, "rank 1: no fuel\n");
}

TEST(what_follows_from_another_failure_is_not_told)
{
    struct rank ranks[MOST];

    steps_init(ranks, 3);
    for (int i = 0; i < 3; i++)
        ranks[i].step =
            (struct cca_step){.digest = 7, .status = 5, .text = "called back"};
    ranks[1].step = (struct cca_step){.digest = 7, .status = 4, .text = "no fuel"};
    ranks[0].alarmed_by = ranks[2].alarmed_by = 1;
    expect(ranks, 3, 4, 1, "rank 1: no fuel\n");
    /* Where nobody admits to be the first, all are told. */
    ranks[1].alarmed_by = 0;
    expect(ranks, 3, 5, 1, "ranks 0, 2: called back\nrank 1: no fuel\n");
}

TEST(what_all_say_is_told_once)
{
    struct rank ranks[MOST];

    steps_init(ranks, 4);
    for (int i = 0; i < 4; i++)
        ranks[i].step = (struct cca_step){
            .digest = 7, .status = 3, .place = "a.rc:9", .text = "no 'x'"};
    expect(ranks, 4, 3, 1, "a.rc:9: no 'x'\n");
}

TEST(digests_tell_bytes_apart)
{
    const char bytes[] = "abc\0abc";

    assert_int_equal(cca_digest(0, bytes, 3), cca_digest(0, bytes + 4, 3));
    assert_int_not_equal(cca_digest(0, bytes, 3), cca_digest(0, bytes, 2));
    assert_int_not_equal(cca_digest(0, bytes, 0), 0);
    /* Where one text ends and the next begins counts. */
    assert_int_not_equal(cca_digest_text(cca_digest_text(0, "ab"), "c"),
                         cca_digest_text(cca_digest_text(0, "a"), "bc"));
    for (int bit = 0; bit < 56; bit++) {
        char other[sizeof bytes];

        memcpy(other, bytes, sizeof other);
        other[bit / 8] = (char)(other[bit / 8] ^ 1 << bit % 8);
        assert_int_not_equal(cca_digest(0, bytes, 7), cca_digest(0, other, 7));
    }
}

TESTS(NULL, NULL)
