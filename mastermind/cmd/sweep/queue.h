/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h: the runs of a sweep as empty files, which several workers on one or several
 * hosts rename. The name of a file is the state of its run:
 *
 *   queue/003.open            no worker makes run 3
 *   queue/003.claim.WORKER    this worker makes it
 *   queue/003.done.WORKER, queue/003.failed.WORKER   it has ended; its results are in
 *   queue/003.WORKER.json     (as in runs.json)
 *   queue/003.done            it had ended before the queue was made
 *
 * WORKER is HOST.PID.START.BOOT: host name, process id, start of the process in clock
 * ticks after boot, and an id of the boot of its kernel. Other files of a run have the
 * worker in their names until the run has ended (sweep_run_path).
 *
 * Each change is one rename, which only one process can make. So a worker whose claim was
 * given back to others cannot end the run, and its results are dropped. */
#ifndef MASTERMIND_CMD_SWEEP_QUEUE_H
#define MASTERMIND_CMD_SWEEP_QUEUE_H

#include <stddef.h>
#include <time.h>

#define SWEEP_QUEUE "queue"
/* Time after which a claim of another host that was not renewed is given back. */
#define SWEEP_PATIENCE_S 60

struct sweep;

enum { SWEEP_WORKER = 160 /* bytes of a worker's name */ };

/* The claim of another worker, as this process has watched it. */
struct sweep_claim {
    char worker[SWEEP_WORKER];
    struct timespec renewed_at; /* by the clock of the file's host */
    double since;               /* time of the last change; monotonic, of this host */
    int was_renewed;            /* 1: renewed while this process watched */
};

struct sweep_queue {
    char *path; /* directory of the queue */
    char worker[SWEEP_WORKER];
    size_t at; /* claimed run, or SIZE_MAX */
    int claim; /* descriptor of the claimed file, locked; runs inherit it */
    double renewed;
    struct sweep_claim *claims; /* [run_count] */
    unsigned char *is_read;     /* [run_count] 1: the results are in sweep->runs */
};

/* Become a worker of a queue that need not exist yet: sweep->queue. Returns -1 to go
 * on. */
int sweep_queue_new(struct sweep *sweep);
/* Make the queue from the states of the runs, unless it exists. Returns -1 to go on. */
int sweep_queue_make(struct sweep *sweep);
void sweep_queue_done(struct sweep_queue *queue);
/* The worker's name if it makes run `at` now, else NULL. */
static inline const char *sweep_queue_worker(const struct sweep_queue *queue, size_t at)
{
    return queue && queue->at == at ? queue->worker : NULL;
}

/* Read the states of the runs from the queue, if there is one; of ended runs the results.
 * Returns -1 to go on. */
int sweep_queue_read(const struct sweep *sweep);
/* Claim an open run. `claimed` is 0 if another worker was faster. Returns -1 to go on. */
int sweep_queue_claim(const struct sweep *sweep, size_t at, int *claimed);
/* Renew the claim of the run under way. */
void sweep_queue_renew(struct sweep_queue *queue);
/* Keep the results of the claimed run, which is done or failed. Without the claim its
 * results are dropped. Returns -1 to go on. */
int sweep_queue_end_run(const struct sweep *sweep);
/* Give the claimed run back. */
void sweep_queue_give_back(const struct sweep *sweep);
/* Give back the claims of workers that died. */
int sweep_queue_release_dead(const struct sweep *sweep);
/* Watch claims of other hosts until each was renewed, or was given back. `is_open`: a run
 * is open then. Returns -1, or an exit code: 128 plus the number of a signal. */
int sweep_queue_watch(const struct sweep *sweep, int *is_open);

/* Take over the queue of an earlier sweep, with its results, as the only process: write
 * runs.json and remove the queue. Refuses if a worker is at work. Returns -1 to go on. */
int sweep_queue_close(struct sweep *sweep);

#endif
