/* SPDX-License-Identifier: BSD-3-Clause */
/* truth.c: what a program knows of its own messages. */
#include "tests/messages/programs/truth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAGIC = 0x6d736731 };

uint64_t truth_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    void *grown = array;

    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 256;
    grown = realloc(array, *room * size);
    if (!grown) {
        fprintf(stderr, "truth: out of memory\n");
        abort();
    }
    return grown;
}

void truth_init(struct truth *t, int rank, int thread, int unordered)
{
    memset(t, 0, sizeof *t);
    t->rank = rank;
    t->thread = thread;
    t->unordered = unordered;
    t->serial = (int64_t)thread << 32;
}

void truth_done(struct truth *t)
{
    free(t->counters);
    free(t->sent);
    free(t->received);
    memset(t, 0, sizeof *t);
}

/* The finaliser of splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static uint64_t channel_hash(const struct truth_channel *c)
{
    return mixed(mixed((uint64_t)c->label << 32 | (uint32_t)c->tag) ^
                 ((uint64_t)c->from << 32 | (uint32_t)c->to));
}

static void rehash(struct truth *t, size_t room)
{
    struct truth_counter *old = t->counters;
    const size_t old_room = t->counter_room;

    t->counters = calloc(room, sizeof *t->counters);
    if (!t->counters) {
        fprintf(stderr, "truth: out of memory\n");
        abort();
    }
    t->counter_room = room;
    for (size_t i = 0; i < old_room; i++) {
        size_t at = channel_hash(&old[i].channel) & (room - 1);

        if (!old[i].count)
            continue;
        while (t->counters[at].count)
            at = (at + 1) & (room - 1);
        t->counters[at] = old[i];
    }
    free(old);
}

int64_t truth_next(struct truth *t, const struct truth_channel *channel, int receiving)
{
    struct truth_channel key = *channel;
    struct truth_counter *c;
    size_t at;

    key.tag = 2 * key.tag + receiving;
    if (2 * t->counter_count >= t->counter_room)
        rehash(t, t->counter_room ? 2 * t->counter_room : 256);
    at = channel_hash(&key) & (t->counter_room - 1);
    while (t->counters[at].count && memcmp(&t->counters[at].channel, &key, sizeof key))
        at = (at + 1) & (t->counter_room - 1);
    c = &t->counters[at];
    t->counter_count += c->count == 0;
    c->channel = key;
    return c->count++;
}

static unsigned char filling(uint64_t hash, int i)
{
    return (unsigned char)(hash >> (8 * (i & 7))) ^ (unsigned char)(i >> 3);
}

size_t truth_send(struct truth *t, const struct truth_channel *channel, int size,
                  const char *kind, const char *site, unsigned char *payload)
{
    struct truth_sent *s;
    struct truth_header header = {
        .magic = MAGIC, .size = (uint32_t)size, .channel = *channel};
    uint64_t hash;

    t->sent = grow(t->sent, t->sent_count, &t->sent_room, sizeof *t->sent);
    s = &t->sent[t->sent_count];
    *s = (struct truth_sent){.channel = *channel,
                             .k = truth_next(t, channel, 0),
                             .serial = t->serial++,
                             .size = size,
                             .kind = kind,
                             .site = site};
    hash = mixed(channel_hash(channel) ^ (uint64_t)s->k);
    for (int i = size >= TRUTH_HEADER ? TRUTH_HEADER : 0; i < size; i++)
        payload[i] = filling(hash, i);
    header.k = s->k;
    header.serial = s->serial;
    header.line = (uint32_t)atoi(strrchr(site, ':') + 1);
    header.start_ns = s->start_ns = truth_now();
    if (size >= TRUTH_HEADER)
        memcpy(payload, &header, sizeof header);
    return t->sent_count++;
}

void truth_send_ends(struct truth *t, size_t index)
{
    t->sent[index].end_ns = truth_now();
}

const struct truth_header *truth_header_of(const unsigned char *payload, int size)
{
    const struct truth_header *h = (const void *)payload;

    if ((size >= 0 && size < TRUTH_HEADER) || h->magic != MAGIC)
        return NULL;
    return size >= 0 && h->size != (uint32_t)size ? NULL : h;
}

int truth_right(const struct truth_channel *channel, int64_t k, int size,
                const unsigned char *payload)
{
    const uint64_t hash = mixed(channel_hash(channel) ^ (uint64_t)k);
    const struct truth_header *h = NULL;

    if (size >= TRUTH_HEADER) {
        h = truth_header_of(payload, size);
        if (!h || h->k != k || memcmp(&h->channel, channel, sizeof *channel))
            return 0;
    }
    for (int i = h ? TRUTH_HEADER : 0; i < size; i++)
        if (payload[i] != filling(hash, i))
            return 0;
    return 1;
}

void truth_receive(struct truth *t, const struct truth_received *r)
{
    t->received =
        grow(t->received, t->received_count, &t->received_room, sizeof *t->received);
    t->received[t->received_count++] = *r;
}

static const char *file_name(const char *site)
{
    const char *slash = strrchr(site, '/');

    return slash ? slash + 1 : site;
}

static void write_start(FILE *file, char letter, const struct truth_channel *c, int64_t k,
                        int size, int64_t serial)
{
    fprintf(file, "%c %d %d %d %d %lld %d %lld", letter, c->label, c->from, c->to, c->tag,
            (long long)k, size, (long long)serial);
}

static void write_lines(FILE *file, const struct truth *t)
{
    for (size_t i = 0; i < t->sent_count; i++) {
        const struct truth_sent *s = &t->sent[i];

        write_start(file, t->unordered ? 's' : 'S', &s->channel, s->k, s->size,
                    s->serial);
        fprintf(file, " %llu %llu %s %s\n", (unsigned long long)s->start_ns,
                (unsigned long long)s->end_ns, file_name(s->site), s->kind);
    }
    for (size_t i = 0; i < t->received_count; i++) {
        const struct truth_received *r = &t->received[i];

        write_start(file, t->unordered ? 'r' : 'R', &r->channel, r->k, r->size,
                    r->serial);
        fprintf(file, " %llu %llu %llu %llu %s %s %s\n", (unsigned long long)r->post_ns,
                (unsigned long long)r->enter_ns, (unsigned long long)r->end_ns,
                (unsigned long long)r->last_ns, file_name(r->site),
                file_name(r->done_site), r->kind);
    }
}

int truth_write(const struct truth *t, const char *prefix)
{
    char path[4096];
    FILE *file;
    int error = 0;

    snprintf(path, sizeof path, "%s.%d.%d", prefix, t->rank, t->thread);
    file = fopen(path, "w");
    if (!file) {
        error = -errno;
        fprintf(stderr, "%s: %s\n", path, strerror(-error));
        return error;
    }
    write_lines(file, t);
    if (ferror(file))
        error = -EIO;
    if (fclose(file) && !error)
        error = -errno;
    if (error)
        fprintf(stderr, "%s: %s\n", path, strerror(-error));
    return error;
}
