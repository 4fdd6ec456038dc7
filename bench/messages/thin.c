/* SPDX-License-Identifier: BSD-3-Clause */
/* thin.c: how wrong estimates from samples are, from a run of which every message was
 * written.
 *
 *   thin EXP [--seeds N] [--first SEED] [--below NS]
 *
 * At any lower rate a run would have sampled a part of these messages, which the hash of
 * channel and serial tells for each seed. So each rate is tried offline with many seeds,
 * with the functions by which `mastermind messages` estimates: the rms error relative to
 * the truth, what theory expects of it (Horvitz and Thompson's variance over all
 * messages), and how often the 95 % interval holds the truth. With --below, messages of a
 * larger latency or wait are left out beforehand, from the truth, too. One JSON document.
 */
#include "mastermind/reader/experiment.h"
#include "messages/engine/hash.h"
#include "messages/keep/keep.h"
#include "messages/read/estimate.h"
#include "messages/read/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double rates[] = {.001, .003, .01, .03, .1, .3};
enum { RATES = sizeof rates / sizeof *rates, CHANNELS = 4096 };

enum { MESSAGES, LATENCY, TRANSFER, LATE_SENDER, QUANTITIES };
static const char *const names[QUANTITIES] = {"messages", "mean_latency", "transfer",
                                              "late_sender"};

struct message {
    double x[QUANTITIES]; /* 1; ns */
    uint64_t k;
    int channel, bucket;
};

static struct message *messages;
static size_t count, room;
static struct {
    uint64_t comm, hash;
    int src, dst, tag;
} channels[CHANNELS];
static int channel_count;
static double below = INFINITY;

static int channel_of(const struct mm_messages_half *h)
{
    int c = 0;

    while (c < channel_count &&
           (channels[c].comm != h->comm || channels[c].src != h->src ||
            channels[c].dst != h->dst || channels[c].tag != h->tag))
        c++;
    if (c == CHANNELS)
        return -1;
    if (c == channel_count) {
        channels[c].comm = h->comm;
        channels[c].src = h->src;
        channels[c].dst = h->dst;
        channels[c].tag = h->tag;
        channel_count++;
    }
    return c;
}

static int take(void *context, const struct mm_message_part *part)
{
    struct message *m;

    (void)context;
    if (!part->times || part->times->latency >= below ||
        part->times->late_sender >= below)
        return 0;
    if (count == room) {
        room = room ? 2 * room : 65536;
        messages = realloc(messages, room * sizeof *messages);
        if (!messages)
            return -ENOMEM;
    }
    m = &messages[count++];
    m->x[MESSAGES] = 1;
    m->x[LATENCY] = part->times->latency;
    m->x[TRANSFER] = part->times->transfer;
    m->x[LATE_SENDER] = part->times->late_sender;
    m->k = part->send->k;
    m->bucket = part->bucket;
    m->channel = channel_of(part->send);
    return m->channel < 0 ? -E2BIG : 0;
}

/* As the engine hashes its seed and channels (messages/engine/engine.c, channel.c). */
static void hash_channels(uint64_t seed)
{
    for (int c = 0; c < channel_count; c++) {
        const uint64_t ends =
            (uint64_t)(uint32_t)channels[c].src << 32 | (uint32_t)channels[c].dst;

        channels[c].hash =
            mm_hash_add(mm_hash_add(mm_hash_add(seed, channels[c].comm), ends),
                        (uint32_t)channels[c].tag);
    }
}

/* Sums over the samples of one seed at each rate. */
struct sample {
    struct mm_message_sums sums;
    struct mm_messages_sum x[QUANTITIES];
    double buckets[MM_MESSAGES_BUCKETS];
};

static void add(struct sample *s, const struct message *m, double p)
{
    const double more = (1 - p) / (p * p);

    s->sums.count++;
    s->sums.weight += 1 / p;
    s->sums.weight_variance += more;
    for (int q = 0; q < QUANTITIES; q++) {
        s->x[q].sum += m->x[q];
        s->x[q].weighted += m->x[q] / p;
        s->x[q].variance += m->x[q] * m->x[q] * more;
        s->x[q].count += m->x[q] > 0;
    }
    if (m->bucket >= 0)
        s->buckets[m->bucket] += 1 / p;
}

static void draw(uint64_t seed, struct sample samples[RATES])
{
    uint64_t threshold[RATES];

    memset(samples, 0, RATES * sizeof *samples);
    hash_channels(mm_hash_mix(seed + MM_HASH_STEP));
    for (int r = 0; r < RATES; r++)
        threshold[r] = mm_hash_threshold(rates[r]);
    for (size_t i = 0; i < count; i++) {
        const uint64_t key =
            mm_hash_key(channels[messages[i].channel].hash, messages[i].k);

        for (int r = RATES - 1; r >= 0 && mm_hash_chosen(key, threshold[r]); r--)
            add(&samples[r], &messages[i], rates[r]);
    }
}

struct result {
    double square; /* sum of squares of relative errors */
    int held, intervals;
};

static struct mm_message_estimate estimate(const struct sample *s, int q)
{
    return q == MESSAGES  ? mm_estimate_count(&s->sums)
           : q == LATENCY ? mm_estimate_ratio(&s->sums, &s->x[q], (double)count)
                          : mm_estimate_total(&s->sums, &s->x[q]);
}

static void judge(struct result *result, struct mm_message_estimate e, double truth)
{
    const double error = e.value / truth - 1;

    result->square += error * error;
    result->intervals += e.has_interval;
    result->held += e.has_interval && e.low <= truth && truth <= e.high;
}

/* The rms error that theory expects: of the mean by its deviations from the mean. */
static double expected(int q, double p, double total)
{
    const double mean = q == LATENCY ? total / (double)count : 0;
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += (messages[i].x[q] - mean) * (messages[i].x[q] - mean);
    return sqrt(squares * (1 - p) / p) / total;
}

static double median_of(const double *buckets)
{
    return mm_estimate_quantile(buckets, .5, 0, 1e18);
}

static struct result results[RATES][QUANTITIES];
static double medians[RATES], drawn[RATES];

static void print(const struct sample *truth, int seeds)
{
    printf("{\"messages\": %zu, \"seeds\": %d, \"median_ns\": %.6g", count, seeds,
           median_of(truth->buckets));
    for (int q = 1; q < QUANTITIES; q++)
        printf(", \"%s_ns\": %.9g", names[q],
               truth->x[q].sum / (q == LATENCY ? (double)count : 1));
    printf(",\n \"rates\": [");
    for (int r = 0; r < RATES; r++) {
        printf("%s\n  {\"p\": %g, \"samples\": %.1f, \"median_rms\": %.4g", r ? "," : "",
               rates[r], drawn[r] / seeds, sqrt(medians[r] / seeds));
        for (int q = 0; q < QUANTITIES; q++) {
            const struct result *result = &results[r][q];

            printf(", \"%s\": {\"rms\": %.4g, \"expected\": %.4g, \"intervals\": %d, "
                   "\"held\": %d}",
                   names[q], sqrt(result->square / seeds),
                   expected(q, rates[r], truth->x[q].sum), result->intervals,
                   result->held);
        }
        printf("}");
    }
    printf("]}\n");
}

static int try_seeds(int first, int seeds)
{
    static struct sample samples[RATES], truth;
    double median;

    for (size_t i = 0; i < count; i++)
        add(&truth, &messages[i], 1);
    median = median_of(truth.buckets);
    for (int q = 0; q < QUANTITIES; q++)
        if (!(truth.x[q].sum > 0)) {
            fprintf(stderr, "thin: found no %s, expected some to estimate\n", names[q]);
            return 3;
        }
    for (int seed = first; seed < first + seeds; seed++) {
        draw((uint64_t)seed, samples);
        for (int r = 0; r < RATES; r++) {
            drawn[r] += (double)samples[r].sums.count;
            if (samples[r].sums.count)
                medians[r] += pow(median_of(samples[r].buckets) / median - 1, 2);
            for (int q = 0; q < QUANTITIES; q++)
                judge(&results[r][q], estimate(&samples[r], q), truth.x[q].sum);
        }
    }
    print(&truth, seeds);
    return 0;
}

static int read_messages(const char *path)
{
    struct cca_error err = {0};
    struct mm_experiment *experiment = mm_experiment_open(path, &err);
    struct mm_messages *all = experiment ? mm_messages_open(experiment, &err) : NULL;
    struct mm_messages_joined joined = {0};
    int result = all ? mm_messages_parts(all, 0, 0, take, NULL, &joined, &err) : err.code;

    if (!result && (all->request.x != 1 || all->counts[MM_MESSAGES_DROPPED_LIMIT]))
        result =
            cca_error_set(&err, -EINVAL,
                          "%s: found '%s' and %llu messages dropped, expected P-1-WRITE "
                          "and none",
                          path, all->request_text,
                          (unsigned long long)all->counts[MM_MESSAGES_DROPPED_LIMIT]);
    if (result)
        fprintf(stderr, "thin: %s\n", err.text[0] ? err.text : strerror(-result));
    mm_messages_free(all);
    mm_experiment_free(experiment);
    return result;
}

int main(int argc, char **argv)
{
    int seeds = 200, first = 1, wrong = argc < 2, status;

    for (int i = 2; i + 1 < argc && !wrong; i += 2)
        if (!strcmp(argv[i], "--seeds"))
            seeds = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--first"))
            first = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--below"))
            below = atof(argv[i + 1]);
        else
            wrong = 1;
    if (wrong || argc % 2 || seeds < 1 || !(below > 0)) {
        fprintf(stderr, "usage: thin EXP [--seeds N] [--first SEED] [--below NS]\n");
        return 2;
    }
    status = read_messages(argv[1]) ? 3 : try_seeds(first, seeds);
    free(messages);
    return status;
}
