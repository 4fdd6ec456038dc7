/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib_calls.c: calls zlib from two threads and prints what each call was given and gave. It knows
 * nothing of measuring. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct work {
    unsigned calls;
    int level;
    pthread_mutex_t *lock;
};

static void *compress_all(void *argument)
{
    const struct work *work = argument;
    unsigned char *in = calloc(1, 40000), *out = malloc(60000);

    for (unsigned i = 0; in && out && i < work->calls; i++) {
        uLongf size = i % 10 == 9 ? 1 : 60000; /* the tenth fails */
        uLong length = 100 + 7 * i;
        int result;

        errno = 77;
        result = compress2(out, &size, in, length, work->level);
        if (errno != 77)
            exit(9);
        pthread_mutex_lock(work->lock);
        printf("%lu,%d,%lu,%d\n", length, work->level, size, result);
        pthread_mutex_unlock(work->lock);
    }
    free(in);
    free(out);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct work work[2] = {{argc > 1 ? (unsigned)atoi(argv[1]) : 50, 1, &lock},
                           {argc > 1 ? (unsigned)atoi(argv[1]) : 50, 6, &lock}};
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, compress_all, &work[i]) != 0)
            return 8;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fflush(stdout);
    if (argc > 2 && strcmp(argv[2], "kill") == 0)
        raise(SIGKILL);
    return 7;
}
