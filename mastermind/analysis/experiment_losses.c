/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_losses.c: what threads say that they could not keep. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/analysis/experiment.h"
#include "mastermind/analysis/experiment_ring.h"

/* The trailer at the end of a segment. 1; 0: there is none. */
static int read_trailer(const char *path, struct mm_trailer *trailer)
{
    struct {
        struct mm_block_head head;
        struct mm_trailer trailer;
    } end;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), found = 0;
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

    if (size >= (off_t)sizeof end &&
        mm_file_read(fd, &end, sizeof end, (uint64_t)size - sizeof end) ==
            (long long)sizeof end)
        found = end.head.magic == MM_TRAILER_MAGIC &&
                end.head.bytes == sizeof end.trailer &&
                end.head.check ==
                    mm_block_check(&end.trailer, sizeof end.trailer,
                                   mm_block_check(&end.head,
                                                  offsetof(struct mm_block_head, check), 0));
    if (found)
        *trailer = end.trailer;
    if (fd >= 0)
        close(fd);
    return found;
}

static int read_live(const char *path, struct mm_ring_live *live)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int found = fd >= 0 && mm_file_read(fd, live, sizeof *live, MM_LIVE_OFFSET) ==
                               (long long)sizeof *live;

    if (fd >= 0)
        close(fd);
    return found;
}

static int add_thread(const struct mm_experiment *e, int rank, int thread,
                      struct mm_losses *losses)
{
    struct mm_ring_live live = {0};
    struct mm_trailer trailer;
    char *path;

    /* The ring first: it goes when the trailer is there. */
    if (asprintf(&path, "%s/rank-%04d/thread-%03d.ring", e->path, rank, thread) < 0)
        return -ENOMEM;
    read_live(path, &live);
    free(path);
    if (asprintf(&path, "%s/rank-%04d/thread-%03d.seg", e->path, rank, thread) < 0)
        return -ENOMEM;
    if (read_trailer(path, &trailer)) {
        live.dropped = trailer.dropped;
        live.nested = trailer.nested;
    }
    free(path);
    losses->dropped += live.dropped;
    losses->nested += live.nested;
    return 0;
}

static uint64_t total_of(const struct mm_experiment *e, const char *key)
{
    json_int_t value = json_integer_value(
        json_object_get(json_object_get(e->about, "totals"), key));

    return value > 0 ? (uint64_t)value : 0;
}

int mm_experiment_losses(const struct mm_experiment *e, struct mm_losses *losses,
                         struct cca_error *err)
{
    struct mm_losses sum = {0};
    int code = 0;

    for (int rank = 0; !code && rank < e->ranks; rank++) {
        size_t count;
        int *threads;

        code = mm_experiment_threads(e, rank, &threads, &count, err);
        for (size_t i = 0; !code && i < count; i++)
            code = add_thread(e, rank, threads[i], &sum);
        free(threads);
    }
    if (code)
        return code == -ENOMEM ? cca_error_set(err, code, "out of memory") : code;
    /* A thread that could have no files has lost all that it had. */
    if (sum.dropped < total_of(e, "dropped"))
        sum.dropped = total_of(e, "dropped");
    if (sum.nested < total_of(e, "nested"))
        sum.nested = total_of(e, "nested");
    *losses = sum;
    return 0;
}
