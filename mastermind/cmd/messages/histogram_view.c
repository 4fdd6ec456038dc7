/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram_view.c: print the distribution of latency. */
#include <math.h>
#include <stdio.h>

#include "mastermind/cmd/messages/messages_verb.h"
#include "messages/keep/keep.h"

struct histogram {
    struct messages_verb *verb;
    double messages[MM_MESSAGES_BUCKETS]; /* estimated numbers of messages */
    uint64_t samples[MM_MESSAGES_BUCKETS];
    int first, last; /* first and last bucket that is not empty */
    int known;
};

static int on_part(void *context, const struct mm_message_part *part)
{
    struct histogram *h = context;
    double weight = part->sums.weight / (double)part->sums.count;

    if (!messages_takes(h->verb, part))
        return 0;
    mm_message_sums_add(&h->verb->all, &part->sums);
    for (int i = 0; part->buckets && i < MM_MESSAGES_BUCKETS; i++) {
        h->samples[i] += part->buckets[i];
        h->messages[i] += weight * part->buckets[i];
        h->known = 1;
    }
    if (part->bucket >= 0) {
        h->samples[part->bucket]++;
        h->messages[part->bucket] += weight;
        h->known = 1;
    }
    return 0;
}

static double low_ns(int bucket)
{
    return bucket ? mm_messages_bucket_ns(bucket) : 0;
}

static void print_bars(const struct histogram *h)
{
    enum { BAR = 50 };
    double most = 0;

    for (int i = h->first; i <= h->last; i++)
        most = h->messages[i] > most ? h->messages[i] : most;
    printf("%12s  %11s  %8s\n", "latency from", "messages", "samples");
    for (int i = h->first; i <= h->last; i++) {
        int length = most > 0 ? (int)ceil(BAR * h->messages[i] / most) : 0;

        printf("%12s  %11s  %8s  %.*s\n", mm_time(low_ns(i)),
               mm_thousands((uint64_t)llround(h->messages[i])),
               mm_thousands(h->samples[i]), length,
               "##################################################");
    }
}

static void print_text(const struct histogram *h)
{
    const struct mm_message_sums *all = &h->verb->all;

    messages_print_head(h->verb);
    if (!h->known) {
        puts(all->count ? "STAT keeps no distribution of latency; FREQ and WRITE do"
                        : "no sample was kept");
    } else {
        print_bars(h);
        printf("p50 %s, p90 %s, p99 %s, least %s, most %s\n",
               mm_time(mm_estimate_quantile(h->messages, .5, all->min_ns, all->max_ns)),
               mm_time(mm_estimate_quantile(h->messages, .9, all->min_ns, all->max_ns)),
               mm_time(mm_estimate_quantile(h->messages, .99, all->min_ns, all->max_ns)),
               mm_time(all->min_ns), mm_time(all->max_ns));
    }
    messages_print_notes(h->verb);
}

static void print_rows(const struct histogram *h)
{
    messages_csv_head(h->verb);
    for (int i = h->first; h->known && i <= h->last; i++) {
        json_t *row = json_object();

        mm_json_put(row, "low_ns", mm_json_finite(low_ns(i)));
        if (i + 1 < MM_MESSAGES_BUCKETS)
            mm_json_put(row, "high_ns", mm_json_finite(low_ns(i + 1)));
        mm_json_set(row, "samples estimated_messages", (json_int_t)h->samples[i],
                    h->messages[i]);
        messages_row(h->verb, row);
    }
}

int messages_histogram_view(struct messages_verb *verb)
{
    struct histogram h = {.verb = verb};
    int code =
        mm_messages_parts(verb->messages, 0, 0, on_part, &h, &verb->joined, &verb->err);

    if (code)
        return mm_complain(&verb->err);
    while (h.first < MM_MESSAGES_BUCKETS - 1 && !h.samples[h.first])
        h.first++;
    h.last = MM_MESSAGES_BUCKETS - 1;
    while (h.last > h.first && !h.samples[h.last])
        h.last--;
    if (verb->form == FORM_TEXT)
        print_text(&h);
    else
        print_rows(&h);
    return -1;
}
