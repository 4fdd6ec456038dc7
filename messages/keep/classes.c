/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.c: sums and histograms of samples with equal keys. */
#include "messages/keep/pieces.h"

#include "messages/words/words.h"

/* Key of a class, as it is at the start of an entry. */
struct class_key {
    int32_t src, dst;
    uint64_t send_site, recv_site;
    int32_t send_method, recv_method;
    uint32_t size_class, other;
};
_Static_assert(sizeof(struct class_key) == offsetof(struct mm_messages_class, key_check),
               "the key is the begin of a class");

static uint32_t size_class(uint64_t bytes)
{
    return bytes ? (uint32_t)(64 - __builtin_clzll(bytes)) : 0;
}

static uint64_t two(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

/* Hash of a class's key: products of its words, which the processor computes in parallel,
 * are summed; then upper bits are mixed into lower ones. */
static uint64_t hash_of(const struct mm_messages_half *send,
                        const struct mm_messages_half *recv, uint32_t size)
{
    uint64_t hash = two(send->src, send->dst) * 0x9fb21c651e98df25ULL +
                    two(send->method, recv->method) * 0xd6e8feb86659fd93ULL +
                    (send->site + size) * 0x9e3779b97f4a7c15ULL +
                    recv->site * 0xc2b2ae3d27d4eb4fULL;

    return hash ^ hash >> 29;
}

/* Whether a message belongs to the class. Fields are compared directly with the records:
 * a key in memory would be read by wider loads than it was stored with, which stalls. */
static int is_class_of(const struct mm_messages_class *entry,
                       const struct mm_messages_half *send,
                       const struct mm_messages_half *recv, uint32_t size)
{
    return entry->send_site == send->site && entry->recv_site == recv->site &&
           entry->src == send->src && entry->dst == send->dst &&
           entry->send_method == send->method && entry->recv_method == recv->method &&
           entry->size_class == size;
}

/* Make a class; NULL: no room in the file. */
static struct mm_messages_class *new_class(struct mm_keep *keep,
                                           const struct class_key *key)
{
    struct mm_messages_class *entry = mm_keep_entry(keep, MM_MESSAGES_CLASSES);

    if (!entry)
        return NULL;
    memcpy(entry, key, sizeof *key);
    entry->key_check = mm_messages_check(entry, sizeof *key);
    entry->check = mm_messages_class_check(entry);
    mm_keep_entry_done(keep, MM_MESSAGES_CLASSES);
    return entry;
}

/* The class for messages that have no class of their own; it is the first class. */
static struct mm_messages_class *other_class(struct mm_keep *keep)
{
    static const struct class_key others = {.src = -1,
                                            .dst = -1,
                                            .send_site = UINT64_MAX,
                                            .recv_site = UINT64_MAX,
                                            .send_method = -1,
                                            .recv_method = -1,
                                            .size_class = UINT32_MAX,
                                            .other = 1};

    if (!keep->others)
        keep->others = new_class(keep, &others);
    return keep->others;
}

/* Add the class of a message, or return the class for other messages if there is no
 * room. */
static struct mm_messages_class *add_class(struct mm_keep *keep,
                                           const struct mm_messages_half *send,
                                           const struct mm_messages_half *recv,
                                           uint64_t hash)
{
    struct class_key key = {.src = send->src,
                            .dst = send->dst,
                            .send_site = send->site,
                            .recv_site = recv->site,
                            .send_method = send->method,
                            .recv_method = recv->method,
                            .size_class = size_class(send->bytes)};
    struct mm_messages_class *entry, *others = other_class(keep);

    if (others && keep->entries[MM_MESSAGES_CLASSES] <= keep->most_classes &&
        (entry = new_class(keep, &key)) != NULL &&
        !mm_index_add(&keep->classes, hash, mm_keep_offset(keep, entry)))
        return entry;
    if (others)
        mm_keep_count(keep, MM_MESSAGES_FOLDED);
    return others;
}

static struct mm_messages_class *find_class(struct mm_keep *keep,
                                            const struct mm_messages_half *send,
                                            const struct mm_messages_half *recv)
{
    uint32_t size = size_class(send->bytes);
    uint64_t hash = hash_of(send, recv, size);
    const struct mm_index_place *place = NULL;
    struct mm_messages_class *entry;

    while ((place = mm_index_next(&keep->classes, hash, place)) != NULL) {
        entry = mm_keep_at(keep, place->offset);
        if (is_class_of(entry, send, recv, size))
            return entry;
    }
    return add_class(keep, send, recv, hash);
}

/* Add a sample's value to a sum. With its probability p, `weight` is 1/p and `spread` (1
 * - p)/p^2. */
static void add_sum(struct mm_messages_sum *sum, double x, double weight, double spread)
{
    if (x == 0)
        return;
    sum->sum += x;
    sum->weighted += x * weight;
    sum->variance += x * x * spread;
    sum->count += x > 0;
}

/* The weight 1/p of a sample; p usually equals that of the previous sample. */
static double weight_of(struct mm_keep *keep, double p)
{
    if (p != keep->last_p) {
        keep->last_p = p;
        keep->last_weight = p > 0 ? 1 / p : 0;
    }
    return keep->last_weight;
}

static void add_sample(struct mm_messages_class *entry, double weight,
                       const struct mm_messages_half *send,
                       const struct mm_message_times *times)
{
    double spread = weight * weight - weight, latency = times->latency;

    if (!entry->count || latency < entry->min_ns)
        entry->min_ns = latency;
    if (!entry->count || latency > entry->max_ns)
        entry->max_ns = latency;
    entry->count++;
    entry->weight += weight;
    entry->weight_variance += spread;
    entry->bytes += send->bytes;
    add_sum(&entry->latency, latency, weight, spread);
    add_sum(&entry->late_sender, times->late_sender, weight, spread);
    add_sum(&entry->late_receiver, times->late_receiver, weight, spread);
    add_sum(&entry->transfer, times->transfer, weight, spread);
}

void mm_keep_class_add(struct mm_keep *keep, const struct mm_messages_half *send,
                       const struct mm_messages_half *recv,
                       const struct mm_message_times *times)
{
    struct mm_messages_class *entry = find_class(keep, send, recv);
    int bucket;

    if (!entry) {
        mm_keep_count(keep, MM_MESSAGES_DROPPED_LIMIT);
        return;
    }
    __atomic_store_n(&entry->version, entry->version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* the version is odd while the class
                                              * changes */
    add_sample(entry, weight_of(keep, send->p), send, times);
    if (keep->analysis == MM_ANALYSIS_FREQ) {
        bucket = mm_messages_bucket(times->latency);
        entry->buckets[bucket]++;
        entry->bucket_check += 2 * (uint64_t)bucket + 1;
    }
    /* the check value includes the word `version`, which will be increased by 1 */
    entry->check = mm_messages_class_check(entry) + 1;
    __atomic_store_n(&entry->version, entry->version + 1, __ATOMIC_RELEASE);
}
