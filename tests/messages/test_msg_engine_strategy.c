/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_engine_strategy.c: which messages are sampled: the random choice is binomial,
 * nested and independent, counter and timer keep their periods. Bands are of 5 standard
 * deviations, and seeds are fixed. */
#include "tests/lib/test.h"

#include <math.h>
#include <time.h>

#include "messages/engine/hot.h"
#include "messages/words/words.h"

enum { HANDLE = 0x44000000, PEERS = 8, ENTRIES = 256 };

static struct mm_messages_channel entries[ENTRIES];
static int entry_count;

static struct mm_messages_channel *new_entry(void *context)
{
    (void)context;
    return entry_count < ENTRIES ? &entries[entry_count++] : NULL;
}

static struct mm_engine *new_engine(int strategy, double x, double variance,
                                    uint64_t seed)
{
    struct mm_message_request request = {
        .strategy = strategy, .x = x, .variance = variance, .collectives = .1};
    struct mm_engine_options options = {.request = &request,
                                        .seed = seed,
                                        .ns_per_tick = 1, /* CLOCK_MONOTONIC */
                                        .channel_new = new_entry};
    struct mm_engine *e = mm_engine_new(&options, NULL);

    memset(entries, 0, sizeof entries);
    entry_count = 0;
    assert_non_null(e);
    assert_non_null(mm_engine_comm_add(e, HANDLE, 1, NULL, PEERS, MM_COMM_WORLD));
    return e;
}

static int sends_sample(struct mm_engine *e, int rank, int tag)
{
    struct mm_counted counted;

    if (mm_hot_send(e, HANDLE, rank, tag, 8))
        return 0;
    mm_engine_send(e, mm_engine_comm(e, HANDLE), rank, tag, 8, &counted);
    mm_engine_sent(e, &counted, 0);
    return counted.sampled;
}

static void assert_binomial(double count, double n, double p)
{
    double sd = sqrt(n * p * (1 - p));

    if (fabs(count - n * p) > 5 * sd)
        fail_msg("%g of %g at p = %g: expected %g +- %g", count, n, p, n * p, 5 * sd);
}

TEST(random_choice_is_binomial_for_each_peer_tag_and_parity)
{
    static const double rates[] = {.001, .01, .1, .5, .9};
    enum { N = 40000, TAGS_TRIED = 4 };

    for (int r = 0; r < 5; r++) {
        double all = 0, parity[2] = {0}, peers[PEERS] = {0}, tags[TAGS_TRIED] = {0},
               pairs = 0, p = rates[r];
        struct mm_engine *e = new_engine(MM_STRATEGY_P, p, 0, 7);

        for (int rank = 0; rank < PEERS; rank++)
            for (int tag = 0; tag < TAGS_TRIED; tag++)
                for (int k = 0, before = 0; k < N / 4; k++) {
                    int now = sends_sample(e, rank, tag);

                    all += now;
                    parity[k & 1] += now;
                    peers[rank] += now;
                    tags[tag] += now;
                    pairs += now && before;
                    before = now;
                }
        assert_binomial(all, PEERS * N, p);
        for (int i = 0; i < 2; i++)
            assert_binomial(parity[i], PEERS * N / 2, p);
        for (int i = 0; i < PEERS; i++)
            assert_binomial(peers[i], N, p);
        for (int i = 0; i < TAGS_TRIED; i++)
            assert_binomial(tags[i], PEERS * N / TAGS_TRIED, p);
        assert_binomial(pairs, PEERS * N - PEERS * TAGS_TRIED, p * p);
        mm_engine_free(e);
    }
}

TEST(a_smaller_probability_samples_a_subset_and_a_seed_repeats_it)
{
    enum { N = 20000 };
    static char chosen[4][N];
    static const double rates[] = {.01, .1, .1, .9};
    int other = 0;

    for (int r = 0; r < 4; r++) {
        struct mm_engine *e = new_engine(MM_STRATEGY_P, rates[r], 0, 3);

        for (int i = 0; i < N; i++)
            chosen[r][i] = (char)sends_sample(e, i % PEERS, i % 3);
        mm_engine_free(e);
    }
    for (int i = 0; i < N; i++) {
        assert_true(chosen[0][i] <= chosen[1][i]);
        assert_int_equal(chosen[1][i], chosen[2][i]);
        assert_true(chosen[2][i] <= chosen[3][i]);
    }
    struct mm_engine *e = new_engine(MM_STRATEGY_P, .1, 0, 4);

    for (int i = 0; i < N; i++)
        other += sends_sample(e, i % PEERS, i % 3) && chosen[1][i];
    assert_binomial(other, N, .01);
    mm_engine_free(e);
}

TEST(lowering_p_samples_a_subset_at_once_and_switching_off_nothing)
{
    enum { N = 20000 };
    struct mm_engine *full = new_engine(MM_STRATEGY_P, .5, 0, 3), *e;
    double low = 0;
    static char chosen[N];

    for (int i = 0; i < N; i++)
        chosen[i] = (char)sends_sample(full, 0, 0);
    mm_engine_free(full);
    e = new_engine(MM_STRATEGY_P, .5, 0, 3);
    for (int i = 0; i < N; i++) {
        int now;

        if (i == N / 4)
            mm_engine_set_p(e, .05);
        if (i == N / 2)
            mm_engine_set_p(e, 7); /* not above what was asked */
        mm_engine_sampling(e, i < N * 3 / 4);
        now = sends_sample(e, 0, 0);
        if (i >= N / 4 && i < N / 2)
            low += now;
        else
            assert_int_equal(now, i < N * 3 / 4 ? chosen[i] : 0);
        assert_true(now <= chosen[i]);
    }
    assert_binomial(low, N / 4, .05);
    assert_true(mm_engine_p(e) == .5);
    assert_int_equal(entries[0].count, N);
    mm_engine_free(e);
}

TEST(keys_and_their_bits_are_uniform)
{
    enum { N = 1 << 16 };
    static uint32_t bins[256];
    double square = 0;

    for (int bit = 0; bit < 64; bit++) { /* each bit of the key, over k and channels */
        double ones = 0, changes = 0;

        for (uint64_t k = 0; k < N; k++) {
            uint64_t a = mm_hash_key(42, k), b = mm_hash_key(43, k);

            ones += (double)(a >> bit & 1);
            changes += (double)((a ^ b) >> bit & 1);
        }
        assert_binomial(ones, N, .5);
        assert_binomial(changes, N, .5);
    }
    memset(bins, 0, sizeof bins);
    for (uint64_t c = 0; c < 256; c++)
        for (uint64_t k = 0; k < 256; k++)
            bins[mm_hash_key(mm_hash_add(9, c), k) >> 56]++;
    for (int i = 0; i < 256; i++)
        square += (bins[i] - 256.) * (bins[i] - 256.) / 256;
    assert_true(square > 255 - 5 * sqrt(510) && square < 255 + 5 * sqrt(510));
}

TEST(no_two_messages_of_many_channels_share_a_key)
{
    enum { N = 1 << 18 };
    uint64_t *keys = test_malloc(N * sizeof *keys);
    int n = 0;

    for (uint64_t c = 0; c < 512; c++)
        for (uint64_t k = 0; k < N / 512; k++)
            keys[n++] = mm_hash_key(mm_hash_add(mm_hash_add(5, c / 16), c % 16), k);
    for (int gap = N / 2; gap > 0; gap /= 2) /* Shell's sort */
        for (int i = gap; i < N; i++)
            for (int j = i - gap; j >= 0 && keys[j] > keys[j + gap]; j -= gap) {
                uint64_t t = keys[j];

                keys[j] = keys[j + gap];
                keys[j + gap] = t;
            }
    for (int i = 1; i < N; i++)
        assert_true(keys[i] != keys[i - 1]);
    test_free(keys);
}

TEST(counter_has_its_period_and_variance_over_all_channels)
{
    static const struct {
        double x, variance;
    } cases[] = {{1, 0}, {2, 0}, {256, 0}, {10, 5}, {100, 99}};

    for (int c = 0; c < 5; c++) {
        double x = cases[c].x, v = cases[c].variance, sum = 0, squares = 0, n = 0,
               expected = v * (v + 1) / 3;
        struct mm_engine *e = new_engine(MM_STRATEGY_C, x, v, 5);

        assert_true(mm_engine_remembers_all(e));
        for (int i = 0, last = -1; n < 4000; i++) {
            if (!sends_sample(e, i % PEERS, i % 5))
                continue;
            assert_true(i - last >= x - v && i - last <= x + v);
            sum += i - last;
            squares += (i - last - x) * (i - last - x);
            n++;
            last = i;
        }
        assert_true(fabs(sum / n - x) <= 5 * sqrt(expected / n));
        assert_true(fabs(squares / n - expected) <= .1 * expected);
        mm_engine_free(e);
    }
}

static void pause_ns(long ns)
{
    struct timespec t = {0, ns};

    nanosleep(&t, NULL);
}

TEST(timer_takes_the_first_of_a_burst_and_each_send_that_is_slower_than_its_period)
{
    struct mm_engine *e = new_engine(MM_STRATEGY_T, .002, 0, 5);

    assert_true(mm_engine_p(e) == 0);
    for (int burst = 0; burst < 5; burst++) {
        struct timespec begin, end;
        int samples = 0;
        double ns;

        pause_ns(3000000);
        clock_gettime(CLOCK_MONOTONIC, &begin);
        assert_int_equal(sends_sample(e, 0, 0), 1);
        for (int i = 0; i < 100; i++)
            samples += sends_sample(e, 0, 0);
        clock_gettime(CLOCK_MONOTONIC, &end);
        ns = 1e9 * (double)(end.tv_sec - begin.tv_sec) +
             (double)(end.tv_nsec - begin.tv_nsec);
        assert_true(samples <= ns / 2e6); /* counted from the last sample */
    }
    mm_engine_free(e);
}

TEST(collectives_are_sampled_alike_on_all_processes)
{
    enum { N = 20000 };
    struct mm_message_request request = {
        .strategy = MM_STRATEGY_P, .x = 0, .collectives = .1};
    struct mm_engine *engines[2];
    struct mm_comm *comms[2];
    double sampled = 0;

    for (int p = 0; p < 2; p++) {
        struct mm_engine_options options = {.request = &request,
                                            .seed = 11,
                                            .process = p,
                                            .ns_per_tick = 1,
                                            .channel_new = new_entry};

        engines[p] = mm_engine_new(&options, NULL);
        comms[p] = mm_engine_comm_add(engines[p], HANDLE, 99, NULL, PEERS, MM_COMM_WORLD);
    }
    for (uint64_t i = 0; i < N; i++) {
        uint64_t a = N, b = N;
        int first = mm_engine_collective(engines[0], comms[0], &a);

        assert_int_equal(mm_engine_collective(engines[1], comms[1], &b), first);
        assert_int_equal(a, i);
        assert_int_equal(b, i);
        sampled += first;
    }
    assert_binomial(sampled, N, .1);
    mm_engine_free(engines[0]);
    mm_engine_free(engines[1]);
}

TESTS(NULL, NULL)
