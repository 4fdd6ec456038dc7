/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c: read the samples of all processes as parts that can be summed. */
#include "messages/read/parts.h"

#include <errno.h>
#include <string.h>

#include "messages/keep/keep.h"

static void add_sum(struct mm_messages_sum *sum, const struct mm_messages_sum *more)
{
    sum->sum += more->sum;
    sum->weighted += more->weighted;
    sum->variance += more->variance;
    sum->count += more->count;
}

void mm_message_sums_add(struct mm_message_sums *s, const struct mm_message_sums *more)
{
    if (!more->count)
        return;
    if (!s->count || more->min_ns < s->min_ns)
        s->min_ns = more->min_ns;
    if (!s->count || more->max_ns > s->max_ns)
        s->max_ns = more->max_ns;
    s->count += more->count;
    s->weight += more->weight;
    s->weight_variance += more->weight_variance;
    s->bytes += more->bytes;
    s->no_p |= more->no_p;
    add_sum(&s->latency, &more->latency);
    add_sum(&s->late_sender, &more->late_sender);
    add_sum(&s->late_receiver, &more->late_receiver);
    add_sum(&s->transfer, &more->transfer);
}

struct walking {
    const struct mm_messages *m;
    int suspects;
    mm_message_part_function function;
    void *context;
    struct mm_messages_joined *joined;
    /* counts per pair of processes, for strategy T; else NULL */
    struct mm_message_pairs *pairs;
    int counting; /* 1: the samples of each pair are being counted */
};

/* Scale sums without probabilities: each sample represents (number of messages of its
 * pair / number of samples of the pair) messages. */
static void scale_sums(const struct walking *w, struct mm_message_part *part)
{
    struct mm_message_sums *s = &part->sums;
    double factor = mm_message_pairs_factor(w->pairs, part->src, part->dst);
    struct mm_messages_sum *sums[] = {&s->latency, &s->late_sender, &s->late_receiver,
                                      &s->transfer};

    s->no_p = 1;
    s->weight = factor * (double)s->count;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sums[i]->weighted = factor * sums[i]->sum;
}

static int hand_on(struct walking *w, struct mm_message_part *part)
{
    if (!part->sums.count)
        return 0;
    if (w->counting)
        return mm_message_pairs_sampled(w->pairs, part->src, part->dst, part->sums.count);
    if (w->pairs)
        scale_sums(w, part);
    return w->function(w->context, part);
}

/* --- Classes ----------------------------------------------------------------------- */

static int on_class(void *context, int process, const void *entry)
{
    struct walking *w = context;
    const struct mm_messages_class *c = entry;
    struct mm_message_part part = {
        .src = c->src,
        .dst = c->dst,
        .send_site = c->send_site,
        .recv_site = c->recv_site,
        .send_method = mm_messages_method(w->m, c->src, c->send_method),
        .recv_method = mm_messages_method(w->m, process, c->recv_method),
        .size_class = c->size_class,
        .other = c->other != 0,
        .buckets = w->m->has_buckets ? c->buckets : NULL,
        .bucket = -1,
        .sums = {.count = c->count,
                 .weight = c->weight,
                 .weight_variance = c->weight_variance,
                 .bytes = c->bytes,
                 .min_ns = c->min_ns,
                 .max_ns = c->max_ns,
                 .latency = c->latency,
                 .late_sender = c->late_sender,
                 .late_receiver = c->late_receiver,
                 .transfer = c->transfer}};

    return hand_on(w, &part);
}

/* --- Single messages --------------------------------------------------------------- */

static struct mm_messages_sum sum_of(double x, double p)
{
    double weight = p > 0 ? 1 / p : 0;

    return (struct mm_messages_sum){x, x * weight, x * x * (weight * weight - weight),
                                    x > 0};
}

static uint32_t size_class(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

static int on_pair(void *context, const struct mm_messages_half *send,
                   const struct mm_messages_half *recv)
{
    struct walking *w = context;
    struct mm_message_clocks clocks;
    struct mm_message_times times;
    double weight = send->p > 0 ? 1 / send->p : 0;
    struct mm_message_part part = {
        .src = send->src,
        .dst = send->dst,
        .send_site = send->site,
        .recv_site = recv->site,
        .send_method = mm_messages_method(w->m, send->src, send->method),
        .recv_method = mm_messages_method(w->m, send->dst, recv->method),
        .size_class = size_class(send->bytes),
        .send = send,
        .recv = recv,
        .times = &times};

    if ((send->flags | recv->flags) & MM_HALF_UNVERIFIED ||
        mm_messages_unverified(w->m, send->comm, send->src, send->dst, send->tag)) {
        w->joined->unverified += !w->counting;
        return 0;
    }
    mm_messages_clocks(w->m, send->src, send->dst, send->t_start, recv->t_end, &clocks);
    mm_message_times(send, recv, &clocks, &times);
    if (times.suspect) {
        w->joined->suspect += !w->counting;
        if (!w->suspects || w->counting)
            return 0;
    }
    part.bucket = mm_messages_bucket(times.latency);
    part.sums =
        (struct mm_message_sums){.count = 1,
                                 .weight = weight,
                                 .weight_variance = weight * weight - weight,
                                 .bytes = send->bytes,
                                 .min_ns = times.latency,
                                 .max_ns = times.latency,
                                 .latency = sum_of(times.latency, send->p),
                                 .late_sender = sum_of(times.late_sender, send->p),
                                 .late_receiver = sum_of(times.late_receiver, send->p),
                                 .transfer = sum_of(times.transfer, send->p),
                                 .no_p = !(send->p > 0)};
    return hand_on(w, &part);
}

static int is_probability(double p)
{
    return p == 0 || (p > 1e-300 && p <= 1);
}

static int on_record(void *context, int process, const void *entry)
{
    struct walking *w = context;
    const struct mm_messages_record *record = entry;

    if (record->send.dst != process || record->send.src < 0 ||
        record->send.src >= w->m->processes || record->recv.dst != process ||
        !is_probability(record->send.p)) {
        w->joined->mismatched += !w->counting;
        return 0;
    }
    return on_pair(context, &record->send, &record->recv);
}

static int on_joined(void *context, const struct mm_messages_half *send,
                     const struct mm_messages_half *recv)
{
    struct walking *w = context;

    if (!is_probability(send->p)) {
        w->joined->mismatched += !w->counting;
        return 0;
    }
    return on_pair(context, send, recv);
}

/* --- All messages ------------------------------------------------------------------ */

static int walk_all(struct walking *w, size_t memory, struct cca_error *err)
{
    int code =
        mm_messages_walk(w->m, MM_MESSAGES_CLASSES, on_class, w, &w->joined->odd, err);

    if (!code)
        code = mm_messages_walk(w->m, MM_MESSAGES_RECORDS, on_record, w, &w->joined->odd,
                                err);
    return code ? code : mm_messages_halves(w->m, memory, on_joined, w, w->joined, err);
}

int mm_messages_parts(const struct mm_messages *messages, int suspects, size_t memory,
                      mm_message_part_function function, void *context,
                      struct mm_messages_joined *joined, struct cca_error *err)
{
    struct walking w = {.m = messages,
                        .suspects = suspects,
                        .function = function,
                        .context = context,
                        .joined = joined};
    struct mm_messages_joined unwanted = {0};
    int code = 0;

    memset(joined, 0, sizeof *joined);
    if (messages->request.strategy == MM_STRATEGY_T) {
        w.pairs = mm_message_pairs_new(messages, err);
        if (!w.pairs)
            return err && err->code ? err->code : -ENOMEM;
        w.counting = 1;
        w.joined = &unwanted;
        code = walk_all(&w, memory, err);
        if (code == -ENOMEM)
            cca_no_memory(err);
        w.counting = 0;
        w.joined = joined;
    }
    if (!code)
        code = walk_all(&w, memory, err);
    mm_message_pairs_free(w.pairs);
    return code;
}
