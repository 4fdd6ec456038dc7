/* SPDX-License-Identifier: BSD-3-Clause */
/* file_walk.c: walk the entries of a file, to which its process may write meanwhile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "messages/read/parts.h"

enum { BLOCK_BYTES = 1 << 16, TRIES = 64 };

/* Offset of the check value in an entry that is written once; 0: the type has none. */
static size_t check_offset(enum mm_messages_type type)
{
    switch (type) {
    case MM_MESSAGES_COMMS:
        return offsetof(struct mm_messages_comm, check);
    case MM_MESSAGES_OBJECTS:
        return offsetof(struct mm_messages_object, check);
    case MM_MESSAGES_SITES:
        return offsetof(struct mm_messages_site, check);
    case MM_MESSAGES_RECORDS:
        return offsetof(struct mm_messages_record, check);
    case MM_MESSAGES_HALVES:
        return offsetof(struct mm_messages_half, check);
    case MM_MESSAGES_COLLECTIVES:
        return offsetof(struct mm_messages_collective, check);
    default:
        return 0;
    }
}

static int holds_check(const unsigned char *entry, size_t at)
{
    uint64_t check;

    memcpy(&check, entry + at, sizeof check);
    return check == mm_messages_check(entry, at);
}

/* --- Classes, which change --------------------------------------------------------- */

static uint64_t sum_buckets(const struct mm_messages_class *c, size_t bytes)
{
    uint64_t sum = 0;

    if (bytes == sizeof *c)
        return c->bucket_check;
    for (size_t i = 0; i < MM_MESSAGES_BUCKETS; i++)
        sum += (uint64_t)c->buckets[i] * (2 * i + 1);
    return sum;
}

static int is_whole(const struct mm_messages_class *c, size_t bytes)
{
    return !(c->version & 1) && c->check == mm_messages_class_check(c) &&
           c->bucket_check == sum_buckets(c, bytes);
}

static int is_finite_sum(const struct mm_messages_sum *s)
{
    return isfinite(s->sum) && isfinite(s->weighted) && isfinite(s->variance);
}

static int has_numbers(const struct mm_messages_class *c)
{
    return isfinite(c->weight) && isfinite(c->weight_variance) && isfinite(c->min_ns) &&
           isfinite(c->max_ns) && is_finite_sum(&c->latency) &&
           is_finite_sum(&c->late_sender) && is_finite_sum(&c->late_receiver) &&
           is_finite_sum(&c->transfer);
}

static void wait_a_little(void)
{
    const struct timespec t = {0, 20000};

    nanosleep(&t, NULL);
}

/* Read a class until the copy is consistent: its process may be updating it. Returns 1:
 * use it; 0: leave it out; a negative errno. */
static int settle_class(const struct mm_messages_file *file, uint64_t at,
                        struct mm_messages_class *c, size_t bytes,
                        struct mm_messages_odd *odd, struct cca_error *err)
{
    uint64_t version = c->version;
    int moves = 0;

    if (c->key_check !=
        mm_messages_check(c, offsetof(struct mm_messages_class, key_check))) {
        odd->left[MM_MESSAGES_CLASSES]++;
        return 0;
    }
    for (int i = 0; !is_whole(c, bytes); i++) {
        int code;

        if (i == TRIES || file->sealed)
            break;
        wait_a_little();
        code = mm_messages_file_read(file, at, c, bytes, err);
        if (code)
            return code;
        moves |= c->version != version;
    }
    if (is_whole(c, bytes))
        return 1;
    if (!moves && !(c->version & 1))
        return mm_messages_damaged(file, at, err,
                                   "found a class of messages whose numbers do not fit, "
                                   "expected a good check");
    if (!has_numbers(c))
        return mm_messages_damaged(file, at, err,
                                   "found numbers of a class that are not finite");
    odd->torn++;
    return 1;
}

/* --- Walk -------------------------------------------------------------------------- */

static int is_good(const struct mm_messages_file *file, enum mm_messages_type type,
                   unsigned char *entry, uint64_t at, struct mm_messages_odd *odd,
                   struct cca_error *err)
{
    size_t check = check_offset(type);

    if (type == MM_MESSAGES_CLASSES)
        return settle_class(file, at, (struct mm_messages_class *)(void *)entry,
                            file->entry_bytes[type], odd, err);
    if (type == MM_MESSAGES_CHANNELS)
        return ((const struct mm_messages_channel *)(const void *)entry)->hash != 0;
    if (!check || holds_check(entry, check))
        return 1;
    odd->left[type]++;
    return 0;
}

int mm_messages_file_walk(const struct mm_messages_file *file, enum mm_messages_type type,
                          mm_messages_entry_function function, void *context,
                          struct mm_messages_odd *odd, struct cca_error *err)
{
    size_t bytes = file->entry_bytes[type], room = BLOCK_BYTES / bytes;
    struct mm_messages_odd unwanted = {0};
    unsigned char *block = malloc(room * bytes);
    uint64_t number = 0;
    int code = block ? 0 : cca_no_memory(err);

    for (size_t p = 0; p < file->piece_count && !code; p++) {
        const struct mm_messages_piece_at *piece = &file->pieces[p];

        for (uint32_t from = 0; piece->type == type && from < piece->count && !code;
             from += (uint32_t)room) {
            size_t count = piece->count - from < room ? piece->count - from : room;
            uint64_t at = piece->at + (uint64_t)from * bytes;

            code = mm_messages_file_read(file, at, block, count * bytes, err);
            for (size_t i = 0; i < count && !code; i++) {
                code = is_good(file, type, block + i * bytes, at + i * bytes,
                               odd ? odd : &unwanted, err);
                if (code > 0)
                    code = function(context, block + i * bytes, number);
                number++;
            }
        }
    }
    free(block);
    return code;
}
