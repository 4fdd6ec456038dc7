/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c: open the file of one process's messages and validate its structure. */
#include "messages/read/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "messages/read/parts.h"

enum { MOST_PROCESSES = 1 << 26 };

int mm_messages_damaged(const struct mm_messages_file *file, uint64_t offset,
                        struct cca_error *err, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cca_error_set(err, -EBADMSG, "%s: offset %llu: %s", file->path,
                         (unsigned long long)offset, text);
}

int mm_messages_file_read(const struct mm_messages_file *file, uint64_t at, void *to,
                          size_t bytes, struct cca_error *err)
{
    size_t done = 0;

    while (done < bytes) {
        ssize_t got =
            pread(file->fd, (char *)to + done, bytes - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cca_error_set(err, -EIO, "%s: %s", file->path, strerror(errno));
        if (got == 0)
            return mm_messages_damaged(file, at + done, err,
                                       "found the end of the file, expected %zu bytes",
                                       bytes - done);
        done += (size_t)got;
    }
    return 0;
}

/* --- Sealed files ------------------------------------------------------------------ */

/* Verify the check values (mm_block_check) of a part of the file, block by block, as in
 * layout.h. */
static int check_bytes(const struct mm_messages_file *file, uint64_t at, uint64_t end,
                       uint64_t *check, struct cca_error *err)
{
    enum { BLOCK = 1 << 16 };
    uint64_t seed = MM_CHECK_START, hash = (end - at) * mm_check_k[4];
    uint64_t lanes[4] = {seed, seed ^ mm_check_k[1], seed ^ mm_check_k[2],
                         seed ^ mm_check_k[3]};
    unsigned char *block = malloc(BLOCK);
    int code = block ? 0 : cca_no_memory(err);

    while (!code && at < end) {
        size_t bytes = end - at < BLOCK ? (size_t)(end - at) : BLOCK, i = 0;

        code = mm_messages_file_read(file, at, block, bytes, err);
        for (; !code && bytes - i >= 32; i += 32)
            for (size_t lane = 0; lane < 4; lane++)
                lanes[lane] = mm_block_lane(lanes[lane], block + i + 8 * lane);
        for (; !code && bytes - i >= 8; i += 8)
            lanes[0] = mm_block_lane(lanes[0], block + i);
        at += bytes;
    }
    free(block);
    for (size_t lane = 0; lane < 4; lane++)
        hash = (hash ^ lanes[lane]) * mm_check_k[6] + (hash >> 29);
    *check = hash;
    return code;
}

static int check_sealed(const struct mm_messages_file *file, uint64_t size,
                        struct cca_error *err)
{
    uint64_t check;
    int code;

    if (file->head.end != size)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, end), err,
                                   "found an end at %llu in a file of %llu bytes, "
                                   "expected both equal",
                                   (unsigned long long)file->head.end,
                                   (unsigned long long)size);
    code = check_bytes(file, 64, size, &check, err);
    if (!code && check != file->head.check)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, check), err,
                                   "found the check %016llx of all bytes, expected "
                                   "%016llx",
                                   (unsigned long long)file->head.check,
                                   (unsigned long long)check);
    return code;
}

/* --- The header -------------------------------------------------------------------- */

static int is_ended(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static int check_clock(const struct mm_messages_file *file, struct cca_error *err)
{
    const struct mm_messages_head *h = &file->head;

    if (!(h->ns_per_tick > 0 && h->ns_per_tick < 1e9))
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, ns_per_tick),
                                   err, "found %g ns a tick, expected a clock",
                                   h->ns_per_tick);
    if (h->clock_points > MM_MESSAGES_CLOCK_POINTS)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, clock_points),
                                   err,
                                   "found %u points of the clock, expected at most %d",
                                   h->clock_points, MM_MESSAGES_CLOCK_POINTS);
    for (uint32_t i = 0; i < h->clock_points; i++) {
        const struct mm_messages_clock_point *p = &h->points[i];

        if (!isfinite(p->offset_ns) || !(p->bound_ns >= 0) || !isfinite(p->bound_ns) ||
            (i && p->ticks < h->points[i - 1].ticks))
            return mm_messages_damaged(
                file, offsetof(struct mm_messages_head, points) + i * sizeof *p, err,
                "found no good point of the clock, expected finite ones by time");
    }
    return 0;
}

static int check_head(const struct mm_messages_file *file, int rank,
                      struct cca_error *err)
{
    const struct mm_messages_head *h = &file->head;

    if (h->process != rank || h->processes < 1 || h->processes > MOST_PROCESSES ||
        h->process >= h->processes)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, process), err,
                                   "found process %d of %d, expected process %d",
                                   h->process, h->processes, rank);
    if (!is_ended(h->request, sizeof h->request) || !is_ended(h->host, sizeof h->host))
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, request), err,
                                   "found texts without an end, expected a request and a "
                                   "host");
    if (h->class_bytes != sizeof(struct mm_messages_class) &&
        h->class_bytes !=
            sizeof(struct mm_messages_class) + MM_MESSAGES_BUCKETS * sizeof(uint32_t))
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, class_bytes),
                                   err, "found classes of %u bytes, expected %zu or %zu",
                                   h->class_bytes, sizeof(struct mm_messages_class),
                                   sizeof(struct mm_messages_class) +
                                       MM_MESSAGES_BUCKETS * sizeof(uint32_t));
    return check_clock(file, err);
}

static void fill_entry_bytes(struct mm_messages_file *file)
{
    uint32_t *bytes = file->entry_bytes;

    bytes[MM_MESSAGES_COMMS] = sizeof(struct mm_messages_comm);
    bytes[MM_MESSAGES_OBJECTS] = sizeof(struct mm_messages_object);
    bytes[MM_MESSAGES_SITES] = sizeof(struct mm_messages_site);
    bytes[MM_MESSAGES_CHANNELS] = sizeof(struct mm_messages_channel);
    bytes[MM_MESSAGES_CLASSES] = file->head.class_bytes;
    bytes[MM_MESSAGES_RECORDS] = sizeof(struct mm_messages_record);
    bytes[MM_MESSAGES_HALVES] = sizeof(struct mm_messages_half);
    bytes[MM_MESSAGES_COLLECTIVES] = sizeof(struct mm_messages_collective);
}

/* --- Pieces ------------------------------------------------------------------------ */

/* Check the header of a piece of the file. Returns 1: valid; 0: not written yet. */
static int check_piece(const struct mm_messages_file *file, uint64_t at,
                       const struct mm_messages_piece *piece, struct cca_error *err)
{
    uint64_t end = file->head.end;

    if (!piece->type && !file->sealed)
        return 0;
    if (piece->check != mm_messages_piece_check(piece->type, piece))
        return mm_messages_damaged(file, at, err,
                                   "found no piece, expected one with a good check");
    if (piece->bytes % MM_MESSAGES_HEAD_BYTES || piece->bytes < sizeof *piece ||
        piece->bytes > end - at || !piece->entry_bytes ||
        piece->capacity > (piece->bytes - sizeof *piece) / piece->entry_bytes ||
        piece->count > piece->capacity)
        return mm_messages_damaged(file, at, err,
                                   "found a piece of %llu bytes with %u of %u entries of "
                                   "%u, expected one that fits",
                                   (unsigned long long)piece->bytes, piece->count,
                                   piece->capacity, piece->entry_bytes);
    if (piece->type < MM_MESSAGES_TYPES &&
        piece->entry_bytes != file->entry_bytes[piece->type])
        return mm_messages_damaged(file, at, err,
                                   "found entries of %u bytes, expected %u",
                                   piece->entry_bytes, file->entry_bytes[piece->type]);
    return 1;
}

static int read_pieces(struct mm_messages_file *file, struct cca_error *err)
{
    uint64_t at = MM_MESSAGES_HEAD_BYTES;

    while (at < file->head.end) {
        struct mm_messages_piece piece;
        struct mm_messages_piece_at *kept;
        int code;

        if (file->head.end - at < MM_MESSAGES_HEAD_BYTES)
            return mm_messages_damaged(
                file, at, err, "found %llu bytes, expected a piece of whole pages",
                (unsigned long long)(file->head.end - at));
        code = mm_messages_file_read(file, at, &piece, sizeof piece, err);
        if (!code)
            code = check_piece(file, at, &piece, err);
        if (code <= 0)
            return code;
        kept = cca_array_add(&file->pieces, &file->piece_count, sizeof *kept);
        if (!kept)
            return cca_no_memory(err);
        *kept = (struct mm_messages_piece_at){at + sizeof piece, piece.type, piece.count};
        if (piece.type < MM_MESSAGES_TYPES)
            file->entries[piece.type] += piece.count;
        at += piece.bytes;
    }
    return 0;
}

/* --- Open and close ---------------------------------------------------------------- */

static int read_head(struct mm_messages_file *file, int rank, struct cca_error *err)
{
    static const char nothing[8];
    struct mm_messages_head *h = &file->head;
    struct stat st;
    int code;

    if (fstat(file->fd, &st))
        return cca_error_set(err, -EIO, "%s: %s", file->path, strerror(errno));
    if (st.st_size == 0)
        return -EAGAIN;
    code = mm_messages_file_read(file, 0, h, sizeof *h, err);
    if (code)
        return code;
    if (!memcmp(h->magic, nothing, sizeof nothing) && !h->state)
        return -EAGAIN;
    if (memcmp(h->magic, MM_MESSAGES_MAGIC, sizeof h->magic) != 0)
        return mm_messages_damaged(file, 0, err,
                                   "found another kind of file, or another version, "
                                   "expected messages");
    file->sealed = h->state == MM_MESSAGES_SEALED;
    if (!file->sealed && h->state != MM_MESSAGES_LIVE)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, state), err,
                                   "found the state %016llx, expected live or sealed",
                                   (unsigned long long)h->state);
    if (fstat(file->fd, &st)) /* the size again: the file may have grown before its
                               * process wrote `end` */
        return cca_error_set(err, -EIO, "%s: %s", file->path, strerror(errno));
    if (h->end < MM_MESSAGES_HEAD_BYTES || h->end > (uint64_t)st.st_size)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, end), err,
                                   "found an end at %llu in a file of %lld bytes",
                                   (unsigned long long)h->end, (long long)st.st_size);
    if (file->sealed && (code = check_sealed(file, (uint64_t)st.st_size, err)))
        return code;
    return check_head(file, rank, err);
}

int mm_messages_file_open(struct mm_messages_file *file, const char *path, int rank,
                          struct cca_error *err)
{
    int code;

    memset(file, 0, sizeof *file);
    file->path = path;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? -ENOENT
                   : cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    code = read_head(file, rank, err);
    if (code)
        return code;
    fill_entry_bytes(file);
    return read_pieces(file, err);
}

void mm_messages_file_close(struct mm_messages_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
    free(file->pieces);
    file->pieces = NULL;
    file->piece_count = 0;
}
