/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_losses.c: count the invocations that threads lost. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "mastermind/reader/json.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/reader/experiment_ring.h"
#include "mastermind/pack/pack.h"

/* Read the trailer at the end of a segment. Returns 1; 0: there is no trailer. */
static int read_trailer(const char *path, struct mm_losses *losses)
{
    struct {
        struct mm_block_head head;
        struct mm_trailer trailer;
    } end;
    /* ignored, because the reader of the rows reports this error */
    struct cca_error ignored = {0};
    int fd = mm_packed_open(path, &ignored), found = 0;
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

    if (size >= (off_t)sizeof end &&
        mm_file_read(fd, &end, sizeof end, (uint64_t)size - sizeof end) ==
            (long long)sizeof end)
        found =
            end.head.magic == MM_TRAILER_MAGIC && end.head.bytes == sizeof end.trailer &&
            end.head.check ==
                mm_block_check(
                    &end.trailer, sizeof end.trailer,
                    mm_block_check(&end.head, offsetof(struct mm_block_head, check), 0));
    if (found)
        *losses = (struct mm_losses){.dropped = end.trailer.dropped,
                                     .nested = end.trailer.nested,
                                     .limited = end.head.limited != 0};
    if (fd >= 0)
        close(fd);
    return found;
}

/* Read the numbers of lost invocations in a ring. Returns 0, also if there is no ring, or
 * a negative errno. */
static int read_ring(const char *path, struct mm_losses *losses, struct cca_error *err)
{
    struct mm_ring_live live;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code;

    if (fd < 0)
        return 0;
    code = mm_ring_live_read(fd, &live, path, err);
    close(fd);
    if (!code)
        *losses = (struct mm_losses){.dropped = mm_count_read(&live.dropped),
                                     .nested = mm_count_read(&live.nested),
                                     .limited = mm_count_read(&live.limited)};
    return code;
}

static int add_thread(const struct mm_experiment *e, int rank, int thread,
                      struct mm_losses *losses, struct cca_error *err)
{
    struct mm_losses own = {0};
    char *path;
    int code;

    /* read the ring first, because a thread writes its trailer before it removes its
     * ring */
    if (asprintf(&path, "%s/rank-%04d/thread-%03d.ring", e->path, rank, thread) < 0)
        return -ENOMEM;
    code = read_ring(path, &own, err);
    free(path);
    if (code)
        return code;
    if (asprintf(&path, "%s/rank-%04d/thread-%03d.seg", e->path, rank, thread) < 0)
        return -ENOMEM;
    read_trailer(path, &own);
    free(path);
    losses->dropped += own.dropped;
    losses->nested += own.nested;
    losses->limited += own.limited;
    return 0;
}

/* Add the numbers of lost invocations that a rank wrote at its end. They include threads
 * that have no files, all of whose calls are lost. */
static int add_totals(const struct mm_experiment *e, int rank, struct mm_losses *own,
                      struct cca_error *err)
{
    json_t *about = NULL;
    int code = mm_experiment_rank_about(e, rank, &about, err);
    const json_t *totals = json_object_get(about, "totals");
    json_int_t dropped = json_integer_value(json_object_get(totals, "dropped"));
    json_int_t nested = json_integer_value(json_object_get(totals, "nested"));

    if (dropped > 0 && own->dropped < (uint64_t)dropped)
        own->dropped = (uint64_t)dropped;
    if (nested > 0 && own->nested < (uint64_t)nested)
        own->nested = (uint64_t)nested;
    json_decref(about);
    return code;
}

static int add_rank(const struct mm_experiment *e, int rank, struct mm_losses *losses,
                    struct cca_error *err)
{
    struct mm_losses own = {0};
    size_t count;
    int *threads, code = mm_experiment_threads(e, rank, &threads, &count, err);

    for (size_t i = 0; !code && i < count; i++)
        code = add_thread(e, rank, threads[i], &own, err);
    free(threads);
    if (!code)
        code = add_totals(e, rank, &own, err);
    losses->dropped += own.dropped;
    losses->nested += own.nested;
    losses->limited += own.limited;
    return code;
}

int mm_experiment_losses(const struct mm_experiment *e, struct mm_losses *losses,
                         struct cca_error *err)
{
    struct mm_losses sum = {0};
    int code = 0;

    for (int rank = 0; !code && rank < e->ranks; rank++)
        code = add_rank(e, rank, &sum, err);
    if (code)
        return code == -ENOMEM ? cca_no_memory(err) : code;
    sum.gos_off = e->gos_off;
    *losses = sum;
    return 0;
}
