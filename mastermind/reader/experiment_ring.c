/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_ring.c: copy a thread's ring, and check the copy before use. */
#include "mastermind/reader/experiment_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WINDOW = 64 << 20, MAX_RING = 256 << 20, MAX_FRAMES = 1 << 16, TRIES = 100 };

long long mm_file_read(int fd, void *to, size_t bytes, uint64_t offset)
{
    size_t done = 0;
    ssize_t n;

    while (done < bytes) {
        n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (!n)
            break;
        done += (size_t)n;
    }
    return (long long)done;
}

int mm_file_head_check(const struct mm_file_head *head, uint64_t magic, uint64_t oldest,
                       uint32_t thread, const char *path, struct cca_error *err)
{
    int version = (int)(head->magic >> 56), same = !((head->magic ^ magic) << 8);

    if (same && (version > (int)(magic >> 56) || version < (int)(oldest >> 56)))
        return cca_error_set(err, -EBADMSG,
                             "%s: offset 7: found version %d of this file, expected"
                             " %d: another version of Mastermind recorded it",
                             path, version, (int)(magic >> 56));
    if (!same)
        return cca_error_set(err, -EBADMSG,
                             "%s: offset 0: found magic %016" PRIx64
                             ", expected %016" PRIx64,
                             path, head->magic, magic);
    if (head->format != MM_FORMAT)
        return cca_error_set(err, -EBADMSG,
                             "%s: offset 8: found format %" PRIu32 ", expected %d", path,
                             head->format, MM_FORMAT);
    if (head->check != mm_block_check(head, offsetof(struct mm_file_head, check), 0))
        return cca_error_set(err, -EBADMSG,
                             "%s: offset 0: found a damaged head, expected one"
                             " that fits its check",
                             path);
    if (head->thread != thread)
        return cca_error_set(err, -EBADMSG,
                             "%s: offset 12: found thread %" PRIu32 ", expected %" PRIu32,
                             path, head->thread, thread);
    if (head->window_bytes < 4096 || head->window_bytes > MAX_WINDOW ||
        head->window_bytes % 4096 || !head->window_count ||
        (uint64_t)head->window_bytes * head->window_count > MAX_RING ||
        head->frame_bytes != MM_FRAME_BYTES || !head->frame_count ||
        head->frame_count > MAX_FRAMES || head->counters > MM_MAX_COUNTERS ||
        !(head->ns_per_tick > 0 && head->ns_per_tick < 1e9))
        return cca_error_set(err, -EBADMSG, "%s: offset 16: found sizes out of range",
                             path);
    return 0;
}

static int read_exactly(int fd, void *to, size_t bytes, uint64_t offset, const char *path,
                        struct cca_error *err)
{
    long long n = mm_file_read(fd, to, bytes, offset);

    if (n < 0)
        return cca_error_set(err, -EIO, "%s: %s", path, strerror((int)-n));
    if ((size_t)n < bytes)
        return cca_error_set(err, -EBADMSG,
                             "%s: offset %" PRIu64
                             ": found the end of the file, expected %zu"
                             " more bytes",
                             path, offset + (uint64_t)n, bytes - (size_t)n);
    return 0;
}

/* Read the ring's counters of calls until two readings agree, or give up if the thread is
 * too fast. */
int mm_ring_live_read(int fd, struct mm_ring_live *live, const char *path,
                      struct cca_error *err)
{
    struct mm_ring_live again;
    int i, code = read_exactly(fd, live, sizeof *live, MM_LIVE_OFFSET, path, err);

    for (i = 0; !code && i < TRIES; i++) {
        code = read_exactly(fd, &again, sizeof again, MM_LIVE_OFFSET, path, err);
        if (!code && !memcmp(live, &again, sizeof again))
            break;
        *live = again;
    }
    if (!code && (!mm_count_holds(live->dropped) || !mm_count_holds(live->nested) ||
                  !mm_count_holds(live->limited) || mm_count_read(&live->limited) > 1 ||
                  !mm_count_holds(live->ended)))
        return cca_error_set(err, -EBADMSG,
                             "%s: offset %d: found damaged counters, expected some"
                             " that fit their checks",
                             path, MM_LIVE_OFFSET);
    return code;
}

/* Add the open frames of one chunk, up to its first closed slot. Returns 1 if all slots
 * were open, else 0; or a negative errno. */
static int read_chunk(int fd, struct mm_ring_copy *copy, size_t slots, uint64_t offset,
                      const char *path, struct cca_error *err)
{
    size_t bytes = slots * MM_FRAME_BYTES, i;
    struct mm_frame *grown =
        realloc(copy->frames, copy->frame_count * MM_FRAME_BYTES + bytes);
    int code;

    if (!grown)
        return cca_no_memory(err);
    copy->frames = grown;
    code = read_exactly(fd, grown + copy->frame_count, bytes, offset, path, err);
    if (code)
        return code;
    for (i = 0; i < slots; i++)
        if (!grown[copy->frame_count + i].check)
            break;
    copy->frame_count += i;
    return i == slots;
}

/* Read the chunks of frames, which follow each other; each is twice as long as the
 * previous one, and the first is before the windows. */
static int read_frames(int fd, struct mm_ring_copy *copy, uint64_t size, const char *path,
                       struct cca_error *err)
{
    size_t slots = copy->head.frame_count;
    uint64_t windows = (uint64_t)copy->head.window_bytes * copy->head.window_count;
    uint64_t offset = MM_HEAD_BYTES + (uint64_t)slots * MM_FRAME_BYTES + windows;
    int code = read_chunk(fd, copy, slots, MM_HEAD_BYTES, path, err), chunk;

    for (chunk = 1; code == 1 && chunk < MM_FRAME_CHUNKS; chunk++) {
        slots *= 2;
        if (offset + (uint64_t)slots * MM_FRAME_BYTES > size)
            return 0; /* the file has no further chunk of frames: all slots before have
                         open invocations */
        code = read_chunk(fd, copy, slots, offset, path, err);
        offset += (uint64_t)slots * MM_FRAME_BYTES;
    }
    return code < 0 ? code : 0;
}

static int frame_fits(const struct mm_frame *frame)
{
    uint64_t sum = mm_frame_sum(frame->method, frame->count, frame->invocation);
    uint32_t i;

    if (frame->count > 16)
        return 0;
    for (i = 0; i < frame->count; i++)
        sum = mm_frame_value(sum, i, frame->values[i]);
    return frame->check == mm_frame_check(sum, frame->start);
}

/* Remove frames that changed while they were copied. If the ring did not change, a frame
 * with a wrong check sum is damaged. */
static int sift_frames(struct mm_ring_copy *copy, const char *path, struct cca_error *err)
{
    struct mm_frame *frame;
    size_t i, kept = 0;
    int good;

    for (i = 0; i < copy->frame_count; i++) {
        frame = &copy->frames[i];
        good = frame_fits(frame);
        if (good && kept)
            good = frame->invocation > copy->frames[kept - 1].invocation;
        if (!good && !copy->moving)
            return cca_error_set(err, -EBADMSG,
                                 "%s: frame %zu: found a damaged open invocation,"
                                 " expected one that fits its check",
                                 path, i);
        if (good)
            copy->frames[kept++] = *frame;
    }
    copy->frame_count = kept;
    return 0;
}

static int copy_open(int fd, struct mm_ring_copy *copy, const char *path, uint32_t thread,
                     struct cca_error *err)
{
    struct mm_ring_live after;
    struct stat st;
    uint64_t windows;
    int code = read_exactly(fd, &copy->head, sizeof copy->head, 0, path, err);

    if (!code)
        code = mm_file_head_check(&copy->head, MM_RING_MAGIC, MM_RING_MAGIC_OLDEST,
                                  thread, path, err);
    if (!code && fstat(fd, &st))
        code = cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    if (code)
        return code;
    windows = (uint64_t)copy->head.window_bytes * copy->head.window_count;
    copy->windows = malloc(windows);
    if (!copy->windows)
        return cca_no_memory(err);
    code = mm_ring_live_read(fd, &copy->live, path, err);
    if (!code)
        code = read_frames(fd, copy, (uint64_t)st.st_size, path, err);
    if (!code)
        code = read_exactly(
            fd, copy->windows, windows,
            MM_HEAD_BYTES + (uint64_t)copy->head.frame_count * MM_FRAME_BYTES, path, err);
    if (!code)
        code = mm_ring_live_read(fd, &after, path, err);
    if (code)
        return code;
    copy->moving = memcmp(&copy->live, &after, sizeof after) != 0;
    return sift_frames(copy, path, err);
}

int mm_ring_copy(struct mm_ring_copy *copy, const char *path, uint32_t thread,
                 struct cca_error *err)
{
    int fd, code;

    memset(copy, 0, sizeof *copy);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT
                   ? -ENOENT
                   : cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    code = copy_open(fd, copy, path, thread, err);
    close(fd);
    return code;
}

/* Copy the frames of a ring once more, into `again`. Returns 0; 1: the ring does not
 * exist any more; or a negative errno. */
static int read_frames_again(const char *path, struct mm_ring_copy *again,
                             struct cca_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code;
    struct stat st;

    if (fd < 0)
        return errno == ENOENT
                   ? 1
                   : cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    code = fstat(fd, &st) ? cca_error_set(err, -EIO, "%s: %s", path, strerror(errno)) : 0;
    if (!code)
        code = read_frames(fd, again, (uint64_t)st.st_size, path, err);
    if (!code)
        code = mm_ring_live_read(fd, &again->live, path, err);
    close(fd);
    return code;
}

int mm_ring_still_open(struct mm_ring_copy *copy, const char *path, struct cca_error *err)
{
    struct mm_ring_copy again = {.head = copy->head};
    size_t same = 0;
    int code = read_frames_again(path, &again, err);

    again.moving =
        copy->moving || code > 0 || memcmp(&copy->live, &again.live, sizeof again.live);
    if (!code)
        code = sift_frames(&again, path, err);
    while (code >= 0 && same < copy->frame_count && same < again.frame_count &&
           again.frames[same].invocation == copy->frames[same].invocation &&
           again.frames[same].start == copy->frames[same].start)
        same++;
    if (code < 0) {
        free(again.frames);
        return code;
    }
    free(copy->frames);
    copy->frames = again.frames;
    copy->frame_count = same;
    copy->moving = again.moving;
    return 0;
}

void mm_ring_free(struct mm_ring_copy *copy)
{
    free(copy->windows);
    free(copy->frames);
}

static const struct mm_window_head *window_at(const struct mm_ring_copy *copy, uint32_t i)
{
    const struct mm_window_head *w =
        (const void *)(copy->windows + (size_t)i * copy->head.window_bytes);

    if (w->check != (mm_block_check(w, offsetof(struct mm_window_head, check), 0) | 1))
        return NULL;
    return w;
}

const struct mm_window_head *mm_ring_window(const struct mm_ring_copy *copy, uint64_t seq)
{
    const struct mm_window_head *w;
    uint32_t i;

    for (i = 0; copy->windows && i < copy->head.window_count; i++) {
        w = window_at(copy, i);
        if (w && w->seq == seq)
            return w;
    }
    return NULL;
}

size_t mm_ring_row(const struct mm_ring_copy *copy, const struct mm_window_head *window,
                   const uint64_t *at, uint64_t number)
{
    const char *end = (const char *)window + copy->head.window_bytes;
    size_t room = (size_t)(end - (const char *)at) / 8, words;

    if (!room)
        return 0;
    words = mm_row_words(*at);
    if (words < 4 || words > MM_ROW_MAX_WORDS || words > room ||
        !mm_row_check_holds(at, words, number))
        return 0;
    return words;
}

/* Find the number after the last row of all windows, and how many rows have the status
 * longjmp. */
static void survey_windows(const struct mm_ring_copy *copy, uint64_t *end,
                           uint64_t *longjmps)
{
    const struct mm_window_head *w;
    const uint64_t *at;
    uint64_t number;
    size_t words;
    uint32_t i;

    *end = *longjmps = 0;
    for (i = 0; copy->windows && i < copy->head.window_count; i++) {
        w = window_at(copy, i);
        if (!w)
            continue;
        number = w->first_row;
        at = (const uint64_t *)(w + 1);
        for (; (words = mm_ring_row(copy, w, at, number)) > 0; at += words) {
            number += !mm_is_reading(*at);
            *longjmps += ((*at >> MM_ROW_STATUS_SHIFT) & 3) == MM_STATUS_LONGJMP;
        }
        if (number > *end)
            *end = number;
    }
}

int mm_ring_longjmps(const struct mm_ring_copy *copy)
{
    uint64_t end, longjmps;

    survey_windows(copy, &end, &longjmps);
    return longjmps > 0;
}

uint64_t mm_ring_end(const struct mm_ring_copy *copy)
{
    uint64_t end, longjmps;

    survey_windows(copy, &end, &longjmps);
    return end;
}
