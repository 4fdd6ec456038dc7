/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: options and own counts of the measured programs. */
#include "bench/messages/programs/program.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end_wrong_word(const char *found, const char *expected)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "found '%s', expected %s\n", found, expected);
    MPI_Finalize();
    exit(2);
}

static void end_unknown_option(const char *found, const struct program_option *options)
{
    char names[512] = "one of";

    for (const struct program_option *o = options; o->name; o++) {
        size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, " --%s%s", o->name,
                 o->most ? " N" : "");
    }
    end_wrong_word(found, names);
}

static int read_number(const char *word, const struct program_option *o)
{
    char expected[128], *end = NULL;
    long value;

    errno = 0;
    value = word ? strtol(word, &end, 10) : 0;
    if (!word || end == word || *end || errno || value < o->least || value > o->most) {
        snprintf(expected, sizeof expected, "--%s with a number from %d to %d", o->name,
                 o->least, o->most);
        end_wrong_word(word ? word : "nothing", expected);
    }
    return (int)value;
}

void program_options(int argc, char **argv, const struct program_option *options)
{
    for (int i = 1; i < argc; i++) {
        const struct program_option *o = options;

        while (o->name && (strncmp(argv[i], "--", 2) || strcmp(argv[i] + 2, o->name)))
            o++;
        if (!o->name)
            end_unknown_option(argv[i], options);
        else if (o->most == 0)
            *o->value = 1;
        else
            *o->value = read_number(argv[++i], o);
    }
}

int traffic_init(struct traffic *t, int ranks)
{
    memset(t, 0, sizeof *t);
    t->ranks = ranks;
    t->messages = calloc((size_t)ranks, sizeof *t->messages);
    t->bytes = calloc((size_t)ranks, sizeof *t->bytes);
    if (t->messages && t->bytes)
        return 0;
    traffic_done(t);
    return -ENOMEM;
}

void traffic_done(struct traffic *t)
{
    free(t->messages);
    free(t->bytes);
    memset(t, 0, sizeof *t);
}

void traffic_sent(struct traffic *t, int to, size_t bytes)
{
    int class = bytes ? 64 - __builtin_clzll(bytes) : 0;

    t->messages[to]++;
    t->bytes[to] += (int64_t)bytes;
    t->sizes[class < TRAFFIC_SIZES ? class : TRAFFIC_SIZES - 1]++;
}

static void print_pairs(int ranks, const int64_t *messages, const int64_t *bytes)
{
    int64_t all_messages = 0, all_bytes = 0;

    for (int i = 0; i < ranks * ranks; i++) {
        if (messages[i])
            printf("pair %d %d messages %lld bytes %lld\n", i / ranks, i % ranks,
                   (long long)messages[i], (long long)bytes[i]);
        all_messages += messages[i];
        all_bytes += bytes[i];
    }
    printf("total messages %lld bytes %lld\n", (long long)all_messages,
           (long long)all_bytes);
}

static void print_sizes(const int64_t *sizes)
{
    for (int i = 0; i < TRAFFIC_SIZES; i++)
        if (sizes[i])
            printf("size %lld %lld messages %lld\n", i ? 1LL << (i - 1) : 0,
                   i ? (1LL << i) - 1 : 0, (long long)sizes[i]);
}

void traffic_print(const struct traffic *t)
{
    const size_t pairs = (size_t)t->ranks * (size_t)t->ranks;
    int64_t *messages = calloc(pairs, sizeof *messages);
    int64_t *bytes = calloc(pairs, sizeof *bytes);
    int64_t sizes[TRAFFIC_SIZES];
    int rank;

    if (!messages || !bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gather(t->messages, t->ranks, MPI_INT64_T, messages, t->ranks, MPI_INT64_T, 0,
               MPI_COMM_WORLD);
    MPI_Gather(t->bytes, t->ranks, MPI_INT64_T, bytes, t->ranks, MPI_INT64_T, 0,
               MPI_COMM_WORLD);
    MPI_Reduce(t->sizes, sizes, TRAFFIC_SIZES, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        print_sizes(sizes);
        print_pairs(t->ranks, messages, bytes);
    }
    free(messages);
    free(bytes);
}

int program_verdict(const char *name, int right)
{
    int all_right = 0, rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %s\n", name, all_right ? "verified" : "WRONG");
    return all_right ? 0 : 1;
}
