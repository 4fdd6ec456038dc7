/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c: compress files of a finished experiment. */
#include "mastermind/pack/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"

#ifdef MM_ZSTD
#include <zstd.h>

enum { PIECE = 1 << 20, KEPT = 4 };

/* A file that is larger than this when unpacked is unpacked to disk, not into memory. */
#define IN_MEMORY ((uint64_t)1 << 30)
/* Largest unpacked size that a packed file may state, as a multiple of its packed size.
 * Rows become 4 to 20 times as long when unpacked, empty tables more. */
#define MOST_TIMES ((uint64_t)20000)
#define ALWAYS_ALLOWED ((uint64_t)64 << 20)

/* --- Pieces --------------------------------------------------------------- */

static int failed(struct cca_error *err, const char *path, int code)
{
    return cca_error_set(err, code, "%s: %s", path, strerror(-code));
}

static int damaged(struct cca_error *err, const char *path, const char *what)
{
    return cca_error_set(err, -EBADMSG, "%s: found %s, expected one whole frame of zstd",
                         path, what);
}

static ssize_t read_some(int fd, void *data, size_t bytes)
{
    ssize_t n;

    do {
        n = read(fd, data, bytes);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* --- Unpacking ------------------------------------------------------------ */

/* Read the unpacked size stated in the frame of a packed file. Returns 0 or a negative
 * errno. */
static int stated_size(int fd, const char *path, uint64_t packed, uint64_t *size,
                       struct cca_error *err)
{
    unsigned char head[64];
    ssize_t n = pread(fd, head, sizeof head, 0);
    unsigned long long stated =
        n > 0 ? ZSTD_getFrameContentSize(head, (size_t)n) : ZSTD_CONTENTSIZE_ERROR;

    if (stated == ZSTD_CONTENTSIZE_ERROR)
        return damaged(err, path, "another beginning");
    if (stated == ZSTD_CONTENTSIZE_UNKNOWN)
        return damaged(err, path, "a frame that does not state its size");
    if (stated > ALWAYS_ALLOWED && stated > packed * MOST_TIMES)
        return damaged(err, path, "a frame that claims an impossible size");
    *size = stated;
    return 0;
}

/* Unpack the file `from` to `to`; if `to` is -1, compare with the file `same`. */
static int unpack(int from, const char *path, uint64_t size, int to, int same,
                  struct cca_error *err)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    char *in = malloc(PIECE), *out = malloc(PIECE), *other = malloc(PIECE);
    ZSTD_inBuffer source = {in, 0, 0};
    uint64_t done = 0;
    size_t left = 1;
    int status = stream && in && out && other ? 0 : cca_no_memory(err);

    if (!status && lseek(from, 0, SEEK_SET) != 0)
        status = failed(err, path, -errno);
    while (!status) {
        ZSTD_outBuffer target = {out, PIECE, 0};

        if (source.pos == source.size) {
            ssize_t n = read_some(from, in, PIECE);

            if (n < 0)
                status = failed(err, path, -errno);
            if (n == 0 && left)
                status = damaged(err, path, "its end");
            if (n <= 0)
                break;
            if (!left) {
                status = damaged(err, path, "more behind the frame");
                break;
            }
            source = (ZSTD_inBuffer){in, (size_t)n, 0};
        }
        if (!left && source.pos < source.size) {
            status = damaged(err, path, "more behind the frame");
            break;
        }
        left = ZSTD_decompressStream(stream, &target, &source);
        if (ZSTD_isError(left)) {
            status = damaged(err, path, ZSTD_getErrorName(left));
            break;
        }
        done += target.pos;
        if (done > size)
            status = damaged(err, path, "more than it states");
        else if (to >= 0 && target.pos &&
                 (status = cca_file_write_all(to, out, target.pos)))
            failed(err, path, status);
        else if (to < 0) {
            ssize_t n = pread(same, other, target.pos, (off_t)(done - target.pos));

            if (n != (ssize_t)target.pos || memcmp(out, other, target.pos) != 0)
                status =
                    cca_error_set(err, -EIO, "%s: differs from the unpacked copy", path);
        }
    }
    if (!status && done != size)
        status = damaged(err, path, "less than it states");
    ZSTD_freeDStream(stream);
    free(in);
    free(out);
    free(other);
    return status;
}

/* Open an unnamed file with space for `size` bytes, in memory or on disk. */
static int new_place(uint64_t size)
{
    const char *folder = getenv("TMPDIR");
    int fd = size <= IN_MEMORY ? memfd_create("unpacked", MFD_CLOEXEC) : -1;

    if (fd < 0)
        fd = open(folder && *folder ? folder : "/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC,
                  0600);
    return fd < 0 ? -errno : fd;
}

static int unpack_new(int from, const char *path, struct cca_error *err)
{
    struct stat file;
    uint64_t size;
    int to, status;

    if (fstat(from, &file) || !S_ISREG(file.st_mode))
        return cca_error_set(err, -EBADMSG, "%s: found no regular file", path);
    status = stated_size(from, path, (uint64_t)file.st_size, &size, err);
    if (status)
        return status;
    to = new_place(size);
    if (to < 0)
        return failed(err, path, to);
    status = unpack(from, path, size, to, -1, err);
    if (status) {
        close(to);
        return status;
    }
    return to;
}

/* --- Cache of unpacked files ---------------------------------------------- */

static struct kept {
    dev_t device;
    ino_t inode;
    struct timespec changed;
    int fd; /* descriptor of the file with the unpacked contents */
    int used;
} kept[KEPT];
static unsigned next_kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Open a file once more: each reader needs a descriptor of its own, because readers
 * seek. */
static int reopen(int fd)
{
    char path[40];
    int again;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    again = open(path, O_RDONLY | O_CLOEXEC);
    return again < 0 ? -errno : again;
}

static int open_kept(int from, const char *path, struct cca_error *err)
{
    struct stat file;
    int fd = -ENOENT;

    if (fstat(from, &file))
        return failed(err, path, -errno);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < KEPT && fd < 0; i++)
        if (kept[i].used && kept[i].device == file.st_dev &&
            kept[i].inode == file.st_ino &&
            kept[i].changed.tv_sec == file.st_mtim.tv_sec &&
            kept[i].changed.tv_nsec == file.st_mtim.tv_nsec)
            fd = reopen(kept[i].fd);
    if (fd < 0) {
        int made = unpack_new(from, path, err);

        fd = made < 0 ? made : reopen(made);
        if (made >= 0) {
            struct kept *place = &kept[next_kept++ % KEPT];

            if (place->used)
                close(place->fd);
            *place = (struct kept){file.st_dev, file.st_ino, file.st_mtim, made, 1};
        }
        if (made >= 0 && fd < 0)
            failed(err, path, fd);
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

static int open_packed(const char *path, struct cca_error *err)
{
    int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), fd;

    if (from < 0)
        return errno == ENOENT ? -ENOENT : failed(err, path, -errno);
    fd = open_kept(from, path, err);
    close(from);
    return fd;
}

/* --- Packing -------------------------------------------------------------- */

static int pack(int from, const char *path, uint64_t size, int to, int level,
                struct cca_error *err)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char *in = malloc(PIECE), *out = malloc(PIECE);
    uint64_t done = 0;
    int status = context && in && out ? 0 : cca_no_memory(err), ended = 0;

    if (!status &&
        (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) ||
         ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)) ||
         ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, size))))
        status = cca_error_set(err, -EINVAL, "zstd refuses level %d", level);
    while (!status && !ended) {
        ssize_t n = read_some(from, in, PIECE);
        ZSTD_inBuffer source = {in, n > 0 ? (size_t)n : 0, 0};
        ZSTD_EndDirective end;
        size_t left;

        if (n < 0) {
            status = failed(err, path, -errno);
            break;
        }
        done += (uint64_t)n;
        end = n == 0 ? ZSTD_e_end : ZSTD_e_continue;
        do {
            ZSTD_outBuffer target = {out, PIECE, 0};

            left = ZSTD_compressStream2(context, &target, &source, end);
            if (ZSTD_isError(left))
                status = cca_error_set(err, -EIO, "%s: zstd: %s", path,
                                       ZSTD_getErrorName(left));
            else if ((status = cca_file_write_all(to, out, target.pos)))
                failed(err, path, status);
        } while (!status && (end == ZSTD_e_end ? left > 0 : source.pos < source.size));
        ended = n == 0;
    }
    if (!status && done != size)
        status = cca_error_set(err, -EIO, "%s: has changed while it was packed", path);
    ZSTD_freeCCtx(context);
    free(in);
    free(out);
    return status;
}

/* A file written under a temporary name beside `path`, then renamed. */
struct output {
    char temporary[PATH_MAX + 32];
    int fd;
};

static int output_open(struct output *output, const char *path, mode_t mode,
                       struct cca_error *err)
{
    snprintf(output->temporary, sizeof output->temporary, "%s.new", path);
    output->fd =
        open(output->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, mode & 0777);
    return output->fd < 0 ? failed(err, output->temporary, -errno) : 0;
}

static int output_close(struct output *output, const char *path, int status,
                        struct cca_error *err)
{
    if (!status && fsync(output->fd))
        status = failed(err, output->temporary, -errno);
    close(output->fd);
    if (!status && rename(output->temporary, path))
        status = failed(err, path, -errno);
    if (status)
        unlink(output->temporary);
    return status;
}

int mm_pack_file(const char *path, int level, uint64_t *before, uint64_t *after,
                 struct cca_error *err)
{
    char packed[PATH_MAX];
    int from = open(path, O_RDONLY | O_CLOEXEC), status;
    struct output output;
    struct stat file;

    if (from < 0)
        return failed(err, path, -errno);
    if (snprintf(packed, sizeof packed, "%s%s", path, MM_PACKED) >= (int)sizeof packed ||
        fstat(from, &file)) {
        close(from);
        return failed(err, path, -ENAMETOOLONG);
    }
    *before = (uint64_t)file.st_size;
    status = output_open(&output, packed, file.st_mode, err);
    if (!status) {
        status = pack(from, path, *before, output.fd, level, err);
        *after = (uint64_t)lseek(output.fd, 0, SEEK_END);
        if (!status)
            status = unpack(output.fd, packed, *before, -1, from, err);
        status = output_close(&output, packed, status, err);
    }
    close(from);
    if (!status && unlink(path))
        status = failed(err, path, -errno);
    return status;
}

int mm_unpack_file(const char *path, uint64_t *before, uint64_t *after,
                   struct cca_error *err)
{
    char packed[PATH_MAX];
    struct output output;
    struct stat file;
    int from, status;

    if (snprintf(packed, sizeof packed, "%s%s", path, MM_PACKED) >= (int)sizeof packed)
        return failed(err, path, -ENAMETOOLONG);
    from = open(packed, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return failed(err, packed, -errno);
    status = fstat(from, &file)
                 ? failed(err, packed, -errno)
                 : stated_size(from, packed, (uint64_t)file.st_size, after, err);
    *before = (uint64_t)file.st_size;
    if (!status)
        status = output_open(&output, path, file.st_mode, err);
    if (!status) {
        status = unpack(from, packed, *after, output.fd, -1, err);
        status = output_close(&output, path, status, err);
    }
    close(from);
    if (!status && unlink(packed))
        status = failed(err, packed, -errno);
    return status;
}

#else /* without zstd */

static int without(struct cca_error *err, const char *path)
{
    return cca_error_set(err, -EOPNOTSUPP, "%s: this build is without zstd", path);
}

static int open_packed(const char *path, struct cca_error *err)
{
    return access(path, F_OK) ? -ENOENT : without(err, path);
}

int mm_pack_file(const char *path, int level, uint64_t *before, uint64_t *after,
                 struct cca_error *err)
{
    (void)level;
    *before = *after = 0;
    return without(err, path);
}

int mm_unpack_file(const char *path, uint64_t *before, uint64_t *after,
                   struct cca_error *err)
{
    *before = *after = 0;
    return without(err, path);
}

#endif

int mm_packed_open(const char *path, struct cca_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char packed[PATH_MAX];

    if (fd >= 0)
        return fd;
    if (errno != ENOENT)
        return cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    if (snprintf(packed, sizeof packed, "%s%s", path, MM_PACKED) >= (int)sizeof packed)
        return -ENOENT;
    return open_packed(packed, err);
}
