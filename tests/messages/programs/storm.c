/* SPDX-License-Identifier: BSD-3-Clause */
/* storm.c: every way to send and receive, at random, by a program that knows what comes.
 *
 *   mpirun -n N storm SEED [options]     2 to 32 ranks; plain MPI
 *     --rounds N        default 60
 *     --messages N      at most so many in a round, default 60
 *     --threads T       MPI_THREAD_MULTIPLE; each thread has a communicator of its own
 *     --own-tags        ... or all share one, each with tags of its own
 *     --shared          ... or all share the same channels
 *     --no-cancel --no-comms --no-probes --no-wildcards --no-persistent --no-large
 *     --no-derived
 *     --self            ranks send to themselves, too: under MPICH 4.0.2, which hangs or
 *                       fails now and then with such messages and wildcards, not advised
 *     --truth PREFIX    write PREFIX.RANK.THREAD: what was sent and received (truth.h)
 *
 * The same seed and ranks give the same messages; who gets which by a wildcard differs.
 * Exit 1: MPI, or what lies between, gave a message to the wrong receive, lost or changed
 * one; 2: a wrong word. */
#include "tests/messages/programs/storm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERED_BYTES = 64 << 20, THREADS_MOST = 16 };

static void run_round(struct worker *w)
{
    void (*const rounds[])(struct worker *) = {round_free,
                                               round_free,
                                               round_free,
                                               round_ordered,
                                               round_ready,
                                               round_shift,
                                               w->settings->persistent ? round_persistent
                                                                       : round_free};

    if (w->settings->comms && chance(&w->plan, 40))
        comms_change(w);
    if (!w->settings->own_tags && chance(&w->plan, 30))
        comms_collective(w);
    rounds[below(&w->plan, 7)](w);
}

static void worker_init(struct worker *w, const struct settings *s, int thread,
                        MPI_Comm comm)
{
    w->settings = s;
    w->thread = thread;
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->ranks);
    w->plan.state = (uint64_t)s->seed * 7919 + (uint64_t)thread;
    w->own.state = w->plan.state * 104729 + (uint64_t)w->rank + 1;
    truth_init(&w->truth, w->rank, thread, 0);
    comms_start(w, comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->sync);
}

static void *worker_run(void *argument)
{
    struct worker *w = argument;

    for (int i = 0; i < w->settings->rounds; i++)
        run_round(w);
    comms_end(w);
    return NULL;
}

static void worker_end(struct worker *w, long long *sums)
{
    if (w->settings->truth && truth_write(&w->truth, w->settings->truth))
        MPI_Abort(MPI_COMM_WORLD, 1);
    sums[0] += (long long)w->truth.sent_count;
    sums[1] += (long long)w->truth.received_count;
    sums[2] += w->posted;
    sums[3] += w->cancelled;
    truth_done(&w->truth);
    MPI_Comm_free(&w->sync);
    if (w->families[0].comm != MPI_COMM_WORLD)
        MPI_Comm_free(&w->families[0].comm);
}

static int print_sums(const long long *own)
{
    long long sums[4] = {0, 0, 0, 0};
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(own, sums, 4, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("storm: %lld messages sent, %lld received, %lld receives posted, %lld "
               "cancelled\n",
               sums[0], sums[1], sums[2], sums[3]);
    return sums[0] != sums[1];
}

/* Open MPI 4.1.4 crashes where two threads are the first to make a Cartesian
 * communicator. */
static void load_topologies(const struct settings *s)
{
    const int period = 0, size = 1;
    MPI_Comm comm;

    if (s->threads == 1)
        return;
    MPI_Cart_create(MPI_COMM_SELF, 1, &size, &period, 0, &comm);
    MPI_Comm_free(&comm);
}

/* Threads that share a communicator share its first family's handle alone. */
static int storm(const struct settings *s)
{
    struct worker *workers = calloc((size_t)s->threads, sizeof *workers);
    pthread_t ids[THREADS_MOST];
    long long sums[4] = {0, 0, 0, 0};
    MPI_Comm comm;

    if (!workers)
        MPI_Abort(MPI_COMM_WORLD, 1);
    load_topologies(s);
    for (int i = 0; i < s->threads; i++) {
        comm = MPI_COMM_WORLD;
        if (i && !s->own_tags)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        worker_init(&workers[i], s, i, comm);
    }
    for (int i = 1; i < s->threads; i++)
        if (pthread_create(&ids[i], NULL, worker_run, &workers[i]))
            misbehaved(&workers[i], "no thread");
    worker_run(&workers[0]);
    for (int i = 1; i < s->threads; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < s->threads; i++)
        worker_end(&workers[i], sums);
    free(workers);
    return print_sums(sums);
}

static const char usage[] =
    "storm SEED [--rounds N] [--messages N] [--threads N] [--own-tags | --shared] "
    "[--truth PREFIX] [--no-cancel] [--no-comms] [--no-probes] [--no-wildcards] "
    "[--no-persistent] [--no-large] [--no-derived] [--self]";

/* 0, or -EINVAL. */
static int read_number(const char *word, long long least, long long most,
                       long long *value)
{
    char *end = NULL;

    errno = 0;
    *value = word ? strtoll(word, &end, 10) : 0;
    return !word || errno || end == word || *end || *value < least || *value > most
               ? -EINVAL
               : 0;
}

/* A word without a value. Returns whether it is one. */
static int read_flag(const char *word, struct settings *s)
{
    const struct {
        const char *word;
        int *flag, value;
    } flags[] = {
        {"--own-tags", &s->own_tags, 1},        {"--shared", &s->shared, 1},
        {"--no-cancel", &s->cancel, 0},         {"--no-comms", &s->comms, 0},
        {"--no-probes", &s->probes, 0},         {"--no-wildcards", &s->wildcards, 0},
        {"--no-persistent", &s->persistent, 0}, {"--no-large", &s->large, 0},
        {"--no-derived", &s->derived, 0},       {"--self", &s->self, 1},
    };

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(word, flags[i].word)) {
            *flags[i].flag = flags[i].value;
            return 1;
        }
    return 0;
}

/* Returns the index of the first wrong word, or 0. */
static int read_words(int argc, char **argv, struct settings *s)
{
    long long value;

    if (argc < 2 || read_number(argv[1], 0, 1LL << 40, &s->seed))
        return argc < 2 ? argc : 1;
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i], *next = argv[i + 1];
        int *number = !strcmp(word, "--rounds")     ? &s->rounds
                      : !strcmp(word, "--messages") ? &s->messages
                      : !strcmp(word, "--threads")  ? &s->threads
                                                    : NULL;

        if (number) {
            const int most = number == &s->threads    ? THREADS_MOST
                             : number == &s->messages ? MESSAGES_MOST
                                                      : 1000000;

            if (read_number(next, 1, most, &value))
                return i;
            *number = (int)value;
            i++;
        } else if (!strcmp(word, "--truth") && next) {
            s->truth = argv[++i];
        } else if (!read_flag(word, s)) {
            return i;
        }
    }
    if (s->own_tags)
        s->comms = 0;
    return 0;
}

int main(int argc, char **argv)
{
    struct settings s = {.rounds = 60,
                         .messages = 60,
                         .threads = 1,
                         .cancel = 1,
                         .comms = 1,
                         .probes = 1,
                         .wildcards = 1,
                         .persistent = 1,
                         .large = 1,
                         .derived = 1};
    const int wrong = read_words(argc, argv, &s);
    int provided, rank, ranks, failed;
    char *buffer = NULL;

    MPI_Init_thread(&argc, &argv, s.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wrong || ranks > RANKS_MOST ||
        (s.threads > 1 && provided < MPI_THREAD_MULTIPLE)) {
        if (rank == 0 && wrong)
            fprintf(stderr, "found '%s', expected %s\n", wrong < argc ? argv[wrong] : "",
                    usage);
        else if (rank == 0)
            fprintf(stderr, "found %d ranks, thread level %d, expected at most %d, %d\n",
                    ranks, provided, RANKS_MOST, MPI_THREAD_MULTIPLE);
        MPI_Finalize();
        return 2;
    }
    buffer = malloc(BUFFERED_BYTES);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Buffer_attach(buffer, BUFFERED_BYTES);
    failed = s.shared ? shared_channels(&s) : storm(&s);
    MPI_Buffer_detach(&buffer, &provided);
    free(buffer);
    MPI_Finalize();
    return failed;
}
