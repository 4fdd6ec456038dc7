/* SPDX-License-Identifier: BSD-3-Clause */
/* message_files.h: files of messages made by hand, entry by entry, from the layout alone,
 * in an experiment with the least that a reader needs. */
#ifndef TESTS_MESSAGES_MESSAGE_FILES_H
#define TESTS_MESSAGES_MESSAGE_FILES_H

#include "tests/lib/test.h"

#include "mastermind/format/json_check.h"
#include "mastermind/format/messages_file.h"

/* A file under construction. */
struct made_file {
    unsigned char *bytes;
    size_t size;
    size_t piece; /* offset of the piece that entries are added to; 0: none */
};

static inline struct mm_messages_head *made_head(struct made_file *file)
{
    return (struct mm_messages_head *)(void *)file->bytes;
}

static inline void made_grow(struct made_file *file, size_t size)
{
    file->bytes = realloc(file->bytes, size);
    assert_non_null(file->bytes);
    memset(file->bytes + file->size, 0, size - file->size);
    file->size = size;
}

static inline void made_begin(struct made_file *file, const char *request, int process,
                              int processes)
{
    struct mm_messages_head *head;

    memset(file, 0, sizeof *file);
    made_grow(file, MM_MESSAGES_HEAD_BYTES);
    head = made_head(file);
    memcpy(head->magic, MM_MESSAGES_MAGIC, sizeof head->magic);
    head->state = MM_MESSAGES_LIVE;
    snprintf(head->request, sizeof head->request, "%s", request);
    snprintf(head->host, sizeof head->host, "node%d", process / 2);
    head->seed = 7;
    head->process = process;
    head->processes = processes;
    head->flags = MM_MESSAGES_TSC | MM_MESSAGES_ONE_NODE;
    head->frames = 1;
    head->class_bytes = sizeof(struct mm_messages_class) +
                        MM_MESSAGES_BUCKETS * (unsigned)sizeof(uint32_t);
    head->job = 42;
    head->node = 1;
    head->ns_per_tick = .5;
    head->epoch_ticks = 1000;
}

/* A piece for `capacity` entries of a type; entries go into the newest. */
static inline void made_piece(struct made_file *file, uint32_t type, uint32_t entry_bytes,
                              uint32_t capacity)
{
    size_t at = file->size;
    size_t bytes = sizeof(struct mm_messages_piece) + (size_t)entry_bytes * capacity;
    struct mm_messages_piece *piece;

    bytes = (bytes + 4095) / 4096 * 4096;
    made_grow(file, at + bytes);
    piece = (struct mm_messages_piece *)(void *)(file->bytes + at);
    piece->type = type;
    piece->entry_bytes = entry_bytes;
    piece->capacity = capacity;
    piece->bytes = bytes;
    piece->check = mm_messages_piece_check(type, piece);
    file->piece = at;
}

/* The next entry of the newest piece: zeros, counted. */
static inline void *made_entry(struct made_file *file)
{
    struct mm_messages_piece *piece =
        (struct mm_messages_piece *)(void *)(file->bytes + file->piece);

    assert_true(piece->count < piece->capacity);
    return file->bytes + file->piece + sizeof *piece +
           (size_t)piece->entry_bytes * piece->count++;
}

/* Add a copy of an entry that is written once. */
#define MADE_ADD(file, type_name, ...)                                                   \
    do {                                                                                 \
        struct type_name made_copy = __VA_ARGS__;                                        \
                                                                                         \
        made_copy.check =                                                                \
            mm_messages_check(&made_copy, offsetof(struct type_name, check));            \
        memcpy(made_entry(file), &made_copy, sizeof made_copy);                          \
    } while (0)

static inline void made_channel(struct made_file *file, int peer, int tag, uint32_t side,
                                uint64_t count, uint64_t bytes, uint64_t sampled)
{
    struct mm_messages_channel channel = {.comm = 1,
                                          .peer = peer,
                                          .tag = tag,
                                          .side = side,
                                          .hash = 1,
                                          .count = count,
                                          .bytes = bytes,
                                          .sampled = sampled};

    memcpy(made_entry(file), &channel, sizeof channel);
}

/* Add a sample to a class of the newest piece, which has buckets. */
static inline void made_sample(struct mm_messages_class *c, double p, uint64_t bytes,
                               double latency, double late_sender, double late_receiver,
                               double transfer, int bucket)
{
    const double x[] = {latency, late_sender, late_receiver, transfer};
    struct mm_messages_sum *sums[] = {&c->latency, &c->late_sender, &c->late_receiver,
                                      &c->transfer};

    if (!c->count || latency < c->min_ns)
        c->min_ns = latency;
    if (!c->count || latency > c->max_ns)
        c->max_ns = latency;
    c->count++;
    c->bytes += bytes;
    c->weight += p > 0 ? 1 / p : 0;
    c->weight_variance += p > 0 ? (1 - p) / (p * p) : 0;
    for (size_t i = 0; i < 4; i++) {
        sums[i]->sum += x[i];
        sums[i]->weighted += p > 0 ? x[i] / p : 0;
        sums[i]->variance += p > 0 ? x[i] * x[i] * (1 - p) / (p * p) : 0;
        sums[i]->count += x[i] > 0;
    }
    c->buckets[bucket]++;
    c->bucket_check += 2 * (uint64_t)bucket + 1;
    c->version += 2;
}

/* The class is complete: its checks. */
static inline void made_class_end(struct mm_messages_class *c)
{
    c->key_check = mm_messages_check(c, offsetof(struct mm_messages_class, key_check));
    c->check = mm_messages_class_check(c);
}

static inline void made_end(struct made_file *file, int sealed)
{
    struct mm_messages_head *head = made_head(file);

    head->end = file->size;
    if (!sealed)
        return;
    head->state = MM_MESSAGES_SEALED;
    head->check = mm_block_check(file->bytes + 64, file->size - 64, MM_CHECK_START);
}

/* In place: a file system may write out at once what is cut to nothing first. */
static inline void made_write(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, 0), size);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(close(fd), 0);
}

static inline void made_json(const char *path, const char *members)
{
    char digits[MM_JSON_CHECK_DIGITS + 1], text[2048], rest[1024];

    snprintf(rest, sizeof rest, "\", %s}", members);
    mm_json_check(rest, strlen(rest), digits);
    snprintf(text, sizeof text, "%s%s%s", MM_JSON_CHECK_KEY, digits, rest);
    made_write(path, text, strlen(text));
}

/* An experiment of `ranks` in the folder `path`, which is made, without messages. */
static inline void made_experiment(const char *path, int ranks)
{
    char name[PATH_MAX + 64], members[600];

    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(members, sizeof members,
             "\"format\": 1, \"schema\": \"mastermind/experiment/1\", \"ranks\": %d, "
             "\"finished\": true, \"mpi_time\": false, \"cpu_time\": false, \"clock\": "
             "{\"name\": \"tsc\", \"ns_per_tick\": 0.5, \"epoch_ticks\": 1000, "
             "\"epoch_ns\": 5}, \"totals\": {\"rows\": 0, \"dropped\": 0}",
             ranks);
    snprintf(name, sizeof name, "%s/experiment.json", path);
    made_json(name, members);
    for (int i = 0; i < ranks; i++) {
        snprintf(name, sizeof name, "%s/rank-%04d", path, i);
        assert_int_equal(mkdir(name, 0777), 0);
    }
}

/* Write the file of a rank, and free it. */
static inline void made_done(struct made_file *file, const char *experiment)
{
    char name[PATH_MAX + 64];

    snprintf(name, sizeof name, "%s/rank-%04d/" MM_MESSAGES_FILE, experiment,
             made_head(file)->process);
    made_write(name, file->bytes, file->size);
    free(file->bytes);
    memset(file, 0, sizeof *file);
}

/* A fresh folder for a test, to be removed with made_remove. */
enum { MADE_PATH = 1000 };
static inline void made_folder(char path[MADE_PATH])
{
    snprintf(path, MADE_PATH, "%s/messages-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(path));
}

static inline void made_remove(const char *path)
{
    char command[PATH_MAX + 20];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

#endif
