/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_keep_classes.c: classes have the sums of their samples, and buckets are where
 * they are said to be. */
#include "tests/messages/keep_folder.h"

#include <math.h>

struct truth {
    long double sum[4], weighted[4], variance[4], weight, weight_variance;
    uint64_t count, bytes, positive[4], buckets[MM_MESSAGES_BUCKETS];
    double least, most;
};

/* From 2 ns to 4 s, as many in each octave. */
static double random_ns(uint64_t *random)
{
    return exp2(1 + 31 * (double)(half_random(random) >> 11) * 0x1p-53);
}

static int bucket_by_definition(double ns)
{
    static long double ends[MM_MESSAGES_BUCKETS];
    int bucket = 0;

    for (int i = 0; !ends[MM_MESSAGES_BUCKETS - 1] && i < MM_MESSAGES_BUCKETS; i++)
        ends[i] = 16 * powl(2, i / 4.0L);
    while (bucket < MM_MESSAGES_BUCKETS - 1 && ns >= ends[bucket])
        bucket++;
    return bucket;
}

static void add_truth(struct truth *t, const struct mm_messages_half *send,
                      const struct mm_message_times *times)
{
    const double x[4] = {times->latency, times->late_sender, times->late_receiver,
                         times->transfer};
    long double w = send->p > 0 ? 1 / (long double)send->p : 0,
                spread = send->p > 0 ? (1 - (long double)send->p) * w * w : 0;

    for (int i = 0; i < 4; i++) {
        t->sum[i] += x[i];
        t->weighted[i] += x[i] * w;
        t->variance[i] += (long double)x[i] * x[i] * spread;
        t->positive[i] += x[i] > 0;
    }
    t->least = !t->count || x[0] < t->least ? x[0] : t->least;
    t->most = !t->count || x[0] > t->most ? x[0] : t->most;
    t->weight += w;
    t->weight_variance += spread;
    t->count++;
    t->bytes += send->bytes;
    t->buckets[bucket_by_definition(x[0])]++;
}

static void assert_close(double found, long double expected)
{
    if (fabsl(found - expected) > 1e-10L * fabsl(expected))
        fail_msg("found %.17g, expected %.17Lg", found, expected);
}

static void assert_class(const struct mm_messages_class *c, const struct truth *t,
                         int buckets)
{
    const struct mm_messages_sum *sums[4] = {&c->latency, &c->late_sender,
                                             &c->late_receiver, &c->transfer};

    assert_int_equal(c->version % 2, 0);
    assert_true(c->check == mm_messages_class_check(c));
    assert_int_equal(c->count, t->count);
    assert_int_equal(c->bytes, t->bytes);
    assert_close(c->weight, t->weight);
    assert_close(c->weight_variance, t->weight_variance);
    assert_true(c->min_ns == t->least && c->max_ns == t->most);
    for (int i = 0; i < 4; i++) {
        assert_close(sums[i]->sum, t->sum[i]);
        assert_close(sums[i]->weighted, t->weighted[i]);
        assert_close(sums[i]->variance, t->variance[i]);
        assert_int_equal(sums[i]->count, t->positive[i]);
    }
    for (int i = 0; buckets && i < MM_MESSAGES_BUCKETS; i++)
        assert_int_equal(c->buckets[i], t->buckets[i]);
}

/* 5 senders, 3 sites at both ends, 2 methods: 90 classes, times sizes 0, 1, 2-3, 8-15. */
static void random_sample(uint64_t *random, struct mm_messages_half *send,
                          struct mm_messages_half *recv, struct mm_message_times *times)
{
    static const uint64_t sizes[] = {0, 1, 3, 2, 8, 15};
    static const double ps[] = {1, 0.5, 0.01, 0};

    *send = half_of(3, MM_MESSAGES_SEND);
    *recv = half_of(3, MM_MESSAGES_RECEIVE);
    send->src = recv->src = (int32_t)(half_random(random) % 5);
    send->site = half_random(random) % 3;
    recv->site = half_random(random) % 3;
    send->method = (int32_t)(half_random(random) % 2) - 1;
    send->bytes = recv->bytes = sizes[half_random(random) % 6];
    send->p = ps[half_random(random) % 4];
    times->latency = random_ns(random);
    times->late_sender = half_random(random) % 2 ? random_ns(random) : 0;
    times->late_receiver = half_random(random) % 2 ? random_ns(random) : 0;
    times->transfer = times->latency / 2;
    times->suspect = 0;
}

static size_t truth_of(const struct mm_messages_half *send,
                       const struct mm_messages_half *recv)
{
    size_t size = send->bytes < 2 ? send->bytes : send->bytes < 4 ? 2 : 3;

    return (((((size_t)send->src * 3 + send->site) * 3 + recv->site) * 2 +
             (size_t)(send->method + 1)) *
            4) +
           size;
}

static void try_classes(const char *word, int buckets)
{
    static struct truth truths[360];
    struct mm_keep *keep = new_keep(word, 0, 0);
    struct mm_messages_half send, recv;
    struct mm_message_times times = {0};
    uint64_t random = 3;
    size_t seen = 0;

    memset(truths, 0, sizeof truths);
    for (int i = 0; i < 40000; i++) {
        if (i == 20000)
            assert_int_equal(mm_keep_file(keep, path), 0);
        random_sample(&random, &send, &recv, &times);
        add_truth(&truths[truth_of(&send, &recv)], &send, &times);
        mm_keep_sample(keep, &send, &recv, &times);
    }
    assert_int_equal(mm_keep_seal(keep), 0);
    read_file();
    assert_int_equal(file.entry_bytes[MM_MESSAGES_CLASSES],
                     sizeof(struct mm_messages_class) + (buckets ? 512 : 0));
    assert_int_equal(file.count[MM_MESSAGES_CLASSES], 361);
    for (size_t i = 0; i < 361; i++) {
        const struct mm_messages_class *c = file_entry(&file, MM_MESSAGES_CLASSES, i);

        if (c->other) {
            assert_int_equal(c->count, 0);
            continue;
        }
        send = (struct mm_messages_half){
            .src = c->src, .site = c->send_site, .method = c->send_method};
        recv = (struct mm_messages_half){.site = c->recv_site};
        send.bytes = c->size_class ? (uint64_t)1 << (c->size_class - 1) : 0;
        assert_class(c, &truths[truth_of(&send, &recv)], buckets);
        seen++;
    }
    assert_int_equal(seen, 360);
    mm_keep_free(keep);
}

TEST_WITH(classes_have_the_sums_of_their_samples_and_buckets, NULL, clean)
{
    try_classes("P-1-FREQ", 1);
}

TEST_WITH(classes_of_stat_have_the_sums_and_no_buckets, NULL, clean)
{
    try_classes("P-1-STAT", 0);
}

TEST_WITH(classes_beyond_the_most_fold_into_one, NULL, clean)
{
    struct mm_keep *keep = new_keep("P-1-FREQ", 0, 10);
    struct truth others = {0};
    struct mm_messages_half send, recv;
    struct mm_message_times times = {0};
    const struct mm_messages_class *c;
    uint64_t random = 3, own = 0;

    assert_int_equal(mm_keep_file(keep, path), 0);
    for (int i = 0; i < 5000; i++) {
        random_sample(&random, &send, &recv, &times);
        send.src = recv.src = i % 30;
        send.site = recv.site = 0;
        send.method = -1;
        send.bytes = 1;
        if (send.src >= 10)
            add_truth(&others, &send, &times);
        mm_keep_sample(keep, &send, &recv, &times);
    }
    read_file();
    assert_int_equal(file.count[MM_MESSAGES_CLASSES], 11);
    for (size_t i = 0; i < 11; i++) {
        c = file_entry(&file, MM_MESSAGES_CLASSES, i);
        assert_int_equal(c->other, i == 0);
        own += c->other ? 0 : c->count;
    }
    assert_class(file_entry(&file, MM_MESSAGES_CLASSES, 0), &others, 1);
    assert_int_equal(count_of(MM_MESSAGES_FOLDED), others.count);
    assert_int_equal(own + others.count, 5000);
    mm_keep_free(keep);
}

TEST_WITH(suspect_samples_are_counted_and_in_no_sum, NULL, clean)
{
    struct mm_keep *keep = new_keep("P-1-FREQ", 0, 0);
    struct mm_messages_half send = half_of(1, 0), recv = half_of(1, 1);
    struct mm_message_times times = {.latency = -50, .suspect = 1};

    mm_keep_sample(keep, &send, &recv, &times);
    times.suspect = 0; /* within the bound of the clocks: as it is */
    mm_keep_sample(keep, &send, &recv, &times);
    assert_int_equal(mm_keep_file(keep, path), 0);
    read_file();
    assert_int_equal(count_of(MM_MESSAGES_SUSPECT), 1);
    assert_int_equal(file.count[MM_MESSAGES_CLASSES], 2);
    const struct mm_messages_class *c = file_entry(&file, MM_MESSAGES_CLASSES, 1);
    assert_int_equal(c->count, 1);
    assert_true(c->min_ns == -50 && c->latency.sum == -50 && c->buckets[0] == 1);
    mm_keep_free(keep);
}

TEST(buckets_are_quarters_of_octaves_from_16_ns)
{
    uint64_t random = 5;

    assert_int_equal(mm_messages_bucket(-3), 0);
    assert_int_equal(mm_messages_bucket(NAN), 0);
    assert_int_equal(mm_messages_bucket(0), 0);
    assert_int_equal(mm_messages_bucket(15.99), 0);
    assert_int_equal(mm_messages_bucket(16), 1);
    assert_int_equal(mm_messages_bucket(INFINITY), MM_MESSAGES_BUCKETS - 1);
    assert_int_equal(mm_messages_bucket(1e300), MM_MESSAGES_BUCKETS - 1);
    for (int b = 1; b < MM_MESSAGES_BUCKETS; b++) {
        double low = mm_messages_bucket_ns(b);

        assert_close(low, 16 * powl(2, (b - 1) / 4.0L));
        assert_int_equal(mm_messages_bucket(low), b);
        assert_int_equal(mm_messages_bucket(nextafter(low, 0)), b - 1);
    }
    for (int i = 0; i < 20000; i++) {
        double ns = random_ns(&random);

        assert_int_equal(mm_messages_bucket(ns), bucket_by_definition(ns));
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The middle of the bucket, as a mean of exponents, is at most 2^(1/8) away: 9.1 %. */
TEST(a_quantile_of_buckets_is_right_within_an_eighth_of_an_octave)
{
    enum { SAMPLES = 5000 };
    static double ns[SAMPLES];
    uint64_t random = 9, buckets[MM_MESSAGES_BUCKETS] = {0};

    for (int i = 0; i < SAMPLES; i++) {
        do
            ns[i] = random_ns(&random);
        while (ns[i] < 16);
        buckets[mm_messages_bucket(ns[i])]++;
    }
    qsort(ns, SAMPLES, sizeof *ns, compare);
    for (int percent = 1; percent < 100; percent++) {
        uint64_t rank = (uint64_t)SAMPLES * (uint64_t)percent / 100, below = 0;
        int b = 0;
        double middle;

        while (below + buckets[b] <= rank)
            below += buckets[b++];
        middle = sqrt(mm_messages_bucket_ns(b) * mm_messages_bucket_ns(b + 1));
        assert_true(fabs(log2(middle / ns[rank])) <= 0.125 + 1e-9);
    }
}

TESTS(make_folder, remove_folder)
