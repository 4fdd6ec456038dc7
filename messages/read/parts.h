/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: read all samples of an experiment, one part after the other: classes that were
 * summed during the run, and single messages, from sample records or joined here. */
#ifndef MESSAGES_READ_PARTS_H
#define MESSAGES_READ_PARTS_H

#include <stdint.h>
#include <stddef.h>
#include "messages/join/join.h"
#include "messages/read/read.h"
#include "messages/read/file.h"

/* Sums over samples; initialise with zeros. */
struct mm_message_sums {
    uint64_t count;
    /* sums of weights 1/p and of their variances, as in struct mm_messages_class */
    double weight, weight_variance;
    uint64_t bytes;
    double min_ns, max_ns; /* minimum and maximum of the latency, valid if count > 0 */
    struct mm_messages_sum latency, late_sender, late_receiver, transfer;
    int no_p; /* 1: the samples have an unknown probability (strategy T); they are scaled
               * by the exact counts of their processes, so the variance is unknown */
};

void mm_message_sums_add(struct mm_message_sums *sums,
                         const struct mm_message_sums *more);

/* A part: sums over samples with equal keys, or a single message. */
struct mm_message_part {
    int32_t src, dst; /* sending and receiving process; -1 if `other` */
    uint64_t send_site, recv_site;
    /* methods at both ends; NULL: none, or unknown */
    const struct mm_method_info *send_method, *recv_method;
    uint32_t size_class;
    int other; /* 1: the samples for which a process's table of classes had no room */
    struct mm_message_sums sums;
    /* [MM_MESSAGES_BUCKETS] numbers of samples by latency, or NULL */
    const uint32_t *buckets;
    int bucket; /* bucket of the latency of a single message, else -1 */
    /* Records of a single message, else NULL. */
    const struct mm_messages_half *send, *recv;
    const struct mm_message_times *times;
};

/* Counts of samples while parts were made. */
struct mm_messages_joined {
    /* number of messages whose records this reader joined */
    uint64_t joined;
    uint64_t half;       /* number of send records without receive record */
    uint64_t unanswered; /* number of receive records without send record */
    /* numbers of joined messages that were left out: the channel is unverified, or the
     * records do not agree */
    uint64_t unverified, mismatched;
    /* number of messages with a latency below zero by more than the clocks' bound */
    uint64_t suspect;
    struct mm_messages_odd odd;
};

/* Called with each part, which is borrowed for the call; non-zero ends the walk. */
typedef int (*mm_message_part_function)(void *context,
                                        const struct mm_message_part *part);

/* Walk all parts. Single messages that are unverified, mismatched or suspect are left out
 * and counted; with `suspects` suspect ones are passed on, too, with times->suspect.
 * Records are joined by ranges of keys, with at most `memory` bytes of records in memory
 * (0: 64 MiB).
 *
 * Returns 0, the function's return value, or a negative errno with `err`. */
int mm_messages_parts(const struct mm_messages *messages, int suspects, size_t memory,
                      mm_message_part_function function, void *context,
                      struct mm_messages_joined *joined, struct cca_error *err);

/* Set the conversion of times of `src` to the clock of `dst`, valid around the time of a
 * message. */
void mm_messages_clocks(const struct mm_messages *messages, int src, int dst,
                        uint64_t sent_ticks, uint64_t received_ticks,
                        struct mm_message_clocks *clocks);
/* Time of a process's tick, in ns since the epoch of process 0, or of the first process
 * with a file; *bound_ns (may be NULL) is its maximum error. */
double mm_messages_common_ns(const struct mm_messages *messages, int process,
                             uint64_t ticks, double *bound_ns);

struct mm_message_pairs;

/* --- file_parts ---------------------------------------------------------- */

/* Functions shared by file.c and file_walk.c, which read one file. */

/* Read bytes at an offset. Returns 0; -EBADMSG: the file ends before them; -EIO. */
int mm_messages_file_read(const struct mm_messages_file *file, uint64_t at, void *to,
                          size_t bytes, struct cca_error *err);

/* --- halves.c ------------------------------------------------------------ */

/* Called with both records of a message; non-zero ends the walk. */
typedef int (*mm_message_pair_function)(void *context,
                                        const struct mm_messages_half *send,
                                        const struct mm_messages_half *recv);

/* Join send and receive records by key, one range of keys at a time, so that at most
 * `memory` bytes of records are in memory. Counts records without counterpart (half,
 * unanswered) and mismatched pairs, which are not passed to the function. 0, the
 * function's return value, or a negative errno with `err`. */
int mm_messages_halves(const struct mm_messages *messages, size_t memory,
                       mm_message_pair_function function, void *context,
                       struct mm_messages_joined *joined, struct cca_error *err);

/* --- pairs.c ------------------------------------------------------------- */

/* Count the messages of each pair of processes over all channels, from the files of the
 * receivers. New, or NULL with `err`. */
struct mm_message_pairs *mm_message_pairs_new(const struct mm_messages *messages,
                                              struct cca_error *err);
void mm_message_pairs_free(struct mm_message_pairs *pairs);
/* Add samples of a pair; src -1: unknown pair. Returns 0 or -ENOMEM. */
int mm_message_pairs_sampled(struct mm_message_pairs *pairs, int src, int dst,
                             uint64_t count);
/* Number of messages for each sample: of this pair of processes, or of all pairs if the
 * pair is unknown. */
double mm_message_pairs_factor(const struct mm_message_pairs *pairs, int src, int dst);

/* --- table.c ------------------------------------------------------------- */

struct mm_word_table {
    size_t words, bytes; /* words: number of words in a key; bytes: bytes of data after
                          * the key in an entry */
    void **entries;      /* [count]: key, then `bytes` of data, initially 0 */
    size_t count;
    size_t *places; /* [mask + 1] hash table of 1 + the index in `entries`; 0: free */
    size_t mask;
};

void mm_word_table_init(struct mm_word_table *table, size_t words, size_t bytes);
void mm_word_table_done(struct mm_word_table *table);
/* Data of the entry with this key, which is added if it is not there; NULL: out of
 * memory. */
void *mm_word_table_add(struct mm_word_table *table, const uint64_t *key);
/* The data of a key, like mm_word_table_add, but NULL if the key is not in the table. */
void *mm_word_table_find(const struct mm_word_table *table, const uint64_t *key);
static inline const uint64_t *mm_word_table_key(const struct mm_word_table *table,
                                                size_t index)
{
    return table->entries[index];
}
static inline void *mm_word_table_value(const struct mm_word_table *table, size_t index)
{
    return (uint64_t *)table->entries[index] + table->words;
}

/* --- tables.c ------------------------------------------------------------ */

/* Add the tables of one process. Counts that its channels contain more exactly are added
 * from there, because a process that has not ended keeps them only in channels. Returns 0
 * or a negative errno with `err`. */
int mm_messages_add_tables(struct mm_messages *messages, int rank,
                           const struct mm_messages_file *file, struct cca_error *err);

#endif
