/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ledger_memory.c: allocations fail once, in a soak run all. Each failure is
 * reported and loses nothing (the leak checker of an asan build looks): the file stays
 * readable. */
#include "tests/lib/fail_malloc.h"
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/ledger/match.h"
#include "mastermind/ledger/score.h"

static char path[] = "/tmp/ledger-XXXXXX";

static struct mm_run_value set[] = {{"driver.config.nx", "64"}};
static struct mm_ledger_quantity quantities[] = {{"calls of a.b.c", 12, 10, 14}};

static struct mm_ledger_entry entry(enum mm_ledger_kind kind)
{
    static struct mm_ledger_run runs[2] = {{"a.mm", "1@host"}, {"b.mm", "2@host"}};

    return (struct mm_ledger_entry){.kind = kind,
                                    .at_ns = kind == MM_LEDGER_OUTCOME ? 2000 : 1000,
                                    .verb = kind == MM_LEDGER_OUTCOME ? NULL : "predict",
                                    .program = "0123456789abcdef",
                                    .run = {.set = {set, 1}, .ranks = 1, .is_known = 1},
                                    .metric = "TIME",
                                    .unit = "ns",
                                    .total = "all ranks",
                                    .value = 100,
                                    .low = 90,
                                    .high = 120,
                                    .level = .9,
                                    .factor = 1,
                                    .beyond = 1,
                                    .runs = &runs[kind == MM_LEDGER_OUTCOME],
                                    .run_count = 1,
                                    .quantities = quantities,
                                    .quantity_count = 1};
}

static int write_and_score(struct mm_ledger *ledger, struct mm_ledger_score *score,
                           int *written)
{
    struct mm_ledger_entry entries[] = {entry(MM_LEDGER_STATEMENT),
                                        entry(MM_LEDGER_OUTCOME)};
    struct mm_recalibration recalibration;
    struct cca_error err = {0};
    int result = mm_ledger_append(path, entries, 2, NULL, &err);

    *written = !result;
    if (!result)
        result = mm_ledger_read(ledger, path, &err);
    if (result)
        assert_string_not_equal(err.text, "");
    if (!result)
        result = mm_ledger_score(score, ledger);
    if (!result)
        result = mm_recalibrate(score, .9, &recalibration);
    return result;
}

/* With allocation `number` failing. 0: there are not so many. */
static int run(long number)
{
    struct mm_ledger ledger = {0};
    struct mm_ledger_score score = {0};
    struct cca_error err = {0};
    int result, written;

    assert_int_equal(truncate(path, 0), 0);
    failed = 0;
    countdown = number;
    result = write_and_score(&ledger, &score, &written);
    countdown = -1;
    if (failed)
        assert_true(result == -ENOMEM || result == -EBADMSG || result == 0);
    else
        assert_int_equal(result, 0);
    if (!failed) { /* jansson leaves members out where memory is out */
        assert_int_equal(ledger.count, 2);
        assert_int_equal(score.pair_count, 1);
        assert_int_equal(score.shares[0].held, 1);
    }
    mm_ledger_score_done(&score);
    mm_ledger_done(&ledger);
    if (mm_ledger_read(&ledger, path, &err))
        fail_msg("allocation %ld: %s", number, err.text);
    assert_int_equal(ledger.cut, 0);
    if (written) { /* every member of it */
        assert_int_equal(mm_ledger_score(&score, &ledger), 0);
        assert_int_equal(score.pair_count, 1);
        assert_int_equal(score.shares[0].held, 1);
        assert_int_equal(ledger.entries[0].quantity_count, 1);
        mm_ledger_score_done(&score);
    }
    mm_ledger_done(&ledger);
    return failed;
}

TEST(memory_fails_once)
{
    int file = mkstemp(path);
    long number = 0;

    assert_true(file >= 0);
    close(file);
    if (REPLACES_MALLOC)
        while (run(number))
            number++;
    else
        run(-1);
    assert_true(!REPLACES_MALLOC || number > 50);
    unlink(path);
}

TESTS(NULL, NULL)
