/* SPDX-License-Identifier: BSD-3-Clause */
/* truth.h: what a program knows of its own messages: a header in each payload, and a file
 * of each rank with what was sent and what was received. No sampler is asked for
 * anything.
 *
 * A channel is (label of the communicator, source, destination, tag); source and
 * destination are ranks of MPI_COMM_WORLD. Both ends count its messages from 0: the
 * sender when it posts the send, the receiver in the order in which it posted the
 * receives that got them. Both counts are the same where MPI keeps its order rule; the
 * sender's is carried in the payload.
 *
 * A file PREFIX.RANK.THREAD has text lines of words, times in ns of CLOCK_MONOTONIC:
 *   S LABEL FROM TO TAG K SIZE SERIAL START END SITE KIND
 *        sent: START just before the call that posts it, END after that call
 *   R LABEL FROM TO TAG K SIZE SERIAL POST ENTER END LAST SITE DONE_SITE KIND
 *        received: POST just before the call that posts the receive; ENTER and END around
 * the call by which the program first knew it complete; LAST after the call that ended
 * the request. SERIAL is -1 where the message was too small for a header s, r as S and R,
 * of a channel that several threads use at once: K says nothing SITE is FILE:LINE; the
 * call begins in that line or in the few after it. */
#ifndef TESTS_MESSAGES_PROGRAMS_TRUTH_H
#define TESTS_MESSAGES_PROGRAMS_TRUTH_H

#include <stddef.h>
#include <stdint.h>

#define TRUTH_TEXT_(line) #line
#define TRUTH_TEXT(line) TRUTH_TEXT_(line)
#define HERE                                                                             \
    (__FILE__ ":" TRUTH_TEXT(__LINE__)) /* a site: names the call that follows it */

struct truth_channel {
    int label, from, to, tag;
};

/* The begin of a payload that has room for it. */
struct truth_header {
    uint32_t magic, size;
    struct truth_channel channel;
    int64_t k;
    int64_t serial; /* of all messages of the rank: the thread's number and its count */
    uint64_t start_ns;
    uint32_t line; /* of the site of the send */
    uint32_t unused;
};
enum { TRUTH_HEADER = (int)sizeof(struct truth_header) };

struct truth_sent {
    struct truth_channel channel;
    int64_t k, serial;
    int size;
    uint64_t start_ns, end_ns;
    const char *site, *kind; /* constants */
};

struct truth_received {
    struct truth_channel channel;
    int64_t k, serial;
    int size;
    uint64_t post_ns, enter_ns, end_ns, last_ns;
    const char *site, *done_site, *kind; /* constants */
};

struct truth_counter {
    struct truth_channel channel;
    int64_t count;
};

/* Of one thread of one rank. */
struct truth {
    int rank, thread, unordered;
    int64_t serial; /* of the next send */
    struct truth_counter *counters;
    size_t counter_room, counter_count;
    struct truth_sent *sent;
    struct truth_received *received;
    size_t sent_count, sent_room, received_count, received_room;
};

uint64_t truth_now(void); /* ns of CLOCK_MONOTONIC */

/* Empty. `unordered`: several threads use the same channels. truth_done frees. */
void truth_init(struct truth *t, int rank, int thread, int unordered);
void truth_done(struct truth *t);

/* How many messages of this channel there were before, at the end that this process is;
 * one more from now on. (A rank that sends to itself has a counter for each end:
 * `receiving`.) Ends the process without memory, as do the other functions that add. */
int64_t truth_next(struct truth *t, const struct truth_channel *channel, int receiving);

/* Begin a send: fills a record and the payload, and reads the clock last.
 *
 *   channel, size, kind, site  in  of the message; `from` is this rank
 *   payload                    out `size` bytes; a header where it has room, then bytes
 * that depend on channel and k alone
 *
 * Returns its index in t->sent; truth_send_ends notes the time after the call. */
size_t truth_send(struct truth *t, const struct truth_channel *channel, int size,
                  const char *kind, const char *site, unsigned char *payload);
void truth_send_ends(struct truth *t, size_t index);

/* The header of a payload of `size` bytes, or of one of unknown size where size is -1;
 * NULL where there is none. */
const struct truth_header *truth_header_of(const unsigned char *payload, int size);

/* Whether the payload is the one that truth_send makes for this channel, k and size. */
int truth_right(const struct truth_channel *channel, int64_t k, int size,
                const unsigned char *payload);

/* One message was received; copied. */
void truth_receive(struct truth *t, const struct truth_received *r);

/* Write PREFIX.RANK.THREAD. Returns 0 or a negative errno after one line on standard
 * error. */
int truth_write(const struct truth *t, const char *prefix);

#endif
