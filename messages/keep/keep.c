/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.c: the file of a process's messages. */
#include "messages/keep/pieces.h"

#include "messages/join/parts.h"
#include "messages/words/words.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Limits of the file's size: without rows, when tables are small; with a row per sample,
 * room for two million rows. */
enum { LIMIT = 64 << 20, LIMIT_ROWS = 512 << 20, LEAST_LIMIT = 64 << 10, CLASSES = 4096 };

static int init(struct mm_keep *keep, const struct mm_keep_options *options)
{
    const struct mm_message_request *request = options->request;
    int rows = request->analysis == MM_ANALYSIS_WRITE || request->via == MM_VIA_FILES;
    size_t limit = options->limit ? options->limit : rows ? LIMIT_ROWS : LIMIT;
    int result;

    if (limit < LEAST_LIMIT)
        limit = LEAST_LIMIT;
    result = mm_region_init(&keep->region, limit, MM_MESSAGES_HEAD_BYTES);
    if (result)
        return result;
    keep->rows_limit = limit / 4 * 3;
    keep->most_classes = options->classes ? options->classes : CLASSES;
    keep->analysis = options->request->analysis;
    keep->locked = options->locked;
    keep->head = mm_keep_at(keep, 0);
    memcpy(keep->head->magic, MM_MESSAGES_MAGIC, sizeof keep->head->magic);
    keep->head->state = MM_MESSAGES_LIVE;
    keep->head->end = MM_MESSAGES_HEAD_BYTES;
    keep->head->class_bytes = sizeof(struct mm_messages_class);
    if (keep->analysis == MM_ANALYSIS_FREQ)
        keep->head->class_bytes += MM_MESSAGES_BUCKETS * sizeof(uint32_t);
    return 0;
}

struct mm_keep *mm_keep_new(const struct mm_keep_options *options, struct cca_error *err)
{
    struct mm_keep *keep = mm_memory_new(sizeof *keep);

    if (keep && !init(keep, options))
        return keep;
    cca_no_memory(err);
    mm_keep_free(keep);
    return NULL;
}

void mm_keep_free(struct mm_keep *keep)
{
    if (!keep)
        return;
    mm_region_done(&keep->region);
    mm_index_done(&keep->sites);
    mm_index_done(&keep->objects);
    mm_index_done(&keep->comms);
    mm_index_done(&keep->classes);
    mm_memory_free(keep, sizeof *keep);
}

struct mm_messages_head *mm_keep_head(struct mm_keep *keep)
{
    return keep->head;
}

int mm_keep_file(struct mm_keep *keep, const char *path)
{
    const size_t counts = offsetof(struct mm_messages_head, counts);
    int result = -EALREADY;

    mm_keep_lock(keep);
    if (!keep->closed)
        result = mm_region_file(&keep->region, path, counts,
                                counts + sizeof keep->head->counts);
    mm_keep_unlock(keep);
    return result;
}

void mm_keep_forget(struct mm_keep *keep)
{
    keep->closed = 1;
    mm_lock_give(&keep->lock); /* a thread of the parent, which does not exist here, may
                                * have held the lock */
    mm_region_detach(&keep->region);
}

static int write_word(int fd, uint64_t word, size_t at)
{
    ssize_t written = pwrite(fd, &word, sizeof word, (off_t)at);

    return written == (ssize_t)sizeof word ? 0 : written < 0 ? -errno : -EIO;
}

/* Seal the file: nothing in it changes any more, even if a thread still writes to the
 * memory. */
static int seal(struct mm_keep *keep, int fd)
{
    const size_t before =
        offsetof(struct mm_messages_head, unused_first) + sizeof keep->head->unused_first;
    uint64_t end = keep->head->end, check;
    const unsigned char *bytes;
    int result;

    if (ftruncate(fd, (off_t)end))
        return -errno;
    bytes = mmap(NULL, end, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    check = mm_messages_check(bytes + before, end - before);
    munmap((void *)(uintptr_t)bytes, end);
    result = write_word(fd, check, offsetof(struct mm_messages_head, check));
    return result ? result
                  : write_word(fd, MM_MESSAGES_SEALED,
                               offsetof(struct mm_messages_head, state));
}

int mm_keep_seal(struct mm_keep *keep)
{
    int fd, result;

    mm_keep_lock(keep);
    if (keep->closed || !keep->region.filed) {
        result = keep->closed ? -EALREADY : -ENOENT;
    } else {
        keep->closed = 1;
        fd = open(keep->region.path, O_RDWR | O_CLOEXEC);
        result = fd < 0 ? -errno : 0;
        mm_region_detach(&keep->region);
        if (!result)
            result = seal(keep, fd);
        if (fd >= 0)
            close(fd);
    }
    mm_keep_unlock(keep);
    return result;
}

struct mm_messages_channel *mm_keep_channel(struct mm_keep *keep)
{
    struct mm_messages_channel *channel;

    mm_keep_lock(keep);
    channel = mm_keep_entry(keep, MM_MESSAGES_CHANNELS);
    if (channel)
        mm_keep_entry_done(keep, MM_MESSAGES_CHANNELS);
    mm_keep_unlock(keep);
    return channel;
}

void mm_keep_sample(struct mm_keep *keep, const struct mm_messages_half *send,
                    const struct mm_messages_half *recv,
                    const struct mm_message_times *times)
{
    struct mm_messages_record *record;

    mm_keep_lock(keep);
    if (times->suspect)
        mm_keep_count(keep, MM_MESSAGES_SUSPECT);
    if (keep->analysis == MM_ANALYSIS_WRITE) {
        record = mm_keep_entry(keep, MM_MESSAGES_RECORDS);
        if (record) {
            record->send = *send;
            record->recv = *recv;
            record->check =
                mm_messages_check(record, offsetof(struct mm_messages_record, check));
            mm_keep_entry_done(keep, MM_MESSAGES_RECORDS);
        } else {
            mm_keep_count(keep, MM_MESSAGES_DROPPED_LIMIT);
        }
    } else if (keep->analysis != MM_ANALYSIS_OFF && !times->suspect) {
        mm_keep_class_add(keep, send, recv, times);
    }
    mm_keep_unlock(keep);
}

void mm_keep_half(struct mm_keep *keep, const struct mm_messages_half *half)
{
    struct mm_messages_half *entry;

    mm_keep_lock(keep);
    entry = mm_keep_entry(keep, MM_MESSAGES_HALVES);
    if (entry) {
        *entry = *half;
        entry->check = mm_messages_check(entry, offsetof(struct mm_messages_half, check));
        mm_keep_entry_done(keep, MM_MESSAGES_HALVES);
    } else {
        mm_keep_count(keep, MM_MESSAGES_DROPPED_LIMIT);
    }
    mm_keep_unlock(keep);
}

void mm_keep_collective(struct mm_keep *keep, const struct mm_messages_collective *part)
{
    struct mm_messages_collective *entry;

    mm_keep_lock(keep);
    entry = mm_keep_entry(keep, MM_MESSAGES_COLLECTIVES);
    if (entry) {
        *entry = *part;
        entry->check =
            mm_messages_check(entry, offsetof(struct mm_messages_collective, check));
        mm_keep_entry_done(keep, MM_MESSAGES_COLLECTIVES);
    } else {
        mm_keep_count(keep, MM_MESSAGES_DROPPED_LIMIT);
    }
    mm_keep_unlock(keep);
}
